import Core
import Simulation
import Testing

@Suite("Forms of the scenario language")
struct StoryFormTests {
    /// Devices and items that the lines of the table speak of.
    static let beginning = """
        devices laptop, phone and tablet
        laptop creates milk title "Milk"
        laptop is backed up as monday

        """

    /// Each form and what it says.
    static let actions: [(line: String, action: Action)] = [
        ("laptop creates egg", .create(device: "laptop", item: "egg", [])),
        (
            #"laptop creates egg title "Egg" priority 2 due 2026-12-01 parent @milk tags +a1 +"b c""#,
            .create(
                device: "laptop", item: "egg",
                [
                    .value(field: "title", .text("Egg")), .value(field: "priority", .number(2)),
                    .value(field: "due", .day(20788)), .value(field: "parent", .item("milk")),
                    .add(field: "tags", element: "a1"), .add(field: "tags", element: "b c"),
                ])
        ),
        (
            #"laptop edits milk title "Oat milk" notes none tags -shop colour newer 5 x true y -3"#,
            .edit(
                device: "laptop", item: "milk",
                [
                    .value(field: "title", .text("Oat milk")), .value(field: "notes", .none),
                    .remove(field: "tags", element: "shop"), .value(field: "colour", .newer(5)),
                    .value(field: "x", .bool(true)), .value(field: "y", .number(-3)),
                ])
        ),
        (
            #"laptop retitles milk "Oat""#,
            .edit(device: "laptop", item: "milk", [.value(field: "title", .text("Oat"))])
        ),
        (
            #"laptop moves milk to "Work""#,
            .edit(device: "laptop", item: "milk", [.value(field: "project", .text("Work"))])
        ),
        (
            "laptop tags milk shop, food and drinks",
            .edit(
                device: "laptop", item: "milk",
                ["shop", "food", "drinks"].map { .add(field: "tags", element: $0) })
        ),
        (
            "laptop untags milk shop",
            .edit(device: "laptop", item: "milk", [.remove(field: "tags", element: "shop")])
        ),
        ("laptop completes milk", .complete(device: "laptop", item: "milk")),
        ("laptop reopens milk", .reopen(device: "laptop", item: "milk")),
        ("laptop deletes milk", .delete(device: "laptop", item: "milk")),
        ("laptop restores milk", .restore(device: "laptop", item: "milk")),
        ("laptop purges milk", .purge(device: "laptop", item: "milk", isForced: false)),
        ("laptop purges milk by force", .purge(device: "laptop", item: "milk", isForced: true)),
        (
            #"laptop resolves milk title to "Oat""#,
            .resolve(device: "laptop", item: "milk", field: "title", to: .text("Oat"))
        ),
        (
            "laptop resolves milk deleted to true",
            .resolve(device: "laptop", item: "milk", field: "deleted", to: .bool(true))
        ),
        ("laptop opens milk in the editor", .openEditor(device: "laptop", item: "milk")),
        (
            #"laptop saves milk with title "Oat""#,
            .saveEditor(
                device: "laptop", item: "milk", [.value(field: "title", .text("Oat"))])
        ),
        ("laptop syncs with phone", .sync("laptop", "phone")),
        ("phone syncs with laptop", .sync("phone", "laptop")),
        ("laptop starts to sync with phone", .startSync("laptop", "phone")),
        ("laptop connects to phone", .connect("laptop", "phone")),
        ("laptop disconnects from phone", .disconnect("laptop", "phone")),
        ("everyone syncs", .syncAll),
        ("everything arrives", .settle),
        ("wait 3 days", .wait(milliseconds: 3 * 86_400_000)),
        ("the link of laptop and phone breaks", .cut("laptop", "phone")),
        (
            "the link of laptop and phone breaks after 120 bytes",
            .cutAfter("laptop", "phone", bytes: 120)
        ),
        (
            "messages from laptop to phone take 5 ms to 2 s",
            .delay(from: "laptop", to: "phone", least: 5, most: 2_000)
        ),
        ("laptop cannot reach phone", .block(from: "laptop", to: "phone")),
        ("laptop can reach phone again", .unblock(from: "laptop", to: "phone")),
        (
            "the network splits into laptop, phone and tablet",
            .partition([["laptop", "phone"], ["tablet"]])
        ),
        ("the network is whole again", .wholeNetwork),
        (
            "a bit flips on the way from laptop to phone",
            .corrupt(from: "laptop", to: "phone")
        ),
        ("laptop loses its end of the link to phone", .loseEnd("laptop", of: "phone")),
        ("laptop closes", .close("laptop")),
        ("laptop opens", .open("laptop")),
        ("laptop crashes", .crash("laptop")),
        ("laptop crashes after 7 disk writes", .crashAfter("laptop", writes: 7)),
        ("laptop loses power", .losePower("laptop")),
        ("laptop loses power after 1 disk write", .losePowerAfter("laptop", writes: 1)),
        ("laptop is copied to twin", .copy("laptop", to: "twin")),
        ("laptop is backed up as tuesday", .backUp("laptop", name: "tuesday")),
        ("laptop is restored from monday", .restoreBackup("laptop", name: "monday", .replaced)),
        (
            "laptop is restored from monday in place",
            .restoreBackup("laptop", name: "monday", .inPlace)
        ),
        (
            "laptop is restored from monday database alone",
            .restoreBackup("laptop", name: "monday", .databaseAlone)
        ),
        (
            "laptop is restored from monday unnoticed",
            .restoreBackup("laptop", name: "monday", .unnoticed)
        ),
        ("the disk of laptop has 20000 bytes left", .limitDisk("laptop", bytes: 20_000)),
        ("the disk of laptop has room again", .limitDisk("laptop", bytes: nil)),
        ("a bit flips on the disk of laptop", .flipBit("laptop")),
        ("the clock of laptop is set to 2001-01-01", .setClock("laptop", day: 11_323)),
        (
            "the clock of laptop jumps by -3 hours",
            .shiftClock("laptop", milliseconds: -10_800_000)
        ),
        ("the clock of laptop drifts by -500 ppm", .driftClock("laptop", partsPerMillion: -500)),
        ("laptop is upgraded", .upgrade("laptop")),
        (
            "laptop creates gadget of a newer kind",
            .createNewer(device: "laptop", item: "gadget")
        ),
        (
            "laptop sends phone a message of an unknown kind",
            .sendUnknown(from: "laptop", to: "phone")
        ),
        (
            "laptop receives something unreadable about egg",
            .receiveUnreadable(device: "laptop", item: "egg")
        ),
        ("a stranger sends garbage to phone", .attack(.garbage, on: "phone")),
        ("a stranger calls phone and falls silent", .attack(.silence, on: "phone")),
        (
            "a stranger claims to be laptop to phone",
            .attack(.impersonation(of: "laptop"), on: "phone")
        ),
        (
            "a stranger claims to know everything to phone", .attack(.falseStatement, on: "phone")
        ),
        (
            "a stranger sends nonsense about egg to phone",
            .attack(.nonsense(item: "egg"), on: "phone")
        ),
        ("an empty stranger calls phone", .attack(.emptiness, on: "phone")),
    ]

    /// Each claim, for one device.
    static let claims: [(line: String, claim: Claim)] = [
        (
            #"shows milk title "Oat milk""#,
            .shows(item: "milk", field: "title", .text("Oat milk"))
        ),
        ("shows milk due none", .shows(item: "milk", field: "due", .none)),
        ("shows milk parent @milk", .shows(item: "milk", field: "parent", .item("milk"))),
        (
            #"shows milk tags shop, "b c" and food"#,
            .showsSet(item: "milk", field: "tags", elements: ["b c", "food", "shop"])
        ),
        ("shows milk tags empty", .showsSet(item: "milk", field: "tags", elements: [])),
        ("has milk alive", .holds(item: "milk", .alive)),
        ("has milk deleted", .holds(item: "milk", .deleted)),
        ("has milk purged", .holds(item: "milk", .purged)),
        ("has egg missing", .holds(item: "egg", .missing)),
        (
            "has a conflict on milk title", .conflict(item: "milk", field: "title", among: nil)
        ),
        (
            #"has a conflict on milk title between "Oat milk", none and "Soy milk""#,
            .conflict(
                item: "milk", field: "title",
                among: [.text("Oat milk"), .none, .text("Soy milk")])
        ),
        (
            "has a conflict on milk deleted", .conflict(item: "milk", field: "deleted", among: nil)
        ),
        ("has no conflict on milk", .noConflict(item: "milk")),
        ("has 2 conflicts", .conflictCount(2)),
        ("has no conflicts", .conflictCount(0)),
        ("lists 3 items", .itemCount(3)),
        ("lists no items", .itemCount(0)),
        ("has 1 item in the trash", .trashCount(1)),
        ("has no items in the trash", .trashCount(0)),
        ("has 1 change set aside", .parkedCount(1)),
        ("has no changes set aside", .parkedCount(0)),
        ("has had 2 identities", .identityCount(2)),
        ("agrees", .agrees),
        ("knows all of phone", .knows("phone")),
        ("sent 0 changes in the last session", .lastSessionChangeCount(0)),
        ("exchanged at most 300 bytes in the last session", .lastSessionByteCountMax(300)),
    ]

    /// Forms that speak of relays.
    static let relays: [(line: String, action: Action)] = [
        ("laptop visits harbor", .visit(device: "laptop", relay: "harbor")),
        ("laptop connects to harbor", .connect("laptop", "harbor")),
        ("laptop starts to sync with harbor", .startSync("laptop", "harbor")),
        ("harbor is wiped", .wipe(relay: "harbor")),
        ("laptop changes the secret", .changeSecret(device: "laptop")),
        ("phone learns the secret", .learnSecret(device: "phone")),
        ("harbor withholds every second change", .lie(relay: "harbor", .withholding)),
        (
            "harbor withholds everything from phone",
            .lie(relay: "harbor", .withholdingFrom(device: "phone"))
        ),
        ("harbor repeats old changes", .lie(relay: "harbor", .repeating)),
        ("harbor tampers with bodies", .lie(relay: "harbor", .tampering)),
        ("harbor swaps records", .lie(relay: "harbor", .swappingRecords)),
        ("harbor raises clocks", .lie(relay: "harbor", .raisingClocks)),
        ("harbor replays old statements", .lie(relay: "harbor", .replayingStatements)),
        ("harbor swaps statements", .lie(relay: "harbor", .swappingStatements)),
        ("harbor claims to have everything", .lie(relay: "harbor", .claimingUploads)),
        ("harbor claims to have sent everything", .lie(relay: "harbor", .claimingReads)),
        ("harbor keeps letters back", .lie(relay: "harbor", .keepingLetters)),
        ("harbor is honest again", .beHonest(relay: "harbor")),
        (
            "expect harbor holds 2 versions of milk",
            .expect(Expectation(["harbor"], .versionCount(item: "milk", 2)))
        ),
    ]

    @Test("each form about relays reads, and is written as it was", arguments: relays.indices)
    func readsRelays(row: Int) throws {
        let (line, action) = Self.relays[row]
        let text = "devices laptop and phone\nrelay harbor\nlaptop creates milk\n" + line
        let step = try StoryReader.read(text).steps.last
        #expect(step == Step(action))
        #expect(step.map { StoryWriter.text(of: $0) } == line)
    }

    @Test("a relay does not do what devices do, nor a device what relays do")
    func tellsThemApart() {
        let head = "devices laptop and phone\nrelay harbor\n"
        for (line, message) in [
            ("laptop syncs with harbor", "`harbor` is a relay"),
            ("harbor connects to laptop", "`harbor` is a relay"),
            ("harbor creates milk", "`harbor` is a relay"),
            ("harbor is copied to twin", "`harbor` is a relay"),
            ("laptop visits phone", "`phone` is no relay"),
            ("laptop is wiped", "`laptop` is no relay"),
            ("laptop raises clocks", "`laptop` is no relay"),
            ("expect harbor agrees", "`harbor` is a relay"),
        ] {
            let fault = StoryFaultTests.faults(head + line)?.faults.first
            #expect(fault?.message == message, "\(line)")
        }
    }

    /// The step of one line after the beginning.
    static func step(_ line: String) throws(StoryFaults) -> Step? {
        try StoryReader.read(beginning + line).steps.last
    }

    @Test("each form reads to its action", arguments: actions.indices)
    func readsActions(row: Int) throws {
        let (line, action) = Self.actions[row]
        #expect(try Self.step(line) == Step(action))
    }

    @Test("each claim reads, of one device, of several and of everyone", arguments: claims.indices)
    func readsClaims(row: Int) throws {
        let (line, claim) = Self.claims[row]
        let several = line.replacing("has ", with: "have ").replacing("shows", with: "show")
            .replacing("lists", with: "list").replacing("agrees", with: "agree")
            .replacing("knows", with: "know")
        for (words, who) in [("laptop", ["laptop"]), ("everyone", nil)] {
            let expectation = Expectation(who, claim)
            #expect(try Self.step("expect \(words) \(line)")?.action == .expect(expectation))
        }
        let expectation = Expectation(["laptop", "phone"], claim)
        let read = try Self.step("expect laptop and phone \(several)")
        #expect(read?.action == .expect(expectation))
    }
}
