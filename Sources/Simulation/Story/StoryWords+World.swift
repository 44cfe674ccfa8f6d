/// What the network, machines and clocks do.
extension StoryWords {
    static let network: [StoryForm] = [
        .action(
            "the link of DEVICE and DEVICE breaks",
            "Open sessions end, what is on its way is lost; the next session finds a whole link.",
            "the link of laptop and phone breaks"
        ) { .cut($0.name(), $0.name()) },
        .action(
            "the link of DEVICE and DEVICE breaks after BYTES bytes|byte",
            "It breaks after so many more bytes, of the present or the next session.",
            "the link of laptop and phone breaks after 120 bytes"
        ) { .cutAfter($0.name(), $0.name(), bytes: $0.count()) },
        .action(
            "messages from DEVICE to DEVICE take SPAN to SPAN",
            "They arrive that late, as chance has it.",
            "messages from laptop to phone take 5 ms to 2 seconds"
        ) { .delay(from: $0.name(), to: $0.name(), least: $0.number(), most: $0.number()) },
        .action(
            "DEVICE cannot reach DEVICE",
            "Until it can again what it sends waits, one way, and new sessions fail; nothing is lost.",
            "laptop cannot reach phone"
        ) { .block(from: $0.name(), to: $0.name()) },
        .action(
            "DEVICE can reach DEVICE again", "The block is taken away; what waited goes on.",
            "laptop can reach phone again"
        ) { .unblock(from: $0.name(), to: $0.name()) },
        .action(
            "the network splits into GROUPS",
            "Only devices of one group reach each other; groups are parted by `and`.",
            "the network splits into laptop, phone and tablet"
        ) { .partition($0.groups()) },
        .action(
            "the network is whole again", "No split, block or delay is left.",
            "the network is whole again"
        ) { _ in .wholeNetwork },
        .action(
            "a bit flips on the way from DEVICE to DEVICE",
            "In what is on its way, or else in what comes next.",
            "a bit flips on the way from laptop to phone"
        ) { .corrupt(from: $0.name(), to: $0.name()) },
        .action(
            "DEVICE loses its end of the link to DEVICE", "The other end is told nothing.",
            "laptop loses its end of the link to phone"
        ) { .loseEnd($0.name(), of: $0.name()) },
    ]

    static let machines: [StoryForm] = [
        .action("DEVICE closes", "Its program ends in order.", "laptop closes") {
            .close($0.name())
        },
        .action("DEVICE opens", "Its program starts.", "laptop opens") { .open($0.name()) },
        .action("DEVICE crashes", "The program is killed.", "laptop crashes") {
            .crash($0.name())
        },
        .action(
            "DEVICE crashes after COUNT disk writes|write",
            "The program is killed after so many writes, of what it does from now on.",
            "laptop crashes after 7 disk writes"
        ) { .crashAfter($0.name(), writes: $0.count()) },
        .action("DEVICE loses power", "What is not flushed is lost.", "laptop loses power") {
            .losePower($0.name())
        },
        .action(
            "DEVICE loses power after COUNT disk writes|write",
            "The power fails after so many writes.",
            "laptop loses power after 7 disk writes"
        ) { .losePowerAfter($0.name(), writes: $0.count()) },
        .action(
            "DEVICE is copied to DEVICE!",
            "The folder, to another machine that is new in the story.",
            "laptop is copied to twin"
        ) { .copy($0.name(), to: $0.name()) },
        .action(
            "DEVICE is backed up as BACKUP!", "A copy of the folder is put aside.",
            "laptop is backed up as monday"
        ) { .backUp($0.name(), name: $0.name()) },
        .action(
            "DEVICE is restored from BACKUP", "As new files with the old names.",
            "laptop is restored from monday"
        ) { .restoreBackup($0.name(), name: $0.name(), .replaced) },
        .action(
            "DEVICE is restored from BACKUP in place", "Over the old bytes, in the same files.",
            "laptop is restored from monday in place"
        ) { .restoreBackup($0.name(), name: $0.name(), .inPlace) },
        .action(
            "DEVICE is restored from BACKUP database alone",
            "The database alone, beside the newer stamp.",
            "laptop is restored from monday database alone"
        ) { .restoreBackup($0.name(), name: $0.name(), .databaseAlone) },
        .action(
            "DEVICE is restored from BACKUP unnoticed",
            "With the whole machine, so that nothing can tell.",
            "laptop is restored from monday unnoticed"
        ) { .restoreBackup($0.name(), name: $0.name(), .unnoticed) },
        .action(
            "the disk of DEVICE has BYTES bytes|byte left", "Writes beyond that fail.",
            "the disk of laptop has 20000 bytes left"
        ) { .limitDisk($0.name(), bytes: $0.count()) },
        .action(
            "the disk of DEVICE has room again", "Writes go well again.",
            "the disk of laptop has room again"
        ) { .limitDisk($0.name(), bytes: nil) },
        .action(
            "DEVICE accepts the deletes", "Those that it holds: the next session takes them.",
            "laptop accepts the deletes"
        ) { .acceptDeletes(device: $0.name()) },
        .action(
            "DEVICE runs for COUNT days|day",
            "So many days go by; on each it purges what has long been in its trash.",
            "laptop runs for 40 days"
        ) { .runDays(device: $0.name(), $0.count()) },
        .action(
            "a bit flips on the disk of DEVICE", "One bit of its files, as chance has it.",
            "a bit flips on the disk of laptop"
        ) { .flipBit($0.name()) },
    ]

    static let clocks: [StoryForm] = [
        .action(
            "the clock of DEVICE is set to DATE", "Noon of that day, UTC.",
            "the clock of laptop is set to 2001-01-01"
        ) { .setClock($0.name(), day: $0.day()) },
        .action(
            "the clock of DEVICE jumps by SHIFT", "Forward, or backward with a minus sign.",
            "the clock of laptop jumps by -3 hours"
        ) { .shiftClock($0.name(), milliseconds: $0.number()) },
        .action(
            "the clock of DEVICE drifts by PPM ppm", "It goes faster, or slower with a minus sign.",
            "the clock of laptop drifts by 500 ppm"
        ) { .driftClock($0.name(), partsPerMillion: $0.number()) },
    ]

    static let strangers: [StoryForm] = [
        .action(
            "DEVICE is upgraded", "From its next opening on it runs the newer version.",
            "laptop is upgraded"
        ) { .upgrade($0.name()) },
        .action(
            "DEVICE creates ITEM! of a newer kind",
            "In a collection that older versions do not know.",
            "laptop creates gadget of a newer kind"
        ) { .createNewer(device: $0.name(), item: $0.name()) },
        .action(
            "DEVICE sends DEVICE a message of an unknown kind",
            "One that may not be skipped: the session, or the next, ends with an error.",
            "laptop sends phone a message of an unknown kind"
        ) { .sendUnknown(from: $0.name(), to: $0.name()) },
        .action(
            "DEVICE receives something unreadable about ITEM!",
            "A change of a version that nobody here can read.",
            "laptop receives something unreadable about milk"
        ) { .receiveUnreadable(device: $0.name(), item: $0.name()) },
        .action(
            "a stranger sends garbage to DEVICE", "Bytes that are no message.",
            "a stranger sends garbage to phone"
        ) { .attack(.garbage, on: $0.name()) },
        .action(
            "a stranger calls DEVICE and falls silent", "Greets properly and never answers.",
            "a stranger calls phone and falls silent"
        ) { .attack(.silence, on: $0.name()) },
        .action(
            "a stranger claims to be DEVICE to DEVICE", "Greets with the other's replica id.",
            "a stranger claims to be laptop to phone"
        ) { .attack(.impersonation(of: $0.name()), on: $0.name()) },
        .action(
            "a stranger claims to know everything to DEVICE",
            "States to have all, and sends nothing.",
            "a stranger claims to know everything to phone"
        ) { .attack(.falseStatement, on: $0.name()) },
        .action(
            "a stranger sends nonsense about ITEM! to DEVICE", "Changes that nobody can read.",
            "a stranger sends nonsense about milk to phone"
        ) { .attack(.nonsense(item: $0.name()), on: $0.name()) },
        .action(
            "an empty stranger calls DEVICE", "An empty replica of the same space.",
            "an empty stranger calls phone"
        ) { .attack(.emptiness, on: $0.name()) },
    ]
}
