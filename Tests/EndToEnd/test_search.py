"""Words are found in any part of titles and notes, shown where they stand, and gone for good with a purge."""

import json
import os
import unittest

from tandem_process import NOTHING, TandemTestCase

# Fewer to-dos are searched without an index.
INDEX_COUNT = 2_000


class SearchTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def fill(self):
        path = os.path.join(self.folder, "many.jsonl")
        with open(path, "w") as file:
            for number in range(INDEX_COUNT):
                file.write(json.dumps({"tandem": 1, "title": "Filler {}".format(number)}) + "\n")
        self.laptop.run("import", path)

    def test_the_first_search_raises_no_doubt_about_the_store(self):
        self.fill()
        replica = json.loads(self.laptop.run("status", "--json").output)["replica"]
        for words in (("list", "filler"), ("list", "filler", "19"), ("doctor",), ("list",)):
            self.assertNotIn("identity", self.laptop.run(*words).errors, words)
        self.assertEqual(replica, json.loads(self.laptop.run("status", "--json").output)["replica"])

    def files(self):
        """The bytes of everything in the store's folder."""
        data = b""
        for folder, _, names in os.walk(self.laptop.store):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    data += file.read()
        return data

    def search(self, *words, codes=(0,)):
        return self.laptop.run("list", *words, codes=codes).output

    def check(self):
        notes = "Ask in the shop behind the station whether they have a Fahrradschloss that fits, and what it costs"
        self.laptop.add("Café visit", "notes:" + notes)
        self.laptop.run("done", self.laptop.add("会議の準備 🎉"))
        shown = self.search("FAHRRAD")
        self.assertIn("Café visit", shown)
        self.assertRegex(shown, r"\n +….*have a Fahrradschloss that fits.*\n")
        self.assertNotIn("\x1b", shown)
        self.assertIn("Café visit", self.search("schloss"))
        self.assertIn("Café visit", self.search("cafe"))
        self.assertIn("会議の準備", self.search("会議", "--all"))
        self.assertIn("会議の準備", self.search("🎉", "--all"))
        self.assertIn("Nothing matches", self.search("会議", codes=(NOTHING,)))
        self.assertNotIn("Café", self.search("(schloss", "or", "準備)", "not", "visit", "--all", codes=(0, NOTHING)))
        found = json.loads(self.search("schloss", "--json"))
        self.assertEqual([one["title"] for one in found], ["Café visit"])
        self.assertIn("a Fahrradschloss that fits", found[0]["found"])
        self.assertLessEqual(len(found[0]["found"]), 80)
        self.assertNotIn("found", json.loads(self.search("visit", "--json"))[0])

    def test_words_are_found_without_an_index_and_with_one(self):
        self.check()
        for todo in self.laptop.todos():
            self.laptop.delete(todo["id"])
        self.fill()
        self.check()
        self.assertIn("todo_words", self.schema())
        self.laptop.run("doctor")

    def schema(self):
        with open(os.path.join(self.laptop.store, "store.db"), "rb") as file:
            return file.read().decode("latin-1")

    def test_a_purge_takes_a_word_out_of_every_file(self):
        """Greek letters: three are six bytes, unlike any random ones (keys, signatures). No two parts begin alike."""
        title, notes, later = "θξψζωφ", "χβγδεη", "κλμνπρ"
        self.fill()
        before = self.files()
        todo = self.laptop.add(title, "notes:{} of old".format(notes))
        self.assertIn(title, self.search(title[1:5]))
        self.assertEqual(self.parts_found(self.files(), title) + self.parts_found(self.files(), notes), 8)
        self.laptop.edit(todo, later)
        self.assertIn(later, self.search(later[1:5]))
        self.laptop.delete(todo)
        self.laptop.run("purge", todo, "--yes")
        data = self.files()
        for word in (title, notes, later):
            self.assertEqual(self.parts_found(before, word), 0)
            self.assertNotIn(word.encode(), data)
            self.assertEqual(self.parts_found(data, word), 0)
        self.assertIn(b"filler", data.lower())

    def parts_found(self, data, word):
        """How many parts of three letters, as the index has them, stand in the files.

        The index leaves out the first byte of a part where the one before begins with it."""
        parts = [word[start:start + 3] for start in range(len(word) - 2)]
        return sum(part.encode()[1:] in data for part in parts)


if __name__ == "__main__":
    unittest.main()
