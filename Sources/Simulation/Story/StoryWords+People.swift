/// What people do with items, and how devices meet.
extension StoryWords {
    static let people: [StoryForm] = [
        .program("DEVICE creates ITEM!", "Makes a to-do without fields.", "laptop creates milk") {
            .create(device: $0.name(), item: $0.name(), [])
        },
        .program(
            "DEVICE creates ITEM! SETTINGS", "Makes a to-do with these fields.",
            #"laptop creates milk title "Buy milk" due 2026-12-01 tags +shop +food"#
        ) { .create(device: $0.name(), item: $0.name(), $0.settings()) },
        .program(
            "DEVICE edits ITEM SETTINGS",
            "Sets fields; `none` clears one, `tags +x -y` edits a set.",
            #"laptop edits milk title "Oat milk" notes none tags -shop"#
        ) { .edit(device: $0.name(), item: $0.name(), $0.settings()) },
        .program("DEVICE retitles ITEM TEXT", "Edits the title.", #"laptop retitles milk "Oat""#) {
            .edit(
                device: $0.name(), item: $0.name(), [.value(field: "title", .text($0.text()))])
        },
        .program(
            "DEVICE moves ITEM to TEXT", "Edits the project.", #"laptop moves milk to "Home""#
        ) {
            .edit(
                device: $0.name(), item: $0.name(), [.value(field: "project", .text($0.text()))])
        },
        .program("DEVICE tags ITEM ELEMENTS", "Adds tags.", "laptop tags milk shop and food") {
            .edit(
                device: $0.name(), item: $0.name(),
                $0.elements().map { .add(field: "tags", element: $0) })
        },
        .program("DEVICE untags ITEM ELEMENTS", "Takes tags away.", "laptop untags milk shop") {
            .edit(
                device: $0.name(), item: $0.name(),
                $0.elements().map { .remove(field: "tags", element: $0) })
        },
        .program("DEVICE completes ITEM", "Marks it as done.", "laptop completes milk") {
            .complete(device: $0.name(), item: $0.name())
        },
        .program("DEVICE reopens ITEM", "Marks it as not done.", "laptop reopens milk") {
            .reopen(device: $0.name(), item: $0.name())
        },
        .program("DEVICE deletes ITEM", "Puts it into the trash.", "laptop deletes milk") {
            .delete(device: $0.name(), item: $0.name())
        },
        .program("DEVICE restores ITEM", "Takes it out of the trash.", "laptop restores milk") {
            .restore(device: $0.name(), item: $0.name())
        },
        .program("DEVICE purges ITEM", "Removes it for good.", "laptop purges milk") {
            .purge(device: $0.name(), item: $0.name(), isForced: false)
        },
        .program(
            "DEVICE purges ITEM by force", "Removes it for good, in spite of a conflict.",
            "laptop purges milk by force"
        ) { .purge(device: $0.name(), item: $0.name(), isForced: true) },
        .program(
            "DEVICE resolves ITEM FIELD to VALUE", "Ends a conflict with this value.",
            #"laptop resolves milk title to "Oat milk""#
        ) { .resolve(device: $0.name(), item: $0.name(), field: $0.name(), to: $0.value()) },
        .action(
            "DEVICE opens ITEM in the editor", "The editor takes down the fields as shown.",
            "laptop opens milk in the editor"
        ) { .openEditor(device: $0.name(), item: $0.name()) },
        .action(
            "DEVICE saves ITEM with SETTINGS", "The editor saves what was changed in it.",
            #"laptop saves milk with title "Oat milk""#
        ) { .saveEditor(device: $0.name(), item: $0.name(), $0.settings()) },
    ]

    static let meetings: [StoryForm] = [
        .action("DEVICE syncs with DEVICE", "A whole session.", "laptop syncs with phone") {
            .sync($0.name(), $0.name())
        },
        .action(
            "DEVICE starts to sync with DEVICE",
            "A session that goes on while other things happen.",
            "laptop starts to sync with phone"
        ) { .startSync($0.name(), $0.name()) },
        .action(
            "DEVICE connects to DEVICE", "A live session, which stays open.",
            "laptop connects to phone"
        ) { .connect($0.name(), $0.name()) },
        .action(
            "DEVICE disconnects from DEVICE", "All their sessions end in order.",
            "laptop disconnects from phone"
        ) { .disconnect($0.name(), $0.name()) },
        .action(
            "everyone syncs", "All pairs that can meet, until nothing is left to say.",
            "everyone syncs"
        ) { _ in .syncAll },
        .action(
            "everything arrives", "What is on its way arrives, and what follows from it.",
            "everything arrives"
        ) { _ in .settle },
        .action("wait SPAN", "Time passes.", "wait 3 days") { .wait(milliseconds: $0.number()) },
    ]
}
