"""Every way to name a to-do, in every command that takes one, and the questions that name their titles."""

import datetime
import json
import os
import time
import unittest

from tandem_process import CONFIGURATION, NOTHING, OK, REFUSED, USAGE, TandemTestCase
from test_newcomer import Typist


class NamingTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def fill(self, *titles):
        ids = [self.laptop.add(title) for title in titles]
        self.laptop.run("list")
        return ids

    def answer(self, words, question, answer):
        """What a command shows that asks once, and its exit code."""
        typist = Typist(self.laptop, *words)
        typist.wait_for(question)
        typist.type(answer + "\n")
        code = typist.end()
        return code, typist.shown

    def pending(self):
        return sorted(todo["title"] for todo in self.laptop.live() if todo["status"] == "pending")

    def test_several_that_words_may_mean_are_asked_about_and_the_answer_is_taken(self):
        self.fill("Buy milk", "Milk the cow", "Bread")
        code, shown = self.answer(("done", "milk"), "Which one? ", "2")
        self.assertEqual(OK, code)
        self.assertLess(shown.index("1  Buy milk"), shown.index("2  Milk the cow"))
        self.assertNotIn("Bread", shown)
        self.assertEqual(["Bread", "Buy milk"], self.pending())
        self.laptop.run("add", "More milk")
        for answer in ("", "9", "milk", "1 4"):
            code, shown = self.answer(("delete", "milk"), "Which one? ", answer)
            self.assertEqual(NOTHING, code, answer)
            self.assertIn("nothing was done; good answers are one of: 1, 4", " ".join(shown.split()))
        self.assertEqual(["Bread", "Buy milk", "More milk"], self.pending())

    def test_several_words_of_a_title_name_it_in_every_command_and_never_become_the_title(self):
        self.fill("Buy milk", "Walk the dog", "Bread")
        titles = self.pending()
        for words in (("edit", "buy", "milk", "due:fri"), ("edit", "walk", "dog"), ("edit", "Walk", "the", "cat", "due:fri")):
            told = self.laptop.run(*words, codes=(USAGE,)).errors
            self.assertIn("would be the title of", told)
        self.assertEqual(titles, self.pending())
        told = self.laptop.run("edit", "buy", "milk", codes=(USAGE,)).errors
        self.assertIn("tandem edit 'buy milk' WORDS", told)
        self.laptop.run("edit", "buy milk", "due:2030-01-02")
        for command in ("show", "why", "history", "start"):
            self.assertIn("Walk the dog", self.laptop.run(command, "walk", "dog").output)
        self.laptop.run("move", "--top", "walk", "dog")
        self.assertIn("Walk the dog", self.laptop.run("list", "--by", "manual").output.splitlines()[0])
        # Its whole title names it without a doubt, and an id does.
        self.laptop.run("edit", "bread", "Buy rolls")
        milk = next(todo for todo in self.laptop.live() if todo["title"] == "Buy milk")
        self.laptop.run("edit", milk["id"], "Buy oat milk")
        self.assertEqual(["Buy oat milk", "Buy rolls", "Walk the dog"], self.pending())

    def test_more_words_of_a_title_are_neither_put_beside_it_nor_noted(self):
        self.fill("Fix bike", "Call Anna")
        before = self.laptop.live()
        for command, effect in (
                ("append", "would be put behind 'Fix bike'"), ("prepend", "would be put in front of 'Fix bike'"),
                ("annotate", "would be a line in the notes of 'Fix bike'")):
            told = self.laptop.run(command, "Fix", "bike", "tomorrow", codes=(USAGE,)).errors
            self.assertIn("'bike tomorrow' " + effect, told)
            self.assertIn("tandem {} 1 'bike tomorrow'".format(command), told)
            self.assertIn("tandem {} 'Fix bike' tomorrow".format(command), told)
            self.assertNotIn("by more words", self.laptop.run(command, "fix", "it", codes=(USAGE,)).errors)
        self.assertEqual(before, self.laptop.live())
        # What it says to type does it; keys and tags need no more.
        self.laptop.run("append", "Fix bike", "tomorrow")
        self.laptop.run("append", "call", "+phone")
        self.laptop.run("annotate", "2", "Anna", "back")
        self.laptop.run("prepend", "call anna", "Soon:")
        self.laptop.run("append", "fix", "--", "at noon")
        todos = self.laptop.live()
        self.assertEqual(["Fix bike tomorrow at noon", "Soon: Call Anna"], sorted(todo["title"] for todo in todos))
        self.assertEqual(1, len([todo for todo in todos if todo.get("notes", "").endswith("Anna back")]))

    def test_the_title_of_another_to_do_never_becomes_a_title_by_itself(self):
        self.fill("Milk", "Bread", "Milk bread")
        before = self.laptop.live()
        for words, line in (
                (("edit", "Milk", "Bread", "due:2030-01-02"), "tandem edit 3 due:2030-01-02"),
                (("edit", "1", "bread", "due:2030-01-02"), "tandem edit 1,2 due:2030-01-02"),
                (("edit", "Bread", "milk"), "tandem edit 2,1 WORDS"),
                (("append", "Milk", "bread"), "tandem append 3 WORDS"), (("annotate", "Bread", "milk"), "2,1")):
            told = self.laptop.run(*words, codes=(USAGE,)).errors
            self.assertIn("is a to-do of its own", told, words)
            self.assertIn(line, told)
        self.assertEqual(before, self.laptop.live())
        self.laptop.run("edit", "1", "title:Bread")
        self.laptop.run("edit", self.laptop.live()[0]["id"], "Bread")
        self.assertGreater(self.pending().count("Bread"), 1)

    def test_more_words_of_a_longer_title_are_no_words_for_a_shorter_one(self):
        self.fill("Call", "Call Anna", "Sand", "Sand the boards", "Bread")
        before = self.laptop.live()
        for typed, longer, shorter in (
                ("append call anna, tonight", "append 2 tonight", "append 1 anna, tonight"),
                ("append call anna +x tonight", "append 2 +x tonight", "append 1 anna +x tonight"),
                ("prepend call ann URGENT", "prepend 2 URGENT", "prepend 1 ann URGENT"),
                ("edit call anna bob", "edit 2 bob", "edit 1 'title:anna bob'"),
                ("edit call anna due:2030-01-02", "edit 2 due:2030-01-02", "edit 1 title:anna due:2030-01-02"),
                ("annotate sand the boards use grit", "annotate 4 use grit", "annotate 3 the boards use grit"),
                ("annotate sand the boards", "annotate 4 WORDS", "annotate 3 the boards")):
            told = self.laptop.run(*typed.split(), codes=(USAGE,)).errors
            self.assertIn("for that one: tandem {}; for '".format(longer), told)
            self.assertTrue(told.endswith(": tandem {}\n".format(shorter)), told)
            for title in ("Call", "Call Anna") if "call" in typed else ("Sand", "Sand the boards"):
                self.assertIn("'{}'".format(title), told)
        self.assertEqual(before, self.laptop.live())
        # Neither other words nor the same ones again say that another one is meant.
        self.laptop.run("append", "call", "the", "office")
        self.laptop.run("edit", "sand", "Sand", "and", "stones")
        self.laptop.run("annotate", "bread", "call", "first")
        self.assertEqual(["Bread", "Call Anna", "Call the office", "Sand and stones", "Sand the boards"], self.pending())

    def test_an_example_for_one_of_several_keeps_no_word_of_the_name_as_text(self):
        self.fill("Buy milk", "Buy bread")
        for typed, line in (
                ("edit buy milk +urgent", "edit 1 +urgent"), ("edit buy +urgent milk due:fri", "edit 1 +urgent due:fri"),
                ("append buy milk hello", "append 1 WORDS"), ("annotate buy milk +x", "annotate 1 WORDS"),
                ("edit buy milk", "edit 1 WORDS"), ("edit buy -- milk", "edit 1 -- milk"),
                ("done buy", "done 1"), ("list depends:buy", "list depends:1")):
            told = self.laptop.run(*typed.split(), codes=(USAGE,)).errors
            self.assertTrue(told.endswith(", for example: tandem {}\n".format(line)), told)

    def test_what_stands_in_a_title_names_it_wherever_a_to_do_is_named(self):
        self.fill("Bread", "Milk", "2", "9 lives")
        for command in ("show", "history", "why", "start"):
            self.assertRegex(self.laptop.run(command, "title:2").output, r"(^|\W)2(\W|$)")
            self.assertIn("9 lives", self.laptop.run(command, "TITLE:9", "lives").output)
        self.laptop.run("edit", "1", "depends:title:2", "parent:title:9")
        self.assertIn("waits for", self.laptop.run("show", "1").output)
        self.laptop.run("move", "title:2", "--top")
        self.laptop.run("delete", "title:2", "--yes")
        self.laptop.run("restore", "title:2")
        self.assertIn("2", self.pending())

    def test_lines_to_type_name_the_store_that_the_command_line_named(self):
        store = os.path.join(self.folder, "D d")
        option = "tandem --store '{}' ".format(store)
        self.laptop.run("init", "--store", store, "--name", "other")

        def told(typed, *codes):
            result = self.laptop.run("--store", store, *typed.split(), codes=codes or (OK,))
            return result.output + result.errors
        self.assertIn("next: " + option + "add Buy milk", told("list", NOTHING))
        for title in ("Call", "Call Anna", "Parent"):
            told("add " + title)
        told("add Part parent:parent")
        for typed, line in (
                ("edit call anna due:fri", "edit 2 due:fri"), ("done parent", "done 4"), ("delete 4", "restore 4"),
                ("move 1", "move 1 --top"), ("show 99", "list"), ("edit call", "edit call due:monday")):
            self.assertIn(option + line, " ".join(told(typed, OK, NOTHING, USAGE, REFUSED).split()), typed)
        # Lines of other programs, and commands behind a name, keep their options.
        for typed in ("1 modify due:fri", "done 1 due:fri", "edit 1 done", "1 done", "newest"):
            self.assertRegex(told(typed, USAGE), "--store[= ]'?" + self.folder)
        keyring = os.path.join(store, "keyring")
        os.chmod(keyring, 0o644)
        self.assertIn("Next: chmod 600 '{}'".format(keyring), told("sync", CONFIGURATION))
        # Without the option a line has none.
        self.assertIn(": tandem list;", self.laptop.run("show", "99", codes=(NOTHING,)).errors)

    def test_ranges_name_what_the_command_is_for_and_may_go_far(self):
        device = self.laptop
        self.fill(*"abcdef")

        def pending():
            return "".join(sorted(todo["title"] for todo in device.live() if todo["status"] == "pending"))
        device.run("done", "3-6")
        self.assertIn("no pending to-do has a number from 3 to 6", device.run("done", "3-6", codes=(NOTHING,)).errors)
        self.assertIn("completed", device.run("show", "3-4").output)
        device.run("reopen", "3-5")
        self.assertEqual("abcde", pending())
        device.run("delete", "1-2", "--yes")
        device.run("restore", "1-2")
        self.assertEqual("abcde", pending())
        for word in ("7-1000000", "1000000-2000000", "7-99999999"):
            told = device.run("done", word, codes=(NOTHING,)).errors
            self.assertIn("no pending to-do has a number from {} to {}".format(*word.split("-")), told)
        self.assertIn("'12ab-34'", device.run("done", "12ab-34", codes=(NOTHING,)).errors)
        device.run("edit", "2", "+x")
        device.run("done", "1,last")
        self.assertEqual("cde", pending())
        device.run("done", "1-1000000")
        self.assertEqual("", pending())

    def test_a_number_behind_last_is_no_new_title_unless_it_is_quoted(self):
        self.fill("Bread", "Milk")
        told = self.laptop.run("edit", "last", "1", "eggs", codes=(USAGE,)).errors
        self.assertIn("write it in quotes: tandem edit last '1 eggs'", told)
        self.assertIn("tandem edit 2,1 WORDS", told)
        told = self.laptop.run("edit", "last", "1", codes=(USAGE,)).errors
        self.assertIn("tandem edit 2,1 WORDS", told)
        told = self.laptop.run("edit", "last", "+shop", "1", "eggs", codes=(USAGE,)).errors
        self.assertIn("write it in quotes: '1 eggs';", told)
        self.assertEqual(["Bread", "Milk"], self.pending())
        self.laptop.run("edit", "last", "+shop", "1 eggs")
        # The number may be that of another to-do.
        told = self.laptop.run("edit", "1", "2", "loaves", codes=(USAGE,)).errors
        self.assertIn("write it in quotes: tandem edit 1 '2 loaves'", told)
        self.assertIn("tandem edit 1,2 WORDS", told)
        for word, names in (("to", "1-2"), ("and", "1,2")):
            told = self.laptop.run("edit", "1", word, "2", "due:fri", codes=(USAGE,)).errors
            self.assertIn("tandem edit " + names + " due:fri; for the title '" + word + " 2'", told)
        self.assertEqual(["1 eggs", "Bread"], sorted(self.pending()))
        self.laptop.run("edit", "1", "2 loaves")
        self.assertEqual(["1 eggs", "2 loaves"], self.pending())

    def test_a_tag_that_no_word_can_remove_never_becomes_the_title(self):
        self.laptop.run("add", "Odd", "tags:b c")
        for word in ("-b c", "-(p)", '-"q"'):
            told = self.laptop.run("edit", "1", word, codes=(USAGE,)).errors
            self.assertIn("tandem edit 1 tags:one,two", " ".join(told.split()))
        self.laptop.run("edit", "1", "tags:x")
        self.assertEqual([("Odd", ["x"])], [(todo["title"], todo["tags"]) for todo in self.laptop.live()])

    def test_a_number_of_before_a_backup_was_put_in_place_means_nothing_until_it_is_shown(self):
        backup = self.laptop.store + ".backup"
        self.fill("Pay rent")
        self.laptop.run("backup", backup)
        self.fill("Alpha", "Beta")
        os.rename(self.laptop.store, self.laptop.store + ".old")
        os.rename(backup, self.laptop.store)
        for title in ("Gamma", "Delta"):
            self.assertEqual(OK, Typist(self.laptop, "add", title).end())
        told = self.laptop.run("delete", "2", codes=(REFUSED,)).errors
        self.assertIn("see: tandem list", " ".join(told.split()))
        self.assertEqual(["Delta", "Gamma", "Pay rent"], self.pending())
        self.laptop.run("list")
        self.laptop.run("delete", "2")
        self.assertEqual(["Gamma", "Pay rent"], self.pending())

    def test_notes_that_are_replaced_are_told_and_those_that_grow_are_not(self):
        self.laptop.run("add", "Milk", "notes:oat, or soy")
        told = self.laptop.run("edit", "1", "notes+:the big one").output
        self.assertNotIn("were", told)
        for change, what in ((["notes:none of it"], 'notes "none of it"; the notes were "oat, or soy the big one"'),
                             (["notes:"], 'no notes; the notes were "none of it"')):
            self.assertIn(what, " ".join(self.laptop.run("edit", "1", *change).output.split()))

    def test_the_last_one_is_also_the_last_of_several(self):
        self.fill("One", "Two", "Three", "Four")
        self.laptop.run("edit", "1,2", "due:2030-01-02")
        self.assertIn("Two", self.laptop.run("show", "last").output)
        self.laptop.run("edit", "3,4", "+x")
        self.assertIn("Four", self.laptop.run("done", "last").output)

    def test_a_title_that_is_not_where_a_command_looks_is_not_said_to_be_unknown(self):
        self.fill("Roof")
        for command in ("purge", "restore"):
            told = self.laptop.run(command, "roof", "--yes", codes=(OK, NOTHING, REFUSED, USAGE))
            self.assertNotIn("no to-do has", told.errors + told.output)
        self.assertEqual(["Roof"], self.pending())

    def test_a_series_that_an_edit_completes_goes_on(self):
        self.laptop.run("add", "Water", "due:2030-01-04", "repeat:weekly")
        told = self.laptop.run("edit", "Water", "status:completed").output
        self.assertRegex(told, r"next: Water \(\d+\), due Fri 11 Jan 2030")
        self.assertEqual(["2030-01-11"], [todo["due"] for todo in self.laptop.live() if todo["status"] == "pending"])
        self.laptop.run("add", "Weed", "due:2030-01-04", "repeat:weekly")
        self.laptop.run("edit", "Weed", "status:cancelled")
        self.assertEqual(["Water"], self.pending())

    def test_a_question_about_several_names_their_titles(self):
        self.fill("Late one", "Late two", "On time")
        for number in ("1", "2"):
            self.laptop.run("edit", number, "due:2020-01-01")
        for words, question in (
                (("edit", "+OVERDUE", "priority:high"), "Change 2 to-dos?"),
                (("done", "--where", "+OVERDUE"), "2 to-dos?"),
                (("delete", "--where", "+OVERDUE"), "2 to-dos?")):
            code, shown = self.answer(words, question, "n")
            self.assertNotEqual(OK, code, words)
            for title in ("Late one", "Late two"):
                self.assertIn(title, shown, words)
            self.assertNotIn("On time", shown, words)
        self.assertEqual(["Late one", "Late two", "On time"], self.pending())
        # Each begins and goes on from today in one word, once it is said that both are meant.
        for title in ("Water", "Dust"):
            self.laptop.run("add", title, "due:2020-01-03", "repeat:weekly")
        code, shown = self.answer(("catchup",), "?", "n")
        self.assertIn("Water", shown)
        self.assertIn("Dust", shown)
        self.laptop.run("delete", "1", "2", "--yes")
        code, shown = self.answer(("purge", "late", "one"), "Purge 'Late one'?", "n")
        self.assertEqual(2, len(self.laptop.trash()))

    def test_what_is_overdue_goes_to_today_with_four_words_however_much_it_is(self):
        self.fill("a", "b", "c")
        for number in ("1", "2"):
            self.laptop.run("edit", number, "due:2020-01-01")
        words = ("edit", "+OVERDUE", "due:today")
        self.assertLessEqual(len(words) + 1, 4)
        code, shown = self.answer(words, "Change 2 to-dos?", "y")
        self.assertEqual(OK, code, shown)
        dates = {todo["title"]: todo.get("due") for todo in self.laptop.live()}
        self.assertNotIn("2020-01-01", dates.values())
        self.assertEqual([True, True, False], [bool(dates[title]) for title in "abc"])

    def test_a_duration_behind_an_option_is_no_tag(self):
        self.fill("Bread")
        self.laptop.run("start", "1", "--at", "-90min")
        self.laptop.run("stop", "--at", "-2h", codes=(OK, NOTHING, REFUSED, USAGE))
        self.laptop.run("stop", "--at", "-5min")
        self.assertNotIn("tags", self.laptop.live()[0])

    # Each command with each way to name the second of three to-dos, in a store of its own for each command.
    READING = (("history", "Bread"), ("why", "Bread"), ("show", "Bread"))
    CHANGING = (
        (("append", "{}", "and butter"), lambda todo: todo["title"] == "Bread and butter"),
        (("prepend", "{}", "Fresh"), lambda todo: todo["title"] == "Fresh Bread"),
        (("annotate", "{}", "rye"), lambda todo: todo["notes"].endswith("rye")),
        (("start", "{}"), lambda todo: bool(todo["work"])),
        (("move", "{}", "--top"), lambda todo: bool(todo["position"])),
        (("edit", "{}", "+shop"), lambda todo: todo["tags"] == ["shop"]),
    )

    def names(self, todo):
        """The ways to name the to-do that was changed last."""
        return ("2", "2-2", "last", "bread", todo[-8:], todo)

    def test_a_to_do_without_a_title_is_named_as_lists_show_it(self):
        path = os.path.join(self.folder, "tasks.json")
        with open(path, "w") as file:
            file.write('[{"description": "", "status": "pending", "entry": "20261101T080000Z",'
                       ' "uuid": "00000000-0000-4000-8000-000000000001"}]')
        self.laptop.run("import", "--format", "taskwarrior", path)
        self.laptop.run("edit", "(no title)", "priority:high")
        self.assertEqual("high", self.laptop.live()[0]["priority"])
        self.fill("Not this (no title)")
        self.laptop.run("done", "(no title)")
        pending = [todo["title"] for todo in self.laptop.live() if todo["status"] == "pending"]
        self.assertEqual([""], pending)

    def test_reading_commands_take_every_way_to_name_a_to_do(self):
        _, bread, _ = self.fill("Milk", "Bread", "Tea")
        self.laptop.run("edit", "2", "priority:high")
        for word, title in self.READING:
            for name in self.names(bread):
                told = self.laptop.run(word, name, codes=(OK,)).output
                self.assertIn(title if word != "history" else "priority", told, (word, name))

    def test_changing_commands_take_every_way_to_name_a_to_do(self):
        _, bread, _ = self.fill("Milk", "Bread", "Tea")
        for words, holds in self.CHANGING:
            for name in self.names(bread):
                self.laptop.run("edit", "2", "priority:high")
                self.laptop.run("edit", "2", "priority:")
                before = {todo["id"]: todo for todo in self.laptop.live()}
                filled = [word.format(name) for word in words]
                self.laptop.run(*filled)
                after = {todo["id"]: todo for todo in self.laptop.live()}
                self.assertTrue(holds(after[bread]), (filled, after[bread]))
                if words[0] != "move":
                    self.assertEqual([bread], [todo for todo in after if after[todo] != before[todo]], filled)
                self.laptop.run("undo")
                self.assertEqual(
                    before[bread]["title"], {todo["id"]: todo for todo in self.laptop.live()}[bread]["title"], filled)

    def titles(self, output):
        """The titles in the order in which they stand in an output."""
        return [line for line in output.splitlines() if line in ("Milk", "Bread", "Tea", "Salt", "Oil")]

    def order(self):
        return [todo["title"] for todo in self.laptop.run("list", "--by", "manual", "--json").values()]

    # The ways to name the first three of five.
    SEVERAL = (("1-3",), ("1,2,3",), ("1-2,3",), ("1", "2", "3"), ("1,", "2-3"))

    def test_reading_commands_take_several(self):
        self.fill("Milk", "Bread", "Tea", "Salt", "Oil")
        for command, _ in self.READING:
            for name in self.SEVERAL:
                told = self.laptop.run(command, *name).output
                self.assertEqual(["Milk", "Bread", "Tea"], self.titles(told), (command, name))
        self.assertEqual(["Oil", "Bread"], self.titles(self.laptop.run("history", "last,2").output))
        self.assertEqual(["Tea", "Salt"], self.titles(self.laptop.run("why", "3", "4").output))
        ids = [json.loads(line)["id"] for line in self.laptop.run("why", "1-2", "--json").output.splitlines()]
        self.laptop.run("edit", "1-3", "+shop")
        entries = self.laptop.run("history", "1,2", "--limit", "1", "--json").values()
        self.assertEqual(ids, [entry["id"] for entry in entries])

    def test_several_are_moved_together_in_the_order_in_which_they_are_named(self):
        self.fill("Milk", "Bread", "Tea", "Salt", "Oil")
        for name in self.SEVERAL:
            told = self.laptop.run("move", *name, "--after", "5").output
            self.assertEqual(["Moved: " + title for title in ("Milk", "Bread", "Tea")], told.splitlines())
            self.assertEqual(["Salt", "Oil", "Milk", "Bread", "Tea"], self.order(), name)
            self.assertIn("Was there already", self.laptop.run("move", *name, "--bottom").output)
            self.laptop.run("undo")
            self.assertEqual(["Milk", "Bread", "Tea", "Salt", "Oil"], self.order(), name)
        self.laptop.run("move", "5,1", "--before", "bread")
        self.assertEqual(["Oil", "Milk", "Bread", "Tea", "Salt"], self.order())
        self.laptop.run("move", "last,3", "--top")
        self.assertEqual(["Milk", "Tea", "Oil", "Bread", "Salt"], self.order())
        before = self.order()
        told = self.laptop.run("move", "1-3", "--after", "2", codes=(USAGE,)).errors
        self.assertIn("'Bread' is one of those to be moved", told)
        told = self.laptop.run("move", "1", "--after", "2-3", codes=(USAGE,)).errors
        self.assertIn("--after takes one; nothing was done; for the first of them: --after 2", told)
        told = self.laptop.run("move", "1-3", "after", "5", codes=(USAGE,)).errors
        self.assertIn("tandem move 1-3 --after 5", told)
        self.laptop.run("done", "3")
        self.laptop.run("move", "1-2,tea", "--top", codes=(NOTHING, REFUSED))
        self.assertEqual([title for title in before if title != "Tea"], self.order())

    def test_where_one_alone_makes_sense_the_refusal_of_several_says_why_and_what_to_type(self):
        self.fill("Milk", "Bread", "Tea")
        before = self.laptop.live()
        for words, reason, line in (
                (("start", "2-3"), "one timer runs at a time", "tandem start 2"),
                (("edit", "1", "parent:2-3"), "a to-do is part of one", "parent:2"),
                (("add", "Salt", "parent:2,3"), "a to-do is part of one", "parent:2")):
            told = self.laptop.run(*words, codes=(USAGE,)).errors
            self.assertIn("names 2 to-dos, and " + reason, told)
            self.assertIn("for the first of them: " + line, told)
        self.assertEqual(before, self.laptop.live())

    def test_several_are_set_back_to_a_time_by_one_edit(self):
        self.fill("Milk", "Bread", "Tea")
        time.sleep(1.1)
        then = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        time.sleep(1.1)
        self.laptop.run("edit", "1-2", "+shop")
        told = self.laptop.run("restore", "1-3", "--as-of", then, "--dry-run").output
        self.assertEqual((2, 1), (told.count("Would restore: "), told.count("Is so already: ")), told)
        self.assertEqual(2, told.count("  tags: removed shop"), told)
        told = self.laptop.run("restore", "1-3", "--as-of", then).output
        self.assertEqual((2, 1), (told.count("Restored: "), told.count("Was so already: ")))
        self.assertFalse([todo for todo in self.laptop.live() if todo.get("tags")])
        self.laptop.run("undo")
        self.assertEqual(2, len([todo for todo in self.laptop.live() if todo.get("tags")]))
        self.laptop.run("add", "Salt")
        before = self.laptop.live()
        told = self.laptop.run("restore", "1-4", "--as-of", then, codes=(NOTHING,)).errors
        self.assertIn("'Salt' was not here at that time; nothing was restored", told)
        self.assertEqual(before, self.laptop.live())
        # A range is all of them, whether one is in the trash by now or finished.
        self.laptop.run("delete", "2")
        self.laptop.run("done", "3")
        told = self.laptop.run("restore", "1-3", "--as-of", then).output
        self.assertEqual(3, told.count("Restored: "), told)
        self.assertEqual(
            [("Bread", None), ("Milk", None), ("Salt", None), ("Tea", None)],
            sorted((todo["title"], todo.get("tags")) for todo in self.laptop.live() if todo["status"] == "pending"))
        self.laptop.run("delete", "2")
        # In the trash then as now, it stays there, and nothing is written.
        before = self.laptop.run("history", "2").output
        self.assertIn("Was so already: Bread", self.laptop.run("restore", "2", "--as-of", "now").output)
        self.assertEqual(before, self.laptop.run("history", "2").output)
        self.assertEqual(["Bread"], self.titles(self.laptop.run("restore", "1-3").output.replace("Restored: ", "")))

    def test_a_part_and_what_comes_back_from_the_trash_are_named_in_every_way(self):
        _, bread, _ = self.fill("Milk", "Bread", "Tea")
        for name in self.names(bread):
            self.laptop.run("edit", "2", "priority:high")
            self.laptop.run("edit", "2", "priority:")
            part = self.laptop.add("Part", "parent:" + name)
            self.assertEqual(bread, self.laptop.show(part)["parent"], name)
            self.laptop.run("delete", part, "--yes")
        for name in ("2", "2-2", "bread", bread[-8:], bread):
            self.laptop.run("delete", "2", "--yes")
            self.laptop.run("trash")
            self.laptop.run("restore", name)
            self.assertIn("Bread", self.pending(), name)
        self.laptop.run("delete", "2", "--yes")
        self.laptop.run("purge", "bread", "--yes")
        self.assertNotIn(bread, [todo["id"] for todo in self.laptop.trash()])

    def test_a_conflict_is_decided_by_every_way_to_name_a_to_do(self):
        laptop, phone = self.laptop, self.device("phone")
        with laptop.serve() as server:
            phone.join(server.address)
        todo = laptop.add("Bread")
        laptop.add("Milk")
        for name in ("1", "1-1", "last", "bread", todo[-8:]):
            self.meet(laptop, phone)
            laptop.edit(todo, "notes:mine " + name)
            phone.edit(todo, "notes:theirs " + name)
            self.meet(laptop, phone)
            laptop.run("list")
            laptop.edit(todo, "+last")
            self.assertEqual(1, len(laptop.conflicts()), name)
            laptop.run("resolve", name, "--field", "notes", "--mine")
            self.assertEqual([], laptop.conflicts(), name)
            self.assertEqual("mine " + name, laptop.show(todo)["notes"])

    def test_conflicts_of_several_are_decided_at_once_or_none_is(self):
        laptop, phone = self.laptop, self.device("phone")
        with laptop.serve() as server:
            phone.join(server.address)
        todos = [laptop.add(title) for title in ("Milk", "Bread", "Tea")]
        self.meet(laptop, phone)
        for todo in todos[:2]:
            laptop.edit(todo, "notes:mine")
            phone.edit(todo, "notes:theirs")
        self.meet(laptop, phone)
        laptop.run("list")
        told = laptop.run("resolve", "1-3", "--theirs", codes=(NOTHING,)).errors
        self.assertIn("'Tea'", told)
        told = laptop.run("resolve", "1,2", "--device", "desk", codes=(NOTHING,)).errors
        self.assertIn("notes of 'Milk': none of the values", told)
        self.assertIn("nothing was resolved", told)
        self.assertEqual(2, len(laptop.conflicts()))
        told = laptop.run("resolve", "1-2", "--field", "notes", "--theirs").output
        self.assertIn("Resolved: notes of 'Bread' is theirs", told)
        self.assertEqual([], laptop.conflicts())
        laptop.run("undo")
        self.assertEqual(2, len(laptop.conflicts()))

    def test_a_filter_says_which_day_is_included(self):
        self.laptop.run("add", "a", "due:2030-01-02")
        for word, told in (
                ("due.before:2030-01-05", "due before Sat 5 Jan 2030, without it"),
                ("due.by:2030-01-05", "due by Sat 5 Jan 2030, with it"),
                ("due.after:2030-01-01", "due after Tue 1 Jan 2030, without it"),
                ("not due.before:2030-01-02", "due not before Wed 2 Jan 2030, with it"),
                ("not due.by:2030-01-01", "due not by Tue 1 Jan 2030, without it"),
                ("not ( +x or not due.after:2030-01-01 )", "due after Tue 1 Jan 2030, without it")):
            shown = " ".join(self.laptop.run("list", *word.split()).output.split())
            self.assertIn(told, shown)
            if "not" in word:
                continue
            opposite = word.replace("2030", "2019" if "after" not in word else "2031")
            for command in (("done",), ("delete",), ("edit", "+x"), ("list",)):
                none = self.laptop.run(command[0], opposite, *command[1:], codes=(NOTHING,))
                self.assertIn(told.rsplit(", ", 1)[1], none.output + none.errors, command)
        self.laptop.run("add", "b", "due:2020-01-01")
        shown = " ".join(self.laptop.run("list", "due.before:eow").output.split())
        self.assertRegex(shown, r"due before Sun \d+ [A-Z][a-z]{2}( \d{4})?, without it")

    def test_the_help_on_exit_codes_names_the_commands_of_an_option(self):
        told = " ".join(self.laptop.run("help", "exit").output.split())
        self.assertIn("conflicts are unresolved (sync and status --exit-code only)", told)
        self.assertNotIn("cannot be undone", self.laptop.run("help", "resolve").output)

    def test_digits_that_are_no_number_and_empty_words_do_nothing(self):
        self.fill("Buy 0.5 l cream")
        before = self.laptop.live()
        for word in ("0", "00", "1-0", "0-1", "1,0", "-1"):
            for words in (("done", word), ("delete", word), ("edit", word, "due:fri"), ("start", word),
                          ("purge", word, "--yes", "--force"), ("show", word), ("skip", word)):
                told = self.laptop.run(*words, codes=(NOTHING,) if word != "-1" else (NOTHING, USAGE)).errors
                if word != "-1":
                    self.assertIn("no to-do has the number " + word.split(",")[-1], told, words)
        for word in ("", " ", "1,,1", "1-", ","):
            for words in (("done", word), ("cancel", word), ("delete", word), ("edit", word, "due:fri"), ("start", word),
                          ("purge", word, "--yes", "--force"), ("show", word), ("skip", word), ("why", word), ("history", word),
                          ("move", word, "--top"), ("append", word, "x"), ("prepend", word, "x"), ("annotate", word, "x"),
                          ("reopen", word), ("restore", word), ("catchup", word), ("resolve", word), ("done", "", "+x", "--yes"),
                          # A comma between numbers leaves none out.
                          ("done", "1", word if word != "," else "")):
                self.laptop.run(*words, codes=(USAGE,))
        self.assertEqual(before, self.laptop.live())
        self.laptop.run("done", "0.5")

    def test_a_title_is_found_as_the_list_shows_it(self):
        self.laptop.run("add", "-", text='title:"tab\tin  title"\n')
        self.assertIn("tab", self.laptop.run("list").output)
        self.laptop.run("delete", "tab in title")
        self.assertEqual([], self.pending())

    def test_a_question_tells_to_dos_of_one_title_apart(self):
        self.laptop.run("add", "Pay rent", "due:2030-01-04")
        self.laptop.run("add", "Pay rent", "due:2030-02-01")
        self.laptop.run("add", "Pay rent")
        told = self.laptop.run("done", "pay", "rent", codes=(USAGE,)).errors
        for number, date in (("1", "due Fri 4 Jan 2030"), ("2", "due Fri 1 Feb 2030"), ("3", "added ")):
            self.assertRegex(told, r"\n  {}  Pay rent  \({}".format(number, date))
        code, shown = self.answer(("delete", "1,2"), "Delete 2 to-dos?", "n")
        self.assertIn("(due Fri 1 Feb 2030)", shown)

    def test_lines_that_are_added_keep_their_order(self):
        titles = ["line {}".format(number) for number in range(40)]
        self.laptop.run("add", "-", text="\n".join(titles) + "\n")
        listed = [todo["title"] for todo in json.loads(self.laptop.run("list", "--by", "manual", "--json").output)]
        self.assertEqual(titles, listed)
        exported = self.laptop.run("export", "--format", "todotxt").output.splitlines()
        self.assertEqual(titles, [" ".join(line.split()[1:3]) for line in exported])

    def test_every_key_of_the_configuration_is_in_its_help_with_what_it_does(self):
        settings = json.loads(self.laptop.run("config", "--json").output)
        keys = [row["key"] for row in settings]
        self.assertGreater(len(keys), 8)
        told = self.laptop.run("help", "config").output
        for key in keys:
            lines = [line for line in told.splitlines() if line.startswith(key + "  ")]
            self.assertEqual(1, len(lines), key)
            self.assertGreater(len(lines[0].split()), 2, lines)
        self.assertIn("alias.", told)


if __name__ == "__main__":
    unittest.main()
