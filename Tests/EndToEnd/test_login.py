"""The daemon as a service of the user's login: a unit of systemd, and what is said where there is none."""

import os
import re
import shutil
import subprocess
import unittest

import tandem_process as tandem

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNIT = os.path.join(ROOT, "Tools", "daemon", "tandem.service")
REFUSED, UNAVAILABLE = tandem.REFUSED, tandem.UNAVAILABLE
# Odd, and allowed: blanks, both quotes, a backslash, and what systemd and the shell replace.
ODD = "odd \"st'ore\\ 100% $HOME %h"


class Login(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.home = os.path.join(self.folder, "home")
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.home)
        os.mkdir(self.bin)
        self.calls = os.path.join(self.folder, "calls")
        self.store = os.path.join(self.folder, ODD)
        self.tandem("init", "--name", "laptop", "--plain")
        self.unit = os.path.join(self.home, ".config", "systemd", "user", "tandem.service")

    def tandem(self, *words, program=None, code=0, store=True, **environment):
        words = list(words) + (["--store", self.store] if store else [])
        done = subprocess.run(
            [program or tandem.BINARY, *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
            env=dict({"HOME": self.home, "PATH": self.bin, "TZ": "UTC"}, **environment))
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def systemctl(self, text):
        """A systemctl that is made up; its words are kept."""
        with open(os.path.join(self.bin, "systemctl"), "w") as file:
            file.write('#!/bin/sh\nprintf "%s\\n" "$*" >>"{}"\n{}\n'.format(self.calls, text))
        os.chmod(os.path.join(self.bin, "systemctl"), 0o755)
        if os.path.exists(self.calls):
            os.remove(self.calls)

    def called(self):
        with open(self.calls) as file:
            return file.read().split("\n")[:-1]

    def install(self, *words, **options):
        return self.tandem("daemon", "--install", "--peer", "unix:", *words, **options)

    def read(self, path=None):
        with open(path or self.unit) as file:
            return file.read()

    def verify(self, path, text=None):
        """What systemd says of a unit, if anything."""
        self.assertTrue(
            shutil.which("systemd-analyze"), "systemd-analyze is missing: ./Tools/setup --for-tests")
        tried = os.path.join(self.folder, "tandem.service")
        with open(tried, "w") as file:
            file.write(text or self.read(path))
        done = subprocess.run(
            ["systemd-analyze", "--user", "verify", "--man=no", tried], capture_output=True, text=True, timeout=30,
            env=dict(os.environ, XDG_RUNTIME_DIR=self.folder))
        if "Failed to initialize manager" in done.stderr:
            self.skipTest("systemd-analyze cannot verify here: " + done.stderr)
        self.assertEqual(0, done.returncode, done.stderr)
        return [line for line in done.stderr.splitlines() if "tandem.service" in line]

    def test_the_unit_is_written_enabled_and_removed_and_doing_it_again_changes_nothing(self):
        self.systemctl("exit 0")
        self.assertIn("runs now", self.install())
        self.assertEqual(
            ["--user daemon-reload", "--user daemon-reload", "--user enable tandem.service",
             "--user restart tandem.service"], self.called())
        unit = self.read()
        quoted = ODD.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
        start = re.search(r"^ExecStart=(.*)$", unit, re.M).group(1)
        self.assertTrue(start.endswith('"--store" "{}/{}" "--peer" "unix:"'.format(self.folder, quoted)), start)
        self.assertEqual([], self.verify(self.unit))
        self.install()
        self.assertEqual(unit, self.read())
        self.assertEqual("--user start tandem.service", self.called()[-1])
        self.systemctl("exit 0")
        self.assertIn("Removed", self.tandem("daemon", "--uninstall"))
        self.assertEqual(["--user disable --now tandem.service", "--user daemon-reload"], self.called())
        self.assertFalse(os.path.exists(self.unit))
        self.assertIn("No service", self.tandem("daemon", "--uninstall"))

    def test_a_program_at_an_odd_place_is_found_by_systemd(self):
        self.systemctl("exit 0")

        def program(name):
            folder = os.path.join(self.folder, name)
            os.mkdir(folder)
            path = os.path.join(folder, "tandem")
            try:
                os.link(os.path.realpath(tandem.BINARY), path)
            except OSError:
                shutil.copy(tandem.BINARY, path)
            return path
        for name in ("it's", 'a "b"', "a\\b"):
            self.assertIn("quotes", self.install(program=program(name), code=tandem.USAGE))
        self.assertFalse(os.path.exists(self.unit))
        program = program("100% $HOME %h ${x}")
        self.install(program=program)
        self.assertEqual([], self.verify(self.unit))
        # It would be told if it were not there.
        os.remove(program)
        with self.assertRaises(AssertionError):
            self.verify(self.unit)

    def test_a_store_at_its_default_place_is_not_named_and_the_base_directory_is_minded(self):
        self.systemctl("exit 0")
        self.tandem("init", "--name", "desk", "--plain", store=False)
        folder = os.path.join(self.home, "my configuration")
        self.tandem("daemon", "--install", "--peer", "unix:", store=False, XDG_CONFIG_HOME=folder)
        self.assertFalse(os.path.exists(self.unit))
        unit = self.read(os.path.join(folder, "systemd", "user", "tandem.service"))
        self.assertNotIn("--store", unit)

    def test_a_store_is_named_by_its_path_without_relative_parts_and_links(self):
        self.systemctl("exit 0")
        store = self.store
        os.mkdir(os.path.join(self.folder, "beside"))
        os.symlink(store, os.path.join(self.folder, "link"))
        self.install()
        unit = self.read()
        self.store = os.path.join(self.folder, "beside", "..", ODD)
        self.install()
        self.assertEqual(unit, self.read())
        self.store = os.path.join(self.folder, "link")
        self.install()
        self.assertEqual(unit, self.read())
        self.assertNotIn("..", unit)
        self.assertIn("Removed", self.tandem("daemon", "--uninstall"))

    def test_a_unit_of_somebody_else_or_of_another_store_is_left_alone(self):
        self.systemctl("exit 0")
        self.install()
        other = self.store
        self.store = os.path.join(self.folder, "another")
        self.tandem("init", "--name", "other", "--plain")
        self.assertIn("another store", self.install(code=REFUSED))
        self.assertIn("another store", self.tandem("daemon", "--uninstall", code=REFUSED))
        self.store = other
        with open(self.unit, "w") as file:
            file.write("[Service]\nExecStart=/bin/true\n")
        self.assertIn("not a unit that tandem wrote", self.install(code=REFUSED))
        self.assertIn("not a unit that tandem wrote", self.tandem("daemon", "--uninstall", code=REFUSED))
        self.assertEqual("[Service]\nExecStart=/bin/true\n", self.read())

    def test_where_systemd_does_not_answer_the_commands_to_type_are_named(self):
        self.systemctl("exit 1")
        told = self.install(code=tandem.INCOMPLETE)
        self.assertIn("  systemctl --user enable tandem.service\n", told)
        self.assertIn("  systemctl --user restart tandem.service\n", told)
        self.assertTrue(os.path.exists(self.unit))
        self.assertIn("  systemctl --user stop tandem.service\n", self.tandem("daemon", "--uninstall", code=tandem.INCOMPLETE))
        self.assertFalse(os.path.exists(self.unit))

    def test_without_systemd_a_line_for_cron_is_named_and_nothing_is_written(self):
        told = self.install(code=UNAVAILABLE)
        line = re.search(r"^@reboot (.*)$", told, re.M).group(1)
        self.assertFalse(os.path.exists(self.unit))
        # What cron hands to the shell: a percent sign without its backslash.
        shown = subprocess.run(
            ["/bin/sh", "-c", "printf '%s\\n' " + line.replace("\\%", "%")], capture_output=True, text=True)
        self.assertEqual(
            [os.path.realpath(tandem.BINARY), "daemon", "--store", self.store, "--peer", "unix:"],
            shown.stdout.split("\n")[:-1])

    def test_what_would_keep_the_daemon_from_starting_is_told_at_once(self):
        self.systemctl("exit 0")
        self.assertIn("no relay and no device is known", self.tandem("daemon", "--install", code=tandem.USAGE))
        self.assertFalse(os.path.exists(self.unit))
        self.tandem("daemon", "--install", "--uninstall", code=tandem.USAGE)

    def test_systemd_understands_every_line_of_the_unit_of_the_package(self):
        text = self.read(UNIT)
        self.assertIn("ExecStart=/usr/bin/tandem daemon\n", text)
        # Where the program is here; the rest as it is.
        text = text.replace("/usr/bin/tandem", os.path.abspath(tandem.BINARY))
        self.assertEqual([], self.verify(UNIT, text))
        # A line that it does not understand would be told.
        self.assertNotEqual([], self.verify(UNIT, text.replace("RestartSec=10", "RestartSec=10\nRestartNever=yes")))

    def test_the_unit_of_the_package_says_what_an_installed_one_says(self):
        self.systemctl("exit 0")
        self.install()

        def lines(text):
            return [line for line in text.split("\n") if line and line[0] != "#" and "ExecStart" not in line]
        self.assertEqual(lines(self.read(UNIT)), lines(self.read()))


if __name__ == "__main__":
    unittest.main()
