"""A thief has a device of the space and deletes everything: the owner takes it out, and keeps the to-dos."""

import os
import time

import tandem_process as tandem
import test_daemon
import test_revoking
from relay_case import RelayTestCase
from test_safety import fill

COUNT = 40


def delete_all(device):
    device.delete(*[todo["id"] for todo in device.todos()])


def green(device):
    return device.run("status", "--short").output.strip() == "green"


class ThroughARelay(RelayTestCase):
    daemon, end = test_daemon.Daemon.daemon, test_daemon.Daemon.end
    eventually = test_daemon.Daemon.eventually

    def robbed(self, third="tablet"):
        """A laptop and a tablet with all to-dos, and a phone that has deleted them at the relay."""
        laptop, phone = self.paired()
        tablet = self.device(third)
        code = laptop.invite("--relay", self.relay.told["relay"])
        tablet.run("join", code, "--name", third)
        fill(laptop, COUNT)
        for device in (laptop, phone, tablet, laptop):
            device.run("sync")
        self.assertEqual(COUNT, len(phone.titles()))
        delete_all(phone)
        phone.run("sync")
        return laptop, phone, tablet

    def assertOut(self, phone):
        self.assertIn("this device was revoked", phone.run("sync", codes=(tandem.REFUSED,)).errors)

    def test_what_comes_behind_held_deletes_is_taken_back_by_the_same_command(self):
        laptop, phone = self.paired()
        fill(laptop, COUNT)
        for device in (laptop, phone, laptop):
            device.run("sync")
        before = sorted(laptop.titles())
        todos = phone.todos()
        for todo in todos[:3]:
            phone.edit(todo["id"], "title:Ruined " + todo["id"])
        phone.done(todos[1]["id"])
        phone.delete(*[todo["id"] for todo in todos[2:]])
        phone.add("Junk")
        phone.run("sync")
        taken = laptop.run("revoke", "phone", "--take-back", "--yes", "--json").values()[0]["takenBack"]
        self.assertEqual((0, 1), (taken["kept"], taken["deleted"]))
        self.assertEqual(before, sorted(laptop.titles()))
        self.assertTrue(green(laptop), laptop.run("status").output)
        self.assertOut(phone)

    def test_a_key_that_a_thief_has_revoked_goes_into_no_other_space(self):
        laptop, phone = self.paired()
        laptop.add("Typed on the laptop")
        laptop.run("sync")
        laptop.await_invitations()
        phone.run("revoke", "laptop", "--yes")
        self.assertOut(laptop)
        desk = self.device("desk")
        desk.init()
        code = desk.invite("--relay", self.relay.told["relay"])
        refused = laptop.run("join", code, "--merge", codes=(tandem.REFUSED,)).errors
        self.assertIn("this device was revoked", refused)
        os.remove(os.path.join(laptop.store, "device.key"))
        # The code was not used up.
        laptop.run("join", code, "--merge")
        desk.run("sync")
        self.assertIn("Typed on the laptop", desk.titles())

    def test_held_deletes_keep_nobody_from_revoking(self):
        laptop, phone, tablet = self.robbed()
        laptop.add("My own")
        laptop.run("sync", codes=(tandem.REFUSED,))
        self.assertEqual(COUNT, laptop.status()["held"][0]["of"] - 1)
        revoked = laptop.run("revoke", "phone", "--yes", "--json").values()[0]
        self.assertEqual([self.relay.told["relay"]], revoked["relays"])
        laptop.add("After the phone")
        laptop.run("sync")
        self.assertOut(phone)
        self.assertNotIn("After the phone", phone.titles())
        # The tablet has not met the relay since: the deletes are nowhere but on the phone.
        tablet.run("sync")
        self.assertEqual(COUNT + 2, len(tablet.titles()))
        self.assertFalse(green(laptop))
        self.assertIn("deletes are held: tandem status", laptop.run("list").output)
        laptop.run("refuse-deletes", "--yes")
        self.assertNotIn("held", laptop.run("list").output)
        for device in (laptop, tablet, laptop, tablet):
            device.run("sync")
        self.assertTrue(green(laptop), laptop.run("status").output)
        self.assertTrue(green(tablet), tablet.run("status").output)
        self.assertEqual(COUNT + 2, len(laptop.titles()))
        self.assertConverged(laptop, tablet)

    def test_a_device_that_took_the_deletes_gets_the_records_back(self):
        laptop, phone, tablet = self.robbed()
        tablet.run("sync", "--accept-deletes")
        self.assertEqual([], tablet.titles())
        laptop.run("sync", codes=(tandem.REFUSED,))
        laptop.run("revoke", "phone", "--yes")
        laptop.run("refuse-deletes", "--yes")
        # By the tablet the deletes come again: they are not held, and take nothing away.
        for device in (tablet, laptop, tablet, laptop):
            device.run("sync")
        self.assertEqual(COUNT, len(laptop.titles()))
        self.assertTrue(green(laptop), laptop.run("status").output)
        self.assertTrue(green(tablet), tablet.run("status").output)
        self.assertEqual([], laptop.conflicts())
        self.assertConverged(laptop, tablet)

    def test_refused_before_the_revocation_they_are_undone_for_the_thief_too(self):
        laptop, phone, tablet = self.robbed()
        laptop.run("sync", codes=(tandem.REFUSED,))
        laptop.run("refuse-deletes", "--yes")
        laptop.run("sync")
        self.assertEqual(COUNT, len(laptop.titles()))
        phone.run("sync")
        self.assertEqual(COUNT, len(phone.titles()))
        for device in (tablet, laptop, phone, tablet):
            device.run("sync")
        for device in (laptop, phone, tablet):
            self.assertTrue(green(device), device.run("status").output)
        self.assertConverged(laptop, phone, tablet)

    def test_two_that_hold_the_same_need_one_word_each(self):
        for word in ("accept-deletes", "refuse-deletes"):
            with self.subTest(word):
                laptop, phone, tablet = self.robbed("tablet-" + word)
                for device in (laptop, tablet, laptop):
                    device.run("sync", codes=(tandem.REFUSED,))
                for device in (laptop, tablet):
                    device.run(word, "--yes")
                for device in (laptop, tablet, laptop, tablet):
                    device.run("sync")
                for device in (laptop, tablet):
                    self.assertTrue(green(device), device.run("status").output)
                self.assertEqual(
                    0 if word == "accept-deletes" else COUNT, len(laptop.titles()))
                self.assertConverged(laptop, tablet, may_be_empty=True)
                self.relay.end()
                self.setUp()

    def held_by_two(self, third):
        """A laptop and another device that hold the same deletes of the phone."""
        laptop, phone, tablet = self.robbed(third)
        for device in (laptop, tablet, laptop):
            device.run("sync", codes=(tandem.REFUSED,))
        return laptop, tablet

    def refuse_on_the_first_alone(self, laptop, tablet):
        """Refuses the deletes on the laptop; the tablet needs no word of its own, and nothing is lost on either."""
        laptop.run("refuse-deletes", "--yes")
        for device in (laptop, tablet, laptop, tablet):
            device.run("sync")
        for device in (laptop, tablet):
            self.assertTrue(green(device), device.run("status").output)
            self.assertEqual(COUNT, len(device.titles()))
        self.assertConverged(laptop, tablet)

    def test_one_refusal_alone_makes_both_green(self):
        laptop, tablet = self.held_by_two("tablet")
        self.refuse_on_the_first_alone(laptop, tablet)

    def test_one_refusal_alone_makes_both_green_after_the_thief_is_revoked(self):
        laptop, tablet = self.held_by_two("tablet")
        laptop.run("revoke", "phone", "--yes")
        for device in (tablet, laptop):
            device.run("sync", codes=tandem.NAMED_CODES)
        self.refuse_on_the_first_alone(laptop, tablet)

    def test_the_question_names_what_a_refusal_brings_back_too(self):
        laptop, phone = self.paired()
        fill(laptop, COUNT)
        laptop.add("Wrong idea")
        for device in (laptop, phone):
            device.run("sync")
        laptop.delete("Wrong idea")
        for device in (laptop, phone):
            device.run("sync")
        delete_all(laptop)
        laptop.run("sync")
        phone.run("sync", codes=(tandem.REFUSED,))
        told = " ".join(phone.run("refuse-deletes", codes=(tandem.REFUSED,)).output.split())
        self.assertIn("deleted here already, and back with a refusal: 'Wrong idea'", told)
        self.assertRegex(told, r"would delete at least (\d+) of \1 to-dos")
        self.assertEqual(["Wrong idea"], phone.status()["held"][0]["takenTitles"])

    def test_one_acceptance_alone_deletes_nothing_on_the_other_device_and_both_name_it(self):
        # Else whoever has one device of the space could empty all others by that word.
        laptop, tablet = self.held_by_two("tablet")
        laptop.run("accept-deletes", "--yes")
        for _ in range(2):
            laptop.run("sync")
            tablet.run("sync", codes=(tandem.REFUSED,))
        self.assertEqual((0, COUNT), (len(laptop.titles()), len(tablet.titles())))
        self.assertIn("tablet holds deletes", laptop.run("status", "--short").output)
        self.assertIn("deletes are held", tablet.run("status", "--short").output)
        tablet.run("accept-deletes", "--yes")
        for device in (tablet, laptop):
            device.run("sync")
        for device in (laptop, tablet):
            self.assertTrue(green(device), device.run("status").output)
        self.assertConverged(laptop, tablet, may_be_empty=True)

    def test_a_daemon_that_holds_deletes_brings_the_new_secret(self):
        laptop, phone, tablet = self.robbed()
        self.daemon(laptop)
        self.eventually(lambda: laptop.status()["held"])
        laptop.run("revoke", "phone", "--yes", "--no-sync")
        self.eventually(lambda: "revoked" in phone.run(
            "sync", codes=(tandem.OK, tandem.REFUSED)).errors)
        laptop.add("After the phone")
        self.daemon(tablet)
        self.eventually(lambda: "After the phone" in tablet.titles())
        self.assertNotIn("After the phone", phone.titles())
        laptop.run("refuse-deletes", "--yes")
        self.eventually(lambda: green(laptop) and green(tablet))
        self.assertEqual(COUNT + 1, len(laptop.titles()))
        self.assertConverged(laptop, tablet)


class Direct(tandem.TandemTestCase):
    paired = test_revoking.Revoking.paired

    def robbed(self):
        laptop, phone, tablet = self.paired("laptop", "phone", "tablet")
        fill(laptop, COUNT)
        self.meet(laptop, phone)
        self.meet(laptop, tablet)
        delete_all(phone)
        return laptop, phone, tablet

    def sync(self, device, host):
        with host.serve() as server:
            return device.sync(server.address, codes=(tandem.OK, tandem.REFUSED)).code

    def test_held_deletes_keep_nobody_from_revoking_whoever_calls(self):
        laptop, phone, tablet = self.robbed()
        laptop.add("My own")
        self.assertEqual(tandem.REFUSED, self.sync(laptop, phone))
        self.assertEqual(tandem.REFUSED, self.sync(phone, laptop))
        laptop.run("revoke", "phone", "--yes")
        self.assertEqual(tandem.REFUSED, self.sync(phone, laptop))
        self.meet(laptop, tablet)
        self.assertEqual(tandem.REFUSED, self.sync(phone, tablet))
        self.assertEqual(COUNT + 1, len(tablet.titles()))
        laptop.run("refuse-deletes", "phone", "--yes")
        self.meet(laptop, tablet)
        for device in (laptop, tablet):
            self.assertTrue(green(device), device.run("status").output)
        self.assertConverged(laptop, tablet)

    def test_what_was_purged_comes_back_too(self):
        laptop, phone, tablet = self.robbed()
        for todo in tablet.live()[:COUNT]:
            tablet.purge(todo["id"], force=True)
        self.assertEqual(tandem.REFUSED, self.sync(laptop, tablet))
        laptop.run("refuse-deletes", "--yes")
        self.meet(laptop, tablet)
        self.assertEqual(COUNT, len(laptop.titles()))
        self.meet(laptop, tablet)
        self.assertConverged(laptop, tablet)

    def ruin(self, phone, junk=3):
        """The thief rewrites every to-do, deletes all, and creates some of its own."""
        for number, todo in enumerate(phone.todos()):
            phone.edit(todo["id"], "title:Ruined {}".format(number))
        delete_all(phone)
        for number in range(junk):
            phone.add("Junk {}".format(number))

    def test_what_a_thief_did_is_taken_back(self):
        laptop, phone, tablet = self.paired("laptop", "phone", "tablet")
        fill(laptop, 12)
        self.meet(laptop, phone)
        self.meet(laptop, tablet)
        before = sorted(laptop.titles())
        self.ruin(phone)
        self.meet(laptop, phone)
        self.meet(laptop, tablet)
        tablet.add("The tablet's own")
        junk = next(todo for todo in tablet.live() if todo["title"] == "Junk 1")
        tablet.edit(junk["id"], "project:Kept")
        self.meet(laptop, tablet)
        question = laptop.run("revoke", "phone", "--take-back", codes=(tandem.REFUSED,)).errors
        self.assertIn("12 to-dos restored, 2 to-dos of its own deleted", question)
        self.assertEqual(4, len(laptop.titles()))
        taken = laptop.run("revoke", "phone", "--take-back", "--yes", "--json").values()[0]
        self.assertEqual(
            {"restored": 12, "deleted": 2, "values": 12, "kept": 1,
             "lost": {"purged": 0, "not-in-journal": 0, "over-limit": 0}},
            taken["takenBack"])
        self.meet(laptop, tablet)
        for device in (laptop, tablet):
            self.assertEqual(
                sorted(before + ["The tablet's own", "Junk 1"]), sorted(device.titles()))
            self.assertEqual([], device.conflicts())
        self.assertConverged(laptop, tablet)
        again = laptop.run("revoke", "phone", "--take-back", "--yes").output
        self.assertIn("Undone: nothing", again)
        laptop.run("revoke", "phone", "--yes", codes=(tandem.NOTHING,))
        laptop.run("undo")
        self.assertEqual(4, len(laptop.titles()))

    def test_with_a_date_what_the_device_did_before_stays(self):
        laptop, phone = self.paired("laptop", "phone")
        fill(laptop, 3)
        self.meet(laptop, phone)
        own = phone.add("The owner's, on the phone")
        phone.edit(phone.todos()[0]["id"], "project:Home")
        self.meet(laptop, phone)
        before = sorted(laptop.titles())
        time.sleep(2)
        stolen = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        time.sleep(1)
        phone.edit(own, "title:Ruined")
        phone.add("Junk")
        self.meet(laptop, phone)
        alone = laptop.run("revoke", "phone", "--since", stolen, codes=(tandem.USAGE,)).errors
        self.assertIn("--since goes with --take-back", alone)
        words = ("revoke", "phone", "--take-back", "--since", stolen)
        self.assertIn(", since ", laptop.run(*words, codes=(tandem.REFUSED,)).errors)
        taken = laptop.run(*words, "--yes", "--json").values()[0]["takenBack"]
        self.assertEqual((0, 1, 1), (taken["restored"], taken["deleted"], taken["values"]))
        self.assertEqual(before, sorted(laptop.titles()))
        self.assertEqual(1, sum(todo.get("project") == "Home" for todo in laptop.todos()))

    def test_held_deletes_and_deletes_that_come_later_by_another_way_are_taken_back(self):
        laptop, phone, tablet = self.robbed()
        self.assertEqual(tandem.REFUSED, self.sync(laptop, phone))
        with phone.serve() as server:
            tablet.run("sync", server.address, "--accept-deletes")
        self.assertEqual([], tablet.titles())
        laptop.run("revoke", "phone", "--take-back", "--yes")
        self.assertEqual([], laptop.status()["held"])
        self.meet(laptop, tablet)
        self.meet(laptop, tablet)
        for device in (laptop, tablet):
            self.assertEqual(COUNT, len(device.titles()))
        self.assertConverged(laptop, tablet)

    def test_the_junk_of_a_thief_goes_from_devices_with_little_else_too(self):
        laptop, phone, tablet = self.paired("laptop", "phone", "tablet")
        fill(laptop, 5)
        self.meet(laptop, phone)
        fill(phone, COUNT)
        self.meet(laptop, phone)
        self.meet(laptop, tablet)
        self.assertEqual(COUNT + 5, len(tablet.titles()))
        laptop.run("revoke", "phone", "--take-back", "--yes")
        self.meet(laptop, tablet)
        self.assertEqual(5, len(tablet.titles()))
        self.assertEqual([], tablet.status()["held"])

    def test_a_refusal_is_only_for_what_was_deleted_before_it(self):
        laptop, phone, tablet = self.robbed()
        self.assertEqual(tandem.REFUSED, self.sync(laptop, phone))
        laptop.run("refuse-deletes", "phone", "--yes")
        self.meet(laptop, phone)
        self.meet(laptop, phone)
        self.assertEqual(COUNT, len(phone.titles()))
        phone.delete(phone.live()[0]["id"])
        self.meet(laptop, phone)
        self.assertEqual(COUNT - 1, len(laptop.titles()))
        self.assertEqual([], laptop.status()["held"])
        laptop.run("refuse-deletes", "--yes", codes=(tandem.NOTHING,))


class NewCallers(tandem.TandemTestCase):
    def test_deletes_of_a_device_that_is_new_here_stay_held_though_others_were_answered_once(self):
        laptop, tablet, phone = self.device("laptop"), self.device("tablet"), self.device("phone")
        laptop.init()
        fill(laptop, COUNT)
        with laptop.serve() as server:
            tablet.run("init", "--name", "tablet", "--from", server.address)
        tablet.delete(*[todo["id"] for todo in tablet.todos()[:COUNT - 10]])
        with tablet.serve() as server:
            laptop.run("sync", server.address, codes=(tandem.REFUSED,))
            laptop.run("accept-deletes", "--yes")
            laptop.run("sync", server.address)
            fill(laptop, COUNT)
            laptop.run("sync", server.address)
        with laptop.serve() as server:
            phone.run("init", "--name", "phone", "--from", server.address)
        delete_all(phone)
        with tablet.serve() as server:
            for _ in range(2):
                phone.run("sync", server.address, codes=(tandem.REFUSED,))
            self.assertFalse(green(tablet))
            tablet.run("accept-deletes", "--yes")
            phone.run("sync", server.address)
        self.assertEqual([], tablet.titles())
