"""What people do on the local page besides a to-do's own life, each with scripts and without."""

import html
import re
import unittest
import urllib.parse
import urllib.request

from page_case import PageCase


class Flows(PageCase):
    def both(self):
        """A browser that runs scripts and one that does not, each with the address of the page."""
        web = self.web()
        for scripts in [True, False]:
            yield web.address, self.browse(web, java_script_enabled=scripts)

    def done(self, page):
        page.wait_for_selector(".notice.done")

    def apart(self, title):
        """A second device that has the to-do as well."""
        self.laptop.run("add", title)
        phone = self.device("phone-" + re.sub(r"\W", "", title))
        with self.laptop.serve() as server:
            phone.join(server.address)
        return phone

    def test_a_line_is_echoed_with_the_words_of_add(self):
        web = self.web()
        page = self.browse(web)
        self.laptop.run("add", "Call Anna")
        for words in [
            "Buy milk project:Home +errand due:tomorrow priority:high", "Water the plants due:fri repeat:weekly",
            "Paint depends:Call wait:tomorrow notes:hello there", "Read people:Bob x.isbn:3 scheduled:2027-01-02",
            "Überraschung 😀 due:2030-01-01", "שלום עולם +a",
        ]:
            page.fill("#f-line", "")
            page.fill("#f-line", words)
            added = self.laptop.run("add", *words.split(" ")).output.splitlines()[0]
            expected = re.sub(r" \(\d+\)", "", added.split(": ", 1)[1])
            page.wait_for_selector("#echo .good")
            self.eventually(lambda: page.locator("#echo .good").inner_text() == expected)
        for words in ["Standup due:tomorrow at 9:30", "Lunch due:friday at noon", "Review p:Work"]:
            told = self.laptop.run("add", *words.split(" ")).errors.strip().removeprefix("tandem: ")
            page.fill("#f-line", words)
            self.eventually(lambda: [hint.strip() for hint in page.locator("#echo .hint").all_inner_texts()] == [told])
        refused = self.laptop.run("add", "Milk", "due:nonsense", codes=(64,)).errors
        page.fill("#f-line", "Milk due:nonsense")
        page.wait_for_selector("#echo .bad")
        self.assertIn("nonsense", page.locator("#echo .bad").inner_text())
        self.assertIn("nonsense", refused)

    def test_a_conflict_is_decided_by_choice(self):
        for number, (address, page) in enumerate(self.both()):
            title = "Milk {}".format(number)
            phone = self.apart(title)
            self.laptop.run("edit", title, "Rice " + title)
            phone.run("edit", title, "Oat " + title)
            self.meet(self.laptop, phone)
            page.goto(address + "/conflicts")
            page.get_by_role("radio", name="Oat " + title).check()
            page.get_by_role("button", name="Decide").click()
            self.done(page)
            self.assertEqual([], self.laptop.conflicts())
            self.assertIn("Oat " + title, self.laptop.titles())

    def test_a_list_that_was_removed_and_changed_is_decided(self):
        web = self.web()
        phone = self.apart("Milk")
        cookie = self.send(web, "/login", {"secret": web.secret()})[1]["set-cookie"].split(";")[0]
        for number, (button, kept) in enumerate((("Keep", [(["+y project:Big"], ["due"])]), ("Remove it", []))):
            name = "list{}".format(number)
            self.laptop.run("save", name, "+x")
            self.meet(self.laptop, phone)
            self.laptop.run("save", name, "+y project:Big", "sort:due")
            phone.run("save", name, "--remove")
            self.meet(self.laptop, phone)
            shown = self.send(web, "/conflicts", cookie=cookie)[0]
            self.assertIn("It was removed on one device while another changed it", shown)
            (form,) = [form for form in re.findall(r"<form.*?</form>", shown, re.DOTALL) if ">" + button in form]
            fields = dict(re.findall(r'name="([^"]*)" value="([^"]*)"', form))
            path = re.search(r'action="([^"]*)"', form).group(1)
            self.send(web, path, {key: html.unescape(value) for key, value in fields.items()}, cookie)
            self.assertEqual([], self.laptop.conflicts())
            found = [(view["filter"], view["sort"]) for view in self.laptop.run("view", "--json").values()
                     if view["name"] == name]
            self.assertEqual(kept, found)

    def send(self, web, path, fields=None, cookie=""):
        """The text of an answer and its head, without a browser."""
        data = None if fields is None else urllib.parse.urlencode(fields).encode()
        request = urllib.request.Request(
            web.address + path, data=data, headers={"Cookie": cookie, "Origin": web.address})
        with urllib.request.urlopen(request, timeout=30) as got:
            return got.read().decode(), got.headers

    def test_a_delete_that_met_an_edit_is_decided(self):
        for number, (address, page) in enumerate(self.both()):
            title = "Milk {}".format(number)
            phone = self.apart(title)
            self.laptop.delete(title)
            phone.run("edit", title, "Oat " + title)
            self.meet(self.laptop, phone)
            page.goto(address + "/conflicts")
            told = page.locator("section.conflict").inner_text()
            self.assertIn("deleted", told)
            self.assertIn("Oat " + title, told)
            page.get_by_role("button", name="Keep it").click()
            self.done(page)
            self.assertIn("Oat " + title, self.laptop.titles())
            self.assertEqual([], self.laptop.conflicts())

    def test_an_edit_of_what_was_purged_is_copied_or_let_go(self):
        for number, (address, page) in enumerate(self.both()):
            for word in ["Make a new to-do of them", "Let go of them for good"]:
                title = "Milk {} {}".format(number, word[:3])
                phone = self.apart(title)
                self.laptop.delete(title)
                self.laptop.purge(title)
                phone.run("edit", title, "Oat " + title, "notes:typed while apart")
                self.meet(self.laptop, phone)
                page.goto(address + "/conflicts")
                self.assertIn("typed while apart", page.locator("section.conflict").inner_text())
                page.get_by_role("button", name=word).click()
                self.done(page)
                self.assertEqual([], self.laptop.conflicts())
                self.assertEqual(word.startswith("Make"), "Oat " + title in self.laptop.titles())

    def test_changes_are_taken_back_and_a_to_do_becomes_as_it_was(self):
        for address, page in self.both():
            self.laptop.run("add", "First")
            self.laptop.run("edit", "First", "Second")
            self.laptop.run("edit", "Second", "Third")
            todo = self.laptop.show("Third")["id"]
            page.goto(address + "/undo")
            page.get_by_role("button", name="Undo").first.click()
            self.done(page)
            self.assertEqual(["Second"], self.laptop.titles())
            self.press(page, page.get_by_role("button", name="Redo").first)
            self.assertEqual(["Third"], self.laptop.titles())
            page.goto("{}/todo/{}/history".format(address, todo))
            self.assertIn("First → Second", page.locator("ol.history").inner_text())
            page.get_by_role("button", name="As before this").last.click()
            self.done(page)
            self.assertEqual(["First"], self.laptop.titles())
            self.laptop.delete("First")

    def test_the_timer_runs_and_stops_and_its_time_is_listed(self):
        for address, page in self.both():
            self.laptop.run("add", "Work")
            page.goto(address + self.todo("Work"))
            page.get_by_role("button", name="Start the timer").click()
            self.done(page)
            page.goto(address + "/times")
            self.assertIn("Work", page.locator("table").inner_text())
            page.get_by_role("button", name="Stop").click()
            page.get_by_text("No timer runs").wait_for()
            self.laptop.delete("Work")

    def todo(self, title):
        return "/todo/" + self.laptop.show(title)["id"]

    def test_the_trash_is_purged_only_by_somebody_who_is_sure(self):
        for address, page in self.both():
            self.laptop.run("add", "Gone")
            self.laptop.delete("Gone")
            page.goto(address + "/trash")
            page.get_by_role("button", name="Purge").click()
            page.wait_for_selector(".notice.refused")
            self.assertEqual(1, len(self.laptop.trash()))
            page.get_by_label("I am sure").check()
            page.get_by_role("button", name="Purge").click()
            self.done(page)
            self.assertEqual([], self.laptop.trash())

    def test_a_filter_is_kept_as_a_list_and_removed(self):
        self.laptop.run("add", "Buy milk", "+errand")
        self.laptop.run("add", "Call Anna")
        for address, page in self.both():
            page.goto(address + "/?q=" + urllib.parse.quote("+errand"))
            page.get_by_text("Keep this list").click()
            page.get_by_label("Its name").fill("errands")
            page.get_by_role("button", name="Keep", exact=True).click()
            page.wait_for_url(address + "/view/errands")
            remove = page.get_by_role("button", name="Remove this list")
            remove.wait_for()
            self.assertEqual(["Buy milk"], self.titles(page))
            self.assertTrue(page.get_by_role("link", name="errands").count())
            remove.click()
            page.get_by_text("Removed the list").wait_for()
            self.assertEqual(0, page.get_by_role("link", name="errands").count())

    def test_days_show_what_is_due_planned_and_worked(self):
        for words in ["Lunch due:2030-05-06T12:30", "Plan scheduled:2030-05-06T09:00", "Rent due:2030-05-06"]:
            self.laptop.run("add", *words.split(" "))
        for address, page in self.both():
            page.goto(address + "/agenda?day=2030-05-06")
            self.assertIn("Rent", page.locator("ul.plain").inner_text())
            hours = page.locator("table.hours tbody tr").all_inner_texts()
            self.assertTrue([row for row in hours if row.startswith("12:00") and "Lunch due 12:30" in row], hours)
            self.assertTrue([row for row in hours if row.startswith("9:00") and "Plan planned 9:00" in row], hours)
            page.goto(address + "/month?month=2030-05-06")
            self.assertIn("Lunch", page.locator("table.month").inner_text())
            page.goto(address + "/week?week=2030-05-06")
            self.assertTrue(page.evaluate(
                "[...document.images].every((image) => image.complete && image.naturalWidth > 0)"))

    def test_a_to_do_that_was_purged_while_it_was_edited_leaves_what_was_typed(self):
        for address, page in self.both():
            self.laptop.run("add", "Milk")
            page.goto(address + self.todo("Milk"))
            page.fill("[name='field.title']", "Oat milk")
            self.laptop.delete("Milk")
            self.laptop.purge("Milk")
            page.get_by_role("button", name="Save", exact=True).click()
            page.wait_for_selector("#f-kept")
            self.assertIn("Oat milk", page.input_value("#f-kept"))


if __name__ == "__main__":
    unittest.main()
