"""Without the secret nobody reads, writes, takes over or fills up: the relay's disk, the link, a stranger."""

import base64
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import tandem_process as tandem
import wire
from test_relay import Relay
from test_secure import Eavesdropper

MEBIBYTE = 1024 * 1024
TSHARK = shutil.which("tshark")

# Planted in a title, a note, a project, a tag, and the names of devices.
TITLE, EDITED, NOTE, PROJECT, TAG = "Kumquat", "Tamarillo", "Persimmon", "Rambutan", "Mangosteen"
DEVICES = ("Salaktop", "Jabuticaphone", "Cupuatablet")
PLANTED = (TITLE, EDITED, NOTE, PROJECT, TAG) + DEVICES


def forms(word):
    """How a word may stand in bytes: three encodings, both alphabets of base64 at each offset."""
    yield "UTF-8", word.encode()
    yield "UTF-16LE", word.encode("utf-16-le")
    yield "UTF-16BE", word.encode("utf-16-be")
    for shift in range(3):
        text = base64.b64encode(bytes(shift) + word.encode())
        # Bits that share a character with the bytes before or after are left out.
        whole = text[[0, 2, 3][shift]:(shift + len(word)) * 8 // 6]
        yield "base64", whole
        yield "base64, for addresses", whole.replace(b"+", b"-").replace(b"/", b"_")
    yield "hexadecimal", word.encode().hex().encode()


def found(data):
    """Which planted words stand in bytes, in any case of letters."""
    plain = data.lower()
    return {
        (word, form) for word in PLANTED for form, needle in forms(word)
        if needle in data or not form.startswith("base64") and needle.lower() in plain}


class Capture:
    """Everything on the loopback ports of this test, as tshark sees it."""

    def __init__(self, folder, ports):
        self.path = os.path.join(folder, "link.pcapng")
        self.log_path = os.path.join(folder, "link.log")
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(
                [TSHARK, "-i", "lo", "-s", "0", "-w", self.path,
                 "-f", " or ".join("tcp port {}".format(port) for port in ports)],
                stdout=subprocess.DEVNULL, stderr=log)

    def log(self):
        with open(self.log_path) as file:
            return file.read()

    def begin(self):
        """Whether it can capture here: not on every machine may one."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self.process.poll() is None:
            if os.path.exists(self.path) and "Capturing on" in self.log():
                # It says so a little before it does.
                time.sleep(1)
                return True
            time.sleep(0.05)
        self.end()
        return False

    def end(self):
        if self.process.poll() is None:
            time.sleep(1)
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(timeout=20)

    def streams(self):
        """What went over each connection, each way, put together."""
        told = subprocess.run(
            [TSHARK, "-r", self.path, "-Y", "tcp.len > 0", "-T", "fields", "-e", "tcp.stream",
             "-e", "tcp.srcport", "-e", "tcp.payload"],
            capture_output=True, text=True, timeout=120, check=True).stdout
        streams = {}
        for line in told.splitlines():
            stream, port, payload = line.split("\t")
            streams.setdefault((stream, port), bytearray()).extend(
                bytes.fromhex(payload.replace(":", "")))
        return streams


class Secrecy(tandem.TandemTestCase):
    # So long before the last of the guesses, in seconds.
    GUESS_PAUSE = 0

    def relay(self, settings="", name="relay"):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        relay = Relay(folder, settings=settings)
        self.addCleanup(relay.end)
        return relay

    def port(self, address):
        return int(address.split("#")[0].rsplit(":", 1)[1])

    def on_disk(self, relay):
        """All bytes in a relay's folder: stores, logs of the database, its own log."""
        seen = bytearray()
        for folder, _, files in os.walk(relay.folder):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    seen += file.read() + b"\0"
        return bytes(seen)

    def code(self, device, *words):
        return device.invite(*words)

    def use(self, laptop, phone, *addresses):
        """What two users do, with every planted word on its way."""
        todo = laptop.add(
            TITLE + " jam", "notes:from " + NOTE + "s", "project:" + PROJECT, "+" + TAG)
        for device in (laptop, phone):
            for address in addresses:
                device.sync(address)
        phone.edit(todo, EDITED + " jam")
        laptop.edit(todo, TITLE + " jelly")
        for device in (phone, laptop, phone):
            for address in addresses:
                device.sync(address)
        laptop.delete(todo)
        laptop.restore(todo)
        for address in addresses:
            laptop.sync(address)

    def test_the_search_finds_what_is_there(self):
        for word in PLANTED:
            for data in (
                    word.encode(), word.upper().encode(), word.encode("utf-16"),
                    word.encode("utf-16-be"), word.encode().hex().encode(),
                    base64.b64encode(b"x " + word.encode() + b" y"),
                    base64.urlsafe_b64encode(b"x" + word.encode() + b"yz"),
                    base64.b64encode(word.encode())):
                self.assertIn(word, {name for name, _ in found(b"before" + data + b"behind")}, data)

    def spy(self, port):
        """Reads along at a port; answers the port to use and a way to end, which gives the streams."""
        if TSHARK:
            capture = Capture(self.folder, [port])
            if capture.begin():
                self.addCleanup(capture.end)

                def end():
                    capture.end()
                    return capture.streams()
                return port, end, "tshark"
            self.report("tshark cannot capture here: " + capture.log().strip()[:200])
        listener = Eavesdropper(port)
        self.addCleanup(listener.close)
        return (
            int(listener.address.rsplit(":", 1)[1]), lambda: {"proxy": bytes(listener.seen)},
            "a proxy, no capture")

    def test_nothing_planted_is_on_the_relays_disk_or_on_the_link(self):
        relay = self.relay()
        address = relay.told["relay"]
        port, end, how = self.spy(self.port(address))
        address = "relay://127.0.0.1:{}#{}".format(port, address.split("#")[1])
        laptop, phone, tablet = map(self.device, DEVICES)
        laptop.init()
        phone.run("join", self.code(laptop, "--relay", address), "--name", phone.name)
        self.use(laptop, phone, address)
        # A live session, and one more who joins late and reads it all.
        daemon = phone.start("daemon")
        self.addCleanup(tandem.kill, daemon)
        laptop.add("More " + TITLE, "project:" + PROJECT)
        laptop.sync(address)
        tablet.run("join", self.code(laptop), "--name", tablet.name)
        self.assertTrue(any(TITLE in title for title in tablet.titles()))
        self.assertIn(PROJECT, tablet.export())
        self.assertIn(NOTE, tablet.export())
        daemon.terminate()
        daemon.wait(timeout=20)
        streams = end()
        total = sum(map(len, streams.values()))
        disk = self.on_disk(relay)
        self.assertGreater(total, 5000, "the link was watched")
        self.assertGreater(len(disk), 5000)
        for place, data in [("disk", disk)] + list(streams.items()):
            self.assertEqual(set(), found(bytes(data)), place)
        # Names of devices nor the secret either.
        with open(os.path.join(laptop.store, "keyring")) as file:
            secret = bytes.fromhex(re.search(r"secret 1 ([0-9a-f]{64})", file.read()).group(1))
        for data in [disk] + list(streams.values()):
            self.assertNotIn(secret, bytes(data))
        self.report("{} bytes on the link in {} streams (by {}), {} on the disk: nothing".format(
            total, len(streams), how, len(disk)))

    def test_without_encryption_the_same_search_finds_all_of_it(self):
        relay = self.relay("plain-spaces = yes\n")
        port, end, how = self.spy(self.port(relay.told["relay"]))
        address = "relay://127.0.0.1:{}".format(port)
        laptop, phone = map(self.device, DEVICES[:2])
        laptop.run("init", "--name", laptop.name, "--plain")
        with laptop.serve() as server:
            phone.run(
                "join", self.code(laptop, "--address", server.address), "--name", phone.name)
        self.use(laptop, phone, address)
        streams = end()
        words = set(PLANTED) - {DEVICES[2]}
        self.assertLessEqual(words, {word for word, _ in found(self.on_disk(relay))})
        self.assertLessEqual(
            words, {word for data in streams.values() for word, _ in found(bytes(data))}, how)

    # A stranger at the relay

    def held(self, relay):
        """What the relay keeps: spaces, records, versions, bytes of them, changes taken and given."""
        _, text = relay.get("/metrics")
        return re.findall(
            r"^tandem_relay_(?:spaces|stored_\w+|received_changes_total|sent_changes_total) \S+",
            text, re.MULTILINE)

    def test_a_stranger_can_neither_read_nor_write_nor_take_a_space_over(self):
        relay = self.relay()
        address, port = relay.told["relay"], self.port(relay.told["relay"])
        laptop = self.device("laptop")
        laptop.init()
        laptop.add("Mine")
        self.code(laptop, "--relay", address)
        laptop.sync(address)
        space = bytes.fromhex(laptop.status()["space"].replace("-", ""))
        stranger = self.device("stranger")
        stranger.init()
        stranger.run("devices")
        key = os.path.join(stranger.store, "device.key")
        noise, proof = os.urandom(32), os.urandom(64)
        attempts = [
            ("no proof", wire.relay_hello(space, 1), "gave no proof"),
            ("another key", wire.relay_hello(space, 1, k8=noise, k9=proof), "not the right one"),
            ("as if there were no secret", wire.relay_hello(space, 0), "only spaces that have"),
            ("the next secret, without the word of this one",
             wire.relay_hello(space, 2, k8=noise, k9=proof), "generation"),
            ("the next secret, with a made-up word",
             wire.relay_hello(space, 2, k8=noise, k9=proof, k10=os.urandom(64)), "generation"),
            ("a secret of long after",
             wire.relay_hello(space, 4_000_000_000, k8=noise, k9=proof, k10=proof), "generation"),
            ("no relay hello at all",
             wire.changes(b"\x01" * 16, b"\x22" * 16, 1, b"x", 1), "in place of a relay hello"),
        ]
        before = self.held(relay)
        for name, message, expected in attempts:
            for file in (key, None):
                with wire.Line(port, file) as line:
                    line.say(message)
                    told = line.hear_error()
                    self.assertIsNotNone(told, name)
                    self.assertIn(expected, told, name)
        self.assertEqual(before, self.held(relay))
        # Whoever guesses on is told so, and is not in the way of the space's own device at the same address.
        for number in range(12):
            if number == 11:
                time.sleep(self.GUESS_PAUSE)
            with wire.Line(port, key) as line:
                line.say(wire.relay_hello(space, 1, k8=noise, k9=proof))
                told = line.hear_error()
        self.assertIn("proofs of access from this address failed", told)
        self.assertEqual(before, self.held(relay))
        laptop.add("Mine too")
        laptop.sync(address)
        self.assertNotEqual(before, self.held(relay))

    def resident(self, relay):
        with open("/proc/{}/status".format(relay.process.pid)) as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024

    def test_half_received_bodies_do_not_take_the_relays_memory(self):
        limit = 32 * MEBIBYTE
        relay = self.relay("plain-spaces = yes\nheld-bytes = {}M\n".format(limit // MEBIBYTE))
        port = self.port(relay.told["relay"])
        size = 512 * 1024
        # The same for all, as a checksum takes this program long.
        pieces = [
            wire.frame(wire.part(
                b"\x05" * 16, b"\x22" * 16, 70_000_000, turn * size, os.urandom(size)))
            for turn in range(4)]
        before = self.resident(relay)
        lines, refused = [], 0
        try:
            for number in range(100):
                line = wire.Line(port)
                lines.append(line)
                # Each with a space of its own, and 70 MB announced: 7 GB in all.
                space = bytes([number]) * 16
                line.say(wire.relay_hello(space))
                self.assertEqual(wire.KIND_RELAY_HELLO_REPLY, line.hear()[0])
            for piece in pieces:
                for line in lines:
                    try:
                        line.socket.sendall(piece)
                    except OSError:
                        pass
            most = self.resident(relay)
            told = []
            waiting, until = list(lines), time.monotonic() + 30
            while waiting and refused < 80 and time.monotonic() < until:
                silent = []
                for line in waiting:
                    line.socket.settimeout(0.05)
                    try:
                        found_error = line.hear_error()
                    except OSError:
                        silent.append(line)
                        continue
                    refused += 1
                    if found_error:
                        told.append(found_error)
                waiting = silent
            self.report("200 MB of 7 GB sent in 100 halves: {:.0f} MiB before, {:.0f} MiB at most, "
                        "{} sent away".format(before / MEBIBYTE, most / MEBIBYTE, refused))
            # The counted bytes, their copies while they grow, and the allocator's share of both.
            self.assertLess(most - before, 4 * limit)
            self.assertGreaterEqual(refused, 80)
            self.assertTrue(any("unfinished uploads" in text for text in told), told[:3])
            self.assertTrue(all("held-bytes" in text or "unfinished" in text for text in told))
            _, text = relay.get("/metrics")
            self.assertIn('tandem_relay_refusals_total{reason="held-bytes"}', text)
            now = int(re.search(r"^tandem_relay_held_bytes (\d+)", text, re.MULTILINE).group(1))
            self.assertLessEqual(now, limit)
            # In the middle of it somebody else's upload goes through.
            with wire.Line(port) as honest:
                honest.say(wire.relay_hello(b"\xee" * 16))
                honest.hear()
                honest.say(wire.changes(b"\x01" * 16, b"\x33" * 16, 1, b"body", 1))
                self.assertEqual(3, self.next_but_standing(honest)[0])
        finally:
            for line in lines:
                line.socket.close()
        # Of so many lines in a second some are only counted; the next second's first line tells how many.
        time.sleep(1.1)
        with wire.Line(port) as late:
            late.say(wire.relay_hello(b"\xef" * 16))
            late.hear()
        self.assertTrue(
            "reason=held-bytes" in relay.log() or relay.wait_for("lines-left-out"))

    def next_but_standing(self, line):
        while True:
            message = line.hear()
            if message is None or message[0] != 23:
                return message

    def test_devices_that_never_read_do_not_take_the_relays_memory(self):
        relay = self.relay("plain-spaces = yes\n")
        port = self.port(relay.told["relay"])
        space, body = b"\x07" * 16, os.urandom(60_000)

        def read_all():
            """What an honest device is given; it acknowledges as it goes."""
            with wire.Line(port) as line:
                line.say(wire.relay_hello(space, replica=b"\x44" * 16))
                count, batches = 0, 0
                while True:
                    message = line.hear()
                    self.assertIsNotNone(message)
                    self.assertNotEqual(wire.KIND_ERROR, message[0], message)
                    if message[0] == 23:
                        return count
                    if message[0] == wire.KIND_CHANGES:
                        count, batches = count + len(message[3]) // 4, batches + 1
                        line.say(wire.cbor({0: 3, 1: batches}))

        with wire.Line(port) as writer:
            writer.say(wire.relay_hello(space))
            writer.hear()
            for count in range(40):
                writer.say(wire.changes(
                    bytes([count]) * 16, b"\x22" * 16, count + 1, body, count + 1))
                self.assertEqual(3, self.next_but_standing(writer)[0])
        self.assertEqual(40, read_all())
        lines = []
        try:
            before = self.resident(relay)
            for number in range(60):
                line = wire.Line(port, receive_bytes=4096)
                lines.append(line)
                line.say(wire.relay_hello(space, replica=bytes([100 + number]) * 16))
            time.sleep(1)
            after = self.resident(relay)
            _, text = relay.get("/metrics")
            sent = int(re.search(
                r"^tandem_relay_sent_bytes_total (\d+)", text, re.MULTILINE).group(1))
            self.report("60 that never read: {:.0f} MiB on their way, {:+.1f} MiB of memory".format(
                sent / MEBIBYTE, (after - before) / MEBIBYTE))
            # Each has its window on the way, in the system's buffers, and no more.
            self.assertLess(sent, 70 * 2 * MEBIBYTE)
            self.assertLess(after - before, 24 * MEBIBYTE)
            # Readers are served at the same time.
            self.assertEqual(40, read_all())
        finally:
            for line in lines:
                line.socket.close()

    def test_quotas_bound_the_disk(self):
        quota = 2 * MEBIBYTE
        relay = self.filled_relay()
        files = {}
        spaces = os.path.join(relay.folder, "spaces")
        for name in os.listdir(spaces):
            if ".relay" in name:
                files[name] = os.path.getsize(os.path.join(spaces, name))
        # The rows, and the log of the database with what it holds twice for a while.
        self.report("3 spaces of 2 MiB at most: {:.1f} MiB of files".format(
            sum(files.values()) / MEBIBYTE))
        self.assertLess(sum(files.values()), 3 * (quota + 6 * MEBIBYTE))
        self.assertEqual(0, relay.end())
        kept = sum(
            os.path.getsize(os.path.join(spaces, name)) for name in os.listdir(spaces)
            if name.endswith(".relay"))
        self.assertLess(kept, 2 * quota)

    def filled_relay(self):
        """A relay with quotas that others have reached."""
        relay = self.relay(
            "plain-spaces = yes\nspaces = 3\nspace-bytes = 2M\nspace-records = 50\n")
        port = self.port(relay.told["relay"])
        body = os.urandom(60_000)
        told = []
        for number in range(5):
            with wire.Line(port) as line:
                line.say(wire.relay_hello(bytes([number]) * 16))
                message = line.hear()
                if message[0] == wire.KIND_ERROR:
                    told.append(message[2])
                    continue
                for count in range(80):
                    # One space by its bytes, one by its records, one over and over in one record.
                    record = bytes([count if number < 2 else 1]) * 16
                    data = [body, b"small", body][number]
                    try:
                        line.say(wire.changes(record, b"\x22" * 16, count + 1, data, count + 1))
                        message = self.next_but_standing(line)
                    except OSError:
                        break
                    if message is None:
                        break
                    if message[0] == wire.KIND_ERROR:
                        told.append(message[2])
                        break
        self.assertEqual(4, len(told), told)
        for words, text in zip(("bytes", "records", "spaces", "spaces"), told):
            self.assertIn(words, text)
        return relay


if __name__ == "__main__":
    unittest.main(verbosity=2)
