"""What is shown on screens of several widths: nothing is broken in the middle, and columns stand in line."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unicodedata
import unittest

from tandem_process import BINARY, NOTHING, OK, TandemTestCase

WAIT_SECONDS = 30
TITLES = (
    ("Buy milk", "project:Home", "+errand", "due:2030-01-01"),
    ("A title that is much longer than any screen is wide, and that goes on and on, past eighty columns and well "
     "beyond a hundred and twenty, to see where and how it is cut off at the very end of it all, after 200",
     "project:Work.Reports.Quarterly", "+writing", "due:2030-01-02"),
    ("会議の準備をする：資料の印刷と会議室の予約、それから参加者への連絡も忘れずに行うこと、とても長い題名",
     "project:仕事", "+会議", "due:2030-01-03T15:00"),
    ("Cafe\u0301 nai\u0308ve: a\u0327\u0300 o\u0323\u0302", "project:Naïve", "due:2030-01-04"),
    ("हिन्दी में एक लंबा शीर्षक और ไทยน้ำ และภาษาอื่น", "due:2030-01-05"),
    ("한국어 제목 테스트 ｆｕｌｌｗｉｄｔｈ ﾊﾝｶｸ ｶ\uff9e", "+한국", "due:2030-01-06"),
    ("🌱 Family 🇩🇪🇯🇵 ⏰ and more 会", "project:Home", "due:2030-01-07"),
    ("עברית العربية Ελληνικά кириллица", "due:2030-01-08", "priority:high"),
    ("no date",),
)
NOTE = (
    "First line of the notes, which is rather long and has to be broken where the screen ends.\n"
    "二行目はとても長くて、画面の幅に収まらないので、どこかで折り返さなければならない文章です。これで八十桁を超えます。\n"
    "and https://example.org/a/path/that/is/so/long/that/it/does/not/fit/on/one/line/of/eighty/columns/at/all")


def cells(text):
    """The cells of a text, counted by the rules of terminals, independently of the program."""
    count = 0
    for character in text:
        code = ord(character)
        if unicodedata.category(character) in ("Mn", "Me", "Cf") or 0x1160 <= code <= 0x11ff:
            own = 0
        elif 0x1f1e6 <= code <= 0x1f1ff:  # Two letters make one flag of two cells.
            own = 1
        else:
            own = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        count += own
    return count


class ScreenTests(TandemTestCase):
    def setUp(self):
        super().setUp()
        self.laptop, self.phone = self.pair()
        self.todos = [self.laptop.add(*words) for words in TITLES]
        # Parts of parts, of which each stands further in.
        part = self.todos[2]
        for number in range(6):
            part = self.laptop.add(
                "{}: {}".format(number, TITLES[number % 3][0]), "parent:" + part, "due:2030-01-03T16:00")
        self.laptop.edit(self.todos[2], "notes:" + NOTE, "location:Büro", "people:Anna,Bö", "x.größe:XL")
        self.meet(self.laptop, self.phone)
        self.phone.run("rename", "Küchen-Tablet mit einem sehr langen Namen in der 会議室")
        self.phone.edit(self.todos[2], "notes:" + NOTE[::-1], TITLES[1][0])
        self.laptop.edit(self.todos[2], "notes:" + NOTE.upper(), "会議の準備 (laptop)")
        self.phone.delete(self.todos[8])
        self.laptop.edit(self.todos[8], "no date, but edited")
        self.meet(self.laptop, self.phone)
        self.laptop.run("start", self.todos[1], "--at", "-90min")
        self.laptop.run("list")

    def shown(self, width, *words):
        """What a command shows on a screen of that width."""
        main, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        process = subprocess.Popen(
            [BINARY, *words], env=dict(self.laptop.environment(), TERM="xterm"), stdin=side,
            stdout=side, stderr=side)
        os.close(side)
        shown, until = b"", time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            if select.select([main], [], [], 0.05)[0]:
                try:
                    shown += os.read(main, 65536)
                except OSError:
                    break
        os.close(main)
        self.assertIn(process.wait(timeout=WAIT_SECONDS), (OK, NOTHING), shown)
        return shown.decode().replace("\r\n", "\n")

    commands = (
        ("list",), ("list", "--by", "project"), ("list", "--by", "manual"), ("other",), ("show", "3"), ("conflicts",), ("history", "3"),
        ("status",), ("why", "3"), ("undo", "--list"), ("week", "2030-01-01"), ("calendar", "2030-01"),
        ("agenda", "2030-01-03"), ("times",), ("recent",), ("trash",), ("devices",), ("list", "桁"),
        ("list", "rather", "or", "rehtar"), ("stats",), ("burndown",), ("summary",),
    )

    def test_the_place_of_a_searched_word_is_shown_at_every_width(self):
        for width in (40, 60, 80, 120, 200):
            text = self.shown(width, "list", "桁")
            self.assertNotIn("\x1b", text)
            self.assertTrue(any("桁" in line and line.startswith("    ") for line in text.splitlines()), text)
            for line in text.splitlines():
                self.assertLessEqual(cells(line), width, line)

    def with_ids(self):
        """The commands, with the id of the to-do that has the long notes."""
        return [
            tuple(self.todos[2] if word == "3" else word for word in words)
            for words in self.commands]

    def test_no_line_is_wider_than_the_screen(self):
        for words in self.with_ids():
            for width in (40, 60, 80, 120, 200):
                with self.subTest(words=words, width=width):
                    text = self.shown(width, *words)
                    self.assertTrue(text.strip())
                    for line in text.splitlines():
                        self.assertLessEqual(cells(line), width, line)

    def test_a_week_without_work_fits_every_width(self):
        laptop, self.laptop = self.laptop, self.device("other")
        self.addCleanup(setattr, self, "laptop", laptop)
        self.laptop.init()
        self.laptop.add("Milk", "due:2030-01-03")
        for width in range(40, 80):
            for line in self.shown(width, "week", "2030-01-01").splitlines():
                self.assertLessEqual(cells(line), width, line)

    def test_dates_stand_in_one_column(self):
        for width in (80, 200):
            lines = self.shown(width, "list").splitlines()
            places = {cells(line[:found.start()]) for line in lines
                      for found in [re.search(r"([A-Z][a-z]{2} )?\d+ [A-Z][a-z]{2} 2030", line)] if found}
            self.assertEqual(len(places), 1, "\n".join(lines))

    def test_a_list_shows_day_and_clock_at_every_width_and_how_far_it_is_where_there_is_room(self):
        for width in (40, 60, 80, 120, 200):
            line = next(line for line in self.shown(width, "list").splitlines() if "15:00" in line)
            self.assertIn("3 Jan 2030 15:00", line)
            self.assertEqual(re.search(r"15:00, in \d+ (months|years)", line) is not None, width >= 120, line)

    def test_every_listing_shows_day_and_clock_where_there_is_room(self):
        meeting = self.todos[2]
        self.laptop.run("show", meeting)
        gone = self.laptop.add("Gone", "due:2030-01-03T15:00")
        self.laptop.run("delete", gone, "--yes")
        self.laptop.run("save", "mine", "+会議", "columns:due")
        for words in (
                ("list",), ("list", "--all"), ("list", "--by", "project"), ("list", "due:2030-01-03"),
                ("agenda", "2030-01-03"), ("mine",), ("recent",), ("trash",)):
            for width in (40, 60, 80, 120, 200):
                text = self.shown(width, *words)
                # What has no room beside the title has a line of its own.
                if words[0] in ("recent", "trash"):
                    self.assertRegex(text, r"due (Thu )?3 Jan 2030 15:00", (words, width))
                    self.assertRegex(text, r"(seen|deleted on .*) (Mon |Tue |Wed |Thu |Fri |Sat |Sun )?\d+ [A-Z][a-z]{2} \d\d:\d\d")
                else:
                    self.assertIn("15:00", text, (words, width))
                    self.assertTrue(words[0] == "agenda" or "3 Jan 2030 15:00" in text, (words, width, text))

    def test_a_to_do_that_waits_shows_both_dates_with_their_clocks(self):
        laptop, self.laptop = self.laptop, self.device("waits")
        self.addCleanup(setattr, self, "laptop", laptop)
        self.laptop.init()
        self.laptop.add("Waiting", "wait:2030-03-01T09:00", "due:2030-04-01T15:30")
        self.laptop.add("A title that is longer than a narrow screen has room for", "due:2030-01-03T08:15")
        self.laptop.run("save", "both", "due.after:today", "columns:due,wait,scheduled")
        self.laptop.run("show", "Waiting")
        for words in (("list", "--all"), ("both",), ("recent",)):
            for width in (40, 60, 80, 120, 200):
                lines = self.shown(width, *words).splitlines()
                text = "\n".join(lines)
                self.assertRegex(text, r"due\b[^…]* 1 Apr 2030 15:30|1 Apr 2030 15:30", (words, width))
                self.assertTrue(words[0] == "recent" or "1 Mar 2030 09:00" in text, (words, width, text))
                if words[0] == "recent":
                    continue
                # Where dates of others have room, they stand beside the titles.
                self.assertRegex(text, r"A title.* (Thu )?3 Jan 2030 08:15", (words, width))
                for line in lines:
                    self.assertLessEqual(cells(line), width, line)
                    self.assertNotRegex(line, r"\d[^ ]*…$", (words, width))

    def test_a_to_do_that_is_planned_and_due_shows_both_dates_with_their_clocks(self):
        laptop, self.laptop = self.laptop, self.device("planned")
        self.addCleanup(setattr, self, "laptop", laptop)
        self.laptop.init()
        self.laptop.add("Paint", "scheduled:tomorrow 08:00", "due:in 9 days 10:30")
        self.laptop.add("Begun", "scheduled:2020-01-02T09:15", "due:tomorrow")
        for words in (("list",), ("upcoming",), ("tomorrow",)):
            for width in (40, 60, 80, 120, 200):
                text = self.shown(width, *words)
                for part in (r"10:30\b", r"from (Mon |Tue |Wed |Thu |Fri |Sat |Sun )?(\d+ \w+|tomorrow)( \d{4})? 08:00"):
                    self.assertRegex(text, part, (words, width))
                self.assertNotIn("09:15", text)

    def test_what_stands_below_a_list_is_whole_on_a_narrow_screen(self):
        for width in (40, 80):
            text = self.shown(width, "list")
            self.assertRegex(text, r"running: [^…\n]*…, begun 1 h 30 min ago")
            self.assertIn("2 in conflict (marked ?): tandem conflicts", text.replace("\n", " "))

    def test_a_month_shows_the_clock_where_a_day_is_wide_enough(self):
        for width in (40, 80, 120, 200):
            self.assertEqual(width >= 120, "15:00" in self.shown(width, "calendar", "2030-01"), width)

    def test_texts_are_whole_and_broken_between_words(self):
        text = self.shown(80, "show", self.todos[2])
        self.assertIn("FIRST LINE OF THE NOTES, WHICH IS RATHER LONG AND HAS TO BE BROKEN", text)
        flat = "".join(text.split())
        for line in NOTE.upper().split("\n"):
            self.assertIn("".join(line.split()), flat)
        # Without a screen nothing is broken.
        plain = self.laptop.run("show", self.todos[2]).output
        self.assertIn(NOTE.upper().split("\n")[1], plain)

    def test_a_terminal_breaks_no_line_itself(self):
        server = ["tmux", "-u", "-f", "/dev/null", "-S", os.path.join(self.folder, "tmux")]
        self.addCleanup(subprocess.run, server + ["kill-server"], capture_output=True, timeout=60)
        environment = dict(self.laptop.environment(), LC_ALL="C.UTF-8", TERM="xterm")

        def tmux(*words):
            return subprocess.run(
                server + list(words), capture_output=True, text=True, check=True, timeout=60,
                env=environment).stdout.rstrip("\n")
        for width in (40, 80, 200):
            for number, words in enumerate(self.with_ids()):
                name = "s{}-{}".format(width, number)
                command = "{} {}; echo the end; sleep 600".format(BINARY, " ".join(words))
                tmux("new-session", "-d", "-s", name, "-x", str(width), "-y", "200", "sh", "-c", command)
                until = time.monotonic() + WAIT_SECONDS
                while "the end" not in tmux("capture-pane", "-p", "-t", name):
                    self.assertLess(time.monotonic(), until, words)
                    time.sleep(0.02)
                with self.subTest(width=width, words=words):
                    text = tmux("capture-pane", "-p", "-t", name)
                    # Joined, what the terminal had to break would be fewer lines.
                    joined = tmux("capture-pane", "-p", "-J", "-t", name)
                    self.assertEqual(len(text.splitlines()), len(joined.splitlines()), text)


if __name__ == "__main__":
    unittest.main()
