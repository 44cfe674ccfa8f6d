"""What a command may cost: flushes of the disk, and libraries that are loaded before anything is done."""

import os
import re
import subprocess
import unittest

from tandem_process import BINARY, COMMAND_SECONDS_MAX, TandemTestCase, commands_of_overview

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MEASURED = os.path.join(ROOT, "Tools", "bench", "BenchCommand.swift")
FLUSHES_MAX = 4
FLUSH = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(?:fsync|fdatasync|sync_file_range|syncfs|sync|msync)\(", re.MULTILINE)


def may_trace():
    """Whether this system lets a program be watched; some containers do not."""
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


class CostTests(TandemTestCase):
    def flushes(self, device, *words):
        """How often a whole process and those that it starts ask the disk for a flush."""
        log = os.path.join(self.folder, "calls")
        subprocess.run(
            ["strace", "-f", "-o", log, "-e", "trace=fsync,fdatasync,sync_file_range,syncfs,sync,msync", BINARY, *words],
            env=device.environment(), stdin=subprocess.DEVNULL, check=True, capture_output=True,
            timeout=COMMAND_SECONDS_MAX)
        with open(log, encoding="utf-8") as file:
            return len(FLUSH.findall(file.read()))

    @unittest.skipUnless(may_trace(), "strace may watch no program here")
    def test_an_add_flushes_four_times_at_most_and_a_list_never(self):
        laptop = self.device("laptop")
        laptop.init()
        # The first makes the file of numbers; the others find one.
        for title in ("milk", "bread", "tea"):
            count = self.flushes(laptop, "add", title, "project:Home", "+errand", "due:friday")
            self.assertLessEqual(count, FLUSHES_MAX, title)
            # None at all would be a promise that nobody keeps.
            self.assertGreater(count, 0, title)
        self.assertLessEqual(self.flushes(laptop, "done", "1"), FLUSHES_MAX)
        self.assertEqual(0, self.flushes(laptop, "list"))
        # So many that the log of the numbers is emptied more than once.
        for number in range(20):
            self.assertLessEqual(self.flushes(laptop, "add", "more {}".format(number)), FLUSHES_MAX, number)

    def test_the_table_of_flushes_has_a_crash_test_for_each(self):
        with open(os.path.join(ROOT, "docs", "durability.md"), encoding="utf-8") as file:
            rows = [line for line in file if "without(flush:" in line]
        with open(os.path.join(ROOT, "Tests", "SimulationTests", "FlushTests.swift"), encoding="utf-8") as file:
            code = file.read()
        tested = re.findall(r"^        case (\w+) = ", code.split("enum Flush", 1)[1].split("func ", 1)[0], re.M)
        self.assertIn("arguments: Flush.allCases", code)
        self.assertEqual(FLUSHES_MAX, len(tested))
        self.assertEqual(tested, [re.search(r"without\(flush: \.(\w+)\)", row)[1] for row in rows])
        for row in rows:
            self.assertTrue(all(cell.strip() for cell in row.strip().strip("|").split("|")), row)

    def test_bench_measures_each_command_but_those_that_it_names(self):
        with open(MEASURED, encoding="utf-8") as file:
            remark, code = file.read().split("struct BenchCommand", 1)
        left_out = set(re.findall(r"`([a-z-]+)`", remark))
        measured = set(re.findall(r'BenchCommand\(\s*"([a-z-]+)', code))
        commands = set(commands_of_overview(self.device("nobody").run("help").output))
        self.assertGreater(len(commands), 50)
        self.assertEqual(commands - measured, left_out)

    def test_the_program_needs_no_library_of_tls_to_start(self):
        told = subprocess.run(["readelf", "-d", BINARY], check=True, capture_output=True, text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told)
        self.assertTrue(needed)
        self.assertFalse([name for name in needed if re.match(r"lib(ssl|crypto)\b", name)], needed)


if __name__ == "__main__":
    unittest.main()
