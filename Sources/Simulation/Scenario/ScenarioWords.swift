import Core

/// The language: every form of a step, a claim and a heading, each with what it says.
///
/// Readers walk along these tables, hints come from them, and programs show them.
package enum ScenarioWords {
    /// All forms of lines: headings first, then what can happen, by topic.
    package static let lines: [(topic: String, forms: [ScenarioForm])] =
        [("Headings", headings)]
        + ScenarioEvent.topics.map { ($0.title, $0.families.flatMap { $0.forms }) }
        + [("What can be expected", Claim.claims)]

    static let lineTree = ScenarioTree(
        headings + ScenarioEvent.families.flatMap { $0.forms })

    static let claimTree = ScenarioTree(Claim.claims)

    /// Words that fields cannot have as their names.
    static let reservedForFields: Set<String> = [
        "and", "but", "of", "to", "between", "none", "true", "false", "newer", "empty", "relay",
        "long", "or",
    ]

    /// Words that devices, items and backups cannot have as their names.
    static let reserved: Set<String> = reservedForFields.union([
        "everyone", "everything", "another", "the", "a", "an", "expect", "wait", "messages",
        "title", "policy", "seed", "lenient", "device", "devices", "no", "had", "with", "by",
        "from", "relays", "meet", "nothing", "deletes",
    ])

    /// The meanings of the capitals in forms.
    package static let parts = [
        (words: "DEVICE", meaning: "A name: letters, digits, `-` and `_`, no digit first."),
        (
            words: "RELAY",
            meaning: "The name of a relay; most of what befalls devices befalls it, too."
        ),
        (words: "RELAYS", meaning: "Names of relays: `harbor and depot`."),
        (words: "DATABASE", meaning: "A name; relays that give the same share one."),
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
        (words: "CLIENT", meaning: "A name; each device has clients of its own."),
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
                + ScenarioLine.enumeration(ScenarioSpan.units.map { "`\($0.words[0])`" }, "or")
                + "."
        ),
        (words: "DATE", meaning: "Year, month and day: `2026-12-01`."),
    ]

    /// Verbs that the language has under another name.
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

/// Lines that say what holds for the whole scenario; they stand before the first event.
extension ScenarioWords {
    static let headings: [ScenarioForm] = [
        ScenarioForm("title TEXT", "What the scenario is about.", #"title "Two edits meet""#) {
            .title($0.text())
        },
        ScenarioForm(
            "policy deletes-win",
            "A delete wins over an edit of the same time; so it is without it.",
            "policy deletes-win"
        ) { _ in .policy(.deletesWin) },
        ScenarioForm(
            "policy edits-win", "An edit wins over a delete of the same time.", "policy edits-win"
        ) { _ in .policy(.editsWin) },
        ScenarioForm("seed SEED", "The number that all chance comes from; 1 without it.", "seed 42")
        {
            .seed($0.seed())
        },
        ScenarioForm(
            "lenient", "Whatever is refused is passed over, foreseen or not.", "lenient"
        ) { _ in .lenient },
        ScenarioForm(
            "devices DEVICES!", "Devices of one space, which know of each other.",
            "devices laptop, phone and tablet"
        ) { .devices(($0.names() ?? []).map { DeviceTraits($0) }) },
        ScenarioForm("device DEVICE!", "One device.", "device laptop") {
            .devices([DeviceTraits($0.name())])
        },
        ScenarioForm(
            "device DEVICE! TRAITS",
            "A device that `flushes every commit`, `runs a newer version` or `is of another space`.",
            "device server flushes every commit and runs a newer version"
        ) { arguments in
            let name = arguments.name()
            var traits = arguments.traits()
            traits.name = name
            return .devices([traits])
        },
        ScenarioForm(
            "relay RELAY!", "A relay, at which devices leave for each other what they have.",
            "relay harbor"
        ) { .devices([DeviceTraits($0.name(), isRelay: true)]) },
        ScenarioForm("relays RELAYS!", "Several relays.", "relays harbor and depot") {
            .devices(($0.names() ?? []).map { DeviceTraits($0, isRelay: true) })
        },
        ScenarioForm(
            "relay RELAY! on DATABASE", "A relay that has no files, but shares a database.",
            "relay harbor on vault"
        ) { .devices([DeviceTraits($0.name(), isRelay: true, database: $0.name())]) },
        ScenarioForm(
            "relays RELAYS! on DATABASE", "Several relays on one database.",
            "relays harbor and depot on vault"
        ) { arguments in
            let (names, database) = (arguments.names() ?? [], arguments.name())
            return .devices(names.map { DeviceTraits($0, isRelay: true, database: database) })
        },
        ScenarioForm(
            "devices meet only at relays",
            "When everyone syncs, and at the end, only relays are met.",
            "devices meet only at relays"
        ) { _ in .meetingOnlyAtRelays },
        ScenarioForm(
            "nothing is encrypted",
            "The space has no secret: relays could read all, and must be honest.",
            "nothing is encrypted"
        ) { _ in .plain },
        ScenarioForm(
            "deletes above COUNT are held",
            "More deletes than that, of over half of the items, are held until a person confirms; else 20.",
            "deletes above 3 are held"
        ) { .massDeleteGuard($0.count()) },
    ]
}

/// The lists of the manual beside the forms, from the tables that the reader itself uses.
extension ScenarioWords {
    /// A list: what it is of, and its rows.
    package typealias Table = (title: String, rows: [(words: String, meaning: String)])

    /// All lists.
    package static let tables: [Table] = [
        ("What the capitals stand for", parts), ("Fields", fields), ("Values", values),
        ("Units of time", units), ("Reasons, after `but is refused:` and `but fails:`", reasons),
        ("Words that are no names", words),
    ]

    /// Ways to write a value; `ScenarioField` says which go with a field.
    static let values = [
        (words: "\"Oat milk\"", meaning: "A text."),
        (words: "5", meaning: "A whole number; with a minus sign if it is below zero."),
        (words: "2026-12-01", meaning: "A day."),
        (words: "true", meaning: "Yes; no is `false`."),
        (words: "none", meaning: "Nothing: the field is cleared."),
        (words: "@milk", meaning: "Another item, by its name; it may be created later."),
        (
            words: "newer 5",
            meaning: "A value of a kind that only newer versions know; 0 to 255 tell such apart."
        ),
        (
            words: "long 60000",
            meaning: "A text of so many bytes, up to \(ScenarioLimits.longTextByteCountMax)."
        ),
        (
            words: "number \"1.5\"",
            meaning: "A value by the name of its kind and its text: "
                + Literal.namedKinds.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."
        ),
    ]

    private static var fields: [(words: String, meaning: String)] {
        ScenarioField.builtIn.map { field in
            let (what, hint) = ScenarioField.requirement(of: field)
            let only =
                field == ScenarioField.newer ? " Only newer versions have a column for it." : ""
            return (field, "Takes \(what): \(hint).\(only)")
        } + [("any other name", "A field of one's own: takes what it is given, or elements.")]
    }

    private static var units: [(words: String, meaning: String)] {
        ScenarioSpan.units.map { unit in
            (
                unit.words.joined(separator: ", "),
                Counted.words(Int(unit.milliseconds), "millisecond", isGrouped: true) + "."
            )
        }
    }

    private static var reasons: [(words: String, meaning: String)] {
        Refusal.allCases.map { ($0.rawValue, $0.meaning) }
    }

    private static var words: [(words: String, meaning: String)] {
        [
            (
                reservedForFields.sorted().joined(separator: " "),
                "Neither fields nor devices, items and backups; as elements they stand in quotes."
            ),
            (
                reserved.subtracting(reservedForFields).sorted().joined(separator: " "),
                "Not devices, items and backups; all other words may be, even `syncs`."
            ),
        ]
    }
}

extension Refusal {
    /// Its meaning, in a sentence.
    package var meaning: String {
        switch self {
        case .anyReason: "Any; the same as to give none."
        case .deleted: "The item is in the trash."
        case .purged: "The item is purged."
        case .notDeleted: "Only what is in the trash is purged, unless by force."
        case .overLimit: "A value or an item is larger than the store takes."
        case .missing: "There is no such item."
        case .exists: "The item is there already."
        case .conflict: "A conflict is open."
        case .diskFull: "The disk is full."
        case .corrupt: "The store is damaged."
        case .crashed: "The device crashed, or lost power, on the way."
        case .foreignSpace: "The two devices are of different spaces."
        case .unknownMessage: "One device said what the other neither knows nor may skip."
        case .deletesHeld: "One device holds deletes on a great scale until somebody accepts them."
        case .unreachable: "The link broke, or the other device is not there or not to be reached."
        }
    }
}
