"""Every screen of the local page with something on it, and in each state that a person can meet."""

import os
import sqlite3

import tandem_process as tandem
from page_case import PageCase
from relay_case import RelayTestCase

LISTS = ["today", "upcoming", "inbox", "overdue", "log"]
PLAIN = ["agenda", "month", "week", "recent", "trash", "times", "undo", "conflicts", "devices", "invite", "status", "import"]
TODOS = [
    "Buy oat milk project:Home +errand due:tomorrow", "Call Anna due:today priority:high",
    "Pay the rent due:yesterday project:Home.Flat", "Water the plants due:today repeat:weekly",
    "Sand the boards project:Garden", "Paint the shed project:Garden depends:last",
    "Überraschung 😀👩‍👩‍👧 +family", "שלום עולם project:Work", "Z̸̢̛a̷̧l͓g̴o marks", "Long " + "word" * 60,
    "Gone", "Finished", "Bread", "Letter",
]


class ScenesCase(RelayTestCase, PageCase):
    """A device whose screens are full, and a browser that goes from one to the next."""

    def fill(self):
        """To-dos of every kind, each kind of conflict, something in the trash, work that runs, a list of one's own."""
        for words in TODOS:
            self.laptop.run("add", *words.split(" "))
        phone = self.device("phone")
        phone.run("join", self.laptop.invite("--relay", self.relay.told["relay"]), "--name", "phone")
        # It would sync what is changed below at some time.
        self.laptop.invitations[-1].end()
        self.laptop.delete("Gone")
        self.laptop.done("Finished")
        # One title of two devices, a delete that met an edit, and an edit of what was purged.
        self.laptop.edit("Call Anna", "Call Anna at noon")
        phone.edit("Call Anna", "Call Anna at once")
        self.laptop.delete("Bread")
        phone.edit("Bread", "Rolls")
        self.laptop.delete("Letter")
        self.laptop.purge("Letter")
        phone.edit("Letter", "Long letter")
        for device in (self.laptop, phone, self.laptop):
            device.run("sync")
        self.laptop.run("start", "Paint")
        self.laptop.run("stop")
        self.laptop.run("start", "Sand")
        self.laptop.run("save", "errands", "+errand")
        self.laptop.show("Sand the boards")

    def held(self):
        """A device on which deletes wait, and its page."""
        keeper, other = self.device("keeper"), self.device("other")
        keeper.init()
        keeper.run("import", "--format", "todotxt", "-", text="".join("To-do {}\n".format(one) for one in range(40)))
        with keeper.serve() as server:
            other.join(server.address)
        other.delete(*[todo["id"] for todo in other.todos()])
        with other.serve() as server:
            keeper.sync(server.address, codes=(77,))
        return self.web(keeper)

    def scenes(self, page, address):
        """Goes to each screen and answers its name; the way back is the next one's matter."""
        todo = "/todo/" + self.laptop.show("Sand the boards")["id"]
        paths = {"list": "/", **{name: "/view/" + name for name in LISTS}, **{name: "/" + name for name in PLAIN},
                 "to-do": todo, "history": todo + "/history", "why": todo + "/why", "filter": "/?q=milk",
                 "nothing-found": "/?q=nothing-is-so", "unclear-filter": "/?q=due.before:nonsense",
                 "own-list": "/view/errands", "shell": "/shell", "no-page": "/nowhere"}
        # The script of the shell leads away from it as soon as it finds the program.
        page.context.route("**/shell.js", lambda route: route.abort())
        for name, path in paths.items():
            page.goto(address + path)
            yield name
        page.goto(address + "/devices")
        page.get_by_role("link", name="Remove phone").click()
        page.get_by_role("button", name="Take it out for good").wait_for()
        yield "revoke"
        page.goto(address + "/invite")
        page.fill("#f-address", "127.0.0.1:{}".format(tandem.free_port()))
        page.get_by_role("button", name="Make a code").click()
        page.wait_for_selector("img.qr")
        yield "code"
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Make a code").wait_for()
        path = os.path.join(self.folder, "todo.txt")
        with open(path, "w") as file:
            file.write("Buy milk +home\nCall Anna\n")
        page.goto(address + "/import")
        page.set_input_files("#f-file", path)
        page.get_by_role("button", name="See what would come of it").click()
        page.get_by_role("button", name="Import", exact=True).wait_for()
        yield "rehearsal"
        page.goto(address)
        page.keyboard.press("?")
        page.wait_for_selector("dialog#keys[open]")
        yield "keys"
        page.keyboard.press("Escape")
        for name, end in (("deleted-meanwhile", "[name=restore]"), ("purged-meanwhile", "#f-kept")):
            self.laptop.run("add", "Short")
            page.goto("{}/todo/{}".format(address, self.laptop.show("Short")["id"]))
            page.fill("[name='field.title']", "Shorter")
            self.laptop.delete("Short")
            if name.startswith("purged"):
                self.laptop.purge("Short")
            page.get_by_role("button", name="Save", exact=True).click()
            page.wait_for_selector(end)
            yield name
            if not name.startswith("purged"):
                self.laptop.purge("Short")
        page.goto(address + todo)
        page.fill("[name='field.due']", "nonsense")
        page.get_by_role("button", name="Save", exact=True).click()
        page.wait_for_selector("form.edit .fault, .fault")
        yield "unclear-date"
        # What was typed would be there again.
        page.evaluate("sessionStorage.clear()")
        yield from self.refusals(page, address)
        page.context.clear_cookies()
        page.goto(address)
        yield "not-let-in"

    def refusals(self, page, address):
        """What a person sees who meets a page's limits: forms that are not as they were given out, other names, a failure."""
        token = page.locator('meta[name="tandem-token"]').get_attribute("content")
        for name, path, fields, kind in (
                ("bad-form", "/do", {"token": token}, None), ("wrong-token", "/do", {"token": "0"}, None),
                ("no-form", "/do", {"token": token}, "text/plain"), ("wrong-secret", "/login", {"secret": "0"}, None)):
            page.goto(address)
            self.send(page, address + path, fields, kind)
            self.assertEqual(name, self.refused)
            yield name
        # Another port of this machine is the same site, but not the same origin.
        elsewhere = "http://127.0.0.1:1/"
        page.route(elsewhere, lambda route: route.fulfill(content_type="text/html", body="<body></body>"))
        page.goto(elsewhere)
        self.send(page, address + "/do", {"token": token}, None)
        self.assertEqual("foreign-origin", self.refused)
        yield "foreign-origin"
        self.assertEqual(421, page.goto(address.replace("127.0.0.1", "other.localhost")).status)
        yield "wrong-host"
        with sqlite3.connect(os.path.join(self.laptop.store, "store.db")) as database:
            database.execute("DROP TABLE undo")
        database.close()
        self.assertEqual(500, page.goto(address + "/undo").status)
        yield "failed"

    def send(self, page, address, fields, kind):
        """Sends a form as the browser itself does, and keeps why it was refused."""
        with page.expect_navigation() as sent:
            page.evaluate("""([address, fields, kind]) => {
                const form = document.createElement("form");
                Object.assign(form, { method: "post", action: address });
                if (kind) form.enctype = kind;
                for (const [name, value] of Object.entries(fields)) {
                    const field = document.createElement("input");
                    Object.assign(field, { name, value });
                    form.append(field);
                }
                document.body.append(form);
                form.submit();
            }""", [address, fields, kind])
        self.refused = sent.value.headers.get("x-tandem-refusal")

    def held_scenes(self, page, address):
        page.goto(address + "/status")
        yield "held"
        page.get_by_role("link", name="Delete them").click()
        page.get_by_role("link", name="No, leave them held").wait_for()
        yield "held-question"

    def all_scenes(self, webs, **options):
        """A page at each scene, with its name; `webs` has the page of the full device, and that of the one whose deletes wait."""
        for web, scenes in zip(webs, (self.scenes, self.held_scenes)):
            # A worker would answer in the place of the program, from what it keeps.
            page = self.browse(web, service_workers="block", **options)
            for name in scenes(page, web.address):
                yield name, page
            page.context.close()
