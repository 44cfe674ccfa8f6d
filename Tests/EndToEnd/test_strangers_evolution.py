"""Evolution's data server (GNOME) at `tandem caldav`: it writes without a condition from its second write on."""

import glob
import json
import os
import select
import shutil
import subprocess
import time
import unittest

from strangers_case import PROGRAM_SECONDS_MAX, StrangersCase, fields

DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "evolution_driver.py")
SOURCE = """[Data Source]
DisplayName=Tandem
Enabled=true
Parent=caldav-stub
[Authentication]
Host=127.0.0.1
Method=plain/password
Port={port}
RememberPassword=false
User={name}
[Security]
Method=none
[WebDAV Backend]
ResourcePath=/lists/{list}/
[Task List]
BackendName=caldav
[Offline]
StaySynchronized=true
[Refresh]
Enabled=false
"""
TODO = "BEGIN:VTODO\r\nUID:{}\r\nDTSTAMP:20261122T100000Z\r\n{}\r\nEND:VTODO\r\n"
# A bus with Evolution's services and no others: a keyring would ask for a password.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth><servicedir>{folder}</servicedir>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""


class Evolution:
    """The driver under a bus of its own; all that it starts ends with the bus."""

    def __init__(self, case):
        self.case = case
        self.folder = os.path.join(case.home, "evolution")
        sources = os.path.join(self.folder, "config", "evolution", "sources")
        services = os.path.join(self.folder, "services")
        for folder in (sources, services, *(os.path.join(self.folder, name) for name in ("data", "cache", "run"))):
            os.makedirs(folder)
        os.chmod(os.path.join(self.folder, "run"), 0o700)
        found = glob.glob("/usr/share/dbus-1/services/org.gnome.evolution.dataserver.*.service")
        case.assertTrue(found, "evolution-data-server is missing (./Tools/setup --for-tests)")
        for path in found:
            shutil.copy(path, services)
        for name in ("inbox", "Home"):
            with open(os.path.join(sources, "tandem-{}.source".format(name)), "w") as file:
                file.write(SOURCE.format(port=case.gateway_process.port, name=case.client.name, list=name))
        self.bus = os.path.join(self.folder, "bus.conf")
        with open(self.bus, "w") as file:
            file.write(BUS.format(folder=services))
        self.log = os.path.join(self.folder, "log")
        self.held = b""

    def start(self):
        variables = {"XDG_{}".format(name): os.path.join(self.folder, folder) for name, folder in (
            ("CONFIG_HOME", "config"), ("DATA_HOME", "data"), ("CACHE_HOME", "cache"), ("RUNTIME_DIR", "run"))}
        environment = self.case.environment(GSETTINGS_BACKEND="memory", GIO_USE_PROXY_RESOLVER="dummy", **variables)
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            environment.pop(name, None)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["dbus-run-session", "--config-file=" + self.bus, "--", "/usr/bin/python3", DRIVER, "tandem-inbox",
                 self.case.client.name, self.case.client.password],
                env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
        self.case.addCleanup(self.end)
        self.case.assertEqual(self.read(), {"value": "ready"})

    def read(self):
        until = time.monotonic() + PROGRAM_SECONDS_MAX
        while b"\n" not in self.held:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))
            more = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not more:
                with open(self.log, errors="replace") as log:
                    raise AssertionError("Evolution ended or is silent: " + log.read()[-2000:])
            self.held += more
        line, _, self.held = self.held.partition(b"\n")
        return json.loads(line)

    def step(self, *words):
        self.process.stdin.write((json.dumps(words) + "\n").encode())
        self.process.stdin.flush()
        answer = self.read()
        if "error" in answer:
            raise Refused("Evolution, {}: {}".format(words, answer["error"]))
        return answer["value"]

    def end(self):
        """With its input the driver ends, with it the bus, and with the bus Evolution's processes."""
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(20)
        self.process.stdout.close()


class Refused(AssertionError):
    """Evolution could not do what it was asked for."""


class EvolutionDay(StrangersCase):
    def test_both_sides_write_and_nothing_is_lost(self):
        milk = self.laptop.add("Milk", "due:2026-12-01", "+a", "notes:two")
        self.laptop.add("Saw", "project:Home")
        program = Evolution(self)
        program.start()
        text, = program.step("reload")
        for line in ("SUMMARY:Milk", "DUE;VALUE=DATE:20261201", "CATEGORIES:a", "DESCRIPTION:two"):
            self.assertIn(line, text)
        self.add_and_repeat(program)
        self.edit_apart(program, milk)
        self.edit_what_it_added(program)
        self.complete_one_of_a_series(program)
        self.move(program)
        self.complete_and_delete(program, milk)
        self.read_many(program)

    def read_many(self, program):
        before = len(program.step("reload"))
        self.fill(3000)
        began = time.monotonic()
        self.assertEqual(len(program.step("reload")), before + 3000)
        self.report("3,000 read by Evolution in {:.1f} s".format(time.monotonic() - began))
        program.step("edit", "To-do 7", "PRIORITY:5", "PRIORITY:1")
        self.assertEqual(self.todo("To-do 7")["priority"], "high")

    def add_and_repeat(self, program):
        program.step("add", TODO.format("eggs@evolution", "\r\n".join((
            "SUMMARY:Eggs", "PRIORITY:9", "DESCRIPTION:a\\nb", "CATEGORIES:x,y"))))
        self.assertEqual(fields(self.todo("Eggs")), {
            "title": "Eggs", "notes": "a\nb", "due": None, "priority": "low", "tags": ["x", "y"]})
        program.step("add", TODO.format("water@evolution", "\r\n".join((
            "SUMMARY:Water", "DUE;VALUE=DATE:20270104", "DTSTART;VALUE=DATE:20270104", "RRULE:FREQ=WEEKLY"))))
        self.assertEqual((self.todo("Water")["due"], self.todo("Water")["repeat"]), ("2027-01-04", "every week"))

    def edit_apart(self, program, milk):
        self.laptop.edit(milk, "Oats", "+b")
        program.step("edit", "Milk", "DESCRIPTION:two", "DESCRIPTION:three")
        self.assertEqual(fields(self.laptop.show(milk)), {
            "title": "Oats", "notes": "three", "due": "2026-12-01", "priority": None, "tags": ["a", "b"]})
        self.assertUndisputed()
        text, = [text for text in program.step("reload") if "SUMMARY:Oats" in text]
        self.assertIn("DESCRIPTION:three", text)
        self.laptop.edit(milk, "due:2026-12-26")
        program.step("edit", "Oats", "DUE;VALUE=DATE:20261201", "DUE;VALUE=DATE:20261225")
        self.assertListed(milk, "2026-12-25", "2026-12-26")
        self.laptop.resolve(milk, "due", value="2026-12-26")
        self.assertUndisputed()
        text, = [text for text in program.step("reload") if "SUMMARY:Oats" in text]
        self.assertIn("DUE;VALUE=DATE:20261226", text)

    def edit_what_it_added(self, program):
        eggs = self.todo("Eggs")["id"]
        self.laptop.edit(eggs, "Brown eggs")
        program.step("edit", "Eggs", "DESCRIPTION:a\\nb", "DESCRIPTION:six")
        self.assertEqual((self.laptop.show(eggs)["title"], self.laptop.show(eggs)["notes"]), ("Brown eggs", "six"))
        self.assertUndisputed()
        program.step("reload")
        program.step("edit", "Brown eggs", "DESCRIPTION:six", "DESCRIPTION:six\r\nSTATUS:COMPLETED\r\nPERCENT-COMPLETE:100")
        self.assertEqual(self.laptop.show(eggs)["status"], "completed")

    def complete_one_of_a_series(self, program):
        program.step("reload")
        program.step("complete", "Water")
        self.assertEqual(self.states("Water"), [("completed", "2027-01-04"), ("pending", "2027-01-11")])
        self.assertUndisputed()

    def move(self, program):
        program.step("add", TODO.format("nails@evolution", "SUMMARY:Nails\r\nDESCRIPTION:of brass\r\nCATEGORIES:x"))
        nails = self.todo("Nails")["id"]
        self.laptop.edit(nails, "pri:h")
        program.step("move", "Nails", "tandem-Home")
        todo = self.todo("Nails")
        self.assertEqual((todo["id"], todo["project"], todo["notes"], todo["tags"], todo["priority"]),
                         (nails, "Home", "of brass", ["x"], "high"))
        self.assertEqual([text for text in program.step("reload") if "SUMMARY:Nails" in text], [])
        self.assertUndisputed()

    def complete_and_delete(self, program, milk):
        self.laptop.done(self.pending("Water"))
        self.assertTrue([text for text in program.step("reload") if "SUMMARY:Water" in text])
        # What nobody else has edited goes.
        program.step("remove", "Brown eggs")
        self.assertIn("Brown eggs", [todo["title"] for todo in self.laptop.trash()])
        self.assertUndisputed()
        # It deletes without a condition what others have edited meanwhile.
        self.laptop.edit(milk, "notes:kept")
        try:
            program.step("remove", "Oats")
        except Refused as fault:
            self.report("its delete was refused: {}".format(str(fault).splitlines()[0]))
        is_live = "Oats" in self.laptop.titles()
        self.assertTrue(is_live or self.is_listed(milk, "kept"), (self.laptop.trash(), self.laptop.conflicts()))
        found = [text for text in program.step("reload") if "SUMMARY:Oats" in text]
        self.assertEqual(bool(found), is_live)


if __name__ == "__main__":
    unittest.main(verbosity=2)
