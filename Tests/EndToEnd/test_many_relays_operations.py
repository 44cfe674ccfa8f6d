"""What an operator does with relays on a database: settings, idle spaces, a move that is cut off, passwords and certificates."""

import concurrent.futures
import json
import os
import random
import signal
import socket
import subprocess
import time
import unittest

import tandem_process as tandem
import test_many_relays
import wire
from database_case import BALANCER_ADDRESS, Balancer, Database, DatabaseTestCase, start_relay
from relay_case import RelayTestCase
from test_many_relays_strangers import without_database
from test_relay import Relay

WAIT_SECONDS = 30


def relay_command(*words, environment=None):
    """Runs `tandem relay` to its end."""
    return subprocess.run(
        [tandem.BINARY, "relay", *words], env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_SECONDS)


class Settings(DatabaseTestCase):
    """Each test starts processes of its own."""

    PROCESS_COUNT = 0
    family = test_many_relays.ManyRelays.family

    def start(self, count, settings=""):
        self.relays += [
            start_relay(self.database, self.folder, number, settings=settings) for number in range(count)]
        self.fingerprint = self.relays[0].told["fingerprint"]
        return [relay.port("address") for relay in self.relays]

    def eventually(self, holds):
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, "it never came to hold")
            time.sleep(0.1)

    def test_sighup_reads_settings_again_and_a_mistake_changes_nothing(self):
        self.start(1)
        relay = self.relays[0]
        for text, told in (
                ("spaces = 5\nstore-connections = 7\n", "event=reloaded changed=spaces"),
                ("spaces = five\n", "event=not-reloaded")):
            with open(relay.settings, "w") as file:
                file.write(
                    "listen = 127.0.0.1:0\nmetrics = 127.0.0.1:0\nunproved-per-address = 1000\nproxies = {}\n".format(
                        BALANCER_ADDRESS) + text)
            relay.process.send_signal(signal.SIGHUP)
            self.assertTrue(relay.wait_for(told), relay.log())
        self.assertEqual(relay.get("/ready")[0], 200)

    def say(self, source, port, words):
        """Sends something from an address of this machine, and waits for the end of the answer."""
        with socket.create_connection(("127.0.0.1", port), WAIT_SECONDS, (source, 0)) as link:
            wire.send_all(link, words, closes=True)
            while wire.receive(link, 4096):
                pass

    def test_a_balancer_says_for_whom_a_connection_is_and_nobody_else_can(self):
        ports = self.start(1, "log-level = debug\n")
        relay = self.relays[0]
        balancer = Balancer(ports)
        self.addCleanup(balancer.end)
        self.say("127.0.0.3", balancer.port, b"GET / HTTP/1.0\r\n\r\n")
        self.assertTrue(relay.wait_for("address=127.0.0.3"), relay.log())
        # Version 2, TCP over IPv4, from 203.0.113.9.
        claim = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes([203, 0, 113, 9, 127, 0, 0, 1, 9, 9, 9, 9])
        self.say("127.0.0.4", ports[0], claim)
        self.assertTrue(relay.wait_for("address=127.0.0.4"), relay.log())
        self.say("127.0.0.5", balancer.port, claim)
        self.assertTrue(relay.wait_for("address=127.0.0.5"), relay.log())
        self.assertNotIn("203.0.113.9", relay.log())
        self.say(BALANCER_ADDRESS, ports[0], b"GET / HTTP/1.0\r\n\r\n")
        self.assertTrue(relay.wait_for("did not say for whom it connects"), relay.log())
        # Whoever it is for has the limits of an address for himself.
        laptop, phone = self.family(
            "relay://127.0.0.1:{}#{}".format(balancer.port, self.fingerprint), "laptop", "phone")
        laptop.add("milk")
        laptop.run("sync")
        phone.run("sync")
        self.assertEqual(phone.titles(), ["milk"])
        self.assertNotIn("address={} space".format(BALANCER_ADDRESS), relay.log())

    def test_the_bench_of_relays_on_a_database_still_runs(self):
        done = subprocess.run(
            [os.path.join(os.path.dirname(tandem.BINARY), "bench"), "relay", "--smoke", "--store", self.database.url],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done)
        found = json.loads(done.stdout)
        for name in ("idle", "uploads", "fan_out", "live_edit"):
            self.assertIn("relay_" + name, found)
            self.assertIn("relay_database_" + name, found)

    def test_processes_that_start_at_once_make_the_tables_and_their_key_once(self):
        with concurrent.futures.ThreadPoolExecutor(4) as starting:
            self.relays += starting.map(
                lambda number: start_relay(self.database, self.folder, number), range(4))
        self.assertEqual(1, len({relay.told["fingerprint"] for relay in self.relays}))
        self.assertEqual(["1"], self.database.query("SELECT count(*) FROM tandem_relay.relay_key"))
        # A relay is ready before it listens for the others.
        until = time.monotonic() + WAIT_SECONDS
        listening = []
        while listening != ["4"]:
            self.assertLess(time.monotonic(), until, listening)
            listening = self.database.query(
                "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                "AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')")
        self.assertEqual([], json.loads(relay_command(
            "check", "--json", "--store", self.database.url).stdout)["findings"])

    def test_idle_spaces_are_deleted_once_by_two_processes_and_spaces_in_use_stay(self):
        ports = self.start(1)
        idle, used = [
            self.family(self.address(*ports), name + "-1", name + "-2") for name in ("idle", "used")]
        for devices in (idle, used):
            devices[0].add("Still here")
            devices[0].run("sync")
        space = idle[0].status()["space"]
        self.database.query(
            "UPDATE tandem_relay.device SET first_day = first_day - 40, last_day = last_day - 40 "
            "WHERE space = '{}'".format(space))
        # A process looks at its start, and once an hour after that.
        self.relays.pop().end()
        ports = self.start(2, settings="expire-days = 30\n")
        self.eventually(lambda: self.database.query("SELECT count(*) FROM tandem_relay.space") == ["1"])
        self.assertEqual(["1"], self.database.query("SELECT spaces FROM tandem_relay.total"))
        told = lambda: "".join(relay.log() for relay in self.relays).count("event=space-expired")
        self.eventually(told)
        self.assertEqual(1, told())
        # Whoever comes after all brings everything again.
        for device in idle:
            device.run("sync", self.address(*ports))
        self.assertEqual(["Still here"], idle[1].titles())
        found = json.loads(relay_command("check", "--json", "--store", self.database.url).stdout)
        self.assertEqual(([], 2), (found["findings"], found["spaces"]))

    def test_the_bytes_of_a_device_in_a_day_are_counted_by_all_processes(self):
        ports = self.start(2, settings="device-bytes = 4K\n")
        laptop, phone = self.family(self.address(ports[0]), "laptop", "phone")
        for number in range(40):
            laptop.add("To-do number {} of those that fill the day's room".format(number))
        # What is on its way when the room is used up still comes in.
        laptop.run("sync", codes=tandem.NAMED_CODES)
        # Processes tell each other once a second; what was let in until then is bounded by that.
        results = []

        def is_refused():
            laptop.add("One of those that come until the other process has heard of it")
            results.append(laptop.run("sync", self.address(ports[1]), codes=tandem.NAMED_CODES))
            return results[-1].code != tandem.OK
        self.eventually(is_refused)
        self.assertIn("this device may add 4", results[-1].errors)
        self.report("refused at the other process after {} syncs".format(len(results)))
        laptop.add("One too many")
        laptop.run("sync", self.address(ports[1]), codes=tandem.NAMED_CODES - {tandem.OK})
        phone.add("Medlar")
        phone.run("sync", self.address(ports[1]))
        self.assertNotIn("One too many", phone.titles())


@without_database
class MoveCutOff(RelayTestCase):
    def cut(self, words, wait):
        """Kills a move when the wait is over."""
        process = subprocess.Popen(
            [tandem.BINARY, "relay", *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait()
        process.kill()
        process.wait(WAIT_SECONDS)

    def test_a_move_that_is_killed_again_and_again_comes_to_its_end(self):
        devices = []
        for number in range(6):
            device, other = self.device("d{}".format(number)), self.device("e{}".format(number))
            device.init()
            other.run("join", device.invite("--relay", self.relay.told["relay"]), "--name", other.name)
            path = os.path.join(self.folder, "lines")
            with open(path, "w") as file:
                file.write("".join("To-do {} of {}\n".format(each, number) for each in range(200)))
            device.run("import", path, "--format", "todotxt")
            device.run("sync")
            devices.append((device, other))
        listening = self.relay.told["relay"].split("#")[0].split("//")[1]
        self.relay.end()
        database = Database()
        self.addCleanup(database.end)
        spaces = os.path.join(self.relay_folder, "spaces")
        words = ["move", "--from", spaces, "--to", database.url, "--json"]
        # The first moves end anywhere, the last one among the spaces: a lock that is given up only then stops it there.
        chance = random.Random(18)
        for _ in range(8):
            self.cut(words, lambda: time.sleep(chance.uniform(0.02, 0.12)))
        relay_command("check", "--store", database.url)
        database.query("TRUNCATE tandem_relay.space, tandem_relay.version, tandem_relay.epoch, "
                       "tandem_relay.uploaded, tandem_relay.summary_row, tandem_relay.rekey_message, "
                       "tandem_relay.device; UPDATE tandem_relay.total SET spaces = 0")
        database.query(
            "CREATE FUNCTION tandem_relay.third() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF (SELECT count(*) FROM tandem_relay.space) = 2 THEN PERFORM pg_sleep(60); END IF; "
            "RETURN NEW; END $$; CREATE TRIGGER third BEFORE INSERT ON tandem_relay.space "
            "FOR EACH ROW EXECUTE FUNCTION tandem_relay.third()")

        def await_the_third():
            count = "SELECT count(*) FROM tandem_relay.space"
            end = time.monotonic() + WAIT_SECONDS
            while database.query(count) != ["2"] and time.monotonic() < end:
                time.sleep(0.05)
        self.cut(words, await_the_third)
        self.assertEqual(["2"], database.query("SELECT count(*) FROM tandem_relay.space"))
        database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        database.query("DROP FUNCTION tandem_relay.third CASCADE")
        moved = json.loads(relay_command(*words).stdout)
        self.assertEqual({"moved": 4, "there": 2, "left": [], "isServed": False}, moved)
        found = json.loads(relay_command("check", "--json", "--store", database.url).stdout)
        self.assertEqual(([], 6), (found["findings"], found["spaces"]))
        self.relay = Relay(
            self.relay_folder, "--listen", listening, environment={"TANDEM_RELAY_STORE": database.url})
        for device, other in devices:
            other.run("sync")
            self.assertEqual(sorted(device.titles()), sorted(other.titles()))
            self.assertEqual(200, len(other.titles()))


@without_database
class Doors(tandem.TandemTestCase):
    """A server that asks for a password over TLS."""

    def setUp(self):
        super().setUp()
        self.database = Database()
        self.addCleanup(self.database.end)
        self.port = tandem.free_port()
        self.root = os.path.join(self.folder, "root.crt")
        key, certificate = [os.path.join(self.database.data, name) for name in ("server.key", "server.crt")]
        self.certify(key, certificate)
        with open(certificate) as source, open(self.root, "w") as target:
            target.write(source.read())
        self.database.query("CREATE ROLE guest LOGIN PASSWORD 'correct horse'")
        self.database.query("CREATE DATABASE guests OWNER guest")
        with open(os.path.join(self.database.data, "pg_hba.conf"), "w") as file:
            file.write("local all relay trust\nhostssl guests guest 127.0.0.1/32 scram-sha-256\n")
        self.database.query("ALTER SYSTEM SET listen_addresses = '127.0.0.1'")
        self.database.query("ALTER SYSTEM SET ssl = on")
        self.database.stop("fast")
        self.database.run(
            "pg_ctl", "-D", self.database.data, "-s", "-w", "-l", os.path.join(self.database.folder, "log"),
            "-o", "-c listen_addresses=127.0.0.1 -p {} -k {} -c fsync=off".format(
                self.port, self.database.folder), "start")
        self.passwords = os.path.join(self.folder, "passwords")
        self.write_password("correct horse")

    def certify(self, key, certificate):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
            check=True, capture_output=True, timeout=60)
        os.chmod(key, 0o600)
        owner = os.stat(self.database.data)
        for path in (key, certificate):
            os.chown(path, owner.st_uid, owner.st_gid)

    def write_password(self, word):
        with open(self.passwords, "w") as file:
            file.write("*:{}:guests:guest:{}\n".format(self.port, word))
        os.chmod(self.passwords, 0o600)

    def check(self, *options, host="localhost"):
        url = "postgresql://guest@{}:{}/guests?{}".format(host, self.port, "&".join(options))
        return relay_command("check", "--store", url, environment={"PGPASSFILE": self.passwords})

    def test_a_password_from_its_file_and_a_certificate_let_it_in_and_nothing_else(self):
        root = "sslrootcert=" + self.root
        right = self.check("sslmode=verify-full", root)
        self.assertEqual(tandem.OK, right.returncode, right)
        other = os.path.join(self.folder, "other.crt")
        self.certify(os.path.join(self.folder, "other.key"), other)
        refused = {
            "does not match host name": self.check(
                "sslmode=verify-full", root, "hostaddr=127.0.0.1", host="db.example.org"),
            "certificate verify failed": self.check("sslmode=verify-full", "sslrootcert=" + other),
            "no encryption": self.check("sslmode=disable"),
        }
        # By the same name where only the signature is asked for it is let in.
        self.assertEqual(tandem.OK, self.check(
            "sslmode=verify-ca", root, "hostaddr=127.0.0.1", host="db.example.org").returncode)
        self.write_password("wrong horse")
        refused["password authentication failed"] = self.check("sslmode=verify-full", root)
        for reason, result in refused.items():
            self.assertNotIn(result.returncode, (tandem.OK, 70), result)
            self.assertIn(reason, result.stderr)
            self.assertNotIn("horse", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
