import Core

/// Lines that say what holds for the whole story; they stand before the first action.
extension StoryWords {
    static let headings: [StoryForm] = [
        StoryForm("title TEXT", "What the story is about.", #"title "Two edits meet""#) {
            .title($0.text())
        },
        StoryForm(
            "policy deletes-win",
            "A delete wins over an edit of the same time; so it is without it.",
            "policy deletes-win"
        ) { _ in .policy(.deletesWin) },
        StoryForm(
            "policy edits-win", "An edit wins over a delete of the same time.", "policy edits-win"
        ) { _ in .policy(.editsWin) },
        StoryForm("seed SEED", "The number that all chance comes from; 1 without it.", "seed 42") {
            .seed($0.seed())
        },
        StoryForm(
            "lenient", "Whatever is refused is passed over, foreseen or not.", "lenient"
        ) { _ in .lenient },
        StoryForm(
            "devices DEVICES!", "Devices of one space, which know of each other.",
            "devices laptop, phone and tablet"
        ) { .devices(($0.names() ?? []).map { DeviceTraits($0) }) },
        StoryForm("device DEVICE!", "One device.", "device laptop") {
            .devices([DeviceTraits($0.name())])
        },
        StoryForm(
            "device DEVICE! TRAITS",
            "A device that `flushes every commit`, `runs a newer version` or `is of another space`.",
            "device server flushes every commit and runs a newer version"
        ) { arguments in
            let name = arguments.name()
            var traits = arguments.traits()
            traits.name = name
            return .devices([traits])
        },
        StoryForm(
            "relay RELAY!", "A relay, at which devices leave for each other what they have.",
            "relay harbor"
        ) { .devices([DeviceTraits($0.name(), isRelay: true)]) },
        StoryForm("relays RELAYS!", "Several relays.", "relays harbor and depot") {
            .devices(($0.names() ?? []).map { DeviceTraits($0, isRelay: true) })
        },
        StoryForm(
            "devices meet only at relays",
            "When everyone syncs, and at the end, only relays are met.",
            "devices meet only at relays"
        ) { _ in .meetingOnlyAtRelays },
        StoryForm(
            "nothing is encrypted",
            "The space has no secret: relays could read all, and must be honest.",
            "nothing is encrypted"
        ) { _ in .plain },
        StoryForm(
            "deletes above COUNT are held",
            "More deletes than that, and of more than half of the items, wait for a word; 20 without it.",
            "deletes above 3 are held"
        ) { .brake($0.count()) },
    ]
}
