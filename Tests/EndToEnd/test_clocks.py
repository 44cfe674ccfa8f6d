"""A code ends by the clock that counts a machine's sleep, and no setting of the time moves that."""

import os
import shutil
import subprocess
import unittest

import tandem_process as tandem

DAY = 86_400
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "moved_clock.c")
COMPILER = shutil.which("cc") or shutil.which("clang")


@unittest.skipUnless(COMPILER, "no C compiler here")
class MovedClocks(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.library = os.path.join(self.folder, "clocks.so")
        subprocess.run(
            [COMPILER, "-shared", "-fPIC", "-o", self.library, SOURCE], check=True, timeout=60)
        self.clocks = os.path.join(self.folder, "clocks")
        self.move()
        self.laptop, self.phone = self.device("laptop"), self.device("phone")
        self.laptop.init()
        self.laptop.add("Kumquat")

    def move(self, wall=0, monotonic=0, boot=0):
        """Sets how far the clocks of the invitation are off; in seconds."""
        with open(self.clocks + ".new", "w") as file:
            file.write("{} {} {}\n".format(wall, monotonic, boot))
        os.rename(self.clocks + ".new", self.clocks)

    def inviting(self, server):
        """An invitation of ten minutes in a process whose clocks are moved."""
        own = self.laptop.environment
        self.laptop.environment = lambda: dict(
            own(), LD_PRELOAD=self.library, TANDEM_TEST_CLOCKS=self.clocks)
        try:
            return self.laptop.inviting("--yes", "--address", server.address, "--for", "10m")
        finally:
            self.laptop.environment = own

    def join(self, code, codes=(tandem.OK,)):
        return self.phone.run("join", code, "--name", "phone", codes=codes)

    def test_a_wall_clock_that_is_set_ends_no_code(self):
        for days in (1, -1):
            with self.subTest(days=days), self.laptop.serve(tcp=True) as server:
                waiting = self.inviting(server)
                self.move(wall=days * DAY)
                self.join(waiting.code)
                self.assertEqual(tandem.OK, waiting.end())
            self.assertEqual(["Kumquat"], self.phone.titles())
            self.move()
            self.phone = self.device("phone of day {}".format(days))

    def test_a_machine_that_slept_past_the_end_lets_nobody_in_whatever_the_time_says(self):
        for wall in (0, -DAY):
            with self.subTest(wall=wall), self.laptop.serve(tcp=True) as server:
                waiting = self.inviting(server)
                # While a machine sleeps the monotonic clock stands still.
                self.move(wall=wall, boot=601)
                self.assertEqual(tandem.NOTHING, waiting.end())
                refused = self.join(waiting.code, codes=(tandem.REFUSED,))
                self.assertIn("nobody waits with this code", refused.errors)
                self.move()
        self.assertFalse(os.path.exists(self.phone.store))
