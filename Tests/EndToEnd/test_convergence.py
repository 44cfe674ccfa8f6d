"""Two processes, two stores, real TCP: after edits apart both show the same."""

import os
import unittest

import tandem_process as tandem


class Convergence(tandem.TandemTestCase):
    def test_different_fields_merge_without_conflict(self):
        laptop, phone = self.pair()
        todo = laptop.add("Pay the rent")
        self.meet(laptop, phone)
        laptop.edit(todo, "due:2026-12-04")
        phone.edit(todo, "project:Home", "priority:high")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            shown = device.show(todo)
            self.assertTrue(tandem.mentions(shown, "2026-12-04"), shown)
            self.assertTrue(tandem.mentions(shown, "Home"), shown)
            self.assertEqual(device.conflicts(), [])
        self.report("due from one side, project and priority from the other, no conflict")

    def test_same_field_is_kept_as_conflict_until_resolved(self):
        laptop, phone = self.pair()
        todo = laptop.add("Buy milk")
        self.meet(laptop, phone)
        laptop.edit(todo, "Buy oat milk")
        phone.edit(todo, "Buy milk and eggs")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            conflicts = device.conflicts()
            for text in ("Buy oat milk", "Buy milk and eggs", "laptop", "phone"):
                self.assertTrue(tandem.mentions(conflicts, text), (device.name, text, conflicts))
        phone.resolve(todo, "title", choice="theirs")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual(device.conflicts(), [])
            self.assertEqual(device.show(todo)["title"], "Buy oat milk")
        self.report("both values listed on both sides; resolved on one, gone on the other")

    def test_a_third_value_may_resolve(self):
        laptop, phone = self.pair()
        todo = laptop.add("Buy milk")
        self.meet(laptop, phone)
        laptop.edit(todo, "Buy oat milk")
        phone.edit(todo, "Buy milk and eggs")
        self.meet(phone, laptop)
        laptop.resolve(todo, "title", value="Buy oat milk and eggs")
        self.meet(phone, laptop)
        self.assertConverged(laptop, phone)
        self.assertEqual(phone.show(todo)["title"], "Buy oat milk and eggs")
        self.assertEqual(phone.conflicts(), [])
        self.report("a value of neither side settles the conflict everywhere")

    def test_equal_values_never_conflict(self):
        laptop, phone = self.pair()
        todo = laptop.add("Buy milk")
        self.meet(laptop, phone)
        for device in (laptop, phone):
            device.edit(todo, "Buy oat milk")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        self.assertEqual(laptop.conflicts() + phone.conflicts(), [])
        self.report("the same words typed twice are one value")

    def delete_against_edit(self, policy):
        laptop, phone = self.pair(policy)
        todo = laptop.add("Call the plumber")
        other = laptop.add("Buy milk")
        self.meet(laptop, phone)
        phone.delete(todo)
        laptop.edit(todo, "Call the plumber about the tap")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertTrue(tandem.mentions(device.conflicts(), todo), device.conflicts())
            live = [tandem.identity(item) for item in device.live()]
            self.assertIn(other, live)
            self.assertEqual(todo in live, policy == "edits-win", live)
            self.assertEqual(
                tandem.mentions(device.trash(), "Call the plumber about the tap"),
                policy == "deletes-win", device.trash())
        return laptop, phone, todo

    def test_delete_against_edit_where_deletes_win(self):
        laptop, phone, todo = self.delete_against_edit("deletes-win")
        phone.restore(todo)
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual(device.show(todo)["title"], "Call the plumber about the tap")
            self.assertEqual(device.conflicts(), [])
        self.report("deleted on both with the edit kept; restored whole on both")

    def test_delete_against_edit_where_edits_win(self):
        laptop, phone, todo = self.delete_against_edit("edits-win")
        laptop.delete(todo)
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertNotIn(todo, [tandem.identity(item) for item in device.live()])
            self.assertEqual(device.conflicts(), [])
        self.report("revived on both and listed; a new delete closes it on both")

    def undone_decision(self, policy):
        laptop, phone, todo = self.delete_against_edit(policy)
        phone.restore(todo)
        phone.run("undo")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertTrue(tandem.mentions(device.conflicts(), todo), device.conflicts())
            self.assertEqual(device.show(todo)["title"], "Call the plumber about the tap")
        phone.run("redo")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual(device.conflicts(), [])

    def test_a_restore_that_is_undone_is_a_conflict_again_where_deletes_win(self):
        self.undone_decision("deletes-win")

    def test_a_restore_that_is_undone_is_a_conflict_again_where_edits_win(self):
        self.undone_decision("edits-win")

    def test_edit_against_purge_is_listed_and_copied(self):
        laptop, phone = self.pair()
        todo = laptop.add("Call the plumber", "notes:about the tap")
        laptop.add("Buy milk")
        self.meet(laptop, phone)
        laptop.delete(todo)
        laptop.purge(todo)
        phone.edit(todo, "Call the electrician")
        # The summary of the sync that brought both together counts it.
        told = self.meet(laptop, phone).output
        self.assertIn("1 in conflict: tandem conflicts", told)
        with laptop.serve() as server:
            summary, = phone.run("sync", server.address, "--json").values()
            self.assertEqual(summary["conflicts"], 1)
            phone.run("sync", server.address, "--exit-code", codes=(tandem.CONFLICTS_AWAIT,))
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            conflict, = device.conflicts()
            self.assertEqual(
                (conflict["id"], conflict["kind"], conflict["standing"]),
                (todo, "editedAfterPurge", "editedAfterPurge"))
            self.assertEqual(conflict["fields"][0]["values"][0]["value"], "Call the electrician")
            self.assertEqual(device.status()["conflicts"], 1)
            self.assertEqual((device.trash(), device.titles()), ([], ["Buy milk"]))
            self.assertIn('"kind":"editedAfterPurge"', device.run("export", "--all").output)
            listed = device.run("conflicts").output
            self.assertIn("tandem resolve 1 --copy   or   tandem purge 1 --force", listed)
            self.assertIn("Call the electrician", listed)
        # Every command says the same of it, and none says that it is in the trash.
        told = [
            laptop.edit(todo, "x", codes=(tandem.REFUSED,)), laptop.purge(todo, codes=(tandem.REFUSED,)),
            laptop.run("restore", todo, codes=(tandem.REFUSED,)), laptop.run("why", todo),
            laptop.run("show", todo)]
        for result in told:
            words = " ".join((result.output + result.errors).split())
            self.assertIn("was purged while another device edited it; these edits are kept", words)
            self.assertNotIn("trash", words)
        for device in (laptop, phone):
            device.run("resolve", todo, "--copy")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual(device.titles(), ["Buy milk", "Call the electrician"])
            self.assertEqual(device.conflicts(), [])
            words = device.run("edit", todo, "x", codes=(tandem.REFUSED,)).errors
            self.assertIn("was purged; nothing is left of it", words)
            self.assertNotIn("trash", words)
        self.report("kept and listed on both; copied on both into one to-do")

    def test_import_of_a_purged_to_do_says_so(self):
        laptop, _ = self.pair()
        path = os.path.join(laptop.store, "list.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("Milk\n")
        laptop.import_file("todotxt", path)
        todo, = laptop.live()
        laptop.delete(tandem.identity(todo))
        laptop.purge(tandem.identity(todo))
        told = laptop.import_file("todotxt", path, codes=(tandem.NOTHING,)).output
        self.assertIn("1 purged here, left out (--revive makes new ones)", told)
        self.assertNotIn("trash", told)
        told = laptop.run("import", "--format", "todotxt", "--revive", path).output
        self.assertIn("1 new", told)
        self.assertNotIn("purged", told)
        self.assertEqual(laptop.titles(), ["Milk"])
        self.assertIn("1 as they were", laptop.import_file("todotxt", path).output)

    def test_tags_of_both_sides_stay(self):
        laptop, phone = self.pair()
        todo = laptop.add("Write the report", "+work", "+draft")
        self.meet(laptop, phone)
        laptop.edit(todo, "+urgent", "-draft")
        phone.edit(todo, "+desk")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual(sorted(device.show(todo)["tags"]), ["desk", "urgent", "work"])
            self.assertEqual(device.conflicts(), [])
        self.report("tags added and removed on both sides: the union, without the removed one")

    def test_a_stale_edit_of_a_deleted_todo_is_refused(self):
        laptop, phone = self.pair()
        todo = laptop.add("Buy milk")
        self.meet(laptop, phone)
        phone.delete(todo)
        self.meet(laptop, phone)
        refused = laptop.edit(
            todo, "Buy oat milk", codes=(tandem.REFUSED, tandem.NOTHING))
        self.assertTrue(refused.errors.strip(), "a refusal says why")
        self.assertConverged(laptop, phone, may_be_empty=True)
        self.report("refused with: " + refused.errors.strip().splitlines()[0])

    def test_a_purge_travels(self):
        laptop, phone = self.pair()
        todo = laptop.add("Nobody may know this")
        laptop.add("Buy milk")
        self.meet(laptop, phone)
        phone.delete(todo)
        phone.purge(todo)
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)
        for device in (laptop, phone):
            self.assertFalse(tandem.mentions(device.trash(), "Nobody may know this"))
        self.report("gone from both trashes")

    def test_a_sync_without_news_changes_nothing(self):
        laptop, phone = self.pair()
        laptop.add("Buy milk")
        self.meet(laptop, phone)
        before = laptop.export()
        for _ in range(3):
            self.meet(laptop, phone)
        self.assertEqual(before, laptop.export())
        self.assertConverged(laptop, phone)
        self.report("three syncs, the same bytes")

    def test_an_empty_peer_wipes_nobody(self):
        laptop, phone = self.pair()
        todos = [laptop.add("To-do {}".format(number)) for number in range(30)]
        self.meet(laptop, phone)
        tablet = self.device("tablet")
        with phone.serve() as server:
            tablet.join(server.address)
        self.meet(laptop, tablet)
        self.assertConverged(laptop, phone, tablet)
        self.assertEqual(len(laptop.live()), len(todos))
        self.report("a new device took {} to-dos and removed none".format(len(todos)))


class ThirdPartyReader(tandem.TandemTestCase):
    def test_the_sqlite_shell_lists_title_and_due(self):
        import shutil
        import subprocess

        shell = shutil.which("sqlite3")
        self.assertIsNotNone(shell, "the sqlite3 shell is missing (./Tools/setup installs it)")
        laptop = self.device("laptop")
        laptop.init()
        laptop.add("Pay the rent", "due:2026-12-04")
        laptop.add("Buy milk")
        done = subprocess.run(
            [shell, "-readonly", laptop.database(), "select title, due from todo order by title"],
            capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("|") for line in done.stdout.splitlines()]
        self.assertEqual([row[0] for row in rows], ["Buy milk", "Pay the rent"])
        self.assertEqual(rows[0][1], "")
        self.assertNotEqual(rows[1][1], "")
        self.report("sqlite3 shows {}".format(rows))


if __name__ == "__main__":
    unittest.main(verbosity=2)
