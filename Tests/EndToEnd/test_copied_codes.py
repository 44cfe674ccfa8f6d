"""A pairing code that somebody copied: while it waits, after it was used, past its end, and the place that keeps all it carries."""

import base64
import hashlib
import hmac
import os
import re
import unittest

import tandem_process as tandem
import wire
from relay_case import RelayTestCase

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
KIND_MAILBOX, KIND_ITEM = 25, 26


def code_bytes(code):
    """K and P in a code, as its copier has them."""
    digits = [ALPHABET.index(letter) for letter in code.rsplit("/", 1)[1].replace("-", "")]
    number = 0
    for digit in digits[:42]:
        number = number << 5 | digit
    return (number >> 2).to_bytes(26, "big")


def derived(key, label, count):
    """HKDF-SHA-256 (RFC 5869) of a code's key."""
    extracted = hmac.new(b"tandem pairing 1", key, hashlib.sha256).digest()
    found, block, number = b"", b"", 1
    while len(found) < count:
        block = hmac.new(extracted, block + label + bytes([number]), hashlib.sha256).digest()
        found, number = found + block, number + 1
    return found[:count]


class Listener:
    """Whoever has a copy of the code, with the mailbox open: all that the place carries and keeps."""

    def __init__(self, port, code):
        self.line = wire.Line(port, seconds=5)
        self.mailbox = derived(code_bytes(code)[:16], b"mailbox", 16)
        self.line.say(wire.cbor({0: KIND_MAILBOX, 1: [1, 1], 2: self.mailbox}))
        self.items = []

    def hear(self, count):
        """The items so far, as soon as there are so many."""
        while len(self.items) < count:
            message = self.line.hear()
            if message is None:
                raise AssertionError("the place has closed: {}".format(self.items))
            if message[0] == KIND_ITEM:
                self.items.append(message[1])
        return self.items

    def answer(self):
        """The first message that is no item."""
        while True:
            message = self.line.hear()
            if message is None or message[0] != KIND_ITEM:
                return message


class CopiedCodes(RelayTestCase):
    def setUp(self):
        super().setUp()
        self.address = self.relay.told["relay"]
        self.port = int(self.address.split("#")[0].rsplit(":", 1)[1])
        self.laptop, self.phone, self.thief = map(self.device, ("laptop", "phone", "thief"))
        self.laptop.init()
        self.laptop.add("Kumquat")

    def secret(self, device):
        with open(os.path.join(device.store, "keyring")) as file:
            return bytes.fromhex(re.search(r"^secret \d+ ([0-9a-f]+)$", file.read(), re.M)[1])

    def join(self, device, code, codes=(tandem.OK,)):
        return device.run("join", code, "--name", device.name, codes=codes)

    def assertGotNothing(self, device):
        self.assertFalse(os.path.exists(os.path.join(device.store, "store.db")))
        self.assertFalse(os.path.exists(os.path.join(device.store, "keyring")))

    def test_a_code_never_holds_the_secret(self):
        code = self.laptop.invite("--relay", self.address)
        secret = self.secret(self.laptop)
        held = code_bytes(code)
        for piece in (secret[:8], secret[8:16], secret[-8:]):
            self.assertNotIn(piece, held)
        self.assertLess(len(code.rsplit("/", 1)[1].replace("-", "")), 52, "a secret has 52 characters")

    def test_a_used_code_reads_nothing_of_what_the_relay_and_a_listener_kept(self):
        code = self.laptop.invite("--relay", self.address)
        listener = Listener(self.port, code)
        self.join(self.phone, code)
        self.assertEqual(tandem.OK, self.laptop.invitations[-1].end())
        # The request, its answer, its outcome, and that nobody waits any more.
        items = listener.hear(4)
        self.assertEqual([1, 2, 3, 4], [item[0] for item in items])
        secret = self.secret(self.phone)
        self.assertEqual(secret, self.secret(self.laptop))
        for item in items:
            for form in (secret, secret.hex().encode(), base64.b64encode(secret)[:40]):
                self.assertNotIn(form, item)
            self.assertNotIn(b"Kumquat", item)
            self.assertNotIn(b"phone", item)
        refused = self.join(self.thief, code, codes=(tandem.REFUSED,))
        self.assertIn("no device waits with this code", refused.errors)
        self.assertGotNothing(self.thief)
        # Nor is the space at the relay to be had with what the code has in it.
        space = bytes.fromhex(self.laptop.status()["space"].replace("-", ""))
        with wire.Line(self.port) as line:
            line.say(wire.relay_hello(space))
            self.assertEqual(wire.KIND_ERROR, line.hear()[0])
        self.assertEqual({"laptop", "phone"}, {
            found["name"] for found in self.laptop.run("devices", "--json").values()})

    def test_a_code_past_its_end_finds_nobody_at_the_relay(self):
        waiting = self.laptop.inviting("--yes", "--relay", self.address, "--for", "1s")
        self.assertEqual(tandem.NOTHING, waiting.end())
        refused = self.join(self.thief, waiting.code, codes=(tandem.REFUSED,))
        self.assertIn("no device waits with this code", refused.errors)
        self.assertGotNothing(self.thief)

    def test_a_copier_who_asks_first_under_the_same_name_is_not_admitted(self):
        waiting = self.laptop.inviting("--relay", self.address)
        thief = self.thief.start("join", waiting.code, "--name", "phone")
        waiting.await_event("asks")
        path = self.phone.store + ".join.log"
        with open(path, "wb") as log:
            phone = self.phone.start("join", waiting.code, "--name", "phone", output=log, errors=log)
        while len(waiting.of_kind("asks")) < 2:
            waiting.await_event("asks")
        digits = None
        while digits is None:
            with open(path) as log:
                digits = re.search(r"on the other device: (\d{3} \d{3})\n", log.read())
        waiting.type(digits[1])
        self.assertEqual(tandem.OK, phone.wait(30))
        self.assertEqual(tandem.REFUSED, thief.wait(30))
        self.assertEqual(tandem.OK, waiting.end())
        self.assertEqual(["Kumquat"], self.phone.titles())
        self.assertGotNothing(self.thief)
        refused = [
            event for event in self.laptop.run("devices", "--log", "--json").values()
            if event["event"] == "refused"]
        self.assertEqual([("phone", "codeUsed")], [
            (event["device"], event["reason"]) for event in refused])

    def test_a_mailbox_is_to_be_had_by_its_id_alone_and_only_while_it_waits(self):
        code = self.laptop.invite("--relay", self.address)
        self.assertEqual(KIND_MAILBOX, Listener(self.port, code).answer()[0])
        slip = code.index("/") + 3
        other = code[:slip] + ("0" if code[slip] != "0" else "1") + code[slip + 1:]
        refused = Listener(self.port, other).answer()
        self.assertEqual((wire.KIND_ERROR, 13, 4), (refused[0], refused[1], refused[5]))

    def test_a_listener_who_fills_the_mailbox_stops_pairing_and_gets_nothing(self):
        waiting = self.laptop.inviting("--relay", self.address)
        listener = Listener(self.port, waiting.code)
        # Items of a connection that is refused before the mailbox is open fill nothing at a relay of several processes.
        self.assertEqual(KIND_MAILBOX, listener.answer()[0])
        for number in range(100):
            listener.line.say(wire.cbor({0: KIND_ITEM, 1: bytes([9, number])}))
        refused = listener.answer()
        self.assertEqual((wire.KIND_ERROR, 46), (refused[0], refused.get(5)), refused)
        self.assertEqual([], waiting.of_kind("asks"))
        self.join(self.phone, waiting.code, codes=(tandem.RETRY_LATER, tandem.UNAVAILABLE))
        self.assertGotNothing(self.phone)
        # Another code is another mailbox.
        self.join(self.phone, self.laptop.invite())


if __name__ == "__main__":
    unittest.main(verbosity=2)
