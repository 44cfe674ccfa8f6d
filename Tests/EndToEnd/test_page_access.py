"""The local page for everybody: axe on every screen, names in the accessibility tree, narrow windows, and pictures of all."""

import base64
import datetime
import difflib
import functools
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
    r"|\bnow\b|\d+ (?:minute|hour)s? ago|\d+|today|yesterday|tomorrow")


class Everybody(ScenesCase):
    DRIVES_OTHER_PROGRAMS = True

    maxDiff = None

    def setUp(self):
        super().setUp()
        self.fill()
        self.webs = [self.web(), self.held()]

    def test_each_screen_is_for_everybody(self):
        """One walk, as going from screen to screen is what takes the time: names, axe in both schemes, a narrow window at rest.

        TANDEM_WRITE_NAMES=1 writes the names anew; whoever changes a screen reads the difference.
        """
        told, faults = [], []
        for name, page in self.all_scenes(self.webs):
            told.append("## " + name)
            told += sorted(self.names(name, page))
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                faults += ["{} {}: {}".format(scheme, name, fault) for fault in self.axe(page)]
            faults += ["{}: {}".format(name, fault) for fault in self.own_faults(page)]
            size = page.viewport_size
            # 320 pixels are a small phone, and 1280 pixels at 400 %.
            page.set_viewport_size({"width": 320, "height": 640})
            page.emulate_media(color_scheme="light", reduced_motion="reduce")
            faults += ["narrow {}: {}".format(name, fault) for fault in self.narrow_faults(page)]
            page.emulate_media(reduced_motion="no-preference")
            page.set_viewport_size(size)
        self.assertEqual([], faults)
        text = "\n".join(told) + "\n"
        if os.environ.get("TANDEM_WRITE_NAMES"):
            with open(NAMES, "w") as file:
                file.write(text)
        # Line by line, so that what differs is what is told.
        self.assertEqual([], list(difflib.unified_diff(self.known_names(), text.split("\n"), lineterm="", n=0)))

    def known_names(self):
        """The lines of the file, but those of to-dos that the month does not show today: tomorrow's on its last day."""
        with open(NAMES) as file:
            lines = file.read().split("\n")
        today = datetime.date.today()
        month = lines.index("## month")
        for title, days in (("Buy oat milk", 1), ("Pay the rent", -1)):
            if (today + datetime.timedelta(days=days)).month != today.month:
                del lines[lines.index("link '{}'".format(title), month)]
        return lines

    def axe(self, page):
        """All rules of axe; the script is put into a page once."""
        if not page.evaluate("typeof axe === 'object'"):
            page.evaluate(self.axe_script)
        return page.evaluate("""async () => (await axe.run({ resultTypes: ["violations"] })).violations
            .map((fault) => fault.id + " " + fault.nodes.map((node) => node.target).join(", "))""")

    @functools.cached_property
    def axe_script(self):
        from axe_playwright_python.base import AXE_SCRIPT

        return AXE_SCRIPT

    def own_faults(self, page):
        """Whoever hears the page needs a heading; a style of an element would be in no sheet."""
        return page.evaluate("""() => [
            document.querySelectorAll("h1").length === 1 ? "" : "not one h1",
            document.querySelector("[style], style") ? "a style" : "",
        ].filter(Boolean)""")

    def narrow_faults(self, page):
        return page.evaluate("""() => {
            const moves = (text) => text.split(",").some((part) => parseFloat(part) > 0);
            const moving = [...document.querySelectorAll("*")].filter((one) => {
                const style = getComputedStyle(one);
                return style.scrollBehavior !== "auto" || moves(style.transitionDuration)
                    || style.animationName !== "none" && moves(style.animationDuration);
            }).map((one) => "moves: " + one.outerHTML.slice(0, 80));
            return [
                innerWidth === 320 ? "" : "the window is not narrow",
                document.documentElement.scrollWidth > 320 ? "runs out of the window" : "",
                matchMedia("(prefers-reduced-motion: reduce)").matches ? "" : "motion is not reduced",
                document.getAnimations().length ? "an animation runs" : "",
            ].filter(Boolean).concat(moving);
        }""")

    def names(self, name, page):
        """The roles and names in the accessibility tree."""
        # Rows that were not drawn yet are not in the tree.
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
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
            state = "".join(" " + one["value"]["value"] for one in node.get("properties", [])
                            if one["name"] == "checked" and role == "checkbox")
            found.add("{} {!r}{}".format(role, TIMES.sub("#", re.sub(r"\s+", " ", label))[:100], state))
        return found

    @unittest.skipUnless(os.environ.get("TANDEM_WRITE_SCREENSHOTS") == "1", "TANDEM_WRITE_SCREENSHOTS is not set")
    def test_pictures_of_every_screen_are_written_where_that_is_asked_for(self):
        """TANDEM_WRITE_SCREENSHOTS=1: a sheet of all screens for each width, in docs/."""
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
