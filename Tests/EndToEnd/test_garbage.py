"""Garbage on the port: a clear error on both sides, no crash, no memory, the store untouched."""

import socket
import struct
import threading
import unittest

import tandem_process as tandem
import wire

MEBIBYTE = 1024 * 1024
GROWTH_BYTES_MAX = 24 * MEBIBYTE


def nested(depth, opening=b"\x81"):
    """CBOR that nests: lists in lists, as deep as told."""
    return opening * depth + b"\x00"


def samples(chance):
    """What a broken or hostile peer may send: (name, pieces, whether it then closes its side)."""
    noise = bytes(chance.getrandbits(8) for _ in range(4096))
    good = wire.hello()
    rows = [
        ("random bytes", [noise], False),
        ("random bytes after a small length", [struct.pack(">I", 64) + noise[:72]], False),
        ("nothing, then the end", [], True),
        ("HTTP", [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"], False),
        ("TLS greeting", [bytes.fromhex("16030100a5010000a10303") + noise[:160]], False),
        ("huge length", [b"\xff\xff\xff\xff"], False),
        ("length one over the limit", [struct.pack(">I", wire.FRAME_BYTES_MAX + 1)], False),
        ("huge length with bytes after it", [b"\x7f\xff\xff\xff" + bytes(MEBIBYTE)], False),
        ("length of zero", [wire.frame(b"")], False),
        ("truncated frame", [wire.frame(good)[:-5]], True),
        ("truncated length", [wire.frame(good)[:3]], True),
        ("wrong checksum", [wire.frame(good, checksum=1)], False),
        ("deep lists", [wire.frame(nested(100_000))], False),
        ("deep maps", [wire.frame(nested(100_000, b"\xa1\x00"))], False),
        ("deep tags", [wire.frame(nested(100_000, b"\xc1"))], False),
        ("deep value in a hello", [wire.frame(b"\xa2\x00\x01\x01" + nested(50_000))], False),
        ("list that claims 2^63 items", [wire.frame(b"\x9b\x7f" + b"\xff" * 7)], False),
        ("text that claims 2^40 bytes", [wire.frame(b"\x7b" + struct.pack(">Q", 1 << 40))], False),
        ("a hello that is a text", [wire.frame(wire.cbor("hello"))], False),
        ("an empty map", [wire.frame(wire.cbor({}))], False),
        ("unknown kind that must be known", [wire.frame(wire.cbor({0: 99}))], False),
        ("changes before any hello", [wire.frame(wire.cbor({0: 2, 1: [], 2: []}))], False),
        ("acknowledgement before any hello", [wire.frame(wire.cbor({0: 3, 1: 5}))], False),
        ("hello with a short id", [wire.frame(wire.hello(replica=b"\x01"))], False),
        ("hello with a text for a space", [wire.frame(wire.hello(space="space"))], False),
        ("hello with an unknown rule", [wire.frame(wire.hello(policy=77))], False),
        ("hello with half a state summary", [wire.frame(wire.hello(k7=None))], False),
        ("hello with versions upside down", [wire.frame(wire.hello(versions=(9, 2)))], False),
        ("hello with unsorted keys", [wire.frame(b"\xa2\x01\x00\x00\x01")], False),
        ("hello with a doubled key", [wire.frame(b"\xa2\x00\x01\x00\x01")], False),
        ("hello with an unending list", [wire.frame(b"\xa2\x00\x01\x01\x9f\x01\x01\xff")], False),
        ("number longer than needed", [wire.frame(b"\xa1\x00\x18\x01")], False),
        ("bytes after the message", [wire.frame(good + b"\x00")], False),
        ("other space's hello", [wire.frame(good)], False),
        ("two hellos", [wire.frame(good) * 2], False),
        ("newer version's hello", [wire.frame(wire.hello(versions=(900, 901)))], False),
        ("newer hello of another shape",
         [wire.frame(wire.cbor({0: 1, 1: [900, 901], 200: "new"}))], False),
    ]
    for number in range(40):
        damaged = bytearray(wire.frame(good))
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        rows.append(("hello with flipped bits, {}".format(number), [bytes(damaged)], True))
        payload = bytearray(good)
        payload[chance.randrange(len(payload))] = chance.getrandbits(8)
        rows.append(
            ("hello with a changed byte and its checksum, {}".format(number),
             [wire.frame(bytes(payload))], True))
    return rows


class BadClient(tandem.TandemTestCase):
    def test_a_server_survives_bad_clients(self):
        seed, chance = tandem.seeded("garbage")
        rows = samples(chance)
        self.report("seed {}, {} kinds of garbage".format(seed, len(rows)))
        laptop, phone = self.pair(plain=True)
        for number in range(20):
            laptop.add("To-do {}".format(number))
        self.meet(laptop, phone)
        export = laptop.export()
        told = {}
        with laptop.serve() as server:
            wire.talk(server.port, [], seconds=1, closes=True)
            fingerprint = laptop.fingerprint()
            before = server.resident_bytes()
            for name, pieces, closes in rows:
                received, has_closed = wire.talk(server.port, pieces, seconds=5, closes=closes)
                self.assertTrue(server.is_running(), "crashed on: {}\n{}".format(name, server.log()))
                if not closes:
                    self.assertTrue(has_closed, "the server waits on after: " + name)
                told[name] = [
                    message for message in wire.messages(received)
                    if isinstance(message, dict) and message.get(0) == wire.KIND_ERROR]
            after = server.resident_bytes()
            self.report("memory {:.1f} MiB before, {:.1f} MiB after".format(
                before / MEBIBYTE, after / MEBIBYTE))
            self.assertLess(after - before, GROWTH_BYTES_MAX)
            self.assertEqual(fingerprint, laptop.fingerprint(), "the store was touched")
            # The server still does its work.
            phone.sync(server.address)
            log = server.log()
        self.assertEqual(export, laptop.export())
        for name in (
            "random bytes", "huge length", "wrong checksum", "deep lists", "a hello that is a text",
            "changes before any hello", "other space's hello", "newer version's hello",
            "newer hello of another shape",
        ):
            self.assertTrue(told[name], "the peer was told nothing after: " + name)
            self.report("{}: {}".format(name, told[name][0]))
        self.assertTrue(log.strip(), "the server said nothing on its own side")

    def test_memory_stays_bounded_under_many_bad_clients(self):
        laptop, _ = self.pair(plain=True)
        with laptop.serve() as server:
            def wave():
                for _ in range(100):
                    wire.talk(server.port, [b"\x00\x0f\xff\xff" + bytes(200_000)], closes=True)
            wave()
            before = server.resident_bytes()
            wave()
            wave()
            after = server.resident_bytes()
        self.report("200 cut frames of 1 MiB: memory {:+.1f} MiB".format((after - before) / MEBIBYTE))
        self.assertLess(after - before, GROWTH_BYTES_MAX)

    def test_a_silent_client_does_not_block_the_others(self):
        laptop, phone = self.pair(plain=True)
        laptop.add("Buy milk")
        with laptop.serve() as server:
            silent = [
                socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(20)]
            try:
                result = phone.sync(server.address)
            finally:
                for link in silent:
                    link.close()
        self.assertConverged(laptop, phone)
        self.report("synced in {:.2f} s beside 20 silent links".format(result.seconds))


class BadServer(tandem.TandemTestCase):
    def answer(self, pieces, closes):
        """A server that answers one client with the pieces; answers its address and an end."""
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(30)

        def run():
            try:
                link, _ = listener.accept()
                with link:
                    link.settimeout(30)
                    for piece in pieces:
                        link.sendall(piece)
                    if closes:
                        link.shutdown(socket.SHUT_WR)
                    while link.recv(65536):
                        pass
            except OSError:
                pass

        thread = threading.Thread(target=run, daemon=True)
        thread.start()

        def end():
            listener.close()
            thread.join(timeout=30)

        return "127.0.0.1:{}".format(listener.getsockname()[1]), end

    def test_a_client_survives_bad_servers(self):
        _, chance = tandem.seeded("bad server")
        laptop = self.device("laptop")
        laptop.init(plain=True)
        laptop.add("Buy milk")
        export = laptop.export()
        failures = tandem.NAMED_CODES - {tandem.OK, tandem.NOTHING, tandem.CONFLICTS_AWAIT}
        said = {}
        for name, pieces, closes in samples(chance):
            address, end = self.answer(pieces, closes)
            try:
                result = laptop.sync(address, codes=sorted(failures))
            finally:
                end()
            self.assertTrue(result.errors.strip(), "no word about: " + name)
            self.assertLess(result.seconds, 60, name)
            said[name] = "{} ({})".format(result.errors.strip().splitlines()[0], result.code)
        self.assertEqual(export, laptop.export())
        for name in ("random bytes", "huge length", "other space's hello", "newer version's hello"):
            self.report("{}: {}".format(name, said[name]))

    def test_nobody_there(self):
        laptop = self.device("laptop")
        laptop.init()
        address = "127.0.0.1:{}".format(tandem.free_port())
        result = laptop.sync(address, codes=(tandem.UNAVAILABLE,))
        self.assertTrue(result.errors.strip())
        self.report(result.errors.strip().splitlines()[0])


class ForeignSpace(tandem.TandemTestCase):
    def test_two_spaces_do_not_mix(self):
        laptop, stranger = self.device("laptop"), self.device("stranger")
        laptop.init()
        stranger.init()
        laptop.add("Mine")
        stranger.add("Not yours")
        with laptop.serve() as server:
            result = stranger.sync(server.address, codes=(tandem.REFUSED,))
        self.assertIn("space", result.errors)
        self.assertEqual(laptop.titles(), ["Mine"])
        self.assertEqual(stranger.titles(), ["Not yours"])
        self.report(result.errors.strip().splitlines()[0])


class WireSelfTest(unittest.TestCase):
    """This file's own peer speaks as the published references do."""

    def test_siphash_of_its_authors(self):
        key0, key1 = struct.unpack("<QQ", bytes(range(16)))
        self.assertEqual(wire.siphash(bytes(range(15)), key0, key1), 0xA129CA6149BE45E5)

    def test_cbor_comes_back(self):
        value = {0: 1, 1: [1, 300, 70000, 1 << 40], 2: b"\x01" * 30, 3: "größe", 4: None, 5: True}
        self.assertEqual(wire.decoded(wire.cbor(value)), (value, len(wire.cbor(value))))
        self.assertEqual(wire.cbor({0: 1}).hex(), "a10001")
        self.assertEqual(wire.messages(wire.frame(wire.cbor(value)) + b"\x00"), [value])


if __name__ == "__main__":
    unittest.main(verbosity=2)
