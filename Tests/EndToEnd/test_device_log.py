"""What `devices --log` tells: who joined, who was revoked, who was refused."""

import socket

import tandem_process as tandem


class DeviceLog(tandem.TandemTestCase):
    def join(self, first, server, name):
        """A device that the first one invites over a direct link."""
        device = self.device(name)
        code = first.invite("--address", server.address)
        device.run("join", code, "--name", name)
        return device

    def log(self, device):
        return device.run("devices", "--log", "--json").values()

    def of_kind(self, device, kind):
        return [event for event in self.log(device) if event["event"] == kind]

    def test_joins_revocations_and_refusals_are_told_on_every_device(self):
        laptop = self.device("laptop")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            phone = self.join(laptop, server, "phone")
            tablet = self.join(laptop, server, "tablet")
            phone.run("sync")
            joined = {event["device"] for event in self.of_kind(laptop, "joined")}
            self.assertEqual({"laptop", "phone", "tablet"}, joined)
            admitted = self.of_kind(laptop, "admitted")
            self.assertEqual({"phone", "tablet"}, {event["device"] for event in admitted})
            self.assertEqual({"127.0.0.1"}, {event["address"] for event in admitted})
            laptop.run("revoke", "tablet", "--yes")
            own = self.of_kind(laptop, "revoked")[0]
            self.assertEqual(("tablet", None), (own["device"], own["by"]))
            phone.run("sync")
            tablet.run("sync", codes=tandem.NAMED_CODES - {tandem.OK})
            # Who was refused is noted before it hears so.
            server.kill()
        told = self.of_kind(phone, "revoked")[0]
        self.assertEqual(("tablet", "laptop"), (told["device"], told["by"]))
        refused = self.of_kind(laptop, "refused")[0]
        self.assertEqual(("tablet", "revoked"), (refused["device"], refused["reason"]))
        here = self.of_kind(tablet, "refused-here")[0]
        self.assertEqual("revoked", here["reason"])
        text = laptop.run("devices", "--log").output
        self.assertIn("was revoked by this device", text)
        self.assertIn("was refused at 127.0.0.1: revoked", text)
        times = [event["time"] for event in self.log(laptop)]
        self.assertEqual(sorted(times, reverse=True), times, "the latest first")

    def test_strangers_at_the_same_address_hide_no_refusal(self):
        laptop = self.device("laptop")
        laptop.init()
        with laptop.serve(tcp=True) as server:
            tablet = self.join(laptop, server, "tablet")
            laptop.run("revoke", "tablet", "--yes")
            host, port = server.address.split("#")[0].rsplit(":", 1)
            # More than the lines that a log has of one address in a minute.
            for _ in range(25):
                with socket.create_connection((host, int(port)), timeout=20) as stranger:
                    stranger.sendall(b"no handshake of TLS\r\n\r\n")
                    try:
                        while stranger.recv(4096):
                            pass
                    except ConnectionError:
                        pass
            tablet.run("sync", codes=tandem.NAMED_CODES - {tandem.OK})
            server.kill()
        refused = self.of_kind(laptop, "refused")
        self.assertEqual([("tablet", "revoked")], [(one["device"], one["reason"]) for one in refused if one["device"]])
