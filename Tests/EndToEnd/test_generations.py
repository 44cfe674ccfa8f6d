"""Secrets of a space whose generations are not one after the other, and a relay with one that nobody else has."""

import os
import re
import sqlite3
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from test_relay import Relay

LAST = 2 ** 32 - 1


class Generations(RelayTestCase):
    def space(self, *names):
        """Devices of one space that have synced by the relay."""
        first, *others = map(self.device, names)
        first.init()
        for other in others:
            code = first.invite("--relay", self.relay.told["relay"])
            other.run("join", code, "--name", other.name)
        first.await_invitations()
        for device in (first, *others, first):
            device.run("sync")
        return first, *others

    def add_secret(self, device, generation, byte="ab"):
        """Somebody writes a secret into the keyring of a device, by hand."""
        path = os.path.join(device.store, "keyring")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + f"secret {generation} {byte * 32}\n")
        os.chmod(path, 0o600)

    def generation(self, device):
        return next(
            found["generation"] for found in device.run("devices", "--json").values()
            if found["thisOne"])

    def begun(self):
        """The generations that the relay's log tells of, in order."""
        return [int(found) for found in re.findall(r" generation=(\d+)", self.relay.log())]

    def change_relay(self, change):
        """Ends the relay, changes the files of its space, and starts it again at its address."""
        place = self.relay.told["relay"].split("#")[0].rsplit("/", 1)[1]
        self.relay.end()
        spaces = os.path.join(self.relay_folder, "spaces")
        for name in os.listdir(spaces):
            if ".relay" in name:
                change(os.path.join(spaces, name))
        self.relay = Relay(self.relay_folder, "--listen", place)

    def wipe(self):
        """The relay's owner deletes the file of the space."""
        self.change_relay(os.remove)

    def take_over(self):
        """A member has brought the relay a next secret that nobody else has."""
        def change(path):
            if not path.endswith(".relay"):
                return
            database = sqlite3.connect(path)
            with database:
                database.execute("UPDATE meta SET generation = 2, verifier = randomblob(32)")
            database.close()
        self.change_relay(change)

    def test_a_secret_of_the_last_generation_cuts_off_only_the_device_that_made_it_up(self):
        laptop, tablet, phone = self.space("laptop", "tablet", "phone")
        self.add_secret(phone, LAST)
        for device in (laptop, tablet):
            with device.serve(tcp=True) as server:
                for _ in range(2):
                    phone.run("sync", server.address)
        phone.run("sync", codes=(tandem.REFUSED,))
        laptop.add("From the laptop")
        for device in (laptop, tablet):
            device.run("sync")
            self.assertEqual(1, self.generation(device))
            self.assertEqual(["From the laptop"], device.titles())
        phone.run("sync", codes=(tandem.REFUSED,))
        laptop.run("revoke", "phone", "--yes")
        for device in (laptop, tablet):
            device.run("sync")
            self.assertEqual(2, self.generation(device))
        self.assertConverged(laptop, tablet)
        self.assertTrue(laptop.status()["green"], laptop.status())

    def test_a_relay_is_led_over_generations_that_nobody_knows(self):
        laptop, phone = self.space("laptop", "phone")
        self.add_secret(laptop, 7)
        laptop.add("After the leap")
        laptop.run("sync")
        self.assertEqual(7, self.begun()[-1])
        phone.run("sync")
        self.assertEqual(7, self.generation(phone))
        self.assertConverged(laptop, phone)

    def test_a_relay_and_a_device_that_are_far_behind_are_led_in_steps(self):
        laptop, phone = self.space("laptop", "phone")
        self.add_secret(laptop, 5000)
        laptop.add("After the leap")
        laptop.run("sync")
        self.assertEqual(5000, self.begun()[-1])
        with laptop.serve(tcp=True) as server:
            for _ in range(2):
                phone.run("sync", server.address)
        self.assertEqual(5000, self.generation(phone))
        phone.add("From the phone")
        for device in (phone, laptop):
            device.run("sync")
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertNotIn("distant-secret", device.status()["codes"])

    def test_a_relay_that_was_led_half_the_way_is_led_on(self):
        laptop, _ = self.space("laptop", "phone")
        self.add_secret(laptop, 15361)
        laptop.add("After the leap")
        leading = laptop.start("sync")
        end = time.monotonic() + 20
        while len(self.begun()) < 3 and time.monotonic() < end and leading.poll() is None:
            time.sleep(0.001)
        leading.kill()
        leading.wait()
        laptop.run("sync")
        self.assertEqual(15361, self.begun()[-1])

    def test_a_relay_that_lost_the_space_has_the_present_generation_after_one_visit(self):
        laptop, phone = self.space("laptop", "phone")
        for _ in range(2):
            laptop.run("revoke", "--nobody")
        phone.run("sync")
        self.assertEqual(3, self.generation(phone))
        # The laptop was there last with the second one.
        laptop.run("revoke", "--nobody", "--no-sync")
        self.wipe()
        laptop.add("After the wipe")
        laptop.run("sync")
        self.assertEqual(4, self.begun()[-1])
        phone.run("sync")
        self.assertConverged(laptop, phone)

    def test_a_relay_with_a_secret_that_nobody_else_has_is_back_once_its_owner_deletes_the_space(self):
        laptop, tablet, phone = self.space("laptop", "tablet", "phone")
        self.take_over()
        laptop.add("From the laptop")
        laptop.run("sync", codes=(tandem.REFUSED,))
        # Whoever did it is shut out by all devices, and keeps the relay.
        laptop.run("revoke", "phone", "--yes", codes=(tandem.OK, tandem.RETRY_LATER, tandem.REFUSED))
        laptop.run("sync", codes=(tandem.REFUSED,))
        with tablet.serve(tcp=True) as server:
            laptop.run("sync", server.address)
        self.assertConverged(laptop, tablet)
        self.wipe()
        for device in (laptop, tablet):
            device.run("sync")
        tablet.add("From the tablet")
        for device in (tablet, laptop):
            device.run("sync")
        self.assertConverged(laptop, tablet)
        phone.run("sync", codes=(tandem.REFUSED,))
        self.assertNotIn("From the laptop", phone.titles())

    def test_the_last_generation_is_not_changed_and_nobody_is_revoked(self):
        laptop, phone = self.space("laptop", "phone")
        self.add_secret(laptop, LAST)
        before = laptop.run("devices", "--json").values()
        for words in (("phone", "--yes"), ("--nobody",)):
            told = laptop.run("revoke", *words, "--no-sync", codes=(tandem.REFUSED,))
            self.assertIn("has the last generation, 4294967295", " ".join(told.errors.split()))
        revoked = [found for found in laptop.run("devices", "--json").values() if found["revoked"]]
        self.assertEqual([], revoked)
        self.assertEqual(
            [found["generation"] for found in before],
            [found["generation"] for found in laptop.run("devices", "--json").values()])


if __name__ == "__main__":
    unittest.main(verbosity=2)
