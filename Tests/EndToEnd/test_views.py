"""Lists of a person's own, which sync, and the context that narrows lists and new to-dos on one device."""

import json
import re
import shlex
import subprocess
import unittest

import tandem_process
from moved_clocks import Clocks
from tandem_process import BINARY, NOTHING, OK, TandemTestCase, USAGE


class ViewTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()

    def run_with(self, variables, *words):
        environment = {**self.laptop.environment(), **variables}
        return subprocess.run([BINARY, *words], env=environment, capture_output=True, text=True, timeout=60)

    def fill(self):
        self.laptop.run("add", "Report", "+work", "priority:high", "due:2040-01-02", "x.size:3")
        self.laptop.run("add", "Call Ann", "+work", "due:2040-01-01")
        self.laptop.run("add", "Milk", "project:Home")

    def titles(self, *words, device=None, codes=(OK,)):
        return [todo["title"] for todo in (device or self.laptop).run(*words, "--json", codes=codes).values()]

    def test_a_saved_view_is_a_list_on_every_device(self):
        self.fill()
        self.assertIn("next: tandem work", self.laptop.run("save", "work", "+work", "sort:title").output)
        self.laptop.run("save", "work", "columns:due,x.size")
        self.meet(self.laptop, self.phone)
        for device in (self.laptop, self.phone):
            self.assertEqual(self.titles("work", device=device), ["Call Ann", "Report"])
            self.assertEqual(self.titles("view", "Work", "report", device=device), ["Report"])
            shown = device.run("work").output
            self.assertRegex(shown, r"(?m)^ +title +due +x\.size$")
            self.assertRegex(shown, r"(?m)^ *\d  ! Report +.*2 Jan 2040.* +3$")
            self.assertIn("work       +work sort:title columns:due,x.size",
                          " ".join(device.run("view").output.split("\n")))
        self.phone.run("save", "work", "--remove")
        self.meet(self.laptop, self.phone)
        self.assertIn("there is no view 'work'", self.laptop.run("view", "work", codes=(USAGE,)).errors)
        # Without the view the word is one to look for again.
        self.laptop.run("work", codes=(NOTHING,))

    def test_a_view_of_what_waits_for_a_to_do_means_it_on_every_device(self):
        alpha = self.laptop.add("Alpha")
        self.laptop.run("list")
        self.laptop.run("add", "Beta", "depends:1")
        self.laptop.run("add", "Gamma", "parent:Alpha")
        for name, word, found in (
                ("waits", "depends:1", ["Beta"]), ("waits2", "depends:Alpha", ["Beta"]), ("parts", "parent:1", ["Gamma"]),
                ("free", "-depends:1", ["Alpha", "Gamma"]), ("either", "depends:1,2", ["Beta"])):
            told = self.laptop.run("save", name, word)
            self.assertIn(alpha.replace("-", ""), told.output.replace("-", ""))
            self.assertIn(word + " is saved with the id", told.errors)
            self.assertEqual(found, sorted(self.titles(name)), name)
            self.assertEqual(found, sorted(self.titles("list", word)), name)
        self.meet(self.laptop, self.phone)
        self.assertEqual(["Beta"], self.titles("waits", device=self.phone))
        self.laptop.run("context", "waits")
        self.assertEqual(["Beta"], self.titles("list"))
        self.laptop.run("context", "none")
        for word in ("(depends:1 or +x)", "depends:nothing"):
            self.laptop.run("save", "bad", word, codes=(USAGE, NOTHING))
        self.assertNotIn("bad", self.laptop.run("view").output)

    def test_a_view_that_is_saved_again_names_the_filter_that_it_had(self):
        self.laptop.run("save", "work", "+work", "-later")
        self.assertNotIn("was", self.laptop.run("save", "work", "group:day").output)
        self.assertIn("its filter was: +work -later", self.laptop.run("save", "work", "+office").output)
        self.assertNotIn("was", self.laptop.run("save", "work", "+office").output)

    def test_a_context_narrows_the_days_as_well(self):
        self.fill()
        self.laptop.run("add", "Picnic", "project:Home", "due:2040-01-02")
        self.laptop.run("save", "work", "+work")
        days = (("agenda", "2040-01-02"), ("calendar", "2040-01"), ("week", "2040-01-02"))
        whole = [self.laptop.run(*words).output for words in days]
        self.laptop.run("context", "work")
        narrow = [self.laptop.run(*words) for words in days]
        for words, before, after in zip(days, whole, narrow):
            self.assertNotEqual(before, after.output, words)
            self.assertIn("context work", after.output)
            self.assertIn("context work", self.laptop.run(*words, "--json").errors)
        self.assertIn("Picnic", whole[0])
        self.assertNotIn("Picnic", narrow[0].output)
        self.assertIn("Report", narrow[0].output)
        self.laptop.run("context", "none")
        self.assertEqual(whole, [self.laptop.run(*words).output for words in days])

    def test_a_list_takes_an_order_and_columns_for_one_time(self):
        self.fill()
        self.assertEqual(self.titles("list", "+work", "sort:title"), ["Call Ann", "Report"])
        self.assertEqual(self.titles("list", "sort:-title"), ["Report", "Milk", "Call Ann"])
        self.laptop.run("save", "w", "+work", "sort:title")
        self.assertEqual(self.titles("w", "sort:-title"), ["Report", "Call Ann"])
        self.assertEqual(self.titles("w"), ["Call Ann", "Report"])
        shown = self.laptop.run("list", "columns:due,x.size", "group:none").output
        self.assertRegex(shown, r"(?m)^ +title +due +x\.size$")
        self.laptop.run("list", "sort:colour", codes=(USAGE,))

    def test_a_view_is_parted_and_sorted_as_saved_and_the_options_override_it(self):
        self.fill()
        self.laptop.run("save", "all", "group:project", "sort:-priority")
        shown = self.laptop.run("all").output
        self.assertLess(shown.index("Inbox"), shown.index("Home"))
        self.assertEqual(self.titles("all"), ["Report", "Call Ann", "Milk"])
        self.assertIn("Later", self.laptop.run("all", "--by", "urgency").output)
        self.assertIn("1 to-do shown, more with --limit", self.laptop.run("all", "--limit", "1").output)

    def test_what_no_view_takes_is_refused(self):
        for words, reason in (
                (("list", "+a"), "is a command of tandem"), (("today", "+a"), "is a command of tandem"),
                (("none", "+a"), "cannot be the name of a view"), (("12", "+a"), "cannot be the name"),
                (("w",), "say what w shows"), ((), "save needs a name"),
                (("w", "sort:prioritt"), "did you mean 'priority'?"), (("w", "sort:colour"), "there are title, notes"),
                (("w", "group:tag"), "not 'tag'"), (("w", "due:5/6"), "5 jun"), (("w", "--remove"), "no view 'w'")):
            with self.subTest(words=words):
                self.assertIn(reason, self.laptop.run("save", *words, codes=(USAGE,)).errors)
        self.laptop.run("config", "date-order", "day-month")
        self.assertIn("5 jun", self.laptop.run("save", "w", "due:5/6", codes=(USAGE,)).errors)

    def test_filters_that_two_devices_change_apart_are_both_told(self):
        self.laptop.run("save", "work", "+work")
        self.meet(self.laptop, self.phone)
        self.laptop.run("save", "work", "+office")
        self.phone.run("save", "work", "+factory")
        self.meet(self.laptop, self.phone)
        listed = " ".join(self.laptop.run("view").output.split())
        self.assertIn("? two devices changed it, the other filter: +", listed)
        self.assertIn("tandem save work WORDS", listed)
        self.assertIn("view work: two devices changed it", self.phone.run("conflicts").output)
        self.laptop.run("save", "work", "+office")
        self.meet(self.laptop, self.phone)
        for device in (self.laptop, self.phone):
            listed = device.run("view").output
            self.assertNotIn("two devices", listed)
            self.assertIn("+office", listed)

    def contested(self):
        """A view that the laptop changed while the phone removed it."""
        self.laptop.run("save", "v", "+x", "columns:due")
        self.meet(self.laptop, self.phone)
        self.laptop.run("save", "v", "+y project:Big")
        self.phone.run("save", "v", "--remove")
        self.meet(self.laptop, self.phone)

    def commands(self, device):
        """The commands that `conflicts` tells of, as a shell reads them."""
        lines = [line.strip() for line in device.run("conflicts").output.splitlines()]
        return [shlex.split(line)[1:] for line in lines if line.startswith("tandem ")]

    def purged(self, folder):
        """A view that the laptop removed and purged by itself half a year later, while the phone changed it."""
        self.laptop, self.phone = self.other_pair(folder, None)
        self.laptop.run("save", "home", "project:Home")
        self.meet(self.laptop, self.phone)
        clocks = Clocks(self.folder)
        with clocks.of(self.laptop):
            self.laptop.run("save", "home", "--remove")
            self.phone.run("save", "home", "project:Home", "+x")
            for day in range(31):
                clocks.move(wall=(181 + day) * 86_400, monotonic=0, boot=0)
                with self.laptop.serve():
                    pass
            clocks.move()
        self.meet(self.laptop, self.phone)

    def test_a_view_that_was_purged_by_itself_and_another_device_changed_is_kept_told_and_decided(self):
        for decision in (0, 1):
            with self.subTest(decision=decision):
                self.purged(f"purged{decision}")
                devices = (self.laptop, self.phone)
                for device in devices:
                    told = " ".join(device.run("conflicts").output.split())
                    self.assertIn("view home: purged on one device while another changed it", told)
                    self.assertRegex(told, r"phone[^:]*, [^,]*(,[^,]*)?: filter: project:Home \+x")
                    (found,) = device.conflicts()
                    self.assertEqual((found["view"], found["kind"]), ("home", "editedAfterPurge"))
                    self.assertEqual(found["decide"], ["tandem save home project:Home +x", "tandem save home --remove"])
                    self.assertEqual([shlex.split(line)[1:] for line in found["decide"]], self.commands(device))
                    self.assertIn("tandem conflicts", device.run("view").output)
                    self.assertIn("tandem conflicts", device.run("view", "home", codes=(USAGE,)).errors)
                    self.assertEqual(device.status()["conflicts"], 1)
                    kept = [json.loads(line) for line in device.run("export", "--all").output.splitlines()]
                    kept = [line for line in kept if line.get("kind") == "viewEditedAfterPurge"]
                    self.assertEqual({line["view"] for line in kept}, {"home"})
                with self.laptop.serve() as service:
                    self.assertIn("1 in conflict: tandem conflicts", self.phone.sync(service.address).output)
                told = self.laptop.run(*self.commands(self.laptop)[decision]).output
                self.assertIn(("Saved home", "Let go of what another device changed in the view home")[decision], told)
                self.meet(*devices)
                for device in devices:
                    device.run("conflicts", codes=(NOTHING,))
                    self.assertEqual(device.status()["conflicts"], 0)
                    listed = device.run("view").output
                    (self.assertIn, self.assertNotIn)[decision]("project:Home +x", listed)

    def test_a_view_that_one_device_removed_and_another_changed_is_told_and_decided(self):
        for policy in (None, "edits-win"):
            for decision in (0, 1):
                for decider in (0, 1):
                    with self.subTest(policy=policy, decision=decision, decider=decider):
                        self.laptop, self.phone = self.other_pair(f"{policy}{decision}{decider}", policy)
                        self.contested()
                        devices = (self.laptop, self.phone)
                        for device in devices:
                            told = " ".join(device.run("conflicts").output.split())
                            self.assertIn("view v: removed on one device while another changed it", told)
                            self.assertRegex(told, r"phone[^:]*, [^,]*(,[^,]*)?: removed it")
                            self.assertIn(": filter: '+y project:Big'", told)
                            (found,) = device.conflicts()
                            self.assertEqual((found["view"], found["kind"]), ("v", "wasDeleted"))
                            self.assertEqual(found["decide"][1], "tandem save v --remove")
                            self.assertEqual([shlex.split(line)[1:] for line in found["decide"]], self.commands(device))
                            self.assertIn("tandem conflicts", device.run("view").output)
                            self.assertEqual(device.status()["conflicts"], 1)
                        devices[decider].run(*self.commands(devices[decider])[decision])
                        self.meet(*devices)
                        for device in devices:
                            self.assertEqual(device.run("conflicts", codes=(NOTHING,)).output, "No conflicts.\n")
                            self.assertEqual(device.status()["conflicts"], 0)
                            listed = device.run("view", "--json").values()
                            kept = [(view["filter"], view["columns"]) for view in listed]
                            self.assertEqual(kept, [(["+y project:Big"], ["due"])] if decision == 0 else [])

    def other_pair(self, name, policy):
        laptop, phone = self.device("laptop" + name), self.device("phone" + name)
        laptop.init(policy)
        with laptop.serve() as server:
            phone.join(server.address)
        return laptop, phone

    def test_the_undo_of_what_another_device_removed_gives_a_command_that_works(self):
        self.contested()
        refused = self.laptop.run("undo", codes=(tandem_process.REFUSED,)).errors
        line = re.search(r"first: (tandem save .*)", refused).group(1)
        self.laptop.run(*shlex.split(line)[1:])
        self.meet(self.laptop, self.phone)
        self.laptop.run("conflicts", codes=(NOTHING,))
        # One that was removed with all of it seen is in no conflict.
        self.laptop.run("save", "w", "+x", "columns:due")
        self.laptop.run("save", "w", "+y project:Big")
        self.meet(self.laptop, self.phone)
        self.phone.run("save", "w", "--remove")
        self.meet(self.laptop, self.phone)
        refused = self.laptop.run("undo", codes=(tandem_process.REFUSED,)).errors
        line = re.search(r"first: (tandem save .*)", refused).group(1)
        self.laptop.run(*shlex.split(line)[1:])
        shown = [view for view in self.laptop.run("view", "--json").values() if view["name"] == "w"]
        self.assertEqual([(view["filter"], view["columns"]) for view in shown], [(["+y project:Big"], ["due"])])

    def test_each_part_that_two_devices_change_apart_is_told_with_commands_that_decide(self):
        for one, other in (("+a b", "+c"), ("sort:due", "sort:-priority"), ("columns:due", "columns:tags"),
                           ("group:day", "group:project"), ("filter:", "+d")):
            with self.subTest(one):
                self.laptop.run("save", "v", "+x", "sort:title", "columns:title", "group:none")
                self.meet(self.laptop, self.phone)
                self.laptop.run("save", "v", one)
                self.phone.run("save", "v", other)
                self.meet(self.laptop, self.phone)
                self.assertEqual(sorted(self.commands(self.phone)), sorted([["save", "v", one], ["save", "v", other]]))
                self.phone.run(*self.commands(self.phone)[1])
                self.meet(self.laptop, self.phone)
                for device in (self.laptop, self.phone):
                    device.run("conflicts", codes=(NOTHING,))

    def test_a_save_can_be_undone(self):
        self.laptop.run("save", "work", "+work")
        self.laptop.run("save", "work", "+office")
        self.assertIn("view work", self.laptop.run("undo", "--list").output)
        self.assertIn("view work", self.laptop.run("undo").output)
        self.assertRegex(self.laptop.run("view").output, r"(?m)^work +\+work$")
        self.laptop.run("undo")
        self.assertNotRegex(self.laptop.run("view").output, r"(?m)^work ")

    def test_completion_offers_views(self):
        self.laptop.run("save", "work", "+work")
        for words in (("wor",), ("view", "wor"), ("save", "wor"), ("context", "wor")):
            with self.subTest(words=words):
                offered = self.laptop.run("complete", "--", *words).output
                self.assertIn("work", [line.split("\t")[0] for line in offered.splitlines()])


class ContextTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()
        self.laptop.run("add", "Milk", "project:Home")
        self.laptop.run("save", "work", "project:Work", "+office", "-someday")

    run_with = ViewTests.run_with
    titles = ViewTests.titles

    def test_lists_are_narrowed_and_say_so_until_it_ends(self):
        chosen = self.laptop.run("context", "work").output
        self.assertIn("new to-dos get: project:Work +office", chosen)
        self.assertIn("and not: -someday", chosen)
        added = self.laptop.run("add", "Report").output
        self.assertIn("project Work", added)
        self.assertIn("by context work: project:Work +office", added)
        listed = self.laptop.run("list").output
        self.assertNotIn("Milk", listed)
        self.assertRegex(listed, r"(?m)^1 to-do; context work; 2 pending in all")
        self.assertRegex(self.laptop.run("inbox", codes=(NOTHING,)).output, r"context work")
        self.laptop.run("edit", "last", "due:today")
        self.laptop.run("edit", "1", "due:today")
        today = self.laptop.run("today").output
        self.assertNotIn("Milk", today)
        self.assertIn("context work", today)
        machine = self.laptop.run("list", "--json")
        self.assertEqual([todo["title"] for todo in machine.values()], ["Report"])
        self.assertIn("context work", machine.errors)
        self.laptop.run("context", "none")
        self.assertEqual(sorted(self.titles("list")), ["Milk", "Report"])
        self.assertNotIn("context", self.laptop.run("list").output)

    def test_figures_pictures_and_changes_follow_it_and_say_so(self):
        self.laptop.add("Bread", "project:Home")
        self.laptop.run("done", "last")
        self.laptop.run("context", "work")
        self.laptop.add("Report")
        figures = self.laptop.run("stats", "--json")
        self.assertEqual([figures.values()[0][key] for key in ("pending", "completed")], [1, 0])
        self.assertIn("context work", figures.errors)
        self.assertIn("context work", self.laptop.run("stats").output)
        rows = json.loads(self.laptop.run("burndown", "--by", "day", "--count", "1", "--json").output)["rows"]
        self.assertEqual([rows[0][key] for key in ("pending", "added", "completed")], [1, 1, 0])
        self.assertIn("context work", self.laptop.run("burndown").output)
        projects = self.laptop.run("summary", "--json").values()
        self.assertEqual([row["project"] for row in projects], ["Work"])
        self.assertIn("context work", self.laptop.run("summary").output)

    def test_a_watch_shows_only_what_it_takes_and_says_so(self):
        self.laptop.run("context", "work")
        watch = self.laptop.start(
            "watch", "--json", "--count", "1", output=subprocess.PIPE, errors=subprocess.PIPE)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.stderr.close)
        self.addCleanup(tandem_process.kill, watch)
        self.assertIn(b"begin", watch.stdout.readline())
        self.laptop.add("Bread", "project:Home")
        self.laptop.add("Report")
        titles = [json.loads(line)["item"]["title"] for line in watch.stdout]
        self.assertEqual(titles, ["Report"])
        self.assertIn(b"context work", watch.stderr.read())

    def test_a_number_outside_of_it_still_names_its_to_do(self):
        self.laptop.run("list")
        self.laptop.run("context", "work")
        self.assertIn("Milk", self.laptop.run("show", "1").output)
        self.laptop.run("done", "1")
        self.assertEqual(self.titles("list", "--all", codes=(NOTHING,)), [])
        self.laptop.run("context", "none")
        self.assertEqual(self.titles("log"), ["Milk"])

    def test_a_new_to_do_outside_of_it_says_so(self):
        self.laptop.run("context", "work")
        told = self.laptop.run("add", "Bread", "project:Home").errors
        self.assertIn("'Bread' is outside of context work, whose filter is: project:Work +office -someday", told)
        self.assertEqual(self.laptop.run("add", "Report").errors, "")
        told = self.laptop.run("add", "-", text="one\ntwo project:Home\nthree project:Home\n")
        self.assertIn("2 to-dos are outside of context work", told.errors)
        self.assertEqual(self.titles("list"), ["Report", "one"])

    def test_it_is_of_this_device_and_a_terminal_may_have_another(self):
        self.laptop.run("context", "work")
        self.meet(self.laptop, self.phone)
        self.assertIn("No context", self.phone.run("context").output)
        self.assertIn("Milk", self.phone.run("list").output)
        self.assertIn("Milk", self.run_with({"TANDEM_CONTEXT": "none"}, "list").stdout)
        self.laptop.run("context", "none")
        done = self.run_with({"TANDEM_CONTEXT": "work"}, "list")
        self.assertEqual((done.returncode, "context work" in done.stdout), (NOTHING, True))

    def test_one_that_another_device_removed_leaves_nothing_out_and_says_so(self):
        self.laptop.run("context", "work")
        self.meet(self.laptop, self.phone)
        self.phone.run("save", "work", "--remove")
        self.meet(self.laptop, self.phone)
        listed = self.laptop.run("list").output
        self.assertIn("Milk", listed)
        self.assertIn("context work is gone, so nothing is left out: tandem context none", listed)
        self.assertIn("context work is gone", self.laptop.run("add", "Bread").errors)
        self.assertIn("context work is gone", self.laptop.run("context").output)
        self.assertIn("no view 'wrk'", self.laptop.run("context", "wrk", codes=(USAGE,)).errors)

    def test_what_it_is_can_be_read_by_programs(self):
        self.laptop.run("context", "work")
        chosen = json.loads(self.laptop.run("context", "--json").output)
        self.assertEqual(chosen["context"], "work")
        self.assertEqual((chosen["project"], chosen["tags"], chosen["notAdded"]), ("Work", ["office"], ["-someday"]))


if __name__ == "__main__":
    unittest.main()
