"""The runner of these tests: it must not call well what is not."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

RUNNER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_all.py")

WELL = """
import os, sys, time, unittest

class Well(unittest.TestCase):
    def test_one(self):
        print("said by one")
        self.assertEqual("", sys.stdin.read())

    def test_two(self):
        os.system("echo said by a child >&2")

    @unittest.skip("not here")
    def test_three(self):
        pass

    @unittest.expectedFailure
    def test_four(self):
        self.fail("as expected")
"""

ILL = """
import os, signal, subprocess, time, unittest

class Ill(unittest.TestCase):
    def test_fails(self):
        self.assertEqual(1, 2)

    def test_raises(self):
        raise ValueError("wrong")

    def test_has_parts(self):
        for part in range(5):
            with self.subTest(part=part):
                self.assertEqual(part % 2, 0)

    def test_leaves(self):
        os._exit(0)

    def test_is_killed(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def test_hangs(self):
        child = subprocess.Popen(["sleep", "600"])
        with open(os.environ["CHILD"], "w") as file:
            file.write(str(child.pid))
        time.sleep(600)

    @unittest.expectedFailure
    def test_succeeds(self):
        pass

class Unprepared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ValueError("not ready")

    def test_one(self):
        pass
"""


class RunnerTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tandem-runner-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def run_tests(self, *words, **files):
        for name, text in files.items():
            with open(os.path.join(self.folder, name + ".py"), "w") as file:
                file.write(text)
        options = [word for word in words if word.startswith("--")]
        names = [word for word in words if not word.startswith("--")]
        self.child = os.path.join(self.folder, "child")
        return subprocess.run(
            [sys.executable, RUNNER, *options, self.folder, *names], capture_output=True, text=True,
            timeout=120, env=dict(os.environ, CHILD=self.child, PYTHONDONTWRITEBYTECODE="1"))

    def test_what_is_well_is_counted_and_what_it_says_is_shown(self):
        done = self.run_tests(test_well=WELL)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\nRan 4 tests in [0-9.]+s\n\nOK \(skipped=1\)\n$")
        self.assertRegex(done.stdout, r"test_one \.\.\. ok .*\n  said by one\n")
        self.assertRegex(done.stdout, r"test_two \.\.\. ok .*\n  said by a child\n")

    def test_every_way_to_fail_counts_once_and_the_others_still_run(self):
        started = time.monotonic()
        done = self.run_tests("--seconds=5", test_well=WELL, test_ill=ILL, test_broken="import nothing_such")
        self.assertLess(time.monotonic() - started, 60)
        self.assertEqual(1, done.returncode)
        # Fails, has parts, succeeds; raises, leaves, is killed, hangs, is unprepared, is broken.
        self.assertRegex(
            done.stdout, r"\nRan 13 tests in [0-9.]+s\n\nFAILED \(failures=3, errors=6, skipped=1\)\n$")
        self.assertRegex(done.stdout, r"test_leaves \.\.\. ERROR .*\n  its process ended with 0")
        self.assertRegex(done.stdout, r"test_is_killed \.\.\. ERROR .*\n  its process ended with -9")
        self.assertRegex(done.stdout, r"test_hangs \.\.\. ERROR .*\n  it took longer than 5(\.0)? s")
        self.assertIn("nothing_such", done.stdout)
        with open(self.child) as file:
            self.assertTrue(self.has_ended(int(file.read())), "what a hanging test started goes with it")

    def test_who_drives_other_programs_has_a_second_chance_and_nobody_else(self):
        text = """
import os, unittest

class {0}(unittest.TestCase):
    DRIVES_OTHER_PROGRAMS = {1}

    def test_stumbles(self):
        path = os.environ["CHILD"] + "{0}"
        is_first = not os.path.exists(path)
        open(path, "w").close()
        self.assertFalse(is_first, "stumbled")

    def test_always_fails(self):
        self.assertTrue({2})
"""
        done = self.run_tests(test_browser=text.format("Browser", True, True))
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertRegex(done.stdout, r"test_stumbles \.\.\. FAIL .*(\n  .*)*stumbled")
        self.assertIn("test_stumbles failed beside others and runs again, alone:", done.stdout)
        self.assertRegex(done.stdout, r"test_stumbles \.\.\. ok .*\n(.*\n)*\nRan 2 tests in [0-9.]+s\n\nOK\n$")
        done = self.run_tests("Own.", "Bad.", test_own=text.format("Own", False, True), test_bad=text.format("Bad", True, False))
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stdout, r"\nRan 4 tests in [0-9.]+s\n\nFAILED \(failures=2\)\n$")
        # What failed is told once more at the end, with the reason.
        end = done.stdout.split("\nFAIL: ")
        self.assertEqual({"test_own.Own.test_stumbles", "test_bad.Bad.test_always_fails"},
                         {part.split("\n")[0] for part in end[1:]})
        self.assertIn("stumbled", [part for part in end if "Own" in part.split("\n")[0]][-1])

    def test_no_test_at_all_is_a_failure(self):
        done = self.run_tests("no_such_name", test_well=WELL)
        self.assertEqual(1, done.returncode)
        self.assertIn("\nFAILED\n", done.stdout)

    def test_two_tests_run_at_once(self):
        both = """
import os, time, unittest

class Both(unittest.TestCase):
    def meet(self, own, other):
        folder = os.path.dirname(__file__)
        open(os.path.join(folder, own), "w").close()
        until = time.monotonic() + 30
        while not os.path.exists(os.path.join(folder, other)):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def test_a(self):
        self.meet("a", "b")

    def test_b(self):
        self.meet("b", "a")
"""
        done = self.run_tests("--workers=2", "Both", test_both=both)
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertTrue(re.search(r"\nRan 2 tests in ", done.stdout))

    def has_ended(self, process):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                with open("/proc/{}/stat".format(process)) as file:
                    if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                        return True
            except FileNotFoundError:
                return True
            time.sleep(0.01)
        return False
