"""Stores that are damaged: what is said, what still works, and how to go on from a snapshot."""

import os
import re
import resource
import shutil
import subprocess
import unittest

import tandem_process as tandem


class Damage(tandem.TandemTestCase):
    def used(self):
        """Two devices; the first has a snapshot, and five to-dos since, which the second has too."""
        laptop, phone = self.pair()
        laptop.run("add", "-", text="".join("old {}\n".format(number) for number in range(30)))
        self.meet(laptop, phone)
        # A mode that is too wide is something to mend, and a snapshot is made before that.
        key = os.path.join(laptop.store, "device.key")
        self.assertTrue(os.path.exists(key))
        os.chmod(key, 0o644)
        laptop.run("doctor", "--fix", "--yes", codes=(tandem.OK, tandem.NOTHING))
        self.assertEqual(1, len(os.listdir(os.path.join(laptop.store, "snapshots"))))
        laptop.run("add", "-", text="".join("new {}\n".format(number) for number in range(5)))
        self.meet(laptop, phone)
        return laptop, phone

    def write(self, device, damage):
        path = os.path.join(device.store, "store.db")
        for name in ("store.db-wal", "store.db-shm"):
            if os.path.exists(os.path.join(device.store, name)):
                os.remove(os.path.join(device.store, name))
        if damage == "gone":
            os.remove(path)
        elif damage == "no database":
            with open(path, "wb") as file:
                file.write(b"no database at all\n" * 1000)
        elif damage == "cut off":
            os.truncate(path, 6000)
        else:
            # The first page, and with it the header, stays whole.
            with open(path, "r+b") as file:
                file.seek(4096)
                file.write(b"\xa5" * (os.path.getsize(path) - 4096))

    def test_no_other_space_takes_the_place_of_keys_whose_store_is_gone(self):
        laptop = self.device("laptop")
        laptop.init()
        laptop.run("add", "Milk")
        backup = os.path.join(self.folder, "backup")
        laptop.run("backup", backup)
        with open(os.path.join(laptop.store, "keyring"), "rb") as file:
            keys = file.read()
        self.write(laptop, "gone")
        told = laptop.run("list", codes=(tandem.CONFIGURATION,)).errors
        self.assertIn("the keys of its space are still there", told)
        said = laptop.run("init", codes=(tandem.REFUSED,)).errors
        self.assertIn("tandem restore --from FOLDER", said)
        with open(os.path.join(laptop.store, "keyring"), "rb") as file:
            self.assertEqual(keys, file.read())
        told = laptop.run("restore", "--from", backup, "--yes", codes=(tandem.CONFIGURATION,)).errors
        subprocess.run(told.split("put it there: ")[1].strip(), shell=True, check=True)
        self.assertIn("Milk", laptop.run("list").output)
        with open(os.path.join(laptop.store, "keyring"), "rb") as file:
            self.assertEqual(keys, file.read())

    def test_no_other_store_is_made_where_one_is_gone(self):
        laptop, phone = self.used()
        self.write(laptop, "gone")
        self.assertNotIn("tandem init", laptop.run("list", codes=(tandem.CONFIGURATION,)).errors)
        other = self.device("other")
        other.init()
        with other.serve(tcp=True) as server:
            code = other.invite("--address", server.address)
            for words in (["init"], ["init", "--from", server.address], ["join", code]):
                said = laptop.run(*words, codes=(tandem.REFUSED,)).errors
                self.assertIn("tandem restore --from latest", said)
        laptop.run("restore", "--from", "latest", "--yes")
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)

    def test_the_way_to_join_anew_can_be_typed_as_it_is_told(self):
        laptop = self.device("laptop")
        laptop.init()
        self.write(laptop, "no database")
        said = laptop.run("doctor", codes=(tandem.NOTHING, tandem.CONFIGURATION, tandem.BAD_DATA))
        told = re.search(r"tandem (--store FOLDER join[^`;:.]*)", " ".join((said.output + said.errors).split()))
        words = told.group(1).replace("FOLDER", os.path.join(self.folder, "elsewhere")).split()
        # Without a terminal the code is asked for in words; whatever else was told would be taken for it.
        self.assertIn("say the code", laptop.run(*words, codes=(tandem.USAGE,)).errors)

    def test_every_command_names_the_snapshots_and_what_to_type(self):
        for damage in ("no database", "cut off", "pages", "gone"):
            with self.subTest(damage):
                laptop, _ = self.used()
                self.write(laptop, damage)
                for words in (["list"], ["add", "x"], ["status"], ["undo"]):
                    failed = laptop.run(*words, codes=(
                        tandem.BAD_DATA, tandem.CONFIGURATION, tandem.IO_ERROR))
                    self.assertIn("tandem restore --from latest", failed.errors, words)
                    self.assertIn("snapshot", failed.errors, words)
                said = laptop.run("doctor", codes=(tandem.NOTHING, tandem.CONFIGURATION))
                self.assertFalse(any(
                    name.startswith("damaged-") for name in os.listdir(laptop.store)))
                self.assertIn("tandem restore --from latest", said.output + said.errors)
                listed = laptop.run("restore", "--list").output
                self.assertIn("snapshots/1-", listed)
                listed = laptop.run("restore", "--list", "--json").values()
                self.assertEqual(1, listed[0]["number"])
                shutil.rmtree(self.folder)
                os.mkdir(self.folder, 0o700)

    def test_named_by_an_option_the_store_is_in_the_advice(self):
        laptop, phone = self.used()
        self.write(laptop, "no database")
        failed = phone.run("list", "--store", laptop.store, codes=(tandem.CONFIGURATION,))
        self.assertIn("tandem --store {} restore --from latest".format(laptop.store), failed.errors)

    def test_without_snapshots_none_are_promised(self):
        laptop, _ = self.pair()
        self.write(laptop, "no database")
        failed = laptop.run("list", codes=(tandem.CONFIGURATION,))
        self.assertNotIn("restore --from", failed.errors)
        self.assertIn("no snapshot", laptop.run(
            "restore", "--from", "latest", "--yes", codes=(tandem.NO_INPUT,)).errors)

    def test_it_goes_on_from_a_snapshot_as_another_device(self):
        for damage in ("no database", "pages", "gone", "half of the rows"):
            with self.subTest(damage):
                laptop, phone = self.used()
                before = laptop.replica_id()
                if damage == "half of the rows":
                    # It opens, and is damaged all the same.
                    path = os.path.join(laptop.store, "store.db")
                    laptop.run("list")
                    with open(path, "r+b") as file:
                        size = os.path.getsize(path)
                        file.seek(size - 8192)
                        file.write(b"\x5a" * 8192)
                else:
                    self.write(laptop, damage)
                asked = laptop.run("restore", "--from", "latest", codes=(tandem.REFUSED,))
                self.assertIn("--yes", asked.errors)
                looked = laptop.run("restore", "--from", "1", "--dry-run")
                self.assertIn("whole", looked.output)
                self.assertFalse(any(
                    name.startswith("damaged-") for name in os.listdir(laptop.store)))
                done = laptop.run("restore", "--from", "latest", "--yes")
                self.assertIn("damaged-", done.output)
                aside = [name for name in os.listdir(laptop.store) if name.startswith("damaged-")]
                self.assertEqual(1, len(aside))
                if damage != "gone":
                    self.assertIn(
                        "store.db", os.listdir(os.path.join(laptop.store, aside[0])))
                self.assertNotEqual(before, laptop.replica_id())
                self.assertEqual(30, len(laptop.titles()))
                laptop.add("anew")
                self.meet(laptop, phone)
                self.assertConverged(laptop, phone)
                self.assertEqual(36, len(laptop.titles()))
                self.assertEqual([], laptop.conflicts())
                laptop.run("doctor", codes=(tandem.OK,))
                shutil.rmtree(self.folder)
                os.mkdir(self.folder, 0o700)

    def test_a_backup_in_another_folder_does_as_well_and_another_space_does_not(self):
        laptop, phone = self.used()
        backup = os.path.join(self.folder, "backup")
        laptop.run("backup", backup)
        stranger = self.device("stranger")
        stranger.init()
        self.write(laptop, "no database")
        refused = laptop.run(
            "restore", "--from", stranger.store, "--yes", codes=(tandem.REFUSED,))
        self.assertIn("another space", refused.errors)
        self.assertIn("35", laptop.run("restore", "--from", backup, "--yes").output)
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)

    def test_a_store_that_a_daemon_has_open_is_left_alone(self):
        laptop, _ = self.used()
        with laptop.serve() as server:
            self.write(laptop, "no database")
            busy = laptop.run(
                "restore", "--from", "latest", "--yes", codes=(tandem.RETRY_LATER,))
            self.assertIn(
                "open in process {} (tandem)".format(server.process.pid), busy.errors)
            self.assertIn("end that first", busy.errors)
            busy = laptop.run("doctor", "--fix", "--yes", codes=(tandem.RETRY_LATER,))
            self.assertIn(
                "open in process {} (tandem)".format(server.process.pid), busy.errors)
        laptop.run("restore", "--from", "latest", "--yes")

    def test_a_store_that_cannot_be_opened_just_now_is_not_called_damaged(self):
        laptop, _ = self.used()
        words = ("damage", "DAMAGE", "rescue", "put this store aside")
        refused = 0
        for count in range(4, 40):
            for command in (("list",), ("doctor", "--fix", "--yes"), ("restore", "--from", "latest", "--yes")):
                done = subprocess.run(
                    [tandem.BINARY, *command], env=laptop.environment(), capture_output=True, text=True,
                    timeout=60, stdin=subprocess.DEVNULL,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)))
                if done.returncode == tandem.OK:
                    continue
                refused += "Too many open files" in done.stderr
                for word in words:
                    self.assertNotIn(word, done.stdout + done.stderr, "{} {}".format(count, command))
        self.assertGreater(refused, 0)
        os.mkdir(os.path.join(laptop.store, "store.db-wal"))
        failed = laptop.run("doctor", "--fix", "--yes", codes=(tandem.IO_ERROR,))
        self.assertNotIn("DAMAGE", failed.output)
        os.rmdir(os.path.join(laptop.store, "store.db-wal"))
        self.assertFalse([name for name in os.listdir(laptop.store) if "damaged-" in name])
        laptop.run("doctor")

    def test_what_is_no_copy_is_called_that(self):
        laptop, _ = self.used()
        empty = os.path.join(self.folder, "empty")
        pipe = os.path.join(self.folder, "pipe")
        text = os.path.join(self.folder, "text")
        os.mkdir(empty)
        os.mkfifo(pipe)
        with open(text, "w") as file:
            file.write("no copy at all")
        for isDamaged in (False, True):
            if isDamaged:
                self.write(laptop, "no database")
            for path in ("/etc", empty, pipe, text, "/dev/null", "/nowhere/at/all"):
                failed = laptop.run("restore", "--from", path, "--yes", codes=(
                    tandem.NO_INPUT, tandem.CONFIGURATION, tandem.BAD_DATA))
                self.assertIn(path, failed.errors)
                self.assertNotIn("I/O", failed.errors)
                self.assertRegex(failed.errors, "no backup|no snapshot|no tandem store")
                self.assertEqual([], [
                    name for name in os.listdir(laptop.store) if name.startswith("scratch")])


if __name__ == "__main__":
    unittest.main()
