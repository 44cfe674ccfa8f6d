#!/usr/bin/env python3
"""How a relay on PostgreSQL grows: the tables of docs/scale.md, computed from figures that were measured and from assumptions.

Usage: scale.py [tables | simulate [SECONDS]]
  tables     the tables of the page, in its order (the default)
  simulate   the queue of uploads before one process that commits them one by one, for so many seconds of a made-up clock
"""

import random
import sys

DEVICES = (1_000, 100_000, 10_000_000)

# Measured with this program, on a machine with 2 cores: docs/performance.md. Of a span the end that costs more.
SESSION_BYTES = 23 * 1024           # an idle session
PING_CORES = 0.07 / 10_000          # of a core, for the pings of one
COMMITS_A_SECOND = 680              # of one process, each of one version
DISK_BYTES = 552                    # of a version of 200 bytes, with its indexes
LOG_BYTES = 930                     # that the database logs for a commit of one
SESSIONS_MAX = 20_000               # of one process, as it is set at the start
SPACES_MAX = 10_000                 # of a relay, as it is set at the start
CONNECTIONS_OF_PROCESS = 4 + 2      # to the database: `store-connections`, notices, counts and mailboxes
DATABASE_CONNECTIONS = 100 - 3      # PostgreSQL's own default, without those for its owner

# Assumed. Put in what is known, and run it again.
DEVICES_A_SPACE = 3
VERSIONS_A_SPACE = 1_000            # to-dos that are kept, each in one version
EDITS_A_DAY = 20                    # of one device
PEAK = 4                            # the busiest second over the average one
CONNECTED = 0.4                     # of all devices, at the busiest time
CORE_PRICE = 20                     # a month, as of any currency
MEMORY_PRICE = 3                    # a GiB and month
DISK_PRICE = 0.10                   # a GiB and month
GIB = 1 << 30


def up(number):
    """The next whole number."""
    return int(-(-number // 1))


def sizes(devices):
    """All that follows from a number of devices."""
    spaces = devices / DEVICES_A_SPACE
    sessions = devices * CONNECTED
    commits = devices * EDITS_A_DAY / 86_400 * PEAK
    processes = max(up(sessions / SESSIONS_MAX), up(commits / COMMITS_A_SECOND))
    disk = spaces * VERSIONS_A_SPACE * DISK_BYTES
    memory = sessions * SESSION_BYTES
    databases = max(
        up(processes * CONNECTIONS_OF_PROCESS / DATABASE_CONNECTIONS),
        up(commits / (COMMITS_A_SECOND * DATABASE_CONNECTIONS // CONNECTIONS_OF_PROCESS)))
    # A core for the commits that a process could do, one more for each database.
    cores = sessions * PING_CORES + commits / COMMITS_A_SECOND + databases
    # The disk twice: a standby has a copy.
    cost = cores * CORE_PRICE + memory / GIB * MEMORY_PRICE + 2 * disk / GIB * DISK_PRICE
    return {
        "spaces": spaces, "sessions": sessions, "commits": commits, "processes": processes,
        "disk": disk, "memory": memory, "databases": databases, "cores": cores, "cost": cost,
        "pushes": commits * (DEVICES_A_SPACE - 1) * CONNECTED, "log": commits * LOG_BYTES,
    }


def count(number):
    """A number in two figures, or whole."""
    if number < 10:
        return "{:.2g}".format(number)
    digits = len(str(int(number)))
    return "{:,}".format(int(round(number, 2 - digits)))


def amount(byte_count):
    """Bytes in the unit that suits them."""
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if byte_count < 1024 or unit == "TiB":
            return "{} {}".format(count(byte_count), unit)
        byte_count /= 1024


ROWS = (
    ("spaces", "spaces", count),
    ("connections at the busiest time", "sessions", count),
    ("memory of these", "memory", amount),
    ("commits a second at the busiest time", "commits", count),
    ("pushes a second then", "pushes", count),
    ("bytes that the database logs a second then", "log", amount),
    ("bytes on its disk", "disk", amount),
    ("processes", "processes", count),
    ("databases", "databases", count),
    ("cores", "cores", count),
    ("cost a month", "cost", count),
)


def growth():
    found = [sizes(devices) for devices in DEVICES]
    yield "| | " + " | ".join("{:,} devices".format(devices) for devices in DEVICES) + " |"
    yield "|---" * (len(DEVICES) + 1) + "|"
    for name, key, show in ROWS:
        yield "| {} | {} |".format(name, " | ".join(show(one[key]) for one in found))


def limits():
    """Each limit with the number of devices at which it is met, the first one first."""
    one = sizes(1_000_000)
    each = {key: value / 1_000_000 for key, value in one.items()}
    process_max = DATABASE_CONNECTIONS // CONNECTIONS_OF_PROCESS
    found = [
        (SPACES_MAX / each["spaces"], "`spaces` = 10,000", "raise the setting"),
        (SESSIONS_MAX / each["sessions"], "`connections` = 20,000 of one process", "a second process"),
        (COMMITS_A_SECOND / each["commits"], "the commits of one process", "a second process"),
        (process_max * SESSIONS_MAX / each["sessions"],
         "the connections to one database, by {} processes".format(process_max),
         "raise `max_connections`, or a second database"),
        (process_max * COMMITS_A_SECOND / each["commits"],
         "the commits of {} processes, if the database takes as many".format(process_max),
         "a second database"),
    ]
    yield "| limit | met at | then |"
    yield "|---|---|---|"
    for devices, name, then in sorted(found):
        yield "| {} | {} devices | {} |".format(name, count(devices), then)


def waits(seconds, seed=1):
    """Median and 99th percentile of the wait for a commit, for shares of what a process can do: milliseconds."""
    service = 1 / COMMITS_A_SECOND
    for share in (0.1, 0.5, 0.8, 0.95):
        chance, time, free, found = random.Random(seed), 0.0, 0.0, []
        while time < seconds:
            time += chance.expovariate(share * COMMITS_A_SECOND)
            start = max(time, free)
            free = start + service
            found.append((free - time) * 1000)
        found.sort()
        yield share, found[len(found) // 2], found[len(found) * 99 // 100]


def queue(seconds=60):
    yield "| share of {} commits a second | median | 99th percentile |".format(COMMITS_A_SECOND)
    yield "|---|---|---|"
    for share, median, most in waits(seconds):
        yield "| {:.0%} | {:.1f} ms | {:.1f} ms |".format(share, median, most)


def main(words):
    if words[:1] == ["simulate"] and len(words) <= 2:
        tables = [queue(float(words[1]) if len(words) > 1 else 60)]
    elif words in ([], ["tables"]):
        tables = [growth(), limits(), queue()]
    else:
        sys.exit(__doc__)
    print("\n\n".join("\n".join(table) for table in tables))


if __name__ == "__main__":
    main(sys.argv[1:])
