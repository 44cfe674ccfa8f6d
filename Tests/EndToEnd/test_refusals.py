"""Every reason not to let a device in: its own words, and nothing has moved by then."""

import os
import re
import socket
import threading
import time
import unittest

import tandem_process as tandem
import wire
from relay_case import RelayTestCase

WRONG_PRINT = "-".join(["0123"] * 16)


class Refusals(RelayTestCase):
    def setUp(self):
        super().setUp()
        self.relay_address = self.relay.told["relay"]

    def own_fingerprint(self, device):
        return next(
            found["fingerprint"] for found in device.run("devices", "--json").values()
            if found["thisOne"])

    def code(self, device, *words):
        return device.invite(*words)

    def moved(self):
        """How many changes the relay has taken and given so far, once an exchange under way has ended."""
        last = None
        for _ in range(40):
            _, text = self.relay.get("/metrics")
            found = re.findall(r"^tandem_relay_(?:received|sent)_changes_total \d+", text, re.MULTILINE)
            if found == last:
                break
            last = found
            time.sleep(0.25)
        return last

    def with_secret(self, device, secret):
        """Puts another secret into a device's keyring."""
        path = os.path.join(device.store, "keyring")
        with open(path) as file:
            lines = file.read().splitlines()
        with open(path, "w") as file:
            for line in lines:
                found = line.startswith("secret ")
                file.write(("secret 1 " + secret if found else line) + "\n")

    def stand_in(self, *messages):
        """A relay, or device, that says the same to everybody; answers its address."""
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(30)
        self.addCleanup(listener.close)

        def serve():
            try:
                link, _ = listener.accept()
                with link:
                    link.settimeout(30)
                    link.recv(65536)
                    for message in messages:
                        link.sendall(wire.frame(message))
                    while link.recv(65536):
                        pass
            except OSError:
                pass

        threading.Thread(target=serve, daemon=True).start()
        return "127.0.0.1:{}".format(listener.getsockname()[1])

    def test_each_reason_has_its_own_words_and_nothing_has_moved(self):
        laptop, phone, outsider, plain = map(self.device, ("laptop", "phone", "outsider", "plain"))
        laptop.init()
        plain.init(plain=True)
        laptop.add("Not for strangers")
        phone.run("join", self.code(laptop, "--relay", self.relay_address), "--name", "phone")
        laptop.run("sync")
        space = bytes.fromhex(laptop.status()["space"].replace("-", ""))
        # One who has a member's store of some time ago, and not the secret.
        outsider.run("join", self.code(laptop), "--name", "outsider")
        # Whoever invites syncs with the relay last, and that counts as moved.
        for invitation in laptop.invitations:
            invitation.end()
        self.with_secret(outsider, "00" * 32)
        outsider.add("Not by strangers")
        joiners = [self.device("joiner {}".format(number)) for number in range(4)]

        def sync(device, address):
            return device.sync(address, codes=(tandem.REFUSED,)).errors

        def join(place, code):
            told = joiners[place].run("join", code, "--name", "j", codes=(tandem.REFUSED,))
            self.assertFalse(os.path.exists(os.path.join(joiners[place].store, "store.db")))
            return told.errors

        def said(port, message, key=None):
            with wire.Line(port, key) as line:
                line.say(message)
                return line.hear_error() or ""

        def used(server):
            code = self.code(laptop, "--address", server.address)
            self.device("friend").run("join", code, "--name", "friend")
            laptop.invitations[-1].end()
            return lambda: join(0, code)

        def expired(server):
            waiting = laptop.inviting(
                "--yes", "--address", server.address, "--for", "1s")
            self.assertEqual(tandem.NOTHING, waiting.end())
            return lambda: join(1, waiting.code)

        def expired_at_the_relay(_):
            waiting = laptop.inviting("--yes", "--for", "1s")
            self.assertEqual(tandem.NOTHING, waiting.end())
            return lambda: join(2, waiting.code)

        def not_admitted(server):
            waiting = laptop.inviting("--address", server.address)

            def wrong():
                joining = joiners[3].start(
                    "join", waiting.code, "--name", "j", errors=open(joiners[3].store + ".log", "w"))
                waiting.await_event("asks")
                # Other than six digits cannot be meant, and cost no try.
                for typed in ("1", "000000", "abc", "000000", "0000000", "000000"):
                    waiting.type(typed)
                self.assertEqual(tandem.REFUSED, waiting.end())
                self.assertEqual(tandem.REFUSED, joining.wait(30))
                with open(joiners[3].store + ".log") as log:
                    return log.read()
            return wrong

        def revoked(_):
            laptop.run("revoke", "phone", "--yes")
            laptop.run("sync", self.relay_address)
            return lambda: sync(phone, self.relay_address)

        place, relay_print = self.relay_address.split("#")
        relay_port = int(place.rsplit(":", 1)[1])
        old = wire.relay_hello(space, versions=(0, 0))
        rows = [
            ("wrong secret, at a relay",
             lambda _: lambda: sync(outsider, self.relay_address), "proof of access"),
            ("wrong fingerprint of a relay",
             lambda _: lambda: sync(phone, self.relay_address.replace(relay_print, WRONG_PRINT)),
             relay_print),
            ("wrong fingerprint of a device",
             lambda server: lambda: sync(phone, "{}#{}".format(server.address, WRONG_PRINT)),
             self.own_fingerprint(laptop)),
            ("expired invite", expired, "no device waits with this code"),
            ("expired invite, at a relay", expired_at_the_relay, "no device waits with this code"),
            ("used invite", used, "this code was used before"),
            ("wrong digits", not_admitted, "has not admitted this one"),
            ("old version, at a relay", lambda _: lambda: said(relay_port, old),
             "the relay speaks versions 1 to 1 of the protocol, the device versions 0 to 0"),
            ("old version, at a device",
             lambda server: lambda: said(
                 server.port, wire.hello(space=space, versions=(0, 0)),
                 os.path.join(phone.store, "device.key")),
             "versions 0 to 0"),
            ("old version of the other device",
             lambda _: lambda: sync(
                 plain, self.stand_in(wire.hello(space=space, versions=(0, 0)))),
             "versions 0 to 0"),
            # From here on the phone is out.
            ("revoked device, at a relay", revoked, "this device was revoked"),
            ("revoked device, at a device",
             lambda server: lambda: sync(
                 phone, "{}#{}".format(server.address, self.own_fingerprint(laptop))),
             "this device was revoked"),
            ("revoked device, at any trusted one", lambda server: lambda: sync(phone, server.address),
             "this device was revoked"),
        ]
        words = {}
        with laptop.serve(tcp=True) as server:
            for name, prepare, expected in rows:
                with self.subTest(name):
                    attempt = prepare(server)
                    before = self.moved()
                    laptop_before, phone_before = laptop.titles(), phone.titles()
                    words[name] = attempt().strip()
                    self.report("{}: {}".format(name, words[name].splitlines()[0]))
                    self.assertIn(expected, words[name])
                    after = self.moved()
                    if "at a relay" not in name or "invite" in name or expected == "this device was revoked":
                        # The laptop may be sent what an earlier device gave, and a revoked one the record that says so.
                        before, after = before[:1], after[:1]
                    self.assertEqual(before, after)
                    self.assertEqual(laptop_before, laptop.titles())
                    self.assertEqual(phone_before, phone.titles())
        # One who is refused twice for one reason hears one thing; other reasons sound different.
        kinds = {re.sub(r"[0-9a-f:-]{4,}|[0-9]+", "", text) for text in words.values()}
        self.assertGreaterEqual(len(kinds), len(rows) - 4, sorted(kinds))
        self.assertNotIn("Not by strangers", laptop.titles())


if __name__ == "__main__":
    unittest.main(verbosity=2)
