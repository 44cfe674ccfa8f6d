/// Bad lines.
extension ScenarioFaultTests {
    private static let verbs =
        "`creates`, `edits`, `retitles`, `moves`, `tags`, `untags`, `completes`, `reopens`, "
        + "`deletes`, `restores`, `purges`, `copies`, `resolves`, `upserts`, `opens`, `saves`, `syncs`, `starts`, "
        + "`connects`, `disconnects`, `cannot`, `can`, `loses`, `closes`, `crashes`, `is`, "
        + "`accepts`, `refuses`, `runs`, `takes`, `visits`, `damages`, `changes`, `learns`, `leaves`, `withholds`, `repeats`, `tampers`, `swaps`, `raises`, "
        + "`replays`, `claims`, `keeps`, `pauses`, `goes`, `misses`, `hears`, `sends`, `receives`, "
        + "`serves`, `tells` or `gets`"
    private static let subject =
        "`shows`, `show`, `has`, `have`, `lists`, `list`, "
        + "`holds`, `hold`, `wrote`, `agrees`, `agree`, `knows`, `know`, "
        + "`sent` or `exchanged`"
    private static let incarnations =
        "`title`, `policy`, `seed`, `lenient`, `devices`, `device`, "
        + "`relay`, `relays`, `nothing`, `deletes`, `everyone`, `everything`, "
        + "`wait`, `the`, `messages`, `a`, `an`, `expect` or the name of a device"
    private static let reasons =
        "whatever the reason, deleted, purged, not deleted, over limit, missing, exists, "
        + "conflict, disk full, corrupt, crashed, foreign space, unknown message, "
        + "deletes held and unreachable"
    private static let units = "`ms`, `seconds`, `minutes`, `hours`, `days`, `weeks` and `years`"

    /// Each stands in the fourth line, below devices, an item and a backup.
    static let rows = [
        Row(
            "laptop creats milk", 8, "`creats` does not fit here",
            "did you mean `creates`? Here comes \(verbs)"),
        Row(
            "laptop Opens", 8, "`Opens` does not fit here",
            "did you mean `opens`? Here comes \(verbs)"),
        Row(
            "Laptop opens", 1, "there is no device `Laptop`",
            "did you mean `laptop`? Or declare it with `devices Laptop`"),
        Row(
            "lapto creates milk", 1, "there is no device `lapto`",
            "did you mean `laptop`? Or declare it with `devices lapto`"),
        Row("server opens", 1, "there is no device `server`", "declare it with `devices server`"),
        Row(
            "expects laptop agrees", 1, "there is no device `expects`",
            "did you mean `expect`? Or declare it with `devices expects`"),
        Row("laptop", 7, "the line ends too early", "here comes \(verbs)"),
        Row(
            "laptop restarts", 8, "`restarts` does not fit here",
            "write `closes`, and `opens` in the next line"),
        Row(
            "laptop and phone sync", 8, "`and` does not fit here",
            "one device acts at a time; only `expect` speaks of several"),
        Row(
            "laptop shows milk title \"x\"", 8, "`shows` does not fit here",
            "what is expected begins with `expect`"),
        Row(
            "laptop syncs phone", 14, "`phone` does not fit here",
            "here comes `with`, as in `laptop syncs with phone`"),
        Row(
            "laptop syncs with", 18, "the line ends too early",
            "here comes the name of a device, as in `laptop syncs with phone`"),
        Row(
            "laptop syncs with phne", 19, "there is no device `phne`",
            "did you mean `phone`? Or declare it with `devices phne`"),
        Row(
            "laptop syncs with phone now", 25, "`now` is too much",
            "the step is complete before it"),
        Row(
            "laptop purges milk by foce", 23, "`foce` does not fit here",
            "did you mean `force`? As in `laptop purges milk by force`"),
        Row(
            "laptop purges milk forever", 20, "`forever` does not fit here",
            "here comes `by` or the end of the line"),
        Row(
            "laptop is copyed to twin", 11, "`copyed` does not fit here",
            "did you mean `copied`? Here comes `copied`, `backed`, `restored`, `wiped`, `given`, `honest` or "
                + "`upgraded`"),
        Row(
            "everyone syncs with phone", 16, "`with` is too much",
            "the step is complete before it"),
        Row(
            "the netwrk is whole again", 5, "`netwrk` does not fit here",
            "did you mean `network`? Here comes `link`, `network`, `disk`, `database`, `standby` or `clock`"
        ),
        Row(
            "the link of laptop with phone breaks", 20, "`with` does not fit here",
            "here comes `and`, as in `the link of laptop and phone breaks`"),
        Row(
            "the link of laptop and phone breaks after x bytes", 43, "`x` does not fit here",
            "here comes a number, as in `the link of laptop and phone breaks after 120 bytes`"),
        Row(
            "messages from laptop to phone take 5 s to 2 s", 1,
            "the shortest delay is longer than the longest", "write the shorter time first"),
        Row(
            "the network splits into laptop and laptop", 36, "`laptop` is named twice",
            "leave it out once"),
        Row(
            "an empty stranger cals phone", 19, "`cals` does not fit here",
            "did you mean `calls`? As in `an empty stranger calls phone`"),
        Row(
            "a stranger sends garbage", 25, "the line ends too early",
            "here comes `to`, as in `a stranger sends garbage to phone`"),
        Row(
            "laptop visits phone", 15, "`phone` is no relay",
            "declare a relay with `relay NAME`, in place of `device NAME`"),
        Row(
            "laptop edits milk status \"done\"", 26,
            "`status` takes \"pending\", \"completed\" or \"cancelled\"",
            "write it in quotes: `status \"pending\"`"),
        Row(
            "expect laptop shows milk status done", 33,
            "`status` takes \"pending\", \"completed\" or \"cancelled\"",
            "write it in quotes: `status \"pending\"`"),
        Row("5 syncs with phone", 1, "`5` does not fit here", "here comes \(incarnations)"),
        Row(
            "laptop edits", 13, "the line ends too early",
            #"here comes the name of an item, as in `laptop edits milk title "Oat milk" notes none tags -shop`"#
        ),
        Row(
            "laptop edits mlik title \"x\"", 14, "no earlier line creates `mlik`",
            "did you mean `milk`? Or create it with `… creates mlik`, or foresee `but is refused: missing`"
        ),
        Row(
            "laptop edits egg title \"x\"", 14, "no earlier line creates `egg`",
            "create it with `… creates egg`, or foresee `but is refused: missing`"),
        Row(
            "laptop edits the title \"x\"", 14, "`the` cannot be a name",
            "it is a word of the language; here comes the name of an item"),
        Row(
            "laptop creates everyone", 16, "`everyone` cannot be a name",
            "it is a word of the language; here comes the name of an item"),
        Row(
            "laptop creates a", 16, "`a` cannot be a name",
            "it is a word of the language; here comes the name of an item"),
        Row(
            "laptop edits milk", 18, "the line ends too early",
            #"here comes a field and its value, as in `laptop edits milk title "Oat milk" notes none tags -shop`"#
        ),
        Row(
            "laptop edits milk titel \"x\"", 19, "there is no field `titel`",
            "did you mean `title`? Give a field of your own a name less like it"),
        Row(
            "laptop edits milk title", 24, "the line ends too early",
            #"here comes a text: write it in quotes: `title "Oat milk"`"#),
        Row(
            "laptop edits milk title Oat", 25, "`title` takes a text",
            #"write it in quotes: `title "Oat milk"`"#),
        Row(
            "laptop edits milk title 5", 25, "`title` takes a text",
            #"write it in quotes: `title "Oat milk"`"#),
        Row(
            "laptop edits milk title none title \"b\"", 30, "`title` is set twice",
            "leave it out once"),
        Row(
            "laptop edits milk title +shop", 25, "`title` is no set, it takes a text",
            #"write it in quotes: `title "Oat milk"`"#),
        Row(
            "laptop edits milk due \"tomorrow\"", 23, "`due` takes a day",
            "write the date: `due 2026-12-01`"),
        Row(
            "laptop edits milk due 2026-02-29", 23, "there is no day `2026-02-29`",
            "the calendar is the Gregorian one"),
        Row(
            "laptop edits milk due 1900-02-29", 23, "there is no day `1900-02-29`",
            "the calendar is the Gregorian one"),
        Row(
            "laptop edits milk due 2026-2-9", 23, "`2026-2-9` is no date",
            "write year, month and day with 4, 2 and 2 digits: `2026-12-01`"),
        Row(
            "laptop edits milk tags \"shop\"", 24, "`tags` takes elements",
            "add with `tags +shop`, take away with `tags -shop`, expect `tags shop`"),
        Row(
            "laptop edits milk tags +none", 25, "`none` does not fit here",
            "here comes an element; what is no name stands in quotes"),
        Row("laptop edits milk tags +a1 -a1", 19, "`tags a1` is set twice", "leave it out once"),
        Row(
            "laptop edits milk priority high", 28, "`priority` takes a whole number",
            "write it in digits: `priority 2`"),
        Row(
            "laptop edits milk parent milk", 26, "`parent` takes another item",
            "write its name: `parent @milk`"),
        Row(
            "laptop edits milk parent @egg", 27, "no line creates `egg`",
            "create it with `… creates egg`, or write `lenient`"),
        Row(
            "laptop edits milk parent @", 27, "the line ends too early",
            "here comes the name of an item"),
        Row(
            "laptop edits milk colour red", 26, "`red` is no value",
            "write a text in quotes, a number, a date, `true`, `false`, `none`, `@item` or `newer 5`"
        ),
        Row("laptop edits milk colour newer 256", 32, "`256` is out of range", "from 0 to 255"),
        Row(
            "laptop edits milk deleted true", 19, "`deleted` is no field to be edited",
            "write `… deletes milk`"),
        Row(
            "laptop edits milk none 5", 19, "`none` cannot be the name of a field",
            "it is a word of the language"),
        Row(
            "laptop resolves milk title \"x\"", 28, #"`"x"` does not fit here"#,
            #"here comes `to`, as in `laptop resolves milk title to "Oat milk"`"#),
        Row(
            "laptop resolves milk deleted to 5", 33, "`deleted` takes `true` or `false`",
            "write `deleted to true`"),
        Row("laptop tags milk shop and shop", 27, "`shop` is named twice", "leave it out once"),
        Row(
            "laptop edits milk title \"Oat", 25, "the text has no end",
            #"end it with " on the same line"#),
        Row(
            #"laptop edits milk title "O\qat""#, 27, "there is no such escape",
            #"use \" \\ \n \t or \u{e9}"#),
        Row(
            #"laptop edits milk title "O\u{110000}""#, 27, "this escape names no character",
            #"write its number in one to six hexadecimal digits: \u{e9}"#),
        Row(
            #"laptop edits milk title "O\"#, 27, "there is no such escape",
            #"use \" \\ \n \t or \u{e9}"#),
        Row(
            "laptop edits milk title “Oat”", 25, "`“` is no quote here",
            #"write texts as "Oat milk""#),
        Row(
            "laptop edits milk title \"a\"; laptop closes", 28, "`;` has no place in a step",
            "a step ends with its line"),
        Row(
            "laptop edits milk title \"a\u{1}\"", 27,
            "a character that cannot be seen has no place here", #"in a text in quotes it is \u{1}"#
        ),
        Row(
            "laptop\u{A0}opens", 7, "this space is not a plain one",
            "use spaces or tabs between words"),
        Row(
            "laptop\u{0}opens", 7, "a character that cannot be seen has no place here",
            #"in a text in quotes it is \u{0}"#),
        Row("\t\tlaptop é opens", 10, "`é` does not fit here", "here comes \(verbs)"),
        Row(
            "laptop = phone", 8, "`=` has no place here",
            "names consist of letters, digits, `-` and `_`; other texts stand in quotes"),
        Row(
            "devices server and laptop", 20, "there is a device `laptop` already",
            "give this one another name"),
        Row(
            "devices server, server", 17, "there is a device `server` already",
            "give this one another name"),
        Row(
            "device server is fast", 15, "`is` does not fit here",
            "a device `flushes every commit`, `runs a newer version` or `is of another space`"),
        Row(
            "device server runs a newer version and runs a newer version", 40, "this is said twice",
            "leave it out once"),
        Row(
            "devices server tablet2", 16, "`tablet2` is too much",
            "names are parted by commas or `and`"),
        Row(
            "devices the", 9, "`the` cannot be a name",
            "it is a word of the language; here comes a name for a device"),
        Row(
            "title \"again\"", 1, "`title` comes too late",
            "headings stand before the first action, which is in line 2"),
        Row(
            "policy nobody-wins", 8, "`nobody-wins` does not fit here",
            "here comes `deletes-win` or `edits-win`"),
        Row("seed -1", 6, "`-1` is out of range", "from 0 to 18446744073709551615"),
        Row("seed 5 but fails", 8, "a heading is not refused", "leave out the end of the line"),
        Row(
            "laptop is copied to phone", 21, "there is a device `phone` already",
            "give this one another name"),
        Row(
            "laptop is restored from tuesday", 25, "there is no backup `tuesday`",
            "make it before with `… is backed up as tuesday`"),
        Row(
            "laptop is restored from monda", 25, "there is no backup `monda`",
            "did you mean `monday`? Or make it before with `… is backed up as monda`"),
        Row(
            "laptop is backed up as monday", 24, "there is a backup `monday` already",
            "give this one another name"),
        Row("wait 5", 7, "the line ends too early", "the units are \(units)"),
        Row("wait 5ms", 6, "`5ms` is no number", "a unit is a word of its own: `5 ms`"),
        Row(
            "wait 1.5 hours", 7, "numbers are whole",
            "take a smaller unit: `90 minutes`, not `1.5 hours`"),
        Row("wait -1 hours", 6, "this time is out of range", "from 0 ms to 100 years"),
        Row(
            "wait three days", 6, "`three` does not fit here",
            "here comes a time such as `5 ms`, as in `wait 3 days`"),
        Row(
            "wait 3 dayz", 8, "`dayz` does not fit here",
            "did you mean `days`? The units are \(units)"),
        Row("wait 3 fortnights", 8, "`fortnights` does not fit here", "the units are \(units)"),
        Row(
            "the clock of laptop is set to tomorrow", 31, "`tomorrow` does not fit here",
            "here comes a date such as `2026-12-01`, as in `the clock of laptop is set to 2001-01-01`"
        ),
        Row(
            "  another program on laptop syncs with phone", 3, "another program does not do that",
            "leave out `another program on`; it only makes and changes items"),
        Row(
            "another programme on laptop opens", 9, "`programme` does not fit here",
            #"here comes `program`, as in `another program on laptop edits milk title "Oat"`"#),
        Row(
            "laptop deletes milk but is refused: delted", 37, "there is no such reason",
            "did you mean `deleted`? The reasons are \(reasons)"),
        Row(
            "laptop deletes milk but is refused:", 36, "the reason is missing",
            "the reasons are \(reasons)"),
        Row(
            "laptop deletes milk but is refused deleted", 36, "`deleted` is too much",
            "a reason comes after a colon: `but is refused: deleted`"),
        Row(
            "laptop deletes milk but", 24, "the line ends too early",
            "write `but is refused` or `but fails`"),
        Row(
            "laptop deletes milk but crashes", 25, "`crashes` does not fit here",
            "write `but is refused` or `but fails`"),
        Row(
            "expect laptop agrees but fails", 22, "an expectation is not refused",
            "put this end to the action that is meant to be refused"),
        Row(
            "expect agrees", 8, "`agrees` does not fit here",
            "before it comes of whom: `everyone` or names of devices"),
        Row("expect laptop and laptop agree", 19, "`laptop` is named twice", "leave it out once"),
        Row(
            "expect everyone", 16, "the line ends too early",
            #"here comes what is expected, as in `expect laptop and phone show milk title "Oat milk"`"#
        ),
        Row(
            "expect laptop shos milk title \"x\"", 15, "`shos` does not fit here",
            "did you mean `shows`? Here comes \(subject)"),
        Row(
            "expect laptop has milk dead", 24, "`dead` does not fit here",
            "here comes `alive`, `deleted`, `purged` or `missing`"),
        Row(
            "expect laptop has egg alive", 19, "no earlier line creates `egg`",
            "create it with `… creates egg`, or expect it to be `missing`"),
        Row(
            "expect laptop shows milk colour \"x\"", 26, "no line sets a field `colour`",
            "built-in fields are title, notes, project, due, scheduled, wait, until, start, finish, status, completed, created, priority, tags, people, location, parent, position, work, repeat, series, occurrence, anchor, completions, depends, remind, except and mood"
        ),
        Row(
            "expect laptop shows milk tags 5", 31, "`5` does not fit here",
            "here comes an element; what is no name stands in quotes"),
        Row(
            "expect laptop shows milk title shop", 32, "`title` takes a text",
            #"write it in quotes: `title "Oat milk"`"#),
        Row(
            "expect laptop shows milk deleted true", 34, "`true` does not fit here",
            "write `has milk deleted`, or `has milk alive`"),
        Row(
            "expect laptop has a conflict on milk title between \"x\"", 55,
            "the line ends too early",
            "here comes `and` and another value: one alone is no conflict"),
        Row(
            "expect laptop has 2 conflicts on milk", 31, "`on` is too much",
            "the step is complete before it"),
    ]
}
