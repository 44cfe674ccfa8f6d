"""Numbers of to-dos: two terminals, a status bar and a daemon act on one store, and no command meets another to-do.

TANDEM_NUMBER_COMMANDS is how many random commands run, TANDEM_NUMBER_SEED which; CI runs 400, by hand 10,000 were run.
"""

import fcntl
import json
import os
import pty
import random
import re
import select
import subprocess
import sys
import termios
import time
import unittest
from collections import Counter

from relay_case import RelayTestCase
from tandem_process import BINARY, COMMAND_SECONDS_MAX, NOTHING, OK, REFUSED, USAGE

COMMAND_COUNT = int(os.environ.get("TANDEM_NUMBER_COMMANDS", "400"))
SEED = int(os.environ.get("TANDEM_NUMBER_SEED", "20261123"))
SYNC_EVERY = 20
DAEMON_SECONDS_MAX = 30
# Reads one command a line, runs it in this session, and answers with a line.
SHELL = """
import json, subprocess, sys
for line in sys.stdin:
    done = subprocess.run(json.loads(line), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""
LISTED = re.compile(r"^(?:Added|\s*(?=\d))\s*(\d+)(?! to-do)[: ].*?(todo-\d+-)", re.MULTILINE)


class Terminal:
    """A session with a terminal of its own, in which commands run one after another."""

    def __init__(self, device):
        self.main, side = pty.openpty()

        def take():
            fcntl.ioctl(side, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [sys.executable, "-c", SHELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=device.environment(), start_new_session=True, preexec_fn=take, pass_fds=(side,))
        os.close(side)
        self.shown = {}

    def run(self, *words):
        """The exit code, output and errors of a command."""
        self.process.stdin.write(json.dumps([BINARY, *words]) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], COMMAND_SECONDS_MAX)[0]:
            raise AssertionError("no answer to {}".format(words))
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=COMMAND_SECONDS_MAX)
        self.process.stdout.close()
        os.close(self.main)


TITLE = re.compile(r"todo-\d+-")
SERIES = ("due:2026-01-05", "repeat:weekly")


class NumberTests(RelayTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.paired()
        self.random = random.Random(SEED)
        self.count = 0
        self.met = Counter()
        self.refused = Counter()

    def daemon(self):
        """The laptop's daemon: what the phone uploads arrives between, or while, commands run."""
        daemon = self.laptop.start("daemon")

        def end():
            daemon.terminate()
            daemon.communicate(timeout=DAEMON_SECONDS_MAX)
        self.addCleanup(end)
        deadline = time.monotonic() + DAEMON_SECONDS_MAX
        while not self.laptop.status()["daemon"]:
            self.assertLess(time.monotonic(), deadline, "no daemon came up")
            time.sleep(0.05)
        return daemon

    def terminal(self):
        terminal = Terminal(self.laptop)
        self.addCleanup(terminal.end)
        return terminal

    def title(self):
        self.count += 1
        return "todo-{}-".format(self.count)

    def add(self, terminal):
        title = self.title()
        code, output, _ = terminal.run(
            "add", title, *self.random.choice(((), ("+errand",), ("due:tomorrow",), SERIES)))
        self.assertEqual(code, OK)
        self.remember(terminal, output)
        self.assertIn(title, terminal.shown.values(), "a number that can be used at once: " + output)

    def remember(self, terminal, output):
        for number, title in LISTED.findall(output):
            terminal.shown[int(number)] = title

    def list(self, terminal):
        words = self.random.choice((("list",), ("today",), ("list", "+errand"), ("list", "--limit", "5"), ("list", "--all")))
        code, output, _ = terminal.run(*words)
        self.assertIn(code, (OK, NOTHING))
        self.remember(terminal, output)

    def take_back(self, terminal):
        """What is undone is named by no number: the command has to end well, and numbers stay as they are."""
        words = self.random.choice((("undo",), ("undo",), ("redo",), ("catchup", "--yes")))
        code, output, errors = terminal.run(*words)
        self.assertIn(code, (OK, NOTHING, USAGE, REFUSED), (words, output, errors))
        self.met[words[0]] += code == OK
        self.remember(terminal, output)

    def act(self, terminal):
        """Does something to what this terminal was shown: those to-dos are met, or the command refuses."""
        if not terminal.shown:
            return
        number = self.random.choice(sorted(terminal.shown))
        title = terminal.shown[number]
        chance = self.random.random()
        if chance < 0.15:
            last = number + self.random.randrange(1, 5)
            name, kind = "{}-{}".format(number, last), "range"
            meant = {terminal.shown[found] for found in range(number, last + 1) if found in terminal.shown}
        elif chance < 0.25:
            name, kind, meant = title, "title", {title}
        else:
            name, kind, meant = str(number), "number", {title}
        verb = self.random.choice((
            ("done",), ("done",), ("cancel",), ("reopen",), ("delete", "--yes"), ("show",), ("skip",), ("catchup",),
            ("start",), ("edit", "priority:high"), ("edit", "+errand")))
        words = (verb[0], name) + verb[1:]
        code, output, errors = terminal.run(*words)
        self.assertIn(code, (OK, NOTHING, USAGE, REFUSED), (words, output, errors))
        # Of two, one alone runs: `start` names the one that it stops.
        told = set(TITLE.findall(re.sub(r"^Stopped: .*\n", "", output, flags=re.MULTILINE) if verb[0] == "start" else output))
        if code == OK:
            self.met["{} by {}".format(verb[0], kind)] += 1
            if kind == "range":
                self.assertTrue(told and told <= meant, (words, meant, output, errors))
            else:
                self.assertEqual(told, meant, (words, output, errors))
        else:
            self.refused[code] += 1
            self.assertEqual(told, set(), (words, errors))
        # The occurrence that follows is named with a number of its own.
        self.remember(terminal, output)

    def test_numbers_with_a_comma_and_a_blank_between_them_are_all_meant(self):
        device = self.device("commas")
        device.init()
        for title in "abcdef":
            device.add(title)
        device.run("list")
        device.run("done", "1,", "2")
        device.run("done", "3", ",4")
        device.run("done", "5,", "6,", "--json")
        self.assertEqual([], [todo for todo in device.live() if todo["status"] == "pending"])
        last = device.add("g")
        self.assertIn("tandem edit 3,4 due", device.run("edit", "3,", "4", codes=(USAGE, NOTHING)).errors)
        device.run("done", last)

    def test_no_command_meets_another_to_do_than_its_terminal_showed_with_the_number(self):
        first, second, bar = self.terminal(), self.terminal(), self.terminal()
        for _ in range(8):
            self.add(first)
        daemon = self.daemon()
        started = time.monotonic()
        for step in range(COMMAND_COUNT):
            if step % SYNC_EVERY == SYNC_EVERY - 1:
                self.change_elsewhere()
            terminal = self.random.choice((first, first, second, second, bar))
            choice = self.random.random()
            if terminal is bar or choice < 0.25:
                self.list(terminal)
            elif choice < 0.40:
                self.add(terminal)
            elif choice < 0.47:
                self.take_back(terminal)
            else:
                self.act(terminal)
        self.assertIsNone(daemon.poll(), "the daemon runs to the end")
        self.report("{} commands in {:.0f} s, seed {}: met {}; refused {}".format(
            COMMAND_COUNT, time.monotonic() - started, SEED, dict(sorted(self.met.items())), dict(self.refused)))
        self.assertGreater(sum(self.met.values()), COMMAND_COUNT // 5)

    def change_elsewhere(self):
        """The other device finishes, reopens, deletes or adds, and uploads that; the daemon takes it in at some time."""
        self.phone.run("sync")
        listed = self.phone.run("list", "--all", "--json", codes=(OK, NOTHING)).values()
        for _ in range(2):
            if listed:
                verb = self.random.choice((("done",), ("reopen",), ("delete", "--yes")))
                self.phone.run(verb[0], self.random.choice(listed)["id"], *verb[1:], codes=(OK, NOTHING, REFUSED))
        self.phone.run("add", self.title())
        self.phone.run("sync")


if __name__ == "__main__":
    unittest.main()
