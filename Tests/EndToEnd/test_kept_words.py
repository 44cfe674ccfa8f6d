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

    def test_a_filter_that_leaves_out_what_no_to_do_has_says_so_and_changes_nothing(self):
        self.laptop.run("add", "Pay the rent", "project:Home", "+keep", "x.size:3", "person:Anna", "due:2020-01-01")
        self.laptop.run("add", "Old note", "project:Home.Garden")
        for word, kind, name in (
                ("-Keep", "tag", "keep"), ("-kepe", "tag", "keep"), ("-overdue", "tag", "OVERDUE"), ("-OVERDU", "tag", "OVERDUE"),
                ("tag.not:Keep", "tag", "keep"), ("-project:Hom", "project", "Home"), ("-project:garden", "project", "Home.Garden"),
                ("-person:Ann", "person", "Anna"), ("-x.siz:3", "field", "size"), ("not sizes.over:2", "field", "size")):
            told = self.laptop.run("list", *word.split())
            self.assertIn("there is no {} ".format(kind), told.errors, word)
            self.assertIn(name, told.errors, word)
            for command in ("delete", "done", "cancel", "edit"):
                line = [command, "--where", "not project:Work " + word, "--yes"] + ["+x"] * (command == "edit")
                refused = self.laptop.run(*line, codes=(USAGE,)).errors
                self.assertIn("nothing was done; did you mean {}?".format(name), refused, line)
        self.assertEqual(2, len(self.laptop.live()))
        for words in (("-someday",), ("-project:Work",), ("+OVERDUE",), ("-keep",), ("-OVERDUE",), ("-x.size:4",)):
            self.assertEqual("someday" in words[0] or "Work" in words[0], bool(self.laptop.run("list", *words).errors), words)
        self.assertIn("there is no tag Keep; tags: keep", self.laptop.run("save", "rest", "-Keep").errors)
        self.assertEqual("", self.laptop.run("rest").errors)
        told = self.laptop.run("delete", "project:Home", "-someday", "--yes")
        self.assertIn("there is no tag someday", told.errors)
        self.assertEqual([], self.laptop.live())

    def test_a_relay_refuses_a_folder_where_it_takes_a_database(self):
        for words in (("--print-config", "--store=" + self.folder), ("check", "--store", self.folder), ("--store", self.folder)):
            refused = self.laptop.run("relay", *words, codes=(tandem.CONFIGURATION,)).errors
            self.assertIn("for a folder: --folder FOLDER", refused)

    def test_a_saved_view_is_shown_by_a_line_that_no_alias_takes(self):
        self.laptop.run("config", "alias.w", "add")
        self.assertIn("next: tandem view w\n", self.laptop.run("save", "w", "+a").output)
        self.assertIn("show it: tandem view w", self.laptop.run("view").output)
        self.assertIn("next: tandem v\n", self.laptop.run("save", "v", "+a").output)

    def test_the_line_for_a_copy_has_all_that_can_be_typed_and_says_what_has_no_place(self):
        self.laptop.run("add", "Buy milk")
        self.laptop.run("add", "House")
        self.laptop.run("add", "Paint: it", "depends:1", "parent:2", "notes:two\n\ncoats of", "x.lines:a\nb", "+home")
        told = self.laptop.run("3", "duplicate", codes=(USAGE,)).errors
        self.assertIn("depends:1", told)
        self.assertIn("left out, as no line takes it: x.lines, empty lines of the notes", told)
        line = told.split("for that, run: tandem ")[1].split("\n")[0]
        done = subprocess.run(
            ["sh", "-c", "'{}' {}".format(tandem.BINARY, line)], env=self.laptop.environment(), capture_output=True, text=True)
        self.assertEqual(0, done.returncode, line + done.stderr)
        one, other = [self.laptop.show(name) for name in ("3", "4")]
        self.assertEqual(one["notes"].replace("\n\n", "\n"), other["notes"])
        for key in ("title", "depends", "parent", "tags"):
            self.assertEqual(one[key], other[key])


class PurgeConflictTests(TandemTestCase):
    def test_what_was_edited_while_purged_is_named_by_its_title_and_told_in_words(self):
        laptop, phone = self.pair()
        todo = laptop.add("Old title")
        self.meet(laptop, phone)
        laptop.delete(todo)
        laptop.purge(todo)
        phone.edit(todo, "edited offline", "+hot")
        self.meet(laptop, phone)
        told = laptop.run("conflicts").output
        self.assertNotIn("text(", told)
        self.assertIn("tags: added hot", told)
        laptop.run("resolve", "edited offline", "--copy")
        self.assertEqual(["edited offline"], laptop.titles())
