"""Settings of a machine: the file, the command that shows and changes it, and what each setting does."""

import json
import os
import subprocess
import unittest

from tandem_process import BINARY, NOTHING, OK, TandemTestCase

USAGE = 64
CONFIGURATION = 78


class ConfigTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def path(self):
        return os.path.join(self.laptop.environment()["XDG_CONFIG_HOME"], "tandem", "config")

    def write(self, text):
        os.makedirs(os.path.dirname(self.path()), exist_ok=True)
        with open(self.path(), "w", encoding="utf-8") as file:
            file.write(text)

    def text(self):
        with open(self.path(), encoding="utf-8") as file:
            return file.read()

    def run_with(self, variables, *words):
        environment = {**self.laptop.environment(), **variables}
        environment = {name: value for name, value in environment.items() if value is not None}
        return subprocess.run([BINARY, *words], env=environment, capture_output=True, text=True, timeout=60)

    def origins(self):
        return {row["key"]: (row["value"], row["origin"])
                for row in json.loads(self.laptop.run("config", "--json").output)}

    def test_every_setting_is_shown_with_its_value_and_where_that_comes_from(self):
        self.write("# mine\nlist.limit = 7\nalias.w = list +work\n")
        shown = self.laptop.run("config").output
        self.assertEqual(shown.splitlines()[0], "# " + self.path())
        self.assertRegex(shown, r"(?m)^list\.limit = 7 +# line 2$")
        self.assertRegex(shown, r"(?m)^# date-order = +# not set$")
        self.assertRegex(shown, r"(?m)^alias\.w = list \+work +# line 3$")
        origins = self.origins()
        self.assertEqual(origins["list.by"], ("urgency", "default"))
        self.assertEqual(origins["colour"], ("off", "NO_COLOR"))
        self.assertEqual(origins["date-order"], (None, "not set"))

    def test_a_value_is_shown_set_and_unset_and_remarks_stay(self):
        self.laptop.run("config", "date-order", codes=(NOTHING,))
        self.assertIn(self.path(), self.laptop.run("config", "date-order", "day-month").output)
        self.write("# by hand\n" + self.text() + "list.limit = 3 # few\n")
        self.laptop.run("config", "list.limit", "4")
        self.assertEqual(self.laptop.run("config", "list.limit").output, "4\n")
        self.laptop.run("config", "date-order", "--unset")
        self.assertEqual(self.text(), "# by hand\nlist.limit = 4 # few\n")
        self.laptop.run("config", "date-order", "--unset", codes=(NOTHING,))

    def test_every_mistake_is_told_with_its_line_and_what_is_allowed(self):
        self.write("week-start = someday\ndate_order = day-month\n")
        refused = self.laptop.run("list", codes=(CONFIGURATION,)).errors
        self.assertIn(self.path() + ":1: week-start: 'someday' cannot be used; write a day such as monday", refused)
        self.assertIn(":2: date_order: there is no such setting; did you mean date-order?", refused)
        for words, reason in (
                (("list.by", "tag"), "write urgency, day, project, manual or none"),
                (("colour.urgent", "reddish"), "none, or words such as bold"),
                (("list.filter", "due.before:nevermore"), "is no filter"),
                (("alias.w", "list 'a"), "a quote is left open"),
                (("alias.list", "log"), "never hides one"),
                (("alias.w x", "log"), "an alias is a word"),
                (("speed",), "run: tandem config"), (("week-strat",), "did you mean week-start?")):
            with self.subTest(words=words):
                self.assertIn(reason, self.laptop.run("config", *words, codes=(USAGE,)).errors)

    def test_a_key_of_a_newer_version_is_told_and_locks_nobody_out(self):
        self.write("list.limit = 3\nnosuchkey = 1\nalias.a b = list\n")
        told = self.laptop.run("add", "Milk").errors
        self.assertIn(self.path() + ":2: nosuchkey: there is no such setting", told)
        self.assertIn("tandem config nosuchkey --unset", told)
        self.assertIn("tandem config 'alias.a b' --unset", told)
        shown = self.laptop.run("config")
        self.assertIn("list.limit = 3", shown.output)
        self.assertIn(":2: nosuchkey", shown.errors)
        self.laptop.run("config", "nosuchkey", "--unset")
        self.laptop.run("config", "alias.a b", "--unset")
        self.assertEqual(self.text(), "list.limit = 3\n")
        self.assertEqual(self.laptop.run("list").errors, "")
        self.laptop.run("config", "nosuchkey", "--unset", codes=(USAGE,))

    def test_a_wrong_file_keeps_no_device_from_sync_and_can_be_repaired(self):
        self.write("colour = maybe\n")
        self.laptop.run("add", "Milk", codes=(CONFIGURATION,))
        self.assertIn("the defaults hold", self.laptop.run("status").errors)
        self.laptop.run("help")
        self.assertIn("auto, on or off", self.laptop.run("config", codes=(CONFIGURATION,)).errors)
        self.laptop.run("config", "colour", "off")
        self.laptop.run("add", "Milk")

    def test_a_file_that_cannot_be_read_is_refused_by_name(self):
        self.write("#" * 65537)
        self.assertIn("more than 65536 bytes", self.laptop.run("list", codes=(CONFIGURATION,)).errors)
        for path in (self.folder, os.path.join(self.folder, "none")):
            done = self.run_with({"TANDEM_CONFIG": path}, "list")
            self.assertEqual(done.returncode, CONFIGURATION)
            self.assertIn(path, done.stderr)
        path = os.path.join(self.folder, "made", "settings")
        self.assertEqual(self.run_with({"TANDEM_CONFIG": path}, "config", "colour", "off").returncode, OK)
        self.assertEqual(self.run_with({"TANDEM_CONFIG": path}, "list").returncode, NOTHING)

    def test_the_week_begins_as_set_and_the_variable_overrides_it(self):
        self.laptop.run("config", "week-start", "thursday")
        self.laptop.run("add", "x", "due:sow")
        due = self.laptop.run("list", "--json").values()[0]["due"]
        self.laptop.run("edit", "1", "due:" + due)
        self.assertIn("Thu", self.laptop.run("show", "1").output)
        done = self.run_with({"TANDEM_WEEK_START": "friday"}, "config", "week-start")
        self.assertEqual(done.stdout, "friday\n")
        done = self.run_with({"TANDEM_WEEK_START": "friday"}, "config", "week-start", "monday")
        self.assertIn("TANDEM_WEEK_START overrides it", done.stderr)

    def test_a_date_that_may_be_read_in_two_ways_is_read_in_the_order_that_is_set(self):
        self.assertIn("5 jun", self.laptop.run("add", "a", "due:5/6/2030", codes=(USAGE,)).errors)
        for order, due in (("day-month", "2030-06-05"), ("month-day", "2030-05-06")):
            self.laptop.run("config", "date-order", order)
            self.laptop.run("add", order, "due:5/6/2030")
            found = self.laptop.run("list", "--json", "due:5/6/2030").values()
            self.assertEqual([(todo["title"], todo["due"]) for todo in found], [(order, due)])

    def test_the_filter_of_list_holds_without_words_and_is_named_at_the_foot(self):
        self.laptop.run("add", "Work", "+work")
        self.laptop.run("add", "Home")
        self.laptop.run("config", "list.filter", "-work")
        listed = self.laptop.run("list").output
        self.assertNotIn("Work", listed)
        self.assertRegex(listed, r"(?m)^1 to-do; list\.filter: -work; 2 pending in all$")
        self.assertIn("Work", self.laptop.run("list", "status:pending").output)
        machine = self.laptop.run("list", "--json")
        self.assertEqual([todo["title"] for todo in machine.values()], ["Home"])
        self.assertIn("list.filter: -work", machine.errors)

    def test_limit_sections_and_the_command_alone_are_as_set(self):
        for title in "abc":
            self.laptop.run("add", title, "project:P" + title)
        self.laptop.run("config", "list.limit", "2")
        self.laptop.run("config", "list.by", "project")
        listed = self.laptop.run("list").output
        self.assertRegex(listed, r"(?m)^Pa$")
        self.assertIn("2 to-dos shown, more with --limit", listed)
        self.assertIn("No date", self.laptop.run("list", "--by", "urgency").output)
        self.assertEqual(len(self.laptop.run("list", "--limit", "0", "--json").values()), 3)
        self.assertIn("tandem help COMMAND", self.laptop.run().output)
        self.laptop.run("config", "command", "list", "project:Pb")
        self.assertRegex(self.laptop.run().output, r"(?m)^ *2  b +Pb$")

    def test_an_alias_runs_its_command_with_the_words_behind_it(self):
        self.laptop.run("add", "Report", "+work")
        self.laptop.run("add", "Milk")
        self.laptop.run("config", "alias.w", "list +work")
        self.laptop.run("config", "alias.wr", "w", "report")
        self.assertIn("Report", self.laptop.run("w").output)
        self.assertIn("Report", self.laptop.run("wr").output)
        self.laptop.run("w", "milk", codes=(NOTHING,))
        self.assertEqual(len(self.laptop.run("w", "--json").values()), 1)
        self.assertEqual(len(self.laptop.run("--json", "w").values()), 1)
        self.assertIn("tandem list +work", self.laptop.run("help", "w").output)
        self.assertIn("w\tlist +work", self.laptop.run("complete", "--", "w").output)

    def test_an_alias_that_leads_back_to_itself_is_refused_and_one_in_the_file_hides_no_command(self):
        self.write("alias.a = b\nalias.b = a\nalias.list = log\n")
        refused = self.laptop.run("a", codes=(CONFIGURATION,)).errors
        self.assertIn("a → b → a", refused)
        self.assertIn("tandem config alias.a --unset", refused)
        self.laptop.run("add", "Milk")
        self.assertIn("Milk", self.laptop.run("list").output)
        self.assertIn("a command hides it", self.laptop.run("config").output)

    def test_colours_are_as_set(self):
        self.laptop.run("add", "Milk", "due:2020-01-01")

        def listed(**variables):
            return self.run_with({"NO_COLOR": None, "TERM": "xterm", **variables}, "list").stdout

        self.assertNotIn("\x1b", listed())
        self.laptop.run("config", "colour", "on")
        self.assertIn("\x1b[1mOverdue\x1b[0m", listed())
        self.assertIn("\x1b[31m", listed())
        self.laptop.run("config", "colour.heading", "bright-blue", "underline")
        self.laptop.run("config", "colour.urgent", "none")
        self.assertIn("\x1b[94;4mOverdue\x1b[0m", listed())
        self.assertNotIn("\x1b[31m", listed())
        self.assertNotIn("\x1b", listed(NO_COLOR="1"))
        self.assertNotIn("\x1b", listed(TERM="dumb"))
        self.laptop.run("config", "colour", "off")
        self.assertNotIn("\x1b", listed())


if __name__ == "__main__":
    unittest.main()
