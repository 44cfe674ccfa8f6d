"""Pairing: a code lets one device in, mistakes are told before anything changes, revoking stays."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from test_relay import Relay

ZBAR = shutil.which("zbarimg")


def bitmap(lines, scale=4):
    """The drawing of a QR code in half blocks as a PBM picture; light is drawn in ink."""
    rows = []
    for line in lines:
        rows.append(["0" if c in "\u2588\u2580" else "1" for c in line])
        rows.append(["0" if c in "\u2588\u2584" else "1" for c in line])
    wide = [[bit for bit in row for _ in range(scale)] for row in rows]
    text = "\n".join(" ".join(row) for row in wide for _ in range(scale))
    return "P1\n{} {}\n{}\n".format(len(wide[0]), len(wide) * scale, text)


class Pairing(tandem.TandemTestCase):
    def invite(self, device, server, *words):
        """A code that admits whoever comes first, to a device that serves."""
        return device.invite("--address", server.address, *words)

    def join(self, device, code, *words, codes=(tandem.OK,)):
        return device.run("join", code, "--name", device.name, *words, codes=codes)

    def shown_digits(self, device, code):
        """A join in the background, named phone, and the digits that it shows."""
        path = device.store + ".join.log"
        with open(path, "wb") as log:
            process = device.start("join", code, "--name", "phone", "--json", output=log)
        self.addCleanup(tandem.kill, process)
        until = time.monotonic() + 30
        while os.path.getsize(path) == 0:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        with open(path) as log:
            return process, json.loads(log.readline())["digits"]

    def devices(self, device):
        return {found["name"]: found for found in device.run("devices", "--json").values()}

    def own_fingerprint(self, device):
        return next(d["fingerprint"] for d in self.devices(device).values() if d["thisOne"])

    def paired(self, *names):
        """A space of devices that the first has invited over a direct link."""
        first, *others = [self.device(name) for name in names]
        first.init()
        with first.serve(tcp=True) as server:
            for other in others:
                self.join(other, self.invite(first, server))
        return first, *others

    def test_two_devices_pair_over_a_direct_link(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init(policy="edits-win")
        laptop.add("From the laptop")
        started = time.monotonic()
        with laptop.serve(tcp=True) as server:
            told = self.join(phone, self.invite(laptop, server))
            self.assertIn("laptop", told.output)
            self.report("paired in {:.1f} s".format(time.monotonic() - started))
            phone.add("From the phone")
            # No address: pairing has made the laptop known.
            phone.run("sync")
        self.assertConverged(laptop, phone)
        self.assertEqual(["From the laptop", "From the phone"], laptop.titles())
        self.assertEqual("edits-win", phone.status()["policy"])
        self.assertEqual({"laptop", "phone"}, set(self.devices(laptop)))
        for device in (laptop, phone):
            self.assertEqual(
                0o600, os.stat(os.path.join(device.store, "keyring")).st_mode & 0o777)

    def test_a_code_is_good_once(self):
        laptop, phone, thief = map(self.device, ("laptop", "phone", "thief"))
        laptop.init()
        laptop.add("Kumquat")
        with laptop.serve(tcp=True) as server:
            code = self.invite(laptop, server)
            self.join(phone, code)
            self.assertEqual(tandem.OK, laptop.invitations[-1].end())
            refused = self.join(thief, code, codes=(tandem.REFUSED,))
            self.assertIn("this code was used before", refused.errors)
            self.assertFalse(os.path.exists(os.path.join(thief.store, "store.db")))
        # The log tells of the second one, who came to the device that serves.
        found = [
            event for event in laptop.run("devices", "--log", "--json").values()
            if event["event"] == "refused"]
        self.assertEqual(["codeUsed"], [event["reason"] for event in found])

    def test_the_digits_of_the_device_that_is_meant_decide(self):
        laptop, phone, thief = map(self.device, ("laptop", "phone", "thief"))
        laptop.init()
        laptop.add("Kumquat")
        with laptop.serve(tcp=True) as server:
            waiting = laptop.inviting("--address", server.address)
            # Both have the code, and both call themselves by one name.
            stolen, _ = self.shown_digits(thief, waiting.code)
            joining, digits = self.shown_digits(phone, waiting.code)
            waiting.type(digits)
            self.assertEqual((tandem.REFUSED, tandem.OK), (stolen.wait(30), joining.wait(30)))
            self.assertEqual(tandem.OK, waiting.end())
        self.assertEqual(["Kumquat"], phone.titles())
        self.assertFalse(os.path.exists(os.path.join(thief.store, "store.db")))
        self.assertEqual(1, len(waiting.of_kind("not-admitted")))
        refused = [
            event for event in laptop.run("devices", "--log", "--json").values()
            if event["event"] == "refused"]
        self.assertEqual([("phone", "codeUsed")], [
            (event["device"], event["reason"]) for event in refused])

    def test_a_code_past_its_end_is_worth_nothing_whatever_the_clocks(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            waiting = laptop.inviting("--yes", "--address", server.address, "--for", "1s")
            self.assertEqual(tandem.NOTHING, waiting.end())
            refused = self.join(phone, waiting.code, codes=(tandem.REFUSED,))
            self.assertIn("no device waits with this code", refused.errors)
            self.assertIn("tandem invite", refused.errors)
        self.assertFalse(os.path.exists(phone.store))

    def test_an_invitation_that_is_killed_leaves_a_code_that_is_worth_nothing(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            code = self.invite(laptop, server)
            laptop.invitations[-1].kill()
            refused = self.join(phone, code, codes=(tandem.REFUSED,))
            self.assertIn("no device waits with this code", refused.errors)
        self.assertFalse(any(
            name.startswith("pairing-") for name in os.listdir(laptop.store)))

    def test_what_was_decided_is_handed_over_by_the_server_when_the_invitation_has_crashed(self):
        laptop, phone, thief = map(self.device, ("laptop", "phone", "thief"))
        laptop.init()
        laptop.add("Kumquat")
        server = laptop.serve(tcp=True)
        server.begin()
        self.addCleanup(server.kill)
        waiting = laptop.inviting("--address", server.address)
        joining, digits = self.shown_digits(phone, waiting.code)
        # Nothing reaches the phone when the decision is made; then who made it is gone.
        server.kill()
        waiting.type(digits)
        waiting.await_event("admitted")
        waiting.kill()
        again = laptop.start("serve", "--listen", server.address)
        self.addCleanup(tandem.kill, again)
        self.assertEqual(tandem.OK, joining.wait(60))
        self.assertEqual(["Kumquat"], phone.titles())
        refused = self.join(thief, waiting.code, codes=(tandem.REFUSED,))
        self.assertIn("this code was used before", refused.errors)

    def test_an_invitation_outlives_the_server_before_it(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        server = laptop.serve(tcp=True)
        server.begin()
        self.addCleanup(server.kill)
        waiting = laptop.inviting("--yes", "--address", server.address)
        server.kill()
        again = laptop.start("serve", "--listen", server.address)
        self.addCleanup(tandem.kill, again)
        until = time.monotonic() + 30
        while self.join(phone, waiting.code, codes=(tandem.OK, tandem.UNAVAILABLE)).code:
            self.assertLess(time.monotonic(), until)
        self.assertEqual(tandem.OK, waiting.end())

    def test_without_a_server_the_invitation_answers_itself(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        laptop.add("Kumquat")
        with laptop.serve(tcp=True) as server:
            address = server.address
        waiting = laptop.inviting("--yes", "--address", address)
        self.join(phone, waiting.code)
        self.assertEqual(tandem.OK, waiting.end())
        self.assertEqual(["Kumquat"], phone.titles())

    def test_a_device_that_was_admitted_and_has_not_come_is_shown_and_can_be_revoked(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            waiting = laptop.inviting("--address", server.address)
            joining, digits = self.shown_digits(phone, waiting.code)
            joining.send_signal(signal.SIGSTOP)
            waiting.type(digits)
            waiting.await_event("admitted")
            tandem.kill(joining)
            waiting.process.terminate()
            self.assertEqual(tandem.OK, waiting.end())
        found = self.devices(laptop)
        self.assertTrue(found["phone"]["admittedNotSeen"])
        self.assertIn("admitted, not yet seen", " ".join(
            laptop.run("devices").output.split()))
        laptop.run("revoke", "phone", "--yes")
        self.assertTrue(self.devices(laptop)["phone"]["revoked"])

    def test_mistyped_and_cut_codes_are_told_apart(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            code = self.invite(laptop, server)
        slip = code.index("/") + 8
        wrong = code[:slip] + ("7" if code[slip] != "7" else "8") + code[slip + 1:]
        self.assertIn(
            "the code is mistyped", self.join(phone, wrong, codes=(tandem.BAD_DATA,)).errors)
        for cut in (code[:slip], code[:-3], code[:-1]):
            self.assertIn(
                "end of the code is missing",
                self.join(phone, cut, codes=(tandem.BAD_DATA,)).errors)
        self.assertIn(
            "no '!'", self.join(phone, code + "!", codes=(tandem.BAD_DATA,)).errors)
        self.assertFalse(os.path.exists(phone.store))

    def test_hostile_codes_end_in_words(self):
        _, chance = tandem.seeded(self.id())
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            code = self.invite(laptop, server)
        for _ in range(25):
            text = list(code)
            for _ in range(chance.randint(1, 6)):
                place = chance.randrange(len(text))
                text[place:place + chance.randint(0, 2)] = chance.choice("0AZ!\u00fc\u0000 -\n")
            text = "".join(text)
            done = phone.run("join", "-", text=text, codes=(
                tandem.BAD_DATA, tandem.REFUSED, tandem.UNAVAILABLE, tandem.USAGE))
            self.assertTrue(done.errors.strip())
            self.assertNotIn("Fatal", done.errors)

    def test_a_filled_store_joins_and_nothing_is_lost(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init(policy="edits-win")
        phone.init()
        on_laptop = [laptop.add("Laptop {}".format(n)) for n in range(30)]
        on_phone = [phone.add("Phone {}".format(n)) for n in range(30)]
        laptop.delete(on_laptop[0])
        phone.delete(on_phone[0])
        phone.done(on_phone[1])
        with laptop.serve(tcp=True) as server:
            self.join(phone, self.invite(laptop, server))
        self.assertConverged(laptop, phone)
        self.assertEqual(58, len(laptop.titles()))
        self.assertEqual({on_laptop[0], on_phone[0]}, {t["id"] for t in laptop.trash()})
        self.assertEqual("edits-win", phone.status()["policy"])
        self.assertEqual([], phone.run("doctor", "--json", codes=(0, 1)).values()[0].get(
            "findings", []))

    def test_a_store_that_others_share_is_not_moved_without_a_word(self):
        laptop, phone, old = map(self.device, ("laptop", "phone", "old"))
        laptop.init()
        laptop.add("In the new space")
        phone.init()
        phone.add("In the old space")
        with phone.serve(tcp=True) as server:
            self.join(old, self.invite(phone, server))
            self.assertEqual(tandem.OK, phone.invitations[-1].end())
        with laptop.serve(tcp=True) as server:
            before = phone.status()["space"]
            refused = self.join(phone, self.invite(laptop, server), codes=(tandem.REFUSED,))
            self.assertIn("old", refused.errors)
            self.assertEqual(before, phone.status()["space"])
            laptop.invitations[-1].kill()
            self.join(phone, self.invite(laptop, server), "--merge")
            self.assertEqual(["In the new space", "In the old space"], laptop.titles())
            # A member of the old space is not admitted here.
            old_print = self.own_fingerprint(old)
            self.assertNotIn(
                old_print, {d["fingerprint"] for d in self.devices(laptop).values()})
            refused = old.sync(
                "{}#{}".format(server.address, self.own_fingerprint(laptop)),
                codes=(tandem.REFUSED,))
            self.assertIn("not trusted", refused.errors)

    def test_a_revoked_device_is_refused_in_words_before_data_moves(self):
        laptop, phone, tablet = self.paired("laptop", "phone", "tablet")
        laptop.run("revoke", "phone", "--yes")
        laptop.add("Not for the phone")
        phone.add("Not from the phone")
        with laptop.serve(tcp=True) as server:
            # The port is a new one, so the address is said.
            def sync(device, **options):
                return device.sync(
                    "{}#{}".format(server.address, self.own_fingerprint(laptop)), **options)

            refused = sync(phone, codes=(tandem.REFUSED,))
            self.assertIn("this device was revoked", refused.errors)
            self.assertNotIn("Not from the phone", laptop.titles())
            self.assertNotIn("Not for the phone", phone.titles())
            sync(tablet)
        self.assertTrue(self.devices(tablet)["phone"]["revoked"])
        # A device that was away knows it by the same sync, and the new secret as well.
        with open(os.path.join(tablet.store, "keyring")) as file:
            self.assertIn("secret 2 ", file.read())
        with tablet.serve(tcp=True) as server:
            refused = phone.sync(
                "{}#{}".format(server.address, self.own_fingerprint(tablet)),
                codes=(tandem.REFUSED,))
            self.assertIn("this device was revoked", refused.errors)
            # Nor is it dialled.
        with phone.serve(tcp=True) as server:
            refused = tablet.sync(
                "{}#{}".format(server.address, self.own_fingerprint(phone)),
                codes=(tandem.REFUSED,))
            self.assertIn("revoked", refused.errors)

    def test_a_revoked_device_comes_back_with_a_new_key_only(self):
        laptop, phone = self.paired("laptop", "phone")
        laptop.run("revoke", "phone", "--yes")
        with laptop.serve(tcp=True) as server:
            code = self.invite(laptop, server)
            self.join(phone, code, codes=(tandem.REFUSED,))
            os.remove(os.path.join(phone.store, "device.key"))
            self.join(phone, code)
            phone.add("Back again")
            phone.run("sync")
        self.assertIn("Back again", laptop.titles())

    def test_a_code_hands_over_the_secret_of_the_moment(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            code = self.invite(laptop, server)
            laptop.run("revoke", "--nobody")
            self.join(phone, code)
        with open(os.path.join(phone.store, "keyring")) as file:
            self.assertEqual(["secret 2"], re.findall(r"^secret \d+", file.read(), re.M))

    def test_copies_of_a_store_are_one_device_and_names_can_change(self):
        laptop, phone = self.paired("laptop", "phone")
        phone.run("rename", "pocket", "phone")
        copy = self.device("copy")
        shutil.copytree(phone.store, copy.store)
        copy.add("By the copy")
        with laptop.serve(tcp=True) as server:
            for device in (copy, phone):
                device.sync("{}#{}".format(server.address, self.own_fingerprint(laptop)))
        found = self.devices(laptop)
        self.assertEqual({"laptop", "pocket phone"}, set(found))
        self.assertEqual(2, len(found["pocket phone"]["replicas"]))

    def test_a_store_from_before_pairing_gets_keys_with_its_first_code(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        os.remove(os.path.join(laptop.store, "keyring"))
        self.assertIn("tandem invite", laptop.run("devices").output + laptop.run(
            "revoke", "x", codes=(tandem.CONFIGURATION,)).errors)
        with laptop.serve(tcp=True) as server:
            self.join(phone, self.invite(laptop, server))

    def test_a_plain_space_says_so(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        told = laptop.run("init", "--name", "laptop", "--plain")
        self.assertIn("trusted", told.output)
        with laptop.serve(tcp=True) as server:
            self.join(phone, self.invite(laptop, server))
            self.assertFalse(laptop.invitations[-1].events()[0]["encrypted"])
        self.assertConverged(laptop, phone, may_be_empty=True)

    def test_devices_pair_and_sync_through_a_relay(self):
        folder = os.path.join(self.folder, "relay")
        os.mkdir(folder)
        relay = Relay(folder)
        self.addCleanup(relay.end)
        laptop, phone, thief, tablet = map(self.device, ("laptop", "phone", "thief", "tablet"))
        laptop.init()
        laptop.add("Planted word kumquat")

        def code(*words):
            return laptop.invite(*words)

        first = code("--relay", relay.told["relay"])
        self.join(phone, first)
        self.assertEqual(tandem.OK, laptop.invitations[-1].end())
        self.assertEqual(["Planted word kumquat"], phone.titles())
        # The same code a second time: nobody waits with it, and what the mailbox still has opens for the phone alone.
        refused = self.join(thief, first, codes=(tandem.REFUSED,))
        self.assertIn("no device waits with this code", refused.errors)
        self.assertFalse(os.path.exists(thief.store))
        thief.init()
        thief.add("My own")
        before = sorted(os.listdir(thief.store)), thief.status()["space"]
        refused = self.join(thief, first, codes=(tandem.REFUSED,))
        self.assertIn("no device waits with this code", refused.errors)
        self.assertEqual(before, (sorted(os.listdir(thief.store)), thief.status()["space"]))
        self.assertEqual(["My own"], thief.titles())
        tablet.init()
        tablet.add("From the tablet")
        self.join(tablet, code())
        for device in (laptop, phone, tablet, laptop, phone):
            device.run("sync")
        self.assertConverged(laptop, phone, tablet)
        self.assertEqual(["From the tablet", "Planted word kumquat"], phone.titles())
        self.assertEqual({"laptop", "phone", "tablet"}, set(self.devices(laptop)))
        for folder, _, files in os.walk(relay.folder):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(b"kumquat", file.read())

        # Revoking: the relay begins anew with the next secret, and the old one is refused there.
        laptop.run("revoke", "phone", "--yes")
        with laptop.serve(tcp=True) as server:
            tablet.sync("{}#{}".format(server.address, self.own_fingerprint(laptop)))
        laptop.add("After the phone")
        refused = laptop.run("sync", codes=(tandem.OK, tandem.REFUSED))
        self.assertEqual(tandem.OK, refused.code, refused)
        tablet.run("sync")
        self.assertIn("After the phone", tablet.titles())
        refused = phone.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", refused.errors)
        self.assertNotIn("After the phone", phone.titles())
        # A device that is let in again, or was away for too long, joins with a new code.
        os.remove(os.path.join(phone.store, "device.key"))
        self.join(phone, code())
        self.assertIn("After the phone", phone.titles())

    def test_a_join_says_that_nobody_answers_at_the_relay(self):
        folder = os.path.join(self.folder, "relay")
        os.mkdir(folder)
        relay = Relay(folder)
        self.addCleanup(relay.end)
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        code = laptop.invite("--relay", relay.told["relay"])
        laptop.invitations[-1].kill()
        joining = subprocess.Popen(
            [tandem.BINARY, "join", code, "--name", "phone"], env=phone.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(joining.wait)
        self.addCleanup(joining.kill)
        self.addCleanup(joining.stderr.close)
        told = joining.stderr.readline()
        self.assertIn("does not answer yet", told)
        self.assertIn("tandem invite", told)

    def test_programs_are_told_by_code_and_message_why_there_is_no_code(self):
        laptop = self.device("laptop")
        laptop.init()
        refused = laptop.run("invite", "--json", codes=tuple(tandem.NAMED_CODES))
        self.assertNotEqual(0, refused.code)
        error = refused.values()[-1]["error"]
        self.assertEqual(refused.code, error["code"])
        self.assertEqual("tandem: {}\n".format(error["message"]), refused.errors)

    @unittest.skipUnless(ZBAR, "zbarimg is not installed")
    def test_the_drawing_is_the_code(self):
        laptop = self.device("laptop")
        laptop.init()
        for host in ("a.example:7717", "desk.local:7717", "x" * 60 + ".example.org:7717"):
            with open(laptop.store + ".qr", "w") as log:
                process = laptop.start(
                    "invite", "--yes", "--address", host, "--qr", output=log)
            self.addCleanup(tandem.kill, process)
            told = ""
            until = time.monotonic() + 30
            while "is admitted" not in told:
                self.assertLess(time.monotonic(), until, told)
                with open(laptop.store + ".qr") as log:
                    told = log.read()
            tandem.kill(process)
            lines = told.splitlines()
            drawn = [line for line in lines if set(line) <= set(" \u2588\u2580\u2584") and line]
            self.assertLessEqual(max(map(len, drawn)), 80)
            code = "".join(
                line.strip().replace("-", "").upper() for line in lines
                if line.startswith("  ") and "/" in line)
            path = os.path.join(self.folder, "code.pbm")
            with open(path, "w") as file:
                file.write(bitmap(drawn))
            found = subprocess.run(
                [ZBAR, "--raw", "-q", path], capture_output=True, text=True, timeout=30)
            self.assertEqual(code, found.stdout.strip().replace("-", ""), told)


class PairingAtRelay(RelayTestCase):
    shown_digits = Pairing.shown_digits

    def test_two_devices_go_on_with_pairing_at_a_relay_that_was_started_anew(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        laptop.add("Kumquat")
        waiting = laptop.inviting("--relay", self.relay.told["relay"])
        joining, digits = self.shown_digits(phone, waiting.code)
        listening = self.relay.told["relay"].split("#")[0].split("//")[1]
        # The phone is there first, and finds no mailbox.
        os.kill(waiting.process.pid, signal.SIGSTOP)
        self.relay.process.kill()
        self.relay.end()
        self.relay = Relay(self.relay_folder, "--listen", listening)
        self.assertTrue(self.relay.wait_for("no-mailbox"), self.relay.log())
        time.sleep(1)
        self.assertIsNone(joining.poll())
        os.kill(waiting.process.pid, signal.SIGCONT)
        waiting.type(digits)
        self.assertEqual(tandem.OK, joining.wait(60))
        self.assertEqual(tandem.OK, waiting.end())
        self.assertEqual(["Kumquat"], phone.titles())


if __name__ == "__main__":
    unittest.main()
