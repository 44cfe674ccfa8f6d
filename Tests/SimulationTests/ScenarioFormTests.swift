import Core
import Simulation
import Testing

@Suite("Forms of the scenario language")
struct ScenarioFormTests {
    /// Devices and items that the lines of the table speak of.
    static let beginning = """
        devices laptop, phone and tablet
        laptop creates milk title "Milk"
        laptop is backed up as monday

        """

    /// Each form and what it says.
    static let events: [(line: String, event: ScenarioEvent)] = [
        ("laptop creates egg", .edit(.create(device: "laptop", item: "egg", []))),
        (
            #"laptop creates egg title "Egg" priority 2 due 2026-12-01 parent @milk tags +a1 +"b c""#,
            .edit(
                .create(
                    device: "laptop", item: "egg",
                    [
                        .value(field: "title", .text("Egg")), .value(field: "priority", .number(2)),
                        .value(field: "due", .day(20788)), .value(field: "parent", .item("milk")),
                        .add(field: "tags", element: "a1"), .add(field: "tags", element: "b c"),
                    ]))
        ),
        (
            #"laptop edits milk title "Oat milk" notes none tags -shop colour newer 5 x true y -3"#,
            .edit(
                .edit(
                    device: "laptop", item: "milk",
                    [
                        .value(field: "title", .text("Oat milk")), .value(field: "notes", .none),
                        .remove(field: "tags", element: "shop"), .value(field: "colour", .newer(5)),
                        .value(field: "x", .bool(true)), .value(field: "y", .number(-3)),
                    ]))
        ),
        (
            #"laptop retitles milk "Oat""#,
            .edit(.edit(device: "laptop", item: "milk", [.value(field: "title", .text("Oat"))]))
        ),
        (
            #"laptop moves milk to "Work""#,
            .edit(.edit(device: "laptop", item: "milk", [.value(field: "project", .text("Work"))]))
        ),
        (
            "laptop tags milk shop, food and drinks",
            .edit(
                .edit(
                    device: "laptop", item: "milk",
                    ["shop", "food", "drinks"].map { .add(field: "tags", element: $0) }))
        ),
        (
            "laptop untags milk shop",
            .edit(.edit(device: "laptop", item: "milk", [.remove(field: "tags", element: "shop")]))
        ),
        ("laptop completes milk", .edit(.complete(device: "laptop", item: "milk"))),
        ("laptop reopens milk", .edit(.reopen(device: "laptop", item: "milk"))),
        ("laptop deletes milk", .edit(.delete(device: "laptop", item: "milk"))),
        ("laptop restores milk", .edit(.restore(device: "laptop", item: "milk"))),
        ("laptop purges milk", .edit(.purge(device: "laptop", item: "milk", isForced: false))),
        (
            "laptop purges milk by force",
            .edit(.purge(device: "laptop", item: "milk", isForced: true))
        ),
        (
            "laptop copies milk as oat", .edit(.copy(device: "laptop", item: "milk", to: "oat"))
        ),
        (
            #"laptop resolves milk title to "Oat""#,
            .edit(.resolve(device: "laptop", item: "milk", field: "title", to: .text("Oat")))
        ),
        (
            "laptop resolves milk deleted to true",
            .edit(.resolve(device: "laptop", item: "milk", field: "deleted", to: .bool(true)))
        ),
        ("laptop opens milk in the editor", .edit(.openEditor(device: "laptop", item: "milk"))),
        (
            #"laptop upserts egg title "Egg" notes long 60000"#,
            .edit(
                .upsert(
                    device: "laptop", item: "egg",
                    [.value(field: "title", .text("Egg")), .value(field: "notes", .long(60_000))]))
        ),
        ("laptop takes back what phone did", .deletion(.takeBack(device: "laptop", of: "phone"))),
        (
            #"laptop saves milk with title "Oat""#,
            .edit(
                .saveEditor(
                    device: "laptop", item: "milk", [.value(field: "title", .text("Oat"))]))
        ),
        ("laptop syncs with phone", .meeting(.sync("laptop", "phone"))),
        ("phone syncs with laptop", .meeting(.sync("phone", "laptop"))),
        ("laptop starts to sync with phone", .meeting(.startSync("laptop", "phone"))),
        ("laptop connects to phone", .meeting(.connect("laptop", "phone"))),
        ("laptop disconnects from phone", .meeting(.disconnect("laptop", "phone"))),
        ("everyone syncs", .meeting(.syncAll)),
        ("everything arrives", .meeting(.settle)),
        ("wait 3 days", .meeting(.wait(milliseconds: 3 * 86_400_000))),
        ("the link of laptop and phone breaks", .link(.cut("laptop", "phone"))),
        (
            "the link of laptop and phone breaks after 120 bytes",
            .link(.cutAfter("laptop", "phone", bytes: 120))
        ),
        (
            "messages from laptop to phone take 5 ms to 2 s",
            .link(.delay(from: "laptop", to: "phone", least: 5, most: 2_000))
        ),
        ("laptop cannot reach phone", .link(.block(from: "laptop", to: "phone"))),
        ("laptop can reach phone again", .link(.unblock(from: "laptop", to: "phone"))),
        (
            "the network splits into laptop, phone and tablet",
            .link(.partition([["laptop", "phone"], ["tablet"]]))
        ),
        ("the network is whole again", .link(.wholeNetwork)),
        (
            "a bit flips on the way from laptop to phone",
            .link(.corrupt(from: "laptop", to: "phone"))
        ),
        ("laptop loses its end of the link to phone", .link(.loseEnd("laptop", of: "phone"))),
        ("messages from laptop to phone are lost", .link(.lose(from: "laptop", to: "phone"))),
        ("laptop closes", .machine(.close("laptop"))),
        ("laptop opens", .machine(.open("laptop"))),
        ("laptop crashes", .machine(.crash("laptop"))),
        ("laptop crashes after 7 disk writes", .machine(.crashAfter("laptop", writes: 7))),
        ("laptop loses power", .machine(.losePower("laptop"))),
        ("laptop loses power after 1 disk write", .machine(.losePowerAfter("laptop", writes: 1))),
        ("laptop is copied to twin", .machine(.copy("laptop", to: "twin"))),
        ("laptop is backed up as tuesday", .machine(.backUp("laptop", name: "tuesday"))),
        (
            "laptop is restored from monday",
            .machine(.restoreBackup("laptop", name: "monday", .replaced))
        ),
        (
            "laptop is restored from monday in place",
            .machine(.restoreBackup("laptop", name: "monday", .overwriting))
        ),
        (
            "laptop is restored from monday database alone",
            .machine(.restoreBackup("laptop", name: "monday", .databaseAlone))
        ),
        (
            "laptop is restored from monday unnoticed",
            .machine(.restoreBackup("laptop", name: "monday", .unnoticed))
        ),
        ("the disk of laptop has 20000 bytes left", .disk(.limitDisk("laptop", bytes: 20_000))),
        ("the disk of laptop has room again", .disk(.limitDisk("laptop", bytes: nil))),
        ("a bit flips on the disk of laptop", .disk(.flipBit("laptop"))),
        ("the clock of laptop is set to 2001-01-01", .clock(.setClock("laptop", day: 11_323))),
        (
            "the clock of laptop jumps by -3 hours",
            .clock(.shiftClock("laptop", milliseconds: -10_800_000))
        ),
        (
            "the clock of laptop drifts by -500 ppm",
            .clock(.driftClock("laptop", partsPerMillion: -500))
        ),
        ("laptop is upgraded", .version(.upgrade("laptop"))),
        (
            "laptop creates gadget of a newer kind",
            .version(.createNewer(device: "laptop", item: "gadget"))
        ),
        (
            "laptop sends phone a message of an unknown kind",
            .version(.sendUnknown(from: "laptop", to: "phone"))
        ),
        (
            "laptop serves milk to tasks",
            .client(.serve(device: "laptop", item: "milk", client: "tasks"))
        ),
        (
            "laptop tells tasks the tag of milk",
            .client(.tell(device: "laptop", item: "milk", client: "tasks"))
        ),
        (
            #"laptop gets milk from tasks with title "Oat" notes none"#,
            .client(
                .put(
                    device: "laptop", item: "milk", client: "tasks", .none,
                    [.value(field: "title", .text("Oat")), .value(field: "notes", .none)]))
        ),
        (
            #"laptop gets milk from tasks under its tag with title "Oat""#,
            .client(
                .put(
                    device: "laptop", item: "milk", client: "tasks", .ownTag,
                    [.value(field: "title", .text("Oat"))]))
        ),
        (
            #"laptop gets milk from tasks under the last tag with title "Oat""#,
            .client(
                .put(
                    device: "laptop", item: "milk", client: "tasks", .lastTag,
                    [.value(field: "title", .text("Oat"))]))
        ),
        (
            #"laptop gets a file of egg from vdir with location "shop""#,
            .client(
                .putFile(
                    device: "laptop", item: "egg", client: "vdir",
                    [.value(field: "location", .text("shop"))]))
        ),
        (
            "laptop gets milk from tasks again",
            .client(.putAgain(device: "laptop", item: "milk", client: "tasks"))
        ),
        (
            "laptop deletes milk for tasks",
            .client(.delete(device: "laptop", item: "milk", client: "tasks"))
        ),
        (
            "laptop receives something unreadable about egg",
            .version(.receiveUnreadable(device: "laptop", item: "egg"))
        ),
        ("a stranger sends garbage to phone", .stranger(StrangerEvent(.garbage, on: "phone"))),
        (
            "a stranger calls phone and falls silent",
            .stranger(StrangerEvent(.silence, on: "phone"))
        ),
        (
            "a stranger claims to be laptop to phone",
            .stranger(StrangerEvent(.impersonation(of: "laptop"), on: "phone"))
        ),
        (
            "a stranger claims to know everything to phone",
            .stranger(StrangerEvent(.falseSummary, on: "phone"))
        ),
        (
            "a stranger overstates laptop to phone",
            .stranger(StrangerEvent(.overstatement(of: "laptop"), on: "phone"))
        ),
        (
            "a stranger sends nonsense about egg to phone",
            .stranger(StrangerEvent(.nonsense(item: "egg"), on: "phone"))
        ),
        (
            "a stranger names 4094 replicas in nonsense about egg to phone",
            .stranger(StrangerEvent(.crowd(count: 4_094, item: "egg"), on: "phone"))
        ),
        ("an empty stranger calls phone", .stranger(StrangerEvent(.emptiness, on: "phone"))),
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
        ("has no conflict on milk title", .noFieldConflict(item: "milk", field: "title")),
        ("wrote nothing", .wroteNothing),
        (
            #"shows milk title "Oat" or "Soy" or none"#,
            .showsOneOf(item: "milk", field: "title", [.text("Oat"), .text("Soy"), .none])
        ),
        ("has 2 conflicts", .conflictCount(2)),
        ("has no conflicts", .conflictCount(0)),
        ("lists 3 items", .itemCount(3)),
        ("lists no items", .itemCount(0)),
        ("has 1 item in the trash", .trashCount(1)),
        ("has no items in the trash", .trashCount(0)),
        ("has 1 change deferred", .deferredCount(1)),
        ("has no changes deferred", .deferredCount(0)),
        ("has had 2 identities", .identityCount(2)),
        ("agrees", .agrees),
        ("knows all of phone", .knows("phone")),
        ("sent 0 changes in the last session", .lastSessionChangeCount(0)),
        ("exchanged at most 300 bytes in the last session", .lastSessionByteCountMax(300)),
    ]

    @Test("each form about relays reads, and is written as it was", arguments: relays.indices)
    func readsRelays(row: Int) throws {
        let (line, event) = Self.relays[row]
        let text =
            "devices laptop and phone\nrelays harbor and depot on vault\nlaptop creates milk\n"
            + line
        let step = try ScenarioReader.read(text).steps.last
        #expect(step == Step(event))
        #expect(step.map { ScenarioWriter.text(of: $0) } == line)
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
            let fault = ScenarioFaultTests.faults(head + line)?.faults.first
            #expect(fault?.message == message, "\(line)")
        }
    }

    /// The step of one line after the beginning.
    static func step(_ line: String) throws(ScenarioFaults) -> Step? {
        try ScenarioReader.read(beginning + line).steps.last
    }

    @Test("each form reads to its action", arguments: events.indices)
    func readsActions(row: Int) throws {
        let (line, event) = Self.events[row]
        #expect(try Self.step(line) == Step(event))
    }

    @Test("each claim reads, of one device, of several and of everyone", arguments: claims.indices)
    func readsClaims(row: Int) throws {
        let (line, claim) = Self.claims[row]
        let several = line.replacing("has ", with: "have ").replacing("shows", with: "show")
            .replacing("lists", with: "list").replacing("agrees", with: "agree")
            .replacing("knows", with: "know")
        for (words, who) in [("laptop", ["laptop"]), ("everyone", nil)] {
            let expectation = Expectation(who, claim)
            #expect(try Self.step("expect \(words) \(line)")?.event == .expect(expectation))
        }
        let expectation = Expectation(["laptop", "phone"], claim)
        let read = try Self.step("expect laptop and phone \(several)")
        #expect(read?.event == .expect(expectation))
    }
}
