/// The language: every form of a step, a claim and a heading, each with what it says.
///
/// Readers walk along these tables, hints come from them, and programs show them.
package enum StoryWords {
    /// All forms of lines: headings first, then what can happen, by topic.
    package static let lines: [(topic: String, forms: [StoryForm])] = [
        ("Headings", headings), ("People", people), ("Meetings", meetings), ("Network", network),
        ("Machines", machines), ("Relays", relays), ("Clocks", clocks),
        ("Versions and strangers", strangers),
        ("Expectations", expectations), ("What can be expected", claims),
    ]

    static let statementTree = StoryTree(
        headings + people + meetings + network + machines + relays + clocks + strangers
            + expectations)

    static let claimTree = StoryTree(claims)

    /// Words that fields cannot have as their names.
    static let reservedForFields: Set<String> = [
        "and", "but", "of", "to", "between", "none", "true", "false", "newer", "empty", "relay",
    ]

    /// Words that devices, items and backups cannot have as their names.
    static let reserved: Set<String> = reservedForFields.union([
        "everyone", "everything", "another", "the", "a", "an", "expect", "wait", "messages",
        "title", "policy", "seed", "lenient", "device", "devices", "no", "had", "with", "by",
        "from", "relays", "meet", "nothing", "deletes",
    ])

    /// What the capitals in forms stand for.
    package static let parts = [
        (words: "DEVICE", meaning: "A name: letters, digits, `-` and `_`, no digit first."),
        (
            words: "RELAY",
            meaning: "The name of a relay; most of what befalls devices befalls it, too."
        ),
        (words: "RELAYS", meaning: "Names of relays: `harbor and depot`."),
        (words: "DEVICES", meaning: "Names: `laptop`, `laptop and phone`, `laptop, phone and tv`."),
        (
            words: "TRAITS",
            meaning: "`flushes every commit`, `runs a newer version`, `is of another space`; `and`."
        ),
        (words: "GROUPS", meaning: "Devices parted by commas, and groups of them by `and`."),
        (words: "WHO", meaning: "`everyone`, or devices: `laptop, phone and tablet`."),
        (words: "CLAIM", meaning: "One of what can be expected."),
        (words: "ITEM", meaning: "A name, which one to-do has on every device."),
        (words: "BACKUP", meaning: "A name."),
        (
            words: "SETTINGS",
            meaning:
                "Fields with values, or with elements: `title \"Milk\" due none tags +shop -food`."
        ),
        (words: "FIELD", meaning: "A field of to-dos, or any other name for a field of one's own."),
        (
            words: "VALUE",
            meaning:
                "`\"text\"`, `5`, `2026-12-01`, `true`, `false`, `none`, `@item`, or `newer 5`: "
                + "of a kind that only newer versions know."
        ),
        (words: "VALUES", meaning: "Two values or more: `\"Oat\", \"Soy\" and none`."),
        (words: "ELEMENTS", meaning: "`shop, food and \"two words\"`."),
        (
            words: "TEXT",
            meaning: "In quotes, with `\\\"`, `\\\\`, `\\n`, `\\t` and `\\u{e9}` in it."
        ),
        (words: "NUMBER", meaning: "A whole number."),
        (
            words: "SPAN",
            meaning: "A number of "
                + StoryLine.enumeration(StorySpan.units.map { "`\($0.words[0])`" }, "or") + "."
        ),
        (words: "DATE", meaning: "Year, month and day: `2026-12-01`."),
    ]

    /// What often is written for a verb that the language has under another name.
    static let synonyms = [
        "restarts": "`closes`, and `opens` in the next line",
        "reboots": "`loses power`, and `opens` in the next line",
        "adds": "`creates`", "makes": "`creates`", "sets": "`edits`",
        "updates": "`edits`", "writes": "`edits`", "renames": "`retitles`",
        "finishes": "`completes`", "removes": "`deletes`", "trashes": "`deletes`",
        "undeletes": "`restores`", "stops": "`closes`", "quits": "`closes`", "dies": "`crashes`",
        "meets": "`syncs with`", "calls": "`connects to`", "waits": "`wait 3 days`",
    ]

    /// How a step may go on after its form.
    package static let endings = [
        (words: "… but is refused", meaning: "It is meant to be refused, for whatever reason."),
        (words: "… but is refused: deleted", meaning: "It is meant to be refused for this reason."),
        (words: "… but fails: unreachable", meaning: "The same, where `fails` is the better word."),
    ]

    /// How a step of a program may begin.
    package static let beginnings = [
        (
            words: "another program on DEVICE …",
            meaning: "A second program on the same device does it, on the same store."
        )
    ]
}
