"""Devices: many in each process of `crowd`, and a few that are the program itself."""

import json
import os
import queue
import subprocess
import threading
import time

from processes import Kept

DEVICES_PER_PROCESS = 100
SPACE_SIZES = (12, 8, 5, 5, 4, 3, 3, 2)
FIRST_FIELD = 3
ANSWER_SECONDS_MAX = 300


class Plan:
    """Which device is in which space."""

    def __init__(self, count):
        self.spaces = []
        self.lines = []
        while len(self.lines) < count:
            size = min(SPACE_SIZES[len(self.spaces) % len(SPACE_SIZES)], count - len(self.lines))
            space = len(self.spaces)
            self.spaces.append(list(range(len(self.lines), len(self.lines) + size)))
            self.lines += [(device, space, FIRST_FIELD + index) for index, device in enumerate(self.spaces[-1])]
        self.space = {device: space for device, space, _ in self.lines}
        self.field = {device: field for device, _, field in self.lines}

    def parts(self, chance):
        """The lines for each process: devices of a space are mostly in different ones."""
        lines = list(self.lines)
        chance.shuffle(lines)
        count = -(-len(lines) // DEVICES_PER_PROCESS)
        return [sorted(lines[index::count]) for index in range(count)]


class Crowd(Kept):
    """One process with many devices, which answers orders."""

    def __init__(self, folder, number, lines, program, seed, rate, relays):
        super().__init__("crowd {}".format(number))
        self.folder, self.number, self.lines = folder, number, lines
        self.words = [program, folder, str(number), str(seed), str(rate), *relays]
        self.log = os.path.join(folder, "log-crowd-{}".format(number))
        self.crashes = []
        with open(os.path.join(folder, "plan-{}".format(number)), "w") as file:
            file.writelines("{} {} {}\n".format(*line) for line in lines)
        self.answers = queue.Queue()

    def command(self):
        self.answers = queue.Queue()
        return self.words, dict(
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(self.log, "a"), text=True,
            env=dict(os.environ, SWIFT_BACKTRACE="enable=no"))

    def tend(self):
        was_running = self.is_running
        if super().tend() and not was_running:
            threading.Thread(target=self.listen, args=(self.process, self.answers), daemon=True).start()
        return self.is_running

    @staticmethod
    def listen(process, answers):
        for line in process.stdout:
            try:
                answers.put(json.loads(line))
            except ValueError:
                pass
        answers.put(None)

    def ended_by_itself(self, code):
        self.crashes.append(code)
        self.not_before = time.monotonic() + 1

    def order(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def answer(self, name, seconds=ANSWER_SECONDS_MAX):
        """The next answer with that name."""
        deadline = time.monotonic() + seconds
        while True:
            found = self.answers.get(timeout=max(0.01, deadline - time.monotonic()))
            if found is None:
                raise RuntimeError("{} has ended; see {}".format(self.name, self.log))
            if name in found or (name == "stats" and "ready" not in found):
                return found
