"""vdirsyncer, and todoman over it, at `tandem caldav`: both sides write while apart, and nothing is lost silently."""

import json
import os
import unittest

from caldav_case import Client, multiget, query, vtodo
from strangers_case import StrangersCase, fields

SETTINGS = """
[general]
status_path = "{home}/status"
[pair both]
a = "files"
b = "gateway"
collections = ["from b"]
conflict_resolution = {resolution}
[storage files]
type = "filesystem"
path = "{home}/lists"
fileext = ".ics"
[storage gateway]
type = "caldav"
url = "{address}"
username = "{name}"
password = "{password}"
item_types = ["VTODO"]
"""


class VdirsyncerCase(StrangersCase):
    """A folder of files with each list, kept in sync by vdirsyncer."""

    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.home, "lists"))

    def vdirsyncer(self, *words, resolution="a wins", codes=(0,)):
        path = os.path.join(self.home, "vdirsyncer.ini")
        with open(path, "w") as file:
            file.write(SETTINGS.format(
                home=self.home, address=self.address, name=self.client.name, password=self.client.password,
                resolution=json.dumps(resolution)))
        return self.program("vdirsyncer", "-c", path, *words, codes=codes, text="y\n" * 10)

    def meet(self, **options):
        """Finds the lists and syncs each."""
        self.vdirsyncer("discover", "both", **options)
        return self.vdirsyncer("sync", "both", **options)

    def files(self, list_name="inbox"):
        folder = os.path.join(self.home, "lists", list_name)
        found = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".ics"):
                with open(os.path.join(folder, name), newline="") as file:
                    found[os.path.join(folder, name)] = file.read()
        return found

    def file_of(self, title, list_name="inbox"):
        found = [path for path, text in self.files(list_name).items() if "SUMMARY:" + title + "\r\n" in text]
        self.assertEqual(len(found), 1, (title, self.files(list_name)))
        return found[0]

    def write(self, path, text):
        with open(path + ".tmp", "w", newline="") as file:
            file.write(text)
        os.rename(path + ".tmp", path)

    def put(self, name, text, list_name="inbox"):
        path = os.path.join(self.home, "lists", list_name, name)
        self.write(path, text)
        return path

    def change(self, path, old, new):
        with open(path, newline="") as file:
            text = file.read()
        self.assertIn(old, text)
        self.write(path, text.replace(old, new))

    def at_rest(self):
        """A sync after which nothing has changed on either side."""
        files, tags = self.files(), self.client.tags("/lists/inbox/")
        self.vdirsyncer("sync", "both")
        self.assertEqual((self.files(), self.client.tags("/lists/inbox/")), (files, tags))


class Vdirsyncer(VdirsyncerCase):
    def test_what_either_side_adds_changes_and_deletes_is_on_both(self):
        self.laptop.add("Milk", "due:2026-12-01", "priority:high", "+a", "notes:two")
        self.laptop.add("Nails", "project:Home.shop")
        self.laptop.add("Saw", "project:Home")
        self.meet()
        self.assertIn("DUE;VALUE=DATE:20261201", self.files()[self.file_of("Milk")])
        nails = self.file_of("Nails", "Home")
        self.put("eggs.ics", vtodo("Eggs", "eggs-1", PRIORITY="9", CATEGORIES="x,y", DESCRIPTION="a\\nb"))
        self.change(nails, "SUMMARY:Nails", "SUMMARY:Screws")
        self.vdirsyncer("sync", "both")
        self.assertEqual(fields(self.todo("Eggs")), {
            "title": "Eggs", "notes": "a\nb", "due": None, "priority": "low", "tags": ["x", "y"]})
        self.assertEqual(self.todo("Screws")["project"], "Home.shop")
        self.laptop.delete(self.todo("Screws")["id"])
        os.remove(self.file_of("Milk"))
        self.vdirsyncer("sync", "--force-delete", "both")
        self.assertEqual(self.laptop.titles(), ["Eggs", "Saw"])
        self.assertEqual((len(self.files("Home")), len(self.files())), (1, 1))
        self.at_rest()

    def test_a_list_whose_last_to_do_goes_elsewhere_stays_for_it(self):
        self.laptop.add("Stays")
        nails = self.laptop.add("Nails", "project:Home")
        self.meet()
        self.laptop.delete(nails)
        self.vdirsyncer("sync", "--force-delete", "both")
        self.assertEqual(self.files("Home"), {})

    def test_other_fields_edited_apart_both_survive(self):
        todo = self.laptop.add("Milk", "+a")
        self.meet()
        self.laptop.edit(todo, "Oats", "+b")
        self.change(self.file_of("Milk"), "SUMMARY:Milk\r\n", "SUMMARY:Milk\r\nDUE;VALUE=DATE:20261224\r\nPRIORITY:1\r\n")
        # Its own rule is that the files win: of the text, only what was edited may.
        self.vdirsyncer("sync", "both")
        self.assertEqual(fields(self.laptop.show(todo)), {
            "title": "Oats", "notes": None, "due": "2026-12-24", "priority": "high", "tags": ["a", "b"]})
        self.assertUndisputed()
        self.vdirsyncer("sync", "both")
        text = self.files()[self.file_of("Oats")]
        self.assertIn("DUE;VALUE=DATE:20261224", text)
        self.at_rest()

    def test_one_field_edited_apart_is_listed_and_resolved(self):
        todo = self.laptop.add("Milk", "due:2026-12-01")
        self.meet()
        self.laptop.edit(todo, "due:2026-12-26")
        self.change(self.file_of("Milk"), "DUE;VALUE=DATE:20261201", "DUE;VALUE=DATE:20261225")
        self.vdirsyncer("sync", "both")
        self.assertListed(todo, "2026-12-25", "2026-12-26")
        self.laptop.resolve(todo, "due", value="2026-12-26")
        self.assertUndisputed()
        self.vdirsyncer("sync", "both")
        self.assertIn("DUE;VALUE=DATE:20261226", self.files()[self.file_of("Milk")])
        self.at_rest()

    def test_a_delete_against_an_edit_loses_no_edit(self):
        here, there = self.laptop.add("Here"), self.laptop.add("There")
        for number in range(4):
            self.laptop.add("Other {}".format(number))
        self.meet()
        os.remove(self.file_of("Here"))
        self.laptop.edit(here, "notes:kept")
        self.change(self.file_of("There"), "SUMMARY:There", "SUMMARY:There too")
        self.laptop.delete(there)
        self.vdirsyncer("sync", "both")
        self.vdirsyncer("sync", "both")
        # vdirsyncer takes the side that has one: here the edit is served anew, there the file is added again.
        self.assertIn("DESCRIPTION:kept", self.files()[self.file_of("Here")])
        self.assertEqual(self.todo("Here")["notes"], "kept")
        is_live = "There too" in self.laptop.titles()
        self.assertTrue(is_live or self.is_listed(there, "There too"), (self.laptop.trash(), self.laptop.conflicts()))

    def test_a_file_that_moves_to_another_list_moves_the_to_do(self):
        todo = self.laptop.add("Milk", "due:2026-12-01", "+a", "priority:low", "project:Home", "notes:n")
        self.laptop.add("Hammer", "project:Work")
        before = fields(self.laptop.show(todo))
        self.meet()
        path = self.file_of("Milk", "Home")
        with open(path, newline="") as file:
            text = file.read()
        os.remove(path)
        self.put(os.path.basename(path), text, "Work")
        for _ in range(3):
            # The delete and the add reach the gateway in any order; a refused add is tried again.
            self.vdirsyncer("sync", "--force-delete", "both", codes=(0, 1))
        self.assertEqual(self.todo("Milk")["project"], "Work")
        self.assertEqual(fields(self.todo("Milk")), before)
        self.assertEqual(self.laptop.titles(), ["Hammer", "Milk"])

    def test_three_thousand_to_dos_are_read_edited_and_synced(self):
        self.fill(3000)
        self.meet()
        self.assertEqual(len(self.files()), 3000)
        todo = self.todo("To-do 7")["id"]
        self.laptop.edit(todo, "Seven")
        self.change(self.file_of("To-do 7"), "PRIORITY:5", "PRIORITY:1")
        self.put("more.ics", vtodo("One more"))
        self.vdirsyncer("sync", "both")
        self.assertEqual((self.laptop.show(todo)["title"], self.laptop.show(todo)["priority"]), ("Seven", "high"))
        self.assertEqual((len(self.files()), len(self.laptop.live())), (3001, 3001))
        self.assertUndisputed()

    def test_the_properties_of_a_program_come_back_to_it(self):
        self.laptop.add("Other")
        self.meet()
        path = self.put("own.ics", vtodo("Own", "own-1", X_APPLE_SORT_ORDER="12", GEO="48.1;11.5", URL="https://a.example/"))
        self.vdirsyncer("sync", "both")
        self.laptop.edit(self.todo("Own")["id"], "pri:h")
        self.vdirsyncer("sync", "both")
        text = self.files()[path]
        for line in ("X-APPLE-SORT-ORDER:12", "GEO:48.1;11.5", "URL:https://a.example/", "PRIORITY:1", "UID:own-1"):
            self.assertIn(line + "\r\n", text)
        self.at_rest()


class OldTexts(VdirsyncerCase):
    """A text that was never served, edited and sent again, must not take back what others changed meanwhile."""

    def test_a_put_text_edited_after_a_re_read_keeps_the_title_of_others(self):
        self.laptop.add("Anchor")
        self.meet()
        text = vtodo("Milk", "milk-1", PRIORITY="1")
        path = self.put("milk.ics", text)
        self.vdirsyncer("sync", "both")
        todo = self.todo("Milk")["id"]
        self.laptop.edit(todo, "Oats")
        # It is read anew by the sync, meets its own rule "a wins", and the whole old text goes up with the tag of the new.
        self.write(path, text.replace("PRIORITY:1", "PRIORITY:1\r\nDESCRIPTION:two bottles"))
        self.vdirsyncer("sync", "both")
        item = self.laptop.show(todo)
        self.assertEqual(item["notes"], "two bottles")
        self.assertTrue(item["title"] == "Oats" or self.is_listed(todo, "Oats", "Milk"), item)
        self.vdirsyncer("sync", "both")
        self.assertEqual(self.laptop.show(todo)["title"], item["title"])

    def test_a_put_text_edited_without_a_re_read_keeps_the_title_of_others(self):
        """The same by the requests that vdirsyncer sends if it never read: PUT, and PUT with the tag of before or none."""
        for label, condition in (("without", {}), ("any", {"If_Match": "*"})):
            with self.subTest(label):
                path = "/lists/inbox/{}.ics".format(label)
                text = vtodo("Milk " + label, label + "-1", PRIORITY="1")
                self.assertEqual(self.client.put(path, text, If_None_Match="*").status, 201)
                todo = self.todo("Milk " + label)["id"]
                self.laptop.edit(todo, "Oats " + label)
                edited = text.replace("PRIORITY:1", "PRIORITY:1\r\nDESCRIPTION:two bottles")
                self.assertEqual(self.client.put(path, edited, **condition).status, 204)
                item = self.laptop.show(todo)
                self.assertEqual((item["title"], item["notes"]), ("Oats " + label, "two bottles"))
                self.assertUndisputed()

    def test_a_put_text_edited_after_each_way_of_reading_keeps_the_title_of_others(self):
        """Reading makes the gateway serve a newer text; the client's own copy stays the old one."""
        reads = {
            "get": lambda path: self.client.get(path),
            "multiget": lambda path: self.client.report("/lists/inbox/", multiget(path)),
            "query": lambda path: self.client.report("/lists/inbox/", query()),
            "tags": lambda path: self.client.tags("/lists/inbox/"),
        }
        for label, read in reads.items():
            for when in ("before", "after", "both"):
                with self.subTest(read=label, when=when):
                    name = "{}-{}".format(label, when)
                    path = "/lists/inbox/{}.ics".format(name)
                    text = vtodo("Milk " + name, name + "-1", PRIORITY="1")
                    self.assertEqual(self.client.put(path, text, If_None_Match="*").status, 201)
                    todo = self.todo("Milk " + name)["id"]
                    if when != "after":
                        read(path)
                    self.laptop.edit(todo, "Oats " + name)
                    if when != "before":
                        read(path)
                    edited = text.replace("PRIORITY:1", "PRIORITY:1\r\nDESCRIPTION:two bottles")
                    tag = self.client.tags("/lists/inbox/")[path]
                    self.assertEqual(self.client.put(path, edited, If_Match=tag).status, 204)
                    item = self.laptop.show(todo)
                    self.assertEqual(item.get("notes"), "two bottles")
                    self.assertTrue(
                        item["title"] == "Oats " + name or self.is_listed(todo, "Oats " + name), item)

    def test_a_second_program_does_not_take_back_what_the_first_wrote(self):
        other_name = "tablet"
        other = Client(self.client.port, other_name, self.password(other_name))
        path, text = "/lists/inbox/a.ics", vtodo("Milk", "a-1", PRIORITY="1")
        self.assertEqual(self.client.put(path, text).status, 201)
        served = other.get(path).text
        self.assertEqual(other.put(path, served.replace("SUMMARY:Milk", "SUMMARY:Oats")).status, 204)
        self.assertEqual(self.client.put(path, text.replace("PRIORITY:1", "PRIORITY:5")).status, 204)
        todo, = self.laptop.todos()
        self.assertEqual((todo["title"], todo["priority"]), ("Oats", "medium"))
        self.assertUndisputed()


class Todoman(VdirsyncerCase):
    def todoman(self, *words, codes=(0,)):
        config = os.path.join(self.home, "todoman.py")
        if not os.path.exists(config):
            with open(config, "w") as file:
                file.write('path = "{0}/lists/*"\ndate_format = "%Y-%m-%d"\ntime_format = "%H:%M"\n'
                           'default_list = "inbox"\ncache_path = "{0}/todoman.sqlite3"\n'.format(self.home))
        return self.program("todo", *words, codes=codes, TODOMAN_CONFIG=config)

    def shown(self):
        return {one["summary"]: one for one in
                json.loads(self.todoman("--porcelain", "list", "--status", "ANY"))}

    def number(self, title):
        return str(self.shown()[title]["id"])

    def test_a_day_with_todoman_over_vdirsyncer(self):
        milk = self.laptop.add("Milk", "+a", "due:2026-12-01")
        water = self.laptop.add("Water", "due:2027-01-04", "repeat:weekly")
        self.meet()
        self.todoman("edit", self.number("Milk"), "--priority", "high", "--location", "shop")
        self.todoman("new", "--list", "inbox", "--due", "2026-12-24", "Wrap, presents; all")
        self.todoman("done", self.number("Water"))
        self.laptop.edit(milk, "Oats", "+b")
        self.vdirsyncer("sync", "both")
        self.vdirsyncer("sync", "both")
        item = self.laptop.show(milk)
        self.assertEqual((item["title"], item["priority"], item["location"], item["tags"]),
                         ("Oats", "high", "shop", ["a", "b"]))
        self.assertEqual(self.todo("Wrap, presents; all")["due"], "2026-12-24")
        due = sorted((todo["status"], todo["due"]) for todo in self.laptop.live() if todo["title"] == "Water")
        self.assertIn(("pending", "2027-01-11"), due, (water, due))
        # 4 is what it calls high.
        self.assertEqual(self.shown()["Oats"]["priority"], 4)
        self.todoman("done", self.number("Oats"))
        self.todoman("delete", "--yes", self.number("Wrap, presents; all"))
        self.vdirsyncer("sync", "both")
        self.assertEqual(self.todo("Oats")["status"], "completed")
        self.assertNotIn("Wrap, presents; all", self.laptop.titles())
        self.assertUndisputed()

    def test_a_delete_against_an_edit_loses_no_edit_and_a_move_is_one(self):
        milk = self.laptop.add("Milk")
        nails = self.laptop.add("Nails", "notes:of brass", "+a")
        self.laptop.add("Saw", "project:Home")
        for number in range(4):
            self.laptop.add("Other {}".format(number))
        self.meet()
        self.todoman("delete", "--yes", self.number("Milk"))
        self.laptop.edit(milk, "notes:seen by nobody")
        self.todoman("move", "--list", "Home", self.number("Nails"))
        for _ in range(3):
            # The delete and the add reach the gateway in any order; a refused add is tried again.
            self.vdirsyncer("sync", "both", codes=(0, 1))
        # vdirsyncer takes the side that has one: the edit is served anew.
        self.assertEqual((self.todo("Milk")["id"], self.todo("Milk")["notes"]), (milk, "seen by nobody"))
        self.assertEqual(self.shown()["Milk"]["description"], "seen by nobody")
        moved = self.todo("Nails")
        self.assertEqual((moved["id"], moved["project"], moved["notes"], moved["tags"]), (nails, "Home", "of brass", ["a"]))
        self.assertEqual(self.shown()["Nails"]["list"], "Home")
        self.assertUndisputed()

    def test_three_thousand_to_dos_are_listed_and_one_is_done(self):
        self.fill(3000)
        self.meet()
        shown = self.shown()
        self.assertEqual(len(shown), 3000)
        self.todoman("done", str(shown["To-do 7"]["id"]))
        self.vdirsyncer("sync", "both")
        self.assertEqual(self.todo("To-do 7")["status"], "completed")
        self.assertEqual(sum(todo["status"] == "pending" for todo in self.laptop.live()), 2999)
        self.assertUndisputed()

    def test_both_edit_one_field_apart_and_a_person_resolves(self):
        todo = self.laptop.add("Milk", "due:2026-12-01")
        self.meet()
        self.todoman("edit", self.number("Milk"), "--due", "2026-12-25")
        self.laptop.edit(todo, "due:2026-12-26")
        self.vdirsyncer("sync", "both")
        self.assertListed(todo, "2026-12-25", "2026-12-26")
        self.laptop.resolve(todo, "due", value="2026-12-26")
        self.vdirsyncer("sync", "both")
        self.assertEqual(self.shown()["Milk"]["due"], 1798243200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
