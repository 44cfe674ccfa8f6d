"""Stores of which one page is damaged: what doctor says, what it rescues, and how the devices meet again."""

import os
import shutil
import sqlite3
import unittest

import tandem_process as tandem


class Rescue(tandem.TandemTestCase):
    def used(self, snapshot=False):
        """Two devices that met; the first has to-dos since that no other device has, and deleted one."""
        laptop, phone = self.pair()
        laptop.run("add", "-", text="".join("old {}\n".format(number) for number in range(200)))
        self.meet(laptop, phone)
        if snapshot:
            # A mode that is too wide is something to mend, and a snapshot is made before that.
            os.chmod(os.path.join(laptop.store, "device.key"), 0o644)
            laptop.run("doctor", "--fix", "--yes")
        laptop.run("add", "-", text="".join("new {}\n".format(number) for number in range(200)))
        laptop.run("list")
        gone = laptop.run("add", "gone for good", "--json").values()[0]["id"]
        laptop.run("delete", gone)
        return laptop, phone

    def flip(self, device, name, kind, place=0, holding=None):
        """Turns every bit of a page of a table or an index around: the one at a place among its own, or that holds bytes."""
        path = os.path.join(device.store, "store.db")
        connection = sqlite3.connect(path)
        pages = [row[0] for row in connection.execute(
            "select pageno from dbstat where name = ? and pagetype = ? order by 1", (name, kind))]
        connection.close()
        with open(path, "r+b") as file:
            if holding:
                data = file.read()
                place = next(place for place, page in enumerate(pages)
                             if holding in data[(page - 1) * 4096:page * 4096])
            file.seek((pages[place] - 1) * 4096)
            page = file.read(4096)
            file.seek((pages[place] - 1) * 4096)
            file.write(bytes(255 - byte for byte in page))

    def expect_met(self, laptop, phone):
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        self.assertEqual([], laptop.conflicts())
        self.assertNotIn("gone for good", phone.titles())
        laptop.run("doctor", codes=(tandem.OK,))

    def test_a_page_of_an_index_costs_nothing(self):
        laptop, phone = self.used()
        before = laptop.titles()
        self.flip(laptop, "sqlite_autoindex_todo_record_1", "leaf")
        told = laptop.run("doctor", codes=(tandem.NOTHING,)).output
        self.assertIn("the index sqlite_autoindex_todo_record_1: 1 page cannot be read", told)
        self.assertIn("all 401 to-dos can be read", told)
        self.assertIn("tandem doctor --fix", told)
        self.assertFalse([name for name in os.listdir(laptop.store) if "damaged" in name])
        done = laptop.run("doctor", "--fix", "--yes")
        self.assertIn("All 401 to-dos are there", done.output)
        self.assertEqual(before, laptop.titles())
        self.expect_met(laptop, phone)
        self.assertEqual(400, len(phone.titles()))

    def test_a_page_of_the_table_costs_its_own_rows_and_the_snapshot_has_the_older_ones(self):
        for snapshot in (False, True):
            with self.subTest(snapshot=snapshot):
                laptop, phone = self.used(snapshot)
                before = set(laptop.titles())
                self.flip(laptop, "todo_record", "leaf", 0)
                failed = laptop.run("list", codes=(tandem.BAD_DATA,))
                self.assertIn("tandem doctor --fix", failed.errors)
                looked = laptop.run("doctor", "--json", codes=(tandem.NOTHING,)).values()[0]
                self.assertEqual(len(looked["findings"]), len(looked["codes"]))
                self.assertEqual(["corrupt", "unreadable-table"], looked["codes"][:2])
                rescue = looked["rescue"]
                self.assertEqual((False, False), (rescue["whole"], rescue["done"]))
                self.assertEqual(401, rescue["readable"] + rescue["lost"])
                self.assertEqual(snapshot, rescue["snapshot"] is not None)
                asked = laptop.run("doctor", "--fix", codes=(tandem.REFUSED,))
                self.assertIn("--yes", asked.errors)
                done = laptop.run("doctor", "--fix", "--yes")
                self.assertIn("Rescued {} to-dos; {} cannot".format(
                    rescue["readable"], rescue["lost"]), done.output)
                self.assertIn("tandem sync", done.output)
                aside = [name for name in os.listdir(laptop.store) if "damaged-" in name]
                self.assertIn("store.db", os.listdir(os.path.join(laptop.store, aside[0])))
                lost = before - set(laptop.titles())
                self.assertEqual(0 if snapshot else rescue["lost"], len(lost))
                self.assertTrue(all(title.startswith("old") for title in lost))
                self.assertEqual(0, laptop.run("status", "--json").values()[0].get("conflicts", 0))
                laptop.add("anew")
                # The first page has the oldest to-dos: the phone has them.
                self.expect_met(laptop, phone)
                self.assertEqual(before | {"anew"}, set(phone.titles()))
                self.renew()

    def test_a_delete_that_cannot_be_read_is_not_promised_to_last(self):
        laptop, phone = self.used(snapshot=True)
        old = [item for item in laptop.run("list", "--json", "--limit", "1000").values()
               if item["title"].startswith("old 7")]
        laptop.run("delete", *[item["id"] for item in old], "--yes")
        self.flip(laptop, "todo_record", "leaf", holding=bytes.fromhex(old[0]["id"].replace("-", "")))
        for command in (("doctor",), ("doctor", "--fix", "--yes")):
            told = laptop.run(*command, codes=(tandem.OK, tandem.NOTHING)).output
            self.assertIn("as they were then, also what was deleted since", told)
        self.assertIn(old[0]["title"], laptop.titles())

    def test_nobody_is_robbed_of_a_store_that_is_in_use(self):
        laptop, phone = self.used()
        with laptop.serve():
            self.flip(laptop, "todo_record", "leaf", 0)
            laptop.run("doctor", "--fix", "--yes", codes=(tandem.RETRY_LATER,))
        laptop.run("doctor", "--fix", "--yes")
        self.expect_met(laptop, phone)

    def test_a_program_that_was_killed_in_between_is_followed_by_one_that_finishes(self):
        laptop, phone = self.used()
        # The files left then: the damaged store aside, and a whole one under its first name.
        path = os.path.join(laptop.store, "store.db")
        os.rename(path, path + ".new")
        failed = laptop.run("list", codes=(tandem.CONFIGURATION,))
        self.assertIn("tandem doctor --fix", failed.errors)
        self.assertIn("being replaced", laptop.run("init", codes=(tandem.CONFIGURATION,)).errors)
        laptop.run("doctor", codes=(tandem.CONFIGURATION,))
        told = laptop.run(
            "restore", "--from", phone.store, "--yes", codes=(tandem.CONFIGURATION,)).errors
        self.assertIn("tandem doctor --fix", told)
        laptop.run("doctor", "--fix")
        self.expect_met(laptop, phone)
        self.assertEqual(400, len(phone.titles()))

    def test_what_is_left_and_not_whole_is_named(self):
        laptop, _ = self.used()
        path = os.path.join(laptop.store, "store.db")
        os.rename(path, path + ".new")
        os.truncate(path + ".new", 5000)
        failed = laptop.run("doctor", "--fix", codes=(tandem.BAD_DATA,)).errors
        self.assertIn("store.db.new is not whole", failed)
        self.assertEqual(5000, os.path.getsize(path + ".new"))

    def renew(self):
        shutil.rmtree(self.folder)
        os.mkdir(self.folder, 0o700)


if __name__ == "__main__":
    unittest.main()
