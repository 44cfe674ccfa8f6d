"""What has to be so in the end: no acknowledged write lost, all devices of a space equal, no word of the database told."""

import collections
import glob
import os
import re

SHARED_FIELD = 2
EXAMPLES_MAX = 5

# What a device must never be told: the database, its language, its codes (without ports, which are numbers as well).
SECRETS = re.compile(
    r"sql|postgres|libpq|\bpg_|tandem_relay|socket-[ab]\b|\brelation\b|\bbackend\b|server closed the connection|terminating connection"
    r"|recovery mode|FATAL:|PANIC|\b(SELECT|INSERT|UPDATE|DELETE|BEGIN|COMMIT|ROLLBACK)\b|(?<![:\w-])(08|25|40|42|53|55|57|58|XX)[0-9P][0-9A-Z]{2}\b")
PORT = re.compile(r":\d{2,5}\b")


def told_secrets(paths):
    """Lines in files that tell of the database."""
    found = []
    for path in paths:
        with open(path, errors="replace") as file:
            for line in file:
                if SECRETS.search(PORT.sub("", line)):
                    found.append("{}: {}".format(os.path.basename(path), line.strip()[:300]))
    return found


class Expected:
    """What the lists of writes say about each record."""

    def __init__(self, folder, plan):
        self.plan = plan
        # By the record: who made it, and how sure each write is.
        self.makers = {}
        self.deleted, self.maybe_deleted = set(), set()
        self.own = collections.defaultdict(lambda: [0, 0])
        self.shared = collections.defaultdict(set)
        self.acknowledged_count = 0
        ended, begun = set(), []
        for path in sorted(glob.glob(os.path.join(folder, "written-*"))):
            with open(path) as file:
                for line in file:
                    words = line.split()
                    if len(words) != 5 or not line.endswith("\n"):
                        continue
                    write = (int(words[1]), int(words[2]), words[3], words[4])
                    if words[0] == "!":
                        ended.add(write)
                    else:
                        begun.append(write)
        self.acknowledged_count = len(ended)
        for write in begun:
            self.take(write, write in ended)

    def take(self, write, is_acknowledged):
        device, number, kind, record = write
        text = "{}.{}".format(device, number)
        if kind == "i":
            self.makers[record] = (device, is_acknowledged)
        if kind in "is":
            self.shared[record].add(text)
        if kind in "io":
            # The least that must be there, and the most that may be.
            range_ = self.own[record, device]
            range_[1] = max(range_[1], number)
            if is_acknowledged:
                range_[0] = max(range_[0], number)
        if kind == "d":
            (self.deleted if is_acknowledged else self.maybe_deleted).add(record)

    def findings(self, space, lines):
        """What is wrong with what a device of a space has."""
        found = []
        seen = {}
        for line in lines:
            words = line.split()
            seen[words[0]] = (words[1], dict(word.split("=", 1) for word in words[2:]))
        wanted = {record for record, (device, is_acknowledged) in self.makers.items()
                  if is_acknowledged and self.plan.space[device] == space}
        for record in sorted(wanted - set(seen)):
            found.append("record {} of device {} is lost".format(record, self.makers[record][0]))
        for record, (state, fields) in seen.items():
            if record not in self.makers:
                found.append("record {} was never made".format(record))
                continue
            if record in self.deleted and state == "live":
                found.append("record {} is deleted, and shown".format(record))
            if state != "live":
                if record not in self.deleted and record not in self.maybe_deleted:
                    found.append("record {} is {}, and nobody deleted it".format(record, state))
                continue
            if fields.get(str(SHARED_FIELD)) not in self.shared[record]:
                found.append("record {} has a title that nobody wrote: {}".format(record, fields.get(str(SHARED_FIELD))))
            for device in self.plan.spaces[space]:
                least, most = self.own.get((record, device), (0, 0))
                text = fields.get(str(self.plan.field[device]), "{}.0".format(device))
                owner, number = map(int, text.split("."))
                if owner != device or not least <= number <= most:
                    found.append("record {}: write {} of device {} is not there, but {}".format(record, least, device, text))
        return found
