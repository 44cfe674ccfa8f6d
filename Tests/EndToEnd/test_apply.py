"""A way in for other programs: a line of JSON for each change, all or none, each once."""

import json
import os
import subprocess
import unittest

import tandem_process as tandem


class Apply(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def apply(self, *lines, words=(), codes=(tandem.OK,)):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        return self.laptop.run("apply", "-", *words, text=text, codes=codes)

    def test_numbers_and_ids_name_to_dos_and_a_line_twice_changes_nothing(self):
        self.laptop.run("add", "Buy milk")
        self.laptop.run("list")
        lines = [
            {"key": "1", "kind": "update", "id": 1, "item": {"notes": "two", "remind": ["2030-01-01T08:00:00Z"]}},
            {"key": "2", "kind": "insert", "item": {"title": "Bread", "due": "2026-12-01"}},
            {"key": "3", "kind": "delete", "id": "1"}]
        rehearsed = self.apply(*lines, words=("--dry-run",)).output
        self.assertIn("Updated: Buy milk\nInserted: Bread\nDeleted: Buy milk\nNothing was saved", rehearsed)
        self.assertEqual(["Buy milk"], self.laptop.titles())
        done = self.apply(*lines, words=("--json",)).values()
        self.assertEqual(["updated", "inserted", "deleted"], [row["outcome"] for row in done])
        self.assertEqual(["Bread"], self.laptop.titles())
        self.apply(*lines[1:2])
        self.assertEqual(["Bread"], self.laptop.titles())
        # One undo takes back all.
        self.laptop.run("undo")
        self.assertEqual(["Buy milk"], self.laptop.titles())

    def test_a_known_key_with_other_content_is_told(self):
        line = {"key": "1", "kind": "insert", "item": {"title": "Bread", "notes": "two"}}
        self.apply(line)
        again = {"key": "1", "kind": "insert", "item": {"notes": "two", "title": "Bread"}}
        self.assertEqual("Known: Bread\n", self.apply(again).output)
        other = {"key": "1", "kind": "insert", "item": {"title": "Butter"}}
        told = self.apply({"key": "2", "kind": "insert", "item": {"title": "Milk"}}, other, codes=(4,)).output
        self.assertIn("Inserted: Milk\nKnown: Bread\n  line 2 says something else than the change of key '1'", told)
        for line, differs in ((again, False), (other, True)):
            row = self.apply(line, words=("--json",), codes=(4 if differs else tandem.OK,)).values()[0]
            self.assertEqual(("known", differs), (row["outcome"], row["differsFromKnown"]))
        self.assertEqual(["Bread", "Milk"], sorted(self.laptop.titles()))

    def test_a_wrong_line_is_named_and_nothing_is_saved(self):
        good = {"key": "1", "kind": "insert", "item": {"title": "Bread"}}
        for bad in ('{"key"', {"key": "2", "kind": "update", "id": 99, "item": {}},
                    {"key": "2", "kind": "insert", "item": {"title": "x", "due": "soon"}},
                    {"key": "2", "kind": "insert", "item": {"title": "x", "dew": "\x1b[31m"}}):
            done = self.apply(good, bad, codes=(tandem.BAD_DATA,))
            self.assertIn("line 2: ", done.errors)
            self.assertIn("nothing was saved", done.errors)
            self.assertNotIn("\x1b", done.errors)
            self.assertEqual([], self.laptop.titles())
        # Words of a title name nothing here: nobody could be asked.
        self.laptop.run("add", "Coffee cafe")
        for word in ("cafe", "coffee", "last", "1-2"):
            bad = {"key": "3", "kind": "delete", "id": word}
            self.assertIn("nothing was saved", self.apply(bad, codes=(tandem.BAD_DATA,)).errors)
        self.assertEqual(["Coffee cafe"], self.laptop.titles())
        self.laptop.run("apply", codes=(tandem.USAGE,))
        self.laptop.run("apply", os.path.join(self.folder, "none"), codes=(tandem.NO_INPUT,))

    def test_what_a_watch_prints_makes_the_same_to_dos_elsewhere(self):
        other = self.device("other")
        other.init()
        watch = self.laptop.start("watch", "--json", "--count", "3", output=subprocess.PIPE)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(tandem.kill, watch)
        first = watch.stdout.readline()
        added = self.laptop.add("Buy milk", "due:2026-12-01", "+errand", "remind:-1d")
        lines = [first, watch.stdout.readline()]
        self.laptop.edit(added, "notes:two")
        lines.append(watch.stdout.readline())
        self.laptop.done(added)
        lines.append(watch.stdout.readline())
        text = "".join(line if isinstance(line, str) else line.decode() for line in lines)
        self.assertEqual(4, text.count("\n"))
        other.run("apply", "-", text=text)

        def shown(device):
            todo = json.loads(device.run("show", added, "--json").output)
            return {name: todo.get(name) for name in ("title", "due", "tags", "notes", "remind", "status", "completed")}
        self.assertEqual(shown(self.laptop), shown(other))
        other.run("apply", "-", text=text)
        self.assertEqual(shown(self.laptop), shown(other))


if __name__ == "__main__":
    unittest.main()
