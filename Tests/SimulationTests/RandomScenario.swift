import Core
import Simulation

/// Scenarios drawn at random that can be read: they only speak of what they have made known.
struct RandomScenario {
    private var chance: Chance
    private var devices: [String] = []
    private var items: [String] = []
    private var backups: [String] = []
    private var fields: [String] = []

    init(seed: UInt64) {
        chance = Chance(seed: seed, "random story")
    }

    mutating func scenario() -> Scenario {
        var scenario = Scenario(
            title: chance.happens(1, in: 3) ? "" : text(),
            policy: chance.pick(DeletePolicy.allCases),
            seed: chance.happens(1, in: 3) ? 1 : chance.next(), isLenient: chance.happens(1, in: 4))
        for _ in 0..<2 + chance.below(5) {
            let name = newName("d", devices)
            devices.append(name)
            let isPlain = chance.happens(1, in: 2)
            scenario.devices.append(
                DeviceTraits(
                    name, isDurable: !isPlain && chance.happens(1, in: 2),
                    isNewer: !isPlain && chance.happens(1, in: 2),
                    isForeign: !isPlain && chance.happens(1, in: 2)))
        }
        scenario.steps = [Step(.edit(.create(device: device(), item: item(isNew: true), [])))]
        for _ in 0..<chance.below(40) { scenario.steps.append(step()) }
        return scenario
    }

    // MARK: Names and texts

    private mutating func newName(_ prefix: String, _ known: [String]) -> String {
        let tails = ["", "-", "_x", "ä", "é", "漢字", "-9", "Ω2", "e\u{301}"]
        return prefix + String(known.count) + chance.pick(tails)
    }

    private mutating func device() -> String { chance.pick(devices) }

    private mutating func device(apartFrom other: String) -> String {
        chance.pick(devices.filter { $0 != other })
    }

    private mutating func item(isNew: Bool = false) -> String {
        guard isNew || items.isEmpty else { return chance.pick(items) }
        let name = newName("i", items)
        items.append(name)
        return name
    }

    private mutating func backup() -> String? { backups.isEmpty ? nil : chance.pick(backups) }

    private mutating func text() -> String {
        let parts = [
            "Milk", " ", "\"", "\\", "\n", "\t", "\u{0}", "\u{7f}", "\u{301}", "é", "👩‍👩‍👧", "#",
            "\u{202E}", "\u{2028}", "\r\n", "\u{FEFF}", "but", "\\u{41}", "{", "}", "“",
        ]
        return (0..<chance.below(8)).map { _ in chance.pick(parts) }.joined()
    }

    /// Words of the language are elements too, in quotes.
    private mutating func element() -> String {
        chance.happens(1, in: 3)
            ? chance.pick([
                "none", "and", "but", "2fa", "empty", "a b", "-x", "+", "", "newer", "long", "or",
            ])
                + text()
            : "tag\(chance.below(9))"
    }

    // MARK: Fields and values

    private mutating func day() -> Int32 { Int32(chance.below(3_652_425) - 719_528) }

    private mutating func anyLiteral() -> Literal {
        switch chance.below(9) {
        case 8: .long(chance.below(ScenarioLimits.longTextByteCountMax))
        case 0: .none
        case 1: .bool(chance.happens(1, in: 2))
        case 2: .number(Int64(bitPattern: chance.next()) >> Int64(chance.below(64)))
        case 3: .text(text())
        case 4: .day(day())
        case 5: .item(item())
        case 6: .other(chance.pick([.double(1.5), .bytes([0, 255]), .instant(1_764_237_600_000)]))
        default: .newer(UInt8(chance.below(256)))
        }
    }

    /// A field and a value that goes with it.
    private mutating func fieldAndValue() -> (String, Literal) {
        switch chance.below(6) {
        case 0: (chance.pick(["title", "notes", "location", "mood"]), .text(text()))
        case 1: (chance.pick(["due", "until", "completed"]), .day(day()))
        case 2: ("priority", .number(Int64(chance.below(4))))
        case 3: ("parent", .item(item()))
        case 4: (chance.pick(["title", "due", "parent"]), chance.pick([.none, .newer(7)]))
        default: ("colour\(chance.below(3))", anyLiteral())
        }
    }

    private mutating func knownFieldAndValue() -> (String, Literal) {
        let (field, value) = fieldAndValue()
        return field.hasPrefix("colour") && !fields.contains(field)
            ? ("title", .text(text())) : (field, value)
    }

    private mutating func settings() -> [Setting] {
        var settings: [Setting] = []
        var done: Set<[String]> = []
        for _ in 0..<1 + chance.below(5) {
            let setting: Setting
            let part: [String]
            if chance.happens(1, in: 3) {
                let (field, element) = (chance.pick(["tags", "people", "own"]), element())
                part = [field, element]
                setting =
                    chance.happens(1, in: 2)
                    ? .add(field: field, element: element)
                    : .remove(field: field, element: element)
            } else {
                let (field, value) = fieldAndValue()
                part = [field]
                setting = .value(field: field, value)
            }
            guard done.insert(part).inserted else { continue }
            fields.append(part[0])
            settings.append(setting)
        }
        return settings
    }

    // MARK: Steps

    private mutating func step() -> Step {
        let kind = chance.below(6)
        if kind < 2 {
            return Step(
                person(), refusal: refusal(), isElsewhere: chance.happens(1, in: 5))
        }
        if kind == 2 { return Step(.expect(expectation())) }
        return Step(world(), refusal: refusal())
    }

    private mutating func refusal() -> Refusal? {
        chance.happens(1, in: 4) ? chance.pick(Refusal.allCases) : nil
    }

    /// Makes an event that another program can cause as well.
    private mutating func person() -> ScenarioEvent {
        let (device, item) = (device(), item())
        switch chance.below(9) {
        case 8: return .edit(.upsert(device: device, item: item, settings()))
        case 0:
            let isBare = chance.happens(1, in: 3)
            return .edit(
                .create(
                    device: device, item: self.item(isNew: true), isBare ? [] : settings()))
        case 1: return .edit(.edit(device: device, item: item, settings()))
        case 2: return .edit(.complete(device: device, item: item))
        case 3: return .edit(.reopen(device: device, item: item))
        case 4: return .edit(.delete(device: device, item: item))
        case 5: return .edit(.restore(device: device, item: item))
        case 6: return .edit(.purge(device: device, item: item, isForced: chance.happens(1, in: 2)))
        default:
            let (field, value) = knownFieldAndValue()
            return .edit(.resolve(device: device, item: item, field: field, to: value))
        }
    }

    private mutating func world() -> ScenarioEvent {
        let device = device()
        let other = self.device(apartFrom: device)
        let number = chance.below(1 << chance.below(30))
        let span = Int64(number) * chance.pick([1, 1_000, 60_000]) % ScenarioLimits.spanMax
        switch chance.below(39) {
        case 0: return .edit(.openEditor(device: device, item: item()))
        case 1: return .edit(.saveEditor(device: device, item: item(), settings()))
        case 2: return .meeting(.sync(device, other))
        case 3: return .meeting(.startSync(device, other))
        case 4: return .meeting(.connect(device, other))
        case 5: return .meeting(.disconnect(device, other))
        case 6: return .meeting(.syncAll)
        case 7: return .meeting(.settle)
        case 8: return .meeting(.wait(milliseconds: span))
        case 9: return .link(.cut(device, other))
        case 10: return .link(.cutAfter(device, other, bytes: number))
        case 11: return .link(.delay(from: device, to: other, least: span / 2, most: span))
        case 12: return .link(.block(from: device, to: other))
        case 13: return .link(.unblock(from: device, to: other))
        case 14: return .link(.partition(groups()))
        case 15: return .link(.wholeNetwork)
        case 16: return .link(.corrupt(from: device, to: other))
        case 17: return .link(.loseEnd(device, of: other))
        case 18: return .machine(.close(device))
        case 19: return .machine(.open(device))
        case 20: return .machine(.crash(device))
        case 21: return .machine(.crashAfter(device, writes: number))
        case 22: return .machine(.losePower(device))
        case 23: return .machine(.losePowerAfter(device, writes: number))
        case 24 where devices.count < 20:
            let twin = newName("d", devices)
            devices.append(twin)
            return .machine(.copy(device, to: twin))
        case 25:
            let name = newName("b", backups)
            backups.append(name)
            return .machine(.backUp(device, name: name))
        case 26:
            guard let name = backup() else { return .disk(.flipBit(device)) }
            return .machine(.restoreBackup(device, name: name, chance.pick(RestoreManner.allCases)))
        case 27: return .disk(.limitDisk(device, bytes: chance.happens(1, in: 3) ? nil : number))
        case 28: return .disk(.flipBit(device))
        case 29: return .clock(.setClock(device, day: day()))
        case 30:
            return .clock(
                .shiftClock(device, milliseconds: chance.happens(1, in: 2) ? span : -span))
        case 31: return .clock(.driftClock(device, partsPerMillion: Int64(number % 500_000) - 9))
        case 32: return .version(.upgrade(device))
        case 33: return .version(.createNewer(device: device, item: item(isNew: true)))
        case 34: return .version(.receiveUnreadable(device: device, item: item()))
        case 35: return .version(.sendUnknown(from: device, to: self.device(apartFrom: device)))
        default: return .stranger(StrangerEvent(attack(), on: device))
        }
    }

    private mutating func groups() -> [[String]] {
        var groups: [[String]] = []
        for device in chance.shuffled(devices) {
            if groups.isEmpty || chance.happens(1, in: 2) { groups.append([]) }
            groups[groups.count - 1].append(device)
        }
        return groups
    }

    private mutating func attack() -> Attack {
        chance.pick([
            .garbage, .silence, .impersonation(of: device()), .falseSummary,
            .overstatement(of: device()),
            .nonsense(item: item()), .crowd(count: chance.below(9), item: item()), .emptiness,
        ])
    }

    private mutating func expectation() -> Expectation {
        let count = chance.below(devices.count + 1)
        let who = count == 0 ? nil : Array(chance.shuffled(devices).prefix(count))
        return Expectation(who, claim())
    }

    private mutating func claim() -> Claim {
        let (item, number) = (item(), chance.below(1 << chance.below(20)))
        let (field, value) = knownFieldAndValue()
        switch chance.below(17) {
        case 14:
            return .showsOneOf(
                item: item, field: field,
                [value, .none] + (chance.happens(1, in: 2) ? [value] : []))
        case 15: return .noFieldConflict(item: item, field: field)
        case 16: return .wroteNothing
        case 0:
            let isNone = chance.happens(1, in: 4)
            return isNone
                ? .shows(item: item, field: "never", .none)
                : .shows(item: item, field: field, value)
        case 1:
            let set = chance.pick(["tags", "people"] + (fields.contains("own") ? ["own"] : []))
            let elements = Set((0..<chance.below(4)).map { _ in element() })
            return .showsSet(item: item, field: set, elements: elements.sorted())
        case 2: return .holds(item: item, chance.pick(ItemState.allCases))
        case 3:
            return .conflict(
                item: item, field: field,
                among: chance.happens(1, in: 2) ? nil : [value, .none, value])
        case 4: return .noConflict(item: item)
        case 5: return .conflictCount(number)
        case 6: return .itemCount(number)
        case 7: return .trashCount(number)
        case 8: return .deferredCount(number)
        case 9: return .identityCount(number)
        case 10: return .agrees
        case 11: return .knows(device())
        case 12: return .lastSessionChangeCount(number)
        default: return .lastSessionByteCountMax(number)
        }
    }
}
