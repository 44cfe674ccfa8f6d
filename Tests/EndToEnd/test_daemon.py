"""The daemon: changes travel by themselves, it tells the truth, pauses, and comes back."""

import os
import signal
import time

import tandem_process as tandem
from relay_case import RelayTestCase
from test_relay import Relay

WAIT_SECONDS = 30


class Daemon(RelayTestCase):
    def daemon(self, device):
        """A running daemon of a device."""
        process = device.start("daemon")
        self.addCleanup(self.end, process)
        self.eventually(lambda: device.status()["daemon"])
        return process

    def end(self, process):
        if process.poll() is None:
            process.terminate()
        return process.wait(timeout=WAIT_SECONDS)

    def eventually(self, holds):
        """Waits until something holds, and gives it; fails after a bounded time."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            found = holds()
            if found:
                return found
            self.assertLess(time.monotonic(), deadline, "it never came to hold")
            time.sleep(0.05)

    def green(self, device):
        return device.run("status", "--short").output.strip() == "green"

    def test_what_one_adds_is_on_the_other_without_any_command(self):
        laptop, phone = self.paired()
        self.daemon(laptop)
        self.daemon(phone)
        started = time.monotonic()
        laptop.add("Buy milk")
        self.eventually(lambda: phone.titles() == ["Buy milk"])
        self.report("on the other device in {:.2f} s".format(time.monotonic() - started))
        phone.add("Walk the dog")
        self.eventually(lambda: laptop.titles() == ["Buy milk", "Walk the dog"])
        self.eventually(lambda: self.green(laptop) and self.green(phone))
        self.assertConverged(laptop, phone)

        def seen():
            told = laptop.run("why", laptop.todos()[0]["id"], "--json").values()[0]
            return told["storedByRelay"] and told["devices"] == [
                {"device": "phone", "seen": True}] and not told["reasons"]
        self.eventually(seen)

    def test_who_is_revoked_is_out_at_once_though_nobody_syncs_by_hand(self):
        laptop, desk = self.paired()
        phone = self.device("third")
        code = laptop.invite("--relay", self.relay.told["relay"])
        phone.run("join", code, "--name", "third")
        self.daemon(laptop)
        self.daemon(desk)
        laptop.add("Before")
        self.eventually(lambda: "Before" in desk.titles())
        laptop.run("revoke", "third", "--yes")

        def known():
            told = {device["name"]: device for device in desk.run("devices", "--json").values()}
            return told["phone"]["generation"] == told["laptop"]["generation"] == 2
        self.eventually(known)
        self.eventually(lambda: phone.run(
            "sync", codes=(tandem.OK, tandem.REFUSED)).code == tandem.REFUSED)
        laptop.add("After")
        phone.add("Too late")
        self.eventually(lambda: "After" in desk.titles())
        phone.run("sync", codes=(tandem.REFUSED,))
        self.assertNotIn("After", phone.titles())
        self.assertNotIn("Too late", laptop.titles() + desk.titles())
        self.eventually(lambda: self.green(laptop) and self.green(desk))

    def test_it_comes_back_when_the_relay_was_killed(self):
        laptop, phone = self.paired()
        self.daemon(laptop)
        self.daemon(phone)
        port = self.relay.told["relay"].split("#")[0].rsplit(":", 1)[1]
        self.relay.process.send_signal(signal.SIGKILL)
        self.relay.end()
        self.relay = None
        laptop.add("While nobody was there")
        self.eventually(
            lambda: self.contacts(laptop)[0].get("code") in ("lost", "failed-call"))
        self.assertIn(self.contacts(laptop)[0]["state"], ("waiting", "dialing"))
        self.relay = Relay(self.relay_folder, "--listen", "127.0.0.1:" + port)
        self.eventually(lambda: phone.titles() == ["While nobody was there"])

    def test_one_that_runs_for_the_page_alone_hears_of_a_relay_and_forgets_it_again(self):
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        told = laptop.run("daemon", codes=(tandem.USAGE,)).errors
        self.assertIn("pair first", told)
        port = tandem.free_port()
        log = os.path.join(self.folder, "daemon.log")
        with open(log, "wb") as errors:
            daemon = laptop.start("daemon", "--web", str(port), errors=errors)
        self.addCleanup(tandem.kill, daemon)
        self.eventually(lambda: self.contacts(laptop) == [])
        with open(log) as errors:
            told = errors.read()
        self.assertIn("serving the page at http://127.0.0.1:{}/".format(port), told)
        self.assertIn("no relay and no device is known yet", told)
        code = laptop.invite("--relay", self.relay.told["relay"])
        phone.run("join", code, "--name", "phone")
        self.eventually(lambda: [each["state"] for each in self.contacts(laptop) or []] == ["connected"])
        phone.add("Kumquat")
        phone.run("sync")
        self.eventually(lambda: laptop.titles() == ["Kumquat"])
        laptop.run("devices", "--forget", self.relay.told["relay"])
        self.eventually(lambda: self.contacts(laptop) == [])
        # Nothing leaves by the connection that there was either.
        laptop.add("Stays here")
        time.sleep(0.5)
        phone.run("sync")
        self.assertEqual(["Kumquat"], phone.titles())
        self.assertIsNone(daemon.poll())

    def contacts(self, device):
        """Whom its daemon is in touch with; None if none runs."""
        found = device.status()["daemon"]
        return found and found["contacts"]

    def test_a_pause_is_kept_and_ends(self):
        laptop, phone = self.paired()
        self.daemon(laptop)
        self.daemon(phone)
        phone.run("pause", "--for", "10m")
        self.assertFalse(self.green(phone))
        self.assertIn("paused", phone.run("status", "--short").output)
        laptop.add("Later")
        time.sleep(0.5)
        self.assertEqual([], phone.titles())
        refused = phone.run("pause", "--for", "9000d", codes=(tandem.USAGE,))
        self.assertIn("at most 7 days", refused.errors)
        phone.run("resume")
        self.eventually(lambda: phone.titles() == ["Later"])

    def test_there_is_one_daemon_for_a_store_and_none_to_pause_without_it(self):
        laptop, _ = self.paired()
        nobody = laptop.run("pause", codes=(tandem.UNAVAILABLE,))
        self.assertIn("tandem daemon", nobody.errors)
        first = self.daemon(laptop)
        second = laptop.run("daemon", codes=(tandem.UNAVAILABLE,))
        self.assertIn("a daemon runs for this store already", second.errors)
        # One that was killed leaves a socket behind, which is in nobody's way.
        tandem.kill(first)
        self.daemon(laptop)

    def test_a_device_that_was_taken_out_stops_hearing_and_the_other_goes_on(self):
        laptop, phone = self.paired()
        self.daemon(laptop)
        self.daemon(phone)
        laptop.add("Known to both")
        self.eventually(lambda: phone.titles() == ["Known to both"])
        laptop.run("revoke", "phone", "--yes")
        laptop.run("sync")
        self.eventually(
            lambda: phone.status()["daemon"]["contacts"][0]["state"] == "failed")
        laptop.add("Not for the phone")
        self.eventually(lambda: self.green(laptop))
        self.assertEqual(["Known to both"], phone.titles())
        contact = phone.status()["daemon"]["contacts"][0]
        self.assertIn("rotated", contact["why"])
        self.assertEqual(("peer-error", 13), (contact["code"], contact["number"]))
        self.assertIsInstance(contact["reason"], int)
