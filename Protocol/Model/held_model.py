#!/usr/bin/env python3
"""Held deletes of which one device's answer ends the question of all (page 5, Held deletes; page 11, field 13).

  python3 held_model.py [WORLDS]   the rules, then each rule left out: what then goes wrong

A world is a few devices with the same to-dos, a relay, and a phone that deletes on a great scale, in one go or bit by bit. Devices
meet each other or the relay in any order, in batches of any size, cut anywhere; a device whose batch would delete too much holds
it until a person answers there. The phone may be a thief's: it writes into its own record and into others' that its deletes are
accepted, and a second device may be revoked. Then the faults end and everybody meets a few rounds. Judged:

  sound   a device deletes more than the free number at once only if a person was asked on some device and took these deletes
  word    once a device that is not revoked has taken all of them at a person's word, no device asks any more

Exit code 1: the rules broke, or a rule that was left out was not missed.
"""
import random
import sys

FREE = 1
RULES = {"others", "own record", "here", "taken", "behind", "revoked"}
LEFT_OUT = {
    "others": "a device accepts its own deletes",
    "own record": "what anybody wrote into a device's record counts",
    "here": "it is told when the person says yes, up to the highest counter that is heard of",
    "taken": "it is told of all that is here of that replica, whatever was asked about",
    "behind": "records of devices behind held deletes wait as well",
    "revoked": "a revoked device's word counts",
}


class Device:
    def __init__(self, name, todos):
        self.name, self.alive, self.log, self.has = name, set(todos), [], set()
        self.heard = 0        # the highest counter of the phone that was heard of
        self.asked = None     # the deletes that a person is asked about
        self.yes = None       # those that a person has taken
        self.done = 0         # the highest counter of deletes that a person took here and that are all here
        self.taken = set()    # those of them that have come
        self.pending = set()  # taken deletes of which the others are to be told once all of them are here
        self.counted = set()  # deletes taken unasked and not yet brought to an end
        self.number = 0

    def write(self, kind, value, about=None):
        self.number += 1
        self.put((self.name, self.number, kind, about or self.name, value))

    def put(self, item):
        self.has.add(item[:2])
        self.log.append(item)


class World:
    def __init__(self, rules, seed):
        self.rules, self.random = rules, random.Random(seed)
        names = ["phone", "laptop", "tablet", "desk"][: self.random.choice((3, 4))]
        todos = range(6)
        self.devices = {n: Device(n, todos) for n in names}
        self.relay = Device("relay", ())
        self.phone = self.devices["phone"]
        self.deleted = 0
        self.revoked = set()
        self.answered = set()  # deletes that a person has been asked about and has taken, or that were there then
        self.broken = None

    # What a device takes for accepted: the highest counter of the phone.
    def accepted(self, device):
        best = 0
        for author, _, kind, about, value in device.log:
            if kind != "accepts" or "revoked" in self.rules and about in self.revoked:
                continue
            if "own record" in self.rules and author != about:
                continue
            if "others" in self.rules and about == "phone":
                continue
            best = max(best, value)
        return best

    def counter(self, device):
        """Up to which counter all writes of the phone are here."""
        n = 0
        while ("phone", n + 1) in device.has:
            n += 1
        return n

    def merge(self, device, batch):
        """Takes a batch, or holds it; gives whether it was taken."""
        limit = max([self.accepted(device)] + [v for a, _, k, about, v in batch if k == "accepts" and self.counts(a, about)])
        deletes = {i[1] for i in batch if i[2] == "delete" and i[4] in device.alive}
        open_ = {c for c in deletes if c > limit}
        total = device.counted | open_
        asked_here = device.yes is not None and len(total) <= len(device.yes) + FREE
        if len(total) > FREE and not asked_here:
            device.asked = (device.asked or set()) | total
            device.heard = max([device.heard] + [i[1] for i in batch if i[0] == "phone"])
            return False
        if asked_here:
            device.taken |= deletes
            self.answered |= deletes | {c for c in range(1, self.counter(device) + 1)}
        elif (deletes - open_) - self.answered:
            self.broken = "sound: deletes %s at %s" % (sorted((deletes - open_) - self.answered), device.name)
        device.counted = total if not asked_here else device.counted
        for item in batch:
            device.put(item)
            if item[2] == "delete":
                device.alive.discard(item[4])
        return True

    def counts(self, author, about):
        return not ("own record" in self.rules and author != about or "others" in self.rules and about == "phone"
                    or "revoked" in self.rules and about in self.revoked)

    def pull(self, device, source, cut=False):
        rest = [i for i in source.log if i[:2] not in device.has]
        while rest:
            if cut and self.random.random() < 0.2:
                return
            size = self.random.randint(1, 4)
            batch, rest = rest[:size], rest[size:]
            if device is self.relay or device is self.phone:
                for item in batch:
                    device.put(item)
                continue
            if not self.merge(device, batch):
                # Of what is held, and of what comes behind it, records of devices are merged.
                for item in batch + rest if "behind" in self.rules else ():
                    if item[2] == "accepts" and not (cut and self.random.random() < 0.2):
                        device.put(item)
                self.end_questions(device)
                return
            self.end_questions(device)
        if device in (self.relay, self.phone):
            return
        # All that the source had is here: an answer is used up, what was counted is over.
        if device.yes is not None and (device.taken or self.counter(device) >= max(device.yes)):
            device.pending |= device.taken | device.yes
            device.yes, device.taken = None, set()
        if device.pending and self.counter(device) >= max(device.pending):
            value = max(device.pending) if "taken" in self.rules else self.counter(device) + 2
            device.done = max(device.done, max(device.pending))
            if "here" in self.rules:
                device.write("accepts", value)
            device.pending = set()
        device.counted = set()
        device.asked = None

    def end_questions(self, device):
        if device.asked is not None and max(device.asked) <= self.accepted(device):
            device.asked = None

    def step(self):
        r = self.random
        device = self.devices[r.choice(sorted(self.devices))]
        move = r.random()
        if move < 0.2 and self.phone.alive:
            for todo in r.sample(sorted(self.phone.alive), min(len(self.phone.alive), r.choice((1, 2, 4)))):
                self.phone.alive.discard(todo)
                self.phone.write("delete", todo)
        elif move < 0.28 and device is not self.phone and device.asked:
            device.yes, device.asked = device.asked, None
            self.answered |= device.yes
            if "here" not in self.rules:
                device.write("accepts", device.heard + 1)
        elif move < 0.31:
            # The thief says what suits it, in its own record and in others'.
            self.phone.write("accepts", 99, r.choice(("phone", device.name)))
        elif move < 0.33 and len(self.devices) == 4:
            # The desk was the thief's too.
            self.revoked.add("desk")
            self.devices["desk"].write("accepts", 99)
        elif move < 0.66:
            self.pull(self.relay, device, cut=r.random() < 0.3)
            self.pull(device, self.relay, cut=r.random() < 0.3)
        else:
            other = self.devices[r.choice(sorted(self.devices))]
            if other is not device:
                self.pull(other, device, cut=r.random() < 0.3)
                self.pull(device, other, cut=r.random() < 0.3)

    def run(self):
        for _ in range(self.random.randint(6, 30)):
            self.step()
            if self.broken:
                return self.broken
        for _ in range(7):
            for name in sorted(self.devices):
                device = self.devices[name]
                self.pull(self.relay, device)
                self.pull(device, self.relay)
                if device.asked and device.yes is not None:
                    # More has come than was shown to the person who said yes.
                    device.yes, device.asked = device.yes | device.asked, None
                    self.answered |= device.yes
                # A second session takes what the first heard the answer to; what is left to say leaves with it.
                self.pull(device, self.relay)
                self.pull(self.relay, device)
        honest = [d for d in self.devices.values() if d is not self.phone]
        last = max([i[1] for i in self.phone.log if i[2] == "delete"], default=0)
        settled = max([d.done for d in honest if d.name not in self.revoked])
        if settled >= last and any(d.asked for d in honest):
            return "word: %s still asks" % [d.name for d in honest if d.asked]
        return self.broken


def search(rules, worlds):
    found = [s for s in range(worlds) if World(rules, s).run()]
    return len(found), World(rules, found[0]).run() if found else None


def main():
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    count, why = search(RULES, worlds)
    print("the rules: %d of %d worlds broken%s" % (count, worlds, ", " + why if why else ""))
    is_well = count == 0
    for rule in sorted(RULES):
        count, why = search(RULES - {rule}, worlds // 4)
        print("without '%s' (%s): %d of %d worlds broken%s" % (rule, LEFT_OUT[rule], count, worlds // 4, ", " + why if why else ""))
        is_well = is_well and count > 0
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
