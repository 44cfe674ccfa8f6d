"""A PostgreSQL server of a test's own, and relay processes on it."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest

import tandem_process as tandem
from test_relay import Relay

PROGRAM = os.path.join(os.path.dirname(tandem.BINARY), "tandem-relay")
SERVER_PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1:]


def is_built():
    """Whether the relay was built with PostgreSQL, and a server is installed."""
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

    def start(self):
        self.run(
            "pg_ctl", "-D", self.data, "-s", "-w", "-l", os.path.join(self.folder, "log"), "-o",
            "-c listen_addresses='' -k {} -c fsync=off".format(self.folder), "start")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-s", "-w", "-m", "immediate", "stop")

    def end(self):
        try:
            self.stop()
        except subprocess.SubprocessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


class Door:
    """One address before several processes, as a load balancer is: each connection goes to the next that takes it."""

    def __init__(self, ports):
        self.ports = ports
        self.count = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                link, _ = self.listener.accept()
            except OSError:
                return
            for _ in self.ports:
                port = self.ports[self.count % len(self.ports)]
                self.count += 1
                try:
                    other = socket.create_connection(("127.0.0.1", port), 5)
                except OSError:
                    continue
                other.settimeout(None)
                for pair in ((link, other), (other, link)):
                    threading.Thread(target=self.carry, args=pair, daemon=True).start()
                break
            else:
                link.close()

    @staticmethod
    def carry(source, target):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def end(self):
        self.listener.close()


@unittest.skipUnless(is_built(), "without PostgreSQL: built with its trait, and installed, by ./Tools/test")
class DatabaseTestCase(tandem.TandemTestCase):
    """A test with a database and relay processes on it, which all have one key."""

    PROCESS_COUNT = 3

    def setUp(self):
        super().setUp()
        self.database = Database()
        self.addCleanup(self.database.end)
        self.key_folder = os.path.join(self.folder, "key")
        os.mkdir(self.key_folder)
        self.relays = []
        # The logs of processes that were upgraded.
        self.ended_logs = []
        self.addCleanup(lambda: [relay.end() for relay in self.relays])
        for number in range(self.PROCESS_COUNT):
            self.relays.append(self.start_relay(number))
        self.ports = [relay.port("address") for relay in self.relays]
        self.fingerprint = self.relays[0].told["fingerprint"]

    def start_relay(self, number, port=0):
        folder = os.path.join(self.folder, "relay-{}".format(number))
        os.makedirs(folder, exist_ok=True)
        if not os.path.islink(os.path.join(folder, "spaces")):
            os.symlink(self.key_folder, os.path.join(folder, "spaces"))
        return Relay(
            folder, "--listen", "127.0.0.1:{}".format(port),
            settings="unproved-per-address = 1000\n",
            environment={"TANDEM_RELAY_STORE": self.database.url})

    def address(self, *ports):
        places = ",".join("127.0.0.1:{}".format(port) for port in ports)
        return "relay://{}#{}".format(places, self.fingerprint)

    def upgrade(self, number):
        """Ends a process as an upgrade does, and starts the next one in its place."""
        self.assertEqual(self.relays[number].end(), 0)
        with open(self.relays[number].errors.name) as log:
            self.ended_logs.append(log.read())
        self.relays[number] = self.start_relay(number, self.ports[number])
