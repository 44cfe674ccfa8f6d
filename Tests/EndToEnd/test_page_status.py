"""The local page says about sync what the command line says, and acts on it."""

import time
import unittest

from page_case import PageCase
from relay_case import RelayTestCase
from test_safety import fill


class Truth(PageCase, RelayTestCase):
    def check(self, page, device):
        """The problems of a page's status, which are those of the command: codes and words."""
        expected = device.status()
        page.goto(self.address + "/status")
        codes = page.locator(".problems li").evaluate_all("all => all.map((item) => item.dataset.code)")
        words = page.locator(".problems li strong").all_inner_texts()
        self.assertEqual(expected["codes"], codes)
        self.assertEqual(expected["troubles"], words)
        self.assertEqual(
            expected["green"], page.locator(".verdict").inner_text().startswith("Green"))
        return codes

    def check_soon(self, page, device):
        """The same of a daemon that may hear of something between the two questions."""
        end = time.monotonic() + 30
        while True:
            try:
                return self.check(page, device)
            except AssertionError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.1)

    def open(self, device):
        web = self.web(device)
        self.address = web.address
        return self.browse(web)

    def paired(self):
        phone = self.device("phone")
        code = self.laptop.invite("--relay", self.relay.told["relay"])
        phone.run("join", code, "--name", "phone")
        self.laptop.run("sync")
        return phone

    def test_a_store_alone_is_green_and_one_that_did_not_send_is_not(self):
        page = self.open(self.laptop)
        self.assertEqual([], self.check(page, self.laptop))
        phone = self.paired()
        phone.run("sync")
        self.laptop.run("sync")
        self.assertEqual([], self.check(page, self.laptop))
        self.laptop.run("add", "Milk")
        self.assertEqual(["unsent"], self.check(page, self.laptop))

    def test_a_conflict_a_pause_and_a_relay_that_is_gone_are_told(self):
        self.laptop.run("add", "Milk")
        phone = self.paired()
        phone.run("sync")
        phone.run("edit", "Milk", "Oat milk")
        self.laptop.run("edit", "Milk", "Rice milk")
        phone.run("sync")
        self.laptop.run("sync")
        page = self.open(self.laptop)
        self.assertIn("conflicts", self.check(page, self.laptop))
        self.daemon(self.laptop)
        self.eventually(lambda: self.laptop.status()["codes"] == ["conflicts"])
        self.check_soon(page, self.laptop)
        self.laptop.run("pause")
        self.eventually(lambda: "paused" in self.laptop.status()["codes"])
        self.check_soon(page, self.laptop)
        self.laptop.run("resume")
        self.relay.end()
        self.relay = None
        time.sleep(1)
        self.check_soon(page, self.laptop)

    def test_a_device_that_was_removed_says_so(self):
        phone = self.paired()
        self.laptop.run("revoke", "phone", "--yes")
        phone.run("sync", codes=(0, 4, 69, 77))
        page = self.open(phone)
        codes = self.check(page, phone)
        self.assertTrue({"revoked", "refused"} & set(codes), codes)


class HeldDeletes(PageCase):
    def emptied(self):
        phone = self.device("phone")
        fill(self.laptop, 40)
        with self.laptop.serve() as server:
            phone.join(server.address)
        phone.delete(*[todo["id"] for todo in phone.todos()])
        with phone.serve() as server:
            self.laptop.sync(server.address, codes=(77,))
        return phone

    def test_deletes_that_wait_are_refused_on_the_page(self):
        phone = self.emptied()
        web = self.web()
        page = self.browse(web)
        page.goto(web.address + "/status")
        self.assertIn("phone would delete at least 40 of 40", page.locator("section.hold").inner_text())
        page.get_by_role("button", name="Keep the to-dos").click()
        page.wait_for_selector(".notice.done")
        self.assertEqual(0, page.locator("section.hold").count())
        self.meet(phone, self.laptop)
        self.meet(phone, self.laptop)
        self.assertEqual(40, len(self.laptop.titles()))
        self.assertEqual(40, len(phone.titles()))

    def test_deletes_that_wait_are_accepted_after_a_question_without_scripts_too(self):
        phone = self.emptied()
        web = self.web()
        page = self.browse(web, java_script_enabled=False)
        page.goto(web.address + "/status")
        page.get_by_role("link", name="Delete them").click()
        page.get_by_role("link", name="No, leave them held").click()
        self.assertEqual(40, len(self.laptop.titles()))
        page.get_by_role("link", name="Delete them").click()
        page.get_by_role("button", name="Delete 40 to-dos").click()
        page.wait_for_selector(".notice.done")
        self.meet(phone, self.laptop)
        self.assertEqual([], self.laptop.titles())


if __name__ == "__main__":
    unittest.main()
