"""Runs the tests of a folder in several processes, which take them one by one from one queue.

Usage: run_all.py [--workers N] [--seconds N] [--slowest N] [FOLDER [NAME...]]
  --workers N   processes at once (default 2)
  --seconds N   what one test may take before its process is ended and it counts as failed
                (default 300)
  --slowest N   also lists the N tests that took longest
  FOLDER        where test_*.py lies (default: this file's folder)
  NAME          only tests whose full name has one of these in it

A test whose class says DRIVES_OTHER_PROGRAMS drives a browser, which may stumble on a busy machine, to look at what is shown: it runs
once more at the end, alone, if it failed, and what it says then counts. Both are told. Nobody else has a second chance, so a write
that is lost once in a hundred runs is told by that run.

What a test prints is shown when it ends, whole and indented. The last lines are those of unittest, before them what failed and why:
'Ran N tests in …', and 'OK (skipped=N)' or 'FAILED (failures=N, errors=N, skipped=N)'. A test counts
once, however many of its parts failed; one whose process dies counts as an error.
"""

import argparse
import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest


FAILED = ("FAIL", "ERROR")
# More than so many failures of other programs are no stumble.
REPEATED_COUNT_MAX = 3
# The last lines of a test that failed, told once more at the end.
TOLD_LINE_COUNT = 25


def tests_of(folder):
    """Every test of a folder by its full name; a file that cannot be imported is a test that fails."""
    def flat(suite):
        for item in suite:
            if isinstance(item, unittest.TestSuite):
                yield from flat(item)
            else:
                yield item

    return {test.id(): test for test in flat(unittest.TestLoader().discover(folder))}


def verdict(result):
    """How a run of one test ended, with the tracebacks; parts of it that failed are in there."""
    if result.errors or result.failures:
        told = "".join(text for _, text in result.errors + result.failures)
        return ("ERROR" if result.errors else "FAIL"), told
    if result.unexpectedSuccesses:
        return "FAIL", "it was expected to fail\n"
    if result.skipped:
        return "skipped", "".join("{}\n".format(reason) for _, reason in result.skipped)
    return "ok", ""


def may_run_twice(test):
    return getattr(test, "DRIVES_OTHER_PROGRAMS", False)


def work(folder, answers):
    """A worker: reads names from the standard input, answers one line of JSON for each."""
    os.set_inheritable(answers, False)
    tests = tests_of(folder)
    # No test may read the names of the others.
    orders = os.fdopen(os.dup(0))
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    for line in orders:
        result = unittest.TestResult()
        unittest.TestSuite([tests[line.strip()]])(result)
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(answers, (json.dumps(verdict(result)) + "\n").encode())


class Worker:
    """One worker process; what it and its children print goes to a file."""

    def __init__(self, folder):
        self.printed = tempfile.TemporaryFile()
        self.shown = 0
        self.held = b""
        self.answers, theirs = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "--answers", str(theirs), folder],
            stdin=subprocess.PIPE, stdout=self.printed, stderr=self.printed, pass_fds=[theirs],
            start_new_session=True)
        os.close(theirs)

    def run(self, name, seconds):
        """Runs one test: the word for how it ended, and what was told of it."""
        try:
            self.process.stdin.write((name + "\n").encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        until = time.monotonic() + seconds
        while b"\n" not in self.held:
            ready, _, _ = select.select([self.answers], [], [], max(0, until - time.monotonic()))
            if not ready:
                self.end()
                return "ERROR", "it took longer than {} s, and its process was ended\n".format(seconds)
            more = os.read(self.answers, 65536)
            if not more:
                self.end()
                return "ERROR", "its process ended with {}\n".format(self.process.returncode)
            self.held += more
        line, _, self.held = self.held.partition(b"\n")
        return tuple(json.loads(line))

    def news(self):
        """What was printed since the last question."""
        size = os.fstat(self.printed.fileno()).st_size
        text = os.pread(self.printed.fileno(), size - self.shown, self.shown)
        self.shown = size
        return text.decode(errors="replace")

    def is_running(self):
        return self.process.poll() is None

    def end(self):
        """Ends the process and what it has left running."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def close(self):
        """Lets a process that has no test go, and ends one that has."""
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        self.end()
        os.close(self.answers)
        self.printed.close()


class Run:
    """All tests of one run, and how they ended."""

    def __init__(self, folder, seconds):
        self.folder, self.seconds = folder, seconds
        self.waiting = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.workers = []
        self.is_stopped = False
        self.ended = []
        self.texts = {}

    def deal(self):
        """Gives one worker after the other of this thread tests until there is none."""
        worker = None
        while not self.is_stopped:
            try:
                name = self.waiting.get_nowait()
            except queue.Empty:
                break
            if worker is None or not worker.is_running():
                worker = self.hire()
            started = time.monotonic()
            word, told = worker.run(name, self.seconds)
            self.tell(name, word, time.monotonic() - started, worker.news() + told)

    def hire(self):
        worker = Worker(self.folder)
        with self.lock:
            self.workers.append(worker)
        return worker

    def tell(self, name, word, seconds, text):
        with self.lock:
            self.ended.append((seconds, name, word))
            self.texts[name] = text
            print("{} ... {} ({:.1f} s)".format(name, word, seconds))
            for line in text.splitlines():
                print("  " + line)
            sys.stdout.flush()

    def go(self, names, count, repeatable=frozenset()):
        """Runs the tests with so many workers at once, and of those that failed the repeatable ones again; true if all are well."""
        started = time.monotonic()
        try:
            self.run(names, count)
            failed = [name for _, name, word in self.ended if word in FAILED]
            again = [name for name in failed if name in repeatable]
            if len(again) <= REPEATED_COUNT_MAX:
                for name in again:
                    print("\n{} failed beside others and runs again, alone:".format(name))
                self.ended = [ended for ended in self.ended if ended[1] not in again]
                self.run(again, 1)
        finally:
            self.is_stopped = True
            for worker in self.workers:
                worker.close()
        return self.conclude(len(names), time.monotonic() - started)

    def run(self, names, count):
        for name in names:
            self.waiting.put(name)
        threads = [threading.Thread(target=self.deal) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def conclude(self, count, seconds):
        numbers = [
            (title, sum(word == end for _, _, end in self.ended))
            for title, word in (("failures", "FAIL"), ("errors", "ERROR"), ("skipped", "skipped"))]
        # A thread that died in between would leave tests that nobody ran.
        numbers[1] = ("errors", numbers[1][1] + count - len(self.ended))
        is_well = count > 0 and numbers[0][1] == 0 and numbers[1][1] == 0
        for _, name, word in self.ended:
            if word in FAILED:
                print("{}: {}".format(word, name))
                for line in self.texts[name].splitlines()[-TOLD_LINE_COUNT:]:
                    print("  " + line)
        told = ", ".join("{}={}".format(*number) for number in numbers if number[1])
        print("\nRan {} test{} in {:.3f}s\n".format(count, "" if count == 1 else "s", seconds))
        print(("OK" if is_well else "FAILED") + (" ({})".format(told) if told else ""))
        return is_well


def stop(signal_number, _):
    sys.exit(128 + signal_number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--slowest", type=int, default=0)
    parser.add_argument("--answers", type=int, help=argparse.SUPPRESS)
    parser.add_argument("folder", nargs="?", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.answers is not None:
        work(options.folder, options.answers)
        return
    signal.signal(signal.SIGTERM, stop)
    tests = tests_of(options.folder)
    names = [name for name in tests if not options.names or any(part in name for part in options.names)]
    run = Run(options.folder, options.seconds)
    is_well = run.go(names, max(1, options.workers), {name for name in names if may_run_twice(tests[name])})
    for seconds, name, _ in sorted(run.ended, reverse=True)[:options.slowest]:
        print("{:7.1f} s  {}".format(seconds, name))
    sys.exit(0 if is_well else 1)


if __name__ == "__main__":
    main()
