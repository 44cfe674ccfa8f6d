"""The local page while its program does not run, and the program as a child of the daemon."""

import os
import signal
import socket
import unittest

import page_case
import tandem_process as tandem
from page_case import PageCase
from relay_case import RelayTestCase
from test_metrics import children, is_running

READY = """() => new Promise((done) => {
    const look = () => navigator.serviceWorker.controller ? done(true) : setTimeout(look, 20);
    look();
})"""


class Offline(PageCase):
    def controlled(self, web):
        """A page whose service worker has all that it needs."""
        page = self.browse(web)
        self.assertTrue(page.evaluate(READY))
        return page

    def test_the_page_outlives_a_restart_and_keeps_what_is_typed(self):
        web = self.web()
        page = self.browse(web)
        page.fill("#f-line", "Typed before")
        web.stop()
        page.wait_for_selector("#live p")
        page.press("#f-line", "Enter")
        page.wait_for_selector("#live button")
        self.assertEqual("Typed before", page.input_value("#f-line"))
        web.start()
        page.click("#live button")
        self.await_titles(page, ["Typed before"])

    def test_a_page_that_is_loaded_while_nothing_runs_says_so_and_has_what_was_typed(self):
        self.laptop.run("add", "Milk")
        web = self.web()
        page = self.controlled(web)
        page.fill("#f-line", "Half a line")
        page.click("a.title")
        page.wait_for_selector("form.edit")
        page.fill("[name='field.title']", "Oat milk")
        path = page.evaluate("location.pathname")
        web.stop()
        page.reload()
        page.get_by_role("heading", name="Tandem does not run").wait_for()
        self.assertEqual("Half a line", page.get_by_label("New to-do").input_value())
        self.assertEqual("Oat milk", page.get_by_label("title").input_value())
        # What is typed meanwhile is kept as well; and no to-do was kept that was not typed.
        page.get_by_label("title").fill("Oat milk, two")
        page.get_by_label("New to-do").fill("Half a line, longer")
        page.get_by_label("New to-do").press("Enter")
        page.get_by_text("Kept here").wait_for()
        from axe_playwright_python.sync_playwright import Axe
        self.assertEqual([], Axe().run(page).response["violations"])
        web.start()
        page.wait_for_selector("form.edit")
        self.assertEqual(path, page.evaluate("location.pathname"))
        self.assertEqual("Oat milk, two", page.input_value("[name='field.title']"))
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_selector(".notice.done")
        self.assertEqual(["Oat milk, two"], self.laptop.titles())
        page.goto(web.address)
        self.assertEqual("Half a line, longer", page.input_value("#f-line"))

    def test_the_browser_keeps_files_of_the_program_and_no_data(self):
        self.laptop.run("add", "Secret plums")
        web = self.web()
        page = self.controlled(web)
        page.click("a.title")
        page.wait_for_selector("form.edit")
        kept = page.evaluate("""async () => {
            const found = [];
            for (const name of await caches.keys()) {
                const cache = await caches.open(name);
                for (const request of await cache.keys()) {
                    found.push([new URL(request.url).pathname, await (await cache.match(request)).text()]);
                }
            }
            return found;
        }""")
        self.assertTrue(kept)
        for path, text in kept:
            self.assertTrue(path == "/shell" or path.startswith("/assets/"), path)
            self.assertNotIn("plums", text)
        for path in ["/", "/status", "/echo?line=x", "/week.svg", "/shell", "/worker.js", "/manifest.webmanifest"]:
            answer = page.request.get(web.address + path)
            self.assertEqual("no-store", answer.headers["cache-control"], path)


class DaemonsPage(PageCase, RelayTestCase):
    """The page as a child of the daemon, by one setting."""

    def setUp(self):
        super().setUp()
        self.port = tandem.free_port()
        self.laptop.invite("--relay", self.relay.told["relay"])
        self.laptop.run("config", "web.port", str(self.port))
        self.laptop.run("config", "web", "on")

    def state(self):
        page = self.laptop.status()["daemon"]["page"]
        return page and page["state"]

    def address(self):
        return "http://127.0.0.1:{}".format(self.port)

    def let_in(self):
        """A browser that came by the file of the login."""
        context = page_case.chromium().new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto("file://" + os.path.join(self.laptop.store, "web-login.html"))
        page.wait_for_url(self.address() + "/")
        return page

    def test_one_setting_has_the_daemon_serve_the_page_and_start_it_again(self):
        daemon = self.daemon(self.laptop)
        self.eventually(lambda: self.state() == "serving")
        self.assertIn(self.address(), self.laptop.run("status").output)
        self.assertIn(self.address(), self.laptop.run("web").output)
        page = self.let_in()
        self.await_live(page)
        first, = children(daemon.pid)
        os.kill(first, signal.SIGKILL)
        self.laptop.run("add", "Milk")
        self.await_titles(page, ["Milk"])
        second, = children(daemon.pid)
        self.assertNotEqual(first, second)
        # What a terminal sends to all of its processes is for the daemon to judge.
        os.kill(second, signal.SIGINT)
        page.goto(self.address() + "/status")
        self.assertIn("Daemon", page.locator("main").inner_text())
        # The page outlives the daemon, keeps what is typed meanwhile, and goes on with the next one.
        page.goto(self.address() + "/")
        self.await_live(page)
        page.fill("#f-line", "Half a line")
        daemon.kill()
        daemon.wait()
        self.eventually(lambda: not is_running(second))
        page.wait_for_selector("#live p")
        self.laptop.run("add", "Bread")
        self.daemon(self.laptop)
        self.await_titles(page, ["Milk", "Bread"])
        self.assertEqual("Half a line", page.input_value("#f-line"))
        page.press("#f-line", "Enter")
        self.await_titles(page, ["Milk", "Bread", "Half a line"])

    def test_a_port_that_is_taken_keeps_no_daemon_from_syncing_and_the_status_says_so(self):
        with socket.create_server(("127.0.0.1", self.port)):
            self.daemon(self.laptop)
            self.eventually(lambda: self.state() == "port-taken")
            told = " ".join(self.laptop.run("status").output.split())
            self.assertIn("port {} is taken".format(self.port), told)

    def test_a_page_that_runs_already_stays_and_the_status_says_so(self):
        self.web()
        self.daemon(self.laptop)
        self.eventually(lambda: self.state() == "served-elsewhere")

    def test_an_option_of_the_daemon_is_above_the_setting(self):
        self.daemon(self.laptop, "--web", "none")
        self.assertIsNone(self.laptop.status()["daemon"]["page"])
        self.assertEqual(64, self.laptop.run("daemon", "--web", "x", codes=(64, 69)).code)


if __name__ == "__main__":
    unittest.main()
