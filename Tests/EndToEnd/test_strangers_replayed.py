"""Apple's Reminders and Tasks.org at `tandem caldav`, replayed: neither runs on Linux without a phone.

The requests of Tasks.org are from its source, those of Reminders from public logs; what they do apart is made up here.
"""

import re
import unittest

from caldav_case import DECLARED, multiget, propfind, query, sync, vtodo
from strangers_case import StrangersCase, fields
from test_strangers_kills import changed


class TasksOrg(StrangersCase):
    """Replayed: it asks for the ctag, then for what has changed, and puts its cached copy without a condition."""

    def setUp(self):
        super().setUp()
        self.todo_id = self.laptop.add("Milk", "due:2026-12-01", "+a", "priority:medium")
        self.path, = self.client.tags("/lists/inbox/")
        self.cached = self.fetch()

    def ctag(self):
        return self.client.find("/lists/inbox/", "cs:getctag").value("/lists/inbox/", "cs:getctag")

    def fetch(self):
        paths = list(self.client.report("/lists/inbox/", query(properties=("d:getetag",))).resources())
        found = {}
        for first in range(0, len(paths), 30):
            found.update(self.client.report("/lists/inbox/", multiget(*paths[first:first + 30])).data())
        return found[self.path]

    def put(self, name, line):
        """Changes its cached copy, and puts it; the copy stays what it put."""
        self.cached = changed(self.cached, name, line)
        self.assertEqual(self.client.put(self.path, self.cached).status, 204)

    def test_nothing_is_asked_for_while_the_ctag_is_as_it_was(self):
        before = self.ctag()
        self.assertEqual(self.ctag(), before)
        self.laptop.edit(self.todo_id, "+b")
        self.assertNotEqual(self.ctag(), before)

    def test_edits_apart_survive_without_a_condition(self):
        self.laptop.edit(self.todo_id, "Oats", "+b")
        self.put("DESCRIPTION", "DESCRIPTION:two")
        self.put("PRIORITY", "PRIORITY:1")
        self.assertEqual(fields(self.laptop.show(self.todo_id)), {
            "title": "Oats", "notes": "two", "due": "2026-12-01", "priority": "high", "tags": ["a", "b"]})
        self.assertUndisputed()

    def test_one_field_edited_apart_is_listed(self):
        self.laptop.edit(self.todo_id, "due:2026-12-26")
        self.put("DUE", "DUE;VALUE=DATE:20261225")
        self.assertListed(self.todo_id, "2026-12-25", "2026-12-26")
        self.laptop.resolve(self.todo_id, "due", value="2026-12-25")
        self.assertUndisputed()
        self.assertIn("DUE;VALUE=DATE:20261225", self.fetch())

    def test_what_it_takes_back_without_a_re_read_is_taken_back(self):
        self.put("STATUS", "STATUS:COMPLETED")
        self.assertEqual(self.laptop.show(self.todo_id)["status"], "completed")
        self.put("STATUS", "STATUS:NEEDS-ACTION")
        self.assertEqual(self.laptop.show(self.todo_id)["status"], "pending")
        self.put("PRIORITY", "PRIORITY:1")
        self.put("PRIORITY", "PRIORITY:5")
        self.assertEqual(self.laptop.show(self.todo_id)["priority"], "medium")

    def test_what_it_takes_back_takes_back_nothing_of_others(self):
        self.put("PRIORITY", "PRIORITY:1")
        self.laptop.edit(self.todo_id, "priority:low")
        self.put("PRIORITY", "PRIORITY:5")
        self.assertListed(self.todo_id, "low", "medium")
        self.laptop.edit(self.todo_id, "Oats")
        self.put("DESCRIPTION", "DESCRIPTION:two")
        self.assertEqual(self.laptop.show(self.todo_id)["title"], "Oats")

    def test_a_list_is_made_and_a_to_do_that_repeats_is_completed(self):
        made = self.client.ask("MKCOL", "/lists/5f1c/", (
            "<d:mkcol {}><d:set><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
            "<d:displayname>Plants</d:displayname><a:calendar-color>#00FF00</a:calendar-color>"
            "</d:prop></d:set></d:mkcol>").format(DECLARED))
        self.assertEqual(made.status, 201, made)
        text = vtodo("Water", "w-1", RRULE="FREQ=WEEKLY").replace(
            "END:VTODO", "DUE;VALUE=DATE:20270104\r\nDTSTART;VALUE=DATE:20270104\r\nX-APPLE-SORT-ORDER:7\r\nEND:VTODO")
        self.assertEqual(self.client.put("/lists/5f1c/w-1.ics", text).status, 201)
        # It moves the day of one that repeats by itself, and keeps it open: the occurrence before is done.
        moved = text.replace("20270104", "20270111")
        self.assertEqual(self.client.put("/lists/5f1c/w-1.ics", moved).status, 204)
        water = sorted((todo["status"], todo["due"], todo["project"]) for todo in self.laptop.live()
                       if todo["title"] == "Water")
        self.assertEqual(water, [("completed", "2027-01-04", "Plants"), ("pending", "2027-01-11", "Plants")])
        self.assertIn("X-APPLE-SORT-ORDER:7\r\n", self.client.get("/lists/5f1c/w-1.ics").text)


class Reminders(StrangersCase):
    """Replayed: sync-collection, multiget, and PUT with the tag that it has; on 412 it reads and asks nobody."""

    def setUp(self):
        super().setUp()
        self.todo_id = self.laptop.add("Milk", "due:2026-12-01T10:00", "+a", "notes:two")
        self.laptop.add("Other")
        self.path = "/lists/inbox/{}.ics".format(self.todo_id)
        self.token = ""
        self.texts, self.tags = {}, {}
        self.sync()

    def sync(self):
        answer = self.client.report("/lists/inbox/", sync(self.token))
        self.assertEqual(answer.status, 207, answer)
        self.token = answer.token()
        statuses = answer.statuses()
        for path in [path for path, status in statuses.items() if status == 404]:
            self.texts.pop(path, None)
        paths = [path for path, status in statuses.items() if status == 200]
        if paths:
            answer = self.client.report("/lists/inbox/", multiget(*paths))
            self.texts.update(answer.data())
            self.tags.update({path: answer.value(path, "d:getetag") for path in answer.resources()})
        return statuses

    def put(self, path, text, status=204):
        answer = self.client.put(path, text, If_Match=self.tags[path])
        self.assertEqual(answer.status, status, answer)
        if status == 204:
            self.texts[path] = text
            self.tags[path] = answer.headers.get("etag") or self.client.tags("/lists/inbox/")[path]

    def as_it_writes(self, text):
        """It writes a to-do anew: its own order, its own properties, no tags and nothing that it does not know."""
        kept = [line for line in text.replace("\r\n ", "").split("\r\n")
                if re.match("UID|SUMMARY|DESCRIPTION|DUE|STATUS|PRIORITY|CREATED|RRULE|BEGIN:VTODO|END:VTODO", line)]
        body = "\r\n".join(reversed(kept[1:-1]))
        return ("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Apple Inc.//iOS 18.0//EN\r\nCALSCALE:GREGORIAN\r\nBEGIN:VTODO\r\n"
                "{}\r\nDTSTAMP:20261122T100000Z\r\nSEQUENCE:1\r\nX-APPLE-SORT-ORDER:812\r\nEND:VTODO\r\nEND:VCALENDAR\r\n").format(body)

    def test_a_text_written_anew_takes_nothing_away_that_it_does_not_know(self):
        self.laptop.edit(self.todo_id, "location:shop", "x.size:5")
        self.sync()
        self.put(self.path, self.as_it_writes(self.texts[self.path]).replace("SUMMARY:Milk", "SUMMARY:Oats"))
        item = self.laptop.show(self.todo_id)
        self.assertEqual((item["title"], item["notes"], item["location"], item["custom"]["size"], item["due"]),
                         ("Oats", "two", "shop", 5, "2026-12-01T10:00:00Z"))
        self.assertUndisputed()

    def test_edits_apart_survive_also_when_it_writes_anew(self):
        text = self.as_it_writes(self.texts[self.path])
        self.put(self.path, changed(text, "PRIORITY", "PRIORITY:1"))
        self.laptop.edit(self.todo_id, "Oats")
        # It reads before it writes, as its tag is old, and merges by its own means: its note, the other's title.
        self.put(self.path, changed(self.texts[self.path], "DESCRIPTION", "DESCRIPTION:three"), status=412)
        self.sync()
        self.put(self.path, changed(self.as_it_writes(self.texts[self.path]), "DESCRIPTION", "DESCRIPTION:three"))
        item = self.laptop.show(self.todo_id)
        self.assertEqual((item["title"], item["notes"], item["priority"]), ("Oats", "three", "high"))
        self.assertUndisputed()

    def test_a_completion_and_a_delete_come_by_the_token(self):
        text = changed(self.as_it_writes(self.texts[self.path]), "STATUS", "STATUS:COMPLETED\r\nCOMPLETED:20261123T100000Z")
        self.put(self.path, text)
        self.assertEqual(self.laptop.show(self.todo_id)["status"], "completed")
        self.assertIn(self.path, self.sync())
        self.laptop.delete(self.todo_id)
        self.assertEqual(self.sync(), {self.path: 404})
        self.assertNotIn(self.path, self.texts)

    def test_one_of_a_series_that_is_done_and_its_next_as_a_new_item_are_two_to_dos(self):
        """It completes the item without its rule, and puts a new one with the next date, in either order."""
        for name, isFirst in (("Water", False), ("Feed", True)):
            todo = self.laptop.add(name, "due:2027-01-04", "repeat:weekly")
            path = "/lists/inbox/{}.ics".format(todo)
            self.sync()
            text = self.as_it_writes(self.texts[path])
            rule, = [line for line in text.split("\r\n") if line.startswith("RRULE")]
            done = changed(text.replace(rule + "\r\n", ""), "STATUS", "STATUS:COMPLETED\r\nCOMPLETED:20270104T100000Z")
            new = text.replace(todo, "NEW-" + name).replace("20270104", "20270111")
            self.assertNotIn(todo, new)
            steps = [lambda: self.put(path, done), lambda: self.assertEqual(
                self.client.put("/lists/inbox/NEW-{}.ics".format(name), new, If_None_Match="*").status, 201)]
            for step in reversed(steps) if isFirst else steps:
                step()
            self.assertEqual(self.states(name), [("completed", "2027-01-04"), ("pending", "2027-01-11")])
            self.assertEqual(self.laptop.show(self.pending(name))["repeat"], "every week")
            self.assertUndisputed()

    def test_it_finds_its_lists_from_the_name_of_the_server(self):
        """RFC 6764: the well-known address, the principal, the home, the lists."""
        moved = self.client.ask("PROPFIND", "/.well-known/caldav", propfind("d:current-user-principal"), depth=0)
        self.assertEqual(moved.status, 301)
        answer = self.client.find(moved.headers["location"], "d:current-user-principal", "d:principal-URL", "d:resourcetype")
        principal = answer.property("/", "d:current-user-principal")[0].text
        answer = self.client.find(principal, "c:calendar-home-set", "c:calendar-user-address-set", "d:displayname")
        home = answer.property(principal, "c:calendar-home-set")[0].text
        answer = self.client.find(home, "d:displayname", "d:resourcetype", depth=1)
        self.assertIn("/lists/inbox/", answer.resources())

    def test_a_delete_of_what_others_edited_is_refused_or_listed(self):
        self.laptop.edit(self.todo_id, "notes:three")
        self.assertEqual(self.client.delete(self.path, If_Match=self.tags[self.path]).status, 412)
        # A look at the head alone shows it no text.
        self.assertEqual(self.client.ask("HEAD", self.path).status, 200)
        self.assertEqual(self.client.delete(self.path).status, 204)
        self.assertListed(self.todo_id, "three")

    def test_what_others_wrote_is_listed_beside_its_delete(self):
        path = "/lists/inbox/own.ics"
        text = vtodo("Own", "own-1", CATEGORIES="a")
        self.assertEqual(self.client.put(path, text).status, 201)
        own = self.todo("Own")["id"]
        self.laptop.edit(own, "Theirs")
        self.assertEqual(self.client.put(path, changed(text, "CATEGORIES", "CATEGORIES:a,mine")).status, 204)
        self.assertEqual(self.client.delete(path).status, 204)
        listed, = [one for one in self.laptop.conflicts() if one["id"] == own]
        # Both were written on one device: a delete cannot have seen the later write without the earlier.
        self.assertEqual([one["field"] for one in listed["edits"]], ["title", "tags/mine"])
        self.assertEqual(listed["edits"][0]["value"], "Theirs")

    def test_its_own_move_is_nothing_that_its_delete_has_not_seen(self):
        self.laptop.add("Saw", "project:Work")
        self.assertEqual(self.client.put("/lists/inbox/own.ics", vtodo("Own", "own-1")).status, 201)
        moved = self.client.ask("MOVE", "/lists/inbox/own.ics", Destination="/lists/Work/own.ics")
        self.assertEqual(moved.status, 201)
        self.assertEqual(self.client.delete("/lists/Work/own.ics").status, 204)
        self.assertUndisputed()


if __name__ == "__main__":
    unittest.main(verbosity=2)
