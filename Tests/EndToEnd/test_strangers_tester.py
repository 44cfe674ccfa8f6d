"""caldav-server-tester at `tandem caldav`: what it finds is what docs/caldav.md tells, and no more."""

import json
import os
import unittest

from strangers_case import StrangersCase

DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tester_driver.py")
DEVIATION_COUNT_MAX = 3

# What docs/caldav.md tells as a deviation, and the names by which the tester finds it.
DEVIATIONS = {
    "a changed occurrence is a to-do of its own": {
        "save-load.event.recurrences.exception", "save-load.todo.recurrences.exception", "search.recurrences.expanded.exception"},
    "a to-do is in one list": {"save.duplicate-uid.cross-calendar"},
    "a PUT that repeats the one before is answered as that was": {"save.if-none-match"},
}
# What it cannot find out, as docs/caldav.md tells.
UNKNOWN = {
    "save-load.event.recurrences.exception.cancelled", "save-load.event.recurrences.exception.reschedule", "save.etag",
    "url.encode-at.literal.principal", "well-known"}
FEATURE_COUNT = 100
# Of other standards or of other things than to-dos: journals, invitations.
NOT_OF_TODOS = {"save-load.journal", "scheduling"}
# Checks of the program as it is that store no event.
CHECKS_WITHOUT_EVENTS = (
    "CheckGetCurrentUserPrincipal", "CheckMakeDeleteCalendar", "CheckWWWAuthenticate", "CheckPropfindAllprop",
    "CheckCalendarProperties", "CheckProppatchDelay")


class Tester(StrangersCase):
    def setUp(self):
        super().setUp()
        # It deletes all that it made; beside so many others the mass-delete guard lets it.
        self.fill(120)

    def ask(self, asked):
        said = self.program("python", DRIVER, self.address, self.client.name, self.client.password, asked)
        return json.loads(said.strip().splitlines()[-1])

    def test_asked_about_to_dos_it_finds_what_the_page_tells(self):
        told = self.ask("todos")
        self.assertEqual(told["aborted"], {})
        found = set(told["deviations"]) - NOT_OF_TODOS
        known = {name for names in DEVIATIONS.values() for name in names}
        self.assertEqual(found - known, set(), told["deviations"])
        unknown = sorted(name for name, support in told["features"].items() if support == "unknown")
        groups = [words for words, names in DEVIATIONS.items() if names & found]
        self.report("{} features, {} not found out ({}), {} deviations: {}".format(
            len(told["features"]), len(unknown), ", ".join(unknown), len(groups), "; ".join(groups)))
        self.assertEqual(len(told["features"]), FEATURE_COUNT)
        self.assertEqual(set(unknown), UNKNOWN)
        # What all sync rests on.
        for name in ("sync-token", "sync-token.delete", "sync-token.limit", "save-load.todo", "save-load.get-by-url",
                     "search.time-range.todo", "search.text.category", "save.no-uid-conflict"):
            self.assertEqual(told["features"].get(name, told["features"].get(name.split(".")[0])), "full", name)
        self.assertLessEqual(len(groups), DEVIATION_COUNT_MAX, groups)

    def test_the_program_itself_finds_no_fault_without_events(self):
        for check in CHECKS_WITHOUT_EVENTS:
            with self.subTest(check):
                said = self.program(
                    "caldav-server-tester", "--caldav-url", self.address, "--caldav-user", self.client.name,
                    "--caldav-pass", self.client.password, "--format", "json", "--run-checks", check)
                self.assertNotIn("unexpected for", said.replace("unexpected for save-load.journal", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
