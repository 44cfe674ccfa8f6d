"""What keeps people from harm: deletes that wait until they are confirmed, backups that are read back, a doctor that mends."""

import os
import re
import sqlite3
import stat

import tandem_process as tandem
import test_daemon
from relay_case import RelayTestCase


def fill(device, count, name="Item"):
    """Makes so many to-dos at once."""
    lines = "".join("{} {}\n".format(name, number) for number in range(count))
    device.run("add", "-", text=lines)


def emptied_beside_daemons(case):
    """A laptop, and a phone that deletes all forty to-dos of the two, each with a daemon."""
    laptop, phone = case.paired()
    fill(laptop, 40)
    case.daemon(laptop)
    case.daemon(phone)
    case.eventually(lambda: len(phone.titles()) == 40)
    phone.delete(*[todo["id"] for todo in phone.todos()])
    return laptop, phone


class HeldDeletes(tandem.TandemTestCase):
    def emptied(self, count=40):
        """A laptop and a phone that were alike, before all was deleted on the phone."""
        laptop, phone = self.pair()
        fill(laptop, count)
        self.meet(laptop, phone)
        self.assertEqual(count, len(phone.titles()))
        phone.delete(*[todo["id"] for todo in phone.todos()])
        return laptop, phone

    def assertQuestionNamesTitles(self, device, question):
        """A question about the deletes of all 40 to-dos names three of them by their titles."""
        found = re.search("among them '([^']+)', '([^']+)', '([^']+)' and 37 more", question)
        self.assertIsNotNone(found, question)
        self.assertEqual(3, len(set(found.groups()) & set(device.titles())), question)

    def test_a_sync_by_hand_waits_for_a_word_and_then_takes_them(self):
        laptop, phone = self.emptied()
        laptop.add("My own")
        with phone.serve() as server:
            refused = laptop.sync(server.address, codes=(tandem.REFUSED,))
            self.assertIn("--accept-deletes", refused.errors)
            self.assertIn("phone would delete at least", refused.errors)
            self.assertRegex(refused.errors, "among them '[^']+', '[^']+', '[^']+' and 37 more")
            self.assertIn("tandem refuse-deletes phone", refused.errors)
            self.assertIn("tandem refuse-deletes phone\n", laptop.run("status").output)
            self.assertEqual(41, len(laptop.titles()))
            self.assertEqual(["My own"], phone.titles(), "this side's edits have left")
            status = laptop.status()
            self.assertFalse(status["green"])
            self.assertEqual("phone", status["held"][0]["device"])
            self.assertTrue(os.path.exists(status["held"][0]["snapshot"]))
            self.assertEqual(["phone"], status["held"][0]["by"])
            self.assertEqual(3, len(status["held"][0]["titles"]))
            self.assertIn("deletes are held", laptop.run("status", "--short").output)
            why = laptop.run("why", laptop.todos()[0]["id"]).output
            self.assertIn("tandem accept-deletes", why)
            laptop.run("sync", "--accept-deletes", server.address)
        self.assertEqual(["My own"], laptop.titles())
        self.assertEqual([], laptop.status()["held"])
        self.assertConverged(laptop, phone)
        # The list as it was.
        self.assertIn("40 to-dos come back", laptop.run(
            "restore", "--from", "latest", "--dry-run").output)
        laptop.run("restore", "--from", "latest")
        self.assertEqual(41, len(laptop.titles()))
        self.meet(laptop, phone)
        self.assertEqual(41, len(phone.titles()))
        self.assertConverged(laptop, phone)

    def test_what_was_taken_is_told_beside_what_waits(self):
        # More than one batch, of which the first is more than half of them and less than four fifths.
        count = 6000
        laptop, phone = self.emptied(count)
        with phone.serve() as server:
            refused = laptop.sync(server.address, codes=(tandem.REFUSED,))
            self.assertIn("nothing of that was taken", refused.errors)
            self.assertEqual(count, len(laptop.titles()))
            laptop.run("accept-deletes", "--yes")
            refused = laptop.sync(server.address, codes=(tandem.REFUSED,))
            taken = count - len(laptop.titles())
            self.assertGreater(taken, count // 2)
            told = "{} were taken as accepted; the rest waits until you confirm it".format(taken)
            self.assertIn(told, refused.errors)
            self.assertNotIn("nothing of that was taken", refused.errors)
            self.assertIn(told, laptop.run("status").output)
            self.assertEqual(taken, laptop.status()["held"][0]["taken"])
            self.assertIn(told, laptop.run("accept-deletes", "--yes").output)
            laptop.sync(server.address)
        self.assertEqual([], laptop.titles())

    def test_who_is_called_holds_them_and_the_caller_is_told(self):
        laptop, phone = self.emptied()
        with laptop.serve() as server:
            told = phone.sync(server.address, codes=(tandem.REFUSED,))
            self.assertIn("held until you confirm it", told.errors)
            self.assertIn("on laptop, run: tandem accept-deletes", told.errors)
        self.assertEqual(40, len(laptop.titles()))
        laptop.run("accept-deletes", "nobody", codes=(tandem.NOTHING,))
        asked = laptop.run("accept-deletes", codes=(tandem.REFUSED,))
        self.assertQuestionNamesTitles(laptop, asked.output)
        self.assertIn("Accept these deletes?", asked.errors)
        self.assertQuestionNamesTitles(
            laptop, laptop.run("refuse-deletes", codes=(tandem.REFUSED,)).output)
        accepted = laptop.run("accept-deletes", "phone", "--yes").output
        self.assertQuestionNamesTitles(laptop, accepted)
        self.assertIn("snapshots/", accepted)
        laptop.run("accept-deletes", "--yes", codes=(tandem.NOTHING,))
        self.meet(laptop, phone)
        self.assertEqual([], laptop.titles())

    def test_taken_back_where_they_were_made_nothing_waits_any_more(self):
        laptop, phone = self.emptied()
        with phone.serve() as server:
            laptop.sync(server.address, codes=(tandem.REFUSED,))
        phone.run("undo")
        self.meet(laptop, phone)
        self.assertEqual(40, len(phone.titles()))
        self.assertEqual([], laptop.status()["held"])
        self.assertConverged(laptop, phone)


class HeldByDaemon(RelayTestCase):
    daemon, end = test_daemon.Daemon.daemon, test_daemon.Daemon.end
    eventually, green = test_daemon.Daemon.eventually, test_daemon.Daemon.green

    def test_a_daemon_holds_them_goes_on_sending_and_takes_them_when_told(self):
        laptop, phone = emptied_beside_daemons(self)
        held = self.eventually(lambda: laptop.status()["held"])
        self.assertEqual(40, held[0]["of"])
        self.assertFalse(self.green(laptop))
        kept = len(laptop.titles())
        self.assertGreaterEqual(kept, 20)
        laptop.add("My own")
        self.eventually(lambda: phone.titles() == ["My own"])
        self.assertEqual(kept + 1, len(laptop.titles()))
        laptop.run("accept-deletes", "--yes")
        self.eventually(lambda: laptop.titles() == ["My own"])
        self.eventually(lambda: self.green(laptop) and self.green(phone))
        self.assertConverged(laptop, phone)


class Copies(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()
        self.backup = os.path.join(self.folder, "backup")

    def test_a_backup_is_read_back_and_single_to_dos_come_back_from_it(self):
        laptop = self.laptop
        milk = laptop.add("Milk", "project:Home", "+shop")
        bread = laptop.add("Bread", "project:Home")
        roof = laptop.add("Roof", "project:House")
        made = laptop.run("backup", self.backup, "--verify").output
        self.assertIn("found whole", made)
        laptop.edit(milk, "Oat milk", "-shop")
        laptop.delete(bread, roof)
        laptop.purge(roof)
        laptop.add("Later")
        checked = laptop.run("restore", "--from", self.backup, "--verify", "--json").values()[0]
        self.assertEqual([bread.replace("-", "")], [i.replace("-", "") for i in checked["deleted"]])
        self.assertEqual(1, len(checked["purged"]))
        self.assertEqual(1, len(checked["changed"]))
        self.assertEqual(1, len(checked["later"]))
        self.assertEqual(["Later", "Oat milk"], laptop.titles(), "nothing was changed")
        laptop.run("restore", "--from", self.backup, "project:House")
        self.assertEqual(["Later", "Oat milk", "Roof"], laptop.titles())
        laptop.run("restore", "--from", self.backup)
        self.assertEqual(["Bread", "Later", "Milk", "Roof"], laptop.titles())
        self.assertEqual(["shop"], laptop.show(milk)["tags"])
        laptop.run("undo")
        self.assertEqual(["Later", "Oat milk", "Roof"], laptop.titles())
        laptop.run("restore", "--from", self.backup, "--exact", "project:Home", "--yes")
        self.assertIn("Bread", laptop.titles())
        leftover = [name for name in os.listdir(laptop.store) if name.startswith("scratch")]
        self.assertEqual([], leftover)

    def test_what_is_no_backup_is_told_apart(self):
        laptop = self.laptop
        laptop.add("Milk")
        laptop.run("restore", "--from", "/nowhere", codes=(tandem.NO_INPUT,))
        laptop.run("restore", "--from", "latest", codes=(tandem.NO_INPUT,))
        laptop.run("restore", "--from", "7", codes=(tandem.NO_INPUT,))
        laptop.run("restore", "--list", codes=(tandem.NOTHING,))
        laptop.run("restore", "--verify", codes=(tandem.USAGE,))
        text = os.path.join(self.folder, "text")
        with open(text, "w") as file:
            file.write("no store at all")
        told = laptop.run("restore", "--from", text, codes=(tandem.CONFIGURATION,))
        self.assertIn("is no tandem store", told.errors)
        other = self.device("other")
        other.init()
        told = laptop.run("restore", "--from", other.store, codes=(tandem.REFUSED,))
        self.assertIn("another space", told.errors)
        laptop.run("backup", self.backup)
        with sqlite3.connect(os.path.join(self.backup, "store.db")) as file:
            file.execute("update todo_record set title = 'forged'")
        told = laptop.run("restore", "--from", self.backup, codes=(tandem.BAD_DATA,))
        self.assertIn("damaged", told.errors)
        self.assertEqual(["Milk"], laptop.titles())


class Doctor(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def repaired(self, *words):
        """Finds something, mends it, and finds nothing the second time."""
        laptop = self.laptop
        found = laptop.run("doctor", codes=(tandem.OK, tandem.NOTHING))
        for word in words:
            self.assertIn(word, found.output)
        self.assertIn("tandem doctor --fix", found.output)
        fixed = laptop.run("doctor", "--fix", "--yes")
        self.assertIn("a snapshot was made", fixed.errors)
        self.assertIn("All is well.", fixed.output)
        again = laptop.run("doctor").output
        for word in words:
            self.assertNotIn(word, again)
        return found.code

    def test_sums_that_do_not_fit_are_counted_anew(self):
        laptop = self.laptop
        laptop.add("Milk")
        with sqlite3.connect(laptop.database()) as file:
            file.execute("update replica set checksum = zeroblob(16) where number <= 0")
        self.assertEqual(tandem.NOTHING, self.repaired("the sums kept along do not fit"))
        self.assertEqual(["Milk"], laptop.titles())

    def test_a_row_that_was_lost_comes_back_from_another_device(self):
        laptop, phone = self.laptop, self.device("phone")
        milk = laptop.add("Milk")
        laptop.add("Bread")
        with laptop.serve() as server:
            phone.join(server.address)
        with sqlite3.connect(laptop.database()) as file:
            file.execute("delete from todo_record where title = 'Milk'")
        self.repaired("the sums kept along do not fit")
        self.meet(laptop, phone)
        self.assertEqual(["Bread", "Milk"], laptop.titles())
        self.assertEqual("Milk", laptop.show(milk)["title"])
        self.assertConverged(laptop, phone)

    def test_keys_that_others_may_read(self):
        key = os.path.join(self.laptop.store, "device.key")
        if not os.path.exists(key):
            self.skipTest("built without encryption")
        os.chmod(key, 0o644)
        self.assertEqual(tandem.NOTHING, self.repaired("device.key may be read by others"))
        self.assertEqual(0o600, stat.S_IMODE(os.stat(key).st_mode))

    def test_what_killed_programs_left_behind(self):
        laptop = self.laptop
        old = os.path.join(laptop.store, "identity.new")
        young = os.path.join(laptop.store, "listing.new")
        scratch = os.path.join(laptop.store, "scratch-4194000")
        for path in (old, young):
            with open(path, "w") as file:
                file.write("x")
        os.utime(old, (0, 0))
        os.mkdir(scratch)
        with open(os.path.join(scratch, "store.db"), "w") as file:
            file.write("x")
        self.assertEqual(tandem.OK, self.repaired("identity.new", "scratch-4194000"))
        self.assertFalse(os.path.exists(old))
        self.assertFalse(os.path.exists(scratch))
        self.assertTrue(os.path.exists(young), "somebody may be writing it")

    def test_to_dos_that_are_there_twice_and_parts_of_what_is_gone(self):
        laptop = self.laptop
        first = laptop.add("Milk", "+errand")
        laptop.add("Milk", "+shop")
        whole = laptop.add("Whole")
        part = laptop.add("Part", "parent:" + whole)
        laptop.delete(whole)
        laptop.restore(part)
        told = laptop.run("doctor").output
        self.assertIn("no damage: 1 title on more than one to-do", " ".join(told.split()))
        self.assertIn("The store has no damage.", told)
        self.assertNotIn("All is well", told)
        self.assertNotIn("To repair", told)
        left = laptop.run("doctor", "--fix")
        self.assertIn("left as it is", left.errors)
        self.assertIn("tandem doctor --fix --yes", left.errors)
        self.assertEqual(["Milk", "Milk", "Part"], laptop.titles())
        self.assertEqual(
            tandem.OK, self.repaired("on more than one to-do", "part of one that is deleted"))
        self.assertEqual(["Milk", "Part"], laptop.titles())
        self.assertEqual(["errand", "shop"], laptop.show(first)["tags"])
        self.assertNotIn("Whole", laptop.run("show", part).output)
        laptop.run("undo")
        laptop.run("undo")
        self.assertEqual(["Milk", "Milk", "Part"], laptop.titles())
