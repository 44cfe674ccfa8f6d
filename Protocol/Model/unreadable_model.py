#!/usr/bin/env python3
"""Versions at a relay that cannot be opened (page 10, rules 26 to 31): damage, forged versions, false words about them.

  python3 unreadable_model.py [WORLDS]   the rules, then each rule left out: what is then lost

A world is a few honest devices, a relay, and a member that lies: it uploads versions that nobody can open, under any clock, and
says of good versions that it cannot open them. The relay damages versions, is set back, and cuts every visit anywhere. Then
the faults end, everybody visits a few rounds, and each device must hold every honest write; the last round must change nothing.
Exit code 1: the rules broke, or a rule that was left out was not missed.
"""
import random
import sys
from dataclasses import dataclass, field, replace

RULES = {"tell", "mark", "again", "retell", "forget", "said"}


def covers(one, other):
    return all(one.get(i, 0) >= n for i, n in other.items())


def join(one, other):
    return {i: max(one.get(i, 0), other.get(i, 0)) for i in set(one) | set(other)}


@dataclass
class Version:
    seq: int
    clock: dict
    body: object  # ("good", clock as a tuple) if it can be opened
    marked: int = 0          # the number under which a device said that it cannot open it
    said: object = None      # of which bytes: they may rot after that
    known: object = None     # its mark as the relay last read it; no other is looked for

    def opens(self):
        return self.body == good(self.clock)

    def mark(self):
        return (tuple(sorted(self.clock.items())), self.body)


def good(clock):
    return ("good", tuple(sorted(clock.items())))


class Relay:
    def __init__(self, rules):
        self.rules, self.seq, self.epoch, self.versions, self.uploaded = rules, 0, 0, {}, {}
        self.ends = {}  # the last number of each earlier epoch

    def next(self):
        self.seq += 1
        return self.seq

    def put(self, name, clock, body):
        here = self.versions.setdefault(name, [])
        for v in here:
            if v.clock == clock and v.body == body:
                return
            if covers(v.clock, clock) and v.clock != clock and not (v.marked and "mark" in self.rules):
                return
        here[:] = [v for v in here if v.clock == clock or not covers(clock, v.clock)]
        new = Version(self.next(), dict(clock), body)
        new.known = new.mark()
        here.append(new)

    def note(self, name, mark):
        for v in self.versions.get(name, []):
            if v.known == mark:
                if v.said != mark or "said" not in self.rules:
                    if not v.marked or "said" in self.rules:
                        v.marked, v.said = self.next(), mark
                return True
        return False

    def copy(self):
        return (self.seq, self.epoch, {n: [replace(v) for v in vs] for n, vs in self.versions.items()},
                dict(self.uploaded))

    def restore(self, copy, epoch):
        self.ends[self.epoch] = min(self.seq, copy[0])
        for old in self.ends:
            self.ends[old] = min(self.ends[old], copy[0])
        self.seq, _, versions, self.uploaded = copy[0], 0, copy[2], dict(copy[3])
        self.versions = {n: [replace(v) for v in vs] for n, vs in versions.items()}
        self.epoch = epoch


@dataclass
class Device:
    name: str
    rules: set
    held: dict = field(default_factory=dict)      # record -> clock (what it holds is all of it)
    moved: dict = field(default_factory=dict)     # record -> own sequence
    seq: int = 0
    counter: int = 0
    read: tuple = (0, 0)                          # epoch, number
    sent: int = 0
    bad: dict = field(default_factory=dict)       # (record, mark) -> whether the relay said that it has it

    def touch(self, name):
        self.seq += 1
        self.moved[name] = self.seq

    def write(self, name):
        self.counter += 1
        self.held[name] = join(self.held.get(name, {}), {self.name: self.counter})
        self.touch(name)

    def visit(self, relay, cut, alters=None):
        """One session; `cut()` says whether the link breaks now; `alters(v)` is what a relay sends in place of a body."""
        epoch, number = self.read
        start = number if epoch == relay.epoch else min(number, relay.ends.get(epoch, 0))
        if start < number and "retell" in self.rules:
            self.bad = {key: False for key in self.bad}
        upload = min(self.sent, relay.uploaded.get(self.name, 0))
        for _ in range(20):
            before = (relay.seq, self.seq, start, upload)
            # Versions and words on them in the order of their numbers; read so far is stored with each.
            stream = []
            for name, versions in relay.versions.items():
                for v in versions:
                    if v.seq > start:
                        v.known = v.mark()
                    stream.append((v.seq, name, v, False))
                    if v.marked and (v.said == v.known or "said" not in self.rules):
                        stream.append((v.marked, name, v, True))
            for number, name, v, isWord in sorted(stream, key=lambda item: item[0]):
                if number <= start:
                    continue
                if isWord:
                    self.hear(name, v.known)
                else:
                    body = alters(v) if alters else v.body
                    if body == good(v.clock):
                        merged = join(self.held.get(name, {}), v.clock)
                        if merged != self.held.get(name):
                            self.held[name] = merged
                            self.touch(name)
                    else:
                        self.bad.setdefault((name, Version(0, v.clock, body).mark()), False)
                start = number
                self.read = (relay.epoch, start)
                if cut():
                    return
            start = relay.seq
            self.read = (relay.epoch, start)
            if "tell" in self.rules:
                for (name, mark), isKept in list(self.bad.items()):
                    if isKept:
                        continue
                    if relay.note(name, mark):
                        if cut():
                            return
                        self.bad[name, mark] = True
                        self.hear(name, mark)
                    elif "forget" in self.rules:
                        del self.bad[name, mark]
                        self.read, start = (relay.epoch, 0), 0
            for name in sorted(self.moved, key=self.moved.get):
                if self.moved[name] > upload:
                    relay.put(name, self.held[name], good(self.held[name]))
                    upload = self.moved[name]
                    if cut():
                        return
            relay.uploaded[self.name] = self.sent = upload
            if before == (relay.seq, self.seq, start, upload):
                return

    def hear(self, name, mark):
        """The relay has a version that cannot be opened: what is here is uploaded again, unless it is that very version."""
        if "again" in self.rules and name in self.held:
            if mark != (tuple(sorted(self.held[name].items())), good(self.held[name])):
                self.touch(name)


def world(seed, rules):
    chance = random.Random(seed)
    relay = Relay(rules)
    devices = [Device(n, rules) for n in "AB"[: chance.choice([2, 2, 2])] + chance.choice(["", "C"])]
    names, copies = ["x", "y"], []
    hasAltered = False
    cut = lambda: chance.random() < 0.08
    for step in range(chance.randint(4, 16)):
        kind = chance.choice(["write", "write", "visit", "visit", "visit", "rot", "forge", "false", "copy", "back", "alter"])
        d = chance.choice(devices)
        name = chance.choice(names)
        versions = relay.versions.get(name, [])
        if kind == "write":
            d.write(name)
        elif kind == "visit":
            d.visit(relay, cut)
        elif kind == "alter":
            d.visit(relay, cut, lambda v: ("altered", step) if chance.random() < 0.5 else v.body)
        elif kind == "rot" and versions:
            chance.choice(versions).body = ("rot", step)
        elif kind == "forge":
            ids = chance.sample([e.name for e in devices] + ["M"], 2)
            clock = {i: chance.randint(1, 6) for i in ids}
            if versions and chance.random() < 0.6:
                clock = join(chance.choice(versions).clock, clock if chance.random() < 0.5 else {})
            relay.put(name, clock, ("forged", step))
        elif kind == "false" and versions:
            relay.note(name, chance.choice(versions).known)
        elif kind == "copy":
            copies.append(relay.copy())
        elif kind == "back" and copies:
            relay.restore(chance.choice(copies), step + 1)
    never = lambda: False
    for _ in range(5):
        before = (relay.seq, [d.seq for d in devices])
        for d in devices:
            d.visit(relay, never)
    wanted = {}
    for d in devices:
        for name, clock in d.held.items():
            wanted[name] = join(wanted.get(name, {}), clock)
    for d in devices:
        for name, clock in wanted.items():
            if d.held.get(name, {}) != clock:
                return f"{d.name} lacks {name} {clock}, has {d.held.get(name)}"
    if before != (relay.seq, [d.seq for d in devices]):
        return "never at rest"
    return None


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    broken = [(s, why) for s in range(count) if (why := world(s, RULES))]
    print(f"the rules: {count} worlds, {len(broken)} broken", broken[:2])
    failed = bool(broken)
    for rule, meaning in [
        ("tell", "a device does not name what it could not open"),
        ("mark", "a version that could not be opened still covers others"),
        ("again", "who has the record does not upload it again"),
        ("said", "a version that rots after a false word on it keeps that word"),
        ("retell", "a relay that was set back is not told again"),
        ("forget", "what the relay does not have is remembered all the same"),
    ]:
        found = [s for s in range(count) if world(s, RULES - {rule})]
        print(f"without {rule} ({meaning}): {len(found)} broken, first {found[:1]}")
        failed = failed or not found
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
