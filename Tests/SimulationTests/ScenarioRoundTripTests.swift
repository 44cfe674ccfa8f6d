import Core
import Simulation
import Testing

@Suite("Every kind of step, written and read back")
struct ScenarioRoundTripTests {
    private static let people: [ScenarioEvent] = [
        .edit(.create(device: "laptop", item: "egg", [])),
        .edit(
            .create(
                device: "laptop", item: "ham",
                [
                    .value(field: "title", .text("Ham \"and\" \n egg")),
                    .value(field: "due", .day(20_788)), .value(field: "parent", .item("milk")),
                    .value(field: "priority", .number(-2)),
                    .value(field: "status", .text("cancelled")),
                    .value(field: "own", .bool(true)), .value(field: "other", .newer(255)),
                    .add(field: "tags", element: "two words"),
                    .remove(field: "tags", element: "none"),
                ])),
        .edit(.edit(device: "laptop", item: "milk", [.value(field: "notes", .none)])),
        .edit(.complete(device: "laptop", item: "milk")),
        .edit(.reopen(device: "laptop", item: "milk")),
        .edit(.delete(device: "laptop", item: "milk")),
        .edit(.restore(device: "laptop", item: "milk")),
        .edit(.purge(device: "laptop", item: "milk", isForced: false)),
        .edit(.purge(device: "laptop", item: "milk", isForced: true)),
        .edit(.copy(device: "laptop", item: "milk", to: "oat")),
        .edit(.upsert(device: "laptop", item: "milk", [.value(field: "notes", .long(60_000))])),
        .edit(.resolve(device: "laptop", item: "milk", field: "title", to: .text("Oat"))),
        .edit(.openEditor(device: "laptop", item: "milk")),
        .edit(.saveEditor(device: "laptop", item: "milk", [.value(field: "title", .none)])),
        .meeting(.sync("laptop", "phone")), .meeting(.startSync("laptop", "phone")),
        .meeting(.startSync("laptop", "harbor")),
        .meeting(.connect("laptop", "phone")), .meeting(.connect("laptop", "harbor")),
        .meeting(.disconnect("laptop", "phone")), .meeting(.disconnect("laptop", "harbor")),
        .meeting(.syncAll), .meeting(.settle), .meeting(.wait(milliseconds: 5)),
        .meeting(.wait(milliseconds: 86_400_000)),
        .relay(.visit(device: "laptop", relay: "harbor")),
        .database(.pause(relay: "harbor")), .database(.goOn(relay: "harbor")),
        .database(.delayCommits(relay: "harbor", milliseconds: 20)),
        .database(.delayAnswers(relay: "harbor", milliseconds: 2_000)),
        .database(.serveAtOnce(relay: "harbor")),
        .database(.crashAfterCommit(relay: "harbor")),
        .database(.missNotice(relay: "harbor", other: "depot")),
        .database(.missNotices(relay: "harbor", other: "depot")),
        .database(.hearNotices(relay: "harbor", other: "depot")),
        .database(.keepStandbyBack(relay: "harbor")), .database(.catchUp(relay: "harbor")),
        .database(.promote(relay: "harbor")),
        .database(.limitRecords(relay: "harbor", count: 3)),
        .database(.limitRecords(relay: "harbor", count: nil)),
    ]

    private static let world: [ScenarioEvent] = [
        .link(.cut("laptop", "phone")), .link(.cut("laptop", "harbor")),
        .link(.cutAfter("laptop", "phone", bytes: 1)),
        .link(.cutAfter("laptop", "harbor", bytes: 120)),
        .link(.delay(from: "laptop", to: "harbor", least: 0, most: 2_000)),
        .link(.block(from: "laptop", to: "phone")), .link(.unblock(from: "laptop", to: "phone")),
        .link(.partition([["laptop", "harbor"], ["phone"]])), .link(.wholeNetwork),
        .link(.corrupt(from: "phone", to: "laptop")), .link(.loseEnd("laptop", of: "phone")),
        .machine(.close("laptop")), .machine(.open("laptop")), .machine(.crash("harbor")),
        .machine(.crashAfter("laptop", writes: 1)),
        .machine(.losePower("laptop")), .machine(.losePowerAfter("laptop", writes: 7)),
        .machine(.copy("laptop", to: "twin")),
        .machine(.backUp("laptop", name: "monday")), .disk(.limitDisk("laptop", bytes: 1)),
        .disk(.limitDisk("harbor", bytes: 20_000)), .disk(.limitDisk("laptop", bytes: nil)),
        .disk(.flipBit("laptop")),
        .deletion(.acceptDeletes(device: "laptop")), .deletion(.refuseDeletes(device: "laptop")),
        .deletion(.takeBack(device: "laptop", of: "phone")),
        .deletion(.runDays(device: "laptop", 1)),
        .deletion(.runDays(device: "laptop", 40)),
        .relay(.wipe(relay: "harbor")), .relay(.damage(relay: "harbor", item: "milk")),
        .relay(.forge(relay: "harbor", item: "milk")),
        .relay(.forgeLater(relay: "harbor", item: "milk")),
        .byzantine(.beHonest(relay: "harbor")),
        .secret(.changeSecret(device: "laptop")),
        .secret(.learnSecret(device: "phone")),
        .secret(.changeSecretUnaware(device: "phone")),
        .secret(.leaveDistantSecret(device: "phone")),
        .relay(.visitAsReader(device: "laptop", relay: "harbor")),
        .link(.lose(from: "laptop", to: "harbor")),
        .clock(.setClock("laptop", day: 11_323)),
        .clock(.shiftClock("laptop", milliseconds: -10_800_000)),
        .clock(.driftClock("laptop", partsPerMillion: -500)), .version(.upgrade("laptop")),
        .version(.createNewer(device: "phone", item: "gadget")),
        .version(.receiveUnreadable(device: "phone", item: "odd")),
        .version(.sendUnknown(from: "laptop", to: "phone")),
    ]

    private static let clients: [ScenarioEvent] =
        [
            .client(.serve(device: "laptop", item: "milk", client: "tasks")),
            .client(.tell(device: "laptop", item: "milk", client: "tasks")),
            .client(.putAgain(device: "laptop", item: "milk", client: "tasks")),
            .client(.delete(device: "laptop", item: "milk", client: "tasks")),
            .client(
                .putFile(
                    device: "laptop", item: "egg", client: "vdir",
                    [.value(field: "title", .text("Egg \"and\" ham"))])),
        ]
        + ClientEvent.Condition.allCases.map { condition in
            .client(
                .put(
                    device: "laptop", item: "milk", client: "tasks", condition,
                    [.value(field: "notes", .none), .value(field: "title", .long(60_000))]))
        }

    private static let lies: [RelayLie] = [
        .withholding, .withholdingFrom(device: "phone"), .repeating, .tampering, .swappingRecords,
        .raisingClocks, .replayingSummaries, .swappingSummaries, .claimingUploads,
        .claimingReads, .keepingRekeyMessages,
    ]

    private static let attacks: [Attack] = [
        .garbage, .silence, .impersonation(of: "phone"), .impersonation(of: "laptop"),
        .falseSummary, .overstatement(of: "laptop"), .nonsense(item: "milk"),
        .crowd(count: 9, item: "milk"), .emptiness,
    ]

    private static let claims: [Claim] = [
        .shows(item: "milk", field: "title", .text("Oat")),
        .shows(item: "milk", field: "due", .none),
        .showsSet(item: "milk", field: "tags", elements: []),
        .showsSet(item: "milk", field: "tags", elements: ["a", "two words"]),
        .conflict(item: "milk", field: "deleted", among: nil),
        .conflict(item: "milk", field: "title", among: [.text("a"), .none]),
        .showsOneOf(item: "milk", field: "title", [.text("Oat"), .none]),
        .noFieldConflict(item: "milk", field: "title"), .wroteNothing,
        .noConflict(item: "milk"), .conflictCount(0), .conflictCount(1), .conflictCount(2),
        .itemCount(0), .itemCount(1), .trashCount(1), .deferredCount(0), .deferredCount(1),
        .identityCount(1), .identityCount(2), .deletesHeld(true), .deletesHeld(false), .agrees,
        .knows("phone"),
        .lastSessionChangeCount(1), .lastSessionByteCountMax(300),
    ]

    private static var steps: [Step] {
        var events = people + world + clients
        events +=
            lies.map { .byzantine(.lie(relay: "harbor", $0)) }
            + attacks.map { .stranger(StrangerEvent($0, on: "phone")) }
        events += RestoreManner.allCases.map {
            .machine(.restoreBackup("laptop", name: "monday", $0))
        }
        for manner in [nil, ["laptop"], ["laptop", "phone"]] as [[String]?] {
            for claim in claims + ItemState.allCases.map({ .holds(item: "milk", $0) }) {
                events.append(.expect(Expectation(manner, claim)))
            }
        }
        events.append(.expect(Expectation(["harbor"], .versionCount(item: "milk", 1))))
        events.append(.expect(Expectation(["harbor"], .versionCount(item: "milk", 2))))
        return events.map { Step($0) }
            + Refusal.allCases.flatMap { refusal in
                [
                    Step(.edit(.complete(device: "laptop", item: "milk")), refusal: refusal),
                    Step(.meeting(.sync("laptop", "phone")), refusal: refusal),
                    Step(
                        .edit(.delete(device: "phone", item: "milk")), refusal: refusal,
                        isElsewhere: true),
                ]
            }
    }

    private static func name(_ value: some Any) -> String {
        String("\(value)".prefix { $0 != "(" })
    }

    @Test("every kind of action, claim, lie, attack and refusal reads back as it was written")
    func everything() throws {
        let milk = Step(.edit(.create(device: "laptop", item: "milk", [])))
        let scenario = Scenario(
            title: "All", policy: .editsWin, seed: 7,
            devices: [
                DeviceTraits("laptop"), DeviceTraits("phone"),
                DeviceTraits("desk", isDurable: true, isNewer: true, isForeign: true),
                DeviceTraits("harbor", isRelay: true, database: "vault"),
                DeviceTraits("depot", isRelay: true, database: "vault"),
            ], meetsOnlyAtRelays: true, isPlain: true, massDeleteGuardCount: 3,
            steps: [milk] + Self.steps)
        do {
            let again = try ScenarioReader.read(ScenarioWriter.text(of: scenario))
            #expect(again.steps.count == scenario.steps.count)
            for (left, right) in zip(scenario.steps, again.steps) {
                #expect(left == right, "\(ScenarioWriter.text(of: left))")
            }
            #expect(again == scenario)
        } catch {
            Issue.record("\(error.rendered(file: "scenario"))")
        }
        #expect(Set(scenario.steps.map(\.event.kind)) == Set(EventKind.allCases))
        let claims = scenario.steps.compactMap { step in
            if case .expect(let expectation) = step.event { expectation.claim } else { nil }
        }
        #expect(Set(claims.map { Self.name($0) }).count == 19)
    }

    @Test("a session with a relay is written as the visit that it is")
    func visits() throws {
        let devices = [DeviceTraits("laptop"), DeviceTraits("harbor", isRelay: true)]
        for pair in [("laptop", "harbor"), ("harbor", "laptop")] {
            let scenario = Scenario(
                devices: devices, steps: [Step(.meeting(.sync(pair.0, pair.1)))])
            #expect(ScenarioWriter.text(of: scenario).hasSuffix("\nlaptop visits harbor\n"))
            let again = try ScenarioReader.read(ScenarioWriter.text(of: scenario))
            #expect(again.steps.map(\.event) == [.relay(.visit(device: "laptop", relay: "harbor"))])
        }
    }

    @Test("what happened is told of such a session as the visit that it is")
    func told() {
        let devices = [DeviceTraits("laptop"), DeviceTraits("harbor", isRelay: true)]
        var options = WorldOptions()
        options.keepsTrace = true
        let world = World(
            Scenario(devices: devices, steps: [Step(.meeting(.sync("laptop", "harbor")))]),
            options: options)
        let outcome = world.run()
        world.end()
        #expect(outcome.verdict == .passed, "\(outcome.detail)")
        #expect(world.trace.entries.map(\.event).contains(.step("laptop visits harbor")))
    }
}
