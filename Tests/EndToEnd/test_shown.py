"""What others write never steers the terminal: every text of a peer, a store, a file or the environment, in every command."""

import errno
import json
import os
import pty
import re
import select
import socket
import subprocess
import threading
import time
import unicodedata
import unittest

import tandem_process as tandem
import wire
from test_relay import Relay

# Escape sequences of both forms, the title of a window, the bell, bidi controls, what cannot be seen, line separators.
HOSTILE = (
    "E\x1b[31mO\x1b]0;t\x07C\x9b1mD\x85B\u202eR\u2066I\u2069L\u200eM\u200fA\u061cZ\u200bW\u2060"
    "F\ufeffS\u2028P\u2029T\U000e0041J\u200dN\u200cV\xadX")
# What people write, as it is.
FRIENDLY = ("👩‍👩‍👧‍👦", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "می‌خواهم",
            "क्‍ष", "עברית", "e\u0301", "❤️")
WAIT_SECONDS = 30


def forbidden(text):
    """The characters that no terminal should be sent; those that people's words need do not count."""
    for friendly in FRIENDLY:
        text = text.replace(friendly, "")
    found = set()
    for character in text:
        code = ord(character)
        if character in "\n\t":
            continue
        if code < 0x20 or 0x7f <= code < 0xa0 or unicodedata.category(character) in ("Cf", "Zl", "Zp"):
            found.add("U+{:04X}".format(code))
    return found


class Liar(threading.Thread):
    """A peer or relay that greets whoever calls with an error of its own words."""

    def __init__(self, text, code):
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.error = wire.cbor({
            0: wire.KIND_ERROR, 1: code, 2: text, 3: 0, 4: text})
        self.start()

    @property
    def address(self):
        return "127.0.0.1:{}".format(self.socket.getsockname()[1])

    def run(self):
        while True:
            try:
                link, _ = self.socket.accept()
            except OSError:
                return
            with link:
                try:
                    link.settimeout(5)
                    link.recv(65536)
                    link.sendall(wire.frame(self.error))
                    link.shutdown(socket.SHUT_WR)
                    link.recv(65536)
                except OSError:
                    pass

    def close(self):
        self.socket.close()


class ShownText(tandem.TandemTestCase):
    # Commands that do not end by themselves have tests of their own below.
    long_commands = {"serve", "daemon", "watch", "web"}

    def assertShown(self, text, about):
        self.assertEqual(set(), forbidden(text), "{}:\n{!r}".format(about, text[:2000]))

    def shown(self, device, *words, text=""):
        """Runs a command, whatever its end, and looks at all that it shows."""
        done = subprocess.run(
            [tandem.BINARY, *words], env=device.environment(), input=text.encode(),
            capture_output=True, timeout=tandem.COMMAND_SECONDS_MAX)
        self.assertIn(done.returncode, tandem.NAMED_CODES, done)
        for stream in (done.stdout, done.stderr):
            self.assertShown(stream.decode(), words)
        return done

    def is_json(self, text):
        """Whether a text is one JSON value, or one in each line."""
        for lines in ([text], text.splitlines()):
            try:
                for line in lines:
                    json.loads(line)
                return True
            except ValueError:
                pass
        return False

    def on_screen(self, device, *words):
        """What a command shows on a screen without colours."""
        main, side = pty.openpty()
        process = subprocess.Popen(
            [tandem.BINARY, *words], env=device.environment(), stdin=subprocess.DEVNULL,
            stdout=side, stderr=side)
        os.close(side)
        shown, until = b"", time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            if select.select([main], [], [], 0.05)[0]:
                try:
                    piece = os.read(main, 65536)
                except OSError as error:
                    self.assertEqual(errno.EIO, error.errno)
                    break
                if not piece:
                    break
                shown += piece
        os.close(main)
        process.wait(timeout=WAIT_SECONDS)
        return shown.decode().replace("\r\n", "\n")

    def world(self, plain=False):
        """Two devices with hostile names that disagree about a to-do all of whose texts are hostile."""
        laptop, phone = self.device("laptop"), self.device("phone")
        laptop.run("init", "--name", "laptop " + HOSTILE, *(["--plain"] if plain else []))
        path = os.path.join(self.folder, "items.csv")
        with open(path, "w") as file:
            file.write("title,notes,project,tags,location,people,url,own\n")
            # A carriage return within quotes would end a line for some readers.
            file.write(",".join(['"{}"'.format(HOSTILE)] * 8) + "\n")
        laptop.run("import", "--format", "csv", path, codes=(tandem.OK, tandem.NOTHING, tandem.BAD_DATA))
        first = laptop.add(*(["Friendly " + " ".join(FRIENDLY)]))
        second = laptop.add("plain")
        laptop.edit(
            second, HOSTILE, "notes:" + HOSTILE, "project:" + HOSTILE, "+" + HOSTILE.replace(" ", ""),
            "location:" + HOSTILE, "people:" + HOSTILE, "x.size" + ":" + HOSTILE, "due:2030-01-03", "remind:-1d",
            codes=tandem.NAMED_CODES)
        laptop.edit(second, HOSTILE, "notes:" + HOSTILE, "due:2030-01-03", codes=tandem.NAMED_CODES)
        with laptop.serve() as server:
            phone.run(
                "init", "--name", "phone " + HOSTILE, "--from", server.address,
                *(["--plain"] if plain else []))
            phone.sync(server.address)
        laptop.edit(second, "mine " + HOSTILE, codes=tandem.NAMED_CODES)
        phone.edit(second, "theirs " + HOSTILE, codes=tandem.NAMED_CODES)
        third = laptop.add(HOSTILE)
        self.meet(laptop, phone)
        laptop.delete(third)
        return laptop, phone, first, second

    def test_no_command_shows_what_steers_a_terminal(self):
        laptop, phone, first, second = self.world()
        commands = [
            ("list",), ("list", "--by", "project"), ("list", HOSTILE), ("show", second),
            ("show", first), ("history", second), ("conflicts",), ("why", second), ("status",),
            ("status", "--short"), ("devices",), ("devices", "--log"), ("undo", "--list"), ("agenda", "2030-01-03"),
            ("calendar", "2030-01"), ("week", "2030-01-03"), ("stats",), ("summary",),
            ("burndown", "--by", HOSTILE), ("summary", "--svg", "-"), ("week", "--svg", "/proc/" + HOSTILE), ("times",), ("recent",), ("trash",),
            ("remind",), ("remind", "--run", "--notify", HOSTILE), ("apply", HOSTILE), ("edit", second, "remind:" + HOSTILE),
            ("doctor",), ("restore", "--list"), ("show", HOSTILE), ("done", HOSTILE), (HOSTILE,),
            ("list", "--" + HOSTILE), ("edit", second, "due:" + HOSTILE), ("help", HOSTILE),
            ("import", HOSTILE), ("import", "--format", HOSTILE, HOSTILE), ("sync", HOSTILE),
            ("sync", HOSTILE + ":1"), ("revoke", HOSTILE), ("join", HOSTILE), ("rename", ""),
            ("resolve", second, "--field", "title", "--device", HOSTILE), ("backup", "/proc/" + HOSTILE),
            ("restore", "--from", HOSTILE), ("vdir", "/proc/" + HOSTILE), ("relay", "--config", HOSTILE),
            ("invite", "--relay", HOSTILE), ("list", "--store", "/tmp/" + HOSTILE), ("add", "due:" + HOSTILE),
            ("edit", second, HOSTILE + " more"), ("append", second, HOSTILE), ("prepend", second, HOSTILE),
            ("annotate", second, HOSTILE), ("start", second), ("stop",), ("done", second),
            ("reopen", second), ("undo",), ("redo",), ("delete", second, "--yes"), ("restore", second),
            ("resolve", second, "--field", "title", "--mine"), ("today",), ("overdue",),
            ("cancel", second), ("skip", second), ("catchup", second), ("move", second, HOSTILE), ("purge", HOSTILE),
            ("pause", HOSTILE), ("resume",), ("accept-deletes", HOSTILE), ("refuse-deletes", HOSTILE),
            ("save", HOSTILE, "+a"), ("save", "a", HOSTILE), ("save", "a", "sort:" + HOSTILE), ("save", "a", "+a"),
            ("view",), ("view", HOSTILE), ("context", HOSTILE), ("context", "a"), ("context", "none"),
            ("config", "alias." + HOSTILE, HOSTILE), ("config", "alias.w", HOSTILE), ("config", HOSTILE), ("config",),
            ("completion", HOSTILE), ("caldav", "--add-client", HOSTILE), ("caldav", "--clients"),
            ("caldav", "--remove-client", HOSTILE), ("caldav", "--listen", HOSTILE),
            ("completion", "bash"), ("export", "--format", HOSTILE), ("version",), ("init",),
        ]
        overview = tandem.commands_of_overview(laptop.run("help").output)
        tested = {words[0] for words in commands} | self.long_commands
        self.assertEqual(set(), set(overview) - tested, "commands that no test looks at")
        for words in commands:
            with self.subTest(words=words):
                if any("\0" in word for word in words):
                    continue
                self.shown(laptop, *words)
                answer = self.shown(laptop, *words, "--json").stdout.decode()
                if answer[:1] in ("[", "{"):
                    self.assertTrue(self.is_json(answer), answer[:500])
        for name, value in (("TZ", HOSTILE), ("TANDEM_STORE", "/tmp/" + HOSTILE), ("TANDEM_WEEK_START", HOSTILE)):
            with self.subTest(variable=name):
                environment = dict(laptop.environment(), **{name: value})
                done = subprocess.run(
                    [tandem.BINARY, "list"], env=environment, capture_output=True,
                    timeout=tandem.COMMAND_SECONDS_MAX)
                self.assertShown((done.stdout + done.stderr).decode(), name)
        self.assertIn("\\u{1b}", self.shown(phone, "show", second).stdout.decode())
        listed = self.shown(laptop, "list").stdout.decode()
        for friendly in FRIENDLY:
            self.assertIn(friendly, listed)

    def test_export_is_visible_on_a_screen_and_as_it_is_in_a_pipe(self):
        laptop, _, first, second = self.world()
        forms = [
            ("jsonl",), ("jsonl", "--all"), ("csv",), ("todotxt",), ("vtodo",), ("taskwarrior",), ("chronolist", "--xml")]
        listed = laptop.run("help", "export").output
        self.assertEqual({form[0] for form in forms}, set(re.findall(
            r"\b(?:jsonl|taskwarrior|vtodo|todotxt|csv|chronolist)\b", listed.split("--all")[0].split("--format FORMAT")[1])))
        for form in forms:
            with self.subTest(form=form):
                words = ["export", "--format", *form]
                done = subprocess.run(
                    [tandem.BINARY, *words], env=laptop.environment(), capture_output=True,
                    timeout=tandem.COMMAND_SECONDS_MAX)
                self.assertEqual(tandem.OK, done.returncode, done.stderr)
                # A calendar breaks its lines within words.
                self.assertIn("\u202e", done.stdout.decode().replace("\r\n ", ""))
                self.assertShown(done.stderr.decode(), form)
                shown = self.on_screen(laptop, *words)
                self.assertShown(shown.replace("\n ", "") if form[0] == "vtodo" else shown, form)
        # The binary form of a property list is nothing to look at.
        self.assertShown(self.on_screen(laptop, "export", "--format", "chronolist"), "binary")
        for words in (("list",), ("show", second), ("devices",), ("status",), ("conflicts",)):
            self.assertShown(self.on_screen(laptop, *words), words)

    def test_the_names_of_peers_are_visible_in_sync_invite_and_the_log_of_serve(self):
        laptop, phone, _, _ = self.world()
        with laptop.serve() as server:
            for words in ((), ("--json",)):
                done = self.shown(phone, "sync", server.address, *words)
                self.assertEqual(tandem.OK, done.returncode, done)
                said = done.stdout.decode()
                self.assertTrue("\\u{1b}" in said or "\\u001b" in said, said)
            server.logged("ended; 0 received")
        with open(server.log_path, newline="") as log:
            self.assertShown(log.read(), "serve")
        # What a person reads, and what a program reads, while a device of such a name joins.
        with laptop.serve(tcp=True) as server:
            for number, form in enumerate(([], ["--json"])):
                path = os.path.join(self.folder, "invite")
                with open(path, "wb") as told:
                    waiting = laptop.start(
                        "invite", "--yes", "--address", server.address, *form, output=told, errors=told)
                self.addCleanup(tandem.kill, waiting)
                code, until = None, time.monotonic() + WAIT_SECONDS
                while not code:
                    self.assertLess(time.monotonic(), until)
                    with open(path) as told:
                        code = re.search(r"127\.0\.0\.1:[0-9]+/[0-9A-Z-]{54}", told.read())
                    time.sleep(0.01)
                tablet = self.device("tablet{}".format(number))
                joined = self.shown(tablet, "join", code.group(0), "--name", "tablet " + HOSTILE)
                self.assertEqual(tandem.OK, joined.returncode, joined)
                self.assertEqual(tandem.OK, waiting.wait(WAIT_SECONDS))
                with open(path, newline="") as told:
                    text = told.read()
                self.assertTrue("tablet E\\u{1b}" in text or "tablet E\\u001b" in text, text)
                self.assertShown(text, "invite")
        with open(server.log_path, newline="") as log:
            self.assertShown(log.read(), "serve beside an invitation")

    def test_the_words_of_a_lying_peer_and_relay_are_visible(self):
        laptop = self.device("laptop")
        laptop.init(plain=True)
        for code in (1, 2, 3, 10, 13, 99):
            liar = Liar(HOSTILE, code)
            self.addCleanup(liar.close)
            self.shown(laptop, "sync", liar.address)
            self.shown(laptop, "sync", "relay://" + liar.address)
            self.shown(laptop, "status")
            other = self.device("other")
            self.shown(other, "init", "--plain", "--from", liar.address)

    def test_what_a_daemon_and_a_watch_say_is_visible(self):
        laptop, phone, _, second = self.world(plain=True)
        liar = Liar(HOSTILE, 13)
        self.addCleanup(liar.close)
        path = os.path.join(self.folder, "said")
        with open(path, "wb") as said:
            daemon = laptop.start("daemon", "--peer", liar.address, output=said, errors=said)
            watch = laptop.start("watch", "--count", "1", output=said, errors=said)
            json_watch = laptop.start("watch", "--count", "1", "--json", output=said, errors=said)
            try:
                time.sleep(1)
                self.shown(laptop, "status")
                laptop.edit(second, HOSTILE + " once more")
                watch.wait(WAIT_SECONDS)
                json_watch.wait(WAIT_SECONDS)
                self.shown(laptop, "status")
            finally:
                for process in (daemon, watch, json_watch):
                    if process.poll() is None:
                        process.terminate()
                        process.wait(WAIT_SECONDS)
        with open(path, newline="") as said:
            text = said.read()
        self.assertIn("once more", text)
        self.assertShown(text, "daemon and watch")

    def test_the_logs_of_serve_and_relay_are_visible(self):
        laptop = self.device("laptop")
        laptop.init(plain=True)
        error = wire.cbor({0: wire.KIND_ERROR, 1: 13, 2: HOSTILE, 3: 0, 4: HOSTILE})
        with laptop.serve() as server:
            wire.talk(server.port, [wire.frame(wire.hello()), wire.frame(error)], seconds=2)
            wire.talk(server.port, [wire.frame(error)], seconds=2)
            server.logged("failed|lost|ended")
        with open(server.log_path, newline="") as log:
            text = log.read()
        self.assertIn("\\u{1b}", text)
        self.assertShown(text, "serve")
        folder = os.path.join(self.folder, "relay")
        os.mkdir(folder)
        relay = Relay(folder, settings="plain-spaces = yes\nlog-level = debug\n")
        try:
            with wire.Line(relay.port("address"), seconds=2) as line:
                line.socket.sendall(wire.frame(error))
        except OSError:
            pass
        finally:
            relay.end()
        with open(os.path.join(folder, "log"), newline="") as log:
            self.assertShown(log.read(), "relay")

    @unittest.skipUnless(
        os.path.exists(os.path.join(os.path.dirname(tandem.BINARY), "simulate")), "no simulator here")
    def test_the_text_of_a_scenario_is_visible(self):
        path = os.path.join(self.folder, "hostile.scenario")
        laptop = self.device("laptop")
        simulate = os.path.join(os.path.dirname(tandem.BINARY), "simulate")
        for text in (HOSTILE + "\n", "# " + HOSTILE + "\ndevices a b\na adds milk \"" + HOSTILE + "\"\n"):
            with open(path, "w") as file:
                file.write(text)
            for words in (("run", path), ("run", "--trace", path), ("run", HOSTILE)):
                done = subprocess.run(
                    [simulate, *words], env=laptop.environment(), capture_output=True,
                    timeout=tandem.COMMAND_SECONDS_MAX)
                self.assertShown((done.stdout + done.stderr).decode(), (words, text))

