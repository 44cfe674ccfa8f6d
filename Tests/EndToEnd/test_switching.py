"""What somebody meets in the first week with the program, who knows another one."""

import os
import shutil
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from tandem_process import TandemTestCase

WAIT_SECONDS = 30


class FirstWords(TandemTestCase):
    def test_words_of_another_program_are_answered_with_ours(self):
        laptop = self.device("laptop")
        laptop.init()
        refused = laptop.run("modify", "1", "due:fri", codes=(tandem.USAGE,))
        self.assertIn("run: tandem edit 1 due:fri\n", refused.errors)
        refused = laptop.run("1", "done", codes=(tandem.USAGE,))
        self.assertIn("tandem done 1\n", refused.errors)

    def test_a_time_without_quotes_does_not_become_the_title(self):
        laptop = self.device("laptop")
        laptop.init()
        todo = laptop.add("Call mom")
        for words in (("due:tomorrow", "15:00"), ("due:fri", "9am"), ("title:Call", "dad")):
            refused = laptop.run("edit", todo, *words, codes=(tandem.USAGE,))
            self.assertIn('{} {}"'.format(words[0].replace(":", ':"', 1), words[1]), refused.errors)
        self.assertEqual(["Call mom"], laptop.titles())
        told = laptop.run("add", "Buy", "bread", "due:tomorrow", "15:00").errors
        self.assertIn('\'15:00\' is in the title; for a time of day: due:"tomorrow 15:00"', told)
        # A word that is no time of day is part of the title as before.
        laptop.edit(todo, "due:fri", "2", "calls")
        laptop.edit(todo, "due:fri", "Call", "dad")
        self.assertEqual(["Buy bread 15:00", "Call dad"], sorted(laptop.titles()))

    def test_an_undone_decision_is_called_a_conflict_again(self):
        laptop, phone = self.pair()
        todo = laptop.add("Buy oat milk", "due:2030-01-01")
        self.meet(laptop, phone)
        laptop.edit(todo, "Buy almond milk", "due:2030-01-02")
        phone.edit(todo, "Buy soy milk", "due:2030-01-03")
        self.meet(laptop, phone)
        for field, choice in (("due", "--theirs"), ("title", "--both"), ("due", "--mine")):
            laptop.run("resolve", todo, "--field", field, choice)
            told = laptop.run("undo").output
            self.assertIn("{} is in conflict again; decide it: tandem conflicts".format(field), told)
            self.assertNotIn("was:", told)
            again = laptop.run("redo").output
            self.assertNotIn("in conflict", again)
            laptop.run("undo")


class NewMachine(TandemTestCase):
    def test_a_backup_leads_to_a_store_where_there_is_none(self):
        laptop = self.device("laptop")
        laptop.init()
        laptop.add("Buy milk")
        backup = os.path.join(self.folder, "a backup")
        laptop.run("backup", backup)
        shutil.rmtree(laptop.store)
        for words in ((), ("--verify",)):
            refused = laptop.run("restore", "--from", backup, *words, codes=(tandem.CONFIGURATION,))
            self.assertIn("to go on from the copy, put it there: ", refused.errors)
            self.assertNotIn("tandem init", refused.errors)
            self.assertFalse(os.path.exists(laptop.store))
        line = refused.errors.split("put it there: ")[1].strip()
        self.assertEqual(0, os.system(line), line)
        self.assertEqual(["Buy milk"], laptop.titles())

    def test_who_made_a_store_first_is_told_how_to_go_on_from_a_backup(self):
        laptop, other = self.device("laptop"), self.device("other")
        laptop.init()
        backup = os.path.join(self.folder, "backup")
        laptop.run("backup", backup)
        other.init()
        refused = other.run("restore", "--from", backup, codes=(tandem.REFUSED,))
        self.assertIn("take the place of this store (tandem help backup)", refused.errors)


class OverARelay(RelayTestCase):
    def test_an_old_name_does_not_become_a_part_of_the_new_one(self):
        laptop, phone = self.paired()
        laptop.run("sync")
        for device, old in ((phone, "phone"), (laptop, "phone")):
            refused = device.run("rename", old, "handy", codes=(tandem.USAGE,))
            self.assertIn("on the device itself: tandem rename handy", refused.errors)
        phone.run("rename", "phone handy")
        self.assertEqual("phone handy", phone.status()["device"])

    def test_a_joining_device_tells_what_it_got(self):
        laptop, _ = self.paired()
        laptop.add("Buy milk")
        laptop.add("Buy bread")
        laptop.run("sync")
        code = laptop.invite("--relay", self.relay.told["relay"])
        desk = self.device("desk")
        told = desk.run("join", code, "--name", "desk").output
        self.assertIn("2 to-dos pending", told)
        self.assertNotIn("received", told)
        code = laptop.invite("--relay", self.relay.told["relay"])
        counts = self.device("tablet").run("join", code, "--json").values()[-1]
        self.assertEqual((2, 2), (counts["received"], counts["pending"]))

    def test_a_new_secret_shows_no_device_that_nobody_knows(self):
        laptop, phone = self.paired()
        laptop.run("sync")
        laptop.run("revoke", "phone", "--yes")
        laptop.run("sync")
        laptop.run("sync")
        peers = [peer["device"] for peer in laptop.status()["peers"]]
        self.assertEqual(1, len(peers), peers)
        self.assertIn("relay", peers[0])

    def test_a_revoked_device_that_knows_it_is_told_so_by_a_sync(self):
        laptop, phone = self.paired()
        daemons = [device.start("daemon") for device in (laptop, phone)]
        try:
            laptop.add("Buy milk")
            self.wait_until(lambda: "Buy milk" in phone.titles())
            laptop.run("revoke", "phone", "--yes")
            self.wait_until(lambda: phone.status()["revoked"] and phone.status()["refused"])
        finally:
            for daemon in daemons:
                daemon.terminate()
                daemon.wait(WAIT_SECONDS)
        refused = phone.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", refused.errors)
        self.assertIn("move its file device.key away", refused.errors)
        self.assertNotIn("new secret", refused.errors)

    def wait_until(self, is_so):
        until = time.monotonic() + WAIT_SECONDS
        while not is_so():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
