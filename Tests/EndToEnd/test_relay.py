"""The relay as a program: its settings, its metrics, its signals, and the units that run it."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import tandem_process
import wire

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WAIT_SECONDS = 30


class Relay:
    """One relay process in a folder of its own."""

    def __init__(self, folder, *words, settings="", environment=None):
        self.folder = folder
        self.environment = environment or {}
        self.settings = os.path.join(folder, "relay.conf")
        with open(self.settings, "w") as file:
            # Tests start a relay anew where it was: nobody else may have the port meanwhile.
            file.write("listen = 127.0.0.1:{}\nmetrics = 127.0.0.1:0\n".format(tandem_process.free_port()) + settings)
        self.errors = open(os.path.join(folder, "log"), "w+")
        variables = {
            name: value for name, value in os.environ.items()
            if not name.startswith("TANDEM_RELAY_")}
        variables.update(SWIFT_BACKTRACE="enable=no", **self.environment)
        self.process = subprocess.Popen(
            [tandem_process.BINARY, "relay", "--json", "--config", self.settings, "--folder",
             os.path.join(folder, "spaces"), *words],
            env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors,
            text=True)
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(WAIT_SECONDS)
            raise AssertionError("the relay does not listen: " + self.log())
        self.told = json.loads(line)

    def port(self, name):
        return int(self.told[name].rsplit(":", 1)[1])

    def log(self):
        self.errors.flush()
        with open(self.errors.name) as file:
            return file.read()

    def events(self):
        return re.findall(r"event=([a-z-]+)", self.log())

    def wait_for(self, text):
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            if text in self.log():
                return True
            time.sleep(0.01)
        return False

    def get(self, path, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port("metrics"), timeout=WAIT_SECONDS)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.process.stdout.close()
            self.errors.close()


class RelayTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tandem-relay-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.relays = []

    def tearDown(self):
        for relay in self.relays:
            relay.end()

    def relay(self, *words, **options):
        relay = Relay(self.folder, *words, **options)
        self.relays.append(relay)
        return relay

    def run_relay(self, *words, settings=None, environment=None):
        """A relay that ends by itself; the settings it is given."""
        words = ["relay", *words]
        if settings is not None:
            path = os.path.join(self.folder, "some.conf")
            with open(path, "w") as file:
                file.write(settings)
            words += ["--config", path]
        return subprocess.run(
            [tandem_process.BINARY, *words], env=dict(os.environ, **(environment or {})),
            capture_output=True, text=True, timeout=30)

    # Settings

    def test_every_wrong_setting_is_told_with_its_line_and_what_to_do(self):
        done = self.run_relay(
            "--print-config",
            settings="listen = 127.0.0.1:x\nspacse = 4\n\nno sense\nspaces = -1\nspaces = 2\n")
        self.assertEqual(done.returncode, tandem_process.CONFIGURATION)
        for words in (
                ":1: listen", "some.conf:2: spacse", "did you mean spaces?", "some.conf:4: there is no '='",
                "some.conf:6: spaces is set a second time"):
            self.assertIn(words, done.stderr)

    def test_options_go_before_the_environment_and_that_before_the_file(self):
        settings = "spaces = 1\nopen-spaces = 1\nconnections = 1 # a remark\n"
        done = self.run_relay(
            "--print-config", "--connections", "3", settings=settings,
            environment={"TANDEM_RELAY_CONNECTIONS": "2", "TANDEM_RELAY_OPEN_SPACES": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        for pattern in (
                r"^spaces = 1 +# .*some.conf:1$", r"^open-spaces = 2 +# TANDEM_RELAY_OPEN_SPACES$",
                r"^connections = 3 +# --connections$", r"^space-bytes = 1024M +# default$"):
            self.assertRegex(done.stdout, re.compile(pattern, re.MULTILINE))

    def test_an_unknown_variable_is_told(self):
        done = self.run_relay("--print-config", environment={"TANDEM_RELAY_SPACE": "2"})
        self.assertEqual(done.returncode, tandem_process.CONFIGURATION)
        self.assertIn("TANDEM_RELAY_SPACES?", done.stderr)

    def test_a_token_is_neither_shown_nor_taken_on_the_command_line(self):
        done = self.run_relay("--print-config", settings="token = sesame\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("sesame", done.stdout + done.stderr)
        self.assertEqual(self.run_relay("--token", "x").returncode, tandem_process.USAGE)

    def test_a_database_is_not_shown_and_is_told_to_be_away_or_not_built_in(self):
        address = "postgresql://me:sesame@127.0.0.1:1/spaces"
        shown = self.run_relay("--print-config", "--store", address)
        self.assertRegex(shown.stdout, re.compile(r"^store = \(set\) +# --store$", re.MULTILINE))
        wrong = self.run_relay("--print-config", settings="store = me:sesame@spaces\n")
        self.assertEqual(wrong.returncode, tandem_process.CONFIGURATION)
        self.assertIn("postgresql://HOST/NAME", wrong.stderr)
        done = self.run_relay("--folder", self.folder, "--store", address)
        program = os.path.join(os.path.dirname(tandem_process.BINARY), "tandem-relay")
        if os.path.exists(program) and subprocess.run([program, "check"]).returncode == 0:
            self.assertEqual(done.returncode, tandem_process.RETRY_LATER)
            self.assertIn("127.0.0.1:1/spaces cannot be reached", done.stderr)
        else:
            self.assertEqual(done.returncode, tandem_process.UNAVAILABLE)
            self.assertIn("trait PostgreSQL", done.stderr)
        for answer in (shown, wrong, done):
            self.assertNotIn("sesame", answer.stdout + answer.stderr)

    def test_other_machines_are_not_answered_in_plain_and_metrics_stay_here(self):
        done = self.run_relay(
            "--listen", "127.0.0.1:0", "--metrics", "0.0.0.0:0", "--folder", self.folder)
        self.assertEqual(done.returncode, tandem_process.REFUSED)

    def test_a_folder_belongs_to_one_relay(self):
        first = self.relay()
        second = self.run_relay(
            "--listen", "127.0.0.1:0", "--folder", os.path.join(self.folder, "spaces"))
        self.assertEqual(second.returncode, tandem_process.RETRY_LATER)
        self.assertIn("another relay (", second.stderr)
        self.assertNotIn(" ms", second.stderr)
        self.assertEqual(first.end(), 0)

    # Output

    def test_it_prints_the_address_that_a_device_needs(self):
        relay = self.relay()
        self.assertRegex(
            relay.told["relay"], r"^relay://127\.0\.0\.1:\d+#([0-9a-f]{4}-){15}[0-9a-f]{4}$")
        self.assertTrue(relay.told["relay"].endswith("#" + relay.told["fingerprint"]))
        first = relay.told["fingerprint"]
        self.assertEqual(relay.end(), 0)
        self.assertEqual(self.relay().told["fingerprint"], first)

    def test_metrics_are_in_the_text_format_of_prometheus(self):
        status, text = self.relay().get("/metrics")
        self.assertEqual(status, 200)
        kinds, values = {}, {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.assertNotIn(name, kinds)
                kinds[name] = kind
            elif not line.startswith("# HELP "):
                found = re.fullmatch(
                    r'([a-z_:]+)(\{[a-z]+="[^"\\\n]*"(?:,[a-z]+="[^"\\\n]*")*\})? (-?[0-9.]+)', line)
                self.assertTrue(found, line)
                values[found.group(1) + (found.group(2) or "")] = float(found.group(3))
                base = re.sub(r"_(bucket|sum|count)$", "", found.group(1))
                self.assertTrue(found.group(1) in kinds or kinds.get(base) == "histogram", line)
        self.assertEqual(values["tandem_relay_sessions"], 0)
        self.assertIn('tandem_relay_refusals_total{reason="wrong-proof"}', values)
        self.assertGreater(values["process_resident_memory_bytes"], 1 << 20)

    def test_the_port_for_metrics_withstands_anything(self):
        relay = self.relay()
        self.assertEqual(relay.get("/health"), (200, "ok\n"))
        self.assertEqual(relay.get("/etc/passwd")[0], 404)
        self.assertEqual(relay.get("/metrics", "POST")[0], 405)
        place = ("127.0.0.1", relay.port("metrics"))
        for bytes_sent in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x00" * 100 + b"\n\n", b"GET / HTTP/9\n\n"):
            with socket.create_connection(place, 5) as link:
                wire.send_all(link, bytes_sent, closes=True)
                self.assertIn(wire.receive(link, 100)[:12], (b"HTTP/1.1 400", b""))
        with socket.create_connection(place, 5) as link:
            wire.send_all(link, b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 5000)
            self.assertEqual(link.recv(100)[:12], b"HTTP/1.1 431")
        # More that say nothing than may be there at a time: the rest is dropped, the first time out.
        silent = [socket.create_connection(place, 5) for _ in range(40)]
        closed, until = set(), time.monotonic() + WAIT_SECONDS
        while len(closed) < 16 and time.monotonic() < until:
            for link in set(silent) - closed:
                link.settimeout(0.02)
                with contextlib.suppress(TimeoutError):
                    if wire.receive(link, 1) == b"":
                        closed.add(link)
        # 48 are one address's, of which 24 are for those that speak.
        self.assertIn(len(closed), range(16, 20))
        for link in silent:
            link.close()
        time.sleep(0.2)
        self.assertEqual(relay.get("/health"), (200, "ok\n"))
        self.assertEqual(relay.end(), 0)

    def test_no_line_of_the_log_can_be_made_up_by_a_stranger(self):
        relay = self.relay("--log-level", "debug")
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", relay.port("address")), 5) as link:
                link.sendall(b"\x00\x00\x00\x20\nevent=owned\n\x1b[31m" + b"A" * 5000)
                link.settimeout(5)
                try:
                    while link.recv(4096):
                        pass
                except OSError:
                    pass
        self.assertTrue(relay.wait_for("event=refused"))
        self.assertEqual(relay.end(), 0)
        with open(os.path.join(self.folder, "log")) as file:
            for line in file:
                self.assertRegex(
                    line.rstrip("\n"),
                    r'^time=\S+Z level=(debug|info|warning|error) event=[a-z-]+'
                    r'( [a-z]+=([^ "=]+|"([^"\\]|\\.)*"))*$')
                self.assertNotIn("event=owned", line)

    # Signals

    def test_sighup_takes_over_what_can_be_and_says_what_cannot(self):
        relay = self.relay()
        with open(relay.settings, "w") as file:
            file.write("listen = 127.0.0.1:1\nmetrics = 127.0.0.1:0\nspaces = 5\n")
        relay.process.send_signal(signal.SIGHUP)
        self.assertTrue(relay.wait_for("event=reloaded changed=spaces"))
        self.assertTrue(relay.wait_for("event=needs-restart setting=listen"))
        with open(relay.settings, "w") as file:
            file.write("spaces = five\n")
        relay.process.send_signal(signal.SIGHUP)
        self.assertTrue(relay.wait_for("event=not-reloaded"))
        self.assertEqual(relay.get("/health"), (200, "ok\n"))
        self.assertEqual(relay.end(), 0)

    def test_sigterm_ends_within_the_bound_although_somebody_stays(self):
        relay = self.relay("--drain-seconds", "1")
        with socket.create_connection(("127.0.0.1", relay.port("address")), 5) as link:
            link.sendall(b"\x00")
            time.sleep(0.2)
            started = time.monotonic()
            relay.process.terminate()
            self.assertTrue(relay.wait_for("event=draining"))
            self.assertEqual(relay.process.wait(WAIT_SECONDS), 0)
            self.assertLess(time.monotonic() - started, 20)

    def test_a_second_sigterm_ends_at_once(self):
        relay = self.relay("--drain-seconds", "60")
        with socket.create_connection(("127.0.0.1", relay.port("address")), 5) as link:
            link.sendall(b"\x00")
            time.sleep(0.2)
            relay.process.terminate()
            self.assertTrue(relay.wait_for("event=draining"))
            relay.process.terminate()
            self.assertEqual(relay.process.wait(WAIT_SECONDS), 0)

    # The units

    def test_units_name_options_that_exist_and_the_example_has_settings_that_exist(self):
        folder = os.path.join(ROOT, "Tools", "relay")
        known = self.run_relay("--help").stdout
        names = [name for name in os.listdir(folder) if name.endswith(".service")]
        self.assertEqual(len(names), 3)
        for name in names + ["Dockerfile"]:
            with open(os.path.join(folder, name)) as file:
                for line in file:
                    if not line.startswith(("ExecStart=", "ENTRYPOINT")):
                        continue
                    words = re.findall(r"[\w/%.:=-]+", line)
                    self.assertIn("relay", words)
                    for word in words:
                        if word.startswith("--"):
                            self.assertRegex(known, re.escape(word) + r"\s")
        done = self.run_relay(
            "--print-config", "--config", os.path.join(folder, "tandem-relay.conf"))
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_the_container_is_given_every_folder_that_the_manifest_names(self):
        with open(os.path.join(ROOT, "Package.swift")) as file:
            folders = set(re.findall(r'path: "([A-Za-z]+)/', file.read()))
        with open(os.path.join(ROOT, "Tools", "relay", "Dockerfile")) as file:
            copied = set(re.findall(r"^COPY ([A-Za-z]+) ", file.read(), re.M))
        self.assertEqual(folders - copied, set())

    def test_systemd_understands_every_line_of_the_units(self):
        for name, program, words in (
                ("tandem-relay.service", "/usr/local/bin/tandem", []),
                ("tandem-relay@.service", "/usr/local/bin/tandem", []),
                ("tandem-relay.user.service", "%h/.local/bin/tandem", ["--user"])):
            with open(os.path.join(ROOT, "Tools", "relay", name)) as file:
                unit = file.read()
            self.assertIn("ExecStart={} ".format(program), unit)
            # Where the program is on this machine; the rest as it is.
            path = os.path.join(
                self.folder, "tandem-relay@7718.service" if "@" in name else "tandem-relay.service")
            with open(path, "w") as file:
                file.write(unit.replace(program, os.path.abspath(tandem_process.BINARY)))
            done = subprocess.run(
                ["systemd-analyze", "verify", *words, path], capture_output=True, text=True,
                timeout=30, env=dict(os.environ, XDG_RUNTIME_DIR=self.folder))
            if "Failed to initialize manager" in done.stderr:
                self.skipTest("systemd-analyze cannot verify here: " + done.stderr)
            told = [line for line in done.stderr.splitlines() if "tandem-relay" in line]
            self.assertEqual(([], 0), (told, done.returncode), name)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_the_system_units_are_well_hardened(self):
        for name in ("tandem-relay.service", "tandem-relay@.service"):
            done = subprocess.run(
                ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20",
                 os.path.join(ROOT, "Tools", "relay", name)],
                capture_output=True, text=True, timeout=30)
            if "exposure level" not in done.stdout:
                self.skipTest("systemd-analyze cannot judge a file here: " + done.stderr)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:])

    def test_the_composition_has_three_processes_with_one_key_a_database_and_a_balancer(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("there is no reader of YAML: ./Tools/setup --for-tests")
        folder = os.path.join(ROOT, "Tools", "relay")
        with open(os.path.join(folder, "compose.yaml")) as file:
            found = yaml.safe_load(file)
        services = found["services"]
        relays = sorted(name for name in services if name.startswith("relay-"))
        self.assertEqual(sorted(services), ["balancer", "database", *relays])
        self.assertEqual(len(relays), 3)
        drain = int(re.search(
            r"(?m)^drain-seconds = (\d+)", self.run_relay("--print-config").stdout).group(1))
        for name in relays:
            relay = services[name]
            self.assertEqual(relay["volumes"], services[relays[0]]["volumes"], "one key")
            self.assertGreater(int(relay["stop_grace_period"].rstrip("s")), drain)
            self.assertEqual(
                relay["depends_on"], {"database": {"condition": "service_healthy"}})
            self.assertEqual(relay["build"]["dockerfile"], "Tools/relay/Dockerfile")
            # Without a word on it a server on another machine has to show a certificate, and this image has none.
            self.assertIn("@database/tandem?sslmode=disable", relay["environment"]["TANDEM_RELAY_STORE"])
            # Each is a setting, with a value that a relay takes.
            settings = {
                key: value.replace("${TANDEM_DATABASE_PASSWORD:?see above}", "secret")
                for key, value in relay["environment"].items()}
            done = self.run_relay("--print-config", environment=settings)
            self.assertEqual(done.returncode, 0, done.stderr)
            for key in settings:
                setting = key.removeprefix("TANDEM_RELAY_").lower().replace("_", "-")
                self.assertRegex(done.stdout, r"(?m)^{} = .* # {}$".format(setting, key))
        self.assertIn("healthcheck", services["database"])
        volumes = {
            volume.split(":")[0] for service in services.values() for volume in service["volumes"]}
        self.assertEqual(
            {name for name in volumes if not name.startswith(".")}, set(found["volumes"]))
        # The balancer knows all of them, by name and port, and passes TLS on as it is.
        with open(os.path.join(folder, "haproxy.cfg")) as file:
            balancing = file.read()
        self.assertEqual(
            re.findall(r"(?m)^    server (\S+) (\S+)", balancing),
            [(name, name + ":7718") for name in relays])
        self.assertIn("mode tcp", balancing)
        self.assertIn("./haproxy.cfg:", services["balancer"]["volumes"][0])
        for name in ("compose.yaml", "haproxy.cfg", "tandem-relay@.service"):
            with open(os.path.join(folder, "README.md")) as file:
                self.assertIn(name, file.read())
            with open(os.path.join(ROOT, "Tools", "package")) as file:
                self.assertIn(name, file.read())


if __name__ == "__main__":
    unittest.main()
