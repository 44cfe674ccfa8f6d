"""Command forms of Taskwarrior and todoman, typed as they are: each works or says what to type."""

import collections
import datetime
import os
import re
import shlex
import shutil
import unittest
import unittest.mock

import tandem_process as tandem
from tandem_process import NOTHING, OK, USAGE

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "synopses.txt")
# What a refusal says to type ends with its line, or where a remark in the same line begins; it may be several commands.
ADVICE = re.compile(r": tandem ([^\n]*?)(?:; .*|, or .*)?$", re.M)
ANY_CODE = tuple(range(-64, 256))
SHOWN = ("title", "status", "project", "priority", "due", "location", "notes", "tags")


def synopses():
    """The lines of each synopsis of the manuals, each with its effects."""
    found = {}
    with open(FILE) as file:
        for line in map(str.strip, file):
            if line.startswith("= "):
                lines = found.setdefault(line[2:], [])
            elif line and not line.startswith(("#", "[")):
                typed, effects = line.split(" | ")
                lines.append((typed, effects.split("; ")))
    return found


class SynopsisTests(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init(plain=True)
        run = self.laptop.run
        run("add", "Mend the roof", "project:Home", "+errand", "due:tomorrow", "priority:high")
        run("annotate", "1", "Anna called")
        run("add", "Write the report", "project:Work", "+work")
        run("add", "Buy milk", "project:Home", "+shop", "due:today")
        run("add", "Paint the wall", "depends:1")
        run("add", "Water the plants", "due:2w", "repeat:weekly")
        run("add", "Read a book", "wait:3w")
        run("add", "Sent the letter", "--done")
        run("add", "Broken lamp")
        run("delete", "8", "--yes")
        run("save", "work", "project:Work")
        self.kept = self.laptop.store + "-kept"
        shutil.copytree(self.laptop.store, self.kept)
        self.todos = self.state()
        self.names = {todo["title"]: str(number) for number, todo in enumerate(self.todos.values(), 1)}
        self.uuids = {number: key for key, todo in self.todos.items() for number in [self.names[todo["title"]]]}
        # No editor is opened by a test; one that changes nothing stands for it.
        self.written("todos.json", '[{"uuid": "11111111-1111-4111-8111-111111111111", "status": "pending", '
                     '"entry": "20261101T120000Z", "description": "Bought bread"}]')
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        editor = unittest.mock.patch.dict(os.environ, EDITOR="true", VISUAL="true")
        editor.start()
        self.addCleanup(editor.stop)

    def written(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def fresh(self):
        """The store as it was made, and none of the settings."""
        shutil.rmtree(self.laptop.store)
        shutil.copytree(self.kept, self.laptop.store)
        shutil.rmtree(self.laptop.store + "-settings", ignore_errors=True)
        # It takes its new identity here, and not in the answer that is looked at.
        self.laptop.run("list")

    def state(self):
        """What may be seen of each to-do that is not deleted, by id."""
        return {
            todo["id"]: {field: todo.get(field) for field in SHOWN} for todo in self.laptop.todos()
            if "title" in todo}

    def differences(self, effects, output, after):
        """What is not as the effects say; with the line itself, what else was changed."""
        wrong = []
        rest = dict(after)
        expected = {key: dict(todo) for key, todo in self.todos.items()}
        ids = {self.names[todo["title"]]: key for key, todo in self.todos.items()}
        tomorrow = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(1)).date()
        for effect in effects:
            kind, _, text = effect.partition(" ")
            if kind == "shows":
                if text not in output:
                    wrong.append("does not show " + text)
            elif kind == "new":
                new = [key for key, todo in after.items() if key not in self.todos and todo["title"] == text]
                if len(new) != 1:
                    wrong.append("did not create " + text)
                for key in new:
                    rest.pop(key)
            elif kind == "gone":
                expected.pop(ids[text])
            elif kind != "same":
                field, sign, value = re.fullmatch(r"(\w+)([=~!])(.*)", text).groups()
                value = value.replace("TOMORROW", tomorrow.isoformat())
                seen = after.get(ids[kind], {}).get(field)
                seen = ",".join(seen) if isinstance(seen, list) else seen
                fits = {
                    "=": (seen or "-") == value, "~": value in (seen or ""),
                    "!": value not in (seen or "")}[sign]
                if not fits:
                    wrong.append("{} of {} is {}".format(field, kind, seen))
                if kind == ids.get(kind) or ids[kind] in after:
                    expected[ids[kind]][field] = after[ids[kind]][field]
        # A to-do that repeats or was waited for may change in what is not looked at.
        for key in set(expected) | set(rest):
            if expected.get(key) != rest.get(key):
                wrong.append("changed {} to {}".format(expected.get(key), rest.get(key)))
        return wrong

    def typed(self, words, unchanged=None):
        """What a command did. A pipe is no terminal, so nothing is asked; whoever types it would say yes."""
        result = self.laptop.run(*words, codes=ANY_CODE)
        if result.code not in (OK, NOTHING) and "--yes" in result.errors:
            if unchanged is not None:
                self.assertEqual(self.state(), unchanged)
            result = self.laptop.run(*words, "--yes", codes=ANY_CODE)
        return result

    def answer(self, typed, effects):
        """How a line fares, and what is wrong with that."""
        self.fresh()
        typed = re.sub(r"UUID(\d)", lambda found: self.uuids[found[1]], typed)
        result = self.typed(shlex.split(typed), self.todos)
        after = self.state()
        if result.code == OK:
            wrong = self.differences(effects, result.output, after)
            return ("fails" if wrong else "works"), wrong
        if after != self.todos:
            return "fails", ["changed something and ended with {}".format(result.code)]
        if effects[0].startswith("told "):
            is_told = effects[0][len("told "):] in result.errors
            return ("says", []) if is_told else ("fails", [result.errors[:200]])
        said = ADVICE.findall(result.errors + result.output)
        if result.code == NOTHING and effects == ["same"] and not result.errors:
            return "works", []
        if not said:
            return "fails", [(result.errors + result.output)[:200]]
        wrong = []
        # One of several answers is for the other thing that the line may mean.
        for line in said:
            self.fresh()
            for command in line.split(" && tandem "):
                again = self.typed(shlex.split(command))
                if again.code not in (OK, NOTHING):
                    return "fails", ["says {}, which ends with {}".format(line, again)]
            differences = self.differences(effects, again.output, self.state())
            if not differences:
                return "says", []
            wrong += ["by {}:".format(line), *differences]
        return "fails", wrong

    def test_each_synopsis_works_or_says_exactly_what_to_type(self):
        counts = collections.Counter()
        failures = []
        for synopsis, lines in synopses().items():
            if not lines:
                failures.append("no line is of the synopsis {}".format(synopsis))
            for typed, effects in lines:
                kind, wrong = self.answer(typed, effects)
                counts[kind] += 1
                if wrong:
                    failures.append("{}: tandem {}: {}".format(synopsis, typed, "; ".join(wrong)))
        self.report(", ".join("{}: {}".format(*pair) for pair in sorted(counts.items())))
        self.assertEqual(failures, [], "\n".join(failures))

    def test_a_view_of_ones_own_hides_a_command_of_another_program(self):
        self.laptop.run("save", "newest", "sort:-created")
        self.assertIn("Read a book", self.laptop.run("newest").output)
        self.laptop.run("save", "waiting", "project:Home")
        shown = self.laptop.run("waiting").output
        self.assertIn("Buy milk", shown)
        self.assertNotIn("Read a book", shown)
        self.laptop.run("config", "alias.ids", "list project:Work")
        self.assertNotIn("Buy milk", self.laptop.run("ids").output)

    def test_who_looks_for_words_that_begin_with_such_a_name_is_told_how(self):
        self.laptop.run("add", "Mend the copy machine")
        refused = self.laptop.run("copy", "machine", codes=(USAGE,)).errors
        self.assertIn("\nto look for these words: tandem list copy machine\n", refused)
        self.assertIn("Mend the copy machine", self.laptop.run("list", "copy", "machine").output)

    def test_a_duplicate_has_every_field_but_what_is_given(self):
        self.laptop.run("edit", "5", "notes:the tall ones", "person:Anna", "x.size:L", "+green", "+home")
        said = ADVICE.findall(self.laptop.run("5", "duplicate", "due:3w", codes=(USAGE,)).errors)[0]
        self.laptop.run(*shlex.split(said))
        old, new = [todo for todo in self.laptop.todos() if todo["title"] == "Water the plants"]
        self.assertNotEqual(old["due"], new["due"])
        for field in ("notes", "people", "tags", "repeat"):
            self.assertEqual(old[field], new[field], field)

    def test_no_short_option_of_another_program_destroys_a_title(self):
        before = self.state()
        for line in (
                "edit 3 -d tomorrow", "edit 3 -s tomorrow", "edit -i 3 -d fri", "3 modify -d fri", "edit 1 -p high",
                "edit 1 rc.bulk=0 +x", "edit 1 rc.confirmation:off +y", "edit 1 /milk/", "edit 1 /milk", "edit 1 /B/u/x/y/",
                "edit 1 due :tomorrow", "edit 1 priority high", "edit 1 project Home", "edit 1 wait 3d", "edit 1 recur weekly",
                "edit 1 until eom", "edit 1 tag work", "edit 1 due:fri pri", "edit 1 due!=fri", "edit 1 due==fri",
                "edit 1 @home",
                "edit 1 and 2 due:fri"):
            self.laptop.run(*shlex.split(line), codes=(USAGE,))
        self.assertEqual(self.state(), before)
        # Whoever means them says so.
        self.laptop.run("edit", "1", "--", "/etc/hosts")
        self.assertIn("/etc/hosts", self.laptop.run("list").output)

    def test_short_names_and_what_stands_behind_a_number_are_told_with_the_command_that_is_meant(self):
        before = self.state()
        for typed, line in (
                ("del 1", "delete 1"), ("ann 1 y", "annotate 1 y"), ("app 1 y", "append 1 y"), ("rem 1", "delete 1"),
                ("pre 1 y", "prepend 1 y"), ("1 del", "delete 1"), ("1 pri:H", "edit 1 pri:H"), ("1 due:fri", "edit 1 due:fri"),
                ("1 +x", "edit 1 +x"), ("1,2 project:Home", "edit 1,2 project:Home"), ("1 move top", "move 1 --top"),
                ("1 why", "why 1"), ("1 history", "history 1")):
            told = self.laptop.run(*shlex.split(typed), codes=(USAGE,)).errors
            self.assertEqual("tandem: for that, run: tandem {}\n".format(line), told)
        for typed, line in (("roof modify due:fri", "edit roof due:fri"), ("roof mod +x", "edit roof +x"),
                            ("roof done", "done roof"), ("roof append now", "append roof now")):
            told = self.laptop.run(*shlex.split(typed), codes=(NOTHING,)).errors
            self.assertEqual("tandem: the command comes first, run: tandem {}\n".format(line), told)
        told = self.laptop.run("1", "foo", codes=(USAGE,)).errors
        self.assertIn("tandem show 1", told)
        self.assertNotIn("done", told)
        self.assertIn("tandem show 1\n", self.laptop.run("show", codes=(USAGE,)).errors)
        for typed, line in (("tag 1 foo", "edit 1 +foo"), ("1 tag foo +x", "edit 1 +foo +x"), ("untag 1 foo", "edit 1 -foo")):
            told = self.laptop.run(*typed.split(), codes=(USAGE,)).errors
            self.assertEqual("tandem: for that, run: tandem {}\n".format(line), told)
        self.assertIn("run: tandem config", self.laptop.run("show", "report.list.filter", codes=(NOTHING,)).errors)
        self.assertEqual(self.state(), before)
        # Stopping another timer than the one that was named is not what was meant.
        self.laptop.run("start", "2")
        for typed in ("1 stop", "stop 1"):
            self.assertIn("no timer of '", self.laptop.run(*typed.split(), codes=(NOTHING,)).errors)
            self.assertEqual(
                "tandem: for that, run: tandem stop\n", self.laptop.run(*typed.replace("1", "2").split(), codes=(USAGE,)).errors)
        self.laptop.run("undo")

    def test_a_command_behind_a_to_do_is_told_with_that_to_do(self):
        before = self.state()
        for verb, line in (
                ("done", "done 1"), ("delete", "delete 1"), ("start", "start 1"), ("modify x", "edit 1 x"),
                ("annotate x y", "annotate 1 x y"), ("append x", "append 1 x"), ("mod", "edit 1 WORDS"),
                ("and x", "append 1 and x"), ("log", "history 1"), ("info", "show 1")):
            told = self.laptop.run("edit", "1", *verb.split(), codes=(USAGE,)).errors
            self.assertIn("tandem {} (words".format(line), told)
            self.assertNotIn(" 3", told)
        told = self.laptop.run("edit", "1", "and", "2", codes=(USAGE,)).errors
        self.assertIn("write: tandem edit 1,2 WORDS;", told)
        # The numbers behind undo are those of changes.
        for words in (("edit", "1", "undo"), ("1", "undo"), ("1-2", "redo")):
            told = self.laptop.run(*words, codes=(USAGE,)).errors
            self.assertIn("`tandem undo` takes back the latest change", told)
            self.assertNotRegex(told, r"tandem (undo|redo) \d")
        for typed, line in (
                ("1..3 done", "done 1-3"), ("1 to 3 done", "done 1-3"), ("'(1 or 2)' done", "done 1 2"),
                ("'(1 or 2)' modify +x", "edit 1,2 +x"), ("1 done --store /tmp/x/", "done 1 --store /tmp/x/"),
                ("--store /tmp/x/ 1 done", "done 1 --store /tmp/x/"),
                ("done 1 due:fri --store /tmp/x/", "edit 1 due:fri --store /tmp/x/ && tandem done 1 --store /tmp/x/")):
            told = self.laptop.run(*shlex.split(typed), codes=(USAGE,)).errors
            self.assertEqual("tandem: for that, run: tandem {}\n".format(line), told)
        self.assertEqual(self.state(), before)


if __name__ == "__main__":
    unittest.main()
