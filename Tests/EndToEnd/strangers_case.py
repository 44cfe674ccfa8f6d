"""CalDAV programs of other people at `tandem caldav`: how they are run, and what is asked of a to-do afterwards."""

import contextlib
import os
import signal
import subprocess

import tandem_process as tandem
from caldav_case import CaldavCase
from vtodo_case import PROGRAMS

PROGRAM_SECONDS_MAX = 120
FIELDS = ("title", "notes", "due", "priority", "tags")


def fields(todo):
    """What every program of a to-do must keep, by the names of the export."""
    return {name: todo.get(name) for name in FIELDS}


class StrangersCase(CaldavCase):
    """A device whose gateway runs, and the programs that other people use with it."""

    def setUp(self):
        super().setUp()
        self.gateway_process, self.client = self.serve()
        self.home = os.path.join(self.folder, "home")
        os.makedirs(self.home)

    @property
    def address(self):
        return "http://127.0.0.1:{}/".format(self.gateway_process.port)

    def environment(self, **variables):
        return dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8", HOME=self.home, **variables)

    def program(self, name, *words, codes=(0,), text="", **variables):
        """Runs a program of `Tools/setup --for-tests` to its end; answers all that it printed."""
        path = os.path.join(PROGRAMS, name) if not os.path.isabs(name) else name
        self.assertTrue(os.path.exists(path), "{} is missing (./Tools/setup --for-tests)".format(name))
        done = subprocess.run(
            [path, *words], env=self.environment(**variables), input=text, cwd=self.home,
            capture_output=True, text=True, timeout=PROGRAM_SECONDS_MAX)
        self.assertIn(done.returncode, codes, "{} {}\n{}{}".format(name, words, done.stdout, done.stderr))
        return done.stdout + done.stderr

    @contextlib.contextmanager
    def started(self, *words, log, **variables):
        """Runs a program beside the test, and ends all that it started by its process group."""
        with open(log, "ab") as file:
            process = subprocess.Popen(
                words, env=self.environment(**variables), stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                cwd=self.home, start_new_session=True)
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(tandem.COMMAND_SECONDS_MAX)

    def todo(self, title, device=None):
        """The one to-do of a title."""
        found = [todo for todo in (device or self.laptop).live() if todo["title"] == title]
        self.assertEqual(len(found), 1, (title, (device or self.laptop).titles()))
        return found[0]

    def states(self, title):
        """The status and due date of each to-do of a title."""
        return sorted((todo["status"], todo["due"]) for todo in self.laptop.live() if todo["title"] == title)

    def pending(self, title):
        """The one pending to-do of a title."""
        found, = [todo["id"] for todo in self.laptop.live() if (todo["title"], todo["status"]) == (title, "pending")]
        return found

    def fill(self, count):
        """Adds so many to-dos at once, each with a tag and a priority."""
        self.laptop.run("import", "--format", "todotxt", "-", text="".join(
            "(B) To-do {} @t{}\n".format(number, number % 7) for number in range(count)))

    def is_listed(self, todo, *values):
        """Whether the conflicts of a device name a to-do and each of the values."""
        listed = [one for one in self.laptop.conflicts() if tandem.mentions(one, todo)]
        return bool(listed) and all(tandem.mentions(listed, value) for value in values)

    def assertListed(self, todo, *values):
        self.assertTrue(self.is_listed(todo, *values), (values, self.laptop.conflicts()))

    def assertUndisputed(self):
        self.assertEqual(self.laptop.conflicts(), [])
