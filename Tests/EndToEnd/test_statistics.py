"""Figures, pending over time and projects: in the terminal, for programs and as pictures."""

import json
import unittest
import xml.etree.ElementTree

from tandem_process import NOTHING, OK, USAGE, TandemTestCase

SVG = "{http://www.w3.org/2000/svg}"


class StatisticsTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()
        for words in (["Mow", "project:Home.Garden"], ["Paint", "project:Home"], ["Read"]):
            self.laptop.run("add", *words)
        self.laptop.run("done", "2")

    def test_the_burndown_ends_with_now(self):
        value = json.loads(self.laptop.run("burndown", "--by", "day", "--count", "3", "--json").output)
        self.assertEqual([row["pending"] for row in value["rows"]], [0, 0, 2])
        self.assertEqual(value["rows"][2]["added"], 3)
        self.assertEqual(value["rows"][2]["completed"], 1)
        self.assertIsNone(value["empty"])
        for words in (["--by", "year"], ["--count", "0"], ["--count", "401"], ["--count", "x"]):
            self.laptop.run("burndown", *words, codes=(USAGE,))

    def test_a_summary_nests_projects(self):
        rows = self.laptop.run("summary", "--json").values()
        self.assertEqual([row["project"] for row in rows], ["Home", "Home.Garden", ""])
        self.assertEqual([row["percent"] for row in rows], [50, 0, 0])
        self.laptop.run("summary", "project:None", codes=(NOTHING,))

    def test_figures_follow_a_filter(self):
        self.assertEqual(json.loads(self.laptop.run("stats", "--json").output)["pending"], 2)
        home = json.loads(self.laptop.run("stats", "project:Home", "--json").output)
        self.assertEqual((home["pending"], home["completed"], home["streak"]), (1, 1, 1))
        shown = self.laptop.run("stats").output
        self.assertIn("Mow", shown)

    def test_pictures_are_svg_with_every_number(self):
        for command, part in (("burndown", "2 pending"), ("summary", "1 completed"), ("week", None)):
            path = f"{self.folder}/{command}.svg"
            self.laptop.run(command, "--svg", path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(root.tag, SVG + "svg")
            if part:
                titles = [node.text for node in root.iter(SVG + "title")]
                self.assertTrue(any(part in title for title in titles), titles)
            self.assertEqual(self.laptop.run(command, "--svg", "-").output, text)
        self.laptop.run("summary", "--svg", "/nowhere/x.svg", codes=(73,))


if __name__ == "__main__":
    unittest.main()
