"""10,000 to-dos that a real Taskwarrior 2.6 exported go through import, sync and export."""

import json
import os
import shutil
import subprocess
import time
import unittest
import uuid

import tandem_process as tandem

TODO_COUNT = int(os.environ.get("TANDEM_TODOS", "10000"))
PROJECTS = ["Home", "Home.Garden", "Work", "Work.Travel", "Räder", ""]
TAGS = ["errand", "desk", "phone", "waiting_for", "größe", "later"]
OWN_FIELDS = {"estimate": "numeric", "when": "date", "size": "string", "spent": "duration"}
# Central Europe without any file of the system's.
ZONE = "CET-1CEST,M3.5.0,M10.5.0/3"
WORDS = "call buy write mend ask read plan clean send paint the a my our milk report 'x' \"y\" ☂".split()


class Taskwarrior(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.program = shutil.which("task")
        self.zone = "UTC"
        self.assertIsNotNone(self.program, "Taskwarrior is missing (./Tools/setup --for-tests)")

    def task(self, *words, text=None, home="task", codes=(0,)):
        resource = os.path.join(self.folder, home + "rc")
        data = os.path.join(self.folder, home)
        if not os.path.exists(resource):
            os.mkdir(data)
            with open(resource, "w") as file:
                file.write("data.location={}\nconfirmation=off\nhooks=off\ngc=off\n".format(data))
                file.write("recurrence.confirmation=no\nrecurrence.limit=3\nbulk=0\n")
                for name, kind in OWN_FIELDS.items():
                    file.write("uda.{0}.type={1}\nuda.{0}.label={0}\n".format(name, kind))
        environment = dict(os.environ, TASKRC=resource, TASKDATA=data, TZ=self.zone)
        done = subprocess.run(
            [self.program, *words], env=environment, input=text, capture_output=True, text=True,
            timeout=300)
        self.assertIn(done.returncode, codes, done.stderr[-2000:])
        return done.stdout

    def exported(self, home="task"):
        """What the real program says of every task, but for what it works out itself."""
        return {
            task["uuid"]: {key: task[key] for key in task if key not in ("id", "urgency")}
            for task in json.loads(self.task("export", home=home))}

    def written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def generated(self, count):
        seed, chance = tandem.seeded("taskwarrior")
        self.report("seed {}, {} to-dos".format(seed, count))
        tasks = []
        for number in range(count):
            task = {
                "uuid": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
                "description": "{} {}".format(" ".join(chance.choices(WORDS, k=5)), number),
                "status": chance.choice(["pending", "pending", "pending", "completed"]),
                "entry": "202610{:02}T{:02}0000Z".format(chance.randint(1, 28), chance.randint(0, 23)),
            }
            if task["status"] == "completed":
                task["end"] = "20261101T{:02}3015Z".format(chance.randint(0, 23))
            if chance.random() < 0.5:
                task["due"] = "202612{:02}T{:02}0000Z".format(
                    chance.randint(1, 28), chance.randint(0, 23))
            if project := chance.choice(PROJECTS):
                task["project"] = project
            if tags := chance.sample(TAGS, chance.randint(0, 3)):
                task["tags"] = tags
            if chance.random() < 0.3:
                task["priority"] = chance.choice("HML")
            if chance.random() < 0.1:
                task["annotations"] = [
                    {"entry": "20261102T080000Z", "description": "note {}".format(number)}]
            tasks.append(task)
        return tasks

    def test_ten_thousand_todos_from_a_real_export(self):
        started = time.monotonic()
        self.task("import", "-", text=json.dumps(self.generated(TODO_COUNT)))
        exported = json.loads(self.task("export"))
        self.assertEqual(len(exported), TODO_COUNT)
        path = os.path.join(self.folder, "tasks.json")
        with open(path, "w") as file:
            json.dump(exported, file, ensure_ascii=False)
        self.report("Taskwarrior made the list in {:.1f} s".format(time.monotonic() - started))

        laptop, phone = self.pair()
        imported = laptop.import_file("taskwarrior", path)
        self.assertEqual(len(laptop.live()), TODO_COUNT)
        first = self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        self.report("import {:.2f} s, first sync {:.2f} s".format(imported.seconds, first.seconds))

        before = laptop.export()
        again = laptop.import_file("taskwarrior", path)
        self.assertEqual(before, laptop.export(), "the same list again must change nothing")
        self.report("the same import again: {:.2f} s, nothing changed".format(again.seconds))

        _, chance = tandem.seeded("edits")
        chosen = chance.sample(sorted(tandem.identity(todo) for todo in laptop.live()), 30)
        for number, todo in enumerate(chosen):
            laptop.edit(todo, "project:Laptop{}".format(number))
            phone.edit(todo, "+phone{}".format(number))
            if number % 3 == 0:
                phone.delete(todo)
        last = self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        self.assertEqual(len(phone.live()), TODO_COUNT - 10)
        self.report("30 to-dos edited on both sides, 10 deleted: sync {:.2f} s".format(last.seconds))

    def test_what_taskwarrior_exported_comes_back(self):
        self.task("import", "-", text=json.dumps(self.generated(200)))
        exported = json.loads(self.task("export"))
        path = os.path.join(self.folder, "tasks.json")
        with open(path, "w") as file:
            json.dump(exported, file, ensure_ascii=False)
        laptop = self.device("laptop")
        laptop.init()
        laptop.import_file("taskwarrior", path)
        returned = {
            task["uuid"]: task
            for task in laptop.run("export", "--format", "taskwarrior").values()}
        kept = ["description", "status", "entry", "end", "due", "project", "priority"]
        for task in exported:
            back = returned[task["uuid"]]
            self.assertEqual({key: task.get(key) for key in kept}, {key: back.get(key) for key in kept})
            self.assertEqual(sorted(task.get("tags", [])), sorted(back.get("tags", [])))
            self.assertEqual(
                [note["description"] for note in task.get("annotations", [])],
                [note["description"] for note in back.get("annotations", [])])
        self.task("import", "-", text=json.dumps(list(returned.values()), ensure_ascii=False))
        self.report("200 to-dos came back field by field, and Taskwarrior reads them")

    def lived_in(self):
        """A list as people have it, made by the real program's own commands."""
        task = self.task
        task("add", "Buy milk", "project:Home.shop", "priority:H", "+errand", "+größe",
             "due:tomorrow", "estimate:1.5", "when:2026-12-01T10:00", "size:big", "spent:PT2H")
        task("1", "annotate", "first note")
        task("1", "annotate", "second\nline http://x/y \"q\"")
        task("add", "Book table", "depends:1", "scheduled:2026-12-05", "wait:2026-11-30",
             "until:2099-01-01", "estimate:7")
        task("add", "Pay rent", "due:eom", "recur:monthly", "until:2099-06-01")
        task("add", "Water plants", "recur:weekly", "due:2026-11-10T08:30")
        task("add", "Read papers", "recur:weekdays", "due:2026-11-18", "wait:2026-11-17",
             "estimate:3", "+desk")
        task("add", "Renew passport", "recur:P1M", "due:2026-08-31", "until:2099-12-15")
        # None of them may be over when this runs: Taskwarrior deletes what is.
        task("add", "Stretch", "recur:3h", "due:tomorrow", "until:2099-11-22")
        task("add", "Call Bob", "project:Work")
        task("add", "Mend the 'x' \\ y", "start:now")
        task("list")
        task("rc.bulk=0", "description:Read papers", "+PENDING", "limit:1", "done", codes=(0, 1))
        first = sorted(
            (each for each in self.exported().values()
             if each["description"] == "Water plants" and "imask" in each),
            key=lambda each: each["due"])
        task(first[0]["uuid"], "done")
        task(first[1]["uuid"], "delete")
        task(first[2]["uuid"], "modify", "due:2026-11-25T09:00")
        task("list")
        task("description:Call Bob", "start")
        task("description:Call Bob", "done")
        task("add", "Never mind")
        task("add", "Needs never mind", "depends:{}".format(self.identifier_of("Never mind")))
        task("description:Never mind", "delete")
        # Fields that this machine's settings do not name, as other people's hooks leave them.
        task("import", "-", text=json.dumps([{
            "description": "Foreign fields", "uuid": str(uuid.UUID(int=7, version=4)),
            "entry": "20261101T080000Z", "status": "pending", "priority": "L",
            "githubnumber": "42", "notes": "two\nlines", "people": "Ann", "location": "desk"}, {
            "description": "Later fields", "uuid": str(uuid.UUID(int=8, version=4)),
            "entry": "20261101T080000Z", "status": "pending", "priority": "X", "last": "3",
            "rtype": "chained", "template": str(uuid.UUID(int=9, version=4)), "mask": "-",
            "parent": str(uuid.UUID(int=9, version=4)), "imask": "2", "tags": ["next", "nonag"],
            "reviewed": "20261102T080000Z"}]))
        time.sleep(1.1)

    def identifier_of(self, title):
        return next(
            task["uuid"] for task in self.exported().values() if task["description"] == title)

    def differences(self, before, after, general):
        """Which fields of which tasks differ, by title; a task that is gone differs in its status."""
        different = set()
        for identifier, task in before.items():
            back = after.get(identifier)
            if back is None:
                different.add((task["description"], "status"))
                continue
            for key in set(task) | set(back):
                one, other = task.get(key), back.get(key)
                if key in ("tags", "depends"):
                    one, other = sorted(one or []), sorted(other or [])
                if one != other and key not in general:
                    different.add((task["description"], key))
        return different

    def test_what_a_list_loses_is_what_the_rehearsal_said(self):
        self.lived_in()
        self.there_and_back()

    def test_in_a_zone_with_summer_time_a_list_loses_what_the_rehearsal_said(self):
        self.zone = ZONE
        self.lived_in()
        laptop, before = self.there_and_back()
        # Midnight there is a day here.
        milk = next(todo for todo in laptop.todos() if todo["title"] == "Buy milk")
        self.assertRegex(milk["due"], r"^\d{4}-\d\d-\d\d$")
        # Nobody sees a template beside its tasks.
        open_titles = [todo["title"] for todo in laptop.todos("status:pending")]
        for title in ("Pay rent", "Water plants", "Read papers"):
            pending = [
                task for task in before.values()
                if task["description"] == title and task["status"] in ("pending", "waiting")]
            self.assertEqual(open_titles.count(title), len(pending), title)

    # The reported losses of the whole file.
    GENERAL = {"modified", "id, urgency"}
    # All columns of Taskwarrior 2.6 and 3 that an export has, but `id` and `urgency`.
    ATTRIBUTES = {
        "annotations", "depends", "description", "due", "end", "entry", "imask", "last", "mask",
        "modified", "parent", "priority", "project", "recur", "rtype", "scheduled", "start",
        "status", "tags", "template", "until", "uuid", "wait"}

    def there_and_back(self):
        before = self.exported()
        path = self.written("tasks.json", self.task("export"))
        laptop = self.device("laptop")
        laptop.zone = self.zone
        laptop.init()
        empty = laptop.fingerprint()
        plan = json.loads(laptop.run("import", "--dry-run", "--json", path).output)
        self.assertEqual(empty, laptop.fingerprint(), "a rehearsal must change nothing")
        deleted = [
            task for task in before.values() if task["status"] == "deleted" and "imask" not in task]
        self.assertEqual(plan["bad"], [])
        self.assertEqual(plan["made"], len(before) - len(deleted))
        self.assertEqual(plan["madeDeleted"], len(deleted))
        made = laptop.run("import", path)
        self.assertIn("not kept", made.errors)
        self.assertIn("import --dry-run --format taskwarrior", made.errors)
        out = json.loads(laptop.run("export", "--format", "taskwarrior", "--dry-run", "--json").output)
        file = self.written("back.json", laptop.run("export", "--format", "taskwarrior").output)
        self.assertEqual(out["bytes"], os.path.getsize(file))
        self.task("import", file, home="fresh")
        after = self.exported("fresh")

        self.assertLessEqual(set(after), set(before), "nothing new")
        told = {(loss["title"], loss["field"]) for loss in plan["losses"] + out["losses"]}
        general = {field for title, field in told if title == ""}
        self.assertEqual(general, self.GENERAL)
        different = self.differences(before, after, general)
        self.assertEqual(different, {(title, field) for title, field in told if title})
        self.assertIn(("Never mind", "status"), told)
        # Values that are kept, but have no effect, are reported, too.
        remarked = {(remark["title"], remark["field"]) for remark in plan["remarks"]}
        self.assertTrue({
            ("Pay rent", "recur"),
            ("Water plants", "recur"), ("Stretch", "recur"), ("Book table", "until"),
            ("Pay rent", "until"), ("Stretch", "until"), ("Later fields", "last"),
            ("Later fields", "rtype"), ("Later fields", "template"), ("Later fields", "mask"),
            ("Later fields", "parent"), ("Later fields", "imask"), ("Later fields", "priority"),
            ("Later fields", "tags")} <= remarked, remarked)
        # Every attribute that there is was among them, and is there again or was told.
        names = {name for task in before.values() for name in task}
        self.assertLessEqual(self.ATTRIBUTES, names)
        statuses = [task["status"] for task in after.values()]
        self.assertEqual(statuses.count("recurring"), 5)
        self.assertTrue({"completed", "deleted", "pending"} <= set(statuses))
        self.report("{} tasks, of which {} details differ, as was said".format(
            len(before), len(different)))

        again = laptop.run("import", path)
        self.assertIn("0 new, 0 updated", again.output)
        # Taskwarrior goes on with the templates where it was, and makes nothing twice.
        self.task("list", home="fresh")
        self.assertEqual(set(self.exported("fresh")), set(after))
        return laptop, before

    def test_what_comes_again_is_done_here_and_goes_on_there(self):
        self.task("add", "Water plants", "recur:weekly", "due:2026-11-19")
        self.task("list", "rc.recurrence.limit=1")
        path = self.written("tasks.json", self.task("export"))
        laptop = self.device("laptop")
        laptop.init()
        laptop.import_file("taskwarrior", path)
        opened = laptop.todos("status:pending")
        self.assertGreaterEqual(len(opened), 1)
        last = max(opened, key=lambda todo: todo["due"])
        for todo in sorted(opened, key=lambda todo: todo["due"]):
            laptop.done(tandem.identity(todo))
        following = laptop.todos("status:pending")
        self.assertEqual(len(following), 1)
        self.assertGreater(following[0]["due"], last["due"])
        self.task("import", "-", text=laptop.run("export", "--format", "taskwarrior").output)
        self.task("list", "rc.recurrence.limit=1")
        pending = [task for task in self.exported().values() if task["status"] == "pending"]
        dues = sorted(task["due"] for task in pending)
        self.assertEqual(len(dues), len(set(dues)), "no occurrence is there twice")
        # Tasks that Taskwarrior has made since are the occurrences that would have been made here.
        self.written("tasks.json", self.task("export"))
        laptop.import_file("taskwarrior", path)
        laptop.done(tandem.identity(following[0]))
        dues = [todo["due"] for todo in laptop.todos("status:pending")]
        self.assertEqual(len(dues), len(set(dues)))

    def test_what_would_crash_taskwarrior_does_not_reach_it(self):
        laptop = self.device("laptop")
        laptop.init()
        laptop.import_file("taskwarrior", self.written("tasks.json", json.dumps([
            dict(task, uuid=str(uuid.UUID(int=number, version=4)), status="pending",
                 entry="20261101T080000Z")
            for number, task in enumerate([
                {"description": ""}, {"due": "20991201T000000Z"}, {"description": " \n"},
                {"description": "Plain"}])])))
        laptop.add("No date", "x.recur:weekly")
        laptop.add("No period", "x.recur:every 2 weeks", "due:2099-12-01")
        laptop.add("Its own names", "x.annotation_1:a", "x.dep_b:b", "x.tags_c:c",
                   "x.last:yesterday", "x.imask:abc")
        untitled = [todo for todo in laptop.todos() if not todo["title"].strip()]
        self.assertEqual(len(untitled), 3)
        laptop.edit(tandem.identity(untitled[0]), "project:Home")
        out = json.loads(laptop.run("export", "--format", "taskwarrior", "--dry-run", "--json").output)
        told = [(loss["field"], loss["reason"]) for loss in out["losses"]]
        self.assertEqual(told.count(("title", "becomes (no title)")), 3)
        for name in ("recur", "annotation_1", "dep_b", "tags_c", "last", "imask"):
            self.assertIn((name, "kept in the field 'tandem' alone"), told)
        path = self.written("back.json", laptop.run("export", "--format", "taskwarrior").output)
        self.task("import", path)
        tasks = self.exported().values()
        self.assertEqual(
            sorted(task["description"] for task in tasks),
            ["(no title)"] * 3 + ["Its own names", "No date", "No period", "Plain"])
        self.assertEqual({task["status"] for task in tasks}, {"pending"})
        # The stand-in comes back as none.
        before = laptop.export()
        again = self.written("again.json", self.task("export"))
        self.assertIn("0 updated", laptop.run("import", again).output)
        self.assertEqual(before, laptop.export())

    def test_notes_that_were_edited_keep_their_annotations(self):
        self.task("add", "Call Bob")
        self.task("1", "annotate", "was busy")
        laptop = self.device("laptop")
        laptop.init()
        laptop.import_file("taskwarrior", self.written("tasks.json", self.task("export")))
        todo = laptop.todos()[0]
        laptop.edit(tandem.identity(todo), "notes:" + todo["notes"] + "\nask for the key")
        out = json.loads(laptop.run("export", "--format", "taskwarrior", "--dry-run", "--json").output)
        self.assertIn("notes", {loss["field"] for loss in out["losses"]})
        before = self.exported()
        self.task("import", "-", text=laptop.run("export", "--format", "taskwarrior").output)
        (after,) = self.exported().values()
        self.assertEqual(after["annotations"], list(before.values())[0]["annotations"])
        self.assertEqual(after["notes"], "ask for the key")

    def test_what_our_list_loses_there_is_what_the_rehearsal_said(self):
        laptop = self.device("laptop")
        laptop.init()
        parent = str(uuid.UUID(int=9, version=4))
        laptop.import_file("jsonl", self.written("odd.jsonl", json.dumps({
            "tandem": 1, "id": parent, "title": "Plan the trip", "due": "2026-12-01",
            "tags": ["a,b", "x y"], "project": "Work.Travel", "until": "+010000-01-01",
            "custom": {"odd name": 1, "day": {"day": "2026-12-24"}, "yes": True}})))
        laptop.add("Book", "parent:" + parent, "due:2026-12-01T10:00", "people:Ann", "people:Bob",
                   "location:desk", "notes:two lines", "priority:medium", "x.pages:5", "x.share:0.25")
        laptop.add("Gym", "due:2026-11-27", "repeat:every 2 weeks", "scheduled:2026-11-26")
        laptop.done(laptop.add("Old thing", "start:2026-11-20T08:00", "finish:2026-11-20T09:30"))
        laptop.run("cancel", laptop.add("Never mind", "wait:2026-12-24"))
        laptop.add("Say &open; and [this]", "notes:a &close; b", "+a&b", "project:R&D")
        before = {tandem.identity(todo): todo for todo in laptop.todos()}
        out = json.loads(laptop.run("export", "--format", "taskwarrior", "--dry-run", "--json").output)
        self.task("import", "-", text=laptop.run("export", "--format", "taskwarrior").output)
        path = self.written("tasks.json", self.task("export"))
        phone = self.device("phone")
        phone.init()
        plan = json.loads(phone.run("import", "--dry-run", "--json", path).output)
        phone.run("import", path)
        after = {tandem.identity(todo): todo for todo in phone.todos()}
        self.assertEqual(set(before), set(after))
        aside = [loss for loss in out["losses"] if "'tandem'" in loss["reason"]]
        self.assertTrue({"tags", "repeat", "parent"} <= {loss["field"] for loss in aside})
        # Values in the field `tandem` come back; the rest does not.
        told = {
            (loss["title"], loss["field"]) for loss in out["losses"] + plan["losses"]
            if loss not in aside and loss["field"] != "tandem"}
        different = set()
        for identifier, todo in before.items():
            for key in set(todo) | set(after[identifier]):
                if todo.get(key) != after[identifier].get(key) and key != "modified":
                    different.add((todo["title"], key))
        self.assertEqual(different, {(title, field) for title, field in told if title})
        self.report("{} to-dos, of which {} details differ, as was said".format(
            len(before), len(different)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
