"""What a newcomer types and expects: prompts, words for slips, and no more traffic than is needed."""

import fcntl
import os
import pty
import re
import select
import shutil
import socket
import struct
import subprocess
import termios
import threading
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from tandem_process import BINARY, TandemTestCase

WAIT_SECONDS = 30


class Typist:
    """A command on a terminal, and somebody who types."""

    def __init__(self, device, *words, columns=80):
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        self.main, self.shown = main, ""
        self.process = subprocess.Popen(
            [BINARY, *words], env=dict(device.environment(), TERM="xterm"), stdin=side, stdout=side,
            stderr=side, start_new_session=True)
        os.close(side)

    def wait_for(self, text):
        until = time.monotonic() + WAIT_SECONDS
        while text not in self.shown:
            if time.monotonic() > until or not self.read():
                raise AssertionError("{!r} is not shown:\n{}".format(text, self.shown))

    def type(self, text):
        os.write(self.main, text.encode())

    def read(self):
        if not select.select([self.main], [], [], 1)[0]:
            return True
        try:
            got = os.read(self.main, 65536)
        except OSError:
            return False
        self.shown += got.decode(errors="replace").replace("\r\n", "\n")
        return bool(got)

    def end(self):
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until and self.read():
            pass
        os.close(self.main)
        if self.process.poll() is None:
            try:
                self.process.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise
        return self.process.returncode


class JoiningTests(RelayTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.device("laptop"), self.device("phone")
        self.laptop.init()
        self.laptop.add("Buy milk")

    def invite(self):
        """A code that admits whoever comes first."""
        return self.laptop.invite("--relay", self.relay.told["relay"])

    def test_the_code_is_typed_on_one_screen_and_six_digits_on_the_other(self):
        for words in (("join",), ("join", "-")):
            inviting = Typist(self.laptop, "invite", "--relay", self.relay.told["relay"])
            inviting.wait_for("type them here.")
            self.assertIn("`tandem join`; it asks", inviting.shown)
            self.assertIn("tandem join -", inviting.shown)
            code = re.search(r"^  (\S+/[0-9A-Z-]+)$", inviting.shown, re.M)[1]
            typist = Typist(self.device("by-" + words[-1]), *words)
            typist.wait_for("ends:")
            # A slip, and then all of it again, in halves and small letters.
            typist.type(code[:-4] + ("0" if code[-4] != "0" else "1") + code[-3:] + "\n")
            typist.wait_for("the code is mistyped")
            typist.type(code[:40] + "\n" + code[40:].lower() + "\n")
            typist.wait_for("on the other device: ")
            typist.wait_for("\n")
            inviting.wait_for("asks to join")
            inviting.type("000 000\n")
            inviting.wait_for("tries left: 2")
            digits = re.search(r"on the other device: (\d{3} \d{3})", typist.shown)[1]
            inviting.type(digits + "\n")
            self.assertEqual(tandem.OK, typist.end(), typist.shown)
            self.assertIn("1 to-do pending", typist.shown)
            self.assertEqual(tandem.OK, inviting.end(), inviting.shown)
            self.assertIn("Joined: ", inviting.shown)

    def test_a_prompt_that_gets_no_code_changes_nothing(self):
        code = self.invite()
        typist = Typist(self.phone, "join")
        typist.wait_for("ends:")
        typist.type("\n")
        self.assertEqual(tandem.NOTHING, typist.end(), typist.shown)
        typist = Typist(self.phone, "join")
        typist.wait_for("ends:")
        typist.type(code[:40] + "\n\n")
        self.assertEqual(tandem.BAD_DATA, typist.end(), typist.shown)
        self.assertIn("the end of the code is missing", typist.shown)
        self.assertFalse(os.path.exists(self.phone.store))

    def test_a_name_given_to_a_store_that_is_there_renames_it(self):
        self.phone.init()
        self.phone.add("Water the flowers")
        self.phone.run("join", self.invite(), "--name", "tablet")
        self.assertEqual("tablet", self.phone.status()["device"])
        self.laptop.run("sync")
        self.assertIn("tablet", self.laptop.run("devices").output)
        # Without it the name stays.
        self.phone.run("join", self.invite(), "--merge")
        self.assertEqual("tablet", self.phone.status()["device"])

    def test_a_code_is_found_among_other_lines_and_lines_without_one_are_told(self):
        text = "On the other device type `tandem join`\n\n  {}\n\nGood for one device\n"
        none = self.phone.run(
            "join", "-", text="see this\nit is no code/at all\n", codes=(tandem.BAD_DATA,))
        self.assertIn("has 2 lines and none of them is a code", none.errors)
        self.assertFalse(os.path.exists(self.phone.store))
        self.phone.run("join", "-", text=text.format(self.invite()))
        self.assertEqual(["Buy milk"], self.phone.titles())

    def test_a_copy_without_keys_is_not_green_and_sync_says_the_same(self):
        self.phone.run("join", self.invite())
        copy = self.device("copy")
        shutil.copytree(self.phone.store, copy.store)
        for name in ("device.key", "keyring"):
            os.remove(os.path.join(copy.store, name))
        status = copy.status()
        self.assertFalse(status["green"])
        words = "the keys of this space are on "
        self.assertIn(words, " ".join(copy.run("status").output.split()))
        self.assertIn(words, copy.run("sync", codes=(tandem.REFUSED,)).errors)
        self.assertTrue(self.phone.status()["green"])

    def test_a_purged_to_do_that_was_edited_is_called_that(self):
        self.phone.run("join", self.invite())
        cake = self.laptop.add("Cake")
        for device in (self.laptop, self.phone):
            device.run("sync")
        self.laptop.delete(cake)
        self.laptop.purge(cake)
        self.phone.edit(cake, "notes:with cream")
        for device in (self.phone, self.laptop):
            device.run("sync")
        shown = self.laptop.run("conflicts").output
        self.assertIn("a purged to-do", shown)
        self.assertNotIn("(no title)", shown + self.laptop.run("show", cake).output)

    def test_a_device_that_calls_itself_is_told_that(self):
        with self.laptop.serve() as server:
            refused = self.laptop.sync(server.address, codes=(tandem.REFUSED,))
        self.assertIn("a device called itself", refused.errors)
        self.assertIn("call another device", refused.errors)

    def test_a_store_of_another_space_is_called_that_with_the_next_step(self):
        one, other = self.device("one"), self.device("other")
        for device in (one, other):
            device.init(plain=True)
        with one.serve() as server:
            refused = other.sync(server.address, codes=(tandem.REFUSED,))
        self.assertIn("different spaces", refused.errors)
        self.assertIn("tandem invite on one and tandem join on the other", refused.errors)

    def test_without_a_terminal_it_is_told_how_to_hand_the_code_over(self):
        refused = self.phone.run("join", codes=(tandem.USAGE,))
        self.assertIn("tandem join CODE", refused.errors)
        self.assertIn("tandem join - <", refused.errors)
        refused = self.phone.run("join", "-", codes=(tandem.USAGE,))
        self.assertIn("tandem invite", refused.errors)
        self.phone.run("join", "-", text=self.invite() + "\n")
        self.assertEqual(["Buy milk"], self.phone.titles())

    def counted(self, way):
        """Bytes and changes that the relay sent or received so far."""
        text = self.relay.get("/metrics")[1]
        return [int(re.search(r"tandem_relay_{}_{}_total (\d+)".format(way, what), text)[1])
                for what in ("bytes", "changes")]

    def test_a_join_through_a_relay_fetches_the_space_once_and_sends_nothing_back(self):
        self.laptop.run("add", "-", text="".join(
            "To-do {} notes:{}\n".format(number, "x" * 300) for number in range(200)))
        code = self.invite()
        before = [self.counted(way) for way in ("sent", "received")]
        self.phone.run("join", "-", text=code)
        after = [self.counted(way) for way in ("sent", "received")]
        (byte_count, change_count), (back_byte_count, back_change_count) = (
            [new - old for new, old in zip(*counts)] for counts in zip(after, before))
        self.report("{} bytes, {} changes sent; {} and {} received".format(
            byte_count, change_count, back_byte_count, back_change_count))
        self.assertEqual(201, len(self.phone.titles()))
        # All to-dos and the laptop's own record, once; and the phone's record to the laptop that waits for it.
        self.assertLessEqual(change_count, 202 + 4)
        # The phone's own record, its state summary, the mailbox, and the laptop that looks whether the phone has come.
        self.assertLessEqual(back_change_count, 3)
        self.assertLessEqual(back_byte_count, 12000)
        self.assertEqual([], [name for name in os.listdir(self.phone.store) if "scratch" in name])

    def test_a_refused_join_leaves_a_folder_as_it_was(self):
        code = self.invite()
        self.phone.run("join", "-", text=code)
        self.laptop.invitations[-1].end()
        thief = self.device("thief")
        os.mkdir(thief.store)
        with open(os.path.join(thief.store, "notes"), "w") as file:
            file.write("mine")
        refused = thief.run("join", "-", text=code, codes=(tandem.REFUSED,))
        self.assertIn("no device waits with this code", refused.errors)
        self.assertEqual(["notes"], os.listdir(thief.store))

    def test_a_relay_is_no_device_to_join_from(self):
        address = self.relay.told["relay"]
        place = address[len("relay://"):]
        for words, code in (
                (("init", "--name", "phone", "--from", address), tandem.USAGE),
                (("init", "--name", "phone", "--from", place), tandem.REFUSED)):
            refused = self.phone.run(*words, codes=(code,))
            self.assertIn("relay", refused.errors)
            self.assertIn("tandem join", refused.errors)
            self.assertNotIn("approach", refused.errors)
            self.assertFalse(os.path.exists(os.path.join(self.phone.store, "store.db")))
        refused = self.laptop.run("sync", place, codes=(tandem.UNAVAILABLE,))
        self.assertIn("relay://", refused.errors)

    def test_a_relay_is_called_one_even_if_nobody_was_invited_over_it(self):
        self.laptop.run("sync", self.relay.told["relay"])
        told = self.laptop.run("status").output
        self.assertIn("relay 127.0.0.1:", told)
        self.assertNotIn("device ", told.replace("devices", ""))


    def test_a_pause_in_minutes_is_told_as_one_with_its_end(self):
        self.invite()
        process = self.laptop.start("daemon")
        try:
            until = time.monotonic() + WAIT_SECONDS
            while self.laptop.run("pause", "1s", codes=tandem.NAMED_CODES).code != tandem.OK:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            told = self.laptop.run("pause", "1m").output
            self.assertRegex(told, r"Paused for 1 minute, until .*\d\d:\d\d; sooner: tandem resume")
            self.assertIn("2 hours", self.laptop.run("pause", "--for", "2 hours").output)
        finally:
            process.terminate()
            process.wait(WAIT_SECONDS)
        for words in (("1mo",), ("--for", "1month"), ("1m", "--for", "2m"), ("8d",), ("-1m",), ("0m",)):
            refused = self.laptop.run("pause", *words, codes=(tandem.USAGE,))
            self.assertRegex(refused.errors, r"15m \(minutes\)|beside --for")


class WordsTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def shown(self, *words, columns=80):
        """What a command shows on a terminal."""
        typist = Typist(self.laptop, *words, columns=columns)
        code = typist.end()
        self.assertIn(code, (tandem.OK, tandem.NOTHING), typist.shown)
        return typist.shown

    def test_add_tells_what_it_understood_and_what_it_did_not(self):
        told = self.laptop.run("add", "Buy milk", "proj:Home", "+errand", "pri:H")
        self.assertIn("; project Home; +errand; priority high", told.output)
        self.assertEqual("", told.errors)
        told = self.laptop.run("add", "x", "list:Home")
        self.assertIn("'list:Home' is in the title", told.errors)
        told = self.laptop.run("add", "x proj:Home")
        self.assertIn("'proj:Home' is in the title, as it stands within quotes", told.errors)
        self.assertEqual("", self.laptop.run("add", "see", "https://x.org/a:b").errors)
        told = self.laptop.run("add", "Buy", "milk", "tomorrow", "5pm")
        self.assertIn(
            "'tomorrow 5pm' is in the title, and sets no date; next: tandem edit last '/ tomorrow 5pm//' due:'tomorrow 5pm'",
            told.errors)
        self.laptop.run("edit", "last", "/ tomorrow 5pm//", "due:tomorrow 5pm")
        self.assertIn("Buy milk", self.laptop.run("list", "due.any:").output)
        refused = self.laptop.run("add", "x", "blocks:3", codes=(tandem.USAGE,))
        self.assertIn("depends:3 lets it wait for 3", refused.errors)
        told = self.laptop.run("add", "-", text="one\ntwo list:x\n")
        self.assertIn("'list:x'", told.errors)
        told = self.laptop.run("add", "-", text="two list:x\n" * 9)
        self.assertEqual(6, len(told.errors.splitlines()))
        self.assertIn("and 4 words more like that", told.errors)

    def test_edit_tells_what_is_set_and_what_is_gone(self):
        todo = self.laptop.add("Buy milk", "project:Home", "due:2030-01-02")
        told = self.laptop.run("edit", todo, "project:", "due:", "+errand")
        self.assertIn("no due; no project; +errand", told.output)

    def test_a_list_of_nothing_names_what_there_is(self):
        self.laptop.add("Buy milk", "project:Home", "+errand", "people:Ann")
        self.laptop.add("Report", "project:Work.Reports")
        self.laptop.run("done", self.laptop.add("Old", "project:Past"))
        told = self.laptop.run("list", "project:Hoem", codes=(tandem.NOTHING,)).output
        self.assertIn(
            "Nothing matches project:Hoem; there is no project Hoem; projects: Home, Work.Reports", told)
        for words, part in (
                ("proj:report", "projects: Work.Reports, Home"), ("+errnd", "there is no tag errnd; tags: errand"),
                ("person:Bob", "there is no person Bob; people: Ann"), ("project:Past", "finished: 1, see --all"),
                ("unheard", "Nothing matches unheard in titles and notes;")):
            told = self.laptop.run("list", words, codes=(tandem.NOTHING,)).output
            self.assertIn(part, told)
        told = self.laptop.run("today", "project:Hoem", codes=(tandem.NOTHING,)).output
        self.assertIn("there is no project Hoem", told)
        refused = self.laptop.run("done", "--where", "project:Hoem", codes=(tandem.NOTHING,))
        self.assertIn("projects: Home", refused.errors)

    def test_two_devices_do_not_get_one_name(self):
        phone, tablet = self.device("phone"), self.device("tablet")
        with self.laptop.serve() as server:
            phone.join(server.address)
        refused = phone.run("rename", "Laptop", codes=(tandem.REFUSED,))
        self.assertIn("another device of this space is called laptop", refused.errors)
        phone.run("rename", "  ", codes=(tandem.USAGE,))
        phone.run("rename", "phone")
        self.assertNotIn("another device", phone.run("devices").output)
        with self.laptop.serve() as server:
            tablet.run("init", "--name", "phone", "--from", server.address)
            tablet.sync(server.address)
        self.assertIn("another device is called phone, too", tablet.run("devices").output)

    def test_an_edit_of_what_is_over_says_so(self):
        todo = self.laptop.add("Buy milk")
        self.laptop.done(todo)
        self.assertIn("Changed: Buy milk (completed)", self.laptop.run("edit", todo, "+errand").output)
        self.laptop.run("reopen", todo)
        self.assertNotIn("completed", self.laptop.run("edit", todo, "+home").output)

    def test_a_connection_that_nobody_answers_is_not_one_that_broke(self):
        path = self.laptop.store + ".sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        listener.settimeout(20)

        def close_first():
            connection, _ = listener.accept()
            connection.recv(4096)
            connection.close()

        caller = threading.Thread(target=close_first)
        caller.start()
        told = self.laptop.run("sync", "unix:" + path, codes={tandem.UNAVAILABLE}).errors
        caller.join()
        listener.close()
        self.assertIn("before anybody answered", told)

    def test_undo_tells_what_is_true_now(self):
        todo = self.laptop.add("Buy milk", "due:2030-01-02")
        self.laptop.edit(todo, "due:2030-02-03")
        told = self.laptop.run("undo").output
        self.assertIn("Undone: Buy milk: due is Wed 2 Jan 2030 again (was: Sun 3 Feb 2030)", told)
        self.assertIn("Done again: Buy milk: due is Sun 3 Feb 2030 again", self.laptop.run("redo").output)
        self.laptop.edit(todo, "+errand")
        self.assertIn("Undone: Buy milk: tags: has not errand", self.laptop.run("undo").output)
        self.laptop.delete(todo)
        self.assertIn("Undone: Buy milk: it is in the list again", self.laptop.run("undo").output)
        self.laptop.done(todo)
        self.assertIn("Undone: Buy milk: status is pending again (was: completed)", self.laptop.run("undo").output)
        self.laptop.edit(todo, "project:Home")
        self.assertIn("Undone: Buy milk: it has no project again (was: Home)", self.laptop.run("undo").output)
        self.laptop.add("Second")
        self.assertIn("Undone: Second: it was added by that, and is in the trash now", self.laptop.run("undo").output)

    def test_a_table_without_titles_is_refused_with_the_columns_that_are_known(self):
        path = os.path.join(self.folder, "list.csv")
        with open(path, "w") as file:
            file.write("Task,Due\nBuy milk,2030-01-01\n")
        refused = self.laptop.run("import", path, codes=(tandem.BAD_DATA,))
        self.assertIn("no column 'title', but 'Task', 'Due'; columns known are id, title, status", refused.errors)

    def test_no_word_is_broken_at_the_edge_of_a_screen(self):
        for words in ((), ("help", "relay"), ("add", "x", "rec:monthly"), ("invite",), ("sync",),
                      ("add", "Buy", "milk", "due:2030-01-02T10:00", "project:Home.Kitchen.Shelf", "+errand", "+shop"),
                      ("list", "due:someday soon")):
            typist = Typist(self.laptop, *words)
            typist.end()
            for line in typist.shown.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_words_of_a_title_name_one_to_do_and_of_several_none(self):
        self.laptop.add("Buy milk")
        self.laptop.add("Buy bread")
        refused = self.laptop.run("done", "buy", codes=(tandem.USAGE,))
        for shown in ("Buy milk", "Buy bread"):
            self.assertIn(shown, refused.errors)
        self.assertIn("Done: Buy milk", self.laptop.run("done", "milk").output)
        refused = self.laptop.run("done", "cheese", codes=(tandem.NOTHING,))
        self.assertIn("tandem list --all cheese", refused.errors)
        refused = self.laptop.run("restore", "latest", codes=(tandem.USAGE,))
        self.assertIn("tandem restore --from latest", refused.errors)

    def test_columns_that_nobody_knows_are_told(self):
        path = os.path.join(self.folder, "list.csv")
        with open(path, "w") as file:
            file.write("title,Prio,x.Size\nBuy milk,1,2\n")
        told = "fields of your own: x.Prio; --map 'Prio=FIELD' says what one is\n"
        self.assertIn(told, self.laptop.run("import", path, "--dry-run").output)
        self.assertIn(told, self.laptop.run("import", path).output)

    def test_a_file_behind_export_is_no_filter(self):
        self.laptop.add("Buy milk")
        told = self.laptop.run("export", "--format", "todo.txt", "list.txt")
        self.assertIn("tandem export > list.txt", told.errors)
        self.assertIn("Buy milk", self.laptop.run("export", "--format", "iCalendar").output)

    def test_a_backup_where_one_is_says_what_to_do(self):
        copy = os.path.join(self.folder, "copy")
        self.laptop.run("backup", copy)
        refused = self.laptop.run("backup", copy, codes=(tandem.REFUSED,))
        self.assertIn("take another folder", refused.errors)

    def test_resolve_of_what_is_no_conflict_names_it(self):
        todo = self.laptop.add("Buy milk")
        refused = self.laptop.run("resolve", todo, "--mine", codes=(tandem.NOTHING,))
        self.assertEqual(refused.errors, self.laptop.run("resolve", todo, codes=(tandem.NOTHING,)).errors)
        self.assertIn("'Buy milk'", refused.errors)
        self.assertIn("tandem conflicts", refused.errors)

    def test_a_long_project_is_cut_and_its_column_stays(self):
        self.laptop.add("Buy milk", "project:Home", "+errand")
        self.laptop.add("Report", "project:Work.Reports.Quarterly.Drafts.Of.The.Board", "due:2030-01-01")
        self.laptop.add("会議", "project:とても長いプロジェクトの名前です🌱🌱🌱🌱")
        lines = self.shown("list").splitlines()
        self.assertTrue(any(re.search(r"Report .*Work\.Reports\.Quarte\S*…", line) for line in lines), lines)
        self.assertTrue(any("Buy milk" in line and "Home" in line and "+errand" in line for line in lines), lines)
        self.assertTrue(any("とても長い" in line and "…" in line for line in lines), lines)
        # Where there is room nothing is cut.
        wide = self.shown("list", columns=200)
        self.assertIn("Work.Reports.Quarterly.Drafts.Of.The.Board", wide)
        self.assertNotIn("…", wide)

    def test_a_week_names_its_columns_alike_on_screens_of_all_widths(self):
        self.laptop.add("Report", "due:today", "project:Work")
        for columns, word in ((40, "acc."), (100, "accomplished")):
            told = self.shown("week", columns=columns)
            self.assertGreaterEqual(told.count(word), 2, told)
            self.assertNotIn("done", told)
            self.assertTrue(all(len(line) <= columns for line in told.splitlines()), told)

    def test_a_restore_counts_in_words_that_fit(self):
        kept = self.laptop.add("kept")
        self.laptop.add("other")
        copy = os.path.join(self.folder, "copy")
        self.laptop.run("backup", copy)
        self.laptop.delete(kept)
        self.laptop.add("later")
        told = self.laptop.run("restore", "--from", copy, "--dry-run").output
        self.assertIn("1 to-do comes back from the trash", told)
        self.assertIn("1 to-do stays as here: made after the copy", told)
        self.assertIn("1 to-do is the same in both", told)


if __name__ == "__main__":
    unittest.main()
