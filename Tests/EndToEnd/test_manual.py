"""Help texts and the manual pages that are made of them: complete, true to the program, well-formed."""

import fcntl
import glob
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from tandem_process import BINARY, CANNOT_CREATE, USAGE, TandemTestCase, commands_of_overview

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The lists that stand for `tandem view` in the overview.
VIEWS = ("today", "overdue")
# The verbs that summaries begin with: a new one is added here if it is an imperative.
VERBS = set(
    """Accept Add Change Check Choose Confirm Copy Create End Erase Explain Export Import Join List Mark Make Move Narrow Plant
    Print Put Refuse Remove Rename Report Restore Revert Run Save Show Skip Start Stop Suggest Sync""".split())
SIMULATE = os.path.join(os.path.dirname(BINARY), "simulate")


class HelpTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.nobody = self.device("nobody")

    def commands(self):
        """The commands by their sources: name to options with and without values."""
        found = {}
        for path in glob.glob(os.path.join(ROOT, "Tools/tandem/Commands/*.swift")):
            with open(path) as file:
                text = file.read()
            name = re.search(r'static let name = "([a-z-]+)"', text)
            if not name:
                continue

            def options(kind):
                part = re.search(r"static let " + kind + r" =\s+(.*?)\n(?=\n|    [a-z/@])", text, re.S)
                return re.findall(r'"([a-z-]+)"', part.group(1)) if part else []
            found[name.group(1)] = (options("values"), options("flags"))
        # These two are the same in every program (Sources/Terminal/StandardCommands.swift).
        found.update({"help": (["man-pages"], []), "version": ([], [])})
        return found

    def test_every_option_is_explained_and_says_whether_it_takes_a_value(self):
        commands = self.commands()
        self.assertGreater(len(commands), 45)
        checked = 0
        for name, (values, flags) in commands.items():
            text = self.nobody.run("help", name).output
            terms = re.findall(r"^(--[^ ]*(?: [^ a-z][^ a-z]*|, --[^ ]*)*)(?:  .*)?$", text, re.M)
            explained = {}
            for term in terms:
                for part in re.findall(r"--([a-z-]+)(?: ([A-Z][A-Z:/]*))?", term):
                    explained[part[0]] = bool(part[1])
            for option in values:
                checked += 1
                self.assertTrue(explained.get(option), "{} --{}".format(name, option))
            for option in flags:
                checked += 1
                self.assertIs(explained.get(option), False, "{} --{}".format(name, option))
            for option, has_value in explained.items():
                # The program knows it, and takes a value where the text says so.
                line = ["--" + option] + ["x"] * has_value + ["--help"]
                self.nobody.run(name, *line)
                if not has_value:
                    self.nobody.run(name, "--{}=x".format(option), codes=(USAGE,))
        self.assertGreater(checked, 50)

    def test_examples_come_first_and_name_options_that_exist(self):
        for name in self.commands():
            text = self.nobody.run("help", name).output
            summary, examples = text.split("\n\n")[:2]
            self.assertNotIn("\n", summary)
            self.assertTrue(all(line.startswith("  ") for line in examples.split("\n")), name)
            self.assertIn("tandem ", examples)
            for line in text.split("\n"):
                self.assertLessEqual(len(line), 80, line)
            for line in examples.split("\n"):
                for call in re.findall(r"tandem ([a-z-]+)((?: [^|>]*)?)", line):
                    page = self.nobody.run("help", call[0]).output
                    for option in re.findall(r"(?<![^ ])--([a-z-]+)", call[1].split(" -- ")[0]):
                        if option not in ("json", "yes"):
                            self.assertIn("--" + option, page, line)

    def test_commands_and_exit_codes_that_help_mentions_exist(self):
        names = set(self.commands())
        words = names | set(self.nobody.run("help", "view").output.split())
        for name in names:
            text = self.nobody.run("help", name).output
            for call in re.findall(r"`tandem ([a-z-]+)", text):
                self.assertIn(call, words, name)
        codes = re.findall(r"^(\d+) ", self.nobody.run("help", "exit").output, re.M)
        known = []
        for path in ("Sources/Terminal/CommandEnding.swift", "Tools/tandem/HelpTopic.swift"):
            with open(os.path.join(ROOT, path)) as file:
                known += re.findall(r"static let [a-zA-Z]+ = ExitCode\(rawValue: (\d+)\)", file.read())
        self.assertEqual(codes, sorted(known, key=int))
        for topic in ("environment", "files", "exit"):
            self.assertIn(topic, self.nobody.run("help").output)
        self.nobody.run("help", "nonsense", codes=(USAGE,))


    def test_the_overview_names_every_command_in_one_group_and_fits_a_screen(self):
        overview = self.nobody.run("help").output
        shown = commands_of_overview(overview)
        # complete is for shells alone.
        named = [name for name in shown if name not in VIEWS]
        self.assertEqual(sorted(named), sorted(set(self.commands()) - {"view", "complete"}))
        self.assertIn("tandem help view", overview)
        lines = overview.splitlines()
        self.assertLessEqual(len(lines), 42)
        for line in lines:
            self.assertLessEqual(len(line), 80, line)

    def test_summaries_are_short_imperatives_without_a_full_stop(self):
        checked = 0
        for program, folder in ((BINARY, "tandem"), (SIMULATE, "simulate")):
            names = ["help", "version"]
            for path in glob.glob(os.path.join(ROOT, "Tools", folder, "Commands/*.swift")):
                with open(path) as file:
                    names += re.findall(r'static let name = "([a-z-]+)"', file.read())
            for name in names:
                done = subprocess.run(
                    [program, "help", name], check=True, capture_output=True, text=True, timeout=60)
                summary = done.stdout.split("\n")[0]
                checked += 1
                self.assertLessEqual(len(summary), 60, summary)
                self.assertIn(summary.split()[0], VERBS, summary)
                self.assertNotRegex(summary, r"\.$|;$", name)
        self.assertGreater(checked, 55)

    def test_a_narrow_screen_loses_no_word_of_the_help(self):
        for words in (("help",), ("help", "sync"), ("help", "resolve"), ("help", "relay"), ("help", "exit")):
            wide = self.nobody.run(*words).output
            for columns in (72, 60, 40):
                narrow = on_screen(columns, *words)
                self.assertEqual(narrow.split(), wide.split(), (words, columns))
                for line in narrow.splitlines():
                    if len(line) > columns:
                        # An address or a list of names has no place to be broken at.
                        self.assertLessEqual(len(line.split()), 2, line)


def on_screen(columns, *words):
    """The output of a command on a screen with so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([BINARY, *words], stdin=slave, stdout=slave, stderr=slave) as process:
        os.close(slave)
        parts = []
        while True:
            try:
                part = os.read(master, 1 << 16)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
    os.close(master)
    return b"".join(parts).decode().replace("\r\n", "\n")


class ManualTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.pages = os.path.join(self.folder, "man")
        environment = dict(os.environ, SOURCE_DATE_EPOCH="1780000000")
        for program in (BINARY, SIMULATE):
            subprocess.run(
                [program, "help", "--man-pages", self.pages], check=True, env=environment,
                capture_output=True, timeout=60)

    def test_every_command_has_a_page_without_a_fault(self):
        names = sorted(os.listdir(self.pages))
        self.assertIn("tandem.1", names)
        self.assertIn("simulate.1", names)
        self.assertIn("tandem-relay.conf.5", names)
        commands = commands_of_overview(self.device("nobody").run("help").output)
        self.assertGreater(len(commands), 40)
        for command in set(commands) - set(VIEWS) | {"view"}:
            self.assertIn("tandem-{}.1".format(command), names)
        paths = [os.path.join(self.pages, name) for name in names]
        done = subprocess.run(
            ["mandoc", "-Tlint", "-Wstyle", *paths], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout + done.stderr, "")
        self.assertEqual(done.returncode, 0)

    def rendered(self, name):
        done = subprocess.run(
            ["mandoc", "-Tutf8", "-O", "width=80", os.path.join(self.pages, name)],
            capture_output=True, text=True, check=True, timeout=60)
        return re.sub(".\b", "", done.stdout)

    def test_a_page_says_what_the_help_says(self):
        nobody = self.device("nobody")
        for name in ("list", "resolve", "relay", "invite", "times"):
            page = self.rendered("tandem-{}.1".format(name)).split()
            text = nobody.run("help", name).output.split("\n\nEvery command takes")[0]
            for word in text.replace("`", "").split():
                self.assertIn(word, page, name)
        page = self.rendered("tandem-list.1")
        self.assertLess(page.index("EXAMPLES"), page.index("DESCRIPTION"))
        self.assertIn("  tandem list due.before:eow -someday\n", page)
        for line in page.splitlines():
            self.assertLessEqual(len(line), 80)
        self.assertIn("2026-05-28", page)

    def test_the_page_of_settings_names_all_of_them(self):
        page = self.rendered("tandem-relay.conf.5")
        settings = self.device("nobody").run("relay", "--print-config").output
        names = re.findall(r"^#? ?([a-z-]+) = ", settings, re.M)
        self.assertGreater(len(names), 15)
        for name in names:
            self.assertIn(name + " = ", page)

    def test_a_folder_that_cannot_be_made_is_told(self):
        result = self.device("nobody").run(
            "help", "--man-pages", os.path.join(self.folder, "none", "man"), codes=(CANNOT_CREATE,))
        self.assertIn("cannot be written", result.errors)


if __name__ == "__main__":
    unittest.main()
