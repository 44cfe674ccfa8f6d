"""The faults, drawn from a seed: a deck of them is dealt again and again."""

import signal

from processes import children, send
from relays import CLOCK_SECONDS

# Of 50 faults so many are of each kind.
DECK = {
    "kill relay": 22, "kill backend": 8, "kill database": 5, "kill two relays": 3, "wrong clock": 3, "stop database": 2,
    "pause relay": 2, "pause database": 1, "promote standby": 1, "full disk": 1, "end relay": 1, "kill devices": 1,
}
# The rare ones, which every run has at least once: by the names under which they are counted.
RARE = {
    "promote standby": "promotions", "full disk": "full disks", "wrong clock": "wrong clocks", "stop database": "immediate stops",
    "pause relay": "paused relays",
}


class Faults:
    """Does one fault after the other, and counts them."""

    def __init__(self, chance, cluster, relays, crowds, keep_going):
        self.chance, self.cluster, self.relays, self.crowds = chance, cluster, relays, crowds
        # Lets everything go on for so many seconds.
        self.keep_going = keep_going
        self.deck = []
        self.kills = dict.fromkeys(("relay", "database", "backend"), 0)
        self.others = {}
        self.skipped = {}

    @property
    def kill_count(self):
        return sum(self.kills.values())

    def deal(self, left):
        """The next fault; with few kills left the rare ones come first."""
        if not self.deck:
            self.deck = [kind for kind, count in DECK.items() for _ in range(count)]
            self.chance.shuffle(self.deck)
            if left < len(self.deck) // 2:
                self.deck = [kind for kind in self.deck if kind not in RARE][:left] + list(RARE)
                self.chance.shuffle(self.deck)
        return self.deck.pop()

    def count(self, kind, number=1):
        self.others[kind] = self.others.get(kind, 0) + number

    def strike(self, left):
        kind = self.deal(left)
        getattr(self, kind.replace(" ", "_"))()
        return kind

    def missing(self):
        """The rare kinds that have not come yet, and can."""
        return [kind for kind, counted in RARE.items() if not self.others.get(counted) and kind not in self.skipped]

    def make_up(self):
        """Has the rare kinds come that have not; a standby can be promoted only once it follows."""
        for _ in range(20):
            for kind in self.missing():
                getattr(self, kind.replace(" ", "_"))()
                self.keep_going(0.5)
            if not self.missing():
                return
            if self.cluster.needs_copy:
                self.cluster.copy_standby()

    def pause(self):
        """How long something that was killed stays so: mostly not at all."""
        return self.chance.choice((0, 0, 0, 0.1, 0.3, 1, 2.5))

    # Relays

    def kill_relay(self):
        self.kills["relay"] += self.chance.choice(self.relays).kill(self.pause())

    def kill_two_relays(self):
        for relay in self.chance.sample(self.relays, 2):
            self.kills["relay"] += relay.kill(self.pause())

    def end_relay(self):
        if self.chance.choice(self.relays).end(pause=self.pause(), seconds=10) is not None:
            self.count("ended relays")

    def pause_relay(self):
        relay = self.chance.choice(self.relays)
        if relay.send_signal(signal.SIGSTOP):
            self.count("paused relays")
            # Longer than the database waits for a connection that is silent, or not.
            self.keep_going(self.chance.choice((0.2, 1, 3, 6)))
            relay.send_signal(signal.SIGCONT)

    def wrong_clock(self):
        """A relay starts again with a clock that is wrong, or right again."""
        relay = self.chance.choice(self.relays)
        if relay.clock_library is None:
            self.skipped["wrong clock"] = "there is no C compiler (cc)"
            return
        relay.clock = 0 if relay.clock else self.chance.choice(CLOCK_SECONDS)
        self.kills["relay"] += relay.kill(0)
        self.count("wrong clocks", 1 if relay.clock else 0)

    # The database

    def kill_database(self):
        node = self.cluster.primary if self.chance.random() < 0.8 else self.cluster.standby
        self.kills["database"] += node.kill(self.pause())

    def kill_backend(self):
        self.kills["backend"] += self.cluster.primary.kill_backend(self.chance)

    def stop_database(self):
        self.cluster.primary.stop_at_once(self.pause())
        self.count("immediate stops")

    def pause_database(self):
        primary = self.cluster.primary
        if primary.send_signal(signal.SIGSTOP):
            stopped = [process for process in children(primary.process.pid) if send(process, signal.SIGSTOP)]
            self.count("paused databases")
            self.keep_going(self.chance.choice((0.2, 1, 3)))
            for process in stopped:
                send(process, signal.SIGCONT)
            primary.send_signal(signal.SIGCONT)

    def promote_standby(self):
        if self.cluster.promote(self.chance, self.keep_going):
            self.kills["database"] += 1
            self.count("promotions")
        else:
            self.count("promotions put off")
            self.deck.insert(0, "promote standby")

    def full_disk(self):
        free = self.cluster.primary.fill()
        self.count("full disks")
        self.keep_going(self.chance.choice((0.5, 1, 3)))
        free()

    # Devices

    def kill_devices(self):
        """Their writes are on their disks: what was acknowledged is there after the next start."""
        if self.chance.choice(self.crowds).kill(self.pause()):
            self.count("killed device processes")
