"""Whoever stands at the door: other accounts of the machine, squatters of a port, crowds."""

import collections
import json
import os
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
import unittest

import tandem_process as tandem
import wire
from relay_case import RelayTestCase
from test_relay import Relay

# An account that owns nothing: nobody.
STRANGER = 65534
# One that every account may run.
PYTHON = next(path for path in ("/usr/bin/python3", sys.executable) if os.path.exists(path))
TITLE = "Not for other accounts"
CROWD_PER_SECOND = 300


def as_stranger(script, *words):
    """Runs Python as another account; answers what it printed."""
    def become():
        os.setgroups([])
        os.setgid(STRANGER)
        os.setuid(STRANGER)

    done = subprocess.run(
        [PYTHON, "-c", script, *map(str, words)], preexec_fn=become, cwd="/",
        capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def needs_root(test):
    return unittest.skipUnless(os.geteuid() == 0, "another account can be taken by root alone")(test)


class Squatter:
    """Takes a port or a path before the real server does, and keeps what it is sent."""

    def __init__(self, key=None, path=None):
        if path is None:
            self.socket = socket.create_server(("127.0.0.1", 0))
            self.address = "127.0.0.1:{}".format(self.socket.getsockname()[1])
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.bind(path)
            self.socket.listen()
        self.context = None
        if key is not None:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.minimum_version = ssl.TLSVersion.TLSv1_3
            self.context.set_alpn_protocols(["tandem/1"])
            self.context.load_cert_chain(key)
        self.heard, self.opened = b"", b""
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                link, _ = self.socket.accept()
            except OSError:
                return
            link.settimeout(3)
            try:
                if self.context is not None:
                    with self.context.wrap_socket(link, server_side=True) as secure:
                        self.opened += secure.recv(65536)
                        continue
                self.heard += link.recv(65536)
                # A hello of the space that it guesses would be the next; any answer will do.
                link.sendall(wire.frame(wire.hello()))
                self.heard += link.recv(65536)
            except OSError:
                pass
            finally:
                link.close()

    def close(self):
        self.socket.close()


class OtherAccounts(tandem.TandemTestCase):
    def laptop(self):
        laptop = self.device("laptop")
        laptop.init()
        laptop.add(TITLE)
        return laptop

    def space(self, device):
        return bytes.fromhex(device.status()["space"].replace("-", ""))

    def test_whoever_connects_to_a_port_of_a_space_with_keys_gets_nothing(self):
        laptop = self.laptop()
        hello = wire.frame(wire.hello(space=self.space(laptop)))
        with laptop.serve(tcp=True) as server:
            received, has_closed = wire.talk(server.port, [hello], seconds=5)
        self.assertTrue(has_closed)
        self.assertEqual(bytes.fromhex("15030300020246"), received, "an alert of TLS alone")

    @needs_root
    def test_another_account_gets_nothing_at_a_port(self):
        laptop = self.laptop()
        home = os.path.join(self.folder, "home")
        os.mkdir(home)
        os.chown(home, STRANGER, STRANGER)
        os.chmod(self.folder, 0o755)
        script = """
import os, subprocess, sys
program, address, home = sys.argv[1:]
environment = dict(os.environ, HOME=home, TANDEM_STORE=home + "/store")
for words in (["init", "--name", "x"], ["init", "--name", "x", "--plain"]):
    done = subprocess.run(
        [program, *words, "--from", address], env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=30)
    print(os.getuid(), done.returncode, done.stderr)
"""
        with laptop.serve(tcp=True) as server:
            told = as_stranger(script, os.path.abspath(tandem.BINARY), server.address, home)
        self.assertIn("{} {}".format(STRANGER, tandem.REFUSED), told)
        self.assertNotIn("\n{} 0 ".format(STRANGER), "\n" + told)
        self.assertFalse(os.path.exists(os.path.join(home, "store", "store.db")), told)

    @needs_root
    def test_another_account_gets_nothing_at_a_socket_even_if_its_mode_is_opened(self):
        laptop = self.laptop()
        hello = wire.frame(wire.hello(space=self.space(laptop)))
        script = """
import socket, sys
link = socket.socket(socket.AF_UNIX)
link.settimeout(5)
try:
    link.connect(sys.argv[1])
    link.sendall(bytes.fromhex(sys.argv[2]))
    print("received", link.recv(65536).hex())
except OSError as error:
    print(type(error).__name__)
"""
        with laptop.serve() as server:
            path = server.address[len("unix:"):]
            self.assertEqual(0o600, os.stat(path).st_mode & 0o777)
            os.chmod(self.folder, 0o755)
            self.assertIn("PermissionError", as_stranger(script, path, hello.hex()))
            os.chmod(path, 0o666)
            told = as_stranger(script, path, hello.hex())
            self.assertTrue(
                told.strip() in ("received", "ConnectionResetError", "BrokenPipeError"), told)
            self.assertTrue(server.logged("another account"))
        self.assertFalse(os.path.exists(path), "a server takes its socket away")

    def test_a_socket_in_a_folder_that_others_reach_is_refused(self):
        laptop = self.laptop()
        os.chmod(self.folder, 0o755)
        told = laptop.run(
            "serve", "--listen", "unix:" + laptop.store + ".sock", codes=(tandem.REFUSED, tandem.CONFIGURATION, tandem.USAGE))
        self.assertIn("other accounts can reach", told.errors)

    def test_a_socket_that_a_killed_server_left_is_taken_over_and_one_in_use_is_not(self):
        laptop = self.laptop()
        server = laptop.serve()
        server.begin()
        self.addCleanup(server.kill)
        told = laptop.run("serve", "--listen", server.address, codes=tandem.NAMED_CODES - {tandem.OK})
        self.assertIn("another program listens there", told.errors)
        server.kill()
        with laptop.serve() as again:
            self.assertEqual(server.address, again.address)

    def test_a_squatter_of_the_port_is_sent_nothing(self):
        laptop, phone, stranger = self.laptop(), self.device("phone"), self.device("stranger")
        # A device that came over a socket has no keys, and cannot know whether the others have.
        with laptop.serve() as server:
            phone.join(server.address)
        phone.add(TITLE)
        stranger.init()
        key = os.path.join(stranger.store, "device.key")
        for device in (laptop, phone):
            plain, secure = Squatter(), Squatter(key)
            self.addCleanup(plain.close)
            self.addCleanup(secure.close)
            device.sync(plain.address, codes=tandem.NAMED_CODES - {tandem.OK})
            self.assertEqual(b"\x16\x03", plain.heard[:2], "it begins with TLS, and nothing else")
            self.assertNotIn(TITLE.encode(), plain.heard)
            self.assertNotIn(self.space(laptop), plain.heard)
            device.sync(secure.address, codes=(tandem.REFUSED,))
            self.assertEqual(b"", secure.opened)

    @needs_root
    def test_a_squatter_of_the_socket_is_sent_nothing(self):
        laptop = self.laptop()
        folder = os.path.join(self.folder, "theirs")
        os.mkdir(folder)
        path = os.path.join(folder, "socket")
        os.chown(folder, STRANGER, STRANGER)
        os.chmod(self.folder, 0o755)
        script = """
import os, socket, sys
door = socket.socket(socket.AF_UNIX)
door.bind(sys.argv[1] + "-new")
door.listen()
os.rename(sys.argv[1] + "-new", sys.argv[1])
door.settimeout(20)
link, _ = door.accept()
link.settimeout(5)
print("received", link.recv(65536).hex())
"""
        told = []
        thread = threading.Thread(target=lambda: told.append(as_stranger(script, path)))
        thread.start()
        until = time.monotonic() + 20
        while not os.path.exists(path) and time.monotonic() < until:
            time.sleep(0.02)
        refused = laptop.sync("unix:" + path, codes=tandem.NAMED_CODES - {tandem.OK})
        thread.join(30)
        self.assertIn("another account", refused.errors)
        self.assertEqual("received", told[0].strip())

    def test_plain_tcp_is_refused_where_the_space_has_keys(self):
        laptop = self.laptop()
        for words in (
                ("sync", "127.0.0.1:1", "--insecure"), ("serve", "--listen", "127.0.0.1:0", "--insecure"),
                ("daemon", "--listen", "127.0.0.1:0", "--insecure")):
            told = laptop.run(*words, codes=(tandem.USAGE,))
            self.assertIn("--insecure is for spaces without encryption", told.errors)
        told = self.device("phone").run("init", "--insecure", "--from", "127.0.0.1:1", codes=(tandem.USAGE,))
        self.assertIn("--plain as well", told.errors)


class Crowd:
    """Connects from one address again and again, and says nothing."""

    def __init__(self, port, source="127.0.0.66"):
        self.port, self.source = port, source
        self.links = collections.deque(maxlen=2500)
        self.count, self.is_over = 0, False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        # More than a listener has room for.
        time.sleep(4)
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join(10)
        for link in self.links:
            link.close()

    def run(self):
        start = time.monotonic()
        while not self.is_over:
            if self.count > (time.monotonic() - start) * CROWD_PER_SECOND:
                time.sleep(0.002)
                continue
            self.count += 1
            if len(self.links) == self.links.maxlen:
                self.links.popleft().close()
            link = socket.socket()
            link.settimeout(2)
            try:
                link.bind((self.source, 0))
                link.connect(("127.0.0.1", self.port))
                self.links.append(link)
            except OSError:
                link.close()


class SlowWire:
    """Carries bytes to a port from an address of its own, each piece late."""

    def __init__(self, port, seconds, source="127.0.0.5"):
        self.port, self.source, self.seconds = port, source, seconds
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:{}".format(self.door.getsockname()[1])
        self.sockets = [self.door]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                client, _ = self.door.accept()
                server = socket.create_connection(
                    ("127.0.0.1", self.port), timeout=30, source_address=(self.source, 0))
            except OSError:
                return
            self.sockets += [client, server]
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        try:
            while True:
                data = one.recv(65536)
                time.sleep(self.seconds)
                if not data:
                    break
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            # The other end hears of it as well.
            for end in (one, other):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        for one in self.sockets:
            one.close()


class Crowds(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        self.laptop_device, self.phone = self.device("laptop"), self.device("phone")
        self.laptop_device.init()
        self.laptop_device.add("Through the crowd")

    def slow(self, port, seconds):
        wire_to = SlowWire(port, seconds)
        self.addCleanup(wire_to.close)
        return wire_to

    def test_a_silent_crowd_from_one_address_keeps_no_device_out_of_serve(self):
        with self.laptop_device.serve(tcp=True) as server:
            code = self.laptop_device.invite("--address", server.address)
            self.phone.run("join", code, "--name", "phone")
            self.laptop_device.add("Since then")
            own = next(
                found["fingerprint"] for found in self.laptop_device.run("devices", "--json").values()
                if found["thisOne"])
            slow = self.slow(server.port, 0.5)
            with Crowd(server.port) as crowd:
                result = self.phone.sync("{}#{}".format(slow.address, own))
            self.report("synced in {:.1f} s beside {} silent connections".format(
                result.seconds, crowd.count))
        self.assertConverged(self.laptop_device, self.phone)

    def test_a_silent_crowd_from_one_address_keeps_no_device_out_of_a_relay(self):
        folder = os.path.join(self.folder, "relay")
        os.mkdir(folder)
        relay = Relay(folder)
        self.addCleanup(relay.end)
        address = relay.told["relay"]
        code = self.laptop_device.invite("--relay", address)
        self.phone.run("join", code, "--name", "phone")
        self.laptop_device.add("Since then")
        self.laptop_device.run("sync")
        slow = self.slow(relay.port("address"), 1.3)
        with Crowd(relay.port("address")) as crowd:
            result = self.phone.sync("relay://{}#{}".format(slow.address, address.split("#")[1]))
        self.report("synced in {:.1f} s beside {} silent connections".format(
            result.seconds, crowd.count))
        self.assertConverged(self.laptop_device, self.phone)


class OneDevice(RelayTestCase):
    """The operator of a relay tells one device from another, and puts it out."""

    def operate(self, *words, codes=(tandem.OK,)):
        done = subprocess.run(
            [tandem.BINARY, "relay", "--folder", os.path.join(self.relay.folder, "spaces"), *words],
            env={**os.environ, **self.relay.environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, codes, done)
        return done

    def listed(self):
        return {
            found["fingerprint"]: found for found in
            map(json.loads, self.operate("--devices", "--json").stdout.splitlines())}

    def fingerprint(self, device):
        return next(
            found["fingerprint"] for found in device.run("devices", "--json").values()
            if found["thisOne"])

    def test_a_device_that_is_put_out_is_out_at_once_and_its_new_key_too(self):
        laptop, phone = self.paired()
        laptop.run("sync")
        prints = [self.fingerprint(device) for device in (laptop, phone)]
        self.assertEqual(sorted(prints), sorted(self.listed()))
        self.assertIn("device=" + prints[1], self.relay.log())
        live = phone.start("sync", self.relay.told["relay"], "--live")
        self.addCleanup(tandem.kill, live)
        time.sleep(1)
        self.assertIsNone(live.poll())
        space = laptop.status()["space"]
        self.operate("--put-out", "{}/{}".format(space, prints[1]))
        self.assertEqual(tandem.REFUSED, live.wait(10))
        self.assertTrue(self.listed()[prints[1]]["putOut"])
        self.assertFalse(self.listed()[prints[0]]["putOut"])
        refused = phone.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("put this device out", refused.errors)
        self.assertIn("put this device out", phone.run("status", "--exit-code", codes=(tandem.REFUSED,)).output)
        self.assertIn("put out by the relay's operator", phone.run("devices", "--log").output)
        # The thief has the secret of the space, and makes another key.
        thief = self.device("thief")
        shutil.copytree(phone.store, thief.store)
        os.remove(os.path.join(thief.store, "device.key"))
        refused = thief.run("sync", codes=(tandem.REFUSED,))
        self.assertIn("this one was never there", refused.errors)
        self.assertIn("tandem revoke --nobody", refused.errors)
        # Nor can it be the first to bring the next secret.
        thief.run("revoke", "--nobody", codes=tandem.NAMED_CODES)
        refused = thief.run("sync", codes=(tandem.REFUSED,))
        laptop.add("Not for the phone")
        laptop.run("sync")
        laptop.run("revoke", "phone", "--yes")
        tablet = self.device("tablet")
        code = laptop.invite()
        tablet.run("join", code, "--name", "tablet")
        self.assertEqual(["Not for the phone"], tablet.titles())
        phone.run("sync", codes=(tandem.REFUSED,))
        self.assertNotIn("Not for the phone", phone.titles() + thief.titles())

    def test_a_device_at_its_own_limit_of_bytes_still_reads_and_holds_back_nobody(self):
        laptop, phone = self.paired()
        phone.run("sync")
        laptop.run("sync")
        listening = self.relay.told["relay"].split("#")[0].split("//")[1]
        self.relay.end()
        self.relay = self.start_relay("--device-bytes", "4K", "--listen", listening)
        laptop.add("Kumquat")
        laptop.run("sync")
        for number in range(40):
            laptop.add("To-do number {} of those that fill the day's room".format(number))
        # What is on its way when the room is used up still comes in; what is sent after that does not.
        laptop.run("sync")
        laptop.add("One too many")
        phone.add("Quince")
        phone.run("sync")
        refused = laptop.run("sync", codes=tandem.NAMED_CODES - {tandem.OK})
        self.assertIn("this device may add 4", refused.errors)
        self.assertIn("Quince", laptop.titles())
        phone.add("Medlar")
        phone.run("sync")
        self.assertLessEqual({"Kumquat", "Quince", "Medlar"}, set(phone.titles()))
        self.assertNotIn("One too many", phone.titles())

    def test_a_word_that_fits_no_device_puts_nobody_out(self):
        laptop, phone = self.paired()
        space, other = laptop.status()["space"], "-".join(["0123"] * 16)
        for named, code in (
                ("{}/{}".format(space, other), tandem.NOTHING),
                ("{}/{}".format("0" * 8 + space[8:], other), tandem.NOTHING),
                ("x/" + other, tandem.USAGE), (space, tandem.USAGE)):
            self.operate("--put-out", named, codes=(code,))
        phone.run("sync")


if __name__ == "__main__":
    unittest.main()
