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
WORDS = "call buy write mend ask read plan clean send paint the a my our milk report 'x' \"y\" ☂".split()


class Taskwarrior(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.program = shutil.which("task")
        self.assertIsNotNone(self.program, "Taskwarrior is missing (./Tools/setup --for-tests)")

    def task(self, *words, text=None):
        resource = os.path.join(self.folder, "taskrc")
        data = os.path.join(self.folder, "task")
        if not os.path.exists(resource):
            os.mkdir(data)
            with open(resource, "w") as file:
                file.write("data.location={}\nconfirmation=off\nhooks=off\ngc=off\n".format(data))
        environment = dict(os.environ, TASKRC=resource, TASKDATA=data, TZ="UTC")
        done = subprocess.run(
            [self.program, *words], env=environment, input=text, capture_output=True, text=True,
            timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
