"""A session is told as what it was: in sync only if all was exchanged; and a status knows what is missing."""

import glob
import os
import socket
import sqlite3
import threading
import time

import tandem_process as tandem
import wire
from relay_case import RelayTestCase


class EarlyLeaver:
    """A device of the space that says what it is given, once, and listens to nothing more."""

    def __init__(self, says):
        self.says = says
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:{}".format(self.socket.getsockname()[1])
        self.thread = threading.Thread(target=self.answer, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.thread.join(10)

    def answer(self):
        try:
            link, _ = self.socket.accept()
        except OSError:
            return
        link.settimeout(10)
        received = b""
        with link:
            while not wire.messages(received):
                received += link.recv(65536)
            space = wire.messages(received)[0][2]
            for payload in self.says(space):
                link.sendall(wire.frame(payload))
            while link.recv(65536):
                pass


class Endings(tandem.TandemTestCase):
    bye = staticmethod(lambda: wire.cbor({0: wire.KIND_BYE}))

    def test_a_peer_that_leaves_before_all_is_exchanged_is_not_in_sync(self):
        laptop = self.device("laptop")
        laptop.init(plain=True)
        laptop.add("Not there")
        ways = {
            "before its greeting": lambda space: [self.bye()],
            "before its changes": lambda space: [
                wire.hello(space=space), self.bye()],
        }
        for name, says in ways.items():
            with self.subTest(name), EarlyLeaver(says) as peer:
                told = laptop.sync(peer.address, codes=(tandem.RETRY_LATER,))
                self.assertNotIn("In sync", told.output)
                self.assertIn("before everything was exchanged", told.errors)
                self.assertIn("sync again", told.errors)


class Withheld(RelayTestCase):
    def withhold(self):
        """Takes the newest version away at the relay."""
        found = glob.glob(os.path.join(self.relay_folder, "spaces", "**", "*"), recursive=True)
        changed = 0
        for path in found:
            if not os.path.isfile(path) or not path.endswith(".relay"):
                continue
            with sqlite3.connect(path, timeout=10) as file:
                changed += file.execute(
                    "delete from version where sequence = (select max(sequence) from version)").rowcount
        self.assertEqual(1, changed, found)

    def test_a_relay_that_is_known_to_withhold_is_a_trouble_with_and_without_a_daemon(self):
        laptop, phone = self.paired()
        for device in (laptop, phone, laptop):
            device.run("sync")
        self.assertEqual("green", phone.run("status", "--short").output.strip())
        laptop.add("Taken away")
        laptop.run("sync")
        self.withhold()
        for _ in range(2):
            phone.run("sync", codes=(tandem.OK, tandem.INCOMPLETE))
        self.assertNotIn("Taken away", phone.titles())
        self.assertIn("holds something back", phone.run("status", "--short").output)
        self.assertIn("stated changes that did not come", phone.run("status").output)
        status = phone.status()
        self.assertFalse(status["green"])
        self.assertTrue(any("holds something back" in text for text in status["troubles"]))
        daemon = phone.start("daemon")
        self.addCleanup(tandem.kill, daemon)
        deadline = time.monotonic() + 30
        while not phone.status()["daemon"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertIn("holds something back", phone.run("status", "--short").output)
