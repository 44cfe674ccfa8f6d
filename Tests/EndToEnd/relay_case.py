"""Devices with a relay of their own."""

import os

import tandem_process as tandem
from test_relay import Relay


class RelayTestCase(tandem.TandemTestCase):
    """A test with one relay, which is ended with it; `relay` may be another one by then, or None."""

    def setUp(self):
        super().setUp()
        self.relay_folder = os.path.join(self.folder, "relay")
        os.mkdir(self.relay_folder)
        self.relay = self.start_relay()
        self.addCleanup(lambda: self.relay.end() if self.relay else None)

    def start_relay(self, *words):
        return Relay(self.relay_folder, *words)

    def paired(self):
        """A laptop, and a phone that it has invited over the relay."""
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init()
        code = laptop.invite("--relay", self.relay.told["relay"])
        phone.run("join", code, "--name", "phone")
        return laptop, phone
