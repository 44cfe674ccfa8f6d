"""The tables of docs/scale.md are what Tools/relay/scale.py computes."""

import importlib.util
import os
import re
import subprocess
import sys
import unittest

import tandem_process as tandem

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "Tools", "relay", "scale.py")


def page(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


class Scale(unittest.TestCase):
    def run_program(self, *words):
        return subprocess.run(
            [sys.executable, PROGRAM, *words], capture_output=True, text=True, timeout=60)

    def model(self):
        spec = importlib.util.spec_from_file_location("scale", PROGRAM)
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found

    def test_the_tables_of_the_page_are_those_of_the_program(self):
        done = self.run_program()
        self.assertEqual(done.returncode, 0, done.stderr)
        tables = done.stdout.strip().split("\n\n")
        self.assertEqual(len(tables), 3)
        for table in tables:
            self.assertIn("\n" + table + "\n", page("docs/scale.md"))
        self.assertEqual(self.run_program("simulate").stdout.strip(), tables[2])
        self.assertNotEqual(self.run_program("guess").returncode, 0)

    def test_the_queue_agrees_with_what_is_known_of_such_queues(self):
        # Of a queue with exponential arrivals and equal services the mean wait is known; a median lies below it.
        model = self.model()
        for share, median, most in model.waits(60):
            mean = (1 + share / (2 * (1 - share))) / model.COMMITS_A_SECOND * 1000
            self.assertLess(median, mean)
            self.assertGreater(most, mean)

    def test_the_measured_figures_are_those_of_the_pages(self):
        model = self.model()
        performance = page("docs/performance.md")
        # Of a span the program takes the end that costs more, and the page of the model names what it takes.
        for measured, taken, words in (
                ("21 to {} KiB each", model.SESSION_BYTES // 1024, "connections × {} KiB"),
                ("4 to {} % of a core for pings", round(model.PING_CORES * 1_000_000), "{} % of a core"),
                ("{} to 1,550", model.COMMITS_A_SECOND, "commits ÷ {}"),
                ("| bytes a version on the disk | {} |", model.DISK_BYTES, "versions × {} bytes"),
                ("870 to {} bytes for one alone", model.LOG_BYTES, "commits × {} bytes")):
            self.assertIn(measured.format(taken), performance)
            self.assertIn(words.format(taken), page("docs/scale.md"))
        # Limits are what a relay says of itself.
        settings = subprocess.run(
            [tandem.BINARY, "relay", "--print-config"], capture_output=True, text=True,
            timeout=30).stdout
        for name, number in (("connections", model.SESSIONS_MAX), ("spaces", model.SPACES_MAX)):
            self.assertRegex(settings, r"(?m)^{} = {}\s".format(re.escape(name), number))


if __name__ == "__main__":
    unittest.main()
