"""No command acts on a to-do other than the one that its words mean, and each refusal says what to type."""

import re
import shlex
import unittest

from tandem_process import NOTHING, OK, USAGE, TandemTestCase
from test_newcomer import Typist

ADVICE = re.compile(r"for example: tandem ([^;\n]*)")
BEEF = "aabbccdd-0000-7000-8000-00000000beef"


class MeantTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def fill(self, *titles):
        for title in titles:
            self.laptop.run("add", "--", title)
        self.laptop.run("list")

    def standings(self):
        return {todo["title"]: todo["status"] for todo in self.laptop.live()}

    def beef(self):
        self.laptop.run("import", "--format", "taskwarrior", "-", text=(
            '[{{"description": "Imported", "status": "pending", "entry": "20261101T080000Z", "uuid": "{}"}}]'.format(BEEF)))

    def test_words_of_a_title_with_a_number_in_them_act_on_that_to_do_alone(self):
        self.fill("Bread", "Get 2 apples", "Send form 1", "1-3 pages", "last will", "Tea")
        before = self.standings()
        for command, told in (("done", "Done: "), ("cancel", "Cancelled: "), ("delete --yes", "Deleted: "), ("start", "Started: ")):
            for words, title in (("get 2 apples", "Get 2 apples"), ("send form 1", "Send form 1"),
                                 ("1-3 pages", "1-3 pages"), ("last will", "last will")):
                shown = self.laptop.run(*command.split(), *words.split()).output
                self.assertIn(told + title, shown)
                self.assertEqual(1, shown.count(told), shown)
                after = self.standings()
                self.assertEqual([], [key for key in before if key != title and after.get(key) != before[key]])
                self.laptop.run("undo")
        self.assertEqual(before, self.standings())
        told = self.laptop.run("purge", "send", "form", "1", "--yes", codes=(77,)).errors
        self.assertIn("'Send form 1' is not in the trash", told)

    def test_numbers_beside_words_of_another_title_do_nothing_and_the_lines_to_type_work(self):
        self.fill("Bread", "Buy milk", "Walk to town", "Tea")
        before = self.laptop.live()
        for command in ("done", "cancel", "delete --yes", "start", "reopen", "skip", "show", "history", "why", "move --top"):
            for words in ("1 milk", "milk 1", "1, tea", "1-2 tea", "last milk"):
                told = self.laptop.run(*command.split(), *words.split(), codes=(USAGE,)).errors
                self.assertIn("nothing was done", told, (command, words))
                self.assertIn("for example: tandem " + command.split()[0], told)
            for words in ("1 to 3", "1 through 3", "1 - 3", "1..3"):
                told = self.laptop.run(*command.split(), *words.split(), codes=(USAGE,)).errors
                line = "for one: tandem {} 1-3" if command != "start" else "it takes one to-do: tandem {} 1"
                self.assertIn("'{}' is no range, and nothing was done; {}".format(
                    words, line.format(command.split()[0])), told)
        self.assertEqual(before, self.laptop.live())
        told = self.laptop.run("done", "1", "nothing", codes=(USAGE,)).errors
        self.assertIn("no title has 'nothing'", told)
        self.laptop.run("done", "77", "nothing", codes=(NOTHING,))
        told = self.laptop.run("done", "1", "milk", codes=(USAGE,)).errors
        self.assertIn("for all of these: tandem done 1 2", told)
        self.laptop.run(*shlex.split(ADVICE.search(told).group(1)))
        self.assertEqual("completed", self.standings()["Buy milk"])
        self.assertEqual("pending", self.standings()["Bread"])
        self.assertIn("for all of these: tandem done 1 3", self.laptop.run("done", "1", "and", "3", codes=(USAGE,)).errors)

    def test_a_word_of_a_title_is_no_id(self):
        self.fill("Eat beef", "Visit the cafe")
        self.assertIn("Changed: Eat beef", self.laptop.run("edit", "beef", "due:fri").output)
        self.beef()
        before = self.laptop.live()
        for words in (("done", "beef"), ("delete", "beef", "--yes"), ("append", "beef", "tonight"), ("edit", "beef", "due:sat")):
            told = self.laptop.run(*words, codes=(USAGE,)).errors
            self.assertRegex(told, r"\n  1  Eat beef .*[^d]\n")
            self.assertRegex(told, r"\n  3  Imported .*  by its id\n")
            self.assertRegex(told, "for example: tandem {} [13]".format(words[0]))
        self.assertEqual(before, self.laptop.live())
        self.assertIn("Done: Eat beef", self.laptop.run("done", "eat", "beef").output)
        typist = Typist(self.laptop, "done", "cafe", "visit")
        self.assertEqual(OK, typist.end())
        typist = Typist(self.laptop, "done", "beef")
        typist.wait_for("Which one? ")
        typist.type("3\n")
        self.assertEqual(OK, typist.end())
        self.assertEqual({"completed"}, set(self.standings().values()))
        self.laptop.run("reopen", BEEF)
        self.laptop.run("done", "0000beef")

    def test_the_value_of_an_option_is_no_word(self):
        self.fill("Bread")
        other = self.device("x")
        store = other.store + "/"
        other.init()
        other.run("add", "Other")
        for command in ("done", "reopen", "start", "cancel", "reopen", "delete"):
            self.assertIn("Other", self.laptop.run(command, "1", "--store", store).output)
        self.assertEqual({"Bread": "pending"}, self.standings())

    def test_several_that_are_finished_already_are_not_asked_about(self):
        self.fill(*["Task {}".format(number) for number in range(10)], "86 Ends", "87 Ends", "Other")
        self.laptop.run("done", "1-12")
        told = self.laptop.run("done", "ends", codes=(NOTHING,)).errors
        self.assertIn("all that 'ends' may be are completed already, and nothing was done:\n", told)
        self.assertIn("86 Ends", told)
        told = self.laptop.run("done", "task", codes=(NOTHING,)).errors
        self.assertIn("  and more: tandem list --all task", told)
        self.assertIn("  and more: tandem list --all task", self.laptop.run("cancel", "task", codes=(USAGE,)).errors)
        self.assertIn("Was completed already", self.laptop.run("done", "86", "ends").output)

    def test_a_copy_of_a_title_that_looks_like_keys_has_that_title(self):
        self.fill("due:fri party +foo")
        told = self.laptop.run("1", "duplicate", "project:Home", codes=(USAGE,)).errors
        self.laptop.run(*shlex.split(told.split("run: tandem ")[1]))
        titles = [todo["title"] for todo in self.laptop.live()]
        self.assertEqual(["due:fri party +foo"] * 2, titles)

    def test_the_newest_is_told_by_its_number(self):
        self.fill("Bread", "Milk")
        self.laptop.run("delete", "1")
        told = self.laptop.run("+LATEST", "done", codes=(USAGE,)).errors
        self.assertEqual("tandem: for that, run: tandem done 2\n", told)


if __name__ == "__main__":
    unittest.main()
