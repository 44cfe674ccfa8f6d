"""Whom a device no longer speaks to, on every way in; and what a backup brings back."""

import os
import shutil
import stat
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase

WAIT_SECONDS = 30


class Revoking(tandem.TandemTestCase):
    def own_fingerprint(self, device):
        return next(
            found["fingerprint"] for found in device.run("devices", "--json").values()
            if found["thisOne"])

    def paired(self, *names):
        """A space of devices that the first has invited over a direct link."""
        first, *others = [self.device(name) for name in names]
        first.init()
        with first.serve(tcp=True) as server:
            for other in others:
                code = first.invite("--address", server.address)
                other.run("join", code, "--name", other.name)
        return first, *others

    def eventually(self, holds):
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, "it never came to hold")
            time.sleep(0.02)

    def over_ssh(self, device, host):
        """Syncs with another device by a stand-in for ssh, which runs the rest of its words."""
        tools = os.path.join(self.folder, "bin")
        os.makedirs(tools, exist_ok=True)
        path = os.path.join(tools, "ssh")
        with open(path, "w") as script:
            script.write(
                "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != machine ]; do shift; done\nshift\n"
                "export TANDEM_STORE='{}'\nPATH='{}':$PATH\nexec sh -c \"$*\"\n".format(
                    host.store, tools))
        os.chmod(path, 0o755)
        if not os.path.lexists(os.path.join(tools, "tandem")):
            os.symlink(os.path.abspath(tandem.BINARY), os.path.join(tools, "tandem"))
        before = os.environ["PATH"]
        os.environ["PATH"] = tools + os.pathsep + before
        try:
            return device.sync("ssh://machine", codes=(tandem.OK, tandem.REFUSED))
        finally:
            os.environ["PATH"] = before

    def test_a_name_means_the_device_that_is_not_revoked(self):
        laptop, _ = self.paired("laptop", "phone")
        laptop.run("revoke", "phone", "--yes")
        again = self.device("again")
        with laptop.serve(tcp=True) as server:
            again.run("join", laptop.invite("--address", server.address), "--name", "phone")
        laptop.run("revoke", "phone", "--yes")
        told = laptop.run("devices", "--json").values()
        self.assertEqual([True, True], [each["revoked"] for each in told if each["name"] == "phone"])

    def test_a_device_that_was_never_paired_is_taken_from_the_list(self):
        laptop, phone = self.paired("laptop", "phone")
        tablet = self.device("tablet")
        with laptop.serve() as server:
            tablet.join(server.address)
            refused = laptop.run("revoke", "tablet", "--yes", codes=(tandem.REFUSED,)).errors
            self.assertIn("tandem devices --forget tablet", " ".join(refused.split()))
            self.assertIn("Forgotten: tablet", laptop.run("devices", "--forget", "tablet").output)
            phone.sync(server.address)
            for device in (laptop, phone):
                self.assertNotIn("tablet", device.run("devices").output)
                self.assertNotIn("tablet", device.run("status").output)
            # One that is still in use loses nothing.
            laptop.add("Milk")
            tablet.sync(server.address)
        self.assertEqual(["Milk"], tablet.titles())

    def test_a_revoked_device_is_refused_where_no_key_is_asked_for_too(self):
        laptop, phone, tablet = self.paired("laptop", "phone", "tablet")
        self.assertEqual(tandem.OK, self.over_ssh(phone, laptop).code)
        laptop.run("revoke", "phone", "--yes")
        laptop.add("Not for the phone")
        phone.add("Not from the phone")
        ways = []
        with laptop.serve() as server:
            ways.append(("socket", phone.sync(server.address, codes=(tandem.REFUSED,))))
        with phone.serve() as server:
            # Nor when the device that stays is the one that calls.
            ways.append(("called at a socket", laptop.sync(server.address, codes=(tandem.REFUSED,))))
        ways.append(("ssh", self.over_ssh(phone, laptop)))
        ways.append(("called over ssh", self.over_ssh(laptop, phone)))
        for name, told in ways:
            self.assertEqual(tandem.REFUSED, told.code, name)
            self.assertIn("this device was revoked", told.errors, name)
        self.assertNotIn("Not from the phone", laptop.titles())
        self.assertNotIn("Not for the phone", phone.titles())
        # The others go on, and a device that hears of it does the same.
        self.assertEqual(tandem.OK, self.over_ssh(tablet, laptop).code)
        self.assertIn("revoked", self.over_ssh(phone, tablet).errors)

    def test_a_device_that_came_back_is_let_in_again_where_no_key_is_asked_for(self):
        laptop, phone = self.paired("laptop", "phone")
        laptop.run("revoke", "phone", "--yes")
        with laptop.serve(tcp=True) as server:
            code = laptop.invite("--address", server.address)
            os.remove(os.path.join(phone.store, "device.key"))
            phone.run("join", code, "--name", "phone")
        phone.add("Back again")
        self.meet(laptop, phone)
        self.assertIn("Back again", laptop.titles())

    def live(self, device, address):
        """A sync that stays, and what it says."""
        path = device.store + ".live.log"
        with open(path, "w") as log:
            process = device.start("sync", address, "--live", errors=log)
        self.addCleanup(tandem.kill, process)
        return process, path

    def expect_cut(self, process, path, phone):
        self.assertEqual(tandem.REFUSED, process.wait(timeout=WAIT_SECONDS))
        with open(path) as file:
            self.assertIn("this device was revoked", file.read())
        self.assertNotIn("After the phone", phone.titles())

    def test_a_session_that_is_going_on_ends_with_the_revocation(self):
        for way in ("tls", "socket"):
            with self.subTest(way):
                laptop, phone = self.paired("laptop-" + way, "phone-" + way)
                with laptop.serve(tcp=way == "tls") as server:
                    address = server.address
                    if way == "tls":
                        address += "#" + self.own_fingerprint(laptop)
                    process, path = self.live(phone, address)
                    laptop.add("Before")
                    self.eventually(lambda: "Before" in phone.titles())
                    laptop.run("revoke", "phone-" + way, "--yes")
                    laptop.add("After the phone")
                    self.expect_cut(process, path, phone)

    def test_a_revocation_that_arrives_ends_the_session_too(self):
        laptop, phone, tablet = self.paired("laptop", "phone", "tablet")
        tablet.run("revoke", "phone", "--yes")
        tablet.add("After the phone")
        with laptop.serve(tcp=True) as server:
            address = "{}#{}".format(server.address, self.own_fingerprint(laptop))
            process, path = self.live(phone, address)
            laptop.add("Before")
            self.eventually(lambda: "Before" in phone.titles())
            # Revocation and news come to the laptop in one sync.
            tablet.sync(address)
            self.expect_cut(process, path, phone)
        self.assertIn("After the phone", laptop.titles())


class FirstAtTheRelay(RelayTestCase):
    """Who is out can still be the first to change a relay's secret: Protocol/12-Threats.md."""

    def test_a_revoked_device_that_takes_the_relay_over_does_not_keep_it(self):
        laptop, phone = self.paired()
        tablet = self.device("tablet")
        code = laptop.invite()
        tablet.run("join", code, "--name", "tablet")
        for device in (laptop, phone):
            device.run("sync")
        # The laptop has not been at the relay since; the phone has, with a secret of its own.
        laptop.run("revoke", "phone", "--yes", "--no-sync")
        phone.run("revoke", "--nobody")
        laptop.add("After the phone")
        # With the envelope that the phone has left it the laptop changes the secret once more.
        laptop.run("sync")
        phone.add("Of no use")
        refused = phone.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", refused.errors)
        tablet.add("By the tablet")
        tablet.run("sync")
        laptop.run("sync")
        self.assertConverged(laptop, tablet)
        self.assertEqual(["After the phone", "By the tablet"], sorted(laptop.titles()))
        self.assertNotIn("After the phone", phone.titles())


    def test_a_device_that_it_invited_since_leads_nobody_back(self):
        laptop, phone = self.paired()
        tablet, second = self.device("tablet"), self.device("second")
        code = laptop.invite()
        tablet.run("join", code, "--name", "tablet")
        for device in (laptop, phone, tablet):
            device.run("sync")
        laptop.run("revoke", "phone", "--yes", "--no-sync")
        # The tablet has heard of it, and has the secret that the phone does not know.
        self.meet(laptop, tablet)
        code = phone.invite()
        second.run("join", code, "--name", "second")
        second.run("sync")
        second.run("revoke", "--nobody")
        tablet.add("Typed after the phone")
        tablet.run("sync")
        laptop.run("sync")
        self.assertConverged(laptop, tablet)
        self.assertEqual(["Typed after the phone"], laptop.titles())
        for device in (phone, second):
            device.run("sync", codes=(tandem.REFUSED,))
            self.assertEqual([], device.titles(), device.name)
        # The tablet does not believe the rekey messages of that device.
        names = {found["name"] for found in tablet.run("devices", "--json").values()}
        self.assertEqual({"laptop", "phone", "tablet"}, names)

    def test_what_a_lost_device_has_left_at_the_relay_is_fetched_before_it_begins_anew(self):
        laptop, phone = self.paired()
        for device in (laptop, phone):
            device.run("sync")
        phone.add("Only the phone and the relay have this")
        phone.run("sync")
        laptop.run("revoke", "phone", "--yes", "--no-sync")
        laptop.add("After the phone")
        told = laptop.run("status", "--short").output
        self.assertIn("may lack the new secret", told)
        laptop.run("sync")
        self.assertEqual("green", laptop.run("status", "--short").output.strip())
        self.assertEqual(
            ["After the phone", "Only the phone and the relay have this"],
            sorted(laptop.titles()))
        phone.run("sync", codes=(tandem.REFUSED,))
        self.assertNotIn("After the phone", phone.titles())

    def test_a_daemon_fetches_it_as_well(self):
        laptop, phone = self.paired()
        for device in (laptop, phone):
            device.run("sync")
        phone.add("Only the phone and the relay have this")
        phone.run("sync")
        laptop.run("revoke", "phone", "--yes", "--no-sync")
        daemon = laptop.start("daemon", "--listen", "none")
        self.addCleanup(tandem.kill, daemon)
        deadline = time.monotonic() + WAIT_SECONDS
        while laptop.run("status", "--short").output.strip() != "green":
            self.assertLess(time.monotonic(), deadline, "it never came in sync")
            time.sleep(0.1)
        self.assertIn("Only the phone and the relay have this", laptop.titles())
        phone.run("sync", codes=(tandem.REFUSED,))

    def test_a_revoked_device_is_told_so_whatever_it_asks(self):
        laptop, phone = self.paired()
        laptop.run("sync")
        phone.add("Stays here")
        laptop.run("revoke", "phone", "--yes")
        told = phone.run("invite", codes=(tandem.REFUSED,)).errors
        self.assertIn("this device was revoked", told)
        self.assertIn("this device was revoked", phone.run(
            "why", phone.todos()[0]["id"]).output)
        phone.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", phone.run("add", "Reaches nobody").errors)
        self.assertIn("this device was revoked", phone.run("list").output)
        self.assertNotIn("tandem status", laptop.run("add", "Reaches all").errors)

    def test_a_device_does_not_join_while_its_daemon_runs_with_the_keys_of_before(self):
        laptop, phone = self.paired()
        daemon = phone.start("daemon", "--listen", "none")
        self.addCleanup(tandem.kill, daemon)
        deadline = time.monotonic() + WAIT_SECONDS
        while phone.status()["daemon"] is None:
            self.assertLess(time.monotonic(), deadline, "no daemon answers")
            time.sleep(0.1)
        code = laptop.invite()
        told = phone.run("join", code, "--name", "phone", codes=(tandem.RETRY_LATER,)).errors
        self.assertIn("a daemon runs for this store", told)


class Backups(RelayTestCase):
    def backup(self, device, *words):
        """A backup of a device, in the place where another machine would have its store."""
        copy = self.device(device.name + "-restored")
        told = device.run("backup", copy.store, *words)
        return copy, told.output

    def test_a_backup_is_the_device_again_on_a_new_machine(self):
        laptop, phone = self.paired()
        laptop.add("In the backup")
        laptop.run("sync")
        laptop.invite()
        copy, told = self.backup(laptop)
        self.assertIn("keep it safe", told)
        for name in os.listdir(copy.store):
            mode = os.stat(os.path.join(copy.store, name)).st_mode
            self.assertEqual(0o600, stat.S_IMODE(mode), name)
        self.assertEqual(0o700, stat.S_IMODE(os.stat(copy.store).st_mode))
        with open(os.path.join(copy.store, "keyring")) as file:
            kept = file.read()
        self.assertIn("secret 1 ", kept)
        # A code that waits is nowhere on the disk; the device that was let in before is named.
        self.assertEqual(1, kept.count("admitted "))
        # The laptop breaks down; the phone goes on; the backup comes back elsewhere.
        laptop.add("Synced after the backup")
        laptop.run("sync")
        shutil.rmtree(laptop.store)
        phone.run("sync")
        phone.add("While the laptop was broken")
        phone.run("sync")
        copy.run("sync")
        self.assertEqual(
            ["In the backup", "Synced after the backup", "While the laptop was broken"],
            copy.titles())
        copy.add("By the new laptop")
        copy.run("sync")
        phone.run("sync")
        self.assertConverged(copy, phone)
        # To the phone it is the laptop, and not a third device.
        known = phone.run("devices", "--json").values()
        self.assertEqual({"laptop", "phone"}, {found["name"] for found in known})
        phone.run("revoke", "laptop", "--yes")
        phone.run("sync")
        refused = copy.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("this device was revoked", refused.errors)

    def test_a_backup_without_keys_is_only_the_todos(self):
        laptop, phone = self.paired()
        laptop.add("In the backup")
        laptop.run("sync")
        copy, told = self.backup(laptop, "--without-keys")
        self.assertNotIn("keep it safe", told)
        self.assertEqual(["store.db"], os.listdir(copy.store))
        self.assertEqual(["In the backup"], copy.titles())
        # It has nothing to show the relay, and joins with a code as any other store.
        copy.run("sync", self.relay.told["relay"], codes=(tandem.REFUSED,))
        code = phone.invite()
        copy.run("join", code, "--name", "laptop")
        copy.add("By the new laptop")
        copy.run("sync")
        phone.run("sync")
        self.assertIn("By the new laptop", phone.titles())

    def test_a_backup_does_not_overwrite_a_key(self):
        laptop, _ = self.paired()
        folder = os.path.join(self.folder, "filled")
        os.mkdir(folder)
        with open(os.path.join(folder, "device.key"), "w") as file:
            file.write("another's")
        told = laptop.run("backup", folder, codes=(tandem.CONFIGURATION,))
        self.assertIn("but not the keys", told.errors)
        with open(os.path.join(folder, "device.key")) as file:
            self.assertEqual("another's", file.read())


if __name__ == "__main__":
    unittest.main(verbosity=2)
