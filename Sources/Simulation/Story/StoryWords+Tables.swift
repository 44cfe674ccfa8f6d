/// What the manual lists beside the forms, from the tables that the reader itself goes by.
extension StoryWords {
    /// A list: what it is of, and its rows.
    package typealias Table = (title: String, rows: [(words: String, meaning: String)])

    /// All lists.
    package static let tables: [Table] = [
        ("What the capitals stand for", parts), ("Fields", fields), ("Values", values),
        ("Units of time", units), ("Reasons, after `but is refused:` and `but fails:`", reasons),
        ("Words that are no names", words),
    ]

    /// Ways to write a value; `StoryField` says which go with a field.
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
    ]

    private static var fields: [(words: String, meaning: String)] {
        StoryField.builtIn.map { field in
            let (what, hint) = StoryField.requirement(of: field)
            let only = field == StoryField.newer ? " Only newer versions have a column for it." : ""
            return (field, "Takes \(what): \(hint).\(only)")
        } + [("any other name", "A field of one's own: takes what it is given, or elements.")]
    }

    private static var units: [(words: String, meaning: String)] {
        StorySpan.units.map { unit in
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
    /// What it means, in a sentence.
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
