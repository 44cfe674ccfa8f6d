"""Completion in real shells: what Tab offers, what it puts in, and that it harms nothing."""

import os
import pty
import select
import shutil
import sqlite3
import subprocess
import time
import unittest

from tandem_process import BINARY, USAGE, TandemTestCase, commands_of_overview

WAIT_SECONDS = 30
SHELLS = ("bash", "zsh", "fish")
# Titles, projects and tags come from other devices, and are whatever these send.
HOSTILE = (
    "$(touch pwned)", "`touch pwned`", "a;touch pwned", "it's", 'say "hi"', "back\\slash", "two words",
    "a&b|c>d", "*", "~root", "#no", "ümläut 会議", "!1", "a=b", "{x,y}", "[z]",
)


class Shell:
    """An interactive shell on a pseudo terminal, with completion for tandem; Ctrl-T writes its line down."""

    def __init__(self, test, name, folder, device):
        self.folder = folder
        self.seen = b""
        self.dump = os.path.join(folder, "line")
        rc = {
            "bash": (
                ".bashrc", "bind 'set bell-style none'\nbind 'set enable-bracketed-paste off'\n"
                "dump() {{ printf %s \"$READLINE_LINE\" > {0}.new; mv {0}.new {0}; }}\n"
                "bind -x '\"\\C-t\": dump'\nPS1='ready> '\nsource <(tandem completion bash)\n",
                ["bash", "--noprofile", "--rcfile", os.path.join(folder, ".bashrc"), "-i"]),
            "zsh": (
                ".zshrc", "autoload -U compinit; compinit -D -u\nunsetopt zle_bracketed_paste\n"
                "dump() {{ printf %s \"$BUFFER\" > {0}.new; mv {0}.new {0} }}\n"
                "zle -N dump; bindkey -e; bindkey '^T' dump\nPS1='ready> '\n"
                "source <(tandem completion zsh)\n", ["zsh", "-i"]),
            "fish": (
                "fish/config.fish", "function fish_prompt; echo 'ready> '; end\n"
                "function dump; commandline > {0}.new; mv {0}.new {0}; end\n"
                "bind \\ct dump\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\n"
                "tandem completion fish | source\n", ["fish", "-i"]),
        }[name]
        path = os.path.join(folder, rc[0])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(rc[1].format(self.dump))
        environment = dict(
            device.environment(), PATH=with_tandem(folder) + ":" + os.environ["PATH"], HOME=folder,
            ZDOTDIR=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, TERM="vt100",
            LC_ALL="C.UTF-8", HISTFILE="/dev/null", COLUMNS="100", LINES="40")
        self.pid, self.main = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(rc[2][0], rc[2], environment)
        test.addCleanup(self.end)
        self.wait(lambda: b"ready> " in self.seen)

    def end(self):
        os.close(self.main)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)

    def wait(self, holds):
        until = time.monotonic() + WAIT_SECONDS
        while not holds():
            if time.monotonic() > until:
                raise AssertionError("it never came:\n" + self.seen.decode(errors="replace")[-2000:])
            if select.select([self.main], [], [], 0.02)[0]:
                self.seen += os.read(self.main, 65536)

    def complete(self, line):
        """The line after a Tab at its end, and what was shown meanwhile."""
        if os.path.exists(self.dump):
            os.remove(self.dump)
        self.seen = b""
        # Ctrl-U empties the line; keys are taken one after the other.
        os.write(self.main, b"\x15" + line.encode() + b"\t\x14")
        self.wait(lambda: os.path.exists(self.dump))
        with open(self.dump) as file:
            return file.read().rstrip("\n"), self.seen.decode(errors="replace")


def with_tandem(folder):
    """A folder for PATH in which the program has its name."""
    path = os.path.join(folder, "bin")
    os.makedirs(path, exist_ok=True)
    link = os.path.join(path, "tandem")
    if not os.path.exists(link):
        os.symlink(os.path.abspath(shutil.which(BINARY)), link)
    return path


class CompletionTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def offered(self, *words, device=None):
        """What the program offers at the end of a command line: words with their notes."""
        result = (device or self.laptop).run("complete", "--", *words)
        self.assertEqual(result.errors, "")
        return dict(line.split("\t", 1) for line in result.output.splitlines())

    def fill(self):
        self.laptop.add("Buy milk", "project:Home", "+errand", "x.size:3", "people:Ann", "due:2030-01-01")
        self.laptop.add("Call", "project:My House", "+phone", "due:2030-01-02")
        self.laptop.run("done", self.laptop.add("Old", "project:Gone"))
        self.laptop.run("list")

    def test_every_command_option_and_value_is_offered(self):
        commands = commands_of_overview(self.laptop.run("help").output)
        offered = self.offered("")
        self.assertGreater(len(commands), 40)
        for command in commands + ["today", "overdue", "next-week"]:
            self.assertIn(command, offered)
            self.assertTrue(offered[command], command)
        self.assertNotIn("complete", offered)
        for command in commands:
            options = self.offered(command, "--")
            self.assertIn("--json", options)
            for option in options:
                self.assertTrue(options[option], "{} {} says nothing".format(command, option))
        self.assertEqual(
            list(self.offered("list", "--by", "")), ["urgency", "day", "project", "manual", "none"])
        self.assertEqual(list(self.offered("list", "--by=m")), ["--by=manual"])
        self.assertIn("chronolist", self.offered("export", "--format", ""))
        self.assertEqual(list(self.offered("init", "--policy", "e")), ["edits-win"])
        self.assertIn("next-week", self.offered("view", ""))
        self.assertIn("revoke", self.offered("help", "rev"))
        self.assertNotIn("--all", self.offered("list", "--all", "--"))
        self.assertEqual(self.offered("list", "--", "--"), {})
        self.assertEqual(self.offered("nonsense", ""), {})
        self.laptop.run("completion", "csh", codes=(USAGE,))

    def test_to_dos_projects_tags_people_fields_and_devices_are_offered(self):
        self.fill()
        self.assertEqual(self.offered("done", ""), {"1": "Buy milk", "2": "Call"})
        self.assertEqual(self.offered("edit", "2"), {"2": "Call"})
        self.assertEqual(self.offered("reopen", "").popitem()[1], "Old")
        begin = self.laptop.live()[0]["id"][:6]
        self.assertIn("Buy milk", self.offered("show", begin).values())
        self.assertEqual(
            set(self.offered("list", "project:")), {"project:Home", "project:My House"})
        self.assertIn("+errand", self.offered("add", "+"))
        self.assertIn("+OVERDUE", self.offered("list", "+O"))
        self.assertIn("-phone", self.offered("edit", "1", "-"))
        self.assertEqual(list(self.offered("list", "people:")), ["people:Ann"])
        self.assertEqual(list(self.offered("add", "x.")), ["x.size:"])
        self.assertIn("due.before:", self.offered("list", "due."))
        self.assertIn("due:tomorrow", self.offered("add", "due:to"))
        self.assertEqual(list(self.offered("add", "priority:h")), ["priority:high"])
        self.assertIn("project:Home", self.offered("done", "--where", "project:H"))
        self.assertEqual(list(self.offered("revoke", "")), ["laptop"])
        self.assertEqual(self.offered("add", "--", "due:"), {})
        self.assertEqual(list(self.offered("--store", self.laptop.store, "done", "1")), ["1"])
        self.assertEqual(list(self.offered("add", "parent:1")), ["parent:1"])

    def test_without_a_store_or_with_a_damaged_one_it_is_quiet(self):
        nobody = self.device("nobody")
        self.assertIn("list", self.offered("", device=nobody))
        for words in (("done", ""), ("list", "project:"), ("revoke", "")):
            self.assertEqual(self.offered(*words, device=nobody), {})
        self.assertFalse(os.path.exists(nobody.store))
        os.mkdir(nobody.store)
        for content in (b"", b"garbage" * 1000):
            with open(os.path.join(nobody.store, "store.db"), "wb") as file:
                file.write(content)
            self.assertEqual(self.offered("done", "", device=nobody), {})
            self.assertEqual(os.listdir(nobody.store), ["store.db"])

    def files(self):
        found = {}
        for name in sorted(os.listdir(self.laptop.store)):
            path = os.path.join(self.laptop.store, name)
            with open(path, "rb") as file:
                found[name] = (os.stat(path).st_mtime_ns, file.read())
        return found

    def test_it_writes_nothing_and_waits_for_nobody(self):
        self.fill()
        expected = {"1": "Buy milk", "2": "Call"}
        before = self.files()
        self.assertEqual(self.offered("done", ""), expected)
        self.assertEqual(self.files(), before)
        # Others have it open, and are in the middle of an edit.
        other = sqlite3.connect(self.laptop.database(), isolation_level=None)
        self.addCleanup(other.close)
        other.execute("begin immediate")
        other.execute("update todo_record set title = 'half' where title = 'Call'")
        before = self.files()
        self.assertEqual(self.offered("done", ""), expected)
        self.assertEqual(self.files(), before)
        other.execute("rollback")
        # Others shut everybody out: then nothing is offered, at once.
        other.execute("pragma locking_mode = exclusive")
        other.execute("begin exclusive")
        other.execute("update todo_record set title = 'half' where title = 'Call'")
        started = time.monotonic()
        self.assertEqual(self.offered("done", ""), {})
        self.assertLess(time.monotonic() - started, 5)
        other.execute("rollback")

    def test_what_was_committed_beside_is_seen_and_a_crash_does_no_harm(self):
        self.fill()
        with self.laptop.serve() as server:
            self.laptop.add("New", "project:New")
            self.assertIn("project:New", self.offered("list", "project:"))
            self.laptop.add("Newer", "project:Newer")
            server.kill()
            # The log of the killed one is there still; who opens the store next takes it in.
            self.assertIn("list", self.offered("li"))
            offered = self.offered("list", "project:")
            self.assertIn("project:Home", offered)
        self.assertEqual(
            self.laptop.titles(), ["Buy milk", "Call", "New", "Newer", "Old"])

    def test_a_note_cannot_steer_the_terminal_and_a_word_is_one_line(self):
        path = os.path.join(self.folder, "bad.jsonl")
        with open(path, "w") as file:
            file.write('{"tandem":1,"title":"a\\u001b]0;x\\u0007\\nb\\t\\u202ec"}\n')
            file.write('{"tandem":1,"title":"b","project":"p\\nq","tags":["t\\tu","ok"]}\n')
            file.write('{"tandem":1,"title":"c","project":"e\\u001b[2J","x.k\\nl":1}\n')
        self.laptop.import_file("jsonl", path)
        self.laptop.run("list")
        result = self.laptop.run("complete", "--", "done", "")
        self.assertEqual(len(result.output.splitlines()), 3)
        for character in result.output:
            self.assertTrue(character in "\n\t" or ord(character) >= 0x20 and character != "\x7f")
            self.assertNotEqual(character, "\u202e")
        self.assertEqual(self.offered("list", "project:"), {})
        self.assertEqual(list(self.offered("list", "+ok")), ["+ok"])

    def test_a_full_store_is_looked_at_quickly(self):
        lines = "".join(
            "number {} project:P{} +t{}\n".format(number, number % 500, number % 300)
            for number in range(10_000))
        self.laptop.run("add", "-", text=lines)
        self.laptop.run("list")
        times = []
        for words in (("done", ""), ("list", "project:P4"), ("list", "+t"), ("show", "01")) * 3:
            result = self.laptop.run("complete", "--", *words)
            self.assertTrue(result.output)
            self.assertLessEqual(len(result.output.splitlines()), 130)
            times.append(result.seconds)
        self.report("with 10,000 to-dos {:.0f} ms at most".format(max(times) * 1000))
        self.assertLess(sorted(times)[len(times) // 2], 1)


class ShellTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def shell(self, name):
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        return Shell(self, name, folder, self.laptop)

    def test_tab_completes_commands_options_values_and_to_dos(self):
        self.laptop.add("Buy milk", "project:Home", "+errand")
        self.laptop.run("list")
        for name in SHELLS:
            shell = self.shell(name)
            for line, expected in (
                ("tandem over", "tandem overdue "), ("tandem li", "tandem list "),
                ("tandem list --li", "tandem list --limit "),
                ("tandem list --by man", "tandem list --by manual "),
                ("tandem list --by=man", "tandem list --by=manual "),
                ("tandem export --format chro", "tandem export --format chronolist "),
                ("tandem list proj", "tandem list project:"),
                ("tandem list project:Ho", "tandem list project:Home "),
                ("tandem list due.before:tomo", "tandem list due.before:tomorrow "),
                ("tandem list +err", "tandem list +errand "),
                ("tandem done ", "tandem done 1 "),
                ("tandem backup /usr/shar", "tandem backup /usr/share/"),
            ):
                with self.subTest(shell=name, line=line):
                    self.assertEqual(shell.complete(line)[0], expected)

    def test_titles_are_shown_beside_numbers_and_not_put_in(self):
        self.laptop.add("Buy milk")
        self.laptop.add("$(touch pwned) `touch pwned`; 'x' \"y\"")
        self.laptop.run("list")
        for name in SHELLS:
            shell = self.shell(name)
            with self.subTest(shell=name):
                # bash lists at the second Tab.
                line, shown = shell.complete("tandem done " + ("\t" if name == "bash" else ""))
                self.assertIn("Buy milk", shown)
                self.assertIn("$(touch pwned)", shown)
                self.assertNotIn("touch", line)
                self.assertFalse(os.path.exists(os.path.join(shell.folder, "pwned")))

    def test_hostile_projects_are_put_in_as_one_word_that_means_just_them(self):
        todo = self.laptop.add("the one")
        shells = {name: self.shell(name) for name in SHELLS}
        for project in HOSTILE:
            self.laptop.run("edit", todo, "project:" + project)
            for name, shell in shells.items():
                with self.subTest(shell=name, project=project):
                    line, _ = shell.complete("tandem list --json project:")
                    self.assertNotEqual(line.strip(), "tandem list --json project:")
                    done = subprocess.run(
                        [name, "-c", line], cwd=shell.folder, capture_output=True, text=True,
                        env=dict(
                            self.laptop.environment(),
                            PATH=with_tandem(shell.folder) + ":" + os.environ["PATH"]), timeout=60)
                    self.assertIn('"the one"', done.stdout, line + "\n" + done.stderr)
                    self.assertFalse(os.path.exists(os.path.join(shell.folder, "pwned")))

    def test_the_function_of_bash_answers_without_a_terminal(self):
        self.laptop.add("Buy milk", "project:My House")
        script = """
            source <(tandem completion bash)
            drive() { COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9; shift
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _tandem; printf '%s\\n' "${COMPREPLY[@]}"; }
            drive 'tandem list project:M' tandem list project : M
            drive 'tandem list --by=m' tandem list --by = m
            drive 'tandem list "project:My ' tandem list '"project:My '
        """
        done = subprocess.run(
            ["bash", "-uc", script], capture_output=True, text=True, timeout=60,
            env=dict(
                self.laptop.environment(), PATH=with_tandem(self.folder) + ":" + os.environ["PATH"]))
        self.assertEqual(
            done.stdout.splitlines(), ["My\\ House", "manual", "project:My House"], done.stderr)

    def test_fish_tells_what_the_words_mean(self):
        self.laptop.add("Buy milk")
        self.laptop.run("list")
        script = "tandem completion fish | source; complete -C 'tandem done '; complete -C 'tandem rev'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", script], capture_output=True, text=True, timeout=60,
            env=dict(
                self.laptop.environment(), HOME=self.folder,
                PATH=with_tandem(self.folder) + ":" + os.environ["PATH"]))
        self.assertIn("1\tBuy milk\n", done.stdout, done.stderr)
        self.assertIn("revoke\tRemove a device", done.stdout)

    def test_the_scripts_are_free_of_errors(self):
        for name in SHELLS:
            script = self.laptop.run("completion", name).output
            path = os.path.join(self.folder, "script")
            with open(path, "w") as file:
                file.write(script)
            subprocess.run([name, "-n", path], check=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
