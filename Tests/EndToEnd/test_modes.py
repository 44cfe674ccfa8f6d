"""Stores are their owner's alone, whatever the folder and the umask."""

import os
import stat
import subprocess
import time

import tandem_process as tandem
from test_doors import STRANGER, needs_root
from test_relay import Relay


def modes(folder):
    """The mode of every file under a folder, by its path in it."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            found[os.path.relpath(file, folder)] = stat.S_IMODE(os.stat(file).st_mode)
    return found


class StoreModes(tandem.TandemTestCase):
    def open_folder(self, name):
        """A device whose folder was there before, open to everybody."""
        device = self.device(name)
        os.makedirs(device.store, exist_ok=True)
        os.chmod(device.store, 0o777)
        return device

    def run_open(self, device, *words, codes=(tandem.OK,)):
        """Runs a command under a umask that hides nothing."""
        done = subprocess.run(
            [tandem.BINARY, *words], env=device.environment(), capture_output=True, text=True,
            preexec_fn=lambda: os.umask(0), timeout=tandem.COMMAND_SECONDS_MAX)
        self.assertIn(done.returncode, codes, done.stderr)
        return done

    def assertPrivate(self, folder):
        open_files = {name: oct(mode) for name, mode in modes(folder).items() if mode & 0o077}
        self.assertEqual({}, open_files)

    def test_every_file_of_a_store_in_an_open_folder_is_its_owners_alone(self):
        device = self.open_folder("laptop")
        said = self.run_open(device, "init", "--name", "laptop").stderr
        self.assertIn("chmod 700", said)
        self.run_open(device, "add", "Buy milk")
        self.run_open(device, "list")
        self.run_open(device, "show", "1")
        self.assertPrivate(device.store)
        backup = os.path.join(self.folder, "backup")
        os.mkdir(backup)
        os.chmod(backup, 0o777)
        said = self.run_open(device, "backup", "--verify", backup).stderr
        self.assertIn("others can remove and replace files in " + backup, said)
        self.assertIn("chmod 700", said)
        self.assertPrivate(backup)
        # While a process has the store open SQLite keeps two files beside it.
        held = subprocess.Popen(
            [tandem.BINARY, "daemon", "--listen", "127.0.0.1:0"], env=device.environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: os.umask(0))
        try:
            until = time.monotonic() + 20
            while "store.db-wal" not in modes(device.store) and time.monotonic() < until:
                time.sleep(0.01)
            self.run_open(device, "add", "Buy bread")
            self.assertPrivate(device.store)
        finally:
            held.terminate()
            held.wait(30)

    def test_a_folder_that_is_the_owners_alone_gives_no_hint(self):
        device = self.device("laptop")
        self.assertNotIn("chmod", device.init().errors)
        backup = os.path.join(self.folder, "backup")
        self.assertNotIn("chmod", device.run("backup", backup).errors)

    def test_join_says_who_else_may_reach_into_its_folder(self):
        laptop = self.device("laptop")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            for name, mode, words in (
                    ("phone", 0o755, "others can see which files are in "),
                    ("tablet", 0o777, "others can remove and replace files in "), ("desk", 0o700, None)):
                device = self.open_folder(name)
                os.chmod(device.store, mode)
                code = laptop.invite("--address", server.address)
                said = self.run_open(device, "join", code, "--name", name).stderr
                self.assertPrivate(device.store)
                if words is None:
                    self.assertNotIn("chmod", said)
                else:
                    self.assertIn(words + device.store, said)
                    self.assertIn("chmod 700", said)

    def test_doctor_finds_open_files_and_fix_closes_them(self):
        device = self.device("laptop")
        device.init()
        device.add("Buy milk")
        device.run("doctor", "--fix")
        device.run("list")
        opened = ["store.db", "lock", "numbers"]
        for name in opened:
            os.chmod(os.path.join(device.store, name), 0o644)
        found = device.run("doctor", "--json", codes=(tandem.NOTHING,)).values()[0]
        self.assertEqual(([], []), (found["findings"], found["codes"]))
        self.assertEqual(len(found["repairable"]), len(found["repairs"]))
        steps = {step["path"]: step for step in found["repairs"]}
        for name in opened:
            step = steps[os.path.join(device.store, name)]
            self.assertEqual("exposed-file", step["code"])
            self.assertEqual("644", step["mode"])
        self.assertIn("store.db", device.run("doctor", codes=(tandem.NOTHING,)).output)
        device.run("doctor", "--fix")
        self.assertPrivate(device.store)
        device.run("doctor")
        # The folder as well: whoever may write there can put another store in its place.
        os.chmod(device.store, 0o777)
        found = device.run("doctor", "--json", codes=(tandem.NOTHING,)).values()[0]
        self.assertEqual(["exposed-folder"], [step["code"] for step in found["repairs"]])
        self.assertIn("store too", device.run("doctor", codes=(tandem.NOTHING,)).output)
        device.run("doctor", "--fix")
        self.assertEqual(0o755, os.stat(device.store).st_mode & 0o777)

    def test_the_files_of_a_relay_in_an_open_folder_are_its_owners_alone(self):
        folder = os.path.join(self.folder, "relay")
        spaces = os.path.join(folder, "spaces")
        os.makedirs(spaces)
        os.chmod(spaces, 0o777)
        before = os.umask(0)
        try:
            relay = Relay(folder)
        finally:
            os.umask(before)
        try:
            laptop = self.device("laptop")
            laptop.init()
            laptop.add("Buy milk")
            laptop.invite("--relay", relay.told["relay"])
            laptop.run("sync")
            self.assertTrue(any(name.endswith(".relay-wal") for name in modes(spaces)), modes(spaces))
            self.assertPrivate(spaces)
        finally:
            relay.end()
        self.assertPrivate(spaces)

    def test_rescued_stores_and_what_was_put_aside_are_the_owners_alone(self):
        device = self.open_folder("laptop")
        self.run_open(device, "init", "--name", "laptop")
        self.run_open(device, "add", "Buy milk")
        path = os.path.join(device.store, "store.db")
        with open(path, "r+b") as file:
            file.seek(4096 * 2)
            file.write(b"\xff" * 4096 * 3)
        self.run_open(
            device, "doctor", "--fix", "--yes", codes=(tandem.OK, tandem.NOTHING))
        self.assertPrivate(device.store)


class PlantedFiles(tandem.TandemTestCase):
    """Another account puts something into the folder of a store that it can write to."""

    def setUp(self):
        super().setUp()
        self.device = self.device("laptop")
        self.device.init()
        self.device.add("Buy milk")
        os.chmod(self.device.store, 0o777)
        self.target = os.path.join(self.folder, "elsewhere")
        with open(self.target, "w") as file:
            file.write("kept as it is\n")

    def path(self, name):
        return os.path.join(self.device.store, name)

    def link(self, name):
        if os.path.lexists(self.path(name)):
            os.remove(self.path(name))
        os.symlink(self.target, self.path(name))

    def assertRefused(self, name):
        refused = self.device.run("add", "Buy bread", codes=(tandem.IO_ERROR,))
        self.assertIn(self.path(name), refused.errors)
        self.assertIn("another account", refused.errors)
        os.remove(self.path(name))

    def test_links_are_not_followed_and_named(self):
        for name in ("store.db-wal", "store.db-journal"):
            self.link(name)
            self.assertRefused(name)
        for name in ("identity", "lock"):
            kept = self.path(name) + ".kept"
            os.rename(self.path(name), kept)
            self.link(name)
            self.assertRefused(name)
            os.rename(kept, self.path(name))
        # Without its numbers to-dos are shown with their ids.
        for name in ("identity.new", "numbers-wal"):
            self.link(name)
            self.device.add("Buy bread")
        self.link("keyring.lock")
        refused = self.device.run(
            "invite", "--address", "127.0.0.1:1", codes=(tandem.CONFIGURATION, tandem.IO_ERROR))
        self.assertIn(self.path("keyring.lock"), refused.errors)
        with open(self.target) as file:
            self.assertEqual("kept as it is\n", file.read())

    @needs_root
    def test_files_of_another_account_are_not_written(self):
        for name in ("store.db-wal", "store.db-shm", "lock"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
            with open(self.path(name), "w"):
                os.chmod(self.path(name), 0o666)
            os.chown(self.path(name), STRANGER, STRANGER)
            refused = self.device.run("add", "Buy bread", codes=(tandem.IO_ERROR,))
            self.assertIn("{} belongs to another account".format(self.path(name)), refused.errors)
            self.assertEqual(0, os.path.getsize(self.path(name)))
            os.remove(self.path(name))
        self.device.add("Buy bread")

    @needs_root
    def test_what_stands_beside_the_target_of_a_link_is_looked_at(self):
        shared = os.path.join(self.folder, "shared")
        os.mkdir(shared)
        os.chmod(shared, 0o777)
        os.chmod(self.device.store, 0o700)
        os.rename(self.path("store.db"), os.path.join(shared, "store.db"))
        os.symlink(os.path.join(shared, "store.db"), self.path("store.db"))
        planted = os.path.join(shared, "store.db-wal")
        with open(planted, "w"):
            os.chmod(planted, 0o666)
        os.chown(planted, STRANGER, STRANGER)
        refused = self.device.run("add", "Buy bread", codes=(tandem.IO_ERROR,))
        self.assertIn("{} belongs to another account".format(planted), refused.errors)
        self.assertEqual(0, os.path.getsize(planted))

    @needs_root
    def test_what_root_makes_in_a_store_of_somebody_else_is_theirs(self):
        os.chmod(self.device.store, 0o700)
        for path, folders, files in os.walk(self.device.store):
            for name in [path] + [os.path.join(path, name) for name in folders + files]:
                os.chown(name, STRANGER, STRANGER)
        self.device.add("Buy bread")
        replica = self.device.status()["replica"]
        self.device.run("show", self.device.add("Buy jam"))
        self.device.run("rename", "desk")
        foreign = [
            os.path.join(path, name) for path, _, files in os.walk(self.device.store) for name in files
            if os.stat(os.path.join(path, name)).st_uid != STRANGER]
        self.assertEqual([], foreign)
        self.assertEqual(replica, self.device.status()["replica"])
