"""Runs the tandem program on stores in temporary folders.

All spelling of the command line and of its JSON lives in this file; the tests speak of devices.
The program is $TANDEM_BINARY. Every wait is bounded and every process is ended by its own id.
"""

import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest

BINARY = os.environ.get("TANDEM_BINARY", "tandem")
COMMAND_SECONDS_MAX = 120

OK = 0
NOTHING = 1
CONFLICTS_AWAIT = 3
INCOMPLETE = 4
USAGE = 64
BAD_DATA = 65
NO_INPUT = 66
UNAVAILABLE = 69
CANNOT_CREATE = 73
IO_ERROR = 74
RETRY_LATER = 75
REFUSED = 77
CONFIGURATION = 78
NAMED_CODES = {
    OK, NOTHING, CONFLICTS_AWAIT, INCOMPLETE, USAGE, BAD_DATA, NO_INPUT, UNAVAILABLE,
    CANNOT_CREATE, IO_ERROR, RETRY_LATER, REFUSED, CONFIGURATION,
}

# The message of a store that takes a new replica id after a clone suspicion.
NEW_IDENTITY = re.compile(r"cop(y|ied)|restored|new (replica )?(id|identity)", re.IGNORECASE)


def free_port():
    """A port that nobody has. It lies below those that the kernel gives, so no connection takes it before it is used."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def zone_of_morning():
    """A time zone where it is between nine and ten in the morning: at night some words for dates are refused, as 'tonight'."""
    hours_east = 9 - time.gmtime().tm_hour
    # Zones of whole hours are named by how far they lie west, from 14 hours east to 12 west.
    return "Etc/GMT{:+d}".format(-(hours_east + 24 if hours_east < -12 else hours_east))


class Result:
    """What one command did."""

    def __init__(self, words, code, output, errors, seconds):
        self.words, self.code, self.output = words, code, output
        self.errors, self.seconds = errors, seconds

    def __str__(self):
        return "tandem {}: exit code {} after {:.2f} s\n{}{}".format(
            " ".join(self.words), self.code, self.seconds, self.output[-2000:],
            self.errors[-2000:])

    def values(self):
        """The output as a list of JSON values: an array, one object around an array, or lines."""
        text = self.output.strip()
        if not text:
            return []
        try:
            value = json.loads(text)
        except ValueError:
            return [json.loads(line) for line in text.splitlines()]
        if isinstance(value, dict):
            lists = [item for item in value.values() if isinstance(item, list)]
            return lists[0] if len(lists) == 1 and len(value) <= 3 else [value]
        return value


class Device:
    """One store, by the name of its device."""

    def __init__(self, folder, name):
        self.name = name
        self.store = os.path.join(folder, name)
        self.zone = "UTC"
        self.invitations = []

    def environment(self):
        environment = dict(os.environ, TANDEM_STORE=self.store, NO_COLOR="1", TZ=self.zone)
        # A crash must end at once and be seen as one; the backtracer would hold the pipe open.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        # The settings of whoever runs the tests are not those of a device.
        environment["XDG_CONFIG_HOME"] = self.store + "-settings"
        environment.pop("TANDEM_CONFIG", None)
        return environment

    def start(self, *words, **options):
        """Starts a command and does not wait for it."""
        return subprocess.Popen(
            [BINARY, *words], env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=options.get("output", subprocess.DEVNULL),
            stderr=options.get("errors", subprocess.DEVNULL))

    def run(self, *words, codes=(OK,), text=None):
        """Runs a command to its end; it must end with one of the codes."""
        if "--no-sync" in words:
            self.await_invitations()
        started = time.monotonic()
        done = subprocess.run(
            [BINARY, *words], env=self.environment(), input=text if text is not None else "",
            capture_output=True, text=True, timeout=COMMAND_SECONDS_MAX)
        result = Result(
            words, done.returncode, done.stdout, done.stderr, time.monotonic() - started)
        if done.returncode not in codes:
            raise AssertionError("on {}: expected exit code {}\n{}".format(
                self.name, " or ".join(map(str, codes)), result))
        return result

    # Making a store

    def init(self, policy=None, plain=False):
        return self.run(
            "init", "--name", self.name, *(["--policy", policy] if policy else []),
            *(["--plain"] if plain else []))

    def join(self, address):
        """Makes this store a new replica of the space served at the address, and fetches it."""
        plain = [] if address.startswith(("unix:", "ssh:")) else ["--plain"]
        self.run("init", "--name", self.name, "--from", address, *plain)
        return self.sync(address)

    def inviting(self, *words):
        """A code that waits for a device, and admits the first that comes with `--yes` among the words."""
        invitation = Invitation(self, *words)
        self.invitations.append(invitation)
        return invitation

    def invite(self, *words):
        """A code that admits the first device that comes with it; what waits with it ends by itself then."""
        return self.inviting("--yes", *words).code

    def await_invitations(self):
        """Waits until those that admitted a device have ended: until then they sync with the relay."""
        for invitation in self.invitations:
            if invitation.of_kind("admitted"):
                invitation.end()

    # To-dos

    def add(self, *words):
        """Adds a to-do; answers its id."""
        return identity(self.run("add", *words, "--json").values()[0])

    def todos(self, *filters):
        """Every to-do that is not deleted, done ones too."""
        return self.run("export", "--format", "jsonl", *filters).values()

    def titles(self):
        return sorted(todo["title"] for todo in self.live())

    def live(self):
        return [todo for todo in self.todos() if "title" in todo and not todo.get("deleted")]

    def export(self):
        return self.run("export", "--format", "jsonl").output

    def show(self, todo):
        return self.run("show", todo, "--json").values()[0]

    def edit(self, todo, *words, codes=(OK,)):
        return self.run("edit", todo, *words, codes=codes)

    def done(self, *todos):
        return self.run("done", *todos)

    def delete(self, *todos):
        return self.run("delete", *todos, "--yes")

    def restore(self, todo):
        return self.run("restore", todo)

    def purge(self, todo, force=False, codes=(OK,)):
        return self.run("purge", todo, "--yes", *(["--force"] if force else []), codes=codes)

    def trash(self):
        return self.run("trash", "--json", codes=(OK, NOTHING)).values()

    def conflicts(self):
        return self.run("conflicts", "--json", codes=(OK, NOTHING)).values()

    def resolve(self, todo, field, choice=None, value=None):
        """Settles a field: choice is 'mine' or 'theirs', or else the value is given."""
        how = ["--value", value] if value is not None else ["--" + choice]
        return self.run("resolve", todo, "--field", field, *how)

    def import_file(self, form, path, codes=(OK,)):
        return self.run("import", "--format", form, path, codes=codes)

    # Peers

    def sync(self, address, codes=(OK,)):
        return self.run("sync", address, codes=codes)

    def start_sync(self, address):
        return self.start("sync", address)

    def is_plain(self):
        """Whether the store's space has no keys, so that it is served over plain TCP."""
        try:
            with open(os.path.join(self.store, "keyring")) as keyring:
                return "plain" in keyring.read().splitlines()
        except FileNotFoundError:
            return False

    def serve(self, tcp=None):
        """Serves at a socket of this account; at a loopback port if the space is plain, or if told to."""
        return Server(self, self.is_plain() if tcp is None else tcp)

    # The store as others see it

    def status(self):
        return self.run("status", "--json", codes=(OK, CONFLICTS_AWAIT)).values()[0]

    def replica_id(self):
        status = self.status()
        for key in ("replica", "replicaID", "replicaId", "replica_id"):
            if key in status:
                value = status[key]
                return value.get("id") if isinstance(value, dict) else value
        raise AssertionError("status --json names no replica id: {}".format(status))

    def database(self):
        """The path of the store's SQLite file."""
        named = [name for name in sorted(os.listdir(self.store)) if name.endswith(".db")]
        if len(named) != 1:
            raise AssertionError("no single .db in {}".format(os.listdir(self.store)))
        return os.path.join(self.store, named[0])

    def fingerprint(self):
        """A hash of everything in the store's tables, read by another program."""
        connection = sqlite3.connect("file:{}?mode=ro".format(self.database()), uri=True)
        try:
            text = "\n".join(connection.iterdump())
        finally:
            connection.close()
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class Invitation:
    """`tandem invite`, which waits in the background; what is typed and what it tells."""

    def __init__(self, device, *words):
        self.device = device
        self.log_path = "{}.invite-{}.log".format(device.store, len(device.invitations))
        with open(self.log_path, "wb") as log, open(self.log_path + ".errors", "wb") as errors:
            self.process = subprocess.Popen(
                [BINARY, "invite", "--json", *words], env=device.environment(),
                stdin=subprocess.PIPE, stdout=log, stderr=errors)
        until = time.monotonic() + 30
        while not self.events():
            if self.process.poll() is not None or time.monotonic() > until:
                self.kill()
                raise AssertionError("invite ended with {}: {}{}".format(
                    self.process.returncode, self.events(), self.errors()))
            time.sleep(0.005)
        self.code = self.events()[0]["code"]

    def events(self):
        """The lines that it wrote so far, whole ones."""
        with open(self.log_path) as log:
            text = log.read()
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def errors(self):
        with open(self.log_path + ".errors") as log:
            return log.read()

    def of_kind(self, kind):
        return [event for event in self.events() if event.get("event") == kind]

    def await_event(self, kind):
        """The first event of a kind, as soon as there is one."""
        until = time.monotonic() + 30
        while not self.of_kind(kind):
            if time.monotonic() > until:
                raise AssertionError("no {}: {}".format(kind, self.events()))
            time.sleep(0.005)
        return self.of_kind(kind)[0]

    def type(self, text):
        self.process.stdin.write((text + "\n").encode())
        self.process.stdin.flush()

    def end(self):
        """Waits until it ends by itself; answers its exit code."""
        return self.process.wait(timeout=60)

    def kill(self):
        """Ends it as a crash would."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.stdin.close()
        self.process.wait(timeout=20)


class Server:
    """`tandem serve` at a socket or a free loopback port, ended in order at the end of the block."""

    def __init__(self, device, tcp):
        self.device = device
        self.listening = "127.0.0.1:0" if tcp else "unix:" + device.store + ".sock"
        self.process = None
        self.address = None
        self.log_path = device.store + ".serve.log"

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        self.end()

    def begin(self):
        port_path = self.device.store + ".port"
        if os.path.exists(port_path):
            os.remove(port_path)
        with open(self.log_path, "ab") as log:
            self.process = self.device.start(
                "serve", "--listen", self.listening, "--port-file", port_path,
                output=log, errors=log)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            text = ""
            if os.path.exists(port_path):
                with open(port_path) as file:
                    text = file.read().strip()
            if text:
                self.address = text if text.startswith("unix:") else "127.0.0.1:" + text.split(":")[-1]
                return
            time.sleep(0.005)
        self.kill()
        raise AssertionError("{} does not listen:\n{}".format(self.device.name, self.log()))

    @property
    def port(self):
        return int(self.address.split(":")[-1])

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """Ends the server as a crash would."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=20)
        self.process = None

    def end(self):
        """Asks the server to end; it must drain and answer with exit code 0."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.terminate()
        try:
            code = process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=20)
            raise AssertionError("serve does not end on SIGTERM:\n" + self.log())
        if code != 0:
            raise AssertionError("serve ended with {}:\n{}".format(code, self.log()))

    def log(self):
        try:
            with open(self.log_path, errors="replace") as file:
                return file.read()[-4000:]
        except FileNotFoundError:
            return ""

    def logged(self, pattern):
        """What the log says that fits the pattern, once it does: the port is told before the log is written."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            found = re.search(pattern, self.log())
            if found:
                return found.group(0)
            time.sleep(0.005)
        raise AssertionError("the log lacks {}:\n{}".format(pattern, self.log()))

    def resident_bytes(self):
        """The server's resident memory."""
        with open("/proc/{}/status".format(self.process.pid)) as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")


class TandemTestCase(unittest.TestCase):
    """A folder for the stores of one test, and the questions that every test asks."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tandem-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def report(self, text):
        print("  {}: {}".format(self._testMethodName, text), flush=True)

    def device(self, name):
        device = Device(self.folder, name)
        self.addCleanup(lambda: [invitation.kill() for invitation in device.invitations])
        return device

    def pair(self, policy=None, plain=False):
        """A space with two replicas that have met."""
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.init(policy=policy, plain=plain)
        with laptop.serve() as server:
            phone.join(server.address)
        return laptop, phone

    def meet(self, one, other):
        """Syncs two devices once, and no more: once must be enough."""
        with one.serve() as server:
            return other.sync(server.address)

    def meet_all(self, *devices):
        """Brings every device's writes to every other by meetings in a row, there and back."""
        for one, other in list(zip(devices, devices[1:])) + list(zip(devices[::-1], devices[-2::-1])):
            self.meet(one, other)

    def assertConverged(self, *devices, may_be_empty=False):
        exports = [device.export() for device in devices]
        if not may_be_empty:
            self.assertTrue(exports[0].strip(), "the export is empty")
        for device, export in zip(devices[1:], exports[1:]):
            self.assertMultiLineEqual(
                exports[0], export, "{} differs from {}".format(device.name, devices[0].name))


def identity(todo):
    """The id of a to-do in any JSON that names one."""
    for key in ("id", "uuid"):
        if isinstance(todo.get(key), str):
            return todo[key]
    raise AssertionError("no id in {}".format(todo))


def commands_of_overview(text):
    """The commands that `tandem help` names: its lines are a heading or blanks, commands, and what they do."""
    rows = re.findall(r"^(?:[a-z]+(?: [a-z]+)?)? {2,}([a-z-]+(?:, [a-z-]+)*)(?: …)? {3,}\S", text, re.M)
    return [name for row in rows for name in row.split(", ")]


def mentions(values, text):
    """Whether a text stands anywhere in JSON values."""
    return text in json.dumps(values, ensure_ascii=False)


def seeded(name):
    """The test's source of chance: $TANDEM_SEED and the test's name, and nothing else."""
    seed = os.environ.get("TANDEM_SEED", "1")
    return seed, random.Random("{}/{}".format(seed, name))


def kill(process):
    """Ends a started command as a crash would; true if it was still running."""
    was_running = process.poll() is None
    if was_running:
        process.send_signal(signal.SIGKILL)
    process.wait(timeout=20)
    return was_running and process.returncode == -signal.SIGKILL
