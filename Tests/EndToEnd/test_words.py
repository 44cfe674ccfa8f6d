"""Words that may be meant in two ways: nothing typed is lost, and what was made of it is told."""

import os
import re
import shlex
import unittest

import tandem_process as tandem
from tandem_process import NOTHING, TandemTestCase, zone_of_morning

USAGE = 64


class WordTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def test_words_behind_notes_are_notes_and_no_title(self):
        todo = self.laptop.add("Buy milk", "notes:of", "oats,", "not", "soy", "+shop")
        shown = self.laptop.show(todo)
        self.assertEqual((shown["title"], shown["notes"], shown["tags"]), ("Buy milk", "of oats, not soy", ["shop"]))
        told = self.laptop.edit(todo, "notes:hello", "there").output
        self.assertEqual(told, 'Changed: Buy milk; notes "hello there"; the notes were "of oats, not soy"\n')
        refused = self.laptop.run("add", "notes:hello", "there", codes=(USAGE,))
        self.assertIn("words behind notes: are notes", refused.errors)
        self.assertEqual(len(self.laptop.todos()), 1)

    def test_a_title_is_not_replaced_by_what_may_be_a_part_of_a_value(self):
        todo = self.laptop.add("Mend the roof")
        for words in (("project:Home", "improvement"), ("due:", "friday"), ("location:", "Main", "street")):
            refused = self.laptop.edit(todo, *words, codes=(USAGE,))
            self.assertIn("would be the title", refused.errors)
        self.assertEqual(self.laptop.show(todo)["title"], "Mend the roof")
        self.laptop.edit(todo, "Mend the whole roof", "project:Home")
        self.assertEqual(self.laptop.show(todo)["title"], "Mend the whole roof")

    def test_a_sign_or_a_value_without_its_key_never_becomes_the_title(self):
        todo = self.laptop.add("Mend the roof")
        self.laptop.run("list")
        for word in ("+", "-", "++", "!", ":", "+😀", "+(x)", "+tag,", "+a:b", "3-4", "3,4", "2-", "1,", "2", "last",
                     "next", "all", "high", "s/item/x/", "weekly", "12:30", "5/6"):
            told = self.laptop.run("edit", "1", word, codes=(USAGE,)).errors
            self.assertTrue("title:'" + word in told or "words after --" in told or " -- " in told, (word, told))
        for key in ("parent", "depends"):
            self.assertIn("would be the title", self.laptop.run("edit", "1", key + ":Fix", "bike", codes=(USAGE,)).errors)
        self.assertEqual("Mend the roof", self.laptop.show(todo)["title"])
        self.laptop.run("edit", "1", "+2fa", "+5km")
        self.assertEqual((["2fa", "5km"], "Mend the roof"), tuple(self.laptop.show(todo)[key] for key in ("tags", "title")))
        self.laptop.run("edit", "1", "-2fa", "title:3-4")
        self.assertEqual((["5km"], "3-4"), tuple(self.laptop.show(todo)[key] for key in ("tags", "title")))

    def test_a_date_in_a_title_is_told_with_a_line_that_makes_it_one(self):
        for title, left, field in (
                ("pay 12/25", "pay", "due"), ("tomorrow buy milk", "buy milk", "due"), ("fri pay", "pay", "due"),
                ("pay rent weekly", "pay rent", "repeat"), ("wash every monday", "wash", "repeat"), ("pay 25.12.", "pay", "due"),
                ("fri is no fri", "is no fri", None), ("a tomorrow b tomorrow", "a tomorrow b", "due")):
            for words in ([title], title.split()):
                told = self.laptop.run("add", *words).errors
                line = re.search(r"next: tandem (.*)", told)
                self.assertTrue(line, told)
                self.laptop.run(*shlex.split(line[1]))
                made = self.laptop.show("last")
                if field:
                    self.assertEqual(left, made["title"])
                    self.assertTrue(made[field], title)
        todo = self.laptop.add("Roof")
        for words in (("edit", todo, "pay tomorrow"), ("append", todo, "friday"), ("prepend", todo, "fri")):
            self.assertIn("next: tandem edit last", self.laptop.run(*words).errors)
        # Of several lines the last one alone would be changed.
        for other in ("one", "two"):
            self.laptop.run("add", other, "+many")
        told = self.laptop.run("append", "+many", "friday", "--yes").errors
        self.assertIn("sets no date", told)
        self.assertNotIn("next:", told)

    def test_a_command_of_another_program_is_answered_with_ours(self):
        self.laptop.run("add", "Print the report", "due:2030-01-02")
        self.laptop.run("list")
        for words, line in (
                (("do", "1"), "tandem done 1"), (("pri", "1", "H"), "tandem edit 1 priority:high"),
                (("pri", "1", "B"), "tandem edit 1 priority:medium"), (("depri", "1"), "tandem edit 1 priority:"),
                (("note", "1", "foo"), "tandem annotate 1 foo"), (("undone", "1"), "tandem reopen 1"),
                (("close", "1"), "tandem done 1"), (("postpone", "1", "+2d"), "tandem edit 1 due:due+2d"),
                (("postpone", "1", "2d"), "tandem edit 1 due:due+2d"), (("postpone", "1", "friday"), "tandem edit 1 due:friday"),
                (("defer", "1", "wait:fri"), "tandem edit 1 wait:fri"), (("cal", "dec"), "tandem calendar dec"),
                (("archive",), "tandem list status:completed"), (("replace", "1", "Read", "it"), "tandem edit 1 Read it"),
                (("app", "1", "now"), "tandem append 1 now"), (("denotate", "1", "foo"), "tandem edit 1 notes-:foo"),
                (("1", "denotate", "two words"), "tandem edit 1 'notes-:two words'"),
                (("postpone", "1"), "tandem edit 1 due:due+2d"), (("snooze", "1"), "tandem edit 1 due:due+2d"),
                (("close", "the", "door"), "tandem list close the door"), (("pri", "H"), "tandem help edit")):
            self.assertIn(line, self.laptop.run(*words, codes=(USAGE,)).errors, words)
        self.laptop.run("edit", "1", "due:due+2d", "priority:high")
        self.assertEqual("2030-01-04", self.laptop.live()[0]["due"])
        for words in (("print",), ("listall",), ("lsprj",), ("list", "print"), ("print", "report")):
            self.assertIn("Print the report", self.laptop.run(*words).output, words)

    def test_the_line_that_a_refusal_names_is_not_refused_in_turn(self):
        todo = self.laptop.add("Roof")
        told = self.laptop.edit(todo, "modify", "5", codes=(USAGE,)).errors
        self.laptop.run(*shlex.split(re.search(r"first: tandem (.*) \(words", told)[1]))
        self.assertEqual("5", self.laptop.show(todo)["title"])
        told = self.laptop.edit(todo, "due:due+2d", codes=(USAGE,)).errors
        self.assertIn("as in due:today+2d", told)
        self.laptop.edit(todo, "due:today+2d")

    def test_what_filters_of_others_ask_for_is_told_in_ours(self):
        self.laptop.run("add", "a")
        for words, part in (
                (("list", "due:none"), "due: with nothing behind it"), (("list", "due:2030-01-01..2030-01-05"), "due.by:2030-01-05"),
                (("list", "limit:3"), "--limit 3"), (("save", "--delete", "x"), "tandem save --remove x"),
                (("context", "off"), "tandem context none")):
            self.assertIn(part, self.laptop.run(*words, codes=(USAGE,)).errors, words)

    def test_a_time_in_several_words_behind_a_date_is_told(self):
        for words, part in (
                (("due:tomorrow", "at", "9:30"), 'due:"tomorrow at 9:30"'), (("due:friday", "at", "noon"), 'due:"friday at noon"'),
                (("due:tomorrow", "at", "9"), 'due:"tomorrow 9pm"'), (("p:Work",), "did you mean project:Work?")):
            self.assertIn(part, self.laptop.run("add", "Standup", *words).errors, words)
        self.assertIn("write repeat:weekdays", self.laptop.run("add", "a", "rec:weekdays", codes=(USAGE,)).errors)
        self.assertIn("from -12:00 to +14:00", self.laptop.run("add", "a", "due:2026-12-03T14:00-15:00", codes=(USAGE,)).errors)

    def test_every_tag_of_a_line_is_kept_whatever_its_order(self):
        for words, tags in ((("+errand", "tags:food,shop"), ["errand", "food", "shop"]), (("+a", "tags:b", "+c"), ["a", "b", "c"]),
                            (("tags:b", "tags:c"), ["b", "c"])):
            self.laptop.run("add", "Oats", *words)
            self.assertEqual(tags, sorted(self.laptop.show("last")["tags"]))
        self.laptop.run("edit", "last", "+z", "tags:y")
        self.assertEqual(["y", "z"], sorted(self.laptop.show("last")["tags"]))
        self.assertIn("'notes:' stands twice", self.laptop.run("add", "a", "notes:b", "+x", "notes:c", codes=(USAGE,)).errors)
        self.assertIn("say one of the two", self.laptop.run("edit", "last", "+a", "-a", codes=(USAGE,)).errors)

    def test_a_date_in_several_words_is_refused_with_what_to_type_and_changes_nothing(self):
        self.laptop.zone = zone_of_morning()
        todo = self.laptop.add("Rent")
        before = self.laptop.show(todo)
        for words, typed in (
                (("due:2", "weeks"), 'due:"2 weeks"'), (("wait:3", "months"), 'wait:"3 months"'),
                (("remind:2", "days"), 'remind:"2 days"'), (("due:15th", "january"), 'due:"15th january"'),
                (("due:tomorrow", "5pm"), 'due:"tomorrow 5pm"'), (("due:friday", "at", "9"), 'due:"friday 9pm"'),
                (("due+2d",), "due:due+2d"), (("x.:3",), "x.NAME:3"), (("due:soon",), "try tomorrow"), (("tags:a", "b"), "tags:a,b"),
                (("start:none",), "start: with nothing behind it"),
                (("notes:see", "Bob", "+work", "about", "it"), 'notes:"see Bob +work about it"')):
            self.assertIn(typed, " ".join(self.laptop.edit(todo, *words, codes=(USAGE,)).errors.split()), words)
        self.assertEqual(before, self.laptop.show(todo))
        for words, typed in (
                (("due:25", "jan"), 'due:"25 jan"'), (("due:15", "january", "2027"), 'due:"15 january 2027"'),
                (("wait:next", "week"), 'wait:"next week"'), (("due:fri", "remind:2h", "before", "due"), 'remind:"2h before due"')):
            self.assertIn(typed, " ".join(self.laptop.run("add", "Rent", *words, codes=(USAGE,)).errors.split()), words)
        self.assertIn('due:"tonight 9pm"', self.laptop.run("add", "Show", "due:tonight", "9pm").errors)
        self.laptop.edit(todo, "due:2", "--", "weeks")
        self.assertEqual("weeks", self.laptop.show(todo)["title"])

    def test_a_line_of_the_notes_is_removed_and_the_title_stays(self):
        todo = self.laptop.add("Mend the roof")
        for text in ("the roof leaks", "Anna called"):
            self.laptop.run("annotate", todo, text)
        told = self.laptop.run("denotate", todo, "roof", codes=(USAGE,)).errors
        self.laptop.run(*shlex.split(re.search(r"run: tandem (.*)", told)[1]))
        self.assertRegex(self.laptop.show(todo)["notes"], r"^\[[^]]*\] Anna called$")
        self.assertEqual("Mend the roof", self.laptop.show(todo)["title"])
        self.assertIn("in no line of the notes", self.laptop.edit(todo, "notes-:roof", codes=(NOTHING,)).errors)

    def test_dates_in_an_order_that_helps_nobody_are_told(self):
        for words, part in (
                (("due:2030-01-01", "wait:2030-01-02"), "it is in no list before"), (("due:2030-01-02", "until:2030-01-01"), "until: "),
                (("due:2030-01-01", "remind:2030-11-30T09:00"), "comes after the to-do is due")):
            self.assertIn(part, self.laptop.run("add", "a", *words).errors, words)

    def test_a_context_gives_and_names_only_what_was_not_typed(self):
        self.laptop.run("save", "errands", "project:Home", "+errand")
        self.laptop.run("context", "errands")
        told = self.laptop.run("add", "Buy socks", "project:Clothes").output
        self.assertTrue(" ".join(told.split()).endswith("by context errands: +errand"), told)
        self.laptop.run("add", "Foo", "project:")
        self.assertFalse(self.laptop.show("last").get("project"))

    def test_a_field_of_ones_own_without_its_sign_is_told(self):
        self.laptop.run("add", "Coat", "x.cost:10", "x.size:XL")
        for word in ("cost:10", "size:XL"):
            told = self.laptop.run("list", word, codes=(NOTHING,)).output
            self.assertIn("for a field of your own, write: x." + word, told)
            self.assertIn("Coat", self.laptop.run("list", "x." + word).output)
        self.assertIn("x.cost.below:30.5", self.laptop.run("list", "cost.by:30.5", codes=(NOTHING,)).output)
        self.assertNotIn("own", self.laptop.run("list", "re:view", codes=(NOTHING,)).output)
        self.assertIn("--limit 5", self.laptop.run("save", "big", "+a", "limit:5", codes=(USAGE,)).errors)
        self.assertIn("x.size:XL", self.laptop.run("save", "big", "size:XL").errors)

    def test_notes_are_echoed_and_cut(self):
        added = self.laptop.run("add", "Buy milk", "notes:the green one\nof two").output
        self.assertTrue(added.endswith('; notes "the green one of two"\n'), added)
        added = self.laptop.run("add", "Buy milk", "notes:" + "long " * 5_000).output
        self.assertIn('notes "long long', added)
        self.assertLess(len(added), 120)
        todo = self.laptop.add("Read", "notes:" + "same " * 40 + "here")
        told = self.laptop.edit(todo, "notes:" + "same " * 40 + "there").output
        self.assertIn('notes "same', told)
        told = self.laptop.edit(todo, "project:Home").output
        self.assertEqual(told, "Changed: Read; project Home\n")

    def test_tags_parted_by_commas_are_two(self):
        added = self.laptop.run("add", "Buy milk", "+home,shop")
        self.assertEqual(self.laptop.todos()[0]["tags"], ["home", "shop"])
        self.assertTrue(added.output.endswith("Buy milk; +home +shop\n"), added)
        self.assertIn("Buy milk", self.laptop.run("list", "+home,shop").output)
        self.assertIn("'+a,' is in the title", self.laptop.run("add", "Say", "+a,", "b").errors)

    def test_a_search_without_a_match_says_where_it_looked_and_where_there_is_one(self):
        self.assertIn("it is: tandem list", self.laptop.run("help", "search", codes=(USAGE,)).errors)
        self.laptop.run("done", self.laptop.add("Buy milk"))
        self.laptop.delete(self.laptop.add("Other", "notes:of milk"))
        told = self.laptop.run("list", "milk", codes=(NOTHING,)).output
        self.assertIn(
            "Nothing matches milk in titles and notes; finished: 1, see --all; in the trash: 1, see tandem trash", told)
        told = self.laptop.run("list", "of milk", "--all", codes=(NOTHING,)).output
        self.assertIn("in titles and notes; in the trash: 1", told)

    def test_any_number_is_a_limit(self):
        self.laptop.add("Water", "due:2030-01-04", "remind:2030-01-03")
        for command in ("list", "today", "overdue", "log", "remind", "trash", "recent", "history"):
            for number in (2 ** 63 - 1, 2 ** 31, 10 ** 9 + 1, 1):
                self.laptop.run(command, "--limit", str(number), codes=(tandem.OK, NOTHING, tandem.USAGE))

    def test_the_last_one_of_what_repeats_is_told(self):
        added = self.laptop.add("Water", "due:2030-01-04", "repeat:weekly", "until:2030-01-11")
        self.assertNotIn("last one", self.laptop.run("done", added).output)
        self.assertIn("it was the last one", self.laptop.run("done", "Water").output)
        weekly = self.laptop.add("Sweep", "due:2030-01-04", "repeat:weekly")
        told = " ".join(self.laptop.run("cancel", weekly).output.split())
        self.assertIn("no other one comes after it", told)
        # The line that it says to type does what it says.
        self.laptop.run("undo")
        self.assertIn("next: Sweep", self.laptop.run("skip", weekly).output)

    def test_the_end_of_each_month_stays_that_also_in_other_programs(self):
        for words, rule, then in (
                ("due:2030-11-30", "every month, on day 30", "2030-12-30"),
                ("due:end of month", "every month, on the last day of the month", None)):
            added = self.laptop.run("add", "Pay", words, "repeat:monthly").output
            self.assertIn(rule, added)
            todo = next(one for one in self.laptop.todos() if one["status"] == "pending")
            if then is None:
                # Whatever the month: a schedule that began on a 31st.
                self.assertEqual((todo.get("anchor") or todo["due"])[8:10], "31")
                exported = self.laptop.run("export", "--format", "vtodo").output
                self.assertIn("RRULE:FREQ=MONTHLY;BYMONTHDAY=-1", exported)
                phone = self.device("phone")
                phone.init()
                path = os.path.join(self.folder, "plan.ics")
                with open(path, "w", newline="") as file:
                    file.write(exported)
                phone.import_file("vtodo", path)
                there = next(one for one in phone.todos() if one["status"] == "pending")
                self.assertEqual(there.get("anchor"), todo.get("anchor"))
            self.laptop.run("done", tandem.identity(todo))
            following = next(one for one in self.laptop.todos() if one["status"] == "pending")
            if then:
                self.assertEqual(following["due"], then)
            self.laptop.run("cancel", tandem.identity(following))
            for one in self.laptop.todos():
                self.laptop.delete(tandem.identity(one))

    def test_columns_of_other_names_are_what_they_are_said_to_be(self):
        path = os.path.join(self.folder, "plan.csv")
        with open(path, "w") as file:
            file.write('Name;"Due, about";Effort\nPaint;2030-12-01;XL\n')
        refused = self.laptop.run("import", path, codes=(65,))
        self.assertIn("no column 'title', but 'Name', 'Due, about', 'Effort'", refused.errors)
        self.assertIn("--map 'Name=title'", refused.errors)
        words = ("import", "--map", "Due, about=due,name=title", path)
        told = self.laptop.run(*words, "--dry-run").output
        self.assertIn("columns: Name is title, Due, about is due, Effort is x.Effort", told)
        self.assertEqual(self.laptop.todos(), [])
        self.laptop.run(*words)
        todo = self.laptop.todos()[0]
        self.assertEqual(
            (todo["title"], todo["due"], todo["custom"]), ("Paint", "2030-12-01", {"Effort": "XL"}))
        self.assertIn("0 new, 0 updated", self.laptop.run(*words).output)
        for pairs, code, part in (
                ("Name=titel", USAGE, "did you mean 'title'"), ("Name", USAGE, "--map takes pairs"),
                ("Nom=title", 65, "no column 'Nom', which --map names")):
            self.assertIn(part, self.laptop.run("import", "--map", pairs, path, codes=(code,)).errors)
        self.assertIn("--map is for tables", self.laptop.run(
            "import", "--map", "a=due", "--format", "jsonl", path, codes=(USAGE,)).errors)

    def test_dates_of_the_first_and_the_last_year_are_kept_and_not_told_as_lost(self):
        path = os.path.join(self.folder, "far.json")
        with open(path, "w") as file:
            file.write('[{"description":"Far","status":"pending","due":"99991231T235959Z"},'
                       '{"description":"Old","status":"pending","due":"00010101T000000Z"}]')
        told = self.laptop.run("import", path, "--dry-run").output
        self.assertNotIn("left out", told)
        self.laptop.run("import", path)
        self.assertEqual(["0001-01-01", "9999-12-31"], sorted(todo["due"][:10] for todo in self.laptop.todos()))

    def test_messages_of_taskwarrior_before_its_tasks_are_passed_over_and_told(self):
        path = os.path.join(self.folder, "tasks.json")
        with open(path, "w") as file:
            file.write('TASKRC override: /home/ann/.taskrc\n[\n{"description":"Paint","status":"pending"}\n]\n')
        told = self.laptop.run("import", path, "--dry-run").output
        self.assertIn("'TASKRC override: /home/ann/.taskrc' is no task, and passed over", told)
        self.laptop.run("import", path)
        self.assertEqual([todo["title"] for todo in self.laptop.todos()], ["Paint"])


if __name__ == "__main__":
    unittest.main()
