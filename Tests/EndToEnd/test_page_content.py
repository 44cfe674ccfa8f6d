"""What the screens of the local page say: lists and their sections, conflicts, relays, weeks, and texts of any script."""

import datetime
import json
import re
import unittest

from page_case import PageCase
from relay_case import RelayTestCase

TODOS = [
    "Call Anna due:today priority:high", "Pay the rent due:yesterday project:Home.Flat", "Buy milk due:tomorrow project:Home",
    "Plan the trip due:today+3d", "Renew the card due:today+40d", "Sand the boards project:Garden", "Finished",
]


class Lists(PageCase):
    DRIVES_OTHER_PROGRAMS = True

    def setUp(self):
        super().setUp()
        for words in TODOS:
            self.laptop.run("add", *words.split(" "))
        self.laptop.run("done", "Finished")
        self.page = self.browse(self.web())
        self.address = self.page.url.rstrip("/")

    def sections(self, path):
        """The headings of a list, each with the titles below it."""
        self.page.goto(self.address + path)
        return {
            section.locator("h2").inner_text(): [
                text.strip() for text in section.locator("a.title").all_text_contents()]
            for section in self.page.locator("#list section").all()}

    def test_a_list_has_its_sections_by_urgency_and_by_project(self):
        found = self.sections("/")
        self.assertEqual(["Pay the rent"], found["Overdue"])
        self.assertEqual(["Call Anna"], found["Today"])
        self.assertEqual(["Buy milk"], found["Tomorrow"])
        self.assertEqual(["Renew the card"], found["Later"])
        self.assertEqual(["Sand the boards"], found["No date"])
        self.assertEqual(6, sum(len(titles) for titles in found.values()))
        found = self.sections("/?by=project")
        self.assertEqual(["Sand the boards"], found["Garden"])
        self.assertEqual(["Buy milk"], found["Home"])
        self.assertEqual(["Pay the rent"], found["Home.Flat"])
        # Each section is a region with its heading as its name.
        self.assertEqual(1, self.page.get_by_role("region", name="Garden", exact=True).count())
        self.assertEqual({}, self.sections("/?by=none"))
        self.assertEqual(6, len(self.titles(self.page)))

    def test_each_view_has_the_to_dos_of_the_command(self):
        expected = {
            "today": ["Call Anna", "Pay the rent"], "upcoming": ["Buy milk", "Plan the trip"],
            "overdue": ["Pay the rent"], "log": ["Finished"],
            "inbox": ["Call Anna", "Plan the trip", "Renew the card"],
        }
        for view, some in expected.items():
            self.page.goto("{}/view/{}".format(self.address, view))
            shown = sorted(set(self.titles(self.page)))
            told = json.loads(self.laptop.run(view, "--json").output)
            self.assertEqual(sorted({todo["title"] for todo in told}), shown, view)
            self.assertLessEqual(set(some), set(shown), view)
            self.assertNotIn("Finished" if view != "log" else "Call Anna", shown)
            self.assertEqual(view.capitalize(), self.page.locator("h1").inner_text())

    def test_recent_has_what_was_looked_at_last(self):
        self.laptop.show("Buy milk")
        self.laptop.show("Sand the boards")
        self.page.goto(self.address + "/recent")
        told = [todo["title"] for todo in json.loads(self.laptop.run("recent", "--json").output)]
        self.assertEqual(told, self.titles(self.page))
        self.assertIn("Sand the boards", told)


class Conflicts(PageCase):
    def apart(self, *words):
        self.laptop.run("add", *words)
        phone = self.device("phone")
        with self.laptop.serve() as server:
            phone.join(server.address)
        return phone

    def test_a_conflict_shows_what_was_before_and_whose_word_is_of_when(self):
        phone = self.apart("Milk")
        self.laptop.run("edit", "Milk", "Rice")
        phone.run("edit", "Milk", "Oats")
        self.meet(self.laptop, phone)
        page = self.browse(self.web())
        page.goto(page.url + "conflicts")
        section = page.locator("section.conflict")
        self.assertEqual("Before that: Milk", section.locator("p.base").inner_text())
        choices = {}
        for choice in section.locator(".choice:has(.author)").all():
            time = choice.locator("time").get_attribute("datetime")
            choices[choice.locator(".value").inner_text()] = (choice.locator(".author").inner_text(), time)
        self.assertEqual({"Rice", "Oats"}, set(choices))
        self.assertTrue(choices["Rice"][0].startswith("laptop (this device), "), choices)
        self.assertTrue(choices["Oats"][0].startswith("phone, "), choices)
        now = datetime.datetime.now(datetime.timezone.utc)
        for _, time in choices.values():
            written = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
            if written.tzinfo is None:
                written = written.astimezone()
            self.assertLess(abs((now - written).total_seconds()), 600, time)

    def test_a_delete_that_met_an_edit_is_let_go(self):
        phone = self.apart("Milk")
        self.laptop.delete("Milk")
        phone.run("edit", "Milk", "Oats")
        self.meet(self.laptop, phone)
        for scripts in [True, False]:
            web = self.web()
            page = self.browse(web, java_script_enabled=scripts)
            if not scripts:
                # Decided on the page with scripts; here another one.
                self.laptop.run("add", "Bread")
                self.meet(self.laptop, phone)
                self.laptop.delete("Bread")
                phone.run("edit", "Bread", "Rolls")
                self.meet(self.laptop, phone)
            page.goto(web.address + "/conflicts")
            told = page.locator("section.conflict ul.sides").inner_text()
            self.assertIn("laptop (this device)", told)
            self.assertIn("deleted it", told)
            self.assertIn("phone", told)
            page.get_by_role("button", name="Delete it").click()
            page.wait_for_selector(".notice.done")
            self.assertEqual(([], []), (self.laptop.conflicts(), self.laptop.titles()))
            self.meet(self.laptop, phone)
            self.assertEqual(([], []), (phone.conflicts(), phone.titles()))
            web.stop()


class Others(RelayTestCase, PageCase):
    def test_relays_and_where_a_to_do_has_arrived(self):
        self.laptop.run("add", "Milk")
        phone = self.device("phone")
        relay = self.relay.told["relay"]
        phone.run("join", self.laptop.invite("--relay", relay), "--name", "phone")
        page = self.browse(self.web())
        address = page.url.rstrip("/")
        page.goto(address + "/devices")
        listed = page.locator("h2:has-text('Relays and addresses') + ul").inner_text()
        self.assertIn(relay.split("#")[0], listed)
        # The fingerprint is long, and of no use to the eye.
        self.assertNotIn("#", listed)
        # Asked before a device is taken out, a person may say no.
        page.get_by_role("link", name="Remove phone").click()
        page.get_by_role("link", name="No, leave it").click()
        self.assertNotIn("revoked", page.locator("ul.devices").inner_text())
        todo = self.laptop.show("Milk")["id"]
        page.goto("{}/todo/{}/why".format(address, todo))
        told = page.locator("main").inner_text()
        self.assertIn("stored by relay " + relay.split("#")[0].split("//")[-1], told)
        said = self.laptop.run("why", "Milk").output
        self.assertIn("stored by relay", said)
        self.assertIn("Nothing is in its way.", told)

    def test_a_device_that_has_a_to_do_is_named(self):
        self.laptop.run("add", "Milk")
        phone = self.device("phone")
        with self.laptop.serve() as server:
            phone.join(server.address)
        self.laptop.run("add", "Bread")
        page = self.browse(self.web())
        address = page.url.rstrip("/")
        for title, has in (("Milk", True), ("Bread", False)):
            page.goto("{}/todo/{}/why".format(address, self.laptop.show(title)["id"]))
            lines = page.locator("main").inner_text().splitlines()
            self.assertEqual(has, "received by phone" in lines, lines)
            said = [line.strip() for line in self.laptop.run("why", title).output.splitlines()]
            self.assertEqual(has, "received by phone" in said, said)


class Weeks(PageCase):
    def test_a_week_shows_what_was_planned_and_done_and_the_minutes_by_project(self):
        day = datetime.date.today()
        for words, minutes in (("Write project:Book", 50), ("Dig project:Garden.Back", 20), ("Rest", 0)):
            self.laptop.run("add", *words.split(" "), "due:today")
            if minutes:
                # Within one day, whatever the hour is.
                start = datetime.datetime.now() - datetime.timedelta(minutes=minutes)
                if start.date() != day:
                    self.skipTest("the day has begun just now")
                self.laptop.run("start", words.split(" ")[0], "--at", "-{}min".format(minutes))
                self.laptop.run("stop")
        self.laptop.run("done", "Write")
        page = self.browse(self.web())
        address = page.url.rstrip("/")
        page.goto(address + "/week")
        together = page.locator("table.numbers").first.locator("tfoot tr").inner_text().split()
        self.assertEqual(["Together", "3", "1"], together[:3])
        projects = {row.locator("th").inner_text(): row.locator("td").all_inner_texts()
                    for row in page.locator("table.numbers").last.locator("tbody tr").all()}
        # Minutes are the last column. They are counted from the time at which the command ran.
        worked = {name: int(cells[-1]) for name, cells in projects.items()}
        self.assertIn(worked["Book"], (50, 51))
        self.assertIn(worked["Garden.Back" if "Garden.Back" in worked else "Garden"], (20, 21))
        # The pictures have the same figures.
        pictures = [image.get_attribute("src") for image in page.locator("img.chart").all()]
        self.assertEqual(2, len(pictures))
        week, minutes = [page.request.get(address + source).text() for source in pictures]
        texts = re.findall(r"<text[^>]*>([^<]*)</text>", minutes)
        self.assertIn("Minutes by project", minutes)
        for name, count in worked.items():
            if count:
                self.assertTrue([text for text in texts if name in text], (name, texts))
                self.assertIn(str(count), texts)
        # What was planned is a bar, of which a part is done and a part is open.
        bars = {words: float(height) for height, words in re.findall(
            r'<rect[^>]* height="([0-9.]+)"><title>[^<:]*: ([^<]*)</title>', week)}
        self.assertEqual({"1 accomplished", "2 open"}, set(bars), week)
        self.assertAlmostEqual(bars["2 open"], 2 * bars["1 accomplished"], delta=1)
        self.assertIn("Planned 3, accomplished 1", page.locator("img.chart").first.get_attribute("alt"))


class Texts(PageCase):
    def test_a_text_of_any_script_is_beside_the_others_and_none_is_cut_out_of_sight(self):
        long = "Long " + "word" * 80
        for title in ["שלום עולם", "مرحبا +x", "‮evil‬ milk", "👩‍👩‍👧‍👦 family", long]:
            self.laptop.run("add", "--", title)
        web = self.web()
        for width in (320, 1000):
            page = self.browse(web, viewport={"width": width, "height": 800})
            for row in page.locator("li.todo").all():
                # Each text is a direction of its own: it moves nothing beside it.
                title = row.locator("a.title > bdi")
                self.assertEqual(1, title.count())
                self.assertEqual("isolate", title.evaluate("(one) => getComputedStyle(one).unicodeBidi"))
            directions = page.evaluate("""() => Object.fromEntries([...document.querySelectorAll("a.title > bdi")].map(
                (one) => [one.textContent, getComputedStyle(one).direction]))""")
            self.assertEqual("rtl", directions["שלום עולם"])
            self.assertEqual("ltr", directions["👩‍👩‍👧‍👦 family"])
            # The box of each row stays at the left, and a long title is broken into lines, whole.
            for row in page.locator("li.todo").all():
                box, text = row.locator("button.box").bounding_box(), row.locator("a.title").bounding_box()
                self.assertLessEqual(box["x"] + box["width"], text["x"] + 1)
                self.assertLessEqual(text["x"] + text["width"], width)
            whole = page.locator("a.title", has_text="Long word")
            self.assertEqual(long, whole.inner_text())
            self.assertFalse(whole.evaluate("(one) => one.scrollWidth > one.clientWidth + 1"))
            page.context.close()


if __name__ == "__main__":
    unittest.main()
