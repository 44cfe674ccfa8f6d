/// What can be expected.
extension StoryWords {
    static let expectations: [StoryForm] = [
        .action(
            "expect WHO CLAIM", "What must be true of each of these devices now.",
            #"expect laptop and phone show milk title "Oat milk""#
        ) { .expect(Expectation($0.names(), $0.claim())) }
    ]

    static let claims: [StoryForm] = [
        .claim(
            "shows|show ITEM FIELD SHOWN", "The visible value; of a set all elements, or `empty`.",
            #"shows milk title "Oat milk""#
        ) { arguments in
            let item = arguments.name()
            let field = arguments.name()
            return arguments.claim(ofItem: item, field: field)
        },
        state("alive", "It is listed."), state("deleted", "It is in the trash."),
        state("purged", "Only the mark of a purge is left."), state("missing", "It is not known."),
        .claim(
            "has|have a conflict on ITEM FIELD",
            "The field has open versions; `deleted` is that of a delete against an edit.",
            "has a conflict on milk title"
        ) { .conflict(item: $0.name(), field: $0.name(), among: nil) },
        .claim(
            "has|have a conflict on ITEM FIELD between VALUES", "Exactly these versions are open.",
            #"has a conflict on milk title between "Oat milk" and "Soy milk""#
        ) { .conflict(item: $0.name(), field: $0.name(), among: $0.values()) },
        .claim("has|have no conflict on ITEM", "No field of it.", "has no conflict on milk") {
            .noConflict(item: $0.name())
        },
        .claim("has|have COUNT conflicts|conflict", "So many in all.", "has 2 conflicts") {
            .conflictCount($0.count())
        },
        .claim("has|have no conflicts", "None at all.", "has no conflicts") { _ in
            .conflictCount(0)
        },
        .claim("lists|list COUNT items|item", "So many are alive.", "lists 3 items") {
            .itemCount($0.count())
        },
        .claim("lists|list no items|item", "None is alive.", "lists no items") { _ in
            .itemCount(0)
        },
        .claim(
            "has|have COUNT items|item in the trash", "So many are deleted.",
            "has 1 item in the trash"
        ) { .trashCount($0.count()) },
        .claim("has|have no items|item in the trash", "None is.", "has no items in the trash") {
            _ in
            .trashCount(0)
        },
        .claim(
            "has|have COUNT changes|change set aside", "So many cannot be read yet.",
            "has 1 change set aside"
        ) { .parkedCount($0.count()) },
        .claim("has|have no changes|change set aside", "None is.", "has no changes set aside") {
            _ in
            .parkedCount(0)
        },
        .claim(
            "has|have had COUNT identities|identity", "Replica ids, the present one included.",
            "has had 2 identities"
        ) { .identityCount($0.count()) },
        .claim(
            "holds|hold COUNT versions|version of ITEM",
            "Of a relay: so many versions that nobody has merged.", "holds 2 versions of milk"
        ) {
            let count = $0.count()
            return .versionCount(item: $0.name(), count)
        },
        .claim(
            "has|have deletes held", "Somebody's deletes wait for a word.", "has deletes held"
        ) { _ in .deletesHeld(true) },
        .claim("has|have no deletes held", "Nobody's do.", "has no deletes held") { _ in
            .deletesHeld(false)
        },
        .claim(
            "agrees|agree", "The same records byte for byte, the same digest, the same knowledge.",
            "agrees"
        ) { _ in .agrees },
        .claim(
            "knows|know all of DEVICE", "Every write that the device has integrated.",
            "knows all of phone"
        ) { .knows($0.name()) },
        .claim(
            "sent COUNT changes|change in the last session",
            "Of whichever session it took part in.",
            "sent 0 changes in the last session"
        ) { .lastSessionChangeCount($0.count()) },
        .claim(
            "exchanged at most BYTES bytes|byte in the last session", "Both ways together.",
            "exchanged at most 300 bytes in the last session"
        ) { .lastSessionByteCountMax($0.count()) },
    ]

    private static func state(_ word: String, _ meaning: String) -> StoryForm {
        .claim("has|have ITEM \(word)", meaning, "has milk \(word)") {
            .holds(item: $0.name(), ItemState(rawValue: word) ?? .missing)
        }
    }
}
