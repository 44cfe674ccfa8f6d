#!/usr/bin/env python3
"""Entries that do not add up at a relay (page 10, rules 20 and 36 to 39): lost and hidden versions, false rows, cuts.

  python3 lacking_model.py [WORLDS]   the rules, then each rule left out: what is then lost, or costs too much

A world is two or three honest devices and a relay. Each write is one record. The relay loses versions of its disk, hides some for a
while, and a member states rows in another's name. Every visit can be cut after each step. Then the faults end, everybody
visits with a day between the rounds, and each device must hold every write that any device holds; the last round must send
nothing. A second part counts readings from the start, and uploads, while a relay hides a version for ever.
Exit code 1: the rules broke, or a rule that was left out was not missed.
"""
import random
import sys
from dataclasses import dataclass, field

RULES = {"bookmark", "again", "request", "answer", "unmark", "once", "wait"}
DAY = 96  # quarters of an hour


class Relay:
    def __init__(self):
        self.seq, self.versions, self.hidden, self.rows, self.uploaded = 0, {}, set(), {}, {}

    def put(self, write):
        if write not in self.versions:
            self.seq += 1
            self.versions[write] = self.seq

    def state(self, key, content, number):
        self.seq += 1
        self.rows[key] = (self.seq, number, content)


@dataclass
class Device:
    name: str
    rules: set
    held: dict = field(default_factory=dict)      # write (author, number) -> own sequence
    seq: int = 0
    read: int = 0
    mark: int = 0                                  # how far all was uploaded
    mismatches: int = 0
    missing: dict = field(default_factory=dict)    # key -> content, read from the start in vain
    heard: dict = field(default_factory=dict)      # key -> (number, content)
    lack: list = field(default_factory=lambda: [0, 0])  # time, count
    last: int = 1                                  # the number of the last request of an earlier lack
    answered: list = field(default_factory=list)   # (key, number, time)
    wholes: int = 0
    uploads: int = 0

    def add(self, write):
        if write not in self.held:
            self.seq += 1
            self.held[write] = self.seq

    def write(self):
        self.add((self.name, 1 + max([n for a, n in self.held if a == self.name], default=0)))

    def entry(self, author):
        mine = {n for a, n in self.held if a == author}
        counter = 0
        while counter + 1 in mine:
            counter += 1
        return (counter, max(mine, default=0))

    def request(self):
        return self.last + 1 + min(max(self.lack[1] - 7, 0), 3)

    def due(self, now):
        return "wait" not in self.rules or now - self.lack[0] >= min(2 ** max(self.lack[1] - 1, 0), DAY)

    def visit(self, relay, now, cut):
        start = self.read
        if start == 0:
            self.heard, self.missing, self.wholes = {}, {}, self.wholes + (relay.seq > 0)
        upload = min(self.mark, relay.uploaded.get(self.name, 0))
        first = True
        for _ in range(8):
            before = (relay.seq, self.seq, upload)
            for write, seq in sorted(relay.versions.items(), key=lambda item: item[1]):
                if seq > start and write not in relay.hidden:
                    self.add(write)
                    if cut():
                        return False
            fresh = []
            for key, (seq, number, content) in sorted(relay.rows.items(), key=lambda item: item[1][0]):
                if seq > start:
                    self.heard[key] = (number, content)
                    self.missing.pop(key, None)
                    fresh.append(key)
            wrong = {}
            for (by, author), (number, content) in self.heard.items():
                if by != self.name and author != self.name:
                    if content[0] > self.entry(author)[0] or content[1] > self.entry(author)[1]:
                        wrong[by, author] = content
            news = {key for key in wrong if key not in self.missing}
            self.missing = {key: c for key, c in self.missing.items() if key in wrong}
            isWhole = first and start == 0
            isAgain = self.missing and not isWhole and self.due(now) and "again" in self.rules
            if "bookmark" in self.rules and isWhole and self.mismatches > 0 and news:
                self.missing = dict(wrong)
                if self.lack[1] == 0 or self.due(now):
                    self.lack = [now, self.lack[1] + 1]
                self.read = relay.seq
            elif news or isAgain:
                self.mismatches += 1
                self.read = 0
                return True
            else:
                self.read = relay.seq
                if not self.missing:
                    if self.lack[1]:
                        self.last = self.request()
                    self.mismatches, self.lack = 0, [0, 0]
            start, first = relay.seq, False
            asked = {}
            for key in fresh:
                number, content = self.heard[key]
                if key[0] == self.name or (content[2] or 0) < 2 or "answer" not in self.rules:
                    continue
                if self.entry(key[1])[1] <= content[0]:
                    continue
                recent = [one for one in self.answered if now - one[2] < DAY]
                if "once" in self.rules and (any(o[:2] == (key, number) for o in self.answered) or len(recent) >= 8):
                    continue
                self.answered.append((key, number, now))
                asked[key[1]] = min(asked.get(key[1], 1 << 30), content[0])
            skips = 0
            if asked:
                if "unmark" in self.rules:
                    self.mark = 0
                skips, upload, self.uploads = upload, 0, self.uploads + 1
            if cut():
                return False
            for write in sorted(self.held, key=self.held.get):
                if self.held[write] > upload:
                    if self.held[write] > skips or write[1] > asked.get(write[0], 1 << 30):
                        relay.put(write)
                    upload = self.held[write]
                    if cut():
                        return False
            relay.uploaded[self.name] = self.mark = upload
            wanted = {author for _, author in self.missing} if "request" in self.rules else set()
            number = self.request()
            own = {author for by, author in self.heard if by == self.name}
            for author in sorted({a for a, _ in self.held} | wanted | own):
                entry = self.entry(author)
                content = entry + (number if author in wanted else 1 if entry == (0, 0) else None,)
                key = (self.name, author)
                known = self.heard.get(key)
                others = [c for k, (_, c) in self.heard.items() if k[1] == author and k[0] != self.name]
                isThere = content[2] is None and any(c[:2] == content[:2] for c in others)
                isFalse = known and (known[1][0] > content[0] or known[1][1] > content[1])
                if known and known[1] == content or isThere and not isFalse:
                    continue
                count = (known[0] if known else 0) + 1
                self.heard[key] = (count, content)
                relay.state(key, content, count)
                if cut():
                    return False
            if before == (relay.seq, self.seq, upload):
                return True
        return True


def world(seed, rules):
    chance = random.Random(seed)
    relay = Relay()
    devices = [Device(n, rules) for n in "ABC"[: chance.choice([2, 3])]]
    now = 0
    cut = lambda: chance.random() < 0.06
    for _ in range(chance.randint(6, 24)):
        kind = chance.choice(["write", "write", "visit", "visit", "visit", "visit", "lose", "hide", "false", "wait"])
        d = chance.choice(devices)
        if kind == "write":
            d.write()
        elif kind == "visit":
            d.visit(relay, now, cut)
        elif kind == "lose" and relay.versions:
            del relay.versions[chance.choice(sorted(relay.versions))]
        elif kind == "hide" and relay.versions:
            relay.hidden.add(chance.choice(sorted(relay.versions)))
        elif kind == "false":
            author = chance.choice(devices)
            key = (d.name, author.name)
            if author is not d:
                top = author.entry(author.name)[1] + chance.randint(1, 3)
                relay.state(key, (top, top, None), relay.rows.get(key, (0, 0))[1] + 1)
        now += chance.choice([0, 0, 1, DAY]) if kind == "wait" else 0
    relay.hidden.clear()
    never = lambda: False
    for _ in range(26):
        now += DAY
        before = (relay.seq, [d.seq for d in devices], [d.wholes for d in devices])
        for d in devices:
            d.visit(relay, now, never)
    # What no device holds any more, nobody can give back; the rest everybody has.
    wanted = {w for d in devices for w in d.held}
    for d in devices:
        if set(d.held) != wanted:
            return f"{d.name} lacks {sorted(wanted - set(d.held))}"
    if before != (relay.seq, [d.seq for d in devices], [d.wholes for d in devices]):
        return "never at rest"
    return None


def costs(rules):
    """Readings from the start, and uploads, of 30 days with a visit each quarter of an hour, while one version is hidden."""
    relay = Relay()
    a, b = Device("A", rules), Device("B", rules)
    never = lambda: False
    for _ in range(5):
        a.write()
    for d in (a, b, a, b):
        d.visit(relay, 0, never)
    a.write()
    a.visit(relay, 0, never)
    relay.hidden = {("A", 6)}
    b.wholes = 0
    for now in range(30 * DAY):
        b.visit(relay, now, never)
        a.visit(relay, now, never)
        if "once" not in rules:
            a.heard = {}
            a.read = 0  # a relay that repeats the request
    return b.wholes, a.uploads


def healsAfterCut(rules):
    """Whether a version that was lost is there again at the next visits, if the upload of it was cut short."""
    relay = Relay()
    a, b = Device("A", rules), Device("B", rules)
    never = lambda: False
    a.write()
    for d in (a, b, a):
        d.visit(relay, 0, never)
    a.write()
    a.visit(relay, 0, never)
    del relay.versions["A", 2]
    for _ in range(2):
        b.visit(relay, 0, never)
    a.visit(relay, 0, lambda: True)
    for d in (a, b):
        d.visit(relay, 0, never)
    return ("A", 2) in b.held


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    broken = [(s, why) for s in range(count) if (why := world(s, RULES))]
    print(f"the rules: {count} worlds, {len(broken)} broken", broken[:2])
    wholes, uploads = costs(RULES)
    print(f"a version hidden for 30 days: {wholes} readings from the start, {uploads} uploads")
    failed = bool(broken) or wholes > 45 or uploads > 4
    for rule, meaning in [
        ("again", "what is hidden no more is not read again"),
        ("request", "who misses something does not ask for it"),
        ("answer", "who has it does not upload it again"),
    ]:
        found = [s for s in range(count) if world(s, RULES - {rule})]
        print(f"without {rule} ({meaning}): {len(found)} broken, first {found[:1]}")
        failed = failed or not found
    for rule, meaning in [
        ("bookmark", "a reading from the start in vain is not remembered"),
        ("wait", "the relay is read again at each visit"),
        ("once", "a request is answered each time that it comes"),
    ]:
        more = costs(RULES - {rule})
        print(f"without {rule} ({meaning}): {more[0]} readings from the start, {more[1]} uploads")
        failed = failed or more[0] <= 45 and more[1] <= 4
    cuts = healsAfterCut(RULES), healsAfterCut(RULES - {"unmark"})
    print(f"an upload that was cut short goes on at the next visit: {cuts[0]}; without unmark: {cuts[1]}")
    sys.exit(1 if failed or cuts != (True, False) else 0)


if __name__ == "__main__":
    main()
