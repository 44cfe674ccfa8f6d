"""Files of other programs, made and read with Python's own csv, json and plistlib."""

import csv
import datetime
import io
import json
import os
import plistlib
import subprocess
import time
import unittest

import tandem_process as tandem

HOSTILE_SECONDS_MAX = 30


class Formats(tandem.TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def raw(self, *words, codes=(tandem.OK,)):
        """The bytes that a command writes."""
        done = subprocess.run(
            [tandem.BINARY, *words], env=self.laptop.environment(), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=tandem.COMMAND_SECONDS_MAX)
        self.assertIn(done.returncode, codes, done.stderr[-2000:])
        return done.stdout

    def plan(self, path, *words, codes=(tandem.OK,)):
        return json.loads(
            self.laptop.run("import", "--dry-run", "--json", path, *words, codes=codes).output)

    def fill(self):
        lines = [
            {"tandem": 1, "id": "00000000-0000-4000-8000-000000000001",
             "title": "Buy \"milk\", bread", "notes": "two\r\nlines\n", "due": "2026-12-01",
             "tags": ["a;b", "größe"], "people": ["Ann"], "priority": "high",
             "custom": {"size": 5, "text": "5", "share": 0.5, "odd, name": "x"}},
            {"tandem": 1, "id": "00000000-0000-4000-8000-000000000002", "title": "=cmd()",
             "status": "completed", "completed": "2026-11-20T10:00:00.123Z", "project": "Home"},
        ]
        self.laptop.import_file(
            "jsonl", self.file("fill.jsonl", "".join(json.dumps(line) + "\n" for line in lines)))
        return lines

    # Tables

    def test_python_reads_our_table_and_we_read_what_it_writes(self):
        self.fill()
        before = self.laptop.export()
        text = self.raw("export", "--format", "csv")
        self.assertTrue(text.endswith(b"\r\n"))
        rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
        self.assertEqual(rows[0]["title"], "Buy \"milk\", bread")
        self.assertEqual(rows[0]["notes"], "two\r\nlines\n")
        self.assertEqual(json.loads(rows[0]["tags"]), ["a;b", "größe"])
        self.assertEqual(rows[0]["x.size"], "5")
        self.assertEqual(json.loads(rows[0]["x.text"]), "5")
        self.assertEqual(rows[0]["x.odd, name"], "x")
        self.assertEqual(rows[1]["completed"], "2026-11-20T10:00:00.123Z")

        again = self.laptop.run("import", self.file("same.csv", text))
        self.assertIn("0 new, 0 updated", again.output)
        self.assertEqual(before, self.laptop.export())

        rows[1]["title"] = "edited,\nin Python"
        rows.append(dict.fromkeys(rows[0], "") | {"title": "made there"})
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        path = self.file("edited.csv", out.getvalue())
        plan = self.plan(path)
        self.assertEqual((plan["made"], plan["updated"], plan["unchanged"]), (1, 1, 1))
        self.assertEqual([todo["changes"] for todo in plan["todos"] if todo["outcome"] == "updated"],
                         [[{"field": "title", "before": "=cmd()", "after": "edited,\nin Python"}]])
        self.laptop.run("import", path)
        self.assertEqual(
            self.laptop.titles(), ["Buy \"milk\", bread", "edited,\nin Python", "made there"])

        other = self.device("other")
        other.init()
        other.run("import", self.file("whole.csv", self.raw("export", "--format", "csv")))
        strip = lambda todos: [{k: v for k, v in todo.items() if k != "modified"} for todo in todos]
        self.assertEqual(strip(other.todos()), strip(self.laptop.todos()))

    def test_a_table_without_formulas_says_what_it_changed(self):
        self.fill()
        rows = list(csv.reader(io.StringIO(
            self.raw("export", "--format", "csv", "--excel-safe").decode(), newline="")))
        self.assertFalse([cell for row in rows for cell in row if cell[:1] in ("=", "+", "-", "@")])
        told = json.loads(self.laptop.run(
            "export", "--format", "csv", "--excel-safe", "--dry-run", "--json").output)
        self.assertEqual([loss["field"] for loss in told["losses"]], ["title"])
        again = self.laptop.run("import", self.file(
            "safe.csv", self.raw("export", "--format", "csv", "--excel-safe")))
        self.assertIn("0 new, 0 updated", again.output)

    def test_a_table_of_todoist_is_known_by_its_header(self):
        path = self.file("Work [2203].csv", (
            "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE,DATE_LANG,TIMEZONE\r\n"
            "section,Garden,,,,,,,,\r\n"
            "task,Repot @home,Pot,1,1,Kai (4),,every fri,en,\r\n"
            "task,Compost,,4,2,Kai (4),,when it rains,en,\r\n"
            "note,Peat-free,,,,,,,,\r\n"))
        plan = self.plan(path)
        self.assertEqual(plan["made"], 2)
        self.assertEqual({loss["field"] for loss in plan["losses"]}, {"DATE", "AUTHOR"})
        # It is only read: an export lists what it writes.
        device = self.device("exporting")
        device.init()
        none = device.run("export", "--format", "none", codes=(tandem.USAGE,)).errors
        self.assertNotIn("todoist", none)
        self.assertIn("chronolist", none)
        self.laptop.run("import", path)
        todos = {todo["title"]: todo for todo in self.laptop.todos()}
        self.assertEqual(todos["Repot"]["project"], "Work.Garden")
        self.assertEqual(todos["Repot"]["repeat"], "every fri")
        self.assertEqual(todos["Compost"]["parent"], todos["Repot"]["id"])
        self.assertEqual(todos["Compost"]["custom"], {"date": "when it rains"})
        self.assertIn("0 new, 0 updated", self.laptop.run("import", path).output)
        self.laptop.run("export", "--format", "todoist", codes=(tandem.USAGE,))

    # Property lists

    def test_python_reads_both_forms_of_the_archive_and_we_read_its(self):
        for words, form in [([], plistlib.FMT_BINARY), (["--xml"], plistlib.FMT_XML)]:
            self.laptop = self.device("laptop{}".format(len(words)))
            self.laptop.init()
            self.fill()
            content = self.raw("export", "--format", "chronolist", *words)
            archive = plistlib.loads(content, fmt=form)
            self.assertEqual([entry["title"] for entry in archive], ["Buy \"milk\", bread", "=cmd()"])
            self.assertEqual(archive[0]["dueDate"], datetime.datetime(2026, 12, 1))
            self.assertEqual([entry["isComplete"] for entry in archive], [False, True])
            self.assertEqual(set(archive[1]), {"title", "projectName", "isComplete"})
            # The archive keeps no ids; what went out is known again all the same.
            plan = self.plan(self.file("same.plist", content))
            self.assertEqual((plan["made"], plan["updated"], plan["unchanged"]), (0, 0, 2))

            archive[1]["note"] = "written there"
            archive.append({"title": "made there", "projectName": "", "isComplete": False,
                            "startDate": datetime.datetime(2026, 11, 1, 9), "extra": [1, {"k": b"x"}]})
            path = self.file("edited.plist", plistlib.dumps(archive, fmt=form))
            self.laptop.run("import", path)
            todos = {todo["title"]: todo for todo in self.laptop.todos()}
            self.assertEqual(len(todos), 3)
            self.assertEqual(todos["=cmd()"]["notes"], "written there")
            self.assertEqual(todos["=cmd()"]["completed"], "2026-11-20T10:00:00.123Z")
            self.assertEqual(todos["Buy \"milk\", bread"]["due"], "2026-12-01")
            self.assertEqual(todos["made there"]["start"], "2026-11-01T09:00:00Z")
            self.assertEqual(todos["made there"]["custom"], {"extra": "[1,{\"k\":\"eA==\"}]"})
            self.assertIn("0 new, 0 updated", self.laptop.run("import", path).output)
            losses = json.loads(self.laptop.run(
                "export", "--format", "chronolist", "--dry-run", "--json", *words).output)["losses"]
            fields = {loss["field"] for loss in losses}
            self.assertTrue({"id", "tags", "priority", "people", "size", "completed", "due"} <= fields)

    # Everything

    def test_a_whole_export_holds_the_trash_conflicts_and_history(self):
        laptop, phone = self.pair_with(self.laptop)
        todo = laptop.add("plan")
        binned = laptop.add("old", "notes:still here")
        self.meet(laptop, phone)
        laptop.edit(todo, "title:plan A")
        phone.edit(todo, "title:plan B")
        laptop.delete(binned)
        self.meet(laptop, phone)
        lines = [json.loads(line) for line in self.raw("export", "--all").splitlines()]
        self.assertEqual({line["tandem"] for line in lines}, {1, 2})
        kinds = [line.get("kind", "to-do") for line in lines]
        self.assertEqual([kinds.count(kind) for kind in ("to-do", "deleted", "conflict")], [1, 1, 1])
        self.assertGreater(kinds.count("change"), 2)
        conflict = lines[kinds.index("conflict")]
        self.assertEqual(
            {(value["value"], value["device"]) for value in conflict["values"]},
            {("plan A", "laptop"), ("plan B", "phone")})
        path = self.file("all.jsonl", self.raw("export", "--all"))
        self.assertIn("0 new, 0 updated", laptop.run("import", path).output)
        self.assertEqual(len(laptop.conflicts()), 1)

        other = self.device("other")
        other.init()
        told = json.loads(other.run("import", "--dry-run", "--json", path).output)
        self.assertEqual({loss["field"] for loss in told["losses"]}, {"title", "history", "modified"})
        made = other.run("import", path)
        self.assertIn("1 made in the trash", made.output)
        self.assertEqual([todo["title"] for todo in other.trash()], ["old"])
        other.restore(binned)
        self.assertEqual(other.show(binned)["notes"], "still here")
        kept = other.show(todo)
        self.assertEqual({kept["title"], *kept["custom"].values()}, {"plan A", "plan B"})
        self.laptop.run("export", "--all", "--format", "csv", codes=(tandem.USAGE,))

    def pair_with(self, laptop):
        phone = self.device("phone")
        with laptop.serve() as server:
            phone.join(server.address)
        return laptop, phone

    # Refusals

    def test_a_file_with_bad_entries_changes_nothing_until_asked(self):
        path = self.file("mixed.json", "[\n{\"description\":\"good\"},\n" + ",\n".join(
            "{{\"description\":\"bad {}\",\"due\":\"soon\"}}".format(n) for n in range(30)) + "]")
        before = self.laptop.fingerprint()
        refused = self.laptop.run("import", path, codes=(tandem.BAD_DATA,))
        self.assertIn("30 bad entries", refused.errors)
        self.assertIn("line 3, entry 2, due: 'soon' is no date", refused.errors)
        self.assertIn("and 10 more", refused.errors)
        plan = self.plan(path, codes=(tandem.BAD_DATA,))
        self.assertEqual(len(plan["bad"]), 30)
        self.assertEqual((plan["bad"][0]["line"], plan["bad"][0]["field"]), (3, "due"))
        self.assertEqual(before, self.laptop.fingerprint())
        done = self.laptop.run("import", "--partial", path, codes=(tandem.INCOMPLETE,))
        self.assertIn("30 bad, left out", done.output)
        self.assertEqual(self.laptop.titles(), ["good"])

    def test_each_step_that_fails_is_named(self):
        missing = self.laptop.run("import", "/nowhere/x.jsonl", codes=(tandem.NO_INPUT,))
        self.assertIn("cannot be read", missing.errors)
        unnamed = self.laptop.run("import", self.file("x.dat", "x"), codes=(tandem.USAGE,))
        self.assertIn("say --format", unnamed.errors)
        undecoded = self.laptop.run("import", self.file("x.plist", "<plist>"), codes=(tandem.BAD_DATA,))
        self.assertIn("cannot decode as ChronoList", undecoded.errors)
        self.laptop.add("a")
        with open("/dev/full", "wb") as full:
            process = self.laptop.start("export", "--format", "chronolist", output=full)
            self.assertEqual(process.wait(timeout=20), tandem.IO_ERROR)

    def test_a_title_of_nothing_stops_no_export(self):
        path = self.file("blank.jsonl", '{"tandem":1,"title":" "}\n')
        for form in ("jsonl", "taskwarrior", "vtodo", "todotxt", "csv", "chronolist"):
            laptop = self.device(form)
            laptop.init()
            laptop.import_file("jsonl", path)
            self.assertIn("(no title)", laptop.run("list").output)
            plan = json.loads(
                laptop.run("export", "--format", form, "--dry-run", "--json").output)
            told = {loss["reason"] for loss in plan["losses"] if loss["field"] == "title"}
            out = os.path.join(self.folder, form + ".out")
            with open(out, "wb") as file:
                process = laptop.start("export", "--format", form, output=file)
                self.assertEqual(process.wait(timeout=20), tandem.OK)
            before = laptop.export()
            again = laptop.import_file(form, out)
            self.assertIn("0 new, 0 updated", again.output, form)
            self.assertEqual(before, laptop.export())
            if form in ("taskwarrior", "todotxt"):
                self.assertEqual(told, {"becomes (no title)"})

    def test_hostile_files_are_refused_soon_and_change_nothing(self):
        laughs = "".join('<!ENTITY l{} "{}">'.format(n, "&l{};".format(n - 1) * 10) for n in range(1, 30))
        deep = 1_000_000
        attacks = {
            "laughs.plist": "<?xml version=\"1.0\"?><!DOCTYPE plist [" + laughs
                + "]><plist><array><dict><key>title</key><string>&l29;</string></dict></array></plist>",
            "deep.plist": "<plist>" + "<array>" * deep,
            "deep.json": "[" * deep,
            "deep.jsonl": "{\"tandem\":1,\"title\":\"a\",\"x\":" + "[" * deep,
            "wide.csv": "title" + "," * deep,
            "quote.csv": "title\n\"" + "x\n" * deep,
            "long.jsonl": json.dumps({"tandem": 1, "title": "a" * deep}),
            "todo.txt": "a" * deep + " due:999999-01-01",
            "nul.plist": b"\0" * deep,
            "bomb.plist": self.binary_bomb(),
        }
        before = self.laptop.fingerprint()
        for name, content in attacks.items():
            path = self.file(name, content)
            started = time.monotonic()
            done = self.laptop.run("import", path, codes=(tandem.BAD_DATA,))
            self.assertLess(time.monotonic() - started, HOSTILE_SECONDS_MAX, name)
            self.assertTrue(done.errors.startswith("tandem: "), done)
            self.assertLess(len(done.errors), 2000, name)
        self.assertEqual(before, self.laptop.fingerprint())

    def binary_bomb(self):
        """Arrays that hold the next one ten times: 10^12 values in few bytes."""
        archive = [{"title": "a"}]
        for _ in range(12):
            archive = [archive] * 10
        content = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
        self.assertLess(len(content), 1000)
        return content

    def test_a_long_file_is_imported_whole_or_not_at_all_from_a_file_and_a_pipe(self):
        notes = "x" * 4000
        lines = "".join(
            json.dumps({"tandem": 1, "title": f"long {number}", "notes": notes}) + "\n"
            for number in range(5000))
        # Longer than what is read as a whole.
        self.assertGreater(len(lines), 16 * 1024 * 1024)
        bad = self.file("bad.jsonl", lines + "no json\n")
        result = self.laptop.run("import", bad, codes=(tandem.BAD_DATA,))
        self.assertIn("line 5001", result.errors)
        self.assertEqual(self.laptop.status()["pending"], 0)
        for made in (5000, 0):
            told = subprocess.run(
                [tandem.BINARY, "import", "--format", "jsonl", "--json", "-"],
                input=lines.encode(), env=self.laptop.environment(), capture_output=True, timeout=120)
            self.assertEqual(told.returncode, tandem.OK, told.stderr)
            self.assertEqual(json.loads(told.stdout)["made"], made)
        self.assertEqual(self.laptop.status()["pending"], 5000)
        # One undo takes all of it back.
        self.laptop.run("undo")
        self.assertEqual(self.laptop.status()["pending"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
