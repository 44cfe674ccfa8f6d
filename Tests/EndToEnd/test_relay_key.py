"""A relay whose disk is lost with its key, and one that is gone for good."""

import os
import shutil
import socket
import unittest

import tandem_process as tandem
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
        self.assertEqual(1, len(self.relays(laptop)))
        todo = laptop.todos()[0]["id"]
        self.assertEqual(1, laptop.run("why", todo).output.count("stored by relay"))
        phone.run("sync", present)
        phone.run("sync")
        self.assertIn("Milk", phone.run("list").output)
        self.assertIn(place, phone.run("devices", "--forget", place[len("relay://"):]).output)
        self.assertIn("no relay and no device is known", phone.run("sync", codes=(64,)).errors)
        self.assertEqual([], self.relays(phone))
        # As the status shows it.
        laptop.run("devices", "--forget", self.relays(laptop)[0]["replica"][:8])
        self.assertEqual([], laptop.status()["peers"])

    def relays(self, device):
        return [peer for peer in device.status()["peers"] if peer["kind"] == "relay"]

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

    def test_a_relay_that_was_mistyped_beside_a_good_one_is_not_remembered(self):
        laptop, _ = self.paired()
        good = self.relay.told["relay"]
        key = good.split("#")[1]
        port = tandem.free_port()
        for words in (
                ("relay://127.0.0.1:{}#{}".format(port, key),),
                ("relay://127.0.0.1:{}#{}".format(port, "0123456789abcdef" * 4),),
                ("relay://127.0.0.1:{},127.0.0.1:{}#{}".format(port, tandem.free_port(), key),),
                ("relay://127.0.0.1:{}#{}".format(port, key), "--address", "127.0.0.1:7717")):
            with self.subTest(words):
                refused = laptop.run("invite", "--relay", *words, codes=(69, 75, 76, 77))
                self.assertIn("onnection refused", refused.errors)
                told = laptop.run("devices", "--forget", "example.org:1", codes=(64,)).errors
                self.assertIn(good, told)
                self.assertNotIn(str(port), told)
        self.assertNotIn("refused", laptop.run("sync").errors)

    def test_an_invitation_that_is_ended_before_the_relay_answers_remembers_no_relay(self):
        laptop = self.device("laptop")
        laptop.init()
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = "relay://127.0.0.1:{}#{}".format(silent.getsockname()[1], "ab" * 32)
            inviting = laptop.start("invite", "--relay", address)
            silent.accept()
            tandem.kill(inviting)
        told = laptop.run("devices", "--forget", "example.org:1", codes=(64,)).errors
        self.assertIn("known are: none", told)

    def test_an_address_that_is_not_known_cannot_be_forgotten(self):
        laptop, _ = self.paired()
        refused = laptop.run("devices", "--forget", "example.org:1", codes=(64,))
        self.assertIn(self.relay.told["relay"], refused.errors)


if __name__ == "__main__":
    unittest.main()
