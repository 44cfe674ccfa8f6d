"""What is typed or piped reaches the to-do as it is, or is refused: no line, byte or word is lost without a word."""

import os
import subprocess

import tandem_process as tandem
from tandem_process import USAGE, TandemTestCase


class KeptWordTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def raw(self, *words, text=b""):
        return subprocess.run(
            [tandem.BINARY, *words], env=self.laptop.environment(), input=text, capture_output=True, timeout=60)

    def test_words_beside_the_sign_for_lines_hold_for_each_line(self):
        for words in (("-", "project:Home", "+errand"), ("+errand", "-", "project:Home"), ("+errand", "project:Home", "-")):
            self.laptop.run("add", *words, text="Buy stamps\n\nCall Bob +phone -- +x\n")
            todos = sorted(self.laptop.live(), key=lambda todo: todo["title"])
            self.assertEqual(
                [("Buy stamps", ["errand"], "Home"), ("Call Bob +x", ["errand", "phone"], "Home")],
                [(todo["title"], sorted(todo["tags"]), todo["project"]) for todo in todos], words)
            self.laptop.run("undo")
        told = self.laptop.run("add", "-", "project:Home", text="a\nb project:Work\n", codes=(tandem.BAD_DATA,)).errors
        self.assertIn("line 2: 'project:' stands twice", told)
        for words in (("-", "Buy", "milk"), ("Buy", "milk", "-", "+x")):
            told = self.laptop.run("add", *words, text="a\n", codes=(USAGE,)).errors
            self.assertIn("write that in quotes: '", told)
        self.assertEqual([], self.laptop.live())
        self.laptop.run("add", "Call", "Bob", "-", "the", "plumber")
        self.laptop.run("add", "- Buy milk", "+x")
        self.assertEqual(["- Buy milk", "Call Bob - the plumber"], self.laptop.titles())

    def test_bytes_that_are_no_text_are_refused_and_nothing_is_stored(self):
        done = self.raw("add", "-", text=b"Buy milk\nCaf\xe9 kaufen\n")
        self.assertEqual(USAGE, done.returncode, done.stderr)
        self.assertIn(b"line 2 is not UTF-8; nothing was saved", done.stderr)
        done = self.raw("add", "Good", b"Caf\xe9")
        self.assertEqual(USAGE, done.returncode, done.stderr)
        self.assertIn(b"argument 3", done.stderr)
        self.assertEqual([], self.laptop.live())
        folder = os.fsencode(self.folder) + b"/\xe9"
        done = subprocess.run(
            [tandem.BINARY, "init", "--name", "x"], capture_output=True, timeout=60,
            env=dict(self.laptop.environment(), TANDEM_STORE=os.fsdecode(folder)))
        self.assertEqual(tandem.CONFIGURATION, done.returncode, done.stderr)
        self.assertIn(b"TANDEM_STORE is not UTF-8", done.stderr)
        self.laptop.run("add", "-", text="Caf\u00e9 \ufffd\r\nlast line")
        self.assertEqual(["Caf\u00e9 \ufffd", "last line"], self.laptop.titles())
