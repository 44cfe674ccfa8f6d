"""The local page by keyboard alone: every single key, and each flow from Tab to Enter."""

import os
import unittest

import tandem_process as tandem
from page_case import PageCase

# The steps that a person who only has Tab would give up after.
TAB_COUNT_MAX = 200


class Keys(PageCase):
    DRIVES_OTHER_PROGRAMS = True

    def press(self, page, *keys):
        for key in keys:
            page.keyboard.press(key)

    def reach(self, page, name, role=None, exact=True):
        """Goes on by Tab until the control of a name has the focus."""
        page.evaluate("document.activeElement.blur()")
        for _ in range(TAB_COUNT_MAX):
            page.keyboard.press("Tab")
            target = page.get_by_role(role, name=name) if role else page.get_by_label(name, exact=exact)
            index = target.evaluate_all("(all) => all.indexOf(document.activeElement)")
            if index >= 0:
                return target.nth(index)
        self.fail("Tab never reaches {!r}".format(name))

    def list_keys(self, page):
        """Opens the list of keys, once the page listens."""
        self.await_live(page)
        self.press(page, "?")
        page.locator("dialog#keys").wait_for()

    def choose(self, page, path):
        """Gives the file input that has the focus a file; a browser does not open its window at every press."""
        # Where the browser's tools are is known once a test case is.
        from playwright.sync_api import TimeoutError

        for _ in range(4):
            self.assertEqual("f-file", page.evaluate("document.activeElement.id"))
            try:
                with page.expect_file_chooser(timeout=3000) as chooser:
                    self.press(page, "Space")
            except TimeoutError:
                continue
            chooser.value.set_files(path)
            return
        self.fail("the input of a file never asks for one")

    def active(self, page):
        return page.evaluate("document.activeElement.innerText")

    def test_every_single_key_does_what_the_list_of_keys_says(self):
        for title, due in (("First", "today"), ("Second", "tomorrow"), ("Third", "today+3d")):
            self.laptop.run("add", title, "due:" + due)
        page = self.browse(self.web())
        address = page.url.rstrip("/")
        for key, path in (("t", "/view/today"), ("u", "/view/upcoming"), ("g", "/agenda"), ("c", "/conflicts"), ("a", "/")):
            self.press(page, key)
            page.wait_for_url(address + path)
        self.press(page, "j", "j", "j", "j")
        self.assertEqual("Third", self.active(page))
        self.press(page, "k", "k")
        self.assertEqual("First", self.active(page))
        self.press(page, "k")
        self.assertEqual("First", self.active(page))
        self.press(page, "s")
        page.locator("li.running", has_text="First").wait_for()
        self.assertEqual("First", self.active(page))
        self.press(page, "s")
        self.eventually(lambda: page.locator("li.running").count() == 0)
        self.press(page, "m")
        self.eventually(lambda: self.laptop.show("First")["due"] == self.laptop.show("Second")["due"])
        page.wait_for_selector(".notice.done")
        self.press(page, "z")
        self.eventually(lambda: self.laptop.show("First")["due"] != self.laptop.show("Second")["due"])
        self.press(page, "Home")
        page.locator("a.title", has_text="Second").focus()
        self.press(page, "x")
        self.await_titles(page, ["First", "Third"])
        page.locator("a.title", has_text="First").focus()
        self.press(page, "Delete")
        self.await_titles(page, ["Third"])
        self.assertEqual(["First"], [todo["title"] for todo in self.laptop.trash()])
        self.press(page, "z")
        self.await_titles(page, ["First", "Third"])
        self.press(page, "/")
        page.keyboard.type("Thi")
        self.await_titles(page, ["Third"])
        # In a field a letter is a letter.
        page.keyboard.type("x")
        self.assertEqual("Thix", page.input_value("#f-q"))
        self.press(page, "Escape", "n")
        self.assertEqual("f-line", page.evaluate("document.activeElement.id"))
        self.press(page, "Escape")
        page.goto(address)
        self.press(page, "j", "Enter")
        page.wait_for_selector("form.edit")
        self.assertEqual([], self.faults)

    def test_single_keys_are_switched_off_and_stay_so(self):
        self.laptop.run("add", "First")
        page = self.browse(self.web())
        self.list_keys(page)
        box = page.get_by_label("Single keys do something")
        self.assertTrue(box.is_checked())
        box.press("Space")
        self.eventually(lambda: page.evaluate("localStorage.getItem('keys')") == "off")
        self.press(page, "Escape")
        page.locator("dialog#keys").wait_for(state="hidden")
        for _ in range(2):
            self.press(page, "j", "x", "t")
            self.assertEqual(["First"], self.laptop.titles())
            self.assertEqual("/", page.evaluate("location.pathname"))
            page.reload()
            self.await_live(page)
        # The list of keys is still there, to switch them on again.
        self.list_keys(page)
        page.get_by_label("Single keys do something").press("Space")
        self.eventually(lambda: page.evaluate("localStorage.getItem('keys')") == "on")
        self.press(page, "Escape")
        page.locator("dialog#keys").wait_for(state="hidden")
        # The dialog gives the focus back a moment after it is gone.
        self.eventually(lambda: self.press(page, "j") or self.active(page) == "First")
        self.press(page, "x")
        self.await_titles(page, [])

    def test_a_to_do_is_edited_and_saved_timed_deleted_and_restored_by_tab_and_enter(self):
        self.laptop.run("add", "Milk")
        page = self.browse(self.web())
        address = page.url.rstrip("/")
        self.reach(page, "Milk", "link")
        self.press(page, "Enter")
        page.wait_for_selector("form.edit")
        self.reach(page, "Title")
        self.press(page, "Control+a")
        page.keyboard.type("Oat milk")
        self.reach(page, "Notes")
        page.keyboard.type("two")
        self.press(page, "Enter")
        page.keyboard.type("bottles")
        self.reach(page, "Save", "button")
        self.press(page, "Enter")
        page.wait_for_selector(".notice.done")
        todo = self.laptop.show("Oat milk")
        self.assertEqual("two\nbottles", todo["notes"])
        self.reach(page, "Start the timer", "button")
        self.press(page, "Enter")
        page.get_by_role("button", name="Stop the timer").wait_for()
        self.reach(page, "Stop the timer", "button")
        self.press(page, "Enter")
        page.get_by_role("button", name="Start the timer").wait_for()
        self.reach(page, "Delete", "button")
        self.press(page, "Enter")
        page.wait_for_selector("button[name=restore]")
        page.goto(address + "/trash")
        self.reach(page, "Restore", "button")
        self.press(page, "Enter")
        page.wait_for_selector(".notice.done")
        self.assertEqual(["Oat milk"], self.laptop.titles())
        self.laptop.delete("Oat milk")
        page.goto(address + "/trash")
        self.reach(page, "I am sure", exact=False)
        self.press(page, "Space")
        self.reach(page, "Purge", "button")
        self.press(page, "Enter")
        page.wait_for_selector(".notice.done")
        self.assertEqual([], self.laptop.trash())

    def test_a_conflict_is_decided_by_tab_and_arrows(self):
        self.laptop.run("add", "Milk")
        phone = self.device("phone")
        with self.laptop.serve() as server:
            phone.join(server.address)
        self.laptop.run("edit", "Milk", "Rice")
        phone.run("edit", "Milk", "Oats")
        self.meet(self.laptop, phone)
        page = self.browse(self.web())
        page.goto(page.url + "conflicts")
        first = page.locator(".choice input[type=radio]").first
        page.evaluate("document.activeElement.blur()")
        for _ in range(TAB_COUNT_MAX):
            self.press(page, "Tab")
            if first.evaluate("(one) => one === document.activeElement"):
                break
        self.press(page, "ArrowDown")
        wanted = page.locator(".choice:has(:checked) .value").inner_text()
        self.reach(page, "Decide", "button")
        self.press(page, "Enter")
        page.wait_for_selector(".notice.done")
        self.assertEqual([wanted], self.laptop.titles())
        self.assertEqual([], self.laptop.conflicts())

    def test_a_code_is_made_and_a_file_imported_by_keyboard(self):
        page = self.browse(self.web())
        address = page.url.rstrip("/")
        page.goto(address + "/invite")
        page.locator("#f-address").focus()
        self.press(page, "Control+a")
        page.keyboard.type("127.0.0.1:{}".format(tandem.free_port()))
        self.reach(page, "Make a code", "button")
        self.press(page, "Enter")
        page.wait_for_selector("img.qr")
        path = os.path.join(self.folder, "todo.txt")
        with open(path, "w") as file:
            file.write("Buy milk\n")
        page.goto(address + "/import")
        page.evaluate("document.activeElement.blur()")
        for _ in range(TAB_COUNT_MAX):
            self.press(page, "Tab")
            if page.evaluate("document.activeElement.id") == "f-file":
                break
        self.choose(page, path)
        self.reach(page, "See what would come of it", "button")
        self.press(page, "Enter")
        page.get_by_role("button", name="Import", exact=True).wait_for()
        self.reach(page, "Import", "button")
        self.press(page, "Enter")
        page.wait_for_selector(".notice.done")
        self.assertEqual(["Buy milk"], self.laptop.titles())


if __name__ == "__main__":
    unittest.main()
