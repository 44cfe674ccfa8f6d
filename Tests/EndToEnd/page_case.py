"""A real browser on the page of a store: Debian's Chromium, driven by playwright, with axe."""

import atexit
import functools
import glob
import os
import re
import signal
import subprocess
import sys
import time

import tandem_process as tandem

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(REPOSITORY, ".build", "python-tools", "lib", "python3*", "site-packages")
sys.path.extend(path for path in glob.glob(TOOLS) if path not in sys.path)

CHROMIUM = "/usr/bin/chromium"
WAIT_SECONDS = 20
# Puts another folder in the place of one, in all texts.
HIDE = """(folder) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(folder, "/home/ann");
}"""


class Web:
    """A running `tandem web`."""

    def __init__(self, device, port=None):
        self.device = device
        self.port = port or tandem.free_port()
        self.process = None
        self.start()

    def start(self):
        self.log = os.path.join(self.device.store + "-web.log")
        with open(self.log, "w") as log:
            self.process = self.device.start("web", "--port", str(self.port), output=log, errors=log)
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            if "Ctrl-C" in self.said() and os.path.exists(self.login):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError("tandem web does not run: " + self.said())

    def said(self):
        with open(self.log) as log:
            return log.read()

    @property
    def login(self):
        return os.path.join(self.device.store, "web-login.html")

    @property
    def address(self):
        return "http://127.0.0.1:{}".format(self.port)

    def secret(self):
        with open(self.login) as file:
            return re.search(r'name="secret" value="([0-9a-f]+)"', file.read()).group(1)

    def stop(self, sign=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(sign)
        self.process.wait(WAIT_SECONDS)


@functools.cache
def chromium():
    """The one browser of this process; each test has a profile of its own in it."""
    assert os.path.exists(CHROMIUM), "chromium is missing (./Tools/setup --for-tests)"
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
    atexit.register(playwright.stop)
    atexit.register(browser.close)
    return browser


class PageCase(tandem.TandemTestCase):
    """A device whose page runs, and a browser that was let in."""

    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()

    def web(self, device=None):
        web = Web(device or self.laptop)
        self.addCleanup(web.stop)
        return web

    def browse(self, web, **options):
        """A browser that was let in, at the list."""
        options.setdefault("viewport", {"width": 1000, "height": 800})
        context = chromium().new_context(**options)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(WAIT_SECONDS * 1000)
        self.faults = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text)
                if "Content Security Policy" in message.text else None)
        page.goto("file://" + web.login)
        if options.get("java_script_enabled") is False:
            page.click("button")
        page.wait_for_url(web.address + "/")
        page.wait_for_selector("h1")
        return page

    def go(self, page, address):
        """Goes to a page; once more if a form that was just sent takes the window elsewhere meanwhile."""
        from playwright.sync_api import Error

        try:
            page.goto(address)
        except Error as error:
            if "interrupted by another navigation" not in str(error):
                raise
            page.wait_for_load_state()
            page.goto(address)

    def press(self, page, button):
        """Presses a button, and waits until the program has answered what it sends.

        With scripts the page stays until the answer is there: what it says before is no sign of an answer.
        """
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            button.click()

    def follow(self, page, target):
        """Clicks what takes the window elsewhere, and waits until it is there: for pages without scripts."""
        with page.expect_navigation():
            target.click()

    def await_live(self, page, state="open"):
        """Waits until the page hears of changes."""
        self.eventually(lambda: page.evaluate("document.body.dataset.live") == state)

    def titles(self, page):
        return [text.strip() for text in page.locator("li.todo a.title").all_text_contents()]

    def daemon(self, device, *words):
        """A running daemon of a device."""
        process = device.start("daemon", *words)

        def end():
            if process.poll() is None:
                process.terminate()
            process.wait(WAIT_SECONDS)
        self.addCleanup(end)
        self.eventually(lambda: device.status()["daemon"])
        return process

    def eventually(self, holds, seconds=WAIT_SECONDS):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, "it never came to hold")
            time.sleep(0.02)

    def await_titles(self, page, expected):
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            if self.titles(page) == expected:
                return
            time.sleep(0.02)
        self.assertEqual(expected, self.titles(page))


def run_as_nobody(words):
    """Runs a program as another account of this machine."""
    return subprocess.run(
        words, capture_output=True, text=True, timeout=WAIT_SECONDS, user=65534, group=65534,
        extra_groups=[], cwd="/")
