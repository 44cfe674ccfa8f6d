"""python-caldav and cadaver at `tandem caldav`, and 3,000 to-dos."""

import datetime
import json
import os
import shutil
import unittest

import tandem_process as tandem
from caldav_case import vtodo
from strangers_case import StrangersCase, fields

# Run by the Python that has the library; prints JSON.
DAY = """
import json, subprocess, sys
import caldav
from datetime import date
address, name, password = sys.argv[1:4]
def ours(*words):
    subprocess.run([sys.argv[4], *words], check=True, stdout=subprocess.DEVNULL)
told = {}
with caldav.DAVClient(url=address, username=name, password=password) as client:
    principal = client.principal()
    told["lists"] = sorted(one.get_display_name() for one in principal.calendars())
    garden = principal.make_calendar(name="Garden", supported_calendar_component_set=["VTODO"])
    garden.save_todo(summary="Sow", due=date(2027, 3, 1), priority=1, categories=["a", "b"], description="deep")
    garden.save_todo(summary="Water", due=date(2027, 1, 4), dtstart=date(2027, 1, 4), rrule={"FREQ": "WEEKLY"})
    told["pending"] = sorted(str(one.icalendar_component["summary"]) for one in garden.todos())
    changes = garden.objects_by_sync_token(load_objects=True)
    # Apart: we change the title and the tags, it the notes, of what it has.
    sow, = [one for one in garden.todos() if one.icalendar_component["summary"] == "Sow"]
    ours("edit", "+a", "project:Garden", "Sow seeds", "+c", "--yes")
    sow.icalendar_component["description"] = "not deep"
    try:
        sow.save()
        told["saved"] = True
    except caldav.error.DAVError as fault:
        told["saved"] = str(fault)
    told["changed"] = sorted(str(one.icalendar_component["summary"]) for one in changes.sync()[0])
    sow.load()
    told["title"] = str(sow.icalendar_component["summary"])
    told["found"] = [str(one.icalendar_component["summary"]) for one in garden.search(todo=True, category="c")]
    sow.complete()
    water, = [one for one in garden.todos() if one.icalendar_component["summary"] == "Water"]
    water.complete(handle_rrule=True)
    gone = garden.save_todo(summary="Gone")
    gone.delete()
    # It has no call that moves: the same to-do is saved into the other list, then deleted in the first.
    moved = garden.save_todo(summary="Rake", description="of wood", priority=1)
    home, = [one for one in principal.calendars() if one.get_display_name() == "Home"]
    home.save_todo(moved.data)
    moved.delete()
    # It has not seen what we write meanwhile.
    kept = garden.save_todo(summary="Dig")
    ours("edit", "Dig", "notes:seen by nobody")
    kept.delete()
    told["all"] = sorted(str(one.icalendar_component["summary"]) for one in garden.todos(include_completed=True))
print(json.dumps(told))
"""

MANY = """
import json, sys, time
import caldav
with caldav.DAVClient(url=sys.argv[1], username=sys.argv[2], password=sys.argv[3]) as client:
    inbox, = [one for one in client.principal().calendars() if one.get_display_name() == "Inbox"]
    began = time.monotonic()
    read = inbox.todos()
    seconds = time.monotonic() - began
    changes = inbox.objects_by_sync_token()
    inbox.save_todo(summary="One more")
    print(json.dumps({"count": len(read), "seconds": seconds, "changed": len(list(changes.sync()[0]))}))
"""


class PythonCaldav(StrangersCase):
    def python(self, script, *words):
        variables = {"TANDEM_STORE": self.laptop.store, "XDG_CONFIG_HOME": self.laptop.store + "-settings"}
        said = self.program("python", "-c", script, self.address, self.client.name, self.client.password, *words, **variables)
        return json.loads(said.strip().splitlines()[-1])

    def test_a_day_with_its_own_calls(self):
        self.laptop.add("Milk", "project:Home")
        told = self.python(DAY, tandem.BINARY)
        self.assertEqual(told["lists"], ["Home", "Inbox"])
        self.assertEqual(told["pending"], ["Sow", "Water"])
        self.assertIs(told["saved"], True)
        self.assertEqual(told["changed"], ["Sow seeds"])
        self.assertEqual(told["title"], "Sow seeds")
        self.assertEqual(told["found"], ["Sow seeds"])
        sow = self.todo("Sow seeds")
        self.assertEqual(fields(sow), {
            "title": "Sow seeds", "notes": "not deep", "due": "2027-03-01", "priority": "high", "tags": ["a", "b", "c"]})
        self.assertEqual((sow["status"], sow["project"]), ("completed", "Garden"))
        # It makes a copy that is done, and counts the week from now.
        # It makes a copy that is done, and counts the week from now: so it is served, and so it is here.
        (done, first), (pending, second) = self.states("Water")
        self.assertEqual((done, first, pending), ("completed", "2027-01-04", "pending"))
        day = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=7)
        due = datetime.datetime.fromisoformat(second.replace("Z", "+00:00"))
        self.assertLess(abs((day - due).total_seconds()), 600, second)
        self.assertEqual(self.laptop.show(self.pending("Water"))["repeat"], "every week")
        self.assertNotIn("Gone", told["all"])
        rake = self.todo("Rake")
        self.assertEqual((rake["project"], rake["notes"], rake["priority"]), ("Home", "of wood", "high"))
        # The edit that it had not seen is in the trash with the to-do, and listed.
        dig, = [todo["id"] for todo in self.laptop.trash() if todo["title"] == "Dig"]
        self.assertListed(dig, "seen by nobody")
        self.laptop.restore(dig)
        self.assertUndisputed()

    def test_three_thousand_to_dos_are_read_and_synced(self):
        self.fill(3000)
        told = self.python(MANY)
        self.report("3,000 read by python-caldav in {:.1f} s".format(told["seconds"]))
        self.assertEqual((told["count"], told["changed"]), (3000, 1))
        self.assertEqual(len(self.laptop.todos()), 3001)


class Cadaver(StrangersCase):
    """A WebDAV program that knows no calendars: lists are folders, to-dos are files."""

    def cadaver(self, *lines, codes=(0,)):
        path = shutil.which("cadaver")
        self.assertIsNotNone(path, "cadaver is missing (./Tools/setup --for-tests)")
        with open(os.path.join(self.home, ".netrc"), "w") as file:
            file.write("machine 127.0.0.1\nlogin {}\npassword {}\n".format(self.client.name, self.client.password))
        os.chmod(os.path.join(self.home, ".netrc"), 0o600)
        return self.program(path, self.address + "lists/inbox/", text="\n".join([*lines, "quit"]) + "\n", codes=codes)

    def test_files_are_listed_read_written_and_deleted(self):
        self.laptop.add("Milk", "due:2026-12-01")
        self.laptop.add("Other")
        with open(os.path.join(self.home, "new.ics"), "w", newline="") as file:
            file.write(vtodo("Eggs", "eggs-1", PRIORITY="1"))
        said = self.cadaver("ls", "put new.ics eggs.ics", "get eggs.ics back.ics", "ls")
        self.assertIn(self.todo("Milk")["id"], said)
        self.assertEqual(self.todo("Eggs")["priority"], "high")
        with open(os.path.join(self.home, "back.ics")) as file:
            self.assertIn("SUMMARY:Eggs", file.read())
        # Written again over what others changed, without a condition.
        self.laptop.edit(self.todo("Eggs")["id"], "Brown eggs")
        with open(os.path.join(self.home, "new.ics"), "w", newline="") as file:
            file.write(vtodo("Eggs", "eggs-1", PRIORITY="1", DESCRIPTION="six"))
        self.cadaver("put new.ics eggs.ics")
        self.assertEqual(self.todo("Brown eggs")["notes"], "six")
        self.cadaver("delete eggs.ics")
        self.assertEqual(self.laptop.titles(), ["Milk", "Other"])

    def test_what_is_no_to_do_is_refused_and_nothing_is_locked_or_copied(self):
        file_name = self.laptop.add("Milk") + ".ics"
        tags = self.client.tags("/lists/inbox/")
        with open(os.path.join(self.home, "letter.txt"), "w") as file:
            file.write("Dear all")
        said = self.cadaver(
            "put letter.txt", "mkcol deeper", "copy {} other.ics".format(file_name), "lock {}".format(file_name))
        self.assertNotIn("succeeded", said)
        self.assertEqual(self.client.tags("/lists/inbox/"), tags)
        self.assertEqual(self.laptop.titles(), ["Milk"])

    def file(self, name, text):
        path = os.path.join(self.home, name)
        with open(path, "w", newline="") as file:
            file.write(text)

    def test_a_to_do_that_repeats_is_written_and_completed_by_its_text(self):
        self.file("water.ics", vtodo("Water", "water-1", DTSTART="20270104T090000Z", DUE="20270104T100000Z",
                                     RRULE="FREQ=WEEKLY"))
        self.cadaver("put water.ics", "get water.ics back.ics")
        with open(os.path.join(self.home, "back.ics"), newline="") as file:
            text = file.read()
        self.assertIn("RRULE:FREQ=WEEKLY", text)
        self.file("water.ics", text.replace("STATUS:NEEDS-ACTION", "STATUS:COMPLETED"))
        self.cadaver("put water.ics")
        self.assertEqual([(status, due[:10]) for status, due in self.states("Water")],
                         [("completed", "2027-01-04"), ("pending", "2027-01-11")])
        self.assertUndisputed()

    def test_a_delete_against_an_edit_is_listed(self):
        todo = self.laptop.add("Milk")
        self.cadaver("get {}.ics".format(todo))
        self.laptop.edit(todo, "notes:seen by nobody")
        self.cadaver("delete {}.ics".format(todo))
        self.assertEqual(self.laptop.titles(), [])
        self.assertListed(todo, "seen by nobody")

    def test_three_thousand_files_are_listed(self):
        self.fill(3000)
        self.file("more.ics", vtodo("One more"))
        said = self.cadaver("put more.ics", "ls")
        self.assertEqual(said.count(".ics "), 3001 + said.count("Uploading more.ics "))

    def test_a_move_takes_a_file_to_another_list(self):
        todo = self.laptop.add("Milk")
        self.laptop.add("Saw", "project:Home")
        self.cadaver("move {0}.ics /lists/Home/{0}.ics".format(todo))
        self.assertEqual(self.todo("Milk")["project"], "Home")


if __name__ == "__main__":
    unittest.main(verbosity=2)
