"""Metrics and health of the relay and of the daemon, which tandem-web serves for them."""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import tandem_process as tandem
from relay_case import RelayTestCase
from test_relay import Relay

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WAIT_SECONDS = 30
WEB = os.path.join(os.path.dirname(tandem.BINARY), "tandem-web")


def get(port, path, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def children(process):
    """The processes that a process has started and that run."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/{}/stat".format(name)) as file:
                    state, parent = file.read().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if int(parent) == process and state != "Z":
                found.append(int(name))
    return found


def is_running(process):
    try:
        with open("/proc/{}/stat".format(process)) as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def eventually(test, holds):
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            found = holds()
        except OSError:
            found = None
        if found:
            return found
        test.assertLess(time.monotonic(), deadline, "it never came to hold")
        time.sleep(0.05)


class RelayMetrics(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.relay = Relay(self.folder)
        self.addCleanup(self.relay.end)
        self.port = self.relay.port("metrics")

    def test_a_killed_child_is_started_again_and_the_log_says_so(self):
        self.assertEqual(self.relay.get("/health"), (200, "ok\n"))
        first, = children(self.relay.process.pid)
        os.kill(first, signal.SIGKILL)
        # Whoever comes meanwhile waits: the port stays open.
        self.assertEqual(self.relay.get("/health"), (200, "ok\n"))
        second, = children(self.relay.process.pid)
        self.assertNotEqual(first, second)
        self.assertIn("metrics-ended", self.relay.events())

    def test_the_child_ends_with_the_relay_however_that_ends(self):
        self.assertEqual(self.relay.get("/health"), (200, "ok\n"))
        child, = children(self.relay.process.pid)
        # A key of the terminal and the end of a unit reach the child as well: it waits for the relay.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(child, number)
        self.assertEqual(self.relay.get("/health"), (200, "ok\n"))
        self.relay.process.kill()
        eventually(self, lambda: not is_running(child))
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", self.port), 5)

    def test_a_crowd_at_the_port_holds_up_neither_the_relay_nor_what_comes_after(self):
        crowd = [socket.create_connection(("127.0.0.1", self.port), 5) for _ in range(200)]
        for link in crowd[::2]:
            try:
                link.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: ")
            except OSError:
                pass
        with socket.create_connection(("127.0.0.1", self.relay.port("address")), 5):
            pass
        # While it is there, and once it has gone.
        for _ in range(3):
            self.assertEqual(self.relay.get("/health"), (200, "ok\n"))
        for link in crowd:
            link.close()
        self.assertEqual(self.relay.get("/health"), (200, "ok\n"))

    def test_the_child_takes_no_time_when_nobody_asks(self):
        self.assertEqual(self.relay.get("/health"), (200, "ok\n"))
        child, = children(self.relay.process.pid)

        def ticks():
            with open("/proc/{}/stat".format(child)) as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        before = ticks()
        time.sleep(2)
        self.assertLessEqual(ticks() - before, 2)


class RelayPages(unittest.TestCase):
    """The tables of Tools/relay/README.md."""

    def tables(self):
        with open(os.path.join(ROOT, "Tools", "relay", "README.md")) as file:
            text = file.read().split("## Monitoring", 1)[1].split("\n## ", 1)[0]
        rows = re.findall(r"(?m)^\| (`.*?) \|(.*)\|$", text)
        return [(re.findall(r"`([^`]+)`", names), rest) for names, rest in rows]

    def test_every_metric_is_in_the_table_with_its_kind_and_no_other(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        relay = Relay(folder)
        self.addCleanup(relay.end)
        kinds = dict(re.findall(r"(?m)^# TYPE (\S+) (\S+)$", relay.get("/metrics")[1]))
        told = {
            names[0]: rest.split("|")[0].strip() for names, rest in self.tables()
            if re.match("(tandem_relay|process)_", names[0])}
        self.assertEqual(told, kinds)
        for path, answer in (("/live", "ok\n"), ("/ready", "ok\n"), ("/health", "ok\n")):
            self.assertEqual(relay.get(path), (200, answer))
            self.assertTrue(any(path in names for names, _ in self.tables()), path)
        stages = set(re.findall(
            r'tandem_relay_stage_seconds_count\{stage="(\w+)"\}', relay.get("/metrics")[1]))
        row, = [rest for names, rest in self.tables() if names == ["tandem_relay_stage_seconds"]]
        self.assertEqual(set(re.findall(r"`(\w+)`", row)) - {"stage"}, stages)

    def test_every_event_of_the_log_is_in_the_table(self):
        events = set()
        for folder in ("Sources/RelayServer", "Tools/tandem-relay"):
            for name in os.listdir(os.path.join(ROOT, folder)):
                with open(os.path.join(ROOT, folder, name)) as file:
                    events |= set(re.findall(
                        r'LogLine\(\s*[^",()]*,\s*"([a-z-]+)"', file.read()))
        told = [
            name for names, rest in self.tables() for name in names
            if re.match(r" (debug|info|warning|error)[ ,]", rest)]
        self.assertEqual(sorted(told), sorted(events))


class DaemonMetrics(RelayTestCase):
    def test_a_daemon_has_metrics_and_health_like_a_relay(self):
        laptop, _ = self.paired()
        port = tandem.free_port()
        process = laptop.start("daemon", "--metrics", str(port))
        self.addCleanup(process.wait, WAIT_SECONDS)
        self.addCleanup(process.terminate)
        eventually(self, lambda: get(port, "/health") == (200, "ok\n"))
        eventually(
            self, lambda: 'tandem_daemon_contacts{state="connected"} 1' in get(port, "/metrics")[1])
        status, text = get(port, "/metrics")
        self.assertEqual(status, 200)
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) .+|[a-z_]+(\{state="[a-z]+"\})? [0-9.]+)$')
        self.assertRegex(text, r"(?m)^tandem_daemon_unsent_changes \d+$")
        self.assertGreater(
            float(re.search(r"(?m)^process_resident_memory_bytes (\d+)$", text).group(1)), 1 << 20)
        self.assertEqual(get(port, "/")[0], 404)
        self.assertEqual(get(port, "/metrics", "DELETE")[0], 405)

    def test_other_machines_are_not_served(self):
        laptop, _ = self.paired()
        result = laptop.run("daemon", "--metrics", "0.0.0.0:0", codes=(tandem.REFUSED,))
        self.assertIn("0.0.0.0", result.errors)


class Programs(unittest.TestCase):
    """What the programs load, and what is said where tandem-web is missing."""

    def needed(self, program):
        output = subprocess.run(
            ["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
        return re.findall(r"\(NEEDED\).*\[(.*)\]", output)

    def test_tandem_loads_no_library_of_http_xml_or_a_database_server(self):
        loaded = self.needed(tandem.BINARY)
        self.assertTrue(loaded)
        for name in loaded:
            self.assertNotRegex(name, r"microhttpd|gnutls|expat|libpq")
        self.assertTrue(any("microhttpd" in name for name in self.needed(WEB)))

    def test_without_tandem_web_metrics_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = os.path.join(folder, "tandem")
            shutil.copy(tandem.BINARY, alone)
            libraries = subprocess.run(
                ["readelf", "-d", tandem.BINARY], capture_output=True, text=True).stdout
            found = re.search(r"R(?:UN)?PATH.*\[(.*)\]", libraries)
            paths = found.group(1) if found else ""
            origin = os.path.dirname(os.path.abspath(tandem.BINARY))
            environment = dict(
                os.environ, LD_LIBRARY_PATH=paths.replace("$ORIGIN", origin),
                SWIFT_BACKTRACE="enable=no")
            done = subprocess.run(
                [alone, "relay", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",
                 "--folder", os.path.join(folder, "spaces")],
                env=environment, capture_output=True, text=True, timeout=WAIT_SECONDS)
            self.assertEqual(done.returncode, tandem.REFUSED, done.stderr)
            self.assertIn("tandem-web", done.stderr)

    def test_tandem_web_is_not_run_by_hand(self):
        done = subprocess.run([WEB], capture_output=True, text=True, timeout=WAIT_SECONDS)
        self.assertEqual(done.returncode, tandem.USAGE)


if __name__ == "__main__":
    unittest.main()
