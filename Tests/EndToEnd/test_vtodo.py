"""iCalendar to-dos with the real todoman, vdirsyncer and icalendar, in files and in a folder."""

import json
import os
import shutil
import random
import time
import unittest
import uuid

import tandem_process as tandem
from vtodo_case import FolderTestCase

PARSE = """
import json, sys
import icalendar
calendar = icalendar.Calendar.from_ical(open(sys.argv[1], "rb").read())
todos = []
for todo in calendar.walk("VTODO"):
    found = {}
    for name, value in todo.items():
        values = value if isinstance(value, list) else [value]
        found[name] = [
            str(one.dt) if hasattr(one, "dt") else
            ",".join(map(str, one.cats)) if hasattr(one, "cats") else str(one) for one in values]
    found["errors"] = [list(map(str, error)) for error in todo.errors]
    found["alarms"] = len(todo.walk("VALARM"))
    todos.append(found)
print(json.dumps(todos))
"""

MAKE = """
import datetime, json, sys, zoneinfo
import icalendar
calendar = icalendar.Calendar()
calendar.add("prodid", "-//test//")
calendar.add("version", "2.0")
berlin = zoneinfo.ZoneInfo("Europe/Berlin")
for number in range(20):
    todo = icalendar.Todo()
    todo.add("uid", "made-%d@test" % number)
    todo.add("dtstamp", datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc))
    todo.add("summary", "t\\u00f6do, %d; \\\\ \\"x\\"\\n%s" % (number, "long " * number))
    todo.add("due", datetime.datetime(2026, 12, 1, 10, number, tzinfo=berlin))
    todo.add("priority", number % 10)
    todo.add("categories", ["a,b", "c%d" % number])
    todo.add("x-own", "kept %d" % number, parameters={"X-P": 'quote " and ^ caret'})
    todo.add("geo", (48.1, 11.5))
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("trigger", datetime.timedelta(minutes=-15))
    todo.add_component(alarm)
    calendar.add_component(todo)
open(sys.argv[1], "wb").write(calendar.to_ical())
print(json.dumps(None))
"""


class Files(FolderTestCase):
    def test_icalendar_reads_what_we_write(self):
        path = os.path.join(self.folder, "out.ics")
        title = "Büy; milk, \\ \"x\" " + "and more " * 20
        self.laptop.add(
            title, "project:Home", "+errand", "+größe", "due:2026-12-01T10:00", "priority:high",
            "notes:one", "repeat:weekly", "remind:-1d,-30m,2026-11-30T08:00")
        self.laptop.add("plain", "due:2026-12-01", "x.size:5")
        with open(path, "w") as file:
            file.write(self.laptop.run("export", "--format", "vtodo").output)
        todos = self.icalendar(PARSE, path)
        self.assertEqual([todo["errors"] for todo in todos], [[], []])
        first = todos[0]
        self.assertEqual(first["SUMMARY"], [title.strip()])
        self.assertEqual(first["DUE"], ["2026-12-01 10:00:00+00:00"])
        self.assertEqual(first["CATEGORIES"], ["errand,größe"])
        self.assertEqual(first["PRIORITY"], ["1"])
        self.assertEqual(first["alarms"], 3)
        self.assertEqual(todos[1]["DUE"], ["2026-12-01"])
        self.assertIn("RRULE", first)

    def test_what_icalendar_wrote_comes_back_field_by_field(self):
        path, back = os.path.join(self.folder, "in.ics"), os.path.join(self.folder, "out.ics")
        self.icalendar(MAKE, path)
        self.laptop.import_file("vtodo", path)
        again = self.laptop.import_file("vtodo", path)
        self.assertIn("20 as they were", again.output)
        self.assertEqual(len(self.laptop.live()), 20)
        with open(back, "w") as file:
            file.write(self.laptop.run("export", "--format", "vtodo").output)

        def comparable(todos):
            volatile = ("DTSTAMP", "CREATED", "LAST-MODIFIED", "STATUS", "X-TANDEM-VERSION",
                        "X-TANDEM-MORE")
            return {
                todo["UID"][0]: {
                    key: value for key, value in todo.items()
                    if key not in volatile and (key, value) != ("PRIORITY", ["0"])}
                for todo in todos}
        self.maxDiff = None
        self.assertEqual(
            comparable(self.icalendar(PARSE, path)), comparable(self.icalendar(PARSE, back)))

    def test_a_second_store_has_all_of_it(self):
        self.laptop.add("one", "project:Home", "+a", "people:Ann", "wait:2026-12-01", "x.size:5")
        self.laptop.add("two", "repeat:2w", "due:2026-12-01T10:00", "location:desk")
        self.laptop.run("start", self.laptop.live()[0]["id"])
        path = os.path.join(self.folder, "all.ics")
        with open(path, "w") as file:
            file.write(self.laptop.run("export", "--format", "vtodo").output)
        phone = self.device("phone")
        phone.init()
        phone.import_file("vtodo", path)

        def comparable(device):
            return [
                {key: value for key, value in todo.items() if key != "modified"}
                for todo in device.todos()]
        self.assertEqual(comparable(self.laptop), comparable(phone))


class Todoman(FolderTestCase):
    def test_what_todoman_does_is_done_here(self):
        self.laptop.add("Buy milk", "+errand", "due:2026-12-01", "project:Home", "x.size:5")
        self.sync_folder()
        number = self.todoman_number("Buy milk")
        self.todoman("edit", number, "--priority", "high", "--location", "shop")
        self.todoman("new", "--list", "tandem", "--due", "2026-12-24", "Wrap, presents; all")
        self.sync_folder()
        milk = self.todo("Buy milk")
        self.assertEqual((milk["priority"], milk["location"]), ("high", "shop"))
        self.assertEqual((milk["project"], milk["custom"]["size"]), ("Home", 5))
        self.assertEqual(self.todo("Wrap, presents; all")["due"], "2026-12-24")
        self.at_rest()
        self.todoman("done", number)
        self.sync_folder()
        self.assertEqual(self.todo("Buy milk")["status"], "completed")
        self.todoman("delete", "--yes", self.todoman_number("Wrap, presents; all"))
        self.sync_folder()
        self.assertEqual(self.laptop.titles(), ["Buy milk"])
        self.at_rest()

    def test_what_is_done_here_todoman_shows(self):
        todo = self.laptop.add("Buy milk", "due:2026-12-01T10:00")
        gone = self.laptop.add("Gone")
        self.sync_folder()
        self.laptop.edit(todo, "Buy oats", "priority:low", "+big", "+errand")
        self.laptop.delete(gone)
        self.sync_folder()
        shown = json.loads(self.todoman("--porcelain", "list"))
        self.assertEqual([one["summary"] for one in shown], ["Buy oats"])
        self.assertEqual(shown[0]["priority"], 9)
        self.assertEqual(sorted(shown[0]["categories"]), ["big", "errand"])
        self.assertEqual(shown[0]["due"], 1796119200)
        self.laptop.done(todo)
        self.sync_folder()
        self.assertEqual(json.loads(self.todoman("--porcelain", "list")), [])

    def test_both_edit_one_to_do_apart(self):
        todo = self.laptop.add("Buy milk", "+a")
        self.sync_folder()
        self.todoman("edit", self.todoman_number("Buy milk"), "--due", "2026-12-24")
        self.laptop.edit(todo, "Buy oats", "+b")
        self.sync_folder()
        item = self.laptop.show(todo)
        self.assertEqual(
            (item["title"], item["due"], item["tags"]), ("Buy oats", "2026-12-24", ["a", "b"]))
        self.assertEqual(self.laptop.conflicts(), [])
        self.todoman("edit", self.todoman_number("Buy oats"), "--due", "2026-12-25")
        self.laptop.edit(todo, "due:2026-12-26")
        self.sync_folder()
        self.assertEqual(len(self.laptop.conflicts()), 1)
        self.assertTrue(tandem.mentions(self.laptop.conflicts(), "2026-12-26"))
        self.assertTrue(tandem.mentions(self.laptop.conflicts(), "2026-12-25"))
        self.laptop.resolve(todo, "due", value="2026-12-26")
        self.sync_folder()
        self.assertEqual(
            json.loads(self.todoman("--porcelain", "list"))[0]["due"], 1798243200)
        self.at_rest()


class Vdirsyncer(FolderTestCase):
    def setUp(self):
        super().setUp()
        self.other = os.path.join(self.folder, "other")
        os.makedirs(self.other)
        self.config = os.path.join(self.folder, "vdirsyncer.ini")
        with open(self.config, "w") as file:
            file.write("""
[general]
status_path = "{0}/status"
[pair both]
a = "ours"
b = "theirs"
collections = null
conflict_resolution = "b wins"
[storage ours]
type = "filesystem"
path = "{1}"
fileext = ".ics"
[storage theirs]
type = "filesystem"
path = "{2}"
fileext = ".ics"
""".format(self.folder, self.vdir, self.other))
        self.vdirsyncer("discover")

    def vdirsyncer(self, *words):
        return self.program("vdirsyncer", "-c", self.config, *words)

    def test_both_directions_and_a_conflict(self):
        todo = self.laptop.add("Buy milk", "due:2026-12-01", "project:Home")
        other = self.laptop.add("Call Bob")
        self.sync_folder()
        self.vdirsyncer("sync")
        theirs = self.files(self.other)
        self.assertEqual(len(theirs), 2)
        self.assertEqual(sorted(theirs.values()), sorted(self.files().values()))

        # There and back.
        name = [name for name in theirs if "Buy milk" in theirs[name]][0]
        self.change(os.path.join(self.other, name), "SUMMARY:Buy milk", "SUMMARY:Buy oats")
        with open(os.path.join(self.other, "new.ics"), "w") as file:
            file.write("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VTODO\nUID:n@x\n"
                       "DTSTAMP:20261121T000000Z\nSUMMARY:New there\nEND:VTODO\nEND:VCALENDAR\n")
        self.vdirsyncer("sync")
        self.sync_folder()
        self.assertEqual(self.laptop.titles(), ["Buy oats", "Call Bob", "New there"])
        self.assertEqual(self.laptop.show(todo)["project"], "Home")

        # Changed on both sides before anything met: both values are kept.
        self.change(os.path.join(self.other, name), "SUMMARY:Buy oats", "SUMMARY:Buy rice")
        self.vdirsyncer("sync")
        self.laptop.edit(todo, "Buy beans")
        self.sync_folder()
        conflicts = self.laptop.conflicts()
        self.assertTrue(tandem.mentions(conflicts, "Buy rice"))
        self.assertTrue(tandem.mentions(conflicts, "Buy beans"))
        self.laptop.resolve(todo, "title", value="Buy beans")
        self.sync_folder()
        self.vdirsyncer("sync")
        self.assertIn("SUMMARY:Buy beans", self.files(self.other)[name])

        # A delete, each way.
        self.laptop.delete(other)
        self.sync_folder()
        self.vdirsyncer("sync")
        self.assertEqual(len(self.files(self.other)), 2)
        os.remove(os.path.join(self.other, name))
        self.vdirsyncer("sync")
        self.sync_folder()
        self.assertEqual(self.laptop.titles(), ["New there"])
        self.at_rest()


class Folder(FolderTestCase):
    def test_what_is_wrong_is_told_and_left_alone(self):
        self.laptop.add("good")
        self.sync_folder()
        bad = {
            "broken.ics": "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:1\nDUE:soon\nEND:VTODO\nEND:VCALENDAR\n",
            "cut.ics": "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:2\n",
            "empty.ics": "",
            "huge.ics": "BEGIN:VCALENDAR\n" + "X" * (1 << 20),
            "deep.ics": "BEGIN:VCALENDAR\n" + "BEGIN:X\n" * 10000,
        }
        for name, text in bad.items():
            with open(os.path.join(self.vdir, name), "w") as file:
                file.write(text)
        for name in (".hidden.ics", "x.ics.tmp", "note.txt"):
            with open(os.path.join(self.vdir, name), "w") as file:
                file.write("nothing")
        os.symlink("/etc/passwd", os.path.join(self.vdir, "link.ics"))
        os.mkfifo(os.path.join(self.vdir, "pipe.ics"))
        done = self.sync_folder(codes=(tandem.BAD_DATA,))
        for name in bad:
            self.assertIn(name, done.errors)
        self.assertIn("broken.ics, line 4: DUE", done.errors)
        self.assertNotIn("link.ics", done.errors)
        self.assertEqual(len(os.listdir(self.vdir)), 2 + len(bad) + 5)
        for name, text in bad.items():
            with open(os.path.join(self.vdir, name)) as file:
                self.assertEqual(file.read(), text)
        self.assertEqual(self.laptop.titles(), ["good"])
        told = self.sync_folder("--json", codes=(tandem.BAD_DATA,)).values()
        self.assertEqual({one["file"] for one in told}, set(bad))

    def test_a_folder_that_is_empty_or_gone_deletes_nothing(self):
        todos = [self.laptop.add("todo {}".format(number)) for number in range(3)]
        self.sync_folder()
        for todo in todos:
            os.remove(self.file_of(todo))
        self.assertIn("--force-delete", self.sync_folder(codes=(tandem.REFUSED,)).errors)
        shutil.rmtree(self.vdir)
        self.sync_folder(codes=(tandem.NO_INPUT,))
        self.assertEqual(len(self.laptop.live()), 3)
        os.mkdir(self.vdir)
        self.sync_folder(codes=(tandem.REFUSED,))
        self.sync_folder("--force-delete")
        self.assertEqual(self.laptop.live(), [])

    def test_a_rehearsal_changes_nothing(self):
        todo = self.laptop.add("Buy milk")
        self.assertIn("file written", self.sync_folder("--dry-run").output)
        self.assertEqual(os.listdir(self.vdir), [])
        self.sync_folder()
        self.change(self.file_of(todo), "SUMMARY:Buy milk", "SUMMARY:Buy oats")
        before = (self.laptop.export(), self.files())
        self.assertIn("to-do changed", self.sync_folder("--dry-run").output)
        self.assertEqual(before, (self.laptop.export(), self.files()))
        self.sync_folder()
        self.assertEqual(self.laptop.titles(), ["Buy oats"])

    def test_killed_at_any_time_it_goes_on(self):
        seed, chance = tandem.seeded("vdir kills")
        todos = [self.laptop.add("todo {}".format(number)) for number in range(40)]
        span = self.sync_folder().seconds
        self.report("seed {}, a run takes {:.2f} s".format(seed, span))
        killed = 0
        for turn in range(25):
            todo = chance.choice(todos)
            path = self.file_of(todo)
            if turn % 2 and os.path.exists(path):
                with open(path, newline="") as file:
                    old = [line for line in file.read().split("\r\n") if "SUMMARY" in line][0]
                self.change(path, old, "SUMMARY:there {}".format(turn))
            else:
                self.laptop.edit(todo, "here {}".format(turn))
            process = self.laptop.start("vdir", self.vdir)
            time.sleep(chance.random() * span * 1.2)
            killed += tandem.kill(process)
        self.sync_folder()
        self.at_rest()
        files = self.files()
        self.assertEqual(sorted(files), sorted(todo + ".ics" for todo in todos))
        shown = {todo["id"]: todo["title"] for todo in self.laptop.live()}
        for todo in todos:
            self.assertIn("SUMMARY:{}\r\n".format(shown[todo]), files[todo + ".ics"])
        self.report("{} of 25 runs killed".format(killed))

    def test_watching_takes_changes_of_both_sides(self):
        todo = self.laptop.add("Buy milk")
        process = self.laptop.start("vdir", self.vdir, "--watch")
        try:
            self.wait_for(lambda: os.path.exists(self.file_of(todo)))
            # A second one keeps its hands off.
            self.sync_folder(codes=(tandem.RETRY_LATER,))
            self.change(self.file_of(todo), "SUMMARY:Buy milk", "SUMMARY:Buy oats")
            self.wait_for(lambda: self.laptop.titles() == ["Buy oats"])
            self.laptop.edit(todo, "Buy rice")
            self.wait_for(lambda: "SUMMARY:Buy rice" in self.files()[todo + ".ics"])
            self.assertIsNone(process.poll())
        finally:
            tandem.kill(process)
        self.at_rest()

    def wait_for(self, question):
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if question():
                return
            time.sleep(0.05)
        self.fail("waited in vain")

    def test_a_project_has_its_own_folder(self):
        home = self.laptop.add("Buy milk", "project:Home.Garden")
        self.laptop.add("Report", "project:Work")
        self.sync_folder("--project", "Home")
        self.assertEqual(list(self.files()), [home + ".ics"])
        self.todoman("new", "--list", "tandem", "Water")
        self.sync_folder("--project", "Home")
        self.assertEqual(self.todo("Water")["project"], "Home")
        self.assertEqual(len(self.files()), 2)

    def test_another_project_or_store_does_nothing_unasked(self):
        self.laptop.add("Buy milk", "project:Home.Garden")
        self.laptop.add("Report", "project:Work")
        self.sync_folder()
        before = self.files()
        refused = self.sync_folder("--project", "Home", codes=(tandem.REFUSED,))
        self.assertIn("--narrow", refused.errors)
        self.assertEqual(self.files(), before)
        phone = self.device("phone")
        phone.init()
        for words in [(), ("--dry-run",), ("--watch",)]:
            refused = self.sync_folder(*words, device=phone, codes=(tandem.REFUSED,))
            self.assertIn("that of 'laptop'", refused.errors)
            self.assertIn("--take-over", refused.errors)
        self.assertEqual(phone.live(), [])
        self.assertEqual(self.files(), before)
        self.sync_folder("--project", "Home", "--narrow")
        self.assertEqual(len(self.files()), 1)
        self.assertEqual(len(self.laptop.live()), 2)
        self.sync_folder("--take-over", device=phone)
        self.assertEqual(phone.titles(), ["Buy milk"])
        self.sync_folder(codes=(tandem.REFUSED,))

    def test_each_side_of_a_conflict_with_the_folder_can_be_chosen(self):
        for choice, title in [
                (("--mine",), "ours"), (("--theirs",), "theirs"),
                (("--device", "folder " + os.path.basename(self.vdir)), "theirs")]:
            todo = self.laptop.add("Buy milk")
            self.sync_folder()
            self.change(self.file_of(todo), "SUMMARY:Buy milk", "SUMMARY:theirs")
            self.laptop.edit(todo, "ours")
            self.sync_folder()
            self.laptop.run("resolve", todo, "--field", "title", *choice)
            self.assertEqual(self.laptop.show(todo)["title"], title)
            self.sync_folder()
            self.assertIn("SUMMARY:" + title, self.files()[todo + ".ics"])
            self.laptop.delete(todo)

    def test_another_device_can_choose_where_both_values_are_of_one(self):
        phone = self.device("phone")
        with self.laptop.serve() as server:
            phone.join(server.address)
        todo = self.laptop.add("Buy milk")
        self.sync_folder()
        self.change(self.file_of(todo), "SUMMARY:Buy milk", "SUMMARY:theirs")
        self.laptop.edit(todo, "ours")
        self.sync_folder()
        self.meet(self.laptop, phone)
        (conflict,) = phone.conflicts()
        second = conflict["values"][1]["value"]
        self.assertIn("--pick 2", phone.run("conflicts", codes=(0, 1, 3)).output)
        phone.run("resolve", todo, "--field", "title", "--pick", "3", codes=(tandem.NOTHING,))
        phone.run("resolve", todo, "--field", "title", "--pick", "0", codes=(tandem.USAGE,))
        phone.run("resolve", todo, "--field", "title", "--pick", "2")
        self.assertEqual(phone.show(todo)["title"], second)
        self.meet(self.laptop, phone)
        self.sync_folder()
        self.assertIn("SUMMARY:" + second, self.files()[todo + ".ics"])

    def test_thousands_of_files(self):
        count = int(os.environ.get("TANDEM_FILES", "2000"))
        path = os.path.join(self.folder, "all.jsonl")
        chance = random.Random(1)
        with open(path, "w") as file:
            for number in range(count):
                todo = {
                    "tandem": 1, "id": str(uuid.UUID(int=chance.getrandbits(128))),
                    "title": "todo {}".format(number)}
                file.write(json.dumps(todo) + "\n")
        self.laptop.import_file("jsonl", path)
        first = self.sync_folder()
        time.sleep(3.2)
        second = self.sync_folder()
        third = self.sync_folder()
        self.assertEqual(len(os.listdir(self.vdir)), 1 + count)
        self.assertIn("In step", third.output)
        self.report("{} files: first {:.2f} s, then {:.2f} s, {:.2f} s at rest".format(
            count, first.seconds, second.seconds, third.seconds))


if __name__ == "__main__":
    unittest.main(verbosity=2)
