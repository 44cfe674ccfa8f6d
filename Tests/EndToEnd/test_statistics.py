"""Figures, pending over time and projects: in the terminal, for programs and as pictures."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
import xml.etree.ElementTree

from tandem_process import BINARY, COMMAND_SECONDS_MAX, NOTHING, USAGE, TandemTestCase

SVG = "{http://www.w3.org/2000/svg}"


def on_screen(device, width, *words):
    """The lines of a command on a screen of so many columns."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 200, width, 0, 0))
    process = subprocess.Popen(
        [BINARY, *words], env=dict(device.environment(), TERM="xterm"), stdin=subprocess.DEVNULL, stdout=side)
    os.close(side)
    text = b""
    try:
        while piece := os.read(main, 65536):
            text += piece
    except OSError:
        # The other end is closed.
        pass
    process.wait(timeout=COMMAND_SECONDS_MAX)
    os.close(main)
    return re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).replace("\r", "").splitlines()


class StatisticsTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop = self.device("laptop")
        self.laptop.init()
        for words in (["Mow", "project:Home.Garden"], ["Paint", "project:Home", "due:today"], ["Read", "due:today"]):
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
        for command, part in (("burndown", "2 pending"), ("summary", "1 completed"), ("stats", ": 1 completed"),
                              ("week", "1 accomplished")):
            path = f"{self.folder}/{command}.svg"
            self.laptop.run(command, "--svg", path)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(root.tag, SVG + "svg")
            titles = [node.text for node in root.iter(SVG + "title")]
            self.assertTrue(any(part in title for title in titles), titles)
            # A bar's length is its figure: nothing is drawn for zero, and more is longer.
            bars = {node.find(SVG + "title").text: int(node.get("width" if command == "summary" else "height"))
                    for node in root.iter(SVG + "rect") if node.find(SVG + "title") is not None}
            self.assertTrue(bars and all(length > 0 for length in bars.values()), bars)
            self.assertFalse([title for title in bars if re.search(r": 0 ", title)], bars)
            self.assertEqual(self.laptop.run(command, "--svg", "-").output, text)
        self.laptop.run("summary", "--svg", "/nowhere/x.svg", codes=(73,))

    def test_figures_are_bars_in_the_terminal_too_each_as_long_as_its_figure(self):
        """One is completed, two are pending, of which one is due this day as the completed one was."""
        def lines(*words):
            return self.laptop.run(*words).output.splitlines()

        def cells(line):
            return [line.count(mark) for mark in "█▒░·"]
        burndown = lines("burndown", "--by", "day", "--count", "2")
        self.assertIn("█ pending  ▒ completed", burndown[0])
        self.assertEqual([0, 0, 0, 0], cells(burndown[1]))
        pending, completed, _, _ = cells(burndown[2])
        self.assertEqual((40, 20), (pending, completed), burndown)
        summary = lines("summary")
        self.assertIn("█ completed  ▒ pending", summary[0])
        self.assertLessEqual(abs(summary[1].count("█") - summary[1].count("▒")), 1, summary)
        self.assertNotIn("…", summary[1])
        self.assertEqual((0, True), (summary[3].count("█"), summary[3].count("▒") > 0), summary)
        stats = lines("stats")
        days = stats[next(row for row, line in enumerate(stats) if "█ completed" in line) + 1:]
        self.assertEqual(14, len(days), stats)
        self.assertEqual([[0, 0, 0, 0]] * 13, [cells(line) for line in days[:-1]])
        self.assertRegex(days[-1], r"  3 +1  █{60}$")
        week = lines("week")
        self.assertIn("█ accomplished  ▒ early  ░ late  · open", week[0])
        today = [line for line in week if " <" in line]
        self.assertEqual([[30, 0, 0, 30]], [cells(line) for line in today], week)
        self.assertEqual(1, sum(sum(cells(line)) > 0 for line in week[1:]), week)
        daily = json.loads(self.laptop.run("stats", "--json").output)["daily"]
        self.assertEqual([(0, 0)] * 13 + [(3, 1)], [(row["added"], row["completed"]) for row in daily])

    def test_bars_and_what_their_marks_mean_fit_a_narrow_screen(self):
        for command in ("week", "stats", "burndown", "summary"):
            for width in (40, 80, 200):
                shown = on_screen(self.laptop, width, command)
                self.assertTrue(any("█" in line for line in shown), (command, width, shown))
                self.assertTrue(any("█ " in line for line in shown), (command, width, shown))
                self.assertLessEqual(max(map(len, shown)), width, (command, shown))


if __name__ == "__main__":
    unittest.main()
