"""Thunderbird at `tandem caldav`: a day of both sides in one run, as it takes seconds to start."""

import os
import shutil
import time
import unittest

from strangers_case import StrangersCase, fields
from thunderbird_client import Thunderbird


class ThunderbirdDay(StrangersCase):
    def list_address(self, name):
        return "{}lists/{}/".format(self.address, name)

    def test_both_sides_write_and_nothing_is_lost(self):
        self.assertIsNotNone(shutil.which("thunderbird"), "thunderbird is missing (./Tools/setup --for-tests)")
        milk = self.laptop.add("Milk", "due:2026-12-01", "+a", "notes:two")
        self.laptop.add("Saw", "project:Home.shop")
        log = os.path.join(self.folder, "thunderbird.log")
        program = Thunderbird(self, log)
        with self.started(*program.words, log=log, MOZ_CRASHREPORTER_DISABLE="1") as process:
            program.connect(process)
            self.addCleanup(program.socket.close)
            inbox, home = self.list_address("inbox"), self.list_address("Home")
            program.step(inbox, "admit", realm="Tandem", name=self.client.name, password=self.client.password)
            for address in (inbox, home):
                self.assertFalse(program.step(address, "subscribe", name=self.client.name), "it takes it for read-only")
            found, = program.step(inbox, "reload")
            self.assertEqual((found["title"], found["notes"], found["tags"], found["due"]),
                             ("Milk", "two", ["a"], "20261201"))
            self.add_and_repeat(program, inbox)
            self.edit_apart(program, inbox, milk)
            self.edit_after_a_reload(program, inbox)
            self.complete(program, inbox, home)
            self.complete_one_of_a_series(program, inbox)
            self.move(program, inbox, home)
            self.read_many(program, inbox)
            self.delete_against_edit(program, inbox)

    def read_many(self, program, inbox):
        before = len(program.step(inbox, "reload"))
        self.fill(3000)
        began = time.monotonic()
        self.assertEqual(len(program.step(inbox, "reload")), before + 3000)
        self.report("3,000 read by Thunderbird in {:.1f} s".format(time.monotonic() - began))
        program.step(inbox, "edit", title="To-do 7", fields={"priority": 1})
        self.assertEqual(self.todo("To-do 7")["priority"], "high")

    def add_and_repeat(self, program, inbox):
        program.step(inbox, "add", fields={"title": "Eggs", "priority": 9, "notes": "a\nb", "tags": ["x", "y"]})
        self.assertEqual(fields(self.todo("Eggs")), {
            "title": "Eggs", "notes": "a\nb", "due": None, "priority": "low", "tags": ["x", "y"]})
        program.step(inbox, "add", fields={"title": "Water", "due": "20270104", "repeat": "RRULE:FREQ=WEEKLY"})
        self.assertEqual((self.todo("Water")["due"], self.todo("Water")["repeat"]), ("2027-01-04", "every week"))

    def edit_apart(self, program, inbox, milk):
        """It has the tag of before; other fields of both survive, one field of both is listed."""
        self.laptop.edit(milk, "Oats", "+b")
        program.step(inbox, "edit", title="Milk", fields={"priority": 1})
        self.assertEqual(fields(self.laptop.show(milk)), {
            "title": "Oats", "notes": "two", "due": "2026-12-01", "priority": "high", "tags": ["a", "b"]})
        self.assertUndisputed()
        found = {one["title"]: one for one in program.step(inbox, "reload")}
        self.assertEqual((found["Oats"]["priority"], found["Oats"]["tags"]), (1, ["a", "b"]))
        self.laptop.edit(milk, "due:2026-12-26")
        program.step(inbox, "edit", title="Oats", fields={"due": "20261225"})
        self.assertListed(milk, "2026-12-25", "2026-12-26")
        self.laptop.resolve(milk, "due", value="2026-12-26")
        self.assertUndisputed()
        found = {one["title"]: one for one in program.step(inbox, "reload")}
        self.assertEqual(found["Oats"]["due"], "20261226")

    def edit_after_a_reload(self, program, inbox):
        """What it added is edited by both without a re-read in between."""
        eggs = self.todo("Eggs")["id"]
        self.laptop.edit(eggs, "Brown eggs")
        program.step(inbox, "edit", title="Eggs", fields={"notes": "six"})
        self.assertEqual((self.laptop.show(eggs)["title"], self.laptop.show(eggs)["notes"]), ("Brown eggs", "six"))
        program.step(inbox, "reload")
        program.step(inbox, "edit", title="Brown eggs", fields={"notes": "ten"})
        self.assertEqual((self.laptop.show(eggs)["title"], self.laptop.show(eggs)["notes"]), ("Brown eggs", "ten"))
        self.assertUndisputed()

    def complete(self, program, inbox, home):
        program.step(inbox, "edit", title="Brown eggs", fields={"isCompleted": True})
        self.assertEqual(self.todo("Brown eggs")["status"], "completed")
        program.step(home, "reload")
        program.step(home, "edit", title="Saw", fields={"title": "Hacksaw"})
        self.assertEqual(self.todo("Hacksaw")["project"], "Home.shop")
        self.laptop.done(self.todo("Hacksaw")["id"])
        found, = program.step(home, "reload")
        self.assertTrue(found["isCompleted"])

    def complete_one_of_a_series(self, program, inbox):
        program.step(inbox, "reload")
        program.step(inbox, "completeNext", title="Water")
        self.assertEqual(self.states("Water"), [("completed", "2027-01-04"), ("pending", "2027-01-11")])
        # What it reads then, and completes again, is the one that is to come.
        program.step(inbox, "reload")
        self.laptop.done(self.pending("Water"))
        self.assertEqual(self.states("Water"), [
            ("completed", "2027-01-04"), ("completed", "2027-01-11"), ("pending", "2027-01-18")])
        self.assertUndisputed()

    def move(self, program, inbox, home):
        program.step(inbox, "add", fields={"title": "Nails", "notes": "of brass", "tags": ["x"]})
        program.step(inbox, "reload")
        nails = self.todo("Nails")["id"]
        self.laptop.edit(nails, "pri:h")
        program.step(inbox, "move", title="Nails", target=home)
        todo = self.todo("Nails")
        self.assertEqual((todo["id"], todo["project"], todo["notes"], todo["tags"], todo["priority"]),
                         (nails, "Home", "of brass", ["x"], "high"))
        for address, wanted in ((inbox, False), (home, True)):
            self.assertEqual("Nails" in [one["title"] for one in program.step(address, "reload")], wanted, address)
        self.assertUndisputed()

    def delete_against_edit(self, program, inbox):
        """Its tag is old, so it asks a person whether to delete what others have edited."""
        for label, overwrite in (("Kept", False), ("Overwritten", True)):
            program.step(inbox, "add", fields={"title": label})
            program.step(inbox, "reload")
            edited = self.todo(label)["id"]
            self.laptop.edit(edited, "notes:seen by nobody")
            self.assertTrue(program.step(inbox, "remove", title=label, overwrite=overwrite), "it did not ask")
            is_live = label in self.laptop.titles()
            self.assertTrue(is_live or overwrite)
            # A delete by somebody who has not seen the edit leaves the edit in the trash, where it is listed.
            self.assertTrue(is_live or self.is_listed(edited, "seen by nobody"), self.laptop.conflicts())
            titles = [one["title"] for one in program.step(inbox, "reload")]
            self.assertEqual(label in titles, is_live)
        program.step(inbox, "add", fields={"title": "Gone"})
        program.step(inbox, "reload")
        self.assertFalse(program.step(inbox, "remove", title="Gone", overwrite=False))
        self.assertNotIn("Gone", self.laptop.titles())


if __name__ == "__main__":
    unittest.main(verbosity=2)
