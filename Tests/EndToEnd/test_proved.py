"""In a crowd from everywhere, an address at which a device proved itself before goes last: at serve and at a relay."""

import os
import resource
import socket
import time

import tandem_process as tandem
from test_relay import Relay

# More than serve, and a relay, let into the handshake.
SERVE_COUNT, RELAY_COUNT = 300, 1100
WAIT_SECONDS = 8


class Proved(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.laptop, self.phone = self.device("laptop"), self.device("phone")
        self.laptop.init()
        self.laptop.add("Through the crowd")

    def silent(self, port, source):
        """A connection from an address of this machine that says nothing."""
        link = socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(source, 0))
        self.addCleanup(link.close)
        link.setblocking(False)
        return link

    def is_open(self, link):
        try:
            return link.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def crowd(self, port, count):
        """A stranger who is first, a connection from the proved address, and a crowd of one from each address."""
        first = self.silent(port, "127.0.9.9")
        proved = self.silent(port, "127.0.0.1")
        for number in range(count):
            self.silent(port, "127.0.{}.{}".format(1 + number // 200, 1 + number % 200))
        until = time.monotonic() + WAIT_SECONDS
        while self.is_open(first):
            self.assertLess(time.monotonic(), until, "the crowd is not dropped")
            time.sleep(0.02)
        self.assertTrue(self.is_open(proved), "the address of a device went with the crowd")

    def test_at_serve(self):
        with self.laptop.serve(tcp=True) as server:
            code = self.laptop.invite("--address", server.address)
            self.phone.run("join", code, "--name", "phone")
            self.phone.sync(server.address)
            self.crowd(server.port, SERVE_COUNT)
            self.laptop.add("Since then")
            self.phone.sync(server.address)
        self.assertConverged(self.laptop, self.phone)

    def test_at_a_relay(self):
        folder = os.path.join(self.folder, "relay")
        os.mkdir(folder)
        relay = Relay(folder)
        self.addCleanup(relay.end)
        code = self.laptop.invite("--relay", relay.told["relay"])
        self.phone.run("join", code, "--name", "phone")
        self.crowd(relay.port("address"), RELAY_COUNT)
        self.laptop.add("Since then")
        for device in (self.laptop, self.phone):
            device.run("sync")
        self.assertConverged(self.laptop, self.phone)
