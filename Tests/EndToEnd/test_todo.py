"""What people do with a to-do list: capture, views, time, undo, history, conflicts, forms."""

import datetime
import json
import os
import signal
import stat
import subprocess
import time
import unittest

from tandem_process import (
    BAD_DATA, BINARY, NOTHING, OK, REFUSED, USAGE, TandemTestCase)

UTC = datetime.timezone.utc


def day(offset):
    return (datetime.datetime.now(UTC).date() + datetime.timedelta(days=offset)).isoformat()


class CaptureTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def test_many_lines_are_saved_together_or_not_at_all(self):
        lines = "Buy milk due:tomorrow +errand\n\n'quoted: title' x.size:3\nDon't panic\n"
        self.laptop.run("add", "-", text=lines)
        self.assertEqual(self.laptop.titles(), ["Buy milk", "Don't panic", "quoted: title"])
        bad = self.laptop.run("add", "-", text="Good one\nBad one due:someverday\n", codes=(BAD_DATA,))
        self.assertIn("line 2", bad.errors)
        self.assertEqual(len(self.laptop.titles()), 3)

    def test_dates_are_echoed_and_refused_with_a_hint(self):
        result = self.laptop.run("add", "Call", "due:2030-02-01")
        self.assertIn("Fri 1 Feb 2030", result.output)
        refused = self.laptop.run("add", "Call", "due:2030-02-31", codes=(USAGE,))
        self.assertIn("28 days", refused.errors)
        self.laptop.run("add", "meet at 5pm tomorrow")
        titles = [todo["title"] for todo in self.laptop.live() if "due" not in todo]
        self.assertEqual(titles, ["meet at 5pm tomorrow"])

    def test_a_filter_edits_many_and_asks_before_it_touches_any(self):
        for title in ("one", "two", "three"):
            self.laptop.add(title, "project:Home")
        refused = self.laptop.run(
            "edit", "--where", "project:Home", "due:friday", codes=(REFUSED,))
        self.assertIn("--yes", refused.errors)
        self.assertFalse([todo for todo in self.laptop.live() if "due" in todo])
        shown = self.laptop.run("edit", "--where", "project:Home", "due:friday", "--dry-run")
        self.assertEqual(shown.output.count("Would change"), 3)
        self.assertFalse([todo for todo in self.laptop.live() if "due" in todo])
        self.laptop.run("edit", "--where", "project:Home", "due:friday", "--yes")
        self.assertEqual(len([todo for todo in self.laptop.live() if "due" in todo]), 3)
        # One undo takes back all of it.
        self.laptop.run("undo")
        self.assertFalse([todo for todo in self.laptop.live() if "due" in todo])
        self.laptop.run("done", "--where", "project:Home", "--yes")
        self.laptop.run("undo")
        self.laptop.run("delete", "--where", "project:Home", "--yes")
        self.assertEqual(self.laptop.live(), [])
        self.laptop.run("edit", "--where", "project:Nowhere", "due:friday", codes=(NOTHING,))

    def test_parts_of_a_to_do_make_no_circle(self):
        top = self.laptop.add("Build a shed")
        part = self.laptop.add("Buy boards", "parent:" + top)
        self.assertIn("Buy boards", self.laptop.run("show", top).output)
        self.assertIn("Build a shed", self.laptop.run("show", part).output)
        self.laptop.edit(top, "parent:" + part, codes=(REFUSED,))
        self.laptop.edit(part, "parent:")
        self.assertNotIn("parent", self.laptop.show(part))

    def test_a_circle_or_a_deleted_parent_of_two_devices_is_shown_alike_by_every_command(self):
        laptop, phone = self.laptop, self.device("phone")
        with laptop.serve() as server:
            phone.join(server.address)
        house, garden, shed = (laptop.add(name) for name in ("House", "Garden", "Shed"))
        laptop.edit(shed, "parent:" + garden)
        self.meet(laptop, phone)
        laptop.edit(house, "parent:" + garden)
        phone.edit(garden, "parent:" + house)
        self.meet(laptop, phone)

        def told(device, todo):
            """The parent that each command gives: one for all of them."""
            listed = {one["id"]: one for one in device.run("list", "--all", "--json").values()}
            exported = {one["id"]: one for one in map(json.loads, device.export().splitlines())}
            parents = {
                found.get("parent") for found in (device.show(todo), listed[todo], exported[todo])}
            self.assertEqual(1, len(parents), (todo, parents))
            return parents.pop()

        for device in (laptop, phone):
            # The edge that came last is open; the others are followed.
            self.assertEqual(
                [garden, None, garden], [told(device, todo) for todo in (house, garden, shed)])
            self.assertIn("House", device.run("show", garden).output)
            self.assertNotIn("Shed", device.run("show", house).output)
        phone.delete(garden)
        self.meet(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual([None, None], [told(device, todo) for todo in (house, shed)])
            self.assertIn("does not count, as that one is in the trash", device.run("show", shed).output)
        laptop.restore(garden)
        self.meet(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual([garden, garden], [told(device, todo) for todo in (house, shed)])
        self.assertEqual([], laptop.conflicts())

    def test_fields_of_ones_own_keep_their_kind(self):
        todo = self.laptop.add(
            "x.n:3", "x.f:1.5", "x.b:true", "x.t:text", "x.d:2026-12-24",
            "x.i:2026-12-24T10:00:00Z", "Things")
        custom = self.laptop.show(todo)["custom"]
        self.assertEqual(custom["n"], 3)
        self.assertEqual(custom["d"], {"day": "2026-12-24"})
        self.assertEqual(custom["i"], {"instant": "2026-12-24T10:00:00Z"})
        path = os.path.join(self.folder, "copy.jsonl")
        with open(path, "w") as file:
            file.write(self.laptop.export())
        other = self.device("other")
        other.init()
        other.import_file("jsonl", path)
        self.assertEqual(other.live()[0]["custom"], custom)


class FormTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()
        self.todo = self.laptop.add("Paint the fence", "notes:two coats", "+garden")
        self.meet(self.laptop, self.phone)

    def with_editor(self, script, codes=(OK,)):
        path = os.path.join(self.folder, "editor.sh")
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        environment = dict(self.laptop.environment(), EDITOR=path)
        environment.pop("VISUAL", None)
        done = subprocess.run(
            [BINARY, "edit", self.todo], env=environment, input="", capture_output=True,
            text=True, timeout=60)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        return done

    def test_only_what_was_changed_on_the_form_is_saved(self):
        done = self.with_editor(
            "sed -i 's/^title: .*/title: Paint the gate/; s/^due: *$/due: 2030-05-01/' \"$1\"\n"
            "echo 'and a third' >> \"$1\"\n"
            # Meanwhile somebody else writes to the same to-do.
            + "'{}' edit {} location:yard\n".format(BINARY, self.todo))
        self.assertIn("Paint the gate", done.stdout)
        shown = self.laptop.show(self.todo)
        self.assertEqual(shown["title"], "Paint the gate")
        self.assertEqual(shown["due"], "2030-05-01")
        self.assertEqual(shown["location"], "yard")
        self.assertEqual(shown["notes"], "two coats\nand a third")
        self.assertEqual(shown["tags"], ["garden"])

    def test_an_unchanged_form_saves_nothing(self):
        before = self.laptop.fingerprint()
        self.assertIn("Nothing was changed", self.with_editor("true\n").stdout)
        self.assertEqual(self.laptop.fingerprint(), before)

    def test_a_key_in_capitals_short_or_of_another_name_is_the_one_of_the_form(self):
        self.with_editor(
            "sed -i 's/^due: *$/Due: 2030-05-01/; s/^project: *$/pro:Home/; s/^tags: .*/TAG: newtag/; s/^title: .*/Title:New/'"
            " \"$1\"\necho '# stays' >> \"$1\"\n")
        shown = self.laptop.show(self.todo)
        self.assertEqual(("New", "2030-05-01", "Home", ["newtag"], "two coats\n# stays"), tuple(
            shown[key] for key in ("title", "due", "project", "tags", "notes")))
        done = self.with_editor("sed -i 's/^due: .*/due: 2031-01-01\\nDue: 2032-01-01/' \"$1\"\n", codes=(BAD_DATA,))
        self.assertIn("'due:' stands twice", done.stderr)
        done = self.with_editor("sed -i 's/^due: .*/parent: 1/' \"$1\"\n", codes=(BAD_DATA,))
        self.assertIn("parent cannot be '1'; it is no field of the form", done.stderr)
        self.with_editor("sed -i 's/^due: .*/Due:/' \"$1\"\n")
        self.assertNotIn("due", self.laptop.show(self.todo))

    def test_a_failing_editor_and_a_bad_form_save_nothing(self):
        self.with_editor("exit 3\n", codes=(NOTHING,))
        done = self.with_editor("sed -i 's/^due:.*/due: whenever/' \"$1\"\n", codes=(BAD_DATA,))
        self.assertIn("whenever", done.stderr)
        self.assertNotIn("due", self.laptop.show(self.todo))

    def test_deleted_meanwhile_it_is_not_resurrected_and_the_text_is_kept(self):
        done = self.with_editor(
            "sed -i 's/^title: .*/title: Typed for nothing/' \"$1\"\n"
            + "'{}' delete {} --yes\n".format(BINARY, self.todo), codes=(REFUSED,))
        self.assertIn("deleted", done.stderr)
        self.assertEqual(self.laptop.live(), [])
        kept = [name for name in os.listdir(self.laptop.store) if name.startswith("edit-")]
        self.assertEqual(len(kept), 1)
        with open(os.path.join(self.laptop.store, kept[0])) as file:
            self.assertIn("Typed for nothing", file.read())


class ViewTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def view(self, name, *words):
        values = self.laptop.run(name, *words, "--json", codes=(OK, NOTHING)).values()
        return sorted(todo["title"] for todo in values)

    def test_each_view_takes_its_own(self):
        for title, due in (
            ("before", -2), ("yesterday", -1), ("today", 0), ("tomorrow", 1), ("far", 40),
        ):
            self.laptop.add(title, "due:" + day(due), "project:P")
        self.laptop.add("undated")
        self.laptop.add("planned", "scheduled:" + day(0), "project:P")
        self.laptop.add("waiting", "wait:" + day(5))
        done = self.laptop.add("done yesterday", "due:" + day(-1), "project:P")
        self.laptop.done(done)
        self.assertEqual(self.view("today"), ["before", "planned", "today", "yesterday"])
        self.assertEqual(self.view("tomorrow"), ["tomorrow"])
        self.assertEqual(self.view("yesterday"), ["done yesterday", "yesterday"])
        self.assertEqual(self.view("other"), ["before", "far", "planned", "undated"])
        self.assertEqual(self.view("overdue"), ["before", "yesterday"])
        self.assertEqual(self.view("upcoming"), ["tomorrow"])
        self.assertEqual(self.view("inbox"), ["undated"])
        self.assertEqual(self.view("log"), ["done yesterday"])
        self.assertIn("today", self.view("this-week"))
        self.assertNotIn("far", self.view("next-week"))
        self.assertEqual(self.view("other", "+INBOX"), ["undated"])
        self.assertEqual(self.laptop.run("todya", codes=(USAGE,)).errors.count("'today'"), 1)

    def test_the_last_twenty_that_were_looked_at(self):
        todos = [self.laptop.add("number {}".format(number)) for number in range(22)]
        for todo in todos:
            self.laptop.show(todo)
        self.laptop.show(todos[5])
        recent = self.laptop.run("recent", "--json").values()
        self.assertEqual(len(recent), 20)
        self.assertEqual(recent[0]["title"], "number 5")
        self.assertEqual(recent[1]["title"], "number 21")
        self.assertNotIn("number 0", [todo["title"] for todo in recent])

    def test_a_list_has_sections_aligned_columns_and_a_foot(self):
        self.laptop.add("late", "due:" + day(-1), "+a")
        self.laptop.add("a longer title 会議 🌱", "due:" + day(0), "project:Home")
        output = self.laptop.run("list").output
        self.assertLess(output.index("Overdue"), output.index("Today"))
        self.assertNotIn("\x1b", output)
        self.assertEqual(output.splitlines()[-1], "2 to-dos")
        phone = self.device("phone")
        with self.laptop.serve() as server:
            phone.join(server.address)
        self.assertIn("met laptop", phone.run("list").output)

    def test_the_week_counts_what_began_and_ended_on_its_day(self):
        now = datetime.datetime.now(UTC)
        if now.hour == 0 and now.minute < 5:
            self.skipTest("too close to midnight")
        on_time = self.laptop.add("on time", "due:" + day(0), "project:Home")
        late = self.laptop.add("late", "due:" + day(-1))
        self.laptop.add("open", "due:" + day(0))
        self.laptop.run("start", on_time, "--at", "-2min")
        self.laptop.done(on_time)
        self.laptop.done(late)
        week = json.loads(self.laptop.run("week", "--json").output)
        monday = datetime.datetime.now(UTC).weekday() == 0
        self.assertEqual(week["planned"], 2 if monday else 3)
        self.assertEqual(week["accomplished"], 1)
        self.assertEqual(week["late"], 0 if monday else 1)
        self.assertEqual(week["minutes"], 2)
        home = [row for row in week["projects"] if row["project"] == "Home"]
        self.assertEqual(home[0]["minutes"], 2)
        self.assertIn("accomplished", self.laptop.run("week").output)

    def test_agenda_and_calendar_show_a_day_and_a_month(self):
        self.laptop.add("whole day", "due:2030-05-14")
        self.laptop.add("at nine", "due:2030-05-14T09:30")
        agenda = self.laptop.run("agenda", "2030-05-14").output
        self.assertLess(agenda.index("whole day"), agenda.index(" 8:00"))
        self.assertIn(" 9:30  due: at nine", agenda)
        calendar = self.laptop.run("calendar", "2030-05").output
        self.assertTrue(calendar.startswith("May 2030\nMon"))
        self.assertIn("whole day", calendar)
        environment = dict(self.laptop.environment(), TANDEM_WEEK_START="sunday")
        done = subprocess.run(
            [BINARY, "calendar", "2030-05"], env=environment, capture_output=True, text=True,
            timeout=60)
        self.assertTrue(done.stdout.startswith("May 2030\nSun"), done.stdout + done.stderr)

    def test_moved_by_hand(self):
        for title in "abc":
            self.laptop.add(title)
        self.laptop.run("list", "--by", "manual")
        self.laptop.run("move", "3", "--top")
        self.laptop.run("list", "--by", "manual")
        self.laptop.run("move", "2", "--after", "3")
        listed = self.laptop.run("list", "--by", "manual", "--json").values()
        self.assertEqual([todo["title"] for todo in listed], ["c", "b", "a"])
        self.laptop.run("move", "1", codes=(USAGE,))


class TimeTests(TandemTestCase):
    def test_one_timer_and_its_intervals(self):
        laptop, phone = self.pair()
        one, two = laptop.add("one", "project:P", "+t"), laptop.add("two")
        laptop.run("start", one, "--at", "-90min")
        self.meet(laptop, phone)
        phone.run("stop", "--at", "-60min")
        self.meet(laptop, phone)
        laptop.run("start", two, "--at", "-30min")
        # Apart, the phone starts another: both are shown, and one stop ends both.
        phone.run("start", one, "--at", "-10min")
        self.meet(laptop, phone)
        self.assertEqual(laptop.run("list").output.count("running:"), 2)
        laptop.run("stop")
        self.meet(laptop, phone)
        for device in (laptop, phone):
            rows = device.run("times", "--from", day(-1), "--json").values()
            self.assertEqual([row["minutes"] for row in rows], [30, 20, 10])
            self.assertEqual(rows[0]["tags"], ["t"])
            self.assertIn("end", rows[2])
        laptop.run("stop", codes=(NOTHING,))
        self.assertEqual(laptop.conflicts(), [])
        self.assertConverged(laptop, phone)


class AgainTests(TandemTestCase):
    def test_done_on_two_devices_at_once_there_is_one_next(self):
        laptop, phone = self.pair()
        todo = laptop.add("Water", "due:2030-01-31", "repeat:monthly")
        self.meet(laptop, phone)
        self.assertIn("Thu 28 Feb 2030", laptop.run("done", todo).output)
        phone.done(todo)
        self.meet(laptop, phone)
        for device in (laptop, phone):
            pending = [item for item in device.live() if item["status"] == "pending"]
            self.assertEqual([item["due"] for item in pending], ["2030-02-28"])
            self.assertEqual(device.conflicts(), [])
        follow = pending[0]["id"]
        phone.run("skip", follow)
        self.meet(laptop, phone)
        pending = [item for item in laptop.live() if item["status"] == "pending"]
        self.assertEqual([item["due"] for item in pending], ["2030-03-31"])
        self.assertConverged(laptop, phone)
        laptop.run("add", "x", "repeat:sometimes", codes=(USAGE,))

    def test_the_next_one_tells_what_was_changed_elsewhere_meanwhile(self):
        laptop, phone = self.pair()
        todo = laptop.add("Water", "due:2030-01-31", "repeat:monthly", "+home")
        self.meet(laptop, phone)
        laptop.run("done", todo)
        phone.edit(todo, "Water the palm", "-home")
        self.meet(laptop, phone)
        for device in (laptop, phone):
            follow = next(item["id"] for item in device.live() if item["status"] == "pending")
            told = " ".join(device.run("show", follow).output.split())
            self.assertIn("title 'Water the palm', tags without home", told)
            self.assertIn("tandem edit", told)
        phone.edit(follow, "Water the palm", "-home")
        self.assertNotIn("the one before", phone.run("show", follow).output)

    def test_each_of_two_devices_leaves_out_a_day_and_neither_comes(self):
        laptop, phone = self.pair()
        added = laptop.run("add", "Team lunch", "due:2030-01-25", "repeat:last friday of the month",
                           "except:2030-02-22")
        self.assertIn("every month on the last fri except Fri 22 Feb 2030", " ".join(added.output.split()))
        self.assertEqual(added.errors, "")
        self.meet(laptop, phone)
        todo = laptop.live()[0]["id"]
        changed = laptop.edit(todo, "except+:2030-03-29")
        self.assertIn("except Fri 22 Feb 2030, Fri 29 Mar 2030", " ".join(changed.output.split()))
        phone.edit(todo, "except+:2030-05-31")
        self.meet(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual(["2030-02-22", "2030-03-29", "2030-05-31"], device.show(todo)["except"])
            self.assertEqual(device.conflicts(), [])
        def days_to_come(month):
            days = phone.run("calendar", month, "--json").values()
            return [day["day"] for day in days if day["toCome"]]
        self.assertEqual([[], [], ["2030-04-26"], []], [
            days_to_come("2030-0" + month) for month in "2345"])
        shown = phone.run("calendar", "2030-04").output
        self.assertIn("~ Team lu", shown)
        self.assertIn("~ comes once the one before it is done", shown)
        phone.done(todo)
        self.meet(laptop, phone)
        follow = next(item for item in laptop.live() if item["status"] == "pending")
        self.assertEqual(("2030-04-26", ["2030-05-31"]), (follow["due"], follow["except"]))
        self.assertIn("tandem skip last", laptop.edit(follow["id"], "except+:2030-04-26").errors)
        laptop.run("skip", follow["id"])
        follow = next(item for item in laptop.live() if item["status"] == "pending")
        self.assertEqual("2030-06-28", follow["due"])
        self.assertNotIn("except", follow)

    def test_a_doubtful_day_is_told_and_a_rule_that_may_mean_two_things_refused(self):
        laptop = self.device("laptop")
        laptop.init()
        todo = laptop.add("Water", "due:2030-01-04", "repeat:every fri except 2030-02-07")
        self.assertEqual(["2030-02-07"], laptop.show(todo)["except"])
        self.assertIn("would not be due", laptop.edit(todo, "except:2030-02-08,2030-02-09").errors)
        laptop.edit(todo, "except-:2030-02-09")
        self.assertEqual(["2030-02-08"], laptop.show(todo)["except"])
        self.assertIn("2nd tue of the month",
                      laptop.edit(todo, "repeat:every second tuesday", codes=(USAGE,)).errors)
        laptop.edit(todo, "repeat:")
        self.assertNotIn("except", laptop.show(todo))
        self.assertIn("does not repeat", laptop.edit(todo, "except:2030-02-08").errors)

    def test_what_does_not_come_again_is_not_skipped(self):
        laptop = self.device("laptop")
        laptop.init()
        once = laptop.add("Once")
        weekly = laptop.add("Weekly", "due:2030-01-31", "repeat:weekly")
        before = laptop.export()
        for words in ([once], [weekly, once], ["--where", "+PENDING", "--yes"]):
            refused = laptop.run("skip", *words, codes=(REFUSED,)).errors
            self.assertIn("'Once' does not repeat", refused)
            self.assertIn("tandem cancel", refused)
            self.assertEqual(before, laptop.export())
        laptop.done(weekly)
        self.assertIn("completed already", laptop.run("skip", weekly, codes=(REFUSED,)).errors)
        follow = next(item["id"] for item in laptop.live() if item["status"] == "pending"
                      and item["title"] == "Weekly")
        laptop.run("skip", follow)
        # Undone, edited and done again, the next one has the new title.
        laptop.run("undo")
        laptop.edit(follow, "Every week")
        self.assertIn("next: Every week", laptop.run("done", follow).output)

    def test_a_key_in_capitals_is_a_key_and_no_title_is_lost_to_it(self):
        laptop = self.device("laptop")
        laptop.init()
        todo = laptop.add("Call", "Anna", "Due:2030-01-31", "PRI:H")
        shown = laptop.show(todo)
        self.assertEqual(("Call Anna", "2030-01-31"), (shown["title"], shown["due"]))
        laptop.edit(todo, "DUE:2030-02-01")
        self.assertEqual("2030-02-01", laptop.show(todo)["due"])
        for word in ("Bogus:Home", "Due:", "Projcet:Home", "Due:sometime"):
            refused = laptop.edit(todo, word, codes=(USAGE,))
            self.assertIn("'", refused.errors)
            self.assertEqual("Call Anna", laptop.show(todo)["title"])
        laptop.edit(todo, "Note:", "call", "at", "10:30")
        self.assertEqual("Note: call at 10:30", laptop.show(todo)["title"])


class UndoTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()

    def test_undo_works_after_a_sync_and_redo_takes_it_back(self):
        todo = self.laptop.add("one")
        self.laptop.edit(todo, "two")
        self.laptop.edit(todo, "+tag")
        self.meet(self.laptop, self.phone)
        self.laptop.run("undo")
        self.assertIn("two", self.laptop.run("undo").output)
        self.meet(self.laptop, self.phone)
        self.assertEqual(self.phone.show(todo)["title"], "one")
        self.laptop.run("redo")
        self.assertEqual(self.laptop.show(todo)["title"], "two")
        changes = self.laptop.run("undo", "--list", "--json").values()
        self.assertEqual([change["undo"] for change in changes[:3]], [True, True, True])
        self.laptop.run("undo", "1")
        self.assertEqual(self.laptop.show(todo)["title"], "one")
        told = self.laptop.run("undo", "99", codes=(NOTHING,)).errors
        self.assertIn("there is no edit 99: the list that was shown has ", told)
        for word in ("0", "abc", "9" * 30, "1.5"):
            told = self.laptop.run("undo", word, codes=(USAGE,)).errors
            self.assertIn("tandem undo --list", told)

    def test_a_number_of_the_list_of_edits_means_what_the_list_showed(self):
        for title in ("one", "two", "three"):
            self.laptop.add(title)
        self.assertIn("no list of edits was shown here yet", self.laptop.run("undo", "1", codes=(USAGE,)).errors)
        self.assertRegex(self.laptop.run("undo", "--list").output, r"(?m)^2 .* two: added$")
        self.laptop.add("four")
        self.assertIn("two", self.laptop.run("undo", "2").output)
        self.assertIn("three", self.laptop.run("undo", "1").output)
        self.assertIn("undone already", self.laptop.run("undo", "2", codes=(NOTHING,)).errors)
        self.assertIn("three", self.laptop.run("redo").output)
        self.laptop.run("undo", "--list", "--limit", "1")
        self.assertIn("has 1 edit;", self.laptop.run("undo", "2", codes=(NOTHING,)).errors)
        self.laptop.run("purge", "--force", "one", "--yes")
        told = self.laptop.run("undo", codes=(REFUSED,)).errors
        self.assertRegex(told, r"the change before it is 'four: added': tandem undo --list$")
        shown = self.laptop.run("undo", "--list").output
        told = self.laptop.run("undo", codes=(REFUSED,)).errors
        self.assertRegex(told, r"the change before it is 'four: added': tandem undo \d+$")
        number = told.split()[-1]
        self.assertRegex(shown, r"(?m)^ *{} .* four: added$".format(number))
        self.assertIn("four", self.laptop.run("undo", number).output)

    def test_a_finished_to_do_that_is_finished_otherwise_is_told(self):
        todo = self.laptop.add("one")
        self.assertNotIn("it was", self.laptop.run("cancel", todo).output)
        self.assertIn("Done: one  (it was cancelled)", self.laptop.run("done", todo).output)
        self.assertIn("Cancelled: one  (it was completed)", self.laptop.run("cancel", todo).output)
        self.assertNotIn("it was", self.laptop.run("reopen", todo).output)

    def test_last_and_a_number_name_nothing(self):
        self.laptop.add("one")
        self.laptop.add("two")
        self.laptop.run("list")
        told = self.laptop.run("done", "last", "1", codes=(USAGE,)).errors
        self.assertIn("for the first say: 1 last", told)
        self.assertEqual(self.laptop.run("done", "1", "last").output.count("Done: "), 2)

    def test_a_later_foreign_edit_is_not_overwritten_unless_forced(self):
        todo = self.laptop.add("one")
        self.laptop.edit(todo, "two")
        self.meet(self.laptop, self.phone)
        self.phone.edit(todo, "theirs")
        self.meet(self.laptop, self.phone)
        refused = self.laptop.run("undo", codes=(REFUSED,))
        self.assertIn("on phone", refused.errors)
        self.assertEqual(self.laptop.show(todo)["title"], "theirs")
        self.laptop.run("undo", "--force")
        self.assertEqual(self.laptop.show(todo)["title"], "one")

    def test_history_tells_who_and_when_and_restores_a_time(self):
        todo = self.laptop.add("one", "notes:keep")
        self.meet(self.laptop, self.phone)
        self.phone.edit(todo, "two")
        self.meet(self.laptop, self.phone)
        time.sleep(1.1)
        then = datetime.datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        time.sleep(1.1)
        self.laptop.edit(todo, "three", "notes:")
        self.laptop.delete(todo)
        entries = self.laptop.run("history", todo, "--json").values()
        kinds = [(entry["field"], entry["device"]) for entry in entries]
        self.assertIn(("title", "phone"), kinds)
        self.assertIn(("deleted", "laptop"), kinds)
        self.assertIn("one → two", self.laptop.run("history", todo).output)
        self.laptop.run("restore", todo, "--as-of", then)
        shown = self.laptop.show(todo)
        self.assertEqual((shown["title"], shown["notes"]), ("two", "keep"))
        self.assertNotIn("deleted", shown)
        self.laptop.run("restore", todo, "--as-of", "2001-01-01T00:00:00Z", codes=(NOTHING,))


class ConflictTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()
        self.todos = [self.laptop.add("base {}".format(number)) for number in range(3)]
        self.meet(self.laptop, self.phone)
        for todo in self.todos:
            self.laptop.edit(todo, "mine", "notes:from laptop")
            self.phone.edit(todo, "theirs", "notes:from phone")
        self.meet(self.laptop, self.phone)

    def test_the_base_is_shown_and_both_can_be_kept(self):
        conflicts = self.laptop.conflicts()
        self.assertEqual(len(conflicts), 6)
        bases = {c["base"] for c in conflicts if c["field"] == "title"}
        self.assertEqual(bases, {"base 0", "base 1", "base 2"})
        self.assertIn("before that:", self.laptop.run("conflicts").output)
        self.laptop.run("resolve", self.todos[0], "--field", "notes", "--both")
        notes = self.laptop.show(self.todos[0])["notes"]
        self.assertEqual(sorted(notes.split("\n\n")), ["from laptop", "from phone"])

    def test_all_of_one_kind_are_decided_at_once_and_the_decision_is_undone(self):
        self.laptop.run("resolve", "--all", "--field", "title", "--theirs", codes=(REFUSED,))
        self.laptop.run("resolve", "--all", "--field", "title", "--theirs", "--yes")
        self.assertEqual(self.laptop.titles(), ["theirs"] * 3)
        self.assertEqual({c["field"] for c in self.laptop.conflicts()}, {"notes"})
        self.meet(self.laptop, self.phone)
        self.assertEqual({c["field"] for c in self.phone.conflicts()}, {"notes"})
        self.laptop.run("undo")
        self.meet(self.laptop, self.phone)
        for device in (self.laptop, self.phone):
            self.assertEqual(len(device.conflicts()), 6)
        self.assertConverged(self.laptop, self.phone)

    def test_all_that_was_deleted_and_edited_is_decided_at_once(self):
        for todo in self.todos:
            self.laptop.run("resolve", todo, "--field", "title", "--mine")
            self.laptop.run("resolve", todo, "--field", "notes", "--mine")
        self.meet(self.laptop, self.phone)
        self.laptop.delete(*self.todos)
        for todo in self.todos:
            self.phone.edit(todo, "still wanted")
        self.meet(self.laptop, self.phone)
        self.assertEqual(len(self.laptop.conflicts()), 3)
        self.laptop.run("resolve", "--all", "--deleted", "--restore", "--yes")
        self.assertEqual(self.laptop.titles(), ["still wanted"] * 3)
        self.assertEqual(self.laptop.conflicts(), [])


class WatchTests(TandemTestCase):
    def test_changes_come_as_lines_with_numbers_without_gaps(self):
        laptop, phone = self.pair()
        path = os.path.join(self.folder, "watched")
        with open(path, "wb") as output:
            process = laptop.start("watch", "--json", "--count", "5", output=output)
        def wait_for(count):
            """Edits of one to-do at once come as one: so the next one waits."""
            until = time.monotonic() + 20
            while time.monotonic() < until:
                with open(path) as file:
                    if len(file.readlines()) >= count:
                        return
                time.sleep(0.05)
            self.fail("no line number {}".format(count))

        try:
            wait_for(1)
            todo = laptop.add("one")
            wait_for(2)
            laptop.edit(todo, "two")
            wait_for(3)
            self.meet(laptop, phone)
            phone.edit(todo, "three", "+tag")
            other = phone.add("theirs")
            self.meet(laptop, phone)
            wait_for(5)
            laptop.delete(todo)
            process.wait(timeout=20)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait(timeout=20)
        with open(path) as file:
            events = [json.loads(line) for line in file]
        self.assertEqual([event["number"] for event in events], [0, 1, 2, 3, 4, 5])
        self.assertEqual([event["kind"] for event in events[:2]], ["begin", "insert"])
        events = events[1:]
        self.assertEqual(events[-1]["kind"], "delete")
        self.assertEqual({event["item"]["id"] for event in events}, {todo, other})
        foreign = [
            change for event in events for change in event["changes"]
            if change["device"] == "phone"]
        self.assertEqual(
            sorted(change["field"] for change in foreign), ["tags/tag", "title"])


if __name__ == "__main__":
    unittest.main()
