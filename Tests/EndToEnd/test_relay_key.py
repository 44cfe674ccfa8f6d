"""A relay whose disk is lost with its key, and one that is gone for good."""

import os
import shutil
import unittest

from relay_case import RelayTestCase
from test_relay import Relay


class RelayKey(RelayTestCase):
    def test_a_relay_with_another_key_is_refused_until_its_present_address_is_named(self):
        laptop, phone = self.paired()
        laptop.run("add", "Milk")
        former = self.relay.told["relay"]
        place, port = former.split("#")[0], former.split("#")[0].rsplit(":", 1)[1]
        self.relay.end()
        shutil.rmtree(self.relay_folder)
        os.mkdir(self.relay_folder)
        self.relay = Relay(self.relay_folder, "--listen", "127.0.0.1:" + port)
        present = self.relay.told["relay"]
        self.assertNotEqual(former, present)

        refused = laptop.run("sync", codes=(77,))
        self.assertIn("has another key than before", refused.errors)
        self.assertIn(f"tandem sync {present}", refused.errors)
        self.assertIn("forgotten: " + former, laptop.run("sync", present).output)
        laptop.run("sync")
        phone.run("sync", present)
        phone.run("sync")
        self.assertIn("Milk", phone.run("list").output)
        self.assertIn(place, phone.run("devices", "--forget", place[len("relay://"):]).output)
        self.assertIn("no relay and no device is known", phone.run("sync", codes=(64,)).errors)

    def test_a_relay_that_was_mistyped_in_an_invitation_is_not_remembered(self):
        laptop = self.device("laptop")
        laptop.init()
        good = self.relay.told["relay"]
        place, key = good.split("#")
        wrong = place + "#" + key[:-1] + ("0" if key[-1] != "0" else "1")
        for address in (wrong, "relay://127.0.0.1:1#" + key):
            laptop.run("invite", "--relay", address, codes=(69, 75, 76, 77))
            told = laptop.run("devices", "--forget", "example.org:1", codes=(64,)).errors
            self.assertIn("known are: none", told)

    def test_an_address_that_is_not_known_cannot_be_forgotten(self):
        laptop, _ = self.paired()
        refused = laptop.run("devices", "--forget", "example.org:1", codes=(64,))
        self.assertIn(self.relay.told["relay"], refused.errors)


if __name__ == "__main__":
    unittest.main()
