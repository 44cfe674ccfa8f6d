/// The language: every form of a statement, a claim and a heading, each with what it says.
///
/// Readers walk along these tables, hints come from them, and programs show them.
package enum StoryWords {
    /// All forms of lines: headings first, then what can happen, by topic.
    package static let lines: [(topic: String, forms: [StoryForm])] = [
        ("Headings", headings), ("People", people), ("Meetings", meetings), ("Network", network),
        ("Machines", machines), ("Clocks", clocks), ("Versions and strangers", strangers),
        ("Expectations", expectations), ("What can be expected", claims),
    ]

    static let statementTree = StoryTree(
        headings + people + meetings + network + machines + clocks + strangers + expectations)

    static let claimTree = StoryTree(claims)

    /// Words that fields cannot have as their names.
    static let reservedForFields: Set<String> = [
        "and", "but", "of", "to", "between", "none", "true", "false", "newer", "empty", "relay",
    ]

    /// Words that devices, items and backups cannot have as their names.
    static let reserved: Set<String> = reservedForFields.union([
        "everyone", "everything", "another", "the", "a", "an", "expect", "wait", "messages",
        "title", "policy", "seed", "lenient", "device", "devices", "no", "had", "with", "by",
        "from", "relays",
    ])

    /// How a statement may go on after its form.
    package static let endings = [
        (words: "… but is refused", meaning: "It is meant to be refused, for whatever reason."),
        (words: "… but is refused: deleted", meaning: "It is meant to be refused for this reason."),
        (words: "… but fails: unreachable", meaning: "The same, where `fails` is the better word."),
    ]

    /// How a statement of a program may begin.
    package static let beginnings = [
        (
            words: "another program on DEVICE …",
            meaning: "A second program on the same device does it, on the same store."
        )
    ]
}
