"""Sync over TLS: who is let in, what each side is told, and what an eavesdropper sees."""

import os
import re
import socket
import threading
import unittest

import tandem_process as tandem

FINGERPRINT = re.compile(r"[0-9a-f]{4}(?:-[0-9a-f]{4}){15}")


class Eavesdropper:
    """A relay of bytes between a client and a port; keeps what passes."""

    def __init__(self, port):
        self.port = port
        self.seen = bytearray()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.door.settimeout(30)
        self.sockets = [self.door]
        self.address = "127.0.0.1:{}".format(self.door.getsockname()[1])
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.door.accept()
                server = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            except OSError:
                return
            self.sockets += [client, server]
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def close(self):
        for one in self.sockets:
            one.close()

    def carry(self, one, other):
        try:
            while True:
                data = one.recv(65536)
                if not data:
                    break
                self.seen += data
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Secure(tandem.TandemTestCase):
    def trust(self, device, fingerprint, name):
        with open(os.path.join(device.store, "trusted"), "a") as trusted:
            trusted.write("{} {}\n".format(fingerprint, name))

    def eavesdropper(self, port):
        listener = Eavesdropper(port)
        self.addCleanup(listener.close)
        return listener

    def own_fingerprint(self, device):
        with device.serve(tcp=True) as server:
            return server.logged(FINGERPRINT)

    def test_only_trusted_devices_sync_and_nobody_reads_along(self):
        laptop, phone = self.pair()
        laptop.add("A secret wish")
        laptop_print, phone_print = map(self.own_fingerprint, (laptop, phone))
        self.assertNotEqual(laptop_print, phone_print)
        with laptop.serve(tcp=True) as server:
            address = "tcp://{}#{}".format(server.address, laptop_print)
            refused = phone.sync(address, codes=(tandem.REFUSED,))
            self.assertIn("not trusted", refused.errors)
            self.assertIn(phone_print, refused.errors, "what to tell the other device")
            self.assertTrue(server.logged(re.escape(phone_print)))
            self.assertNotIn("A secret wish", phone.titles())

            # Trust takes effect while the server runs.
            self.trust(laptop, phone_print, "phone")
            listener = self.eavesdropper(server.port)
            phone.sync("{}#{}".format(listener.address, laptop_print))
            self.assertConverged(laptop, phone)
            self.assertGreater(len(listener.seen), 500)
            self.assertNotIn(b"secret", listener.seen)

            wrong = phone.sync("{}#{}".format(server.address, phone_print), codes=(tandem.REFUSED,))
            self.assertIn(laptop_print, wrong.errors, "whom one has met instead")

    def test_in_a_space_without_keys_the_same_eavesdropper_reads_all(self):
        laptop, phone = self.pair(plain=True)
        laptop.add("A secret, in plain on one machine")
        with laptop.serve() as server:
            plain = self.eavesdropper(server.port)
            phone.sync(plain.address)
            self.assertIn(b"secret", plain.seen)

    def test_a_key_that_others_can_read_is_refused_until_it_is_repaired(self):
        laptop, _ = self.pair()
        key = os.path.join(laptop.store, "device.key")
        self.assertEqual(0o600, os.stat(key).st_mode & 0o777)
        os.chmod(key, 0o644)
        refused = laptop.run("serve", "--listen", "127.0.0.1:0", codes=(tandem.CONFIGURATION,))
        self.assertIn("chmod 600 " + key, refused.errors)
        os.chmod(key, 0o600)
        with open(key, "r+b") as file:
            file.truncate(100)
        self.assertIn("damaged", laptop.run("serve", "--listen", "127.0.0.1:0", codes=(tandem.CONFIGURATION,)).errors)

    def test_a_damaged_list_of_trusted_devices_is_told(self):
        laptop, _ = self.pair()
        with open(os.path.join(laptop.store, "trusted"), "w") as trusted:
            trusted.write("# mine\nnonsense\n")
        self.assertIn("line 2", laptop.run("serve", "--listen", "127.0.0.1:0", codes=(tandem.CONFIGURATION,)).errors)


if __name__ == "__main__":
    unittest.main()
