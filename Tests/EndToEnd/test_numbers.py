"""Numbers of to-dos: two terminals, a status bar and another device act on one store, and no command meets another to-do.

TANDEM_NUMBER_COMMANDS is how many random commands run; CI runs 400, by hand 10,000 were run.
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
import unittest

from tandem_process import BINARY, COMMAND_SECONDS_MAX, NOTHING, OK, REFUSED, USAGE, TandemTestCase

COMMAND_COUNT = int(os.environ.get("TANDEM_NUMBER_COMMANDS", "400"))
SYNC_EVERY = 40
# Reads one command a line, runs it in this session, and answers with a line.
SHELL = """
import json, subprocess, sys
for line in sys.stdin:
    done = subprocess.run(json.loads(line), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""
LISTED = re.compile(r"^(?:Added|\s*(?=\d))\s*(\d+)[: ].*?(todo-\d+-)", re.MULTILINE)


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


class NumberTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()
        self.random = random.Random(20261123)
        self.count = 0

    def terminal(self):
        terminal = Terminal(self.laptop)
        self.addCleanup(terminal.end)
        return terminal

    def title(self):
        self.count += 1
        return "todo-{}-".format(self.count)

    def add(self, terminal):
        title = self.title()
        code, output, _ = terminal.run("add", title, *self.random.choice(((), ("+errand",), ("due:tomorrow",))))
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

    def act(self, terminal):
        """Does something to a number that this terminal was shown: that to-do is met, or the command refuses."""
        if not terminal.shown:
            return
        number = self.random.choice(sorted(terminal.shown))
        title = terminal.shown[number]
        words = self.random.choice((
            ("done", str(number)), ("cancel", str(number)), ("reopen", str(number)),
            ("edit", str(number), "priority:high"), ("edit", str(number), "+errand"), ("delete", str(number)),
            ("show", str(number))))
        code, output, errors = terminal.run(*words)
        self.assertIn(code, (OK, NOTHING, USAGE, REFUSED), (words, output, errors))
        told = set(re.findall(r"todo-\d+-", output))
        if code == OK:
            self.assertEqual(told, {title}, (words, output, errors))
            self.met += 1
        else:
            self.assertEqual(output, "", (words, errors))

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
        self.met = 0
        with self.laptop.serve() as server:
            for step in range(COMMAND_COUNT):
                if step % SYNC_EVERY == SYNC_EVERY - 1:
                    self.phone.sync(server.address)
                    self.change_elsewhere()
                    self.phone.sync(server.address)
                terminal = self.random.choice((first, first, second, second, bar))
                choice = self.random.random()
                if terminal is bar or choice < 0.25:
                    self.list(terminal)
                elif choice < 0.45:
                    self.add(terminal)
                else:
                    self.act(terminal)
        self.assertGreater(self.met, COMMAND_COUNT // 5)

    def change_elsewhere(self):
        """The other device finishes one and adds one."""
        listed = self.phone.run("list", "--json", codes=(OK, NOTHING)).values()
        if listed:
            self.phone.run("done", self.random.choice(listed)["id"])
        self.phone.run("add", self.title())


if __name__ == "__main__":
    unittest.main()
