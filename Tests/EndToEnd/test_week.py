"""The acts of a week, by the words that they take: shell arguments with the program's name.

`tandem undo` is two of them, and a shell's alias, which its help names, makes it one.
"""

import datetime
import os
import re
import subprocess
import unittest

from tandem_process import BINARY, COMMAND_SECONDS_MAX, NOTHING, OK, TandemTestCase


class WeekOfWordsTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()

    def act(self, most, *words, codes=(OK,)):
        self.assertLessEqual(len(words) + 1, most, words)
        return self.laptop.run(*words, codes=codes).output

    def todo(self, title):
        found = [todo for todo in self.laptop.run("list", "--all", "--json").values() if todo["title"] == title]
        self.assertEqual(len(found), 1, title)
        return found[0]

    def test_capture_with_project_tag_and_date_takes_six(self):
        self.act(7, "add", "Milk", "project:Home", "+errand", "due:2030-01-04")
        milk = self.todo("Milk")
        self.assertEqual((milk["project"], milk["tags"], milk["due"]), ("Home", ["errand"], "2030-01-04"))

    def test_the_latest_is_finished_with_three(self):
        self.laptop.add("Bread")
        self.act(7, "add", "Milk")
        self.act(3, "done", "last")
        self.assertEqual(self.todo("Milk")["status"], "completed")
        self.assertEqual(self.todo("Bread")["status"], "pending")

    def test_three_go_to_a_day_with_four(self):
        for title in ("a", "b", "c", "d"):
            self.laptop.add(title)
        self.laptop.run("list")
        self.act(4, "edit", "1-3", "due:2030-01-05")
        self.assertEqual([self.todo(title).get("due") for title in "abcd"], ["2030-01-05"] * 3 + [None])

    def test_a_line_of_notes_comes_with_four_and_is_found_with_two(self):
        self.laptop.add("Call Anna")
        self.laptop.add("Buy milk")
        self.laptop.run("list")
        self.act(4, "annotate", "1", "urgently")
        self.act(4, "edit", "1", "notes+:twice")
        self.assertRegex(self.todo("Call Anna")["notes"], r"^\[.*\] urgently\ntwice$")
        found = self.act(2, "urgently")
        self.assertIn("Call Anna", found)
        self.assertNotIn("Buy milk", found)

    def test_what_is_overdue_goes_to_today_with_four(self):
        self.laptop.add("late", "due:2020-01-01")
        self.laptop.add("later", "due:2040-01-01")
        self.act(4, "edit", "+OVERDUE", "due:today")
        self.assertNotEqual(self.todo("late")["due"], "2020-01-01")
        self.assertEqual(self.todo("later")["due"], "2040-01-01")
        self.act(3, "list", "+OVERDUE", codes=(NOTHING,))

    def test_one_is_blocked_by_another_with_four_and_its_blocker_is_finished_with_three(self):
        self.laptop.add("Sand")
        self.laptop.add("Paint")
        self.laptop.run("list")
        self.act(4, "edit", "2", "depends:1")
        self.assertEqual(self.todo("Paint")["blockedBy"], [self.todo("Sand")["id"]])
        self.assertIn("Paint", self.act(3, "list", "+BLOCKED"))
        self.assertIn("free now: Paint (2)", self.act(3, "done", "1"))
        self.assertNotIn("blockedBy", self.todo("Paint"))

    def test_a_series_that_fell_behind_goes_on_from_today_with_three(self):
        self.laptop.add("Water", "due:2020-01-03", "repeat:weekly")
        self.laptop.run("list")
        told = self.act(3, "done", "1")
        name = re.search(r"to go on from today: tandem catchup (\S+)", told).group(1)
        self.act(3, "catchup", name)
        due = datetime.date.fromisoformat([todo for todo in self.laptop.live() if todo["status"] == "pending"][0]["due"])
        self.assertEqual(due.weekday(), 4)
        self.assertLess(abs((due - datetime.date.today()).days), 8)
        self.act(2, "undo")
        self.assertIn("2020-01-10", [todo.get("due") for todo in self.laptop.live()])
        self.act(2, "catchup")
        self.act(2, "catchup", codes=(NOTHING,))

    def test_a_setting_of_the_machine_takes_four(self):
        self.laptop.run("add", "Report", "+work")
        for words in (("week-start", "sunday"), ("date-order", "day-month"), ("list.by", "project"),
                      ("colour.urgent", "magenta"), ("alias.w", "list +work"), ("week-start", "--unset")):
            self.act(4, "config", *words)
        self.assertIn("Report", self.act(2, "w"))

    def test_a_list_of_ones_own_takes_four_for_each_part_and_two_to_see(self):
        self.laptop.run("add", "Report", "+work")
        for words in ("+work", "sort:-priority,due", "group:project", "columns:due,tags"):
            self.act(4, "save", "work", words)
        self.assertIn("Report", self.act(2, "work"))
        self.act(3, "context", "work")
        self.act(3, "add", "Call")
        self.assertEqual(self.todo("Call")["tags"], ["work"])
        self.act(3, "context", "none")

    def test_undo_after_a_sync_takes_two(self):
        self.laptop.run("add", "Milk")
        self.laptop.run("edit", "1", "priority:high")
        self.meet(self.laptop, self.phone)
        # The program's name and the command: with fewer words no act can be named.
        self.act(2, "undo")
        self.assertNotEqual(self.todo("Milk").get("priority"), "high")

    def test_with_the_alias_that_the_help_names_undo_takes_one(self):
        alias = re.search(r"With (alias undo='[^']*')", " ".join(self.laptop.run("undo", "--help").output.split())).group(1)
        self.laptop.run("add", "Milk")
        self.laptop.run("edit", "1", "priority:high")
        self.meet(self.laptop, self.phone)
        environment = self.laptop.environment()
        environment["PATH"] = os.path.dirname(self.named(BINARY)) + ":" + environment["PATH"]
        script = "shopt -s expand_aliases\n{}\nundo\n".format(alias)
        done = subprocess.run(
            ["bash"], input=script, env=environment, capture_output=True, text=True, timeout=COMMAND_SECONDS_MAX)
        self.assertEqual((done.returncode, done.stderr), (OK, ""))
        self.assertNotEqual(self.todo("Milk").get("priority"), "high")

    def named(self, binary):
        """The program by its name, wherever the one under test lies."""
        path = os.path.join(self.folder, "bin", "tandem")
        os.mkdir(os.path.dirname(path))
        os.symlink(os.path.abspath(binary), path)
        return path


if __name__ == "__main__":
    unittest.main()
