"""When each device was last seen: said as what it is, also through a relay."""

import unittest

from relay_case import RelayTestCase


class Seen(RelayTestCase):
    def fingerprint(self, device):
        return next(found["fingerprint"] for found in device.run("devices", "--json").values() if found["thisOne"])

    def phone(self, device):
        return next(found for found in device.run("devices", "--json").values() if found["name"] == "phone")

    def test_a_device_behind_a_relay_is_seen_by_what_it_wrote_and_by_what_it_has(self):
        laptop, phone = self.paired()
        phone.add("Written on the phone")
        phone.run("sync")
        laptop.run("sync")
        found = self.phone(laptop)
        self.assertIsNotNone(found["lastWrote"])
        self.assertFalse(found["lastWroteOrLater"], found)
        written = phone.todos()[0]["created"]
        self.assertGreaterEqual(found["lastWrote"][:19], written[:19])
        self.assertRegex(laptop.run("devices").output, r"phone +\S+ +(wrote|synced) last ")
        # It reads, and writes nothing: the relay tells that it has all that is here.
        laptop.add("Written on the laptop")
        laptop.run("sync")
        wrote = laptop.todos()[-1]["created"]
        phone.run("sync")
        laptop.run("sync")
        after = self.phone(laptop)
        self.assertEqual(found["lastWrote"], after["lastWrote"])
        self.assertTrue(after["lastSyncedOrLater"], after)
        self.assertGreaterEqual(after["lastSynced"][:19], wrote[:19])
        self.assertEqual(after["lastSynced"], after["lastSeen"])
        self.assertRegex(laptop.run("devices").output, r"phone .*synced last .* or\s+later")

    def test_a_device_that_was_met_directly_is_seen_at_that_time(self):
        laptop, phone = self.paired()
        phone.add("Written on the phone")
        written = phone.todos()[0]["created"]
        for server, caller in ((laptop, phone), (phone, laptop)):
            with server.serve(tcp=True) as served:
                caller.sync("{}#{}".format(served.address, self.fingerprint(server)))
            found = self.phone(laptop)
            self.assertFalse(found["lastSyncedOrLater"], found)
            self.assertGreaterEqual(found["lastSynced"][:19], written[:19])
            self.assertRegex(laptop.run("devices").output, r"phone +\S+ +synced last ")

    def test_after_joining_the_next_step_is_the_daemon(self):
        laptop, _ = self.paired()
        third = self.device("third")
        code = laptop.invite("--relay", self.relay.told["relay"])
        self.assertIn("Next: tandem daemon --install", third.run("join", code, "--name", "third").output)


if __name__ == "__main__":
    unittest.main()
