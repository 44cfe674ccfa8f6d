"""Runs todoman, vdirsyncer and icalendar, the real programs, on folders of a test."""

import json
import os
import subprocess

import tandem_process as tandem

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(REPOSITORY, ".build", "python-tools", "bin")


class FolderTestCase(tandem.TandemTestCase):
    """A device with a folder of iCalendar files, and the programs that other people use on it."""

    def setUp(self):
        super().setUp()
        self.assertTrue(
            os.path.exists(os.path.join(PROGRAMS, "todo")),
            "todoman is missing (./Tools/setup --for-tests)")
        self.laptop = self.device("laptop")
        self.laptop.init()
        self.vdir = os.path.join(self.folder, "lists", "tandem")
        os.makedirs(self.vdir)

    def program(self, name, *words, codes=(0,), **variables):
        environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8", HOME=self.folder, **variables)
        done = subprocess.run(
            [os.path.join(PROGRAMS, name), *words], env=environment, input="y\ny\n",
            capture_output=True, text=True, timeout=120)
        self.assertIn(
            done.returncode, codes, "{} {}\n{}{}".format(name, words, done.stdout, done.stderr))
        return done.stdout

    def todoman(self, *words, codes=(0,)):
        config = os.path.join(self.folder, "todoman.py")
        if not os.path.exists(config):
            with open(config, "w") as file:
                file.write('path = "{}/lists/*"\n'.format(self.folder))
                file.write('date_format = "%Y-%m-%d"\ntime_format = "%H:%M"\n')
                file.write('default_list = "tandem"\n')
                file.write('cache_path = "{}/todoman.sqlite3"\n'.format(self.folder))
        return self.program("todo", *words, codes=codes, TODOMAN_CONFIG=config)

    def todoman_number(self, title):
        found = [
            todo["id"] for todo in json.loads(self.todoman("--porcelain", "list", "--status", "ANY"))
            if todo["summary"] == title]
        self.assertEqual(len(found), 1, title)
        return str(found[0])

    def icalendar(self, script, *words):
        """Runs Python with the library icalendar; answers the JSON that it prints."""
        return json.loads(self.program("python", "-c", script, *words))

    def sync_folder(self, *words, codes=(0,), device=None):
        return (device or self.laptop).run("vdir", self.vdir, *words, codes=codes)

    def at_rest(self):
        """A sync that has nothing to do."""
        self.assertIn("In step", self.sync_folder().output)

    def files(self, folder=None):
        folder = folder or self.vdir
        found = {}
        for name in sorted(os.listdir(folder)):
            if name == ".tandem-store":
                continue
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read().decode()
        return found

    def file_of(self, todo):
        return os.path.join(self.vdir, todo + ".ics")

    def change(self, path, old, new):
        """Changes a file as an editor does: beside its place, then renamed."""
        with open(path, newline="") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path + ".tmp", "w", newline="") as file:
            file.write(text.replace(old, new))
        os.rename(path + ".tmp", path)

    def todo(self, title, device=None):
        found = [todo for todo in (device or self.laptop).live() if todo["title"] == title]
        self.assertEqual(len(found), 1, (title, (device or self.laptop).titles()))
        return found[0]
