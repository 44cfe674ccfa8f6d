"""The local page in a real browser: every screen, every operation, two devices, and who is kept out."""

import os
import re
import socket
import stat
import subprocess
import time
import unittest
import urllib.error
import urllib.request

import page_case
import tandem_process as tandem
from page_case import PageCase, WAIT_SECONDS

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; "
    "manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")

# Where the page is unless somebody says otherwise.
STANDARD_PORT = 7719


def is_taken(port):
    with socket.socket() as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            link.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


# Another account that takes every place that it can get, and says when it has them.
CROWD = """
import socket, sys
links = []
for _ in range(600):
    link = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
    try:
        link.sendall(b"GET / HTTP/1.1\\r\\nX: ")
    except OSError:
        pass
    links.append(link)
print("there", flush=True)
sys.stdin.read()
"""


class Screens(PageCase):
    DRIVES_OTHER_PROGRAMS = True

    def fill(self):
        """To-dos of every kind, a conflict, something in the trash, work that runs."""
        for words in [
            "Buy oat milk project:Home +errand due:tomorrow", "Call Anna due:today priority:high",
            "Pay the rent due:yesterday project:Home.Flat", "Water the plants due:today repeat:weekly",
            "Sand the boards project:Garden", "Paint the shed project:Garden depends:last",
            "Überraschung 😀👩‍👩‍👧 +family", "שלום עולם project:Work", "Z̸̢̛a̷̧l͓g̴o marks", "Long " + "word" * 60,
            "Gone", "Finished",
        ]:
            self.laptop.run("add", *words.split(" "))
        self.laptop.run("delete", "Gone", "--yes")
        self.laptop.run("done", "Finished")
        self.laptop.run("start", "Sand")

    def conflict(self):
        """A to-do of which two devices changed the title while apart."""
        phone = self.device("phone")
        with self.laptop.serve() as server:
            phone.join(server.address)
        self.laptop.run("edit", "Call Anna", "Call Anna at noon")
        phone.run("edit", "Call Anna", "Call Anna at once")
        self.meet(self.laptop, phone)
        return phone

    def test_pictures_of_the_page_are_written_where_they_are_asked_for(self):
        """TANDEM_WRITE_SCREENSHOTS=1: those of docs/; test_page_access.py writes sheets of every screen."""
        if os.environ.get("TANDEM_WRITE_SCREENSHOTS") != "1":
            self.skipTest("TANDEM_WRITE_SCREENSHOTS is not set")
        self.fill()
        self.conflict()
        self.picture_for_docs(self.web())

    def picture_for_docs(self, web):
        docs = os.path.join(page_case.REPOSITORY, "docs")
        page = self.browse(web, viewport={"width": 1000, "height": 640})
        todo = page.get_by_role("link", name="Call Anna").first.get_attribute("href")
        for name, path in [
                ("list", "/"), ("conflict", "/conflicts"), ("to-do", todo), ("agenda", "/agenda"),
                ("month", "/month"), ("week", "/week"), ("status", "/status")]:
            page.goto(web.address + path)
            page.evaluate(page_case.HIDE, self.folder)
            page.screenshot(path=os.path.join(docs, "web-{}.png".format(name)))
        dark = self.browse(web, viewport={"width": 390, "height": 640}, color_scheme="dark")
        dark.screenshot(path=os.path.join(docs, "web-phone.png"))

    def test_a_conflict_of_two_devices_is_decided_and_both_have_it(self):
        self.fill()
        phone = self.conflict()
        page = self.browse(self.web())
        page.goto(page.url + "conflicts")
        self.assertEqual(1, page.locator("section.conflict").count())
        told = page.locator("section.conflict").inner_text()
        for text in ["laptop", "phone", "Call Anna at noon", "Call Anna at once"]:
            self.assertIn(text, told)
        page.get_by_label("Another value:").check()
        page.get_by_label("Your own text").fill("Call Anna tonight")
        page.click("button[value=decide]")
        page.wait_for_selector(".notice.done")
        self.assertEqual(0, page.locator("section.conflict").count())
        self.meet(self.laptop, phone)
        for device in [self.laptop, phone]:
            self.assertEqual([], device.conflicts())
            self.assertIn("Call Anna tonight", device.titles())


class Inviting(PageCase):
    def let_in(self, page, web, look):
        """Lets a device in; `look` waits until something is on the page."""
        self.laptop.run("add", "Milk")
        page.goto(web.address + "/invite")
        page.fill("#f-address", "127.0.0.1:{}".format(tandem.free_port()))
        page.get_by_role("button", name="Make a code").click()
        look(page.locator("img.qr"))
        code = page.locator("#code").inner_text()
        drawn = os.path.join(self.folder, "code.png")
        page.locator("img.qr").screenshot(path=drawn)
        read = subprocess.run(["zbarimg", "-q", "--raw", drawn], capture_output=True, text=True)
        self.assertEqual(code.replace("-", "").upper(), read.stdout.strip().replace("-", ""))
        phone = self.device("phone")
        log = os.path.join(self.folder, "join.log")
        with open(log, "w") as output:
            joining = subprocess.Popen(
                [page_case.tandem.BINARY, "join", code, "--name", "phone", "--json"],
                env=phone.environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.addCleanup(joining.kill)
        look(page.get_by_text("phone").first)
        end = time.monotonic() + WAIT_SECONDS
        digits = None
        while not digits and time.monotonic() < end:
            with open(log) as file:
                digits = re.search(r"\b(\d{3}[ -]?\d{3})\b", file.read())
            time.sleep(0.05)
        self.assertIsNotNone(digits)
        page.fill("#f-digits", digits.group(1))
        page.get_by_role("button", name="Let it in").click()
        self.assertEqual(0, joining.wait(WAIT_SECONDS))
        look(page.get_by_text("has joined"))
        self.assertEqual(["Milk"], phone.titles())

    def test_a_device_is_let_in_by_a_code_and_six_digits(self):
        web = self.web()
        page = self.browse(web)
        self.let_in(page, web, lambda one: one.wait_for())
        # Nothing else is removed without a question.
        page.goto(web.address + "/devices")
        page.get_by_role("link", name="Remove phone").click()
        page.get_by_role("button", name="Take it out for good").click()
        page.wait_for_selector(".notice.done")
        self.assertIn("revoked", page.locator("ul.devices").inner_text())

    def test_a_code_ends_with_its_program_and_the_next_program_makes_one_that_works(self):
        web = self.web()
        page = self.browse(web)
        page.goto(web.address + "/invite")
        page.fill("#f-address", "127.0.0.1:{}".format(tandem.free_port()))
        page.get_by_role("button", name="Make a code").click()
        page.locator("img.qr").wait_for()
        code = page.locator("#code").inner_text()
        web.stop()
        web.start()
        page = self.browse(web)
        page.goto(web.address + "/invite")
        self.assertEqual(0, page.locator("img.qr").count())
        early = self.device("early")
        began = time.monotonic()
        refused = early.run("join", code, "--name", "early", codes=(tandem.UNAVAILABLE, tandem.REFUSED))
        self.assertLess(time.monotonic() - began, WAIT_SECONDS)
        self.assertIn("nothing listens there", refused.errors)
        self.assertFalse(os.path.exists(os.path.join(early.store, "store.db")))
        self.let_in(page, web, lambda one: one.wait_for())

    def test_a_device_is_let_in_without_scripts(self):
        web = self.web()
        page = self.browse(web, java_script_enabled=False)

        def look(one):
            end = time.monotonic() + WAIT_SECONDS
            while not one.count():
                self.assertLess(time.monotonic(), end, page.locator("main").inner_text())
                time.sleep(0.1)
                page.get_by_role("link", name="Look again").click()
        self.let_in(page, web, look)


class Operations(PageCase):
    def test_a_to_do_is_added_changed_done_deleted_and_restored(self):
        page = self.browse(self.web())
        page.fill("#f-line", "Buy milk due:2030-01-02 +errand")
        page.wait_for_selector("#echo .good")
        page.press("#f-line", "Enter")
        self.await_titles(page, ["Buy milk"])
        self.assertEqual("", page.input_value("#f-line"))
        page.click("a.title")
        page.fill("[name='field.title']", "Buy oat milk")
        page.fill("[name=notes]", "two\nlines")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_selector(".notice.done")
        todo = self.laptop.todos()[0]
        self.assertEqual("Buy oat milk", todo["title"])
        self.assertEqual("two\nlines", todo["notes"])
        self.assertEqual("2030-01-02", todo["due"])
        page.click("button[name=done]")
        page.wait_for_selector("button[name=reopen]")
        page.click(".notice button")
        page.wait_for_selector("button[name=done]")
        page.click("form.operations button[name=delete]")
        page.wait_for_selector("button[name=restore]")
        self.assertEqual(1, len(self.laptop.trash()))
        page.click("button[name=restore]")
        page.wait_for_selector("form.edit")
        self.assertEqual(["Buy oat milk"], self.laptop.titles())
        self.assertEqual([], self.faults)

    def test_all_of_it_works_without_scripts(self):
        web = self.web()
        page = self.browse(web, java_script_enabled=False)
        page.fill("#f-line", "Buy milk project:Home")
        self.follow(page, page.locator("form.capture button").first)
        self.assertEqual(["Buy milk"], self.titles(page))
        page.fill("#f-q", "nothing")
        self.follow(page, page.locator("form.filter button").first)
        self.assertEqual([], self.titles(page))
        page.goto(web.address)
        self.follow(page, page.locator("a.title").first)
        page.fill("[name='field.title']", "Buy oat milk")
        self.follow(page, page.get_by_role("button", name="Save", exact=True))
        self.assertEqual("Buy oat milk", self.laptop.todos()[0]["title"])
        page.goto(web.address)
        self.follow(page, page.locator("button[name=done]").first)
        self.assertEqual("completed", self.laptop.todos()[0]["status"])
        self.follow(page, page.locator(".notice button").first)
        self.assertEqual(["Buy oat milk"], self.titles(page))
        with page.expect_navigation():
            page.click("button[name=delete]", force=True)
        page.goto(web.address + "/trash")
        self.follow(page, page.locator("button[name=restore]").first)
        self.assertEqual(["Buy oat milk"], self.laptop.titles())

    def test_the_box_of_a_to_do_is_a_check_box(self):
        for scripts in [True, False]:
            self.laptop.run("add", "Milk")
            web = self.web()
            page = self.browse(web, java_script_enabled=scripts)
            box = page.get_by_role("checkbox", name="Milk", exact=True)
            self.assertFalse(box.is_checked())
            box.focus()
            page.keyboard.press("Space")
            self.eventually(lambda: not box.count())
            self.assertEqual("completed", self.laptop.todos("Milk")[-1]["status"])
            self.go(page, web.address + "/view/log")
            self.assertTrue(box.is_checked())
            box.press("Enter")
            self.eventually(lambda: not page.get_by_role("checkbox", name="Milk", exact=True, checked=True).count())
            self.assertEqual(["Milk"], self.laptop.titles())
            self.laptop.run("cancel", "Milk")
            self.go(page, web.address + "/view/log")
            self.assertTrue(page.get_by_role("checkbox", name="Milk, cancelled", exact=True).is_checked())
            self.laptop.delete("Milk")
            web.stop()

    def test_a_file_is_rehearsed_and_then_imported(self):
        path = os.path.join(self.folder, "todo.txt")
        with open(path, "w") as file:
            file.write("Buy milk +home\nCall Anna\n")
        for scripts in [True, False]:
            web = self.web()
            page = self.browse(web, java_script_enabled=scripts)
            page.goto(web.address + "/import")
            page.set_input_files("#f-file", path)
            page.get_by_role("button", name="See what would come of it").click()
            page.get_by_role("button", name="Import", exact=True).click()
            page.wait_for_selector(".notice.done")
            web.stop()
        # A file that comes again makes nothing twice.
        self.assertEqual(["Buy milk", "Call Anna"], sorted(self.laptop.titles()))

    def test_the_keyboard_does_all(self):
        self.laptop.run("add", "First", "due:today")
        self.laptop.run("add", "Second", "due:tomorrow")
        page = self.browse(self.web())
        page.keyboard.press("n")
        page.keyboard.type("Third")
        page.keyboard.press("Enter")
        self.await_titles(page, ["First", "Second", "Third"])
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("x")
        self.await_titles(page, ["First", "Third"])
        self.assertEqual("Third", page.evaluate("document.activeElement.innerText"))
        page.keyboard.press("z")
        self.await_titles(page, ["First", "Second", "Third"])
        page.keyboard.press("?")
        self.assertTrue(page.locator("dialog#keys").is_visible())
        page.keyboard.press("Escape")
        # Without the quick keys: from the top by Tab, and Enter opens.
        page.goto(page.url)
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.className") == "title":
                break
        page.keyboard.press("Enter")
        page.wait_for_selector("form.edit")

    def test_what_was_typed_stays_when_the_to_do_was_deleted_meanwhile(self):
        self.laptop.run("add", "Milk")
        web = self.web()
        page = self.browse(web)
        page.click("a.title")
        page.fill("[name='field.title']", "Oat milk")
        self.laptop.run("delete", "Milk", "--yes")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_selector("[name=restore]")
        self.assertEqual("Oat milk", page.input_value("[name='field.title']"))
        page.get_by_role("button", name="Restore it and save").click()
        page.wait_for_selector(".notice.done")
        self.assertEqual(["Oat milk"], self.laptop.titles())


class Doors(PageCase):
    def test_another_account_gets_nothing(self):
        if os.getuid() != 0:
            self.skipTest("only root can become another account")
        self.laptop.run("add", "Secret milk")
        web = self.web()
        page = self.browse(web)
        stolen = "; ".join("{name}={value}".format(**cookie) for cookie in page.context.cookies())
        self.assertIn("tandem-", stolen)
        for name in ["web-login.html", "web-sessions", "web-lock"]:
            mode = os.stat(os.path.join(self.laptop.store, name)).st_mode
            self.assertEqual(0o600, stat.S_IMODE(mode), name)
        for path in ["/", "/events", "/status", "/echo?line=x"]:
            for cookie in ["", stolen]:
                got = page_case.run_as_nobody(
                    ["curl", "-s", "-m", "10", "-b", cookie, "-w", "%{http_code}", web.address + path])
                self.assertIn(got.stdout, ["000", ""])
                self.assertNotEqual(0, got.returncode)
        # The one-time secret is worth nothing there, either, and is not used up by that.
        page_case.run_as_nobody(
            ["curl", "-s", "-m", "10", "-d", "secret=" + web.secret(), web.address + "/login"])
        self.browse(web)
        read = page_case.run_as_nobody(["cat", web.login])
        self.assertNotEqual(0, read.returncode)
        # Nor do the arguments of any process tell the secret.
        shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
        self.assertNotIn(web.secret(), shown)

    def test_a_crowd_of_another_account_keeps_nobody_out(self):
        if os.getuid() != 0:
            self.skipTest("only root can become another account")
        web = self.web()
        crowd = subprocess.Popen(
            ["/usr/bin/python3", "-c", CROWD, str(web.port)], user=65534, group=65534, extra_groups=[],
            cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(crowd.wait, WAIT_SECONDS)
        self.addCleanup(crowd.stdin.close)
        self.addCleanup(crowd.stdout.close)
        self.assertEqual(b"there\n", crowd.stdout.readline())
        page = self.browse(web)
        page.fill("#f-line", "Buy milk")
        page.press("#f-line", "Enter")
        self.await_titles(page, ["Buy milk"])

    def test_a_silent_crowd_of_ones_own_account_keeps_nobody_out(self):
        web = self.web()
        page = self.browse(web)
        self.await_live(page)
        crowd = []
        self.addCleanup(lambda: [link.close() for link in crowd])
        for number in range(600):
            crowd.append(socket.create_connection(("127.0.0.1", web.port), WAIT_SECONDS))
            if number % 2:
                crowd[-1].sendall(b"GET / HTTP/1.1\r\nX: ")
        page.fill("#f-line", "Buy milk")
        page.press("#f-line", "Enter")
        self.await_titles(page, ["Buy milk"])
        # A browser that comes only now is let in, and a page that was there before still hears of changes.
        self.assertEqual(["Buy milk"], self.titles(self.browse(web)))
        self.laptop.run("add", "Call Anna")
        self.await_titles(page, ["Buy milk", "Call Anna"])

    def test_the_page_is_at_the_loopback_address_alone(self):
        web = self.web()
        # All of 127.0.0.0/8 is this machine; the page is at one of its addresses, and at none of a network.
        others = ["127.0.0.2", "::1"] + [
            address for address in subprocess.run(
                ["hostname", "-I"], capture_output=True, text=True, timeout=WAIT_SECONDS).stdout.split()]
        for address in others:
            with self.assertRaises(OSError, msg=address):
                socket.create_connection((address, web.port), WAIT_SECONDS)
        with open("/proc/net/tcp") as file:
            listening = [line.split()[1] for line in file.readlines()[1:] if line.split()[3] == "0A"]
        self.assertEqual(["0100007F"], [
            address.split(":")[0] for address in listening if int(address.split(":")[1], 16) == web.port])

    def test_raw_requests_of_strangers_are_refused_or_cut(self):
        web = self.web()
        page = self.browse(web)
        cookie = "; ".join("{name}={value}".format(**one) for one in page.context.cookies())
        host = "Host: 127.0.0.1:{}\r\n".format(web.port)
        good = "Cookie: {}\r\n".format(cookie) + host
        for request, expected in [
            ("GET / HTTP/1.1\r\n" + good + "\r\n", 200),
            ("GET http://evil.example/ HTTP/1.1\r\n" + good + "\r\n", 421),
            ("GET / HTTP/1.1\r\n" + good + host + "\r\n", 400),
            ("GET / HTTP/1.1\r\nCookie: {}\r\n\r\n".format(cookie), 400),
            ("GET /../../etc/passwd HTTP/1.1\r\n" + good + "\r\n", 404),
            ("GET /assets/x/..%2f..%2fpage.js HTTP/1.1\r\n" + good + "\r\n", 404),
            ("GET /%00 HTTP/1.1\r\n" + good + "\r\n", 404),
            ("TRACE / HTTP/1.1\r\n" + good + "\r\n", 405),
            ("POST /add HTTP/1.1\r\n" + good + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\nline=x", 400),
            ("POST /add HTTP/1.1\r\n" + good + "Content-Length: 6\r\nContent-Length: 6\r\n\r\nline=x", 400),
            ("POST /add HTTP/1.1\r\n" + good + "Content-Length: 999999999\r\n\r\n", 413),
            ("GET / HTTP/1.1\r\n" + good + "X: " + "y" * 20_000 + "\r\n\r\n", 431),
        ]:
            self.assertEqual(expected, self.raw(web, request), request[:80])
        self.assertEqual([], self.laptop.titles())

    def raw(self, web, request):
        """The status of the answer to bytes as they are."""
        with socket.create_connection(("127.0.0.1", web.port), WAIT_SECONDS) as link:
            link.settimeout(WAIT_SECONDS)
            link.sendall(request.encode())
            return int(link.recv(65536).split(b" ")[1])

    def test_the_secret_is_good_once_and_a_foreign_site_gets_nothing(self):
        web = self.web()
        secret = web.secret()

        def send(path, data=None, **headers):
            request = urllib.request.Request(web.address + path, data=data, headers={
                name.replace("_", "-"): value for name, value in headers.items()})
            try:
                with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as got:
                    return got.status, dict(got.headers)
            except urllib.error.HTTPError as error:
                return error.code, dict(error.headers)

        _, headers = send("/")
        self.assertEqual(POLICY, headers["content-security-policy"])
        form = ("secret=" + secret).encode()
        code, headers = send("/login", form)
        self.assertEqual(200, code)
        cookie = headers["set-cookie"].split(";")[0]
        self.assertEqual(403, send("/login", form)[0])
        self.assertEqual(200, send("/", Cookie=cookie)[0])
        self.assertEqual(421, send("/", Cookie=cookie, Host="evil.example")[0])
        self.assertEqual(403, send("/add", b"line=x", Cookie=cookie, Origin="http://evil.example")[0])
        # A fetch carries the session's token in its head: without, with another or with none of it nothing is written.
        with urllib.request.urlopen(urllib.request.Request(web.address + "/", headers={"Cookie": cookie})) as got:
            token = re.search(r'name="tandem-token" content="([0-9a-f]+)"', got.read().decode()).group(1)
        same = {"Cookie": cookie, "Origin": web.address}
        for wrong in ({}, {"X_Tandem_Token": ""}, {"X_Tandem_Token": token[:-1]}, {"X_Tandem_Token": token + "0"},
                      {"X_Tandem_Token": token[::-1]}):
            self.assertEqual(403, send("/add", b"line=Wrong", **same, **wrong)[0], wrong)
        self.assertEqual(403, send("/add", b"line=Wrong", X_Tandem_Token=token, Origin=web.address)[0])
        self.assertEqual(403, send("/add", b"line=Wrong", Cookie=cookie, X_Tandem_Token=token,
                                   Origin="http://127.0.0.1:{}".format(web.port + 1))[0])
        self.assertEqual([], self.laptop.titles())
        self.assertEqual(200, send("/add", b"line=Right", **same, X_Tandem_Token=token)[0])
        self.assertEqual(["Right"], self.laptop.titles())

    def test_the_browser_that_is_opened_is_given_a_file_and_no_secret(self):
        programs = os.path.join(self.folder, "programs")
        os.mkdir(programs)
        given = os.path.join(self.folder, "given")
        with open(os.path.join(programs, "xdg-open"), "w") as script:
            script.write("#!/bin/sh\necho \"$@\" >" + given + "\n")
        os.chmod(script.name, 0o755)
        web = self.web()
        environment = dict(self.laptop.environment(), PATH=programs + ":" + os.environ["PATH"])
        subprocess.run(
            [page_case.tandem.BINARY, "web", "--open"], env=environment, check=True,
            capture_output=True, timeout=WAIT_SECONDS)
        self.eventually(lambda: os.path.exists(given) and os.path.getsize(given))
        with open(given) as file:
            self.assertEqual(web.login + "\n", file.read())

    def test_the_first_command_after_init_opens_the_page(self):
        programs = os.path.join(self.folder, "programs")
        os.mkdir(programs)
        given = os.path.join(self.folder, "given")
        with open(os.path.join(programs, "xdg-open"), "w") as script:
            script.write("#!/bin/sh\necho \"$1\" >" + given + ".new\nmv " + given + ".new " + given + "\n")
        os.chmod(script.name, 0o755)
        if is_taken(STANDARD_PORT):
            self.skipTest("port {} is taken".format(STANDARD_PORT))
        self.laptop.run("add", "Buy milk")
        environment = dict(self.laptop.environment(), PATH=programs + ":" + os.environ["PATH"])
        process = subprocess.Popen(
            [page_case.tandem.BINARY, "web", "--open"], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait, WAIT_SECONDS)
        self.addCleanup(process.terminate)
        self.eventually(lambda: os.path.exists(given))
        # What the browser is given is all that it needs.
        with open(given) as file:
            path = file.read().strip()
        context = page_case.chromium().new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto("file://" + path)
        page.wait_for_url("http://127.0.0.1:{}/".format(STANDARD_PORT))
        self.await_titles(page, ["Buy milk"])

    def test_a_port_that_is_taken_and_a_page_that_runs(self):
        web = self.web()
        again = self.laptop.run("web")
        self.assertIn(web.address, again.output)
        other = self.device("other")
        other.init()
        refused = other.run("web", "--port", str(web.port), codes=(69,))
        self.assertIn(str(web.port), refused.errors)


# The time from a key in the filter to the rows that it leaves; milliseconds, in the browser.
FILTER = """(text) => new Promise((done) => {
    const started = performance.now();
    new MutationObserver((_, observer) => {
        if (document.querySelectorAll("li.todo").length !== 1) return;
        observer.disconnect();
        requestAnimationFrame(() => done(performance.now() - started));
    }).observe(document.body, { childList: true, subtree: true });
    const field = document.getElementById("f-q");
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
})"""


class Many(PageCase):
    DRIVES_OTHER_PROGRAMS = True

    def await_count(self, page, count):
        self.eventually(lambda: page.evaluate("document.querySelectorAll('li.todo').length") == count)

    def test_ten_thousand_to_dos(self):
        path = os.path.join(self.folder, "many.txt")
        with open(path, "w") as file:
            for number in range(10_000):
                file.write("Task {} +tag{} due:2030-01-{:02}\n".format(
                    number, number % 50, number % 28 + 1))
        self.laptop.import_file("todotxt", path)
        listed = min(self.laptop.run("list", "--json", "--limit", "0").seconds for _ in range(3)) * 1000
        web = self.web()
        page = self.browse(web)
        paints = []
        for _ in range(3):
            page.goto(web.address + "/status")
            page.goto(web.address)
            self.eventually(lambda: page.evaluate(
                "performance.getEntriesByName('first-contentful-paint').length"))
            paints.append(page.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        filters = []
        for text in ["Task 9999", "Task 1234", "Task 5678"]:
            filters.append(page.evaluate(FILTER, text))
            page.fill("#f-q", "")
            self.await_count(page, 500)
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        self.await_count(page, 10_000)
        self.eventually(lambda: page.evaluate("""() => {
            const last = [...document.querySelectorAll("li.todo")].at(-1);
            last.scrollIntoView();
            const { top, bottom } = last.getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight + 1;
        }"""))
        self.report("list --json {:.0f} ms, first paint {:.0f} ms, filter {:.0f} ms".format(
            listed, min(paints), min(filters)))
        # The best of three: others may be at work on this machine.
        self.assertLessEqual(min(paints), 3 * listed + 300)
        self.assertLessEqual(min(filters), 100)


if __name__ == "__main__":
    unittest.main()
