"""What a newcomer types and expects: prompts, words for slips, and no more traffic than is needed."""

import os
import pty
import re
import select
import subprocess
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from tandem_process import BINARY, TandemTestCase

WAIT_SECONDS = 30


class Typist:
    """A command on a terminal of 80 columns, and somebody who types."""

    def __init__(self, device, *words):
        main, side = pty.openpty()
        self.main, self.shown = main, ""
        self.process = subprocess.Popen(
            [BINARY, *words], env=dict(device.environment(), TERM="xterm"), stdin=side, stdout=side,
            stderr=side, start_new_session=True)
        os.close(side)

    def wait_for(self, text):
        until = time.monotonic() + WAIT_SECONDS
        while text not in self.shown:
            if time.monotonic() > until or not self.read():
                raise AssertionError("{!r} is not shown:\n{}".format(text, self.shown))

    def type(self, text):
        os.write(self.main, text.encode())

    def read(self):
        if not select.select([self.main], [], [], 1)[0]:
            return True
        try:
            got = os.read(self.main, 65536)
        except OSError:
            return False
        self.shown += got.decode(errors="replace").replace("\r\n", "\n")
        return bool(got)

    def end(self):
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until and self.read():
            pass
        os.close(self.main)
        if self.process.poll() is None:
            try:
                self.process.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
        return self.process.returncode


class JoiningTests(RelayTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.device("laptop"), self.device("phone")
        self.laptop.init()
        self.laptop.add("Buy milk")

    def invite(self):
        """What `invite` shows, and the lines of the code in it."""
        told = self.laptop.run("invite", "--relay", self.relay.told["relay"]).output
        return told, [line.strip() for line in told.splitlines() if line.startswith("  ")]

    def test_without_a_code_a_terminal_is_asked_for_it(self):
        told, lines = self.invite()
        self.assertIn("`tandem join`; it asks", told)
        self.assertIn("tandem join -", told)
        self.assertGreater(len(lines), 2)
        for words in (("join",), ("join", "-")):
            _, lines = self.invite()
            typist = Typist(self.device("by-" + words[-1]), *words)
            typist.wait_for("ends:")
            # A slip in the second line, which is then typed again, in halves and small letters.
            slip = lines[1][:3] + ("0" if lines[1][3] != "0" else "1") + lines[1][4:]
            typist.type(lines[0] + "\n" + slip + "\n")
            typist.wait_for("line 2 of the code is mistyped")
            typist.type(lines[1][:17] + "\n" + lines[1][17:].lower() + "\n")
            typist.type("\n".join(lines[2:]) + "\n")
            self.assertEqual(tandem.OK, typist.end(), typist.shown)
            self.assertIn("1 to-do pending", typist.shown)

    def test_a_prompt_that_gets_no_code_changes_nothing(self):
        _, lines = self.invite()
        typist = Typist(self.phone, "join")
        typist.wait_for("ends:")
        typist.type("\n")
        self.assertEqual(tandem.NOTHING, typist.end(), typist.shown)
        typist = Typist(self.phone, "join")
        typist.wait_for("ends:")
        typist.type(lines[0] + "\n\n")
        self.assertEqual(tandem.BAD_DATA, typist.end(), typist.shown)
        self.assertIn("the end of the code is missing", typist.shown)
        self.assertFalse(os.path.exists(self.phone.store))

    def test_without_a_terminal_it_is_told_how_to_hand_the_code_over(self):
        refused = self.phone.run("join", codes=(tandem.USAGE,))
        self.assertIn("tandem join CODE", refused.errors)
        self.assertIn("tandem join - <", refused.errors)
        refused = self.phone.run("join", "-", codes=(tandem.USAGE,))
        self.assertIn("tandem invite", refused.errors)
        _, lines = self.invite()
        self.phone.run("join", "-", text="\n".join(lines) + "\n")
        self.assertEqual(["Buy milk"], self.phone.titles())

    def sent_bytes(self):
        text = self.relay.get("/metrics")[1]
        return (int(re.search(r"tandem_relay_sent_bytes_total (\d+)", text)[1]),
                int(re.search(r"tandem_relay_sent_changes_total (\d+)", text)[1]))

    def test_a_join_through_a_relay_fetches_the_space_once(self):
        self.laptop.run("add", "-", text="".join(
            "To-do {} notes:{}\n".format(number, "x" * 300) for number in range(200)))
        _, lines = self.invite()
        before = self.sent_bytes()
        self.phone.run("join", "-", text="\n".join(lines))
        byte_count, change_count = (new - old for new, old in zip(self.sent_bytes(), before))
        self.report("{} bytes, {} changes".format(byte_count, change_count))
        self.assertEqual(201, len(self.phone.titles()))
        # All to-dos and the laptop's own record, once.
        self.assertLessEqual(change_count, 202 + 3)
        self.assertEqual([], [name for name in os.listdir(self.phone.store) if "scratch" in name])

    def test_a_refused_join_leaves_a_folder_as_it_was(self):
        _, lines = self.invite()
        code = "\n".join(lines)
        self.phone.run("join", "-", text=code)
        thief = self.device("thief")
        os.mkdir(thief.store)
        with open(os.path.join(thief.store, "notes"), "w") as file:
            file.write("mine")
        refused = thief.run("join", "-", text=code, codes=(tandem.REFUSED,))
        self.assertIn("used before, by the device", refused.errors)
        self.assertEqual(["notes"], os.listdir(thief.store))

    def test_a_relay_is_no_device_to_join_from(self):
        address = self.relay.told["relay"]
        place = address[len("relay://"):]
        for words, code in (
                (("init", "--name", "phone", "--from", address), tandem.USAGE),
                (("init", "--name", "phone", "--from", place), tandem.REFUSED)):
            refused = self.phone.run(*words, codes=(code,))
            self.assertIn("relay", refused.errors)
            self.assertIn("tandem join", refused.errors)
            self.assertNotIn("approach", refused.errors)
            self.assertFalse(os.path.exists(os.path.join(self.phone.store, "store.db")))
        refused = self.laptop.run("sync", place, codes=(tandem.UNAVAILABLE,))
        self.assertIn("relay://", refused.errors)

    def test_a_relay_is_called_one_even_if_nobody_was_invited_over_it(self):
        self.laptop.run("sync", self.relay.told["relay"])
        told = self.laptop.run("status").output
        self.assertIn("relay 127.0.0.1:", told)
        self.assertNotIn("device ", told.replace("devices", ""))


if __name__ == "__main__":
    unittest.main()
