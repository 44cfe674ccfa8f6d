"""A session is told as what it was: in sync only if all was exchanged; and a status knows what is missing."""

import glob
import os
import signal
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


    def test_a_relay_that_leaves_before_its_download_is_done_is_not_in_sync(self):
        laptop = self.device("laptop")
        laptop.init(plain=True)
        laptop.add("Not there")
        # The relay's id, where it begins, and how far it reaches.
        reply = wire.cbor({0: wire.KIND_RELAY_HELLO_REPLY, 1: [1, 1], 2: b"\x77" * 16, 3: [5, 0], 4: 3})
        ways = {
            "before its greeting": [self.bye()],
            "before download-done": [reply, self.bye()],
            "before download-done, after a pong that nobody asked for": [reply, wire.cbor({0: 8, 1: 1})],
        }
        for name, says in ways.items():
            with self.subTest(name), EarlyLeaver(lambda space, says=says: says) as relay:
                told = laptop.sync("relay://" + relay.address, codes=tandem.NAMED_CODES)
                self.assertNotIn("In sync", told.output)
                self.assertNotIn(told.code, (tandem.OK, tandem.INCOMPLETE), told)
                if "pong" not in name:
                    self.assertEqual(tandem.RETRY_LATER, told.code, told)
                    self.assertIn("before everything was exchanged", told.errors)
                    self.assertIn("sync again", told.errors)

    def await_refusal(self, port):
        """Waits until nobody listens at a port any more."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except ConnectionRefusedError:
                return
            time.sleep(0.05)
        self.fail("somebody still listens")

    def test_a_server_that_drains_in_the_middle_is_not_in_sync_and_the_next_sync_completes_it(self):
        laptop, phone = self.pair(plain=True)
        # More than may be on its way without an acknowledgement.
        path = os.path.join(self.folder, "long.csv")
        with open(path, "w") as file:
            file.write("title,notes\n")
            file.writelines("To-do {},{}\n".format(number, "x" * 10_000) for number in range(900))
        laptop.import_file("csv", path)
        server = laptop.serve(tcp=True)
        server.begin()
        self.addCleanup(server.kill)
        with StoppedWire(server.port) as between:
            with open(phone.store + ".said", "wb") as said:
                syncing = phone.start("sync", between.address, output=said, errors=said)
            self.addCleanup(tandem.kill, syncing)
            self.assertTrue(between.is_stopped.wait(30))
            server.process.send_signal(signal.SIGTERM)
            self.await_refusal(server.port)
            between.go_on.set()
            code = syncing.wait(60)
        with open(phone.store + ".said") as said:
            told = said.read()
        self.assertEqual(tandem.RETRY_LATER, code, told)
        self.assertNotIn("In sync", told)
        self.assertIn("before everything was exchanged", told)
        self.assertIn("sync again", told)
        self.assertEqual(0, server.process.wait(30), server.log())
        self.assertLess(len(phone.titles()), 900)
        self.meet(laptop, phone)
        self.assertConverged(laptop, phone)


class StoppedWire:
    """Carries bytes to a port, and back only the first of them until it may go on."""

    FIRST_BYTES = 200_000

    def __init__(self, port):
        self.port = port
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:{}".format(self.door.getsockname()[1])
        self.is_stopped, self.go_on = threading.Event(), threading.Event()

    def __enter__(self):
        threading.Thread(target=self.run, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.go_on.set()
        self.door.close()

    def run(self):
        client, _ = self.door.accept()
        server = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        threading.Thread(target=self.carry, args=(client, server, None), daemon=True).start()
        self.carry(server, client, self.FIRST_BYTES)

    def carry(self, one, other, stop):
        count = 0
        try:
            while True:
                data = one.recv(4096)
                if not data:
                    break
                count += len(data)
                if stop is not None and count > stop:
                    self.is_stopped.set()
                    self.go_on.wait(60)
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass


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
        self.assertIn("did not send all changes", phone.run("status", "--short").output)
        self.assertIn("stated changes that did not come", phone.run("status").output)
        status = phone.status()
        self.assertFalse(status["green"])
        self.assertTrue(any("did not send all changes" in text for text in status["troubles"]))
        daemon = phone.start("daemon")
        self.addCleanup(tandem.kill, daemon)
        deadline = time.monotonic() + 30
        while not phone.status()["daemon"]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.assertIn("did not send all changes", phone.run("status", "--short").output)
