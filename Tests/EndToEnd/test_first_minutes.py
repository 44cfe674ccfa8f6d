"""The first minutes: the list is there at once, a code fits the screen, and a relay begins with what it is."""

import subprocess
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from test_newcomer import Typist

SCREEN_LINES = 40


class FirstMinutesTests(RelayTestCase):
    def test_who_joins_a_serving_device_has_its_list_at_once(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        laptop.run("add", "Buy milk")
        with laptop.serve() as server:
            joined = phone.run("init", "--name", "phone", "--from", server.address)
        self.assertIn("1 to-do pending", joined.output)
        self.assertEqual(phone.titles(), ["Buy milk"])

    def test_an_invitation_with_its_picture_fits_a_small_terminal(self):
        laptop = self.device("laptop")
        laptop.init()
        typist = Typist(laptop, "invite", "--relay", self.relay.told["relay"])
        typist.wait_for("type them here")
        typist.process.terminate()
        typist.end()
        lines = typist.shown.splitlines()
        self.assertIn("▀", typist.shown)
        # One more is for the cursor.
        self.assertLess(len(lines), SCREEN_LINES)

    def test_a_relay_says_first_where_it_listens_though_few_descriptors_are_left(self):
        folder = self.folder + "/small"
        limited = 'ulimit -n 300; exec "$@"'
        process = subprocess.Popen(
            ["bash", "-c", limited, "bash", tandem.BINARY, "relay", "--listen", "127.0.0.1:0",
             "--folder", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=self.device("none").environment())
        self.addCleanup(process.stderr.close)
        first, second = process.stderr.readline(), process.stderr.readline()
        process.terminate()
        process.wait(timeout=30)
        self.assertIn("event=listening", first)
        self.assertIn("event=descriptors-few", second)


if __name__ == "__main__":
    unittest.main()
