"""Tools/setup beside another apt and on a network that fails, with an apt-get that is made up."""

import os
import subprocess
import tempfile
import unittest

SETUP = os.path.join(os.path.dirname(__file__), "..", "..", "Tools", "setup")
# What setup itself runs; without sqlite3 and the libraries there is something to install.
NEEDED = ["bash", "cat", "dirname", "env", "grep", "head", "id", "mktemp", "rm", "sed", "sort", "tail", "wc"]
LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812 (apt-get)"
FRONTEND = "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?"
UNFETCHED = "E: Failed to fetch http://deb.debian.org/x.deb  Connection timed out"


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name in NEEDED:
            path = subprocess.run(["which", name], capture_output=True, text=True).stdout.strip()
            os.symlink(path, os.path.join(self.folder, name))
        self.program("swift", "echo 'Swift version 6.2'")
        self.program("sudo", '"$@"')
        self.program("sleep", 'echo "sleep $1" >>"$CALLS"')

    def program(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write("#!/usr/bin/env bash\n" + text + "\n")
        os.chmod(path, 0o755)

    def run_setup(self, *answers, seconds=600):
        """Runs setup; apt-get answers its calls one by one, "" for success, and the last again and again."""
        for number, answer in enumerate(answers):
            with open(os.path.join(self.folder, "answer{}".format(number)), "w") as file:
                file.write(answer)
        self.program("apt-get", """
            for word in "$@"; do case "$word" in update | install) echo "$word" >>"$CALLS" ;; esac; done
            number=$(grep -c -v sleep "$CALLS")
            [ "$number" -le {0} ] || number={0}
            text=$(cat "{1}/answer$((number - 1))")
            [ -n "$text" ] || exit 0
            echo "$text" >&2
            exit 100""".format(len(answers), self.folder))
        calls = os.path.join(self.folder, "calls")
        done = subprocess.run(
            ["bash", SETUP], capture_output=True, text=True, timeout=120,
            env={"PATH": self.folder, "CALLS": calls, "SETUP_LOCK_SECONDS": str(seconds)})
        with open(calls) as file:
            return done, file.read().split("\n")[:-1]

    def test_the_locks_of_another_apt_are_waited_for(self):
        done, calls = self.run_setup(LOCKED, LOCKED, "", FRONTEND, "")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(
            ["update", "sleep 5", "update", "sleep 5", "update", "install", "sleep 5", "install"], calls)
        self.assertIn("waiting for another apt", done.stdout)

    def test_a_lock_that_stays_ends_it_after_so_many_seconds(self):
        done, calls = self.run_setup(LOCKED, seconds=20)
        self.assertEqual(69, done.returncode)
        self.assertIn("Could not get lock", done.stderr)
        # So long for the lists, and so long for the packages.
        self.assertEqual(2 * 20 // 5, calls.count("sleep 5"))

    def test_a_fetch_that_fails_is_tried_once_more(self):
        done, calls = self.run_setup(UNFETCHED, "", UNFETCHED, "")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["update", "update", "install", "install"], calls)
        done, calls = self.run_setup("", UNFETCHED)
        self.assertEqual(69, done.returncode)
        self.assertIn("Failed to fetch", done.stderr)
        self.assertEqual(["install", "install"], calls[-2:])

    def test_a_list_that_cannot_be_fetched_does_not_stop_what_can_be_installed(self):
        done, calls = self.run_setup(UNFETCHED, UNFETCHED, "")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["update", "update", "install"], calls)


if __name__ == "__main__":
    unittest.main(verbosity=2)
