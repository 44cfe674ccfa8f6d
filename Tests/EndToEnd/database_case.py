"""A PostgreSQL server of a test's own, and relay processes on it."""

import glob
import os
import pwd
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

import tandem_process as tandem
from test_relay import Relay

PROGRAM = os.path.join(os.path.dirname(tandem.BINARY), "tandem-relay")
# Where connections of the balancer come from; other ones come from 127.0.0.1.
BALANCER_ADDRESS = "127.0.0.2"
SETTINGS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "Tools", "relay", "haproxy.cfg")
SERVER_PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1:]


def is_built():
    """Whether the relay was built with PostgreSQL, and a server is installed; an error where both have to be."""
    found = may_run()
    if not found and os.environ.get("TANDEM_TESTS_NEED_DATABASE"):
        raise RuntimeError("there is no PostgreSQL, or {} was built without it".format(PROGRAM))
    return found


def may_run():
    return bool(SERVER_PROGRAMS) and os.access(PROGRAM, os.X_OK) and subprocess.run(
        [PROGRAM, "check"], capture_output=True).returncode == 0 and subprocess.run(
            [tandem.BINARY, "relay", "check", "--store", "postgresql://127.0.0.1:1/none"],
            capture_output=True).returncode != tandem.UNAVAILABLE


class Database:
    """It runs as an ordinary user, as it refuses to be run by root, on a Unix socket alone."""

    def __init__(self):
        # A socket's path is short.
        self.folder = tempfile.mkdtemp(prefix="tandem-pg-", dir="/tmp")
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.folder, nobody.pw_uid, nobody.pw_gid)
        self.data = os.path.join(self.folder, "data")
        self.url = "postgresql://relay@/postgres?host=" + self.folder
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "relay", "--no-sync", "-N")
        self.start()

    def run(self, program, *words):
        line = [os.path.join(SERVER_PROGRAMS[0], program), *words]
        if os.getuid() == 0:
            line = ["runuser", "-u", "nobody", "--", *line]
        subprocess.run(
            line, check=True, timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)

    def query(self, statement):
        """The rows that it answers, a line each, with bars between the columns."""
        return subprocess.run(
            [os.path.join(SERVER_PROGRAMS[0], "psql"), "-XAtq", "-d", self.url, "-c", statement],
            check=True, timeout=60, stdin=subprocess.DEVNULL, capture_output=True,
            text=True).stdout.splitlines()

    def start(self):
        self.run(
            "pg_ctl", "-D", self.data, "-s", "-w", "-l", os.path.join(self.folder, "log"), "-o",
            "-c listen_addresses='' -k {} -c fsync=off".format(self.folder), "start")

    def stop(self, how="immediate"):
        self.run("pg_ctl", "-D", self.data, "-s", "-w", "-m", how, "stop")

    def end(self):
        try:
            self.stop()
        except subprocess.SubprocessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


class Balancer:
    """One address before several processes: haproxy with the settings that Tools/relay has for it."""

    def __init__(self, ports):
        with open(SETTINGS) as file:
            text = file.read()
        servers = re.findall(r"(?m)^    server \S+ \S+\n", text)
        assert len(ports) <= len(servers) and "\n    maxconn 20000\n" in text, text
        for number, line in enumerate(servers):
            text = text.replace(line, "" if number >= len(ports) else "    server relay-{} 127.0.0.1:{} source {}\n".format(
                number, ports[number], BALANCER_ADDRESS))
        # So many need more open files than a test has.
        text = text.replace("\n    maxconn 20000\n", "\n    maxconn 450\n")
        # It gets a socket that listens, so nobody else can take the port meanwhile, and nobody has to wait for it.
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
            text, count = re.subn(r"(?m)^    bind :\d+$", "    bind fd@{}".format(listener.fileno()), text)
            assert count == 1, text
            self.folder = tempfile.mkdtemp(prefix="tandem-balancer-")
            settings = os.path.join(self.folder, "haproxy.cfg")
            with open(settings, "w") as file:
                file.write(text)
            self.process = self.start(settings, listener)

    def start(self, settings, listener):
        line = [balancer(), "-db", "-f", settings]
        shared = {"stdin": subprocess.DEVNULL, "pass_fds": [listener.fileno()]}
        checked = subprocess.run([*line, "-c"], capture_output=True, text=True, timeout=20, **shared)
        if checked.returncode != 0:
            raise AssertionError("haproxy refuses its settings: " + checked.stderr)
        with open(os.path.join(self.folder, "log"), "w") as log:
            return subprocess.Popen(line, stdout=log, stderr=log, **shared)

    def log(self):
        with open(os.path.join(self.folder, "log")) as file:
            return file.read()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(20)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def balancer():
    """The program; Debian has it in a folder that not everybody searches."""
    return shutil.which("haproxy") or "/usr/sbin/haproxy"


def start_relay(database, folder, number, port=0, settings=""):
    """One of the processes on a database; all in the folder have one key."""
    key_folder = os.path.join(folder, "key")
    own_folder = os.path.join(folder, "relay-{}".format(number))
    for made in (key_folder, own_folder):
        os.makedirs(made, exist_ok=True)
    if not os.path.islink(os.path.join(own_folder, "spaces")):
        os.symlink(key_folder, os.path.join(own_folder, "spaces"))
    return Relay(
        own_folder, "--listen", "127.0.0.1:{}".format(port or tandem.free_port()),
        settings="unproved-per-address = 1000\nproxies = {}\n".format(BALANCER_ADDRESS) + settings,
        environment={"TANDEM_RELAY_STORE": database.url})


class SharedRelay:
    """Several processes on a database of their own, for tests of one relay: each connection comes to the next process."""

    PROCESS_COUNT = 3

    def __init__(self, folder, settings=""):
        self.database = Database()
        self.relays, self.door = [], None
        try:
            for number in range(self.PROCESS_COUNT):
                self.relays.append(start_relay(self.database, folder, number, settings=settings))
        except BaseException:
            self.end()
            raise
        self.door = Balancer([relay.port("address") for relay in self.relays])
        first = self.relays[0]
        self.folder, self.environment = first.folder, first.environment
        self.told = {
            **first.told,
            "relay": "relay://127.0.0.1:{}#{}".format(self.door.port, first.told["fingerprint"])}

    def log(self):
        return "".join(relay.log() for relay in self.relays)

    def end(self):
        """Ends all; the first exit code that is not 0, or 0."""
        if self.door:
            self.door.end()
        try:
            ended = [relay for relay in self.relays if relay.process.poll() is not None]
            codes = [relay.end() for relay in self.relays]
        finally:
            self.relays = []
            self.database.end()
        if ended:
            raise AssertionError("a process had ended before: {}".format(codes))
        return next((code for code in codes if code), 0)


@unittest.skipUnless(is_built(), "without PostgreSQL: built with its trait, and installed, by ./Tools/test")
class DatabaseTestCase(tandem.TandemTestCase):
    """A test with a database and relay processes on it, which all have one key."""

    PROCESS_COUNT = 3

    def setUp(self):
        super().setUp()
        self.database = Database()
        self.addCleanup(self.database.end)
        self.relays = []
        # The logs of processes that were upgraded.
        self.ended_logs = []
        self.addCleanup(lambda: [relay.end() for relay in self.relays])
        for number in range(self.PROCESS_COUNT):
            self.relays.append(self.start_relay(number))
        self.ports = [relay.port("address") for relay in self.relays]
        self.fingerprint = self.relays[0].told["fingerprint"] if self.relays else None

    def start_relay(self, number, port=0):
        return start_relay(self.database, self.folder, number, port=port)

    def address(self, *ports):
        places = ",".join("127.0.0.1:{}".format(port) for port in ports)
        return "relay://{}#{}".format(places, self.fingerprint)

    def upgrade(self, number):
        """Ends a process as an upgrade does, and starts the next one in its place."""
        self.assertEqual(self.relays[number].end(), 0)
        with open(self.relays[number].errors.name) as log:
            self.ended_logs.append(log.read())
        self.relays[number] = self.start_relay(number, self.ports[number])
