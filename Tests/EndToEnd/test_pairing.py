"""Pairing: a code lets one device in, mistakes are told before anything changes, revoking stays."""

import os
import shutil
import subprocess
import time
import unittest

import tandem_process as tandem
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
        answer = device.run("invite", "--address", server.address, "--json", *words)
        return answer.values()[0]["code"]

    def join(self, device, code, *words, codes=(tandem.OK,)):
        return device.run("join", code, "--name", device.name, *words, codes=codes)

    def devices(self, device):
        return {found["name"]: found for found in device.run("devices", "--json").values()}

    def own_fingerprint(self, device):
        return next(d["fingerprint"] for d in self.devices(device).values() if d["thisOne"])

    def paired(self, *names):
        """A space of devices that the first has invited over a direct link."""
        first, *others = [self.device(name) for name in names]
        first.init()
        with first.serve() as server:
            for other in others:
                self.join(other, self.invite(first, server))
        return first, *others

    def test_two_devices_pair_over_a_direct_link(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init(policy="edits-win")
        laptop.add("From the laptop")
        started = time.monotonic()
        with laptop.serve() as server:
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
        with laptop.serve() as server:
            code = self.invite(laptop, server)
            self.join(phone, code)
            refused = self.join(thief, code, codes=(tandem.REFUSED,))
            self.assertIn("used before, by the device phone", refused.errors)
            self.assertFalse(os.path.exists(os.path.join(thief.store, "store.db")))
            # The same device may try again, as after a sync that broke.
            self.join(phone, code)

    def test_an_expired_code_is_refused_by_both_ends(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve() as server:
            code = self.invite(laptop, server, "--for", "1s")
            time.sleep(1.2)
            refused = self.join(phone, code, codes=(tandem.REFUSED,))
            self.assertIn("ran out", refused.errors)
            self.assertIn("tandem invite", refused.errors)
        self.assertFalse(os.path.exists(phone.store))

    def test_mistyped_and_cut_codes_are_told_apart(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve() as server:
            code = self.invite(laptop, server)
        wrong = code[:40] + ("7" if code[40] != "7" else "8") + code[41:]
        self.assertIn(
            "line 2 of the code is mistyped",
            self.join(phone, wrong, codes=(tandem.BAD_DATA,)).errors)
        for cut in (code[:70], code[:-3], code[:90]):
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
        with laptop.serve() as server:
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
        with laptop.serve() as server:
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
        with phone.serve() as server:
            self.join(old, self.invite(phone, server))
        with laptop.serve() as server:
            code = self.invite(laptop, server)
            before = phone.status()["space"]
            refused = self.join(phone, code, codes=(tandem.REFUSED,))
            self.assertIn("old", refused.errors)
            self.assertEqual(before, phone.status()["space"])
            self.join(phone, code, "--merge")
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
        with laptop.serve() as server:
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
        with tablet.serve() as server:
            refused = phone.sync(
                "{}#{}".format(server.address, self.own_fingerprint(tablet)),
                codes=(tandem.REFUSED,))
            self.assertIn("this device was revoked", refused.errors)
            # Nor is it dialled.
        with phone.serve() as server:
            refused = tablet.sync(
                "{}#{}".format(server.address, self.own_fingerprint(phone)),
                codes=(tandem.REFUSED,))
            self.assertIn("revoked", refused.errors)

    def test_a_revoked_device_comes_back_with_a_new_key_only(self):
        laptop, phone = self.paired("laptop", "phone")
        laptop.run("revoke", "phone", "--yes")
        with laptop.serve() as server:
            code = self.invite(laptop, server)
            self.join(phone, code, codes=(tandem.REFUSED,))
            os.remove(os.path.join(phone.store, "device.key"))
            self.join(phone, code)
            phone.add("Back again")
            phone.run("sync")
        self.assertIn("Back again", laptop.titles())

    def test_an_old_code_and_a_wrong_secret_are_told(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        with laptop.serve() as server:
            code = self.invite(laptop, server)
            laptop.run("revoke", "--nobody")
            refused = self.join(phone, code, codes=(tandem.REFUSED,))
            self.assertIn("secret was changed", refused.errors)
        other = self.device("other")
        other.init()
        keyring = os.path.join(other.store, "keyring")
        with other.serve() as server:
            code = self.invite(other, server)
            with open(keyring) as file:
                lines = file.read().splitlines()
            with open(keyring, "w") as file:
                for line in lines:
                    wrong = "secret 1 " + "00" * 32
                    file.write((wrong if line.startswith("secret") else line) + "\n")
            refused = self.join(phone, code, codes=(tandem.REFUSED,))
            self.assertIn("does not prove that it knows the space's secret", refused.errors)

    def test_copies_of_a_store_are_one_device_and_names_can_change(self):
        laptop, phone = self.paired("laptop", "phone")
        phone.run("rename", "pocket", "phone")
        copy = self.device("copy")
        shutil.copytree(phone.store, copy.store)
        copy.add("By the copy")
        with laptop.serve() as server:
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
        with laptop.serve() as server:
            self.join(phone, self.invite(laptop, server))

    def test_a_plain_space_says_so(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        told = laptop.run("init", "--name", "laptop", "--plain")
        self.assertIn("trusted", told.output)
        with laptop.serve() as server:
            told = laptop.run("invite", "--address", server.address)
            self.assertIn("plain", told.output)
            self.join(phone, self.invite(laptop, server))
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
            return laptop.run("invite", "--json", *words).values()[0]["code"]

        first = code("--relay", relay.told["relay"])
        self.join(phone, first)
        self.assertEqual(["Planted word kumquat"], phone.titles())
        # The same code a second time: who looks at the relay finds the first use, and leaves nothing.
        refused = self.join(thief, first, codes=(tandem.REFUSED,))
        self.assertIn("used before, by the device phone", refused.errors)
        self.assertFalse(os.path.exists(thief.store))
        thief.init()
        thief.add("My own")
        before = sorted(os.listdir(thief.store)), thief.status()["space"]
        refused = self.join(thief, first, codes=(tandem.REFUSED,))
        self.assertIn("used before, by the device phone", refused.errors)
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
        with laptop.serve() as server:
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

    @unittest.skipUnless(ZBAR, "zbarimg is not installed")
    def test_the_drawing_is_the_code(self):
        laptop = self.device("laptop")
        laptop.init()
        for host in ("a.example:7717", "desk.local:7717", "x" * 60 + ".example.org:7717"):
            told = laptop.run("invite", "--address", host, "--qr").output
            lines = told.splitlines()
            drawn = [line for line in lines if set(line) <= set(" \u2588\u2580\u2584") and line]
            self.assertLessEqual(max(map(len, drawn)), 80)
            code = "".join(
                line.strip().replace("-", "") for line in lines if line.startswith("  "))
            path = os.path.join(self.folder, "code.pbm")
            with open(path, "w") as file:
                file.write(bitmap(drawn))
            found = subprocess.run(
                [ZBAR, "--raw", "-q", path], capture_output=True, text=True, timeout=30)
            self.assertEqual(code, found.stdout.strip(), told)


if __name__ == "__main__":
    unittest.main()
