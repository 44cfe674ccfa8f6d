"""Copied and restored stores: found at open, reported, and nothing is lost on either side."""

import os
import shutil
import subprocess
import unittest

import tandem_process as tandem


class Copies(tandem.TandemTestCase):
    def copy(self, device, name):
        """Another device whose store is a plain copy of this one's folder."""
        other = self.device(name)
        shutil.copytree(device.store, other.store, symlinks=True)
        return other

    def overwrite(self, source, device):
        """`cp -r source/. store/`: the files keep their inodes, their content is yesterday's."""
        subprocess.run(["cp", "-r", source + "/.", device.store + "/"], check=True, timeout=60)

    def expect_report(self, device, before):
        """The store has taken a new replica id and said so."""
        said = device.run("doctor", codes=tuple(tandem.NAMED_CODES))
        after = device.replica_id()
        self.assertNotEqual(before, after, "{} kept its replica id".format(device.name))
        self.assertRegex(said.output + said.errors, tandem.NEW_IDENTITY)
        told = device.run("doctor", "--json", codes=tuple(tandem.NAMED_CODES)).values()[0]
        for change in told["newIdentities"]:
            self.assertRegex(change["code"], "^[a-z]+(-[a-z]+)*$")
            self.assertNotEqual(change["code"], change["reason"])
        self.report("{}: {} is now {}".format(device.name, before[:8], after[:8]))
        return after

    def expect_everywhere(self, titles, *devices):
        self.assertConverged(*devices)
        for device in devices:
            self.assertEqual(device.titles(), sorted(titles), device.name)
            self.assertEqual(device.conflicts(), [])

    def test_a_copied_folder_and_its_original_are_both_used(self):
        laptop, phone = self.pair()
        laptop.add("Before the copy")
        self.meet(laptop, phone)
        before = laptop.replica_id()
        copy = self.copy(laptop, "copy")
        self.assertEqual(laptop.replica_id(), before, "the original keeps its id")
        laptop.add("On the original")
        copy.add("On the copy")
        self.expect_report(copy, before)
        self.meet_all(laptop, phone, copy)
        self.expect_everywhere(
            ["Before the copy", "On the original", "On the copy"], laptop, phone, copy)

    def test_every_id_that_a_copy_takes_is_of_the_device_whatever_the_mode_of_its_key(self):
        laptop = self.device("laptop")
        laptop.init()
        first = self.copy(laptop, "first")
        os.chmod(os.path.join(first.store, "device.key"), 0o644)
        os.chmod(os.path.join(first.store, "keyring"), 0o640)
        first.add("On the copy")
        # A copy of the copy, before any command needed the key.
        second = self.copy(first, "second")
        for name in ("device.key", "keyring"):
            os.chmod(os.path.join(second.store, name), 0o600)
        second.add("On the copy of the copy")
        devices = second.run("devices", "--json").values()
        self.assertEqual([3], [len(device["replicas"]) for device in devices], devices)
        self.assertIsNotNone(devices[0]["fingerprint"])

    def test_a_moved_folder_loses_nothing(self):
        laptop, phone = self.pair()
        laptop.add("Before the move")
        moved = self.device("moved")
        shutil.move(laptop.store, moved.store)
        moved.add("After the move")
        self.meet(moved, phone)
        self.expect_everywhere(["Before the move", "After the move"], moved, phone)
        self.report("everything is at the new place")

    def yesterday(self, restore):
        """Yesterday's copy over today's store, with a third device that never saw its last writes.

        The laptop's writes after the copy reached the phone alone. Restored, the laptop writes again:
        under its old id those writes would bear the same dots, and the tablet, which meets the
        laptop first, would take the phone's for known.
        """
        laptop, phone, tablet = self.device("laptop"), self.device("phone"), self.device("tablet")
        laptop.init()
        for other in (phone, tablet):
            with laptop.serve() as server:
                other.join(server.address)
        todo = laptop.add("Yesterday")
        self.meet_all(laptop, phone, tablet)
        before = laptop.replica_id()
        backup = os.path.join(self.folder, "backup")
        subprocess.run(["cp", "-r", laptop.store, backup], check=True, timeout=60)

        today = ["Today {}".format(number) for number in range(5)]
        for title in today:
            laptop.add(title)
        laptop.edit(todo, "project:Today")
        self.meet(laptop, phone)
        restore(backup, laptop)

        again = ["After the restore {}".format(number) for number in range(7)]
        for title in again:
            laptop.add(title)
        self.expect_report(laptop, before)
        self.assertEqual(laptop.titles(), sorted(["Yesterday"] + again))
        self.meet(laptop, tablet)
        self.meet(phone, tablet)
        self.meet_all(laptop, phone, tablet)
        self.expect_everywhere(["Yesterday"] + today + again, laptop, phone, tablet)
        for device in (laptop, phone, tablet):
            self.assertTrue(tandem.mentions(device.show(todo), "Today"))
        self.report("5 writes that only the phone had seen and 7 new ones are everywhere")

    def test_yesterdays_copy_in_place(self):
        self.yesterday(self.overwrite)

    def test_yesterdays_copy_in_a_new_folder(self):
        def replace(backup, device):
            shutil.rmtree(device.store)
            subprocess.run(["cp", "-r", backup, device.store], check=True, timeout=60)
        self.yesterday(replace)

    def test_yesterdays_copy_that_keeps_every_time(self):
        def replace(backup, device):
            shutil.rmtree(device.store)
            subprocess.run(["cp", "-a", backup, device.store], check=True, timeout=60)
        self.yesterday(replace)

    def test_yesterdays_copy_after_a_crash(self):
        """The same in place, over a store that a killed server has left behind."""
        def restore(backup, device):
            server = device.serve()
            server.begin()
            server.kill()
            for name in os.listdir(device.store):
                if name.endswith(("-wal", "-shm")):
                    os.remove(os.path.join(device.store, name))
            self.overwrite(backup, device)
        self.yesterday(restore)

    def test_the_programs_own_backup_is_a_store_of_its_own(self):
        laptop, phone = self.pair()
        laptop.add("Before the backup")
        self.meet(laptop, phone)
        before = laptop.replica_id()
        restored = self.device("restored")
        laptop.run("backup", restored.store)
        laptop.add("After the backup")
        self.meet(laptop, phone)
        restored.add("On the restored backup")
        self.expect_report(restored, before)
        self.meet_all(laptop, phone, restored)
        self.expect_everywhere(
            ["Before the backup", "After the backup", "On the restored backup"],
            laptop, phone, restored)

    def test_two_copies_of_one_store_meet_each_other_first(self):
        laptop, phone = self.pair()
        laptop.add("Common")
        self.meet(laptop, phone)
        copy = self.copy(laptop, "copy")
        laptop.add("On the original")
        copy.add("On the copy")
        self.meet(laptop, copy)
        self.expect_everywhere(["Common", "On the original", "On the copy"], laptop, copy)
        self.meet(copy, phone)
        self.expect_everywhere(["Common", "On the original", "On the copy"], laptop, copy, phone)
        self.report("original and copy met first, then the phone")

    def test_an_untouched_store_keeps_its_id(self):
        laptop, phone = self.pair()
        before = laptop.replica_id()
        for number in range(5):
            laptop.add("To-do {}".format(number))
            self.meet(laptop, phone)
        server = laptop.serve()
        server.begin()
        server.kill()
        laptop.add("After a crash of the program alone")
        self.assertEqual(laptop.replica_id(), before)
        self.report("five sessions and a killed server: the same id")


if __name__ == "__main__":
    unittest.main(verbosity=2)
