"""The local page for everybody: axe on every screen, names in the accessibility tree, narrow windows, and pictures of all."""

import base64
import os
import re
import unittest

import page_case
from page_scenes import ScenesCase
from small_png import small

NAMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page-names.txt")
DOCS = os.path.join(page_case.REPOSITORY, "docs")
WIDTHS = ((390, 844), (820, 1180), (1280, 800))
# What has no name to act by, or is a text of the screen that other tests look at.
UNNAMED = {"generic", "none", "StaticText", "InlineTextBox", "LineBreak", "paragraph", "RootWebArea", "term", "definition",
           "listitem", "list", "row", "rowgroup", "cell", "LabelText", "emphasis", "strong", "time", "ListMarker", "Legend",
           "ignored", "DescriptionList", "mark", "output", "gridcell", "blockquote", "code", "MenuListPopup", "option",
           "rowheader", "status", "alert", "log", "Iframe", "Abbr", "details", "article", "splitter"}
TIMES = re.compile(
    r"\b(?:Mon|Tues?|Wed(?:nes)?|Thur?s?|Fri|Sat(?:ur)?|Sun)(?:day)?\b|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b"
    r"|\d+|today|yesterday|tomorrow")


class Everybody(ScenesCase):
    def setUp(self):
        super().setUp()
        self.fill()
        self.webs = [self.web(), self.held()]

    def test_every_screen_is_free_of_faults_in_light_and_dark(self):
        from axe_playwright_python.sync_playwright import Axe

        for scheme in ["light", "dark"]:
            for name, page in self.all_scenes(self.webs, color_scheme=scheme):
                found = Axe().run(page).response["violations"]
                told = [(fault["id"], fault["nodes"][0]["target"]) for fault in found]
                self.assertEqual([], told, "{} {}".format(scheme, name))
                # Whoever hears the page needs a heading and a name for each control.
                self.assertEqual(1, page.locator("h1").count(), name)
                self.assertEqual(0, page.locator("[style], style").count(), name)

    def test_nothing_runs_out_of_a_narrow_window_and_nothing_moves(self):
        # 320 pixels are a small phone, and 1280 pixels at 400 %.
        for name, page in self.all_scenes(
                self.webs, viewport={"width": 320, "height": 640}, reduced_motion="reduce"):
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 320, name)
            self.assertTrue(page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches"))
            self.assertEqual([], page.evaluate("""() => [...document.querySelectorAll("*")].filter((one) => {
                const style = getComputedStyle(one);
                const moves = (text) => text.split(",").some((part) => parseFloat(part) > 0);
                return style.scrollBehavior !== "auto" || moves(style.transitionDuration)
                    || style.animationName !== "none" && moves(style.animationDuration);
            }).map((one) => one.outerHTML.slice(0, 80))"""), name)
            self.assertEqual(0, page.evaluate("document.getAnimations().length"), name)

    def test_each_control_of_each_screen_has_the_name_that_it_is_kept_with(self):
        """TANDEM_WRITE_NAMES=1 writes the names anew; whoever changes a screen reads the difference."""
        told = []
        for name, page in self.all_scenes(self.webs):
            told.append("## " + name)
            session = page.context.new_cdp_session(page)
            nodes = session.send("Accessibility.getFullAXTree")["nodes"]
            session.detach()
            found = set()
            for node in nodes:
                role, label = (node.get(key, {}).get("value", "") for key in ("role", "name"))
                if node.get("ignored") or role in UNNAMED:
                    continue
                self.assertTrue(label or role in {"main", "table", "group", "form", "image", "dialog", "banner", "navigation",
                                                  "complementary", "region", "search", "contentinfo", "radiogroup"},
                                "{}: a {} has no name".format(name, role))
                found.add("{} {!r}".format(role, TIMES.sub("#", re.sub(r"\s+", " ", label))[:100]))
            told += sorted(found)
        text = "\n".join(told) + "\n"
        if os.environ.get("TANDEM_WRITE_NAMES"):
            with open(NAMES, "w") as file:
                file.write(text)
        with open(NAMES) as file:
            self.assertEqual(file.read().split("\n"), text.split("\n"))

    def test_pictures_of_every_screen_are_written_where_that_is_asked_for(self):
        """TANDEM_WRITE_SCREENSHOTS=1: a sheet of all screens for each width, in docs/."""
        if os.environ.get("TANDEM_WRITE_SCREENSHOTS") != "1":
            self.skipTest("TANDEM_WRITE_SCREENSHOTS is not set")
        for width, height in WIDTHS:
            shots = []
            for name, page in self.all_scenes(self.webs, viewport={"width": width, "height": height}):
                # The folder of the test is nobody's.
                page.evaluate(page_case.HIDE, self.folder)
                shots.append((name, base64.b64encode(page.screenshot()).decode()))
            with open(os.path.join(DOCS, "web-screens-{}.png".format(width)), "wb") as file:
                file.write(small(self.sheet(shots, width)))

    def sheet(self, shots, width):
        """One picture of many, each with its name below."""
        columns, shown = {390: (8, 190), 820: (6, 260), 1280: (5, 320)}[width]
        figures = "".join(
            '<figure><img src="data:image/png;base64,{}" width="{}"><figcaption>{}</figcaption></figure>'.format(
                data, shown, name) for name, data in shots)
        context = page_case.chromium().new_context(viewport={"width": columns * (shown + 12) + 12, "height": 100})
        page = context.new_page()
        page.set_content(
            "<style>body{margin:6px;background:#888;display:grid;grid-template-columns:repeat(" + str(columns) + ",1fr)}"
            "figure{margin:6px}figcaption{font:11px sans-serif;color:#fff}img{display:block}</style>" + figures)
        page.evaluate("Promise.all([...document.images].map((one) => one.decode()))")
        picture = page.screenshot(full_page=True)
        context.close()
        return picture


if __name__ == "__main__":
    unittest.main()
