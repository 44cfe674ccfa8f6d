"""What commands say is so: counts, exit codes, causes and hints, and what an undo or a restore replaces."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import time
import unittest

import tandem_process as tandem
from tandem_process import (
    BAD_DATA, INCOMPLETE, IO_ERROR, NOTHING, OK, REFUSED, UNAVAILABLE, TandemTestCase)

TODO = '{{"tandem":1,"id":"00000000-0000-4000-8000-00000000000{}","title":"{}"}}\n'


class Imports(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def test_the_exit_code_tells_whether_nothing_or_not_all_was_taken(self):
        self.laptop.run("import", self.file("all.jsonl", TODO.format(1, "a") + TODO.format(2, "b")))
        mixed = self.file("mixed.jsonl", TODO.format(1, "a") + TODO.format(3, "c") + "{}\n")
        for flags, code in (((), BAD_DATA), (("--partial",), INCOMPLETE)):
            self.laptop.run("import", "--dry-run", *flags, mixed, codes=(code,))
            self.laptop.run("import", *flags, mixed, codes=(code,))
        self.assertEqual(["a", "b", "c"], self.laptop.titles())
        # What is in the trash or purged here is not taken either.
        self.laptop.delete("00000000-0000-4000-8000-000000000001")
        self.laptop.run("import", self.file("all.jsonl", TODO.format(1, "a") + TODO.format(2, "b")),
                        codes=(INCOMPLETE,))
        one = self.file("one.jsonl", TODO.format(1, "a"))
        self.laptop.run("import", one, codes=(NOTHING,))
        self.laptop.run("purge", "00000000-0000-4000-8000-000000000001", "--yes")
        told = json.loads(self.laptop.run("import", "--json", one, codes=(NOTHING,)).output)
        self.assertEqual((0, 1), (told["made"], told["purged"]))
        self.laptop.run("import", "--revive", one)

    def test_a_dry_run_of_a_long_file_lists_its_first_to_dos_and_counts_the_rest(self):
        # Longer than what is held as a whole: 16 MiB.
        entries = [json.dumps({"tandem": 1, "title": "t%d" % number, "notes": "n" * 1500}) for number in range(12_000)]
        path = self.file("long.jsonl", "\n".join(entries + ["{}"]) + "\n")
        self.assertGreater(os.path.getsize(path), 16 << 20)
        before = self.laptop.fingerprint()
        told = self.laptop.run("import", "--dry-run", path, codes=(BAD_DATA,)).output
        self.assertIn("Would import 12000 to-dos: 12000 new", told)
        self.assertIn("  new     t9999\n  and 2000 more\n", told)
        self.assertIn("Bad, so that nothing would be imported without --partial: 1\n  line 12001", told)
        plan = json.loads(
            self.laptop.run("import", "--dry-run", "--partial", "--json", path, codes=(INCOMPLETE,)).output)
        self.assertEqual((12_000, 10_000, 2_000), (plan["made"], len(plan["todos"]), plan["unlisted"]["todos"]))
        self.assertEqual(before, self.laptop.fingerprint())
        self.assertEqual([], self.laptop.titles())

    def test_files_with_nothing_in_them_say_so(self):
        for name in ("todo.txt", "a.csv", "a.ics", "a.plist", "a.json", "a.jsonl"):
            for content in ("", "\n\n", "\ufeff"):
                path = self.file(name, content)
                told = self.laptop.run("import", path, codes=(NOTHING,))
                self.assertIn(path + " is empty", told.errors)
        for name, content in (
                ("a.json", "[]"), ("a.csv", "title\n"),
                ("a.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR\n")):
            path = self.file(name, content)
            self.assertIn(path + " has no to-dos", self.laptop.run("import", path, codes=(NOTHING,)).output)
        piped = self.laptop.run("import", "--format", "todotxt", "-", text="", codes=(NOTHING,))
        self.assertIn("the standard input is empty", piped.errors)

    def test_a_refusal_names_the_file_and_the_line_and_promises_nothing(self):
        path = self.file("a.csv", 'title,notes\na,"x\ny"\nb,c,d\n')
        told = self.laptop.run("import", path, codes=(BAD_DATA,)).errors
        self.assertIn(path + ", read as CSV", told)
        self.assertIn("line 4, entry 2", told)
        self.assertIn("--partial takes the good one", told)
        bad = self.file("b.csv", "title,due\na,soon\n")
        for words in ((), ("--dry-run",)):
            told = self.laptop.run("import", *words, bad, codes=(BAD_DATA,))
            self.assertNotIn("--partial", told.errors + told.output)
        self.laptop.run("import", "--partial", bad, codes=(NOTHING,))
        cut = self.file("c.json", '[{"description":"a"},\n{"descr')
        told = self.laptop.run("import", cut, codes=(BAD_DATA,)).errors
        self.assertIn(cut + ": cannot decode as Taskwarrior", told)
        self.assertIn("line 2", told)


class Devices(TandemTestCase):
    def pair(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve() as server:
            phone.join(server.address)
        return laptop, phone

    def meet(self, laptop, phone):
        with laptop.serve() as server:
            return json.loads(phone.run("sync", server.address, "--json").output)

    def test_a_sync_counts_to_dos(self):
        laptop, phone = self.pair()
        laptop.add("a")
        laptop.add("b")
        phone.add("c")
        counts = self.meet(laptop, phone)
        self.assertEqual((2, 1), (counts["received"], counts["sent"]))
        # A device's own record changes, and no to-do.
        phone.run("rename", "pocket")
        counts = self.meet(laptop, phone)
        self.assertEqual((0, 0), (counts["received"], counts["sent"]))
        laptop.run("rename", "desk")
        with laptop.serve() as server:
            told = phone.run("sync", server.address).output
        self.assertIn(": 0 received, 0 sent", told)

    def test_a_store_that_is_alone_is_green(self):
        laptop = self.device("laptop")
        laptop.init()
        laptop.add("a")
        self.assertEqual("green", laptop.run("status", "--short").output.strip())
        status = json.loads(laptop.run("status", "--json").output)
        self.assertEqual((True, []), (status["green"], status["troubles"]))
        self.assertIn("nothing to sync", laptop.run("status").output)

    def test_history_tells_what_was_written_apart(self):
        laptop, phone = self.pair()
        todo = laptop.add("base")
        self.meet(laptop, phone)
        laptop.run("edit", todo, "of laptop")
        phone.run("edit", todo, "of phone")
        self.meet(laptop, phone)
        told = laptop.run("history", todo).output
        self.assertIn("title: of phone shown, of laptop kept beside it", told)
        self.assertNotIn("of laptop → of phone", told)
        kinds = {entry["kind"] for entry in laptop.run("history", todo, "--json").values()}
        self.assertIn("above", kinds)
        self.assertIn("title: of laptop kept beside of phone", phone.run("history", todo).output)

    def test_a_delete_against_an_edit_names_both(self):
        laptop, phone = self.pair()
        todo = laptop.add("base")
        self.meet(laptop, phone)
        laptop.delete(todo)
        phone.run("edit", todo, "of phone", "+tag")
        self.meet(laptop, phone)
        # The edits come later in the history, and did not come after the delete.
        history = laptop.run("history", todo).output
        self.assertRegex(history, r"phone  title: base → of phone; the delete had not seen this\n")
        self.assertRegex(history, r"phone  tags: added tag; the delete had not seen this\n")
        self.assertRegex(history, r"laptop  deleted it\n")
        told = laptop.run("conflicts").output
        self.assertRegex(told, r"laptop \(this device\), .*: deleted it")
        self.assertRegex(told, r"phone, .*: title: of phone")
        self.assertRegex(told, r"phone, .*: tags: added tag")
        conflict = phone.run("conflicts", "--json").values()[0]
        self.assertEqual([("laptop", False)], [(who["device"], who["mine"]) for who in conflict["deletedBy"]])
        self.assertEqual(
            [("title", "of phone", "phone", True), ("tags/tag", True, "phone", True)],
            [(edit["field"], edit["value"], edit["device"], edit["mine"]) for edit in conflict["edits"]])
        self.assertEqual([], conflict["restoredBy"])

    def test_a_delete_that_was_undone_before_anybody_heard_of_it_leaves_no_conflict(self):
        laptop, phone = self.pair()
        todo = laptop.add("base", "due:2030-01-01")
        self.meet(laptop, phone)
        laptop.delete(todo)
        phone.run("edit", todo, "of phone")
        laptop.run("undo")
        self.meet(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual([], device.run("conflicts", "--json", codes=(OK, NOTHING)).values())
            self.assertEqual(["of phone"], device.titles())

    def test_the_same_while_a_server_has_the_store_open_and_has_told_a_device_of_other_things(self):
        laptop, phone = self.pair()
        todo = laptop.add("base")
        with laptop.serve() as server:
            phone.sync(server.address)
            laptop.delete(todo)
            phone.run("edit", todo, "of phone")
            laptop.run("undo")
            phone.sync(server.address)
            self.assertEqual([], phone.run("conflicts", "--json", codes=(OK, NOTHING)).values())
            self.assertEqual(["of phone"], laptop.titles())
            # A delete that has left is heard of.
            laptop.delete(todo)
            phone.sync(server.address)
            self.assertEqual([], phone.titles())
            laptop.run("undo")
            phone.sync(server.address)
        self.assertEqual(["of phone"], phone.titles())

    def test_a_restore_from_a_copy_says_what_it_replaces(self):
        laptop, phone = self.pair()
        todo = laptop.add("base", "project:Home")
        self.meet(laptop, phone)
        copy = os.path.join(self.folder, "copy")
        laptop.run("backup", copy)
        laptop.run("edit", todo, "of laptop", "project:Work")
        phone.run("edit", todo, "of phone")
        self.meet(laptop, phone)
        told = laptop.run("restore", "--from", copy, "--verify").output
        self.assertIn("title: here of phone, in conflict with of laptop, which that ends; in the copy base", told)
        self.assertIn("project: here Work; in the copy Home", told)
        fields = json.loads(laptop.run("restore", "--from", copy, "--json").output)["fields"]
        self.assertEqual(
            [("title", "of phone", "base", ["of laptop"]), ("project", "Work", "Home", [])],
            [(field["field"], field["here"], field["copy"], field["conflict"]) for field in fields])
        self.assertEqual(["base"], laptop.titles())

    def test_an_undo_behind_a_purge_says_so_and_takes_back_nothing_else(self):
        laptop = self.device("laptop")
        laptop.init()
        one, two = laptop.add("one"), laptop.add("two")
        laptop.run("edit", one, "due:2030-01-01")
        laptop.delete(two)
        laptop.run("purge", two, "--yes")
        told = laptop.run("undo", codes=(REFUSED,)).errors
        self.assertIn("the purge of 1 to-do, which nothing can undo", told)
        self.assertIn("tandem undo 1", told)
        self.assertEqual("2030-01-01", laptop.show(one)["due"])
        laptop.run("undo", "1")
        self.assertNotIn("due", laptop.show(one))

    def test_a_second_daemon_is_not_sent_to_another_address(self):
        laptop = self.device("laptop")
        laptop.init()
        port = tandem.free_port()
        first = laptop.start("daemon", "--listen", "127.0.0.1:{}".format(port))
        try:
            until = time.monotonic() + 20
            while laptop.status()["daemon"] is None and time.monotonic() < until:
                time.sleep(0.05)
            for words in (("daemon", "--listen", "127.0.0.1:{}".format(port)), ("daemon",),
                          ("serve", "--listen", "127.0.0.1:{}".format(port))):
                told = laptop.run(*words, codes=(UNAVAILABLE,)).errors
                self.assertNotIn("another address", told)
                self.assertIn("runs for this store", told)
        finally:
            first.terminate()
            first.wait(30)


@unittest.skipUnless(os.getuid() == 0 and shutil.which("setpriv"), "needs another account")
class ReadOnly(TandemTestCase):
    """The superuser may write everywhere: these commands run as nobody."""

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o777)
        self.laptop = self.device("laptop")
        self.program = os.path.join(self.folder, "tandem")
        shutil.copy(tandem.BINARY, self.program)
        # Other tests look at stores in the folder for scratch that all have.
        self.scratch = os.path.join(self.folder, "scratch")
        os.mkdir(self.scratch)
        os.chmod(self.scratch, 0o777)
        self.said("init")
        self.said("add", "one")
        self.said("add", "two")

    def said(self, *words, code=OK):
        done = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", self.program, *words],
            env=dict(self.laptop.environment(), HOME=self.folder, XDG_RUNTIME_DIR="", TMPDIR=self.scratch),
            capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual(code, done.returncode, done.stderr)
        return done.stdout + done.stderr

    def test_what_cannot_be_written_is_named(self):
        store = self.laptop.store
        os.chmod(store, 0o555)
        self.assertIn("in the folder " + store, self.said("add", "x", code=IO_ERROR))
        os.chmod(store, 0o755)
        index = store + "/store.db-shm"
        # One that is empty gets the mode of the database from SQLite.
        with open(index, "wb") as file:
            file.write(bytes(32768))
        os.chown(index, 65534, 65534)
        os.chmod(index, 0o444)
        self.assertIn(index + " cannot be written", self.said("add", "x", code=IO_ERROR))
        os.unlink(index)
        os.chmod(store + "/store.db", 0o444)
        self.assertIn(store + "/store.db cannot be written", self.said("add", "x", code=IO_ERROR))

    def test_a_log_whose_index_cannot_be_written_is_read_from_a_copy_and_costs_no_id(self):
        store = self.laptop.store
        before = self.said("doctor")
        # As a program leaves them that is killed at its first commit: a log of a head alone, and no index yet.
        other = os.path.join(self.folder, "other.db")
        with contextlib.closing(sqlite3.connect(other)) as database:
            database.executescript("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; CREATE TABLE one(two)")
            with open(other + "-wal", "rb") as file:
                head = file.read(32)
        for name, content in (("store.db-wal", head), ("store.db-shm", bytes(32768))):
            with open(os.path.join(store, name), "wb") as file:
                file.write(content)
            os.chown(os.path.join(store, name), 65534, 65534)
        index = store + "/store.db-shm"
        os.chmod(index, 0o444)
        self.assertIn("two", self.said("list"))
        self.assertIn(index + " cannot be written", self.said("add", "x", code=IO_ERROR))
        os.chmod(index, 0o600)
        self.assertIn("two", self.said("list"))
        self.assertEqual(before, self.said("doctor"))

    def test_what_only_reads_runs_on_a_folder_that_cannot_be_written(self):
        store, folder = self.laptop.store, os.path.join(self.folder, "elsewhere")
        os.mkdir(folder)
        changes = os.path.join(self.folder, "changes.jsonl")
        with open(changes, "w") as file:
            file.write('{"key":"1","kind":"insert","item":{"title":"three"}}\n')
        table = os.path.join(self.folder, "table.csv")
        with open(table, "w") as file:
            file.write("title\nfour\n")
        self.said("add", "Call", "remind:2040-01-01 9:00")
        os.chmod(folder, 0o777)
        os.chmod(store, 0o555)
        try:
            for words, told in (
                    (("remind",), "Call"), (("import", "--dry-run", table), "four"),
                    (("apply", "--dry-run", changes), "Inserted: three"),
                    (("vdir", "--dry-run", folder), "Call")):
                said = self.said(*words)
                self.assertIn("read from a copy", said, words)
                self.assertIn(told, said, words)
            self.assertIn("check its permissions", self.said("import", table, code=IO_ERROR))
            self.assertEqual([], os.listdir(folder))
        finally:
            os.chmod(store, 0o700)

    def watch(self, *words):
        """A watch by nobody, which has begun; a reader of its lines, and the folder of its copies."""
        copies = os.path.join(self.folder, "copies")
        os.mkdir(copies)
        os.chmod(copies, 0o777)
        watch = subprocess.Popen(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", self.program, "watch", "--json", *words],
            env=dict(self.laptop.environment(), HOME=self.folder, XDG_RUNTIME_DIR="", TMPDIR=copies),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for stream in (watch.stdout, watch.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(tandem.kill, watch)
        self.assertEqual("begin", json.loads(watch.stdout.readline())["kind"])
        def line():
            told = watch.stdout.readline()
            return json.loads(told) if told else self.fail(watch.stderr.read())
        return watch, line, copies

    def test_a_watch_where_nothing_may_be_written_shows_what_others_change(self):
        store = self.laptop.store
        os.chmod(store, 0o555)
        try:
            watch, line, copies = self.watch("--count", "4")
            self.assertEqual([], os.listdir(copies))
            before = self.files()
            time.sleep(1.5)
            self.assertEqual(before, self.files())
            # The superuser writes where nobody may.
            self.laptop.add("three")
            found = line()
            self.assertEqual((1, "insert", "three"), (found["number"], found["kind"], found["item"]["title"]))
            todo = found["item"]["id"]
            self.laptop.edit(todo, "due:2040-01-01")
            found = line()
            self.assertEqual((2, "update"), (found["number"], found["kind"]))
            self.assertIn("due", [change["field"] for change in found["changes"]])
            # A commit that is in the log alone, as its program has the store open.
            daemon = self.laptop.start("daemon", "--listen", "127.0.0.1:0")
            self.addCleanup(tandem.kill, daemon)
            while not os.path.exists(store + "/daemon.sock"):
                self.assertIsNone(daemon.poll())
                time.sleep(0.05)
            self.laptop.add("four")
            self.assertEqual("four", line()["item"]["title"])
            self.assertTrue(os.path.getsize(store + "/store.db-wal"))
            self.laptop.delete(todo)
            found = line()
            self.assertEqual((4, "delete"), (found["number"], found["kind"]))
            self.assertEqual(0, watch.wait(60))
            told = watch.stderr.read()
            self.assertIn("read from a copy, as ", told)
            self.assertIn("looks once a second", told)
            self.assertEqual([], os.listdir(copies))
        finally:
            os.chmod(store, 0o700)

    def test_a_watch_of_a_folder_that_cannot_be_written_ends_with_a_reason_where_the_store_goes(self):
        store = self.laptop.store
        os.chmod(store, 0o555)
        try:
            watch, _, copies = self.watch()
            os.rename(store + "/store.db", store + "/gone")
            self.assertEqual(IO_ERROR, watch.wait(60))
            self.assertIn(store + "/store.db", watch.stderr.read())
            self.assertEqual([], os.listdir(copies))
        finally:
            os.chmod(store, 0o700)

    def files(self):
        """Each file of the store with its content, and whether it is there."""
        found = {}
        for folder, _, names in os.walk(self.laptop.store):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.join(folder, name)] = file.read()
        return found

    def told(self, *words):
        """What a command tells programs, beside which people may be told something."""
        said = "\n" + self.said(*words, "--json")
        begin = min(found for found in (said.find("\n{"), said.find("\n[")) if found >= 0)
        return json.JSONDecoder().raw_decode(said[begin + 1:])[0]

    def look_at_everything(self, reason):
        """Runs what only looks, where the store cannot be written; `reason` is told beside all results."""
        one, before, files = self.todo, self.before, self.files()
        elsewhere = os.path.join(self.folder, "elsewhere")
        os.mkdir(elsewhere)
        os.chmod(elsewhere, 0o777)
        backup = os.path.join(elsewhere, "backup")
        for words, told in (
                (("status",), before["status"]["replica"]), (("status", "--short"), "green"),
                (("devices",), "this device"), (("devices", "--log"), ""), (("why", one), "one"),
                (("why", "two"), "two"), (("undo", "--list"), "two"), (("history", one), "made it"),
                (("doctor",), "All is well."), (("recent",), "one"), (("restore", "--from", "latest", "--verify"), "is whole"),
                (("restore", "--from", "latest", "--dry-run"), "is whole"),
                (("edit", one, "due:fri", "--dry-run"), "Would change: one"),
                (("append", one, "more", "--dry-run"), "Would change"), (("annotate", one, "more", "--dry-run"), "Would change"),
                (("restore", "two", "--as-of", "now", "--dry-run"), "Is so already: two"), (("caldav", "--clients"), "No client"),
                (("backup", backup), "Backed up to"), (("backup", "--verify", backup + "-2"), "found whole")):
            said = self.said(*words)
            self.assertIn("read from a copy, as ", said, words)
            self.assertIn(reason, said, words)
            self.assertIn(told, said, words)
            self.assertEqual(files, self.files(), words)
        said = self.said("why", "1", code=IO_ERROR)
        self.assertIn("to-dos have no numbers where the store cannot be written", said)
        self.assertNotIn("tandem-read-", said)
        # Under the same id, and not as a copy.
        self.assertEqual(before, {word: self.told(word) for word in before})
        for words in (("undo",), ("move", one, "--top"), ("doctor", "--fix"), ("resolve", one), ("devices", "--forget", "x"),
                      ("edit", one, "due:fri"), ("restore", "--from", "latest"), ("sync",), ("caldav", "--add-client", "x")):
            said = self.said(*words, code=IO_ERROR)
            self.assertIn(reason, said, words)
            if words not in (("doctor", "--fix"), ("restore", "--from", "latest")):
                self.assertIn("tandem backup FOLDER", said, words)
        self.assertEqual(files, self.files())
        self.assertEqual(["one", "two"], sorted(
            json.loads(line)["title"] for line in self.said("--store", backup, "export").splitlines()
            if line.startswith("{")))
        self.assertEqual([], os.listdir(self.scratch))

    def prepare(self):
        """A to-do that was looked at, a snapshot, and what is told before the store cannot be written any more."""
        self.todo = self.told("list", "one")[0]["id"]
        self.said("show", self.todo)
        self.said("devices")
        os.chmod(self.laptop.store + "/device.key", 0o644)
        self.said("doctor", "--fix")
        self.before = {word: self.told(word) for word in ("status", "doctor", "devices")}

    def test_everything_that_only_looks_runs_on_a_folder_that_cannot_be_written(self):
        self.prepare()
        os.chmod(self.laptop.store, 0o555)
        try:
            self.look_at_everything("check its permissions")
        finally:
            os.chmod(self.laptop.store, 0o700)

    def test_everything_that_only_looks_runs_on_a_read_only_disk(self):
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "none", disk], capture_output=True).returncode:
            self.skipTest("nothing can be mounted here")
        try:
            os.chmod(disk, 0o777)
            self.laptop.store = disk + "/laptop"
            for words in (("init",), ("add", "one"), ("add", "two")):
                self.said(*words)
            self.prepare()
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
            self.look_at_everything("mounted read-only")
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_the_doctor_names_the_way_on_where_a_damaged_store_cannot_be_written(self):
        store = self.laptop.store
        with open(store + "/store.db", "r+b") as file:
            file.seek(4096 * 20)
            file.write(b"\xa5" * 4096 * 40)
        os.chmod(store, 0o555)
        try:
            said = self.said("doctor", code=BAD_DATA)
            # What it says to type does it.
            copy = os.path.join(self.folder, "copy")
            command = said[said.index("cp -r "):said.index(", then ")].replace("COPY", copy)
            subprocess.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", command], check=True)
        finally:
            os.chmod(store, 0o700)
        self.assertIn("store.db is damaged (", said)
        self.assertIn("check its permissions", said)
        self.assertNotIn("`tandem doctor`", said)
        self.assertIn("can be read", self.said("--store", copy, "doctor", code=NOTHING))

    def test_a_restore_from_the_trash_is_rehearsed(self):
        self.said("delete", "two")
        self.assertIn("Would restore: two", self.said("restore", "two", "--dry-run"))
        self.assertNotIn("two", self.said("list"))

    def test_a_store_on_a_read_only_disk_is_listed(self):
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "none", disk], capture_output=True).returncode:
            self.skipTest("nothing can be mounted here")
        try:
            # As a program that was killed left it: with a log beside the database.
            shutil.copytree(self.laptop.store, disk + "/laptop")
            subprocess.run(["chown", "-R", "nobody", disk + "/laptop"], check=True)
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
            self.laptop.store = disk + "/laptop"
            for words in (("list",), ("today",), ("week",), ("show", "two"), ("history", "one"),
                          ("export", "--format", "todotxt"), ("trash",), ("conflicts",)):
                code = NOTHING if words[0] in ("today", "trash", "conflicts") else OK
                done = self.said(*words, code=code)
                self.assertIn("mounted read-only", done, words)
            self.assertRegex(self.said("list"), r"[0-9a-f]{8}  two")
            self.assertIn("two", self.said("show", "two"))
            self.assertIn("mounted read-only", self.said("add", "three", code=IO_ERROR))
            self.assertIn("mounted read-only", self.said("done", "1", code=IO_ERROR))
            left = [name for name in os.listdir("/tmp") if name.startswith("tandem-read-")]
            self.assertEqual([], left)
        finally:
            subprocess.run(["umount", disk], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
