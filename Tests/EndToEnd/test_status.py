"""The status tells the truth: green on no device on which, as far as it can know, something is amiss."""

import json
import os
import re
import shutil

import tandem_process as tandem
import test_daemon
from relay_case import RelayTestCase
from test_relay import Relay
from test_safety import emptied_beside_daemons, fill


def short(device):
    return device.run("status", "--short").output.strip()


class Held(tandem.TandemTestCase):
    def emptied(self):
        laptop, phone = self.pair()
        fill(laptop, 40)
        self.meet(laptop, phone)
        phone.delete(*[todo["id"] for todo in phone.todos()])
        return laptop, phone

    def check_told(self, phone):
        """A device whose deletes wait elsewhere says where, and what to type where."""
        status = phone.status()
        self.assertFalse(status["green"])
        self.assertEqual(["laptop"], status["heldBy"])
        self.assertIn("laptop holds deletes", short(phone))
        told = " ".join(phone.run("status").output.split())
        self.assertIn("type on laptop: tandem accept-deletes", told)
        self.assertIn("tandem undo", told)

    def test_who_syncs_by_hand_knows_that_its_deletes_wait_there(self):
        laptop, phone = self.emptied()
        with laptop.serve() as server:
            told = phone.sync(server.address, codes=(tandem.REFUSED,)).errors
            self.assertIn("40 of 40 to-dos there", told)
            self.assertIn("on laptop, run: tandem accept-deletes", told)
            self.check_told(phone)
            # A command typed there takes effect with the next session.
            laptop.run("accept-deletes", "--yes")
            phone.sync(server.address)
        self.assertEqual([], phone.status()["heldBy"])
        self.assertEqual("green", short(phone))
        self.assertEqual("green", short(laptop))

    def test_a_copy_does_not_speak_for_its_original(self):
        laptop, phone = self.emptied()
        with phone.serve() as server:
            laptop.sync(server.address, codes=(tandem.REFUSED,))
            self.check_told(phone)
            copy = self.device("copy")
            shutil.copytree(laptop.store, copy.store, symlinks=True)
            copy.run("sync", "--accept-deletes", server.address)
            self.assertEqual([], copy.titles())
            self.check_told(phone)
            laptop.run("sync", "--accept-deletes", server.address)
        self.assertEqual([], phone.status()["heldBy"])

    def test_who_is_called_knows_it_too_and_it_ends_with_an_undo(self):
        laptop, phone = self.emptied()
        with phone.serve() as server:
            laptop.sync(server.address, codes=(tandem.REFUSED,))
            self.check_told(phone)
            phone.run("undo")
            laptop.sync(server.address)
        self.assertEqual([], phone.status()["heldBy"])
        self.assertEqual("green", short(phone))


class HeldThroughARelay(RelayTestCase):
    daemon, end = test_daemon.Daemon.daemon, test_daemon.Daemon.end
    eventually, green = test_daemon.Daemon.eventually, test_daemon.Daemon.green

    def test_daemons_tell_each_other(self):
        laptop, phone = emptied_beside_daemons(self)
        self.eventually(lambda: phone.status()["heldBy"] == ["laptop"])
        self.assertFalse(self.green(phone))
        laptop.run("accept-deletes", "--yes")
        self.eventually(lambda: phone.status()["heldBy"] == [] and laptop.titles() == [])
        self.eventually(lambda: self.green(laptop) and self.green(phone))

    def held(self):
        """A laptop that holds the deletes of all of its to-dos, and the phone that made them."""
        laptop, phone = self.paired()
        fill(laptop, 40)
        laptop.run("sync")
        phone.run("sync")
        phone.delete(*[todo["id"] for todo in phone.todos()])
        phone.run("sync")
        laptop.run("sync", codes=(tandem.REFUSED,))
        return laptop, phone

    def test_syncs_by_hand_do_as_well(self):
        laptop, phone = self.held()
        phone.run("sync")
        self.assertEqual(["laptop"], phone.status()["heldBy"])
        self.assertEqual(40, len(laptop.titles()))
        # A copy shows the same key, and speaks for itself alone.
        copy = self.device("copy")
        shutil.copytree(laptop.store, copy.store, symlinks=True)
        copy.run("sync", "--accept-deletes")
        self.assertEqual([], copy.titles())
        phone.run("sync")
        self.assertEqual(["laptop"], phone.status()["heldBy"])
        laptop.run("sync", "--accept-deletes")
        phone.run("sync")
        self.assertEqual([], phone.status()["heldBy"])

    def test_deletes_that_came_by_a_relay_and_directly_count_once(self):
        laptop, phone = self.held()
        with laptop.serve(tcp=True) as server:
            phone.sync(server.address, codes=(tandem.REFUSED,))
        self.assertEqual(2, len(laptop.status()["held"]))
        laptop.run("sync", codes=(tandem.REFUSED,))
        phone.run("sync")
        self.assertIn("laptop holds at least 40 deletes", " ".join(phone.run("status").output.split()))
        # A refusal is of use to the others with the next sync only.
        laptop.run("refuse-deletes", "--yes")
        self.assertIn("refusal-unsent", laptop.status()["codes"])
        self.assertIn("refused deletes", short(laptop))
        laptop.run("sync")
        self.assertEqual("green", short(laptop))
        phone.run("sync")
        self.assertEqual(40, len(phone.titles()))

    def test_a_sync_with_all_tells_by_its_code_that_one_holds_deletes(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            code = laptop.invite("--address", server.address, "--relay", self.relay.told["relay"])
            phone.run("join", code, "--name", "phone")
            laptop.await_invitations()
            fill(laptop, 40)
            phone.run("sync")
            phone.delete(*[todo["id"] for todo in phone.todos()])
            held = phone.run("sync", "--json", codes=(tandem.REFUSED,))
            self.assertEqual([0, tandem.REFUSED], [each["exitCode"] for each in held.values()])
            self.assertIn("to-dos", held.values()[1]["error"])
            self.assertIn("on laptop, run: tandem accept-deletes", held.errors)
        # The relay has all that a device lacks which is off.
        off = phone.run("sync", "--json")
        self.assertEqual([0, tandem.UNAVAILABLE], [each["exitCode"] for each in off.values()])
        self.relay.end()
        self.relay = None
        phone.run("sync", codes=(tandem.UNAVAILABLE,))


class Seen(RelayTestCase):
    def why(self, device, todo):
        return device.run("why", todo).output

    def test_who_made_or_changed_a_to_do_last_has_seen_it(self):
        laptop, phone = self.paired()
        laptop.run("sync")
        todo = laptop.add("Made here")
        self.assertIn("not yet seen by phone", self.why(laptop, todo))
        laptop.run("sync")
        phone.run("sync")
        self.assertIn("  seen by laptop", self.why(phone, todo))
        phone.run("done", todo)
        phone.run("sync")
        laptop.run("sync")
        told = self.why(laptop, todo)
        self.assertIn("  seen by phone", told)
        self.assertNotIn("not yet", told)
        self.assertEqual(
            [{"device": "phone", "seen": True}],
            laptop.run("why", todo, "--json").values()[0]["devices"])
        # By its writes alone it is not known whether it has two edits that were made meanwhile.
        laptop.edit(todo, "priority:high")
        laptop.edit(todo, "+shop")
        self.assertIn("not yet seen by phone", self.why(laptop, todo))
        phone.edit(todo, "due:2030-01-01")
        phone.run("sync")
        laptop.run("sync")
        told = self.why(laptop, todo)
        self.assertIn("  last changed by phone", told)
        self.assertNotIn("seen by phone", told)

    def test_a_device_and_its_copy_are_one_device(self):
        laptop, phone = self.paired()
        todo = laptop.add("Milk")
        laptop.run("sync")
        copy = self.device("copy")
        shutil.copytree(laptop.store, copy.store, symlinks=True)
        copy.run("sync")
        copy.run("sync")
        phone.run("sync")
        self.assertEqual(1, self.why(phone, todo).count("laptop"))
        self.assertNotIn("laptop", self.why(laptop, todo))


class Unsent(RelayTestCase):
    def test_one_number_of_changes_is_told(self):
        laptop, phone = self.paired()
        laptop.run("sync")
        fill(laptop, 4)
        with phone.serve(tcp=True) as server:
            laptop.sync(server.address)
        laptop.add("On this device alone")
        told = laptop.run("status").output
        self.assertEqual(1, len(set(re.findall(r"(\d+) changes? to send", told))), told)

    def told(self, device, title, word="why"):
        found = next(todo["id"] for todo in device.todos() if todo["title"] == title)
        return device.run(word, found).output

    def test_without_a_daemon_what_has_not_left_is_counted_and_where_it_is_is_told(self):
        laptop, phone = self.paired()
        laptop.add("Stored")
        laptop.run("sync")
        self.assertEqual("green", short(laptop))
        self.assertIn("stored by relay", self.told(laptop, "Stored"))
        self.assertIn("nothing is in its way", self.told(laptop, "Stored"))
        address = self.relay.told["relay"].split("#")[0].rsplit("/", 1)[1]
        self.relay.end()
        laptop.add("Waits")
        laptop.run("edit", laptop.todos()[0]["id"], "Stored, then edited")
        laptop.run("sync", codes=(tandem.UNAVAILABLE,))
        self.assertEqual("2 changes to send", short(laptop))
        status = laptop.status()
        self.assertFalse(status["green"])
        self.assertEqual([2], [peer["toSend"] for peer in status["peers"]])
        self.assertIn("2 changes to send", laptop.run("status").output)
        told = self.told(laptop, "Waits")
        self.assertIn("not yet stored by relay", told)
        self.assertIn("at the next `tandem sync`", told)
        self.relay = Relay(self.relay_folder, "--listen", address)
        laptop.run("sync")
        self.assertEqual("green", short(laptop))
        self.assertIn("stored by relay", self.told(laptop, "Waits"))
        self.assertEqual([0], [peer["toSend"] for peer in laptop.status()["peers"]])

    def test_between_two_devices_it_is_counted_as_well(self):
        laptop, phone = self.pair()
        laptop.add("Taken")
        self.meet(laptop, phone)
        for device in (laptop, phone):
            self.assertEqual("green", short(device))
            self.assertIn("  received by", self.told(device, "Taken"))
        phone.add("On the phone")
        self.assertEqual("1 change to send", short(phone))
        self.assertIn("not yet received by", self.told(phone, "On the phone"))
        self.assertEqual("green", short(laptop))
        self.meet(laptop, phone)
        self.assertEqual("green", short(phone))
        # Nothing goes back, and nothing is left to send to who sent it.
        self.assertEqual("green", short(laptop))


class Members(RelayTestCase):
    def pair_directly(self, *names):
        laptop, *others = [self.device(name) for name in names]
        laptop.init()
        with laptop.serve(tcp=True) as server:
            for other in others:
                code = laptop.invite("--address", server.address)
                other.run("join", code, "--name", other.name)
        return laptop, *others

    def test_a_revoked_device_says_so_once_it_was_refused(self):
        laptop, phone = self.pair_directly("laptop", "phone")
        self.assertEqual("green", short(phone))
        laptop.run("revoke", "phone", "--yes")
        devices = laptop.run("devices", "--json").values()
        own = next(d["fingerprint"] for d in devices if d["thisOne"])
        with laptop.serve(tcp=True) as server:
            phone.sync("{}#{}".format(server.address, own), codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", short(phone))
        self.assertIn("move its file device.key away", " ".join(
            phone.run("status").output.split()))
        told = phone.run("status", "--json", "--exit-code", codes=(tandem.REFUSED,))
        status = json.loads(told.output)
        self.assertFalse(status["green"])
        self.assertIn("revoked", status["refused"])
        # Nothing is amiss on the others.
        self.assertEqual("green", short(laptop))

    def test_a_revoked_device_says_so_once_it_has_heard_of_it(self):
        laptop, phone, tablet = self.pair_directly("laptop", "phone", "tablet")
        # Both of them know nothing of pairing over this link but who is revoked.
        laptop.run("revoke", "phone", "--yes")
        with tablet.serve() as server:
            laptop.run("sync", server.address)
        with open(phone.database(), "rb") as file:
            self.assertTrue(file.read())
        with phone.serve() as server:
            laptop.run("sync", server.address, codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", short(phone))

    def test_a_revoked_device_is_not_green_at_its_relay(self):
        laptop, phone = self.paired()
        laptop.run("sync")
        self.assertEqual("green", short(phone))
        laptop.run("revoke", "phone", "--yes")
        laptop.run("sync")
        phone.run("sync", codes=(tandem.REFUSED,))
        self.assertFalse(phone.status()["green"])
        self.assertIn("this device was revoked", short(phone))
        self.assertRegex(phone.status()["refusedAt"], "^20")
        self.assertIn("move its file device.key away", " ".join(
            phone.run("status").output.split()))
        # Where the others are in touch, nothing is amiss.
        self.assertEqual("green", short(laptop))

    def test_a_device_whose_secret_no_relay_takes_is_not_green(self):
        _, phone = self.paired()
        path = os.path.join(phone.store, "keyring")
        with open(path) as file:
            lines = [
                "secret 1 " + "00" * 32 if line.startswith("secret ") else line
                for line in file.read().splitlines()]
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        phone.run("sync", codes=(tandem.REFUSED,))
        self.assertFalse(phone.status()["green"])
        self.assertIn("this device was refused", short(phone))
        self.assertRegex(phone.status()["refusedAt"], "^20")
        self.assertIn("refused by relay://127.0.0.1", " ".join(phone.run("status").output.split()))

    def test_a_relay_that_asks_for_a_token_puts_nobody_out(self):
        laptop, _ = self.paired()
        laptop.run("sync")
        folder = os.path.join(self.folder, "closed")
        os.mkdir(folder)
        closed = Relay(folder, settings="token = sesame\n")
        self.addCleanup(closed.end)
        refused = laptop.run("sync", closed.told["relay"], codes=(tandem.REFUSED,))
        self.assertIn("asks for a token", refused.errors)
        self.assertEqual("green", short(laptop))
        laptop.run("status", "--exit-code")

