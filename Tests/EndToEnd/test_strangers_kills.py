"""kill -9 of `tandem caldav` at random moments of writes: every field is compared, every disagreement is listed."""

import http.client
import os
import signal
import threading
import time
import unittest
import uuid

import tandem_process as tandem
from caldav_case import vtodo
from strangers_case import FIELDS, StrangersCase, fields

KILL_COUNT = int(os.environ.get("TANDEM_GATEWAY_KILLS", "200"))
# So many to-dos that nobody touches stay between the deletes and the mass-delete guard.
BYSTANDER_COUNT = 60
PRIORITIES = {"1": "high", "5": "medium", "9": "low"}
PROPERTIES = {"title": "SUMMARY", "notes": "DESCRIPTION", "due": "DUE", "priority": "PRIORITY", "tags": "CATEGORIES"}


def changed(text, name, line):
    """A text whose property of a name is another line."""
    kept = [one for one in text.split("\r\n") if one.split(":")[0].split(";")[0] != name]
    kept.insert(kept.index("END:VTODO"), line)
    return "\r\n".join(kept)


class Item:
    """A to-do as the client has it, and as the store has to have it."""

    def __init__(self, name, text, wanted):
        self.name, self.text, self.wanted = name, text, wanted
        self.list_name = "inbox"
        self.todo = None
        # What others have set since the client read it last, by the field.
        self.unseen = {}
        # The values of a field that both sides have set while apart, by the field.
        self.open = {}

    @property
    def path(self):
        return "/lists/{}/{}.ics".format(self.list_name, self.name)


class Kills(StrangersCase):
    def setUp(self):
        super().setUp()
        self.seed, self.chance = tandem.seeded("gateway kills")
        self.laptop.run("import", "--format", "todotxt", "-", text="".join(
            "Bystander {}\n".format(number) for number in range(BYSTANDER_COUNT)))
        self.laptop.add("Anchor", "project:Work")
        self.items, self.gone = [], {}
        self.hits = self.count = 0
        self.window = 0.05

    def restart(self):
        self.gateway_process.process.wait(60)
        self.gateway_process.start()

    def write(self, statuses, method, path, body=None, **headers):
        """A request under which the gateway is killed at a random moment; it is sent again until it is answered."""
        killer = threading.Timer(self.chance.uniform(0, self.window * 1.3), os.kill,
                                 (self.gateway_process.process.pid, signal.SIGKILL))
        self.count += 1
        began = time.monotonic()
        killer.start()
        try:
            answer = self.client.ask(method, path, body, **headers)
            self.window = 0.7 * self.window + 0.3 * (time.monotonic() - began)
        except (OSError, http.client.HTTPException):
            answer = None
            self.hits += 1
        killer.join()
        self.restart()
        if answer is None:
            answer = self.client.ask(method, path, body, **headers)
        self.assertIn(answer.status, statuses, "{} {} {}\n{}\n{}".format(method, path, headers, body, answer))

    def new_value(self, field, is_ours, avoided):
        """A value that neither side has set: as a line of a to-do, as words of the command line, and as it is exported."""
        number = self.count * 2 + is_ours
        if field == "due":
            day = "2027-{:02}-{:02}".format(1 + number // 28 % 12, 1 + number % 28)
            return "DUE;VALUE=DATE:" + day.replace("-", ""), ["due:" + day], day
        if field == "priority":
            code = self.chance.choice([code for code, word in PRIORITIES.items() if word not in avoided])
            return "PRIORITY:" + code, ["priority:" + PRIORITIES[code]], PRIORITIES[code]
        if field == "notes":
            return "DESCRIPTION:note {}".format(number), ["notes:note {}".format(number)], "note {}".format(number)
        return "SUMMARY:Title {}".format(number), ["Title {}".format(number)], "Title {}".format(number)

    def has(self, text):
        """The priority of a text, as it is exported."""
        return next((PRIORITIES[line[-1]] for line in text.split("\r\n") if line.startswith("PRIORITY:")), None)

    def create(self):
        name = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        wanted = {"title": "New " + name, "notes": "n " + name, "due": "2027-01-01", "priority": "low", "tags": ["a", "b"]}
        text = vtodo(wanted["title"], name, DESCRIPTION=wanted["notes"], PRIORITY="9", CATEGORIES="a,b")
        text = changed(text, "DUE", "DUE;VALUE=DATE:20270101")
        item = Item(name, text, wanted)
        self.write((201, 204), "PUT", item.path, text, If_None_Match="*")
        item.todo = self.todo(wanted["title"])["id"]
        self.items.append(item)

    def edit(self):
        item = self.chance.choice(self.items)
        field = self.chance.choice([field for field in FIELDS if field not in item.open])
        headers = {}
        if self.chance.random() < 0.5:
            # It reads before it edits; else it goes on with what it has put itself.
            item.text = self.client.get(item.path).text.replace("\r\n ", "")
            item.unseen = {}
            if self.chance.random() < 0.5:
                headers["If_Match"] = self.client.tags("/lists/{}/".format(item.list_name))[item.path]
        other = self.chance.choice((None, field, field, field, "notes", "title", "priority", "due"))
        if other in item.open or headers:
            other = None
        if field == "tags":
            tag = "t{}".format(self.count)
            line = next(one for one in item.text.split("\r\n") if one.startswith("CATEGORIES")) + "," + tag
            value = sorted([*item.wanted["tags"], tag])
        else:
            line, _, value = self.new_value(field, False, {self.has(item.text), item.unseen.get(field)})
        avoided = {item.wanted["priority"], self.has(item.text), value if field == "priority" else None}
        if other == "priority" and avoided >= set(PRIORITIES.values()):
            other = None
        if other not in (None, "tags"):
            _, words, others_value = self.new_value(other, True, avoided)
            self.laptop.edit(item.todo, *words)
            item.wanted[other] = item.unseen[other] = others_value
        item.text = changed(item.text, PROPERTIES[field], line)
        self.write((201, 204), "PUT", item.path, item.text, **headers)
        if field in item.unseen:
            item.open[field] = (item.unseen[field], value)
        item.wanted[field] = value

    def delete(self):
        """What others have edited unseen is in the trash with the delete, and listed."""
        item = self.items.pop(self.chance.randrange(len(self.items)))
        self.write((204, 404), "DELETE", item.path)
        self.gone[item.todo] = item

    def move(self):
        item = self.chance.choice(self.items)
        before, item.list_name = item.path, "Work" if item.list_name == "inbox" else "inbox"
        self.write((201, 204, 404), "MOVE", before, Destination=item.path)
        # Asked for its tag alone, so that the client has still not read what others wrote.
        for path, is_there in ((item.path, True), (before, False)):
            self.assertEqual(path in self.client.tags(path.rsplit("/", 1)[0] + "/"), is_there, path)

    def compare(self):
        """Every field of every to-do, and every disagreement."""
        exported = {todo["id"]: todo for todo in self.laptop.live()}
        self.assertEqual(len(exported), BYSTANDER_COUNT + 1 + len(self.items))
        self.assertEqual(set(self.gone) & set(exported), set())
        for item in self.items:
            found = fields(exported[item.todo])
            for field in FIELDS:
                if field in item.open:
                    self.assertIn(found[field], item.open[field], (field, item.text))
                else:
                    self.assertEqual(found[field], item.wanted[field], (field, item.text, exported[item.todo]))
            self.assertEqual(exported[item.todo].get("project"), "Work" if item.list_name == "Work" else None)
        listed = {(one["id"], one.get("field")): one for one in self.laptop.conflicts()}
        wanted = {(item.todo, field): values for item in self.items for field, values in item.open.items()}
        wanted.update({(todo, None): item.unseen.values() for todo, item in self.gone.items() if item.unseen})
        self.assertEqual(set(listed), set(wanted))
        for key, values in wanted.items():
            for value in values:
                self.assertTrue(tandem.mentions(listed[key], value), (value, listed[key]))

    def test_writes_survive_kills_at_random_moments(self):
        for _ in range(4):
            self.create()
        while self.count < KILL_COUNT:
            step = self.chance.choices((self.edit, self.create, self.delete, self.move), (7, 1.5, 0.7, 0.8))[0]
            if step == self.delete and len(self.items) < 4 or step == self.edit and not self.items:
                step = self.create
            step()
            self.compare()
        # An undisturbed reader has what the store has.
        for item in self.items:
            text = self.client.get(item.path).text
            for field in ("title", "notes"):
                if field not in item.open:
                    self.assertIn(item.wanted[field], text.replace("\r\n ", ""))
        disagreements = sum(len(item.open) for item in self.items)
        self.report("seed {}: {} kills, {} of them before the answer; {} to-dos as wanted, {} disagreements listed".format(
            self.seed, self.count, self.hits, len(self.items), disagreements))
        self.assertGreater(self.hits, self.count // 4, "too few kills hit a write")


if __name__ == "__main__":
    unittest.main(verbosity=2)
