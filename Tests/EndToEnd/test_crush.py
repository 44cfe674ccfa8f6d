"""What `./Tools/crush` judges by: each kind of loss is found, and each word of a database."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests/Crush"))

from crowds import Plan
from judge import Expected, told_secrets

WRITES = """\
? 0 1 i a
! 0 1 i a
? 1 1 o a
! 1 1 o a
? 1 2 o a
? 0 2 i b
! 0 2 i b
? 0 3 d b
! 0 3 d b
? 1 3 i c
? 1 4 s a
! 1 4 s a
"""
WHOLE = ["a live 2=1.4 3=0.1 4=1.1", "b trash"]


class Judging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.plan = Plan(2)

    def findings(self, lines, writes=WRITES):
        with open(os.path.join(self.folder, "written-0"), "w") as file:
            file.write(writes)
        return Expected(self.folder, self.plan).findings(0, lines)

    def test_what_is_whole_has_no_finding(self):
        self.assertEqual(self.findings(WHOLE), [])

    def test_a_write_that_was_not_acknowledged_may_be_there_or_not(self):
        self.assertEqual(self.findings(["a live 2=1.4 3=0.1 4=1.2", "b trash", "c live 2=1.3 4=1.3"]), [])

    def test_a_lost_record_is_found(self):
        self.assertEqual(self.findings(WHOLE[1:]), ["record a of device 0 is lost"])

    def test_a_lost_edit_is_found(self):
        self.assertEqual(
            self.findings(["a live 2=1.4 3=0.1", "b trash"]), ["record a: write 1 of device 1 is not there, but 1.0"])

    def test_a_lost_delete_is_found(self):
        self.assertIn("record b is deleted, and shown", self.findings([WHOLE[0], "b live 2=0.2 3=0.2"]))

    def test_what_nobody_wrote_is_found(self):
        self.assertEqual(self.findings(WHOLE + ["d live 2=0.9"]), ["record d was never made"])
        self.assertEqual(
            self.findings(["a trash", "b trash"]), ["record a is trash, and nobody deleted it"])
        self.assertEqual(
            self.findings(["a live 2=9.9 3=0.1 4=1.1", "b trash"]), ["record a has a title that nobody wrote: 9.9"])

    def told(self, text):
        path = os.path.join(self.folder, "told")
        with open(path, "w") as file:
            file.write(text + "\n")
        return told_secrets([path])

    def test_words_of_a_database_are_found(self):
        for text in (
                "FATAL:  the database system is in recovery mode", "server closed the connection unexpectedly",
                "ERROR 40001", "57P01", "INSERT INTO version", "cannot reach /tmp/x/socket-a/.s.PGSQL.5432", "tandem_relay.version"):
            self.assertEqual(len(self.told(text)), 1, text)

    def test_words_for_devices_are_not(self):
        for text in (
                "the relay's store of space 00000000-0000-0001-0000-000000000002 is busy (sync again in a moment)",
                "the relay's disk is full (free some space at the relay, then sync again)",
                "127.0.0.1:40001: Connection refused (connect, errno 111). Side: the peer."):
            self.assertEqual(self.told(text), [], text)

    def test_options(self):
        program = os.path.join(ROOT, "Tools/crush")
        self.assertIn("--kills N", subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout)
        for words in (["--kills"], ["--kills", "many"], ["--for", "60"], ["--unknown"]):
            self.assertEqual(subprocess.run([program, *words], capture_output=True).returncode, 64, words)


if __name__ == "__main__":
    unittest.main(verbosity=2)
