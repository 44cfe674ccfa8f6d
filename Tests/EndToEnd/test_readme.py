"""README's first walk, typed as it stands there, with one program and nothing beside it."""

import os
import re
import shutil
import subprocess
import unittest

from tandem_process import BINARY, COMMAND_SECONDS_MAX, TandemTestCase

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATE = re.compile(r"[A-Z][a-z]{2} \d+ [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)?")
HEADING = "## Two devices, one conflict\n"
# A person looks before going on; here the next command waits until somebody answers.
AWAIT = """
server=$!
trap 'kill "$server"' EXIT
for _ in $(seq 200); do grep -q listening "$HOME/serve.log" && break; sleep 0.05; done
"""


class ReadmeTests(TandemTestCase):
    def walk(self):
        """The commands of the walk, each with what README shows of it; nil where it shows nothing."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            text = file.read()
        part = text[text.index(HEADING):].split("\n## ")[0]
        shell, console = re.findall(r"```(?:sh|console)\n(.*?)```", part, re.DOTALL)[:2]
        acts = [(line.split("   ")[0].rstrip(), None) for line in shell.splitlines()]
        for act in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE):
            acts.append(act)
        return acts

    def test_the_walk_needs_one_program_and_shows_what_readme_shows(self):
        home = os.path.join(self.folder, "home")
        os.makedirs(os.path.join(home, "bin"))
        program = os.path.join(home, "bin", "tandem")
        shutil.copy2(os.path.realpath(BINARY), program)
        acts = self.walk()
        self.assertGreater(len(acts), 9)
        lines = ["shopt -s expand_aliases", "alias tandem={}".format(program)]
        for number, (command, _) in enumerate(acts):
            lines.append("echo '=== {}'".format(number))
            if command.endswith("&"):
                lines += [command[:-1] + '>"$HOME/serve.log" 2>&1 &', AWAIT]
            else:
                lines.append(command)
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": home, "TZ": "UTC", "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no",
            "LANG": "C.UTF-8"}
        done = subprocess.run(
            ["bash", "-e"], input="\n".join(lines) + "\n", env=environment, capture_output=True, text=True,
            timeout=COMMAND_SECONDS_MAX)
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        # What a person sees of `serve` between the other commands: that nothing failed.
        with open(os.path.join(home, "serve.log"), encoding="utf-8") as log:
            said = [line.split(": ", 2)[-1] for line in log.read().splitlines()]
        self.assertEqual("a new device asked which space this is", said[1], said)
        for line in said[2:]:
            self.assertRegex(line, r"\Aended; [0-9]+ received, [0-9]+ sent\Z", said)
        self.assertGreater(len(said), 3)
        shown = re.split(r"^=== \d+\n", done.stdout, flags=re.MULTILINE)[1:]
        self.assertEqual(len(acts), len(shown), done.stdout)
        for (command, told), output in zip(acts, shown):
            if told is not None:
                self.assertEqual(DATE.sub("DATE", told), DATE.sub("DATE", output), command)
        self.assertEqual(2, shown[[command for command, _ in acts].index("phone list && tandem list")].count("Buy oat milk"))


if __name__ == "__main__":
    unittest.main()
