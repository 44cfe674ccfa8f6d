"""Reminders: listed, told once by the daemon or by hand, and silent where another device has told them."""

import datetime
import os
import re
import signal
import time
import unittest

import tandem_process as tandem
from moved_clocks import COMPILER, Clocks
from relay_case import RelayTestCase

WAIT_SECONDS = 30
# Longer than a device leaves a reminder to others.
DELAY_SECONDS = 11


class Reminders(RelayTestCase):
    def notifier(self, device, more=""):
        """A program that writes its words into a file, a line for each notice."""
        path = os.path.join(self.folder, "notify " + device.name)
        with open(path, "w") as file:
            file.write('#!/bin/sh\nfor word in "$@"; do printf "[%s]" "$word"; done >>"{0}.told"\n'
                       'echo >>"{0}.told"\n{1}\n'.format(path, more))
        os.chmod(path, 0o755)
        return "'{}' -u".format(path)

    def told(self, device):
        path = os.path.join(self.folder, "notify {}.told".format(device.name))
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return file.read().split("\n")[:-1]

    def eventually(self, holds, seconds=WAIT_SECONDS):
        deadline = time.monotonic() + seconds
        while True:
            found = holds()
            if found:
                return found
            self.assertLess(time.monotonic(), deadline, "it never came to hold")
            time.sleep(0.05)

    def alone(self):
        device = self.device("laptop")
        device.init()
        return device

    def later(self, seconds):
        when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
        return when.strftime("%Y-%m-%dT%H:%M:%SZ")

    def socket(self, device):
        """A place to listen at: a device that knows nobody runs no daemon else."""
        return "unix:" + os.path.join(self.folder, device.name + ".socket")

    def daemon(self, device, more=""):
        process = device.start(
            "daemon", "--listen", self.socket(device), "--notify", self.notifier(device, more))
        self.addCleanup(self.end, process)
        self.eventually(lambda: device.status()["daemon"])
        return process

    def end(self, process):
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=WAIT_SECONDS)

    def test_reminders_are_listed_and_told_by_hand_once(self):
        laptop = self.alone()
        past = self.later(-120)
        told = laptop.run("add", "Call Anna", "due:" + self.later(3600), "remind:-2h,-5m").output
        self.assertIn("remind 2 h before due, 5 min before due", told)
        laptop.run("add", "remind:" + past, "--", "--help $(touch x)")
        laptop.run("add", "Evil \x1b]0;x\x07 title", "remind:" + past)
        listed = laptop.run("remind").output
        self.assertEqual(4, len(listed.strip().split("\n")), listed)
        self.assertIn("(5 min before due)", listed)
        # The titles stand in one column.
        self.assertEqual(1, len({
            re.search("Call Anna|--help|Evil", line).start() for line in listed.splitlines()}), listed)
        rows = laptop.run("remind", "--json").values()
        self.assertEqual([True, True, True, False], [row["missed"] for row in rows])
        self.assertEqual(["due-PT2H", "due-PT5M"], sorted(
            row["remind"] for row in rows if row["title"] == "Call Anna"))
        laptop.run("remind", "--run", "--notify", self.notifier(laptop))
        lines = self.told(laptop)
        self.assertIn("[-u][--][--help $(touch x)][reminder of", "\n".join(lines))
        self.assertIn("2 minutes ago", "\n".join(lines))
        self.assertNotIn("\x1b", "\n".join(lines))
        self.assertEqual("", laptop.run("remind", "--run", "--notify", self.notifier(laptop)).output)
        self.assertEqual(lines, self.told(laptop))
        self.assertEqual(1, len(laptop.run("remind", "--json").values()))
        # What is undone last is the last thing that the person did.
        self.assertIn("Evil", laptop.run("undo").output)

    def test_a_reminder_can_be_changed_and_taken_away(self):
        laptop = self.alone()
        laptop.add("Call Anna", "due:tomorrow")
        laptop.run("edit", "last", "remind:1d before")
        self.assertEqual(["due-P1D"], laptop.todos()[0]["remind"])
        self.assertIn("remind", laptop.run("show", "last").output)
        self.assertIn("1 d before due", laptop.run("show", "last").output)
        self.assertEqual(["Call Anna"], [todo["title"] for todo in laptop.todos("+REMINDING")])
        self.assertIn("no remind", laptop.run("edit", "last", "remind:").output)
        self.assertNotIn("remind", laptop.todos()[0])
        for words in ("soonish", "-1 month", "2h before lunch"):
            laptop.run("edit", "last", "remind:" + words, codes=(tandem.USAGE,))

    def test_of_a_whole_day_days_before_it_are_told_in_the_morning(self):
        laptop = self.alone()
        laptop.add("Pay the rent", "due:2040-01-27", "remind:-1d,due,-2h")
        self.assertEqual(
            [("due-P1D", "2040-01-26T09:00:00Z"), ("due-PT2H", "2040-01-26T22:00:00Z"),
             ("due", "2040-01-27T09:00:00Z")],
            [(row["remind"], row["time"]) for row in laptop.run("remind", "--json").values()])
        laptop.run("edit", "last", "due:2040-01-27 18:00")
        self.assertIn("2040-01-26T18:00:00Z", [row["time"] for row in laptop.run("remind", "--json").values()])

    def test_a_time_moves_along_when_the_date_of_a_series_is_edited_and_says_so(self):
        laptop = self.alone()
        laptop.add("Pay the rent", "due:2040-01-27", "repeat:monthly", "remind:2040-01-26 18:00")
        self.assertIn("remind Sun 29 Jan 2040 18:00", laptop.run("edit", "last", "due:2040-01-30").output)
        self.assertEqual(["2040-01-29T18:00:00Z"], laptop.todos()[0]["remind"])
        laptop.add("Call Anna", "due:2040-01-27", "remind:2040-01-26 18:00")
        self.assertNotIn("remind", laptop.run("edit", "last", "due:2040-01-30").output)

    def test_a_reminder_that_will_not_be_told_is_said_so_when_it_becomes_so(self):
        laptop = self.alone()
        self.assertIn("no due date", laptop.run("add", "Call Anna", "remind:-1h").errors)
        self.assertEqual("", laptop.run("edit", "last", "due:tomorrow").errors)
        self.assertEqual("", laptop.run("edit", "last", "notes:her new number").errors)
        self.assertIn("no due date", laptop.run("edit", "last", "due:").errors)
        self.assertEqual("", laptop.run("edit", "last", "notes:her old number").errors)
        self.assertIn("no scheduled date", laptop.run("edit", "last", "remind:scheduled").errors)
        past = laptop.run("add", "Pay the rent", "remind:2020-01-01").errors
        self.assertIn("more than 7 days ago", past)
        self.assertEqual("", laptop.run("add", "Missed", "remind:" + self.later(-3600)).errors)

    def test_without_a_program_that_tells_nothing_is_told_and_nothing_is_lost(self):
        laptop = self.alone()
        laptop.add("Call Anna", "remind:" + self.later(-60))
        done = laptop.run("remind", "--run", "--notify", "/no/such/program", codes=(tandem.UNAVAILABLE,))
        self.assertIn("/no/such/program", done.errors)
        laptop.run("remind", "--run", "--notify", "none", codes=(tandem.USAGE,))
        self.assertEqual(1, len(laptop.run("remind", "--json").values()))
        done = laptop.run("remind", "--run", "--notify", "false", codes=(tandem.UNAVAILABLE,))
        self.assertIn("tried again later", done.errors)
        self.assertEqual(1, len(laptop.run("remind", "--json").values()))
        # Not at once.
        self.assertEqual("", laptop.run("remind", "--run", "--notify", self.notifier(laptop)).output)
        self.assertEqual([], self.told(laptop))

    def test_many_at_once_are_told_as_one_and_listed_up_to_a_limit(self):
        laptop = self.alone()
        past = self.later(-60)
        lines = "".join("reminder{} remind:{}\n".format(number, past) for number in range(12))
        laptop.run("add", "-", text=lines)
        listed = laptop.run("remind", "--limit", "4").output.strip().split("\n")
        self.assertEqual(5, len(listed))
        self.assertIn("4 reminders shown, more with --limit", listed[-1])
        self.assertEqual(4, len(laptop.run("remind", "--limit", "4", "--json").values()))
        numbers = [line.split()[0] for line in laptop.run("remind").output.strip().split("\n")]
        self.assertEqual(12, len(set(numbers)))
        laptop.run("remind", "--run", "--notify", self.notifier(laptop))
        told = self.told(laptop)
        self.assertEqual(1, len(told))
        self.assertIn("[12 reminders]", told[0])
        self.assertIn(" and 9 more]", told[0])
        self.assertEqual([], laptop.run("remind", "--json").values())

    def test_the_daemon_tells_later_what_its_program_could_not(self):
        laptop = self.alone()
        laptop.add("Call Anna", "remind:" + self.later(-60))
        flag = os.path.join(self.folder, "display")
        self.daemon(laptop, '[ -e "{0}" ] || {{ touch "{0}"; exit 1; }}'.format(flag))
        self.eventually(lambda: len(self.told(laptop)) == 2)
        self.eventually(lambda: laptop.run("remind", "--json").values() == [])

    def test_the_daemon_tells_at_the_time_also_what_is_added_while_it_runs(self):
        laptop = self.alone()
        laptop.add("Missed", "remind:" + self.later(-3600))
        self.daemon(laptop)
        self.eventually(lambda: len(self.told(laptop)) == 1)
        self.assertIn("[Missed]", self.told(laptop)[0])
        start = time.time()
        laptop.add("Soon", "due:" + self.later(5), "remind:due")
        self.eventually(lambda: "[Soon]" in "".join(self.told(laptop)))
        self.assertGreaterEqual(time.time(), start + 3.5)
        self.assertLess(time.time(), start + 5 + 20)
        hour = time.time() + 10
        laptop.add("Done", "remind:" + self.later(10))
        laptop.run("done", "Done")
        time.sleep(max(0, hour + 1 - time.time()))
        self.assertNotIn("[Done]", "".join(self.told(laptop)))

    @unittest.skipUnless(COMPILER, "no C compiler here")
    def test_what_was_due_while_the_machine_slept_is_told_when_it_wakes_with_its_age(self):
        laptop, clocks = self.alone(), Clocks(self.folder)
        with clocks.of(laptop):
            daemon = self.daemon(laptop)
        hour = time.time() + 12
        laptop.add("Call Anna", "remind:" + self.later(12))
        laptop.add("Tomorrow", "remind:" + self.later(86_400))
        time.sleep(1)
        # Who sleeps runs nothing, and finds another time on its clock afterwards.
        daemon.send_signal(signal.SIGSTOP)
        clocks.move(wall=2 * 3600, boot=2 * 3600)
        # Its timer runs by the clock of the kernel, which is not moved.
        time.sleep(max(0, hour + 1 - time.time()))
        self.assertEqual([], self.told(laptop))
        daemon.send_signal(signal.SIGCONT)
        told = self.eventually(lambda: self.told(laptop))
        self.assertRegex(told[0], r"\[Call Anna\]\[reminder of .*(2 hours|1 hour 59 minutes) ago")
        self.assertEqual(1, len(told))

    def test_a_daemon_that_is_killed_while_it_tells_does_not_tell_again(self):
        laptop = self.alone()
        laptop.add("Call Anna", "remind:" + self.later(-60))
        process = laptop.start(
            "daemon", "--listen", self.socket(laptop), "--notify", self.notifier(laptop, "kill -9 $PPID; sleep 1"))
        self.assertEqual(-signal.SIGKILL, process.wait(timeout=WAIT_SECONDS))
        self.daemon(laptop)
        time.sleep(2)
        self.assertEqual(1, len([line for line in self.told(laptop) if "[Call Anna]" in line]))

    def test_of_two_daemons_that_can_talk_one_tells(self):
        laptop, phone = self.paired()
        for device in (laptop, phone):
            self.daemon(device)
        laptop.add("Call Anna", "remind:" + self.later(3))
        self.eventually(lambda: phone.titles() == ["Call Anna"])

        def told():
            return [line for device in (laptop, phone) for line in self.told(device) if "[Call Anna]" in line]
        self.eventually(told)
        time.sleep(DELAY_SECONDS)
        self.assertEqual(1, len(told()))
        for device in (laptop, phone):
            self.assertEqual([], device.run("remind", "--json").values())

    def test_two_devices_that_cannot_talk_both_tell(self):
        laptop, phone = self.paired()
        laptop.add("Call Anna", "remind:" + self.later(-30))
        for device in (laptop, phone):
            device.run("sync")
        for device in (laptop, phone):
            device.run("remind", "--run", "--notify", self.notifier(device))
            self.assertEqual(1, len([line for line in self.told(device) if "[Call Anna]" in line]))

    def test_what_one_has_told_the_other_does_not_after_a_sync(self):
        laptop, phone = self.paired()
        laptop.add("Call Anna", "remind:" + self.later(-30))
        for device in (laptop, phone):
            device.run("sync")
        laptop.run("remind", "--run", "--notify", self.notifier(laptop))
        for device in (laptop, phone):
            device.run("sync")
        self.assertEqual("", phone.run("remind", "--run", "--notify", self.notifier(phone)).output)
        self.assertEqual([], self.told(phone))


if __name__ == "__main__":
    unittest.main()
