"""Files of other programs at any size: what is held of them does not grow with them, and what cannot be so is told."""

import json
import os
import subprocess
import unittest

import tandem_process as tandem

ENTRY_COUNTS = (20_000, 50_000)
# What tells entries apart: 32 bytes for each id, in tables that double.
GROWTH_BYTES_MAX = 8 * 1024 * 1024
HELD_BYTES_MAX = 16 * 1024 * 1024
ENTRY_BYTES_MAX = 16 * 1024 * 1024
FILE_BYTES_MAX = 256 * 1024 * 1024
# More than a file may have that is read as a whole.
LINE_COUNT = 1_000_001
# How many lines come in: in CI some, by hand as many as nobody refuses, TANDEM_LONG_LINES=1000001.
TAKEN_LINE_COUNT = int(os.environ.get("TANDEM_LONG_LINES", "30000"))
WORDS = "word " * 170


class LongFiles(tandem.TandemTestCase):
    # How an entry, and the file's beginning and bad end, are written.
    FORMATS = {
        "todotxt": ("", "{} " + WORDS + "+Home\n", "\xff\n"),
        "csv": ("title,notes\r\n", "{},\"two\r\nlines " + WORDS + "\"\r\n", "a,b,c\r\n"),
        "todoist": ("TYPE,CONTENT\r\n", "task,\"{} two\r\nlines " + WORDS + "\"\r\n", "nothing,a\r\n"),
        "taskwarrior": ("[\n", "{{\"description\":\"{} " + WORDS + "\",\"status\":\"pending\"}},\n", "7]\n"),
        "vtodo": ("BEGIN:VCALENDAR\r\n", "BEGIN:VTODO\r\nUID:{0}\r\nSUMMARY:{0} " + WORDS + "\r\nEND:VTODO\r\n",
                  "BEGIN:VTODO\r\nDUE:never\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"),
        "jsonl": ("", "{{\"tandem\":1,\"title\":\"{} " + WORDS + "\"}}\n", "7\n"),
    }

    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def written(self, form, count):
        head, entry, end = self.FORMATS[form]
        path = os.path.join(self.folder, "long")
        with open(path, "w", encoding="latin-1", newline="") as file:
            file.write(head)
            file.writelines(entry.format(number) for number in range(count))
            file.write(end)
        self.assertGreater(os.path.getsize(path), HELD_BYTES_MAX)
        return path

    def refusal(self, form, path):
        """What an import of a file says whose last entry is bad, and the most memory that it took; bytes."""
        errors = os.path.join(self.folder, "errors")
        with open(errors, "wb") as log:
            process = subprocess.Popen(
                [tandem.BINARY, "import", "--format", form, path], env=self.laptop.environment(),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(errors, encoding="utf-8") as log:
            return process.returncode, log.read(), usage.ru_maxrss * 1024

    def test_what_is_held_of_a_file_does_not_grow_with_it(self):
        for form in self.FORMATS:
            peaks = []
            for count in ENTRY_COUNTS:
                code, told, peak = self.refusal(form, self.written(form, count))
                self.assertEqual(tandem.BAD_DATA, code, told)
                self.assertIn("a bad entry", told)
                self.assertIn("{} good ones".format(count), told)
                peaks.append(peak)
            self.report("{}: {} MiB at the most for {} entries".format(
                form, [peak >> 20 for peak in peaks], list(ENTRY_COUNTS)))
            self.assertLess(peaks[1], peaks[0] + GROWTH_BYTES_MAX, (form, peaks))
        self.assertEqual(0, self.laptop.status()["pending"])

    def test_a_short_file_of_very_many_lines_is_no_more_limited_than_a_long_one(self):
        path = os.path.join(self.folder, "lines")

        def written(head, bad):
            with open(path, "w", encoding="latin-1", newline="") as file:
                file.write(head)
                file.writelines("a{}\n".format(number) for number in range(LINE_COUNT))
                file.write(bad)
            self.assertLess(os.path.getsize(path), HELD_BYTES_MAX)
        written("", "\xff\n")
        code, told, _ = self.refusal("todotxt", path)
        self.assertEqual(tandem.BAD_DATA, code, told)
        self.assertIn("takes the {} good ones".format(LINE_COUNT), told)
        # From a pipe as well, of which nothing can be read again.
        written("title\n", "a,b,c\n")
        with open(path, "rb") as file:
            piped = subprocess.run(
                ["sh", "-c", 'cat | "$0" import --format csv -', tandem.BINARY], stdin=file, env=self.laptop.environment(),
                capture_output=True, text=True, timeout=2 * tandem.COMMAND_SECONDS_MAX)
        self.assertIn("takes the {} good ones".format(LINE_COUNT), piped.stderr)

    def test_very_many_lines_come_in(self):
        path = os.path.join(self.folder, "lines.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for number in range(TAKEN_LINE_COUNT):
                file.write('{{"tandem":1,"title":"Task {}","project":"P{}"}}\n'.format(number, number % 50))
        started = subprocess.Popen(
            [tandem.BINARY, "import", "--json", path], env=self.laptop.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE)
        told = started.stdout.read()
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual((tandem.OK, TAKEN_LINE_COUNT), (started.returncode, json.loads(told)["made"]))
        self.assertEqual(TAKEN_LINE_COUNT, self.laptop.status()["pending"])
        self.report("{} lines, {} MiB at the most".format(TAKEN_LINE_COUNT, usage.ru_maxrss >> 10))

    def test_a_nul_stays_in_every_format_that_can_be_read_again(self):
        title = "a\0b"
        path = os.path.join(self.folder, "nul.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps({"tandem": 1, "title": title}) + "\n")
        self.laptop.run("import", path)
        for form in ("jsonl", "csv", "todotxt", "taskwarrior", "vtodo"):
            written = os.path.join(self.folder, "nul." + form)
            with open(written, "w", encoding="utf-8") as file:
                file.write(self.laptop.run("export", "--format", form).output)
            other = self.device("of-" + form)
            other.init()
            other.run("import", "--format", form, written)
            self.assertEqual([title], [todo["title"] for todo in other.live()], form)

    def test_a_long_file_comes_in_whole_with_what_its_entries_need_of_each_other(self):
        notes = WORDS * 5
        path = os.path.join(self.folder, "tasks.json")
        tasks = [{"uuid": "00000000-0000-4000-8000-{:012d}".format(number), "description": str(number), "status": "pending",
                  "notes": notes} for number in range(5000)]
        tasks[0]["depends"] = [tasks[-1]["uuid"]]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(tasks, file)
        self.assertGreater(os.path.getsize(path), HELD_BYTES_MAX)
        for made in (5000, 0):
            told = json.loads(self.laptop.run("import", "--json", "--format", "taskwarrior", path).output)
            self.assertEqual(made, told["made"])
        first = [todo for todo in self.laptop.live() if todo["title"] == "0"][0]
        self.assertEqual([tasks[-1]["uuid"]], first["depends"])

    def test_files_without_end_are_refused_with_the_limit_that_they_pass(self):
        for form, most in (("csv", ENTRY_BYTES_MAX), ("taskwarrior", "line 1, byte 0"), ("vtodo", "line 1"),
                           ("todoist", ENTRY_BYTES_MAX), ("chronolist", FILE_BYTES_MAX)):
            with open("/dev/zero", "rb") as endless:
                done = subprocess.run(
                    [tandem.BINARY, "import", "--format", form, "-"], stdin=endless,
                    env=self.laptop.environment(), capture_output=True, timeout=tandem.COMMAND_SECONDS_MAX)
            self.assertEqual(tandem.BAD_DATA, done.returncode, form)
            self.assertIn(str(most), done.stderr.decode(), form)
        # The formats that have no such limit are named.
        for form in self.FORMATS:
            self.assertIn(form, done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
