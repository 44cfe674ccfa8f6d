"""What commands tell beside what they do: open parts, the next occurrence, sides of conflicts, what an import replaces."""

import datetime
import json
import os
import re
import unittest

import tandem_process as tandem
from tandem_process import NOTHING, OK, TandemTestCase


# More than a list of edits looks at.
MADE_COUNT = 1_200


def day(text):
    """A day as the program shows it."""
    date = datetime.date.fromisoformat(text)
    return f"{date:%a} {date.day} {date:%b %Y}"


class PartTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()
        self.trip = self.laptop.add("Plan the trip", "due:2030-05-01")
        self.book = self.laptop.add("Book", "parent:" + self.trip, "due:2030-05-09", "project:Travel")
        self.pack = self.laptop.add("資料を詰める", "parent:" + self.trip, "due:2030-05-08")
        self.call = self.laptop.add("Call", "parent:" + self.book, "due:2030-05-10")
        self.laptop.add("Other", "due:2030-05-05", "+x")
        self.laptop.add("Apart", "parent:" + self.trip)

    def rows(self, *words):
        return [line for line in self.laptop.run("list", *words).output.splitlines() if line[:1].isdigit()]

    def test_parts_stand_beneath_what_they_are_a_part_of(self):
        rows = self.rows()
        titles = [re.split(r"\s+[A-Z][a-z]{2} \d+ May ", row[3:])[0] for row in rows]
        self.assertEqual(
            titles[:6], ["Plan the trip", "  資料を詰める", "  Book", "    Call", "Other", "Apart"])
        # The number in front is that of the to-do.
        self.laptop.run("done", rows[1].split()[0])
        self.assertEqual(self.laptop.show(self.pack)["status"], "completed")
        # Where somebody chose the order, it stays, and parts are marked.
        self.laptop.run("list", "--by", "manual")
        book = next(row.split()[0] for row in self.rows() if "Book" in row)
        self.laptop.run("move", book, "--top")
        rows = self.rows("--by", "manual")
        self.assertTrue(rows[0].startswith(book + "  \u21b3 Book"), rows)
        self.assertTrue(rows[1].startswith("1  Plan the trip"), rows)
        self.assertEqual([row for row in self.rows("Call") if "\u21b3" in row], [])

    def test_the_to_do_of_which_one_becomes_a_part_is_named(self):
        added = self.laptop.run("add", "Bags", "parent:trip").output
        self.assertRegex(added, r"\AAdded \d+: Bags; part of Plan the trip \(\d+\)\n\Z")
        for word, told in (("parent:Other", r"part of Other \(\d+\)"), ("+x", r"\+x"), ("parent:", "no parent")):
            self.assertRegex(self.laptop.run("edit", "Bags", word).output, r"\AChanged: Bags; {}\n\Z".format(told))

    def test_open_parts_are_told_and_stay(self):
        told = self.laptop.run("done", self.trip).output
        self.assertIn("'Plan the trip' has 3 open parts, left as they are: 資料を詰める, Book, Apart", told)
        command = next(line for line in told.splitlines() if "tandem done" in line)
        self.assertEqual(self.laptop.show(self.book)["status"], "pending")
        told = self.laptop.run("delete", self.book).output
        self.assertIn("'Book' has 1 open part, left as it is: Call", told)
        self.assertRegex(told, r"tandem delete \d+\n")
        # The reported command works.
        self.laptop.run("restore", self.book)
        self.laptop.run(*command.split()[1:])
        for part in (self.book, self.pack):
            self.assertEqual(self.laptop.show(part)["status"], "completed")
        self.laptop.run("reopen", self.trip)
        self.assertNotIn("open part", self.laptop.run("done", self.trip).output)
        self.laptop.run("reopen", self.trip, self.book)
        both = self.laptop.run("done", self.trip, self.book).output
        self.assertNotIn("'Plan the trip' has", both)
        self.assertIn("'Book' has 1 open part", both)
        json.loads(self.laptop.run("reopen", self.trip, "--json").output)
        json.loads(self.laptop.run("done", self.trip, "--json").output)


class CircleTests(TandemTestCase):
    def test_of_a_circle_the_one_that_is_shown_as_the_whole_has_parts(self):
        laptop, phone = self.pair()
        house, garden = laptop.add("House"), laptop.add("Garden")
        self.meet(laptop, phone)
        laptop.edit(house, "parent:" + garden)
        phone.edit(garden, "parent:" + house)
        self.meet(laptop, phone)
        part = next(item for item in laptop.live() if "parent" in item)
        whole = next(item for item in laptop.live() if "parent" not in item)
        for device in (laptop, phone):
            self.assertNotIn("open part", device.run("done", tandem.identity(part)).output)
            device.run("undo")
            self.assertNotIn("open part", device.run("delete", tandem.identity(part)).output)
            device.run("undo")
            told = device.run("delete", tandem.identity(whole)).output
            self.assertIn("'{}' has 1 open part, left as it is: {}".format(whole["title"], part["title"]), told)
            device.run("undo")


    def test_a_reference_that_closes_a_circle_is_told_with_what_drops_it(self):
        for key, verb in (("depends", "waits for"), ("parent", "is part of")):
            for count in (2, 3):
                with self.subTest(key=key, count=count):
                    self.tell_circle(key, verb, count)

    def tell_circle(self, key, verb, count):
        laptop, phone = self.device(f"laptop{key}{count}"), self.device(f"phone{key}{count}")
        laptop.init()
        todos = [laptop.add(title) for title in ("Sand", "Paint", "Hang")[:count]]
        with laptop.serve() as server:
            phone.join(server.address)
        for index in range(count - 1):
            laptop.edit(todos[index], f"{key}:{todos[index + 1]}")
        phone.edit(todos[-1], f"{key}:{todos[0]}")
        self.meet(laptop, phone)
        hiding = []
        for device in (laptop, phone):
            shown = {todo: device.show(todo) for todo in todos}
            (hidden,) = [todo for todo in todos if "closesCircle" in shown[todo]]
            (reference,) = shown[hidden]["closesCircle"]
            target = todos[(todos.index(hidden) + 1) % count]
            self.assertEqual((reference["field"], reference["id"]), (key, target))
            self.assertEqual(len(reference["way"]), count - 1)
            self.assertEqual(reference["way"][0], target)
            hiding.append((hidden, reference))
            for todo in todos:
                told = " ".join(device.run("show", todo).output.split())
                self.assertEqual("closes a circle" in told, todo == hidden, told)
        self.assertEqual(hiding[0], hiding[1])
        told = " ".join(laptop.run("show", hidden).output.split())
        self.assertIn(f"{verb} this one", told)
        command = re.search(r"to drop it: (tandem edit \S+ \S+)", told).group(1)
        laptop.run(*command.split()[1:])
        self.meet(laptop, phone)
        for device in (laptop, phone):
            for todo in todos:
                self.assertNotIn("closes a circle", device.run("show", todo).output)
        # What was dropped is gone, not only not shown: the other way round it counts now.
        laptop.edit(target, key + ":")
        self.assertNotIn(key, laptop.show(hidden))

    def test_a_reference_to_what_is_in_the_trash_closes_no_circle(self):
        laptop = self.device("laptop")
        laptop.init()
        whole, part = laptop.add("House"), laptop.add("Garden")
        laptop.edit(part, "parent:" + whole, "depends:" + whole)
        laptop.delete(whole)
        self.assertNotIn("closesCircle", laptop.show(part))

    def test_a_reference_to_what_is_deleted_is_told_with_what_brings_it_back_or_drops_it(self):
        laptop = self.device("laptop")
        laptop.init()
        whole, part = laptop.add("House"), laptop.add("Garden")
        laptop.edit(part, "parent:" + whole, "depends:" + whole)
        self.assertNotIn("leadsToDeleted", laptop.show(part))
        laptop.delete(whole)
        told = " ".join(laptop.run("show", part).output.split())
        for key in ("parent", "depends"):
            self.assertIn(f"{key}: House' was given and does not count, as that one is in the trash", told)
        self.assertEqual([(one["field"], one["id"], one["standing"]) for one in laptop.show(part)["leadsToDeleted"]],
                         [("parent", whole, "trashed"), ("depends", whole, "trashed")])
        back = re.search(r"to have it back: tandem (restore [^ ;]+)", told).group(1)
        laptop.run(*back.split())
        self.assertNotIn("leadsToDeleted", laptop.show(part))
        laptop.delete(whole)
        for command in re.findall(r"to drop it: tandem (edit \S+ \S+)", told):
            laptop.run(*command.split())
        self.assertNotIn("leadsToDeleted", laptop.show(part))
        laptop.run("restore", whole)
        self.assertNotIn("parent", laptop.show(part))
        self.assertNotIn("depends", laptop.show(part))

    def test_a_purged_to_do_is_shown_as_purged_and_so_is_a_parent(self):
        laptop = self.device("laptop")
        laptop.init()
        whole, part = laptop.add("House"), laptop.add("Garden")
        laptop.edit(part, "parent:" + whole)
        laptop.delete(whole)
        laptop.purge(whole)
        told = " ".join(laptop.run("show", whole).output.split())
        self.assertIn("status purged", told)
        self.assertNotIn("pending", told)
        told = " ".join(laptop.run("show", part).output.split())
        self.assertIn("does not count, as that one was purged", told)
        laptop.run(*re.search(r"to drop it: tandem (edit \S+ parent:)", told).group(1).split())
        self.assertNotIn("leadsToDeleted", laptop.show(part))


class ReopenTests(TandemTestCase):
    def test_the_next_one_goes_unless_somebody_did_something_with_it(self):
        laptop, phone = self.pair()
        todo = laptop.add("Water", "due:2030-01-31", "repeat:weekly")
        laptop.done(todo)
        self.meet(laptop, phone)
        told = phone.run("reopen", todo).output
        self.assertIn("the next one is in the trash, as nobody had touched it: Water, due Thu 7 Feb 2030", told)
        self.assertEqual([item["due"] for item in phone.live()], ["2030-01-31"])
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        laptop.done(todo)
        following = next(item for item in laptop.live() if item["due"] == "2030-02-07")
        laptop.edit(tandem.identity(following), "notes:the red can")
        self.meet(laptop, phone)
        told = phone.run("reopen", todo).output
        self.assertRegex(told, r"the next one stays, as it is not as it was made: Water \(\d+\), due Thu 7 Feb 2030")
        self.assertIn("tandem delete ", told)
        self.assertEqual(len(phone.live()), 2)
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual(device.conflicts(), [])

    def test_undo_tells_what_it_takes_along(self):
        laptop = self.device("laptop")
        laptop.init()
        todo = laptop.add("Water", "due:2030-01-31", "repeat:weekly")
        laptop.done(todo)
        told = laptop.run("undo").output
        self.assertIn("in the trash, as it was made by that: Water", told)
        self.assertEqual(len(laptop.live()), 1)

    def test_the_undo_of_an_import_counts_all_that_it_takes_back(self):
        laptop = self.device("laptop")
        laptop.init()
        kept = laptop.add("Kept")
        path = os.path.join(self.folder, "many.jsonl")

        def imported(title, *first):
            with open(path, "w") as file:
                for todo in [*first, *({"title": "{} {}".format(title, number)} for number in range(MADE_COUNT))]:
                    file.write(json.dumps({"tandem": 1, **todo}) + "\n")
            laptop.run("import", path)
        imported("New")
        told = laptop.run("undo").output
        self.assertIn("Undone: {} to-dos, such as New".format(MADE_COUNT), told)
        self.assertNotIn("more: tandem trash", told)
        self.assertEqual(laptop.titles(), ["Kept"])
        self.assertIn("Done again: {} to-dos".format(MADE_COUNT), laptop.run("redo").output)
        self.assertEqual(len(laptop.live()), MADE_COUNT + 1)
        laptop.run("undo")
        # Beside what it made, it changed one.
        imported("Newer", {"id": kept, "title": "Changed"})
        self.assertIn(" to-dos or more, such as Changed", laptop.run("undo", "--list").output)
        told = laptop.run("undo").output
        self.assertIn("Undone: {} to-dos, such as Kept: title is Kept again".format(MADE_COUNT + 1), told)
        self.assertIn("and {} more: tandem trash".format(MADE_COUNT - 5), told)
        self.assertEqual(laptop.titles(), ["Kept"])


class TrashTests(TandemTestCase):
    def test_the_trash_is_in_the_order_of_the_deletes_on_every_device(self):
        laptop, phone = self.pair()
        todos = [laptop.add(title) for title in ("one", "two", "three")]
        self.meet(laptop, phone)
        for device, todo in zip((laptop, phone, laptop), todos):
            device.delete(todo)
        self.meet(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual([item["title"] for item in device.trash()], ["three", "two", "one"])


class PurgeTests(TandemTestCase):
    def test_the_history_names_the_device_that_purged_once(self):
        laptop, phone = self.pair()
        todo = laptop.add("a")
        laptop.edit(todo, "b", "due:2040-01-02")
        self.meet(laptop, phone)
        phone.edit(todo, "c")
        phone.delete(todo)
        phone.purge(todo)
        self.meet(laptop, phone)
        for device in (laptop, phone):
            lines = device.run("history", todo).output.splitlines()[1:]
            self.assertEqual([line.split("  ")[-2:] for line in lines if "journal" not in line], [["phone", "purged it"]])


class SeriesTests(TandemTestCase):
    """A change of a series made apart from a `done`: the next one tells what it lacks, and nothing else."""

    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()

    def missed(self, edits, *words):
        """What the next one tells on both devices once one was edited on the laptop and done on the phone."""
        todo = self.laptop.add("Stop", *words)
        self.meet(self.laptop, self.phone)
        if edits:
            self.laptop.edit(todo, *edits)
        self.phone.done(todo)
        self.meet(self.laptop, self.phone)
        told = []
        for device in (self.laptop, self.phone):
            self.assertEqual(device.conflicts(), [])
            (following,) = [item for item in device.live() if item["status"] == "pending"]
            shown = " ".join(device.run("show", tandem.identity(following)).output.split())
            found = re.search(r"this one has not: (.*?); what is to be here", shown)
            told.append(found.group(1) if found else "")
        self.assertEqual(told[0], told[1])
        self.laptop.delete(tandem.identity(following))
        self.meet(self.laptop, self.phone)
        return told[0]

    def test_each_field_of_a_series_is_told(self):
        monthly = ("due:2040-01-10", "repeat:monthly", "scheduled:2040-01-08", "remind:-1h")
        for edits, told in (
                (["repeat:"], "no repeat"),
                (["repeat:weekly"], "due '2040-01-17', scheduled '2040-01-15', repeat 'every week'"),
                (["due:2040-01-12"], "due '2040-02-12'"),
                (["except+:2040-02-10"], "due '2040-03-10', scheduled '2040-03-08'"),
                (["scheduled:2040-01-05"], "scheduled '2040-02-05'"),
                (["wait:2040-01-02"], "wait '2040-02-02'"),
                (["until:2041-01-01"], "until '2041-01-01'"),
                (["remind:-2h"], "remind without 1 h before due, remind with 2 h before due"),
                (["repeat:", "due:2040-01-12", "Halt"], "title 'Halt', due '2040-02-12', no repeat"),
                (["repeat:monthly, 1 time"], "no repeat"),
                (["people:Ann", "x.size:3"], "people with Ann, size '3'"),
        ):
            with self.subTest(edits):
                parts = self.missed(edits, *monthly).split(", ")
                shown = re.sub(r"\d{4}-\d\d-\d\d", lambda found: day(found.group()), told)
                self.assertEqual(sorted(parts), sorted(shown.split(", ")))

    def test_a_date_that_is_counted_is_no_change(self):
        for words in (
                ("due:2040-01-10", "repeat:monthly", "scheduled:2040-01-08", "wait:2040-01-02", "remind:-1h"),
                ("due:2040-01-31", "repeat:monthly, 5 times"),
                ("due:2040-01-10", "repeat:weekly until 2040-02-01", "except:2040-01-17"),
                ("repeat:3 days after completion",),
                ("due:2040-01-10", "repeat:3 days after completion, 4 times", "scheduled:2040-01-09"),
        ):
            with self.subTest(words):
                self.assertEqual(self.missed([], *words), "")
                self.assertEqual(self.missed(["Halt"], *words), "title 'Halt'")

    def test_of_a_series_from_completion_the_rule_is_told_and_not_its_day(self):
        words = ("due:2040-01-10", "repeat:3 days after completion", "scheduled:2040-01-09")
        self.assertEqual(self.missed(["repeat:"], *words), "no repeat")
        told = self.missed(["repeat:5 days after completion"], *words)
        self.assertIn("repeat 'every 5 days after completion'", told)
        self.assertRegex(self.missed(["scheduled:2040-01-05"], *words), r"^scheduled '[^']+'$")


class SideTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()
        self.todo = self.laptop.add("base", "due:2030-01-01")
        self.laptop.add("peace", "due:2030-01-02", "priority:high")
        self.meet(self.laptop, self.phone)
        self.laptop.edit(self.todo, "mine")
        self.phone.edit(self.todo, "theirs")
        self.meet(self.laptop, self.phone)

    def sides(self, device):
        (conflict,) = device.conflicts()
        return [(side["value"], side["device"], side["mine"], side["time"]) for side in conflict["values"]]

    def test_a_decision_that_is_undone_gives_the_sides_back_and_says_who_did(self):
        before = self.sides(self.laptop)
        for choice in ("mine", "theirs"):
            self.laptop.resolve(self.todo, "title", choice)
            history = self.laptop.run("history", self.todo).output
            chosen, other = ("mine", "theirs") if choice == "mine" else ("theirs", "mine")
            self.assertNotIn("decided against " + chosen, history.splitlines()[1])
            self.laptop.run("undo")
            self.assertEqual(self.sides(self.laptop), before)
        (conflict,) = self.laptop.conflicts()
        self.assertEqual({side["putBackBy"] for side in conflict["values"]}, {"laptop"})
        shown = self.laptop.run("conflicts").output
        self.assertIn("; put back by laptop (this device), ", shown)
        self.assertIn("--mine | --theirs", shown)
        self.meet(self.laptop, self.phone)
        there = {side[0]: side for side in self.sides(self.phone)}
        self.assertEqual(there["theirs"][1:3], ("phone", True))
        shown = self.phone.run("conflicts").output
        self.assertIn("put back by laptop, ", shown)
        self.assertIn("who gave it first is not known here", shown)
        self.assertIn("--mine | --theirs", shown)
        self.phone.resolve(self.todo, "title", "mine")
        self.meet(self.laptop, self.phone)
        self.assertEqual(self.laptop.show(self.todo)["title"], "theirs")

    def test_what_a_stranger_cannot_know_is_not_said_and_the_hint_works(self):
        self.laptop.resolve(self.todo, "title", "mine")
        self.laptop.run("undo")
        tablet = self.device("tablet")
        with self.laptop.serve() as server:
            tablet.join(server.address)
        shown = tablet.run("conflicts").output
        self.assertEqual(shown.count("who gave it first is not known here"), 2)
        self.assertIn("--pick 1 | --pick 2", shown)
        self.assertNotIn("--mine", shown)
        tablet.run("resolve", self.todo, "--field", "title", "--pick", "2")
        self.assertEqual(tablet.conflicts(), [])

    def test_a_third_device_is_told_options_that_work(self):
        tablet = self.device("tablet")
        with self.laptop.serve() as server:
            tablet.join(server.address)
        self.assertIn("--device phone | --device laptop", tablet.run("conflicts").output)
        tablet.run("resolve", self.todo, "--field", "title", "--device", "phone")
        self.assertEqual(tablet.show(self.todo)["title"], "theirs")

    def test_the_history_names_the_chosen_value_as_chosen(self):
        self.laptop.resolve(self.todo, "title", "mine")
        history = self.laptop.run("history", self.todo).output
        self.assertIn("title: decided for mine", history)
        self.assertNotIn("decided against mine", history)
        kinds = [entry["kind"] for entry in self.laptop.run("history", self.todo, "--json").values()]
        self.assertIn("chosen", kinds)
        self.laptop.run("undo")
        self.laptop.resolve(self.todo, "title", "theirs")
        first = self.laptop.run("history", self.todo).output.splitlines()[1]
        self.assertIn("decided against mine", first)

    def test_a_list_marks_what_devices_disagree_on(self):
        for words in (["list"], ["list", "--by", "manual"], ["upcoming"]):
            listed = self.laptop.run(*words, codes=(OK, NOTHING)).output
            marked = [line for line in listed.splitlines() if "? theirs" in line]
            if words != ["upcoming"]:
                self.assertEqual(len(marked), 1, listed)
                self.assertIn("1 in conflict (marked ?): tandem conflicts", listed)
            self.assertNotIn("? peace", listed)
        self.assertIn("1 in conflict: tandem conflicts", self.laptop.run("list", "peace").output)
        self.laptop.resolve(self.todo, "title", "mine")
        self.assertNotIn("conflict", self.laptop.run("list").output)
        self.phone.delete(self.todo)
        self.laptop.edit(self.todo, "again")
        self.meet(self.laptop, self.phone)
        self.laptop.restore(self.todo)
        self.assertNotIn("?", self.laptop.run("list").output)


class ReimportTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()
        self.path = os.path.join(self.folder, "tasks.json")
        self.ids = ["0000000{}-0000-4000-8000-000000000000".format(number) for number in range(1, 4)]
        with open(self.path, "w") as file:
            json.dump([
                {"uuid": identifier, "description": "Task {}".format(number), "status": "pending",
                 "entry": "20291101T080000Z", "due": "20300101T100000Z", "project": "Home"}
                for number, identifier in enumerate(self.ids)], file)
        self.laptop.run("import", self.path)
        self.meet(self.laptop, self.phone)

    def test_what_was_edited_here_is_told_before_it_is_replaced_and_comes_back(self):
        self.assertNotIn("said something else", self.laptop.run("import", self.path).output)
        self.laptop.edit(self.ids[0], "due:2030-02-02", "notes:mine", "+x")
        self.laptop.edit(self.ids[1], "project:")
        self.laptop.run("done", self.ids[2])
        before = self.laptop.export()
        plan = self.laptop.run("import", "--dry-run", self.path).output
        self.assertIn(
            "update  Task 0: due: here 2030-02-02, in the file 2030-01-01T10:00:00Z\n", plan)
        self.assertIn("update  Task 1: project becomes Home\n", plan)
        self.assertNotIn("Task 2", plan)
        self.assertEqual(before, self.laptop.export())
        report = json.loads(self.laptop.run("import", "--dry-run", "--json", self.path).output)
        self.assertEqual([todo["replaced"] for todo in report["todos"]], [["due"], [], []])
        told = self.laptop.run("import", self.path).output
        self.assertIn("1 field of 1 to-do said something else here, and now what the file says", told)
        shown = self.laptop.show(self.ids[0])
        self.assertEqual((shown["due"], shown["notes"]), ("2030-01-01T10:00:00Z", "mine"))
        self.assertEqual(self.laptop.show(self.ids[2])["status"], "completed")
        self.laptop.run("undo")
        after = self.laptop.show(self.ids[0])
        self.assertEqual((after["due"], after["notes"], after["tags"]), ("2030-02-02", "mine", ["x"]))
        self.assertNotIn("project", self.laptop.show(self.ids[1]))
        self.meet(self.laptop, self.phone)
        self.assertConverged(self.laptop, self.phone)

    def test_of_long_texts_what_differs_is_shown(self):
        line = json.dumps(dict(tandem=1, id=self.ids[0], title="Task 0", notes="same " * 40 + "there"))
        path = os.path.join(self.folder, "notes.jsonl")
        with open(path, "w") as file:
            file.write(line + "\n")
        self.laptop.edit(self.ids[0], "notes:" + "same " * 40 + "here")
        self.assertIn(
            "notes: here …e same same here, in the file …e same same there",
            self.laptop.run("import", "--dry-run", path).output)

    def test_a_conflict_that_the_file_would_end_is_told(self):
        self.laptop.edit(self.ids[0], "due:2030-02-02")
        self.phone.edit(self.ids[0], "due:2030-03-03")
        self.meet(self.laptop, self.phone)
        plan = self.laptop.run("import", "--dry-run", self.path).output
        self.assertIn(
            "due: here 2030-03-03, in the file 2030-01-01T10:00:00Z (ends a conflict)\n", plan)
        self.assertEqual(len(self.laptop.conflicts()), 1)
        self.laptop.run("import", self.path)
        self.assertEqual(self.laptop.conflicts(), [])
        self.laptop.run("undo")
        (conflict,) = self.laptop.conflicts()
        self.assertEqual(
            [(side["value"], side["device"]) for side in conflict["values"]],
            [("2030-03-03", "phone"), ("2030-02-02", "laptop")])


class EditsApart(TandemTestCase):
    def test_a_text_in_conflict_grows_without_a_decision_and_one_that_is_replaced_says_what_is_gone(self):
        laptop, phone = self.pair()
        laptop.add("Trip")
        self.meet(laptop, phone)
        for device, notes in ((laptop, "passport"), (phone, "tickets")):
            device.run("edit", "trip", "notes:" + notes)
        self.meet(laptop, phone)
        laptop.run("annotate", "trip", "hello")
        self.meet(laptop, phone)
        for device in (laptop, phone):
            told = device.run("conflicts").output
            for text in ("passport", "tickets", "hello"):
                self.assertIn(text, told)
        told = " ".join(phone.run("edit", "trip", "notes:nothing else").output.split())
        self.assertIn("It ends a conflict, and takes away notes: ", told)
        self.assertTrue("passport" in told and "tickets" in told, told)
        phone.run("undo")
        self.assertIn("passport", phone.run("conflicts").output)

    def test_a_purge_against_a_restore_is_told_as_one_and_decided_for_good(self):
        laptop, phone = self.pair()
        laptop.add("Old letter")
        self.meet(laptop, phone)
        laptop.run("delete", "letter")
        self.meet(laptop, phone)
        laptop.run("purge", "letter", "--yes")
        phone.run("restore", "letter")
        self.meet(laptop, phone)
        told = laptop.run("conflicts").output
        self.assertIn("purged it", told)
        self.assertIn(" (for good)", told)
        name = re.search("tandem delete (.*) \\(for good", told)[1]
        told = laptop.run("delete", name).output
        self.assertIn("Purged: ", told)
        self.assertNotIn("back with", told)
        self.meet(laptop, phone)
        self.assertEqual([], phone.titles())

    def test_an_undo_does_not_pass_over_what_another_device_has_purged(self):
        laptop, phone = self.pair()
        laptop.add("Tax return")
        laptop.add("Old thing")
        self.meet(laptop, phone)
        laptop.run("edit", "old", "due:2030-01-04")
        self.meet(laptop, phone)
        phone.run("delete", "old")
        phone.run("purge", "old", "--yes")
        self.meet(laptop, phone)
        told = laptop.run("undo", codes=(tandem.REFUSED,)).errors
        self.assertIn("another device has purged", " ".join(told.split()))
        self.assertEqual(["Tax return"], laptop.titles())


if __name__ == "__main__":
    unittest.main(verbosity=2)
