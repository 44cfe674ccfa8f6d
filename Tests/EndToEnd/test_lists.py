"""What a list promises to the one who works in it: order, numbers, questions, archives, plain errors."""

import datetime
import os
import plistlib
import pty
import select
import subprocess
import time
import unittest
import unittest.mock

from tandem_process import (
    BAD_DATA, BINARY, IO_ERROR, NO_INPUT, NOTHING, OK, REFUSED, USAGE, TandemTestCase)

ANSWER_SECONDS_MAX = 30


class ListTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def listed(self, *words):
        values = self.laptop.run("list", *words, "--json", codes=(OK, NOTHING)).values()
        return [todo["title"] for todo in values]

    def on_terminal(self, answer, *words):
        """Runs a command as on a person's terminal, types the answer; gives all that was shown."""
        main, side = pty.openpty()
        self.addCleanup(os.close, main)
        process = subprocess.Popen(
            [BINARY, *words], env=self.laptop.environment(), stdin=side, stdout=side, stderr=side)
        os.close(side)
        shown, asked = b"", False
        until = time.monotonic() + ANSWER_SECONDS_MAX
        while time.monotonic() < until:
            if select.select([main], [], [], 0.05)[0]:
                try:
                    shown += os.read(main, 65536)
                except OSError:  # The other end was closed.
                    break
            if b"[y/N]" in shown and not asked:
                os.write(main, answer.encode())
                asked = True
        return process.wait(timeout=ANSWER_SECONDS_MAX), shown.decode()

    def test_what_waits_shows_until_when(self):
        device = self.device("waiting")
        device.init()
        device.add("Sow", "wait:2030-03-01")
        device.add("Water", "wait:2030-03-01", "due:2030-04-01")
        shown = device.run("list", "--all").output
        self.assertRegex(shown, r"Sow +waits to .*1 Mar")
        self.assertRegex(shown, r"Water +waits to .*1 Mar.*, due 1 Apr 2030")

    def test_a_new_to_do_that_is_due_earlier_drops_into_its_place(self):
        for title, due in (("late", "2030-03-01"), ("early", "2030-01-01"), ("undated", None)):
            self.laptop.add(title, *(["due:" + due] if due else []))
        self.assertEqual(self.listed(), ["early", "late", "undated"])
        self.laptop.add("between", "due:2030-02-01")
        self.assertEqual(self.listed(), ["early", "between", "late", "undated"])
        moved = self.laptop.add("first", "due:2029-12-31")
        self.assertEqual(self.listed()[0], "first")
        self.laptop.edit(moved, "due:2030-02-15")
        self.assertEqual(self.listed(), ["early", "between", "first", "late", "undated"])

    def test_an_edit_in_a_filtered_list_changes_that_to_do_and_no_other(self):
        for number in range(6):
            self.laptop.add(
                "number {}".format(number), "due:2030-01-0{}".format(number + 1),
                "project:" + ("Home" if number % 2 else "Work"))
        before = {todo["id"]: todo for todo in self.laptop.live()}
        self.assertEqual(
            self.listed("project:Home"), ["number 1", "number 3", "number 5"])
        self.laptop.run("list", "project:Home")
        # The second of the filtered list, which is the fourth of all; its new due day moves it, and
        # its new project takes it out of the list: the number still means the same to-do.
        self.laptop.run("edit", "2", "due:2029-01-01")
        self.laptop.run("edit", "2", "project:Work", "Third of Home")
        self.laptop.run("done", "3")
        after = {todo["id"]: todo for todo in self.laptop.live()}
        self.assertEqual(set(after), set(before))
        changed = sorted(before[key]["title"] for key in before if before[key] != after[key])
        self.assertEqual(changed, ["number 3", "number 5"])
        edited = next(todo for todo in after.values() if todo["title"] == "Third of Home")
        self.assertEqual((edited["due"], edited["project"]), ("2029-01-01", "Work"))
        self.assertEqual(before[edited["id"]]["title"], "number 3")

    def test_the_last_this_and_the_next_week_begin_and_end_on_their_days(self):
        today = datetime.datetime.now(datetime.timezone.utc).date()
        monday = today - datetime.timedelta(days=today.weekday())
        for offset in (-8, -7, -1, 0, 6, 7, 13, 14):
            self.laptop.add(str(offset), "due:{}".format(monday + datetime.timedelta(days=offset)))
        if datetime.datetime.now(datetime.timezone.utc).date() != today:
            self.skipTest("midnight came in between")
        with unittest.mock.patch.dict(os.environ, TANDEM_WEEK_START="monday"):
            for view, expected in (
                ("last-week", ["-1", "-7"]), ("this-week", ["0", "6"]), ("next-week", ["13", "7"]),
            ):
                values = self.laptop.run(view, "--json").values()
                self.assertEqual(sorted(todo["title"] for todo in values), expected, view)

    def test_numbers_mean_the_same_to_dos_when_another_device_deletes_one(self):
        phone = self.device("phone")
        for title in "abc":
            self.laptop.add(title)
        with self.laptop.serve() as server:
            phone.join(server.address)
        self.laptop.run("list")
        first = next(todo["id"] for todo in phone.live() if todo["title"] == "a")
        phone.delete(first)
        self.meet(self.laptop, phone)
        self.laptop.run("edit", "2", "B")
        self.assertEqual(self.laptop.titles(), ["B", "c"])
        refused = self.laptop.run("edit", "1", "A", codes=(REFUSED,))
        self.assertIn("trash", refused.errors)
        self.assertEqual(self.laptop.titles(), ["B", "c"])

    def test_a_delete_of_many_asks_and_can_be_called_off(self):
        todos = [self.laptop.add(title) for title in "abc"]
        refused = self.laptop.run("delete", *todos, codes=(REFUSED,))
        self.assertIn("--yes", refused.errors)
        self.assertEqual(self.laptop.titles(), ["a", "b", "c"])
        for answer in ("n\n", "\n", "\x04"):
            code, shown = self.on_terminal(answer, "delete", *todos)
            self.assertEqual(code, NOTHING, shown)
            self.assertIn("Delete 3 to-dos?", shown)
            # Several of one title are told apart by their numbers.
            self.assertRegex(shown, r"(?s)  1   a.*  2   b.*  3   c")
            self.assertEqual(self.laptop.titles(), ["a", "b", "c"])
        code, shown = self.on_terminal("y\n", "delete", *todos[:2])
        self.assertEqual(code, OK, shown)
        self.assertEqual(self.laptop.titles(), ["c"])
        # One alone needs no question: it is in the trash, and comes back.
        self.assertIn("tandem restore", self.laptop.run("delete", todos[2]).output)
        self.laptop.restore(todos[2])
        self.assertEqual(self.laptop.titles(), ["c"])

    def test_a_long_title_does_not_spread_the_others_where_there_is_no_screen(self):
        self.laptop.add("Short", "due:2030-01-31", "project:Home")
        self.laptop.add("Also short", "due:2030-01-31", "project:Home")
        self.laptop.add("Long " * 200, "due:2030-01-31", "project:" + "P" * 300)
        for words in (("list",), ("upcoming",), ("log",)):
            for line in self.laptop.run(*words, codes=(OK, NOTHING)).output.splitlines():
                self.assertEqual(line.rstrip(), line)
                self.assertNotIn(" " * 80, line)
        rows = [line for line in self.laptop.run("list").output.splitlines() if "hort" in line]
        # Projects of rows with room for them are still aligned.
        self.assertEqual(1, len({line.index("Home") for line in rows}), rows)

    def test_done_and_reopened_as_often_as_one_likes(self):
        todo = self.laptop.add("a")
        for _ in range(3):
            self.laptop.run("done", todo)
            self.assertEqual(self.laptop.show(todo)["status"], "completed")
            self.assertEqual(self.listed(), [])
            self.laptop.run("reopen", todo)
            self.assertEqual(self.laptop.show(todo)["status"], "pending")
            self.assertNotIn("completed", self.laptop.show(todo))
            self.assertEqual(self.listed(), ["a"])

    def test_a_form_begins_with_the_title(self):
        todo = self.laptop.add("Paint", "notes:two coats")
        seen = os.path.join(self.folder, "seen")
        editor = os.path.join(self.folder, "editor.sh")
        with open(editor, "w") as file:
            file.write("#!/bin/sh\ncp \"$1\" '{}'\n".format(seen))
        os.chmod(editor, 0o755)
        with unittest.mock.patch.dict(os.environ, VISUAL=editor):
            self.laptop.run("edit", todo)
        with open(seen) as file:
            fields = [line for line in file.read().splitlines() if not line.startswith("#")]
        self.assertEqual(fields[0], "title: Paint")

    def test_start_finish_project_and_notes_are_fields_of_a_to_do(self):
        todo = self.laptop.add(
            "Paint", "project:Home", "notes:two coats", "start:2030-01-01T09:00",
            "finish:2030-01-01T11:30", "due:2030-01-01", "people:Anna,Bo", "location:yard")
        shown = self.laptop.show(todo)
        self.assertEqual(shown["project"], "Home")
        self.assertEqual(shown["notes"], "two coats")
        self.assertEqual(shown["start"], "2030-01-01T09:00:00Z")
        self.assertEqual(shown["finish"], "2030-01-01T11:30:00Z")
        self.assertEqual(shown["people"], ["Anna", "Bo"])
        self.assertEqual(shown["location"], "yard")
        self.assertEqual(shown["status"], "pending")


class ArchiveTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_an_archive_of_the_app_goes_in_and_out(self):
        entries = [
            {"title": "Gym", "projectName": "Health", "isComplete": False,
             "dueDate": datetime.datetime(2030, 1, 1, 17), "note": "legs"},
            {"title": "Tax", "projectName": "", "isComplete": True,
             "startDate": datetime.datetime(2030, 1, 2, 9),
             "finishDate": datetime.datetime(2030, 1, 2, 11)},
        ]
        for form in (plistlib.FMT_BINARY, plistlib.FMT_XML):
            path = self.write("todos.plist", plistlib.dumps(entries, fmt=form))
            self.laptop.import_file("chronolist", path)
            self.assertEqual(self.laptop.titles(), ["Gym", "Tax"])
        for words, start in (((), b"bplist00"), (("--xml",), b"<?xml")):
            done = subprocess.run(
                [BINARY, "export", "--format", "chronolist", *words],
                env=self.laptop.environment(), capture_output=True, timeout=60, check=True)
            self.assertTrue(done.stdout.startswith(start))
            back = {entry["title"]: entry for entry in plistlib.loads(done.stdout)}
            self.assertEqual(back["Gym"]["dueDate"], entries[0]["dueDate"])
            self.assertEqual(back["Gym"]["projectName"], "Health")
            self.assertEqual(back["Gym"]["note"], "legs")
            self.assertFalse(back["Gym"]["isComplete"])
            self.assertTrue(back["Tax"]["isComplete"])
            self.assertEqual(back["Tax"]["startDate"], entries[1]["startDate"])
            self.assertEqual(back["Tax"]["finishDate"], entries[1]["finishDate"])

    def test_each_failing_step_is_named_and_leaves_all_as_it_was(self):
        self.laptop.add("kept")
        before = self.laptop.fingerprint()
        missing = self.laptop.import_file(
            "chronolist", os.path.join(self.folder, "none.plist"), codes=(NO_INPUT,))
        self.assertIn("none.plist", missing.errors)
        good = plistlib.dumps([{"title": "a"}, {"title": "b"}], fmt=plistlib.FMT_BINARY)
        for name, content, word in (
            ("garbage", b"\x00garbage", ""), ("cut", good[:-10], ""),
            ("number", plistlib.dumps([{"title": "a"}, {"title": 5}]), "entry 2"),
            ("dictionary", plistlib.dumps({"title": "a"}), ""),
        ):
            result = self.laptop.import_file(
                "chronolist", self.write(name, content), codes=(BAD_DATA,))
            self.assertTrue(result.errors.startswith("tandem: "), name)
            self.assertIn(word, result.errors)
            self.assertEqual(result.output, "")
        empty = self.laptop.import_file("chronolist", self.write("empty", b""), codes=(NOTHING,))
        self.assertIn("empty, so nothing was imported", empty.errors)
        # Nothing was dropped, and no samples stand in for what could not be read.
        self.assertEqual(self.laptop.fingerprint(), before)
        self.assertEqual(self.laptop.titles(), ["kept"])
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [BINARY, "export", "--format", "chronolist"], env=self.laptop.environment(),
                stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, IO_ERROR)
        self.assertIn("cannot be written", done.stderr)
        self.laptop.run("export", "--format", "chronolyst", codes=(USAGE,))


if __name__ == "__main__":
    unittest.main()
