"""To-dos that wait for others: words, lists, what commands tell, files, two devices."""

import json
import os
import uuid

import unittest

from tandem_process import NOTHING, OK, REFUSED, TandemTestCase


def listed(device, *filters):
    """The pending to-dos that a filter takes, as a list has them."""
    return device.run("list", "--json", *filters, codes=(OK, NOTHING)).values()


class WaitingTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()
        for title in ("Buy paint", "Sand the boards", "Paint them", "Hang the door"):
            self.laptop.add(title)
        self.laptop.run("list")

    def line(self, title, *filters):
        found = [line for line in self.laptop.run("list", *filters).output.splitlines() if title in line]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def ends(self):
        """The titles that each to-do waits for."""
        todos = listed(self.laptop)
        titles = {todo["id"]: todo["title"] for todo in todos}
        return {
            todo["title"]: sorted(titles[other] for other in todo["blockedBy"]) for todo in todos if "blockedBy" in todo
        }

    def test_every_way_to_name_a_to_do_names_what_it_waits_for(self):
        told = self.laptop.run("edit", "4", "depends:1-2,3").output
        self.assertIn("waits for", told)
        self.assertIn("Sand the boards (2)", told)
        self.assertEqual(self.ends(), {"Hang the door": ["Buy paint", "Paint them", "Sand the boards"]})
        self.laptop.run("edit", "4", "depends-:1,3")
        self.laptop.run("edit", "3", "dep:sand")
        self.laptop.run("edit", "them", "depends+:buy paint")
        self.assertEqual(
            self.ends(), {"Hang the door": ["Sand the boards"], "Paint them": ["Buy paint", "Sand the boards"]})
        told = self.laptop.run("edit", "3", "depends:-1").output
        self.assertIn("waits no more for Buy paint (1)", told)
        sand = [todo["id"] for todo in listed(self.laptop) if todo["title"] == "Sand the boards"][0]
        told = self.laptop.run("add", "Clean", "up", "depends:last," + sand[-8:]).output
        self.assertIn("Added 5: Clean up", told)
        self.assertEqual(self.ends()["Clean up"], ["Paint them", "Sand the boards"])
        self.laptop.run("edit", "5", "depends:")
        self.laptop.run("edit", "3,4", "depends:1")
        self.assertEqual(self.ends(), {"Hang the door": ["Buy paint"], "Paint them": ["Buy paint"]})

    def test_nothing_is_said_to_wait_for_what_is_finished(self):
        self.laptop.run("done", "2")
        told = " ".join(self.laptop.run("edit", "4", "depends:1,sand").output.split())
        self.assertIn("waits for Buy paint (1)", told)
        self.assertRegex(told, r"need not wait for Sand the boards \(.*\): finished")
        told = self.laptop.run("edit", "3", "depends:sand").output
        self.assertNotIn("waits for", told)

    def test_a_to_do_in_the_trash_gets_no_parts(self):
        paint = [todo["id"] for todo in listed(self.laptop) if todo["title"] == "Buy paint"][0]
        self.laptop.run("delete", paint)
        for words in (["add", "Brush"], ["edit", "2"]):
            told = self.laptop.run(*words, "parent:" + paint, codes=(REFUSED,)).errors
            self.assertIn("trash", told)
        self.assertEqual(["Hang the door", "Paint them", "Sand the boards"],
                         sorted(todo["title"] for todo in listed(self.laptop)))

    def test_lists_and_filters_tell_both_ends(self):
        self.laptop.run("edit", "3", "depends:1,2")
        self.assertIn("waits for 1,2", self.line("Paint them"))
        self.assertIn("blocks 3", self.line("Buy paint"))
        self.assertIn("waits for 1,2", self.line("Paint them", "is:blocked"))
        self.assertEqual(len(listed(self.laptop, "+BLOCKED")), 1)
        self.assertEqual(len(listed(self.laptop, "is:blocking")), 2)
        self.assertEqual(len(listed(self.laptop, "+UNBLOCKED")), 3)
        self.assertEqual(len(listed(self.laptop, "+READY")), 3)
        self.assertEqual([todo["title"] for todo in listed(self.laptop, "depends:2")], ["Paint them"])
        self.assertEqual(len(listed(self.laptop, "depends:")), 3)
        shown = self.laptop.run("show", "3").output
        self.assertIn("[ ] Buy paint", shown)
        self.assertRegex(self.laptop.run("show", "2").output, r"blocks +\[ \] Paint them")
        self.assertIn("depends: added Buy paint", self.laptop.run("history", "3").output)

    def test_a_circle_is_refused_and_nothing_is_saved(self):
        self.laptop.run("edit", "3", "depends:2")
        self.laptop.run("edit", "4", "depends:3")
        refused = self.laptop.run("edit", "2", "depends:4", "due:today", codes=(REFUSED,))
        self.assertIn("'Sand the boards' cannot wait for 'Hang the door'", refused.errors)
        self.assertIn("next: tandem show 4", refused.errors)
        self.assertIn("wait for itself", self.laptop.run("edit", "2", "depends:2", codes=(REFUSED,)).errors)
        self.assertEqual(self.ends(), {"Hang the door": ["Paint them"], "Paint them": ["Sand the boards"]})
        self.assertTrue(all("due" not in todo for todo in listed(self.laptop)))

    def test_done_tells_what_it_waited_for_and_what_is_free_now(self):
        self.laptop.run("edit", "3", "depends:1,2")
        self.laptop.run("edit", "4", "depends:3")
        told = self.laptop.run("done", "1").output
        self.assertNotIn("free now", told)
        told = self.laptop.run("done", "3").output
        self.assertIn("Done: Paint them", told)
        self.assertIn("'Paint them' waited for what is still to be done: Sand the boards (2)", told)
        self.assertIn("free now: Hang the door (4)", told)
        self.laptop.run("undo")
        self.assertIn("free now: Paint them (3)", self.laptop.run("delete", "2").output)
        told = self.laptop.run("done", "3", "4").output
        self.assertNotIn("free now", told)
        self.assertNotIn("waited", told)
        self.laptop.run("list", "+BLOCKED", codes=(NOTHING,))

    def test_files_of_every_format_bring_it_back(self):
        self.laptop.run("edit", "3", "depends:1,2")
        self.laptop.run("edit", "4", "depends:3", "parent:2")
        wanted = self.ends()
        for form in ("jsonl", "taskwarrior", "ical", "csv", "todotxt"):
            text = self.laptop.run("export", "--format", form).output
            path = os.path.join(self.folder, "export." + form)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            other = self.device("other-" + form)
            other.init()
            other.run("import", path, "--format", form)
            todos = listed(other)
            titles = {todo["id"]: todo["title"] for todo in todos}
            self.assertEqual(
                {
                    todo["title"]: sorted(titles[end] for end in todo["blockedBy"])
                    for todo in todos if "blockedBy" in todo
                }, wanted, form)

    def test_two_devices_that_close_a_circle_show_the_same(self):
        phone = self.device("phone")
        with self.laptop.serve() as server:
            phone.join(server.address)
        self.meet(self.laptop, phone)
        phone.run("list")
        ids = {todo["title"]: todo["id"] for todo in listed(self.laptop)}
        self.laptop.run("edit", ids["Paint them"], "depends:" + ids["Sand the boards"])
        phone.run("edit", ids["Sand the boards"], "depends:" + ids["Paint them"])
        self.meet(self.laptop, phone)
        self.assertConverged(self.laptop, phone)
        self.assertEqual(self.ends(), {"Paint them": ["Sand the boards"]})
        self.assertEqual(
            [todo["title"] for todo in listed(phone, "is:blocked")], ["Paint them"])


class TaskwarriorFileTests(TandemTestCase):
    def test_arrays_and_texts_lead_to_tasks_further_down_and_to_none(self):
        laptop = self.device("laptop")
        laptop.init()
        ids = [str(uuid.UUID(int=number + 1, version=4)) for number in range(4)]
        tasks = [
            {"uuid": ids[0], "description": "Paint", "status": "pending", "depends": [ids[1], ids[3]]},
            {"uuid": ids[1], "description": "Sand", "status": "pending", "depends": ids[2] + "," + ids[3]},
            {"uuid": ids[2], "description": "Buy", "status": "completed", "end": "20260101T100000Z"},
        ]
        path = os.path.join(self.folder, "tasks.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(tasks, file)
        laptop.run("import", path, "--format", "taskwarrior")
        todos = {todo["title"]: todo for todo in laptop.run("list", "--all", "--json").values()}
        self.assertEqual(todos["Paint"]["depends"], [ids[1]])
        self.assertEqual(todos["Paint"]["blockedBy"], [ids[1]])
        self.assertEqual(todos["Sand"]["depends"], [ids[2]])
        self.assertNotIn("blockedBy", todos["Sand"])
        # The task that was not in the file comes later.
        tasks = [{"uuid": ids[3], "description": "Fetch", "status": "pending"}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(tasks, file)
        laptop.run("import", path, "--format", "taskwarrior")
        todos = {todo["title"]: todo for todo in listed(laptop)}
        self.assertEqual(todos["Sand"]["blockedBy"], [ids[3]])
        exported = {
            task["description"]: task for task in json.loads(laptop.run("export", "--format", "taskwarrior").output)
        }
        self.assertEqual(exported["Paint"]["depends"], sorted([ids[1], ids[3]]))
        self.assertNotIn("tandem", exported["Paint"])


if __name__ == "__main__":
    unittest.main()
