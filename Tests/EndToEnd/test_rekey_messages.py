"""Devices that meet only at a relay, when the secret of their space is changed."""

import os
import re
import sqlite3
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from test_relay import Relay

WAIT_SECONDS = 30


class RekeyMessages(RelayTestCase):
    def space(self, *names):
        """Devices of one space that know nothing but the relay."""
        first, *others = map(self.device, names)
        first.init()
        for other in others:
            code = first.invite("--relay", self.relay.told["relay"])
            other.run("join", code, "--name", other.name)
        for device in (first, *others):
            device.run("sync")
        return first, *others

    def wipe(self):
        """The relay's owner deletes what it keeps, and starts it again at its address."""
        place = self.relay.told["relay"].split("#")[0].rsplit("/", 1)[1]
        self.relay.end()
        spaces = os.path.join(self.relay_folder, "spaces")
        for name in os.listdir(spaces):
            if ".relay" in name:
                os.remove(os.path.join(spaces, name))
        self.relay = Relay(self.relay_folder, "--listen", place)

    def generation(self, device):
        return next(
            found["generation"] for found in device.run("devices", "--json").values()
            if found["thisOne"])

    def relay_bytes(self):
        found = b""
        for folder, _, files in os.walk(self.relay_folder):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    found += file.read()
        return found

    def test_who_stays_is_back_after_one_visit_and_who_is_out_is_told(self):
        laptop, kumquat, phone = self.space("laptop", "kumquat", "phone")
        laptop.run("revoke", "phone", "--yes")
        laptop.add("After the phone")
        laptop.run("sync")
        kumquat.add("Written while away")
        told = kumquat.run("sync")
        self.assertNotIn("secret", told.errors)
        laptop.run("sync")
        self.assertConverged(laptop, kumquat)
        self.assertEqual(["After the phone", "Written while away"], sorted(laptop.titles()))
        refused = phone.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", refused.errors)
        self.assertNotIn("After the phone", phone.titles())
        self.assertNotIn("Written while away", phone.titles())
        # Rekey messages hold names of devices; to the relay they are as sealed as anything.
        self.assertNotIn(b"kumquat", self.relay_bytes())

    def test_who_is_out_hears_of_nobody_who_came_later(self):
        laptop, _, phone = self.space("laptop", "desk", "phone")
        laptop.run("revoke", "phone", "--yes")
        laptop.run("sync")
        later = self.device("later")
        code = laptop.invite()
        later.run("join", code, "--name", "later")
        later.run("sync")
        phone.run("sync", codes=(tandem.REFUSED,))
        names = {found["name"] for found in phone.run("devices", "--json").values()}
        self.assertEqual({"laptop", "desk", "phone"}, names)

    def test_a_device_that_missed_several_secrets_comes_back(self):
        laptop, desk = self.space("laptop", "desk")
        for number in range(3):
            laptop.run("revoke", "--nobody", "--no-sync")
            laptop.add("Under secret {}".format(number))
            laptop.run("sync")
        desk.run("sync")
        self.assertConverged(laptop, desk)
        # One that changed it away from the relay, twice, brings the relay up and leaves rekey messages for each.
        for _ in range(2):
            desk.run("revoke", "--nobody", "--no-sync")
        desk.add("Behind two more")
        desk.run("sync")
        laptop.run("sync")
        self.assertConverged(laptop, desk)
        self.assertIn("Behind two more", laptop.titles())

    def test_a_relay_that_was_wiped_is_given_the_rekey_message_again(self):
        laptop, desk = self.space("laptop", "desk")
        laptop.run("revoke", "--nobody", "--no-sync")
        laptop.add("Under the next secret")
        laptop.run("sync")
        self.wipe()
        # The relay takes the first secret that it is shown; the rekey message has to come anew.
        laptop.run("sync")
        desk.run("sync")
        self.assertConverged(laptop, desk)

    def test_a_relay_that_was_wiped_and_shown_the_older_secret_first_is_led_on(self):
        laptop, desk = self.space("laptop", "desk")
        laptop.run("revoke", "--nobody", "--no-sync")
        laptop.add("Under the next secret")
        laptop.run("sync")
        self.wipe()
        desk.run("sync")
        laptop.run("sync")
        desk.run("sync")
        self.assertConverged(laptop, desk)

    def test_who_was_invited_by_the_lost_device_is_not_lost_with_it(self):
        laptop, phone = self.space("laptop", "phone")
        tablet = self.device("tablet")
        code = phone.invite("--relay", self.relay.told["relay"])
        tablet.run("join", code, "--name", "tablet")
        tablet.add("Only at the relay and on the tablet")
        tablet.run("sync")
        # The laptop has never heard of the tablet: it looks before the relay begins anew.
        told = laptop.run("revoke", "phone", "--yes").output
        self.assertIn("1 other device can open it", told)
        self.assertIn("has it", told)
        self.assertIn("Only at the relay and on the tablet", laptop.titles())
        tablet.add("After the phone")
        tablet.run("sync")
        laptop.run("sync")
        self.assertConverged(laptop, tablet)

    def test_what_cannot_be_brought_to_the_relay_is_told_and_comes_later(self):
        laptop, desk, phone = self.space("laptop", "desk", "phone")
        place = self.relay.told["relay"].split("#")[0].rsplit("/", 1)[1]
        self.relay.end()
        told = laptop.run("revoke", "phone", "--yes").output
        self.assertIn("Not yet at the relay", told)
        self.assertIn("Next: tandem sync", told)
        self.relay = Relay(self.relay_folder, "--listen", place)
        phone.add("Still let in")
        phone.run("sync")
        laptop.run("sync")
        phone.run("sync", codes=(tandem.REFUSED,))
        desk.run("sync")
        self.assertConverged(laptop, desk, may_be_empty=True)

    def test_a_backup_from_before_the_change_takes_the_next_secret_at_the_relay(self):
        laptop, desk = self.space("laptop", "desk")
        copy = self.device("laptop-restored")
        laptop.run("backup", copy.store)
        laptop.run("revoke", "--nobody", "--no-sync")
        laptop.add("Under the next secret")
        for device in (laptop, desk):
            device.run("sync")
        # The laptop breaks down, and its backup comes back elsewhere.
        copy.add("By the new laptop")
        copy.run("sync")
        desk.run("sync")
        self.assertConverged(copy, desk)
        self.assertEqual(2, self.generation(copy))

    def test_two_secrets_made_at_once_come_together_through_the_relay_alone(self):
        # Chance decides which of the two is the greater: so several times.
        for trial in range(4):
            with self.subTest(trial):
                laptop, desk, phone = self.space(
                    *("{}{}".format(name, trial) for name in ("laptop", "desk", "phone")))
                for device in (laptop, desk):
                    device.run("revoke", "--nobody", "--no-sync")
                desk.run("sync")
                laptop.add("By the laptop")
                for device in (laptop, desk, phone, laptop, desk):
                    device.run("sync")
                self.assertConverged(laptop, desk)
                self.assertConverged(laptop, phone)
                self.assertEqual(["By the laptop"], phone.titles())

    def test_a_daemon_that_was_connected_is_back_by_itself(self):
        laptop, desk, phone = self.space("laptop", "desk", "phone")
        daemon = desk.start("daemon", "--listen", "none")
        self.addCleanup(tandem.kill, daemon)
        laptop.add("Before")
        laptop.run("sync")
        self.eventually(lambda: "Before" in desk.titles())
        laptop.run("revoke", "phone", "--yes")
        laptop.add("After the phone")
        laptop.run("sync")
        self.eventually(lambda: "After the phone" in desk.titles())
        desk.add("From the desk")
        self.eventually(lambda: self.has_come(laptop, "From the desk"))
        self.assertIsNone(daemon.poll())

    def test_a_daemon_whose_relay_has_another_secret_finds_the_way_by_itself(self):
        laptop, desk = self.space("laptop", "desk")
        for device in (laptop, desk):
            device.run("revoke", "--nobody", "--no-sync")
        laptop.run("sync")
        daemon = desk.start("daemon", "--listen", "none")
        self.addCleanup(tandem.kill, daemon)
        desk.add("From the desk")
        self.eventually(lambda: self.has_come(laptop, "From the desk"))

    def test_a_relay_with_a_secret_that_nobody_knows_is_not_asked_again_and_again(self):
        laptop, _ = self.space("laptop", "desk")
        for _ in range(8):
            laptop.run("revoke", "--nobody", "--no-sync")
        place = self.relay.told["relay"].split("#")[0].rsplit("/", 1)[1]
        self.relay.end()
        spaces = os.path.join(self.relay_folder, "spaces")
        path = next(os.path.join(spaces, n) for n in os.listdir(spaces) if n.endswith(".relay"))
        database = sqlite3.connect(path)
        with database:
            database.execute("UPDATE meta SET generation = 3, verifier = randomblob(32)")
        database.close()
        self.relay = Relay(self.relay_folder, "--listen", place)
        begun = time.monotonic()
        told = laptop.run("sync", codes=(tandem.REFUSED,)).errors
        self.assertIn("shows no signature by generation 3", told)
        self.assertLess(time.monotonic() - begun, WAIT_SECONDS)
        reasons = re.findall(r"reason=([a-z-]+)", self.relay.log())
        counted = [reason for reason in reasons if reason in ("wrong-proof", "new-generation")]
        # Once by looking back, once by itself, thrice by asking; ten would shut out the address.
        self.assertLessEqual(len(counted), 5, reasons)
        self.assertNotIn("failed-proofs", reasons)

    def has_come(self, device, title):
        device.run("sync")
        return title in device.titles()

    def eventually(self, holds):
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, "it never came to hold")
            time.sleep(0.2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
