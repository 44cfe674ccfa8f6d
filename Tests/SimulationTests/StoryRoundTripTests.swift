import Core
import Simulation
import Testing

@Suite("Every kind of step, written and read back")
struct StoryRoundTripTests {
    private static let people: [Action] = [
        .create(device: "laptop", item: "egg", []),
        .create(
            device: "laptop", item: "ham",
            [
                .value(field: "title", .text("Ham \"and\" \n egg")),
                .value(field: "due", .day(20_788)), .value(field: "parent", .item("milk")),
                .value(field: "priority", .number(-2)), .value(field: "status", .text("cancelled")),
                .value(field: "own", .bool(true)), .value(field: "other", .newer(255)),
                .add(field: "tags", element: "two words"), .remove(field: "tags", element: "none"),
            ]),
        .edit(device: "laptop", item: "milk", [.value(field: "notes", .none)]),
        .complete(device: "laptop", item: "milk"), .reopen(device: "laptop", item: "milk"),
        .delete(device: "laptop", item: "milk"), .restore(device: "laptop", item: "milk"),
        .purge(device: "laptop", item: "milk", isForced: false),
        .purge(device: "laptop", item: "milk", isForced: true),
        .resolve(device: "laptop", item: "milk", field: "title", to: .text("Oat")),
        .openEditor(device: "laptop", item: "milk"),
        .saveEditor(device: "laptop", item: "milk", [.value(field: "title", .none)]),
        .sync("laptop", "phone"), .startSync("laptop", "phone"), .startSync("laptop", "harbor"),
        .connect("laptop", "phone"), .connect("laptop", "harbor"),
        .disconnect("laptop", "phone"), .disconnect("laptop", "harbor"),
        .syncAll, .settle, .wait(milliseconds: 5), .wait(milliseconds: 86_400_000),
        .visit(device: "laptop", relay: "harbor"),
    ]

    private static let world: [Action] = [
        .cut("laptop", "phone"), .cut("laptop", "harbor"), .cutAfter("laptop", "phone", bytes: 1),
        .cutAfter("laptop", "harbor", bytes: 120),
        .delay(from: "laptop", to: "harbor", least: 0, most: 2_000),
        .block(from: "laptop", to: "phone"), .unblock(from: "laptop", to: "phone"),
        .partition([["laptop", "harbor"], ["phone"]]), .wholeNetwork,
        .corrupt(from: "phone", to: "laptop"), .loseEnd("laptop", of: "phone"),
        .close("laptop"), .open("laptop"), .crash("harbor"), .crashAfter("laptop", writes: 1),
        .losePower("laptop"), .losePowerAfter("laptop", writes: 7), .copy("laptop", to: "twin"),
        .backUp("laptop", name: "monday"), .limitDisk("laptop", bytes: 1),
        .limitDisk("harbor", bytes: 20_000), .limitDisk("laptop", bytes: nil), .flipBit("laptop"),
        .acceptDeletes(device: "laptop"), .runDays(device: "laptop", 1),
        .runDays(device: "laptop", 40),
        .wipe(relay: "harbor"), .beHonest(relay: "harbor"), .changeSecret(device: "laptop"),
        .learnSecret(device: "phone"),
        .setClock("laptop", day: 11_323), .shiftClock("laptop", milliseconds: -10_800_000),
        .driftClock("laptop", partsPerMillion: -500), .upgrade("laptop"),
        .createNewer(device: "phone", item: "gadget"),
        .receiveUnreadable(device: "phone", item: "odd"), .sendUnknown(from: "laptop", to: "phone"),
    ]

    private static let lies: [RelayLie] = [
        .withholding, .withholdingFrom(device: "phone"), .repeating, .tampering, .swappingRecords,
        .raisingClocks, .replayingStatements, .swappingStatements, .claimingUploads,
        .claimingReads, .keepingLetters,
    ]

    private static let attacks: [Attack] = [
        .garbage, .silence, .impersonation(of: "phone"), .impersonation(of: "laptop"),
        .falseStatement, .nonsense(item: "milk"), .emptiness,
    ]

    private static let claims: [Claim] = [
        .shows(item: "milk", field: "title", .text("Oat")),
        .shows(item: "milk", field: "due", .none),
        .showsSet(item: "milk", field: "tags", elements: []),
        .showsSet(item: "milk", field: "tags", elements: ["a", "two words"]),
        .conflict(item: "milk", field: "deleted", among: nil),
        .conflict(item: "milk", field: "title", among: [.text("a"), .none]),
        .noConflict(item: "milk"), .conflictCount(0), .conflictCount(1), .conflictCount(2),
        .itemCount(0), .itemCount(1), .trashCount(1), .parkedCount(0), .parkedCount(1),
        .identityCount(1), .identityCount(2), .deletesHeld(true), .deletesHeld(false), .agrees,
        .knows("phone"),
        .lastSessionChangeCount(1), .lastSessionByteCountMax(300),
    ]

    private static var steps: [Step] {
        var actions = people + world
        actions += lies.map { .lie(relay: "harbor", $0) } + attacks.map { .attack($0, on: "phone") }
        actions += RestoreManner.allCases.map { .restoreBackup("laptop", name: "monday", $0) }
        for manner in [nil, ["laptop"], ["laptop", "phone"]] as [[String]?] {
            for claim in claims + ItemState.allCases.map({ .holds(item: "milk", $0) }) {
                actions.append(.expect(Expectation(manner, claim)))
            }
        }
        actions.append(.expect(Expectation(["harbor"], .versionCount(item: "milk", 1))))
        actions.append(.expect(Expectation(["harbor"], .versionCount(item: "milk", 2))))
        return actions.map { Step($0) }
            + Refusal.allCases.flatMap { refusal in
                [
                    Step(.complete(device: "laptop", item: "milk"), refusal: refusal),
                    Step(.sync("laptop", "phone"), refusal: refusal),
                    Step(
                        .delete(device: "phone", item: "milk"), refusal: refusal, isElsewhere: true),
                ]
            }
    }

    private static func name(_ value: some Any) -> String {
        String("\(value)".prefix { $0 != "(" })
    }

    @Test("every kind of action, claim, lie, attack and refusal reads back as it was written")
    func everything() throws {
        let milk = Step(.create(device: "laptop", item: "milk", []))
        let story = Story(
            title: "All", policy: .editsWin, seed: 7,
            devices: [
                DeviceTraits("laptop"), DeviceTraits("phone"),
                DeviceTraits("desk", isDurable: true, isNewer: true, isForeign: true),
                DeviceTraits("harbor", isRelay: true),
            ], meetsOnlyAtRelays: true, isPlain: true, brakeCount: 3, steps: [milk] + Self.steps)
        do {
            let again = try StoryReader.read(StoryWriter.text(of: story))
            #expect(again.steps.count == story.steps.count)
            for (left, right) in zip(story.steps, again.steps) {
                #expect(left == right, "\(StoryWriter.text(of: left))")
            }
            #expect(again == story)
        } catch {
            Issue.record("\(error.rendered(file: "story"))")
        }
        #expect(Set(story.steps.map(\.action.kind)) == Set(ActionKind.allCases))
        let claims = story.steps.compactMap { step in
            if case .expect(let expectation) = step.action { expectation.claim } else { nil }
        }
        #expect(Set(claims.map { Self.name($0) }).count == 16)
    }

    @Test("a session with a relay is written as the visit that it is")
    func visits() throws {
        let devices = [DeviceTraits("laptop"), DeviceTraits("harbor", isRelay: true)]
        for pair in [("laptop", "harbor"), ("harbor", "laptop")] {
            let story = Story(devices: devices, steps: [Step(.sync(pair.0, pair.1))])
            #expect(StoryWriter.text(of: story).hasSuffix("\nlaptop visits harbor\n"))
            let again = try StoryReader.read(StoryWriter.text(of: story))
            #expect(again.steps.map(\.action) == [.visit(device: "laptop", relay: "harbor")])
        }
    }

    @Test("what happened is told of such a session as the visit that it is")
    func told() {
        let devices = [DeviceTraits("laptop"), DeviceTraits("harbor", isRelay: true)]
        var options = WorldOptions()
        options.keepsChronicle = true
        let world = World(
            Story(devices: devices, steps: [Step(.sync("laptop", "harbor"))]), options: options)
        let outcome = world.run()
        world.end()
        #expect(outcome.verdict == .passed, "\(outcome.detail)")
        #expect(world.chronicle.moments.map(\.happening).contains(.step("laptop visits harbor")))
    }
}
