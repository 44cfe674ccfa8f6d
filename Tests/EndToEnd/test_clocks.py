"""A code ends by the clock that counts a machine's sleep, and no setting of the time moves that."""

import os
import unittest

import tandem_process as tandem
from moved_clocks import COMPILER, Clocks

DAY = 86_400


@unittest.skipUnless(COMPILER, "no C compiler here")
class MovedClocks(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.clocks = Clocks(self.folder)
        self.laptop, self.phone = self.device("laptop"), self.device("phone")
        self.laptop.init()
        self.laptop.add("Kumquat")

    def inviting(self, server):
        """An invitation of ten minutes in a process whose clocks are moved."""
        with self.clocks.of(self.laptop):
            return self.laptop.inviting("--yes", "--address", server.address, "--for", "10m")

    def join(self, code, codes=(tandem.OK,)):
        return self.phone.run("join", code, "--name", "phone", codes=codes)

    def test_a_wall_clock_that_is_set_ends_no_code(self):
        for days in (1, -1):
            with self.subTest(days=days), self.laptop.serve(tcp=True) as server:
                waiting = self.inviting(server)
                self.clocks.move(wall=days * DAY)
                self.join(waiting.code)
                self.assertEqual(tandem.OK, waiting.end())
            self.assertEqual(["Kumquat"], self.phone.titles())
            self.clocks.move()
            self.phone = self.device("phone of day {}".format(days))

    def test_a_machine_that_slept_past_the_end_lets_nobody_in_whatever_the_time_says(self):
        for wall in (0, -DAY):
            with self.subTest(wall=wall), self.laptop.serve(tcp=True) as server:
                waiting = self.inviting(server)
                # While a machine sleeps the monotonic clock stands still.
                self.clocks.move(wall=wall, boot=601)
                self.assertEqual(tandem.NOTHING, waiting.end())
                refused = self.join(waiting.code, codes=(tandem.REFUSED,))
                self.assertIn("no device waits with this code", refused.errors)
                self.clocks.move()
        self.assertFalse(os.path.exists(self.phone.store))
