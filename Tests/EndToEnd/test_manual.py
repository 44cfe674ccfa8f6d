"""Help texts and the manual pages that are made of them: complete, true to the program, well-formed."""

import glob
import os
import re
import subprocess
import unittest

from tandem_process import BINARY, CANNOT_CREATE, USAGE, TandemTestCase

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
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
                part = re.search(r"static let " + kind + r" = (.*?)\n(?=\n|    [a-z/@])", text, re.S)
                return re.findall(r'"([a-z-]+)"', part.group(1)) if part else []
            found[name.group(1)] = (options("values"), options("flags"))
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
            for option in explained:
                if name != "relay":
                    self.assertIn(option, values + flags, "{} --{} is no option".format(name, option))
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
        with open(os.path.join(ROOT, "Tools/tandem/ExitCode.swift")) as file:
            self.assertEqual(codes, re.findall(r"case [a-zA-Z]+ = (\d+)", file.read()))
        for topic in ("environment", "files", "exit"):
            self.assertIn(topic, self.nobody.run("help").output)
        self.nobody.run("help", "nonsense", codes=(USAGE,))


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
        overview = self.device("nobody").run("help").output
        for command in re.findall(r"^  ([a-z]+)  ", overview, re.M):
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
