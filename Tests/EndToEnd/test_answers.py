"""Answers that are true: the first of a list, the value that an undo replaced, counts, and why nothing was done."""

import json
import os
import shutil
import socket
import subprocess
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from tandem_process import IO_ERROR, NOTHING, REFUSED, TandemTestCase


class One(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def told(self, *words, codes=(tandem.OK,)):
        done = self.laptop.run(*words, codes=codes)
        return done.output + done.errors

    def test_one_that_begins_later_does_not_run(self):
        self.laptop.add("Yoga", "start:+3d")
        self.laptop.add("Run", "start:-1h")
        active = self.told("list", "is:active")
        self.assertIn("> Run", active)
        self.assertNotIn("Yoga", active)
        self.assertNotIn("> Yoga", self.told("list"))
        self.assertNotIn("Yoga", self.told("today"))

    def test_an_undo_of_a_removed_view_says_that_it_is_there_again(self):
        self.laptop.run("save", "food", "+food")
        self.laptop.run("save", "--remove", "food")
        self.assertIn("Undone: view food: it is there again", self.told("undo"))
        self.assertIn("Done again: view food: it is removed again", self.told("redo"))

    def test_a_series_that_has_ended_is_named_with_what_finishes_it(self):
        self.laptop.add("Rehearse", "due:-3d", "repeat:daily 2 times")
        told = self.told("catchup", codes=(NOTHING,))
        self.assertIn("'Rehearse' has ended", told)
        self.assertIn("tandem done", told)
        self.assertNotIn("No repeating to-do is overdue", told)

    def test_a_backup_in_which_nothing_matches_says_so_and_a_renamed_to_do_is_found(self):
        todo = self.laptop.add("Buy milk")
        copy = os.path.join(self.folder, "copy")
        self.laptop.run("backup", copy)
        told = self.told("restore", "--from", copy, "bread", codes=(NOTHING,))
        self.assertIn("no to-do of it and none here matches: bread", told)
        self.laptop.edit(todo, "Fetch oats")
        told = self.told("restore", "--from", copy, "oats", "--dry-run")
        self.assertIn("1 to-do gets back the values", told)
        self.assertIn("Buy milk", told)

    def test_imported_to_dos_count_from_when_they_came(self):
        path = os.path.join(self.folder, "two.jsonl")
        with open(path, "w") as file:
            file.write('{"tandem":1,"id":"00000000-0000-4000-8000-000000000001","title":"a"}\n'
                       '{"tandem":1,"title":"b"}\n')
        self.laptop.run("import", path)
        rows = json.loads(self.told("burndown", "--json"))["rows"]
        self.assertEqual([0] * 12 + [2], [row["pending"] for row in rows])

    @unittest.skipUnless(os.geteuid() == 0, "another account can be taken by root alone")
    def test_a_store_of_another_account_is_named_as_one_that_may_not_be_entered(self):
        binary = os.path.join(self.folder, "tandem")
        shutil.copy(tandem.BINARY, binary)
        os.chmod(self.folder, 0o755)
        for mode, reason in (
                (0o700, "{}: permission denied: this account may not enter that folder"),
                (0o755, "open failed for {}/store.db: permission denied: only the account that owns the store may read it; run this as")):
            os.chmod(self.laptop.store, mode)
            done = subprocess.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", binary, "--store", self.laptop.store, "list"],
                capture_output=True, text=True, env=dict(self.laptop.environment(), HOME="/nonexistent"))
            self.assertEqual(IO_ERROR, done.returncode, done.stderr)
            self.assertIn(reason.format(self.laptop.store), done.stderr)
            self.assertNotIn("there is no store", done.stderr)

    def test_a_daemon_whose_ports_another_one_has_says_so_at_its_start(self):
        other = self.device("desk")
        other.init()
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = str(listener.getsockname()[1])
            log = os.path.join(self.folder, "daemon.log")
            with open(log, "wb") as errors:
                daemon = other.start("daemon", "--web", port, "--caldav", port, errors=errors)
            self.addCleanup(tandem.kill, daemon)
            told = ""
            deadline = time.monotonic() + 30
            while "calendars" not in told:
                self.assertLess(time.monotonic(), deadline, told)
                time.sleep(0.05)
                with open(log) as file:
                    told = file.read()
        self.assertIn("the page is not served: port {} is taken".format(port), told)
        self.assertIn("tandem daemon --web PORT", told)
        self.assertIn("calendars are not served: port {} is taken".format(port), told)
        self.assertNotIn("serving", told)


class Two(RelayTestCase):
    def test_one_to_do_that_both_edited_is_sent_once_and_counted_once(self):
        laptop, phone = self.paired()
        todo = laptop.add("Shared", "due:2030-05-01")
        laptop.run("sync")
        phone.run("sync")
        laptop.edit(todo, "due:2030-05-02")
        phone.edit(todo, "priority:high")
        laptop.run("sync")
        self.assertIn(": 1 received, 1 sent", phone.run("sync").output)

    def test_a_forced_undo_names_the_value_that_it_replaced(self):
        laptop, phone = self.paired()
        todo = laptop.add("Shared")
        laptop.run("sync")
        phone.run("sync")
        laptop.edit(todo, "due:2030-05-01")
        laptop.run("sync")
        phone.run("sync")
        phone.edit(todo, "due:2030-05-02")
        phone.run("sync")
        laptop.run("sync")
        laptop.run("undo", codes=(REFUSED,))
        told = laptop.run("undo", "--force").output
        self.assertIn("it has no due again (was: Thu 2 May 2030)", told)

    def test_what_both_devices_completed_is_the_reason_against_an_undo(self):
        laptop, phone = self.paired()
        todo = laptop.add("Water", "due:2030-05-01", "repeat:every week")
        laptop.run("sync")
        phone.run("sync")
        laptop.done(todo)
        phone.done(todo)
        for device in (laptop, phone, laptop):
            device.run("sync")
        told = laptop.run("undo", codes=(REFUSED,)).errors
        self.assertIn("'Water' was made on phone as well", told)
        self.assertNotIn("title was changed", told)

    def test_the_foot_of_a_list_counts_conflicts_as_the_status_does(self):
        laptop, phone = self.paired()
        todo = laptop.add("Shared", "due:2030-05-01")
        laptop.run("save", "food", "+food")
        laptop.run("sync")
        phone.run("sync")
        for device, day, tag in ((laptop, 2, "+oats"), (phone, 3, "+rye")):
            device.edit(todo, "due:2030-05-0{}".format(day))
            device.run("save", "food", tag)
        for device in (laptop, phone, laptop):
            device.run("sync")
        self.assertIn("2 in conflict", laptop.run("list").output)
        self.assertIn("2", [line for line in laptop.run("status", codes=(tandem.OK, 3)).output.splitlines()
                            if "conflict" in line][0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
