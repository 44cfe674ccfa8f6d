"""Numbers of to-dos: two terminals, a status bar and a daemon act on one store, and no command meets another to-do.

What a command did is read from the store, and not from what it says. Days pass, so that numbers get other owners; and
now and then two to-dos have each other's number, as where the file of numbers came back from a copy.

TANDEM_NUMBER_COMMANDS is how many random commands run, TANDEM_NUMBER_SEED which; CI runs 1,000, by hand 10,000 were run.
"""

import fcntl
import json
import os
import pty
import random
import re
import select
import sqlite3
import subprocess
import sys
import termios
import time
import unittest
from collections import Counter

from relay_case import RelayTestCase
from tandem_process import BINARY, COMMAND_SECONDS_MAX, NOTHING, OK, REFUSED, USAGE

COMMAND_COUNT = int(os.environ.get("TANDEM_NUMBER_COMMANDS", "1000"))
SEED = int(os.environ.get("TANDEM_NUMBER_SEED", "20261123"))
SYNC_EVERY = 20
DAY_EVERY = 10
SWAP_EVERY = 50
DAY_MILLISECONDS = 86_400_000
# A number stays what a terminal was shown for the last 1,000; some are shown in other ways than in a list.
SHOWN_COUNT_MAX = 900
# The priority in the store.
HIGH = 3
DAEMON_SECONDS_MAX = 30
# Reads one command a line, runs it in this session, and answers with a line.
SHELL = """
import json, subprocess, sys
for line in sys.stdin:
    done = subprocess.run(json.loads(line), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)
"""
LISTED = re.compile(r"^(?:Added|\s*(?=\d))\s*(\d+)(?! to-do)[: ].*?(todo-\d+-)", re.MULTILINE)
# The next occurrence, which stands with its number behind the title.
NEXT = re.compile(r"^ +next.*?: (todo-\d+-) \((\d+)\)", re.MULTILINE)


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
        # What numbers were shown for: those shown last, and all.
        self.shown, self.ever_shown = {}, {}

    def run(self, *words):
        """The exit code, output and errors of a command."""
        self.process.stdin.write(json.dumps([BINARY, *words]) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], COMMAND_SECONDS_MAX)[0]:
            raise AssertionError("no answer to {}".format(words))
        return json.loads(self.process.stdout.readline())

    def show(self, number, owner):
        """Notes what a number was shown for; of the numbers shown long ago the program promises nothing."""
        self.shown.pop(number, None)
        self.shown[number] = self.ever_shown[number] = owner
        for old in list(self.shown)[:-SHOWN_COUNT_MAX]:
            del self.shown[old]

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=COMMAND_SECONDS_MAX)
        self.process.stdout.close()
        os.close(self.main)


SERIES = ("due:2026-01-05", "repeat:weekly")
# The columns that tell what was done to a to-do; its clock is another one after any change.
COLUMNS = ("title", "state", "status", "priority", "tags", "work", "series", "clock")


class NumberTests(RelayTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.paired()
        self.random = random.Random(SEED)
        self.count = 0
        self.met = Counter()
        self.refused = Counter()
        # The to-dos that the phone touched, and the title that it added last: that is here once all of it is.
        self.elsewhere, self.last_elsewhere = set(), None
        self.owners = {}

    # What the files say, read by another program

    def rows(self, name, query):
        connection = sqlite3.connect(os.path.join(self.laptop.store, name), timeout=DAEMON_SECONDS_MAX)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def state(self):
        """Each to-do by its id, deleted ones too."""
        rows = self.rows("store.db", "SELECT hex(id), {} FROM todo_record".format(", ".join(COLUMNS)))
        state = {row[0]: dict(zip(COLUMNS, row[1:])) for row in rows}
        for row in state.values():
            # Pending ones have none.
            row["status"] = row["status"] or "pending"
        return state

    def change_numbers(self, *statements):
        connection = sqlite3.connect(os.path.join(self.laptop.store, "numbers"), timeout=DAEMON_SECONDS_MAX)
        try:
            with connection:
                for statement in statements:
                    connection.execute(statement)
        finally:
            connection.close()

    def pass_a_day(self):
        self.change_numbers("UPDATE number SET freed = freed - {}".format(DAY_MILLISECONDS + 1))

    def swap(self, one, other):
        self.change_numbers(*(
            "UPDATE number SET number = {} WHERE number = {}".format(new, old)
            for old, new in ((one, -1), (other, one), (-1, other))))

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
        shown = self.remember(terminal, output)
        self.assertEqual(1, len(shown), "a number that can be used at once: " + output)
        self.assertEqual(title, self.state()[terminal.shown[shown[0]]]["title"])

    def remember(self, terminal, output):
        """Notes which to-dos the terminal was shown, by the numbers and titles on its screen; answers the numbers."""
        listed = LISTED.findall(output) + [(number, title) for title, number in NEXT.findall(output)]
        if listed:
            owners = dict(self.rows("numbers", "SELECT number, hex(id) FROM number"))
            state = self.state()
        for number, title in listed:
            owner = owners[int(number)]
            self.assertEqual(title, state[owner]["title"], output)
            if self.owners.setdefault(int(number), owner) != owner:
                self.met["number with another owner"] += 1
                self.owners[int(number)] = owner
            terminal.show(int(number), owner)
        return [int(number) for number, _ in listed]

    def list(self, terminal):
        words = self.random.choice((("list",), ("today",), ("list", "+errand"), ("list", "--limit", "5"), ("list", "--all")))
        code, output, _ = terminal.run(*words)
        self.assertIn(code, (OK, NOTHING))
        self.remember(terminal, output)

    def come_and_go(self):
        """To-dos that no terminal is shown: their numbers are free after a day."""
        number = self.laptop.run("add", self.title()).output.split()[1].rstrip(":")
        self.laptop.run("done", number)

    def take_back(self, terminal):
        """What is undone is named by no number: the command has to end well, and numbers stay as they are."""
        words = self.random.choice((("undo",), ("undo",), ("redo",), ("catchup", "--yes")))
        code, output, errors = terminal.run(*words)
        self.assertIn(code, (OK, NOTHING, USAGE, REFUSED), (words, output, errors))
        self.met[words[0]] += code == OK
        self.remember(terminal, output)

    def act(self, terminal):
        """Does something to what this terminal was shown: those to-dos are changed and no others, or none."""
        if not terminal.shown:
            return
        before = self.state()
        number = self.random.choice(sorted(terminal.shown))
        todo = terminal.shown[number]
        chance = self.random.random()
        if chance < 0.15:
            last = number + self.random.randrange(1, 5)
            name, kind = "{}-{}".format(number, last), "range"
            # A number of a range may be one that was shown long ago.
            meant = {terminal.ever_shown[found] for found in range(number, last + 1) if found in terminal.ever_shown}
        elif chance < 0.25 and todo in before:
            name, kind = before[todo]["title"], "title"
            # The occurrences of a series have one title.
            meant = {other for other in before if before[other]["title"] == name}
        else:
            name, kind, meant = str(number), "number", {todo}
        verb = self.random.choice((
            ("done",), ("done",), ("cancel",), ("reopen",), ("delete", "--yes"), ("show",), ("skip",), ("catchup",),
            ("start",), ("edit", "priority:high"), ("edit", "+errand")))
        words = (verb[0], name) + verb[1:]
        code, output, errors = terminal.run(*words)
        after = self.state()
        context = (words, meant, output, errors)
        self.assertIn(code, (OK, NOTHING, USAGE, REFUSED), context)
        changed = {other for other in before if before[other] != after.get(other)} - self.elsewhere
        if code == OK:
            self.met["{} by {}".format(verb[0], kind)] += 1
            allowed = set(meant) | self.following(before, meant)
            if verb[0] == "start":
                # Of two, one alone runs.
                allowed |= {other for other in before if (before[other]["work"] or "").count("/..")
                            or "Stopped: " + before[other]["title"] in output}
            differences = [(before[other], after.get(other)) for other in changed - allowed]
            self.assertEqual([], differences, context)
            if verb[0] == "show":
                self.assertEqual(set(), changed, context)
            if kind == "number" and todo not in self.elsewhere:
                self.assertTrue(self.is_done(verb, after[todo]), (context, before.get(todo), after[todo]))
        else:
            self.refused[code] += 1
            self.assertEqual(set(), changed, context)
        # The occurrence that follows is named with a number of its own.
        self.remember(terminal, output)

    @staticmethod
    def following(state, meant):
        """The other occurrences of the series of to-dos: one more is made, or taken back."""
        series = {state[todo]["series"] or bytes.fromhex(todo) for todo in meant if todo in state}
        return {other for other in state if (state[other]["series"] or bytes.fromhex(other)) in series}

    @staticmethod
    def is_done(verb, row):
        """Whether a to-do is as the command that went well leaves it."""
        if verb[0] == "edit":
            return row["priority"] == HIGH if verb[1] == "priority:high" else "errand" in json.loads(row["tags"])
        if verb[0] == "start":
            return bool(row["work"])
        states = {"done": "completed", "cancel": "cancelled", "reopen": "pending"}
        return {
            "delete": row["state"] == 1, "show": True, "skip": row["status"] != "pending", "catchup": True,
        }.get(verb[0], row["state"] == 0 and row["status"] == states.get(verb[0]))

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
        self.assertIn("tandem edit 3,4 WORDS", device.run("edit", "3,", "4", codes=(USAGE, NOTHING)).errors)
        device.run("done", last)

    def test_a_number_that_stands_for_another_to_do_than_shown_is_refused_with_both_titles(self):
        here, there = self.terminal(), self.terminal()
        for title in ("milk", "bread", "tea"):
            here.run("add", title)
        here.run("list")
        self.swap(1, 2)
        before = self.state()
        for words in (("done", "1"), ("edit", "2", "+errand"), ("delete", "1", "--yes"), ("done", "1-3")):
            code, output, errors = here.run(*words)
            self.assertEqual((REFUSED, ""), (code, output), words)
            self.assertIn("'milk'", errors)
            self.assertIn("'bread'", errors)
            self.assertIn("when this terminal last showed it", errors)
        self.assertEqual(before, self.state())
        # Another terminal was shown nothing that could be mistaken.
        self.assertEqual(OK, there.run("done", "3")[0])
        self.assertIn("bread", here.run("list")[1])
        self.assertEqual(OK, here.run("done", "1")[0])
        self.assertEqual(
            {"bread", "tea"}, {row["title"] for row in self.state().values() if row["status"] == "completed"})

    def test_two_terminals_of_one_session_leader_and_two_leaders_are_told_apart(self):
        """`last` is what this terminal made last: of the terminal and the session leader, not of the account."""
        first, second = self.terminal(), self.terminal()
        first.run("add", "milk")
        second.run("add", "bread")
        self.assertIn("milk", first.run("show", "last")[1])
        self.assertIn("bread", second.run("show", "last")[1])
        # Without a terminal each session is a reader of its own.
        for title in ("tea", "salt"):
            made = subprocess.run(
                ["sh", "-c", '"$0" add {} && "$0" show last'.format(title), BINARY], stdin=subprocess.DEVNULL,
                env=self.laptop.environment(), capture_output=True, text=True, start_new_session=True,
                timeout=COMMAND_SECONDS_MAX)
            self.assertIn(title, made.stdout)
        alone = subprocess.run(
            [BINARY, "show", "last"], stdin=subprocess.DEVNULL, env=self.laptop.environment(), capture_output=True,
            text=True, start_new_session=True, timeout=COMMAND_SECONDS_MAX)
        self.assertEqual(NOTHING, alone.returncode, alone.stdout)
        self.assertIn("milk", first.run("show", "last")[1])

    def test_no_command_meets_another_to_do_than_its_terminal_showed_with_the_number(self):
        first, second, bar = self.terminal(), self.terminal(), self.terminal()
        for _ in range(8):
            self.add(first)
        daemon = self.daemon()
        started = time.monotonic()
        for step in range(COMMAND_COUNT):
            if step % SYNC_EVERY == SYNC_EVERY - 1:
                self.change_elsewhere()
            if step % DAY_EVERY == DAY_EVERY - 1:
                self.come_and_go()
                self.pass_a_day()
            terminal = self.random.choice((first, first, second, second, bar))
            if step % SWAP_EVERY == SWAP_EVERY - 1:
                numbers = [row[0] for row in self.rows("numbers", "SELECT number FROM number ORDER BY number")]
                self.swap(*self.random.sample(numbers, 2))
            if self.last_elsewhere and self.last_elsewhere in {row["title"] for row in self.state().values()}:
                self.elsewhere, self.last_elsewhere = set(), None
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
        self.assertGreater(self.met["number with another owner"], 0)

    def change_elsewhere(self):
        """The other device finishes, reopens, deletes or adds, and uploads that; the daemon takes it in at some time."""
        self.phone.run("sync")
        listed = self.phone.run("list", "--all", "--json", codes=(OK, NOTHING)).values()
        for _ in range(2):
            if listed:
                todo = self.random.choice(listed)
                # With those that follow it, which are made or taken back.
                title = todo["title"]
                self.elsewhere |= {other for other, row in self.state().items() if row["title"] == title}
                verb = self.random.choice((("done",), ("reopen",), ("delete", "--yes")))
                self.phone.run(verb[0], todo["id"], *verb[1:], codes=(OK, NOTHING, REFUSED))
        self.last_elsewhere = self.title()
        self.phone.run("add", self.last_elsewhere)
        self.phone.run("sync")


if __name__ == "__main__":
    unittest.main()
