import Core

/// Random values and records that have the shape which the codec and the merge rest on.
package struct RandomRecords: Sendable {
    /// Where the chance comes from.
    package var chance: SplitMix64

    private static let texts = [
        "", "a", "Milk", "caf\u{e9}", "cafe\u{301}", "\u{1f9c0}", "0123456789abcdef0123456789",
    ]
    private static let names = ["note", "area", "caf\u{e9}", "effort", "a"]
    private static let integers: [Int64] = [
        0, 1, -1, 23, 24, 255, 256, -256, -257, 65_535, 65_536, 1 << 32, .max, .min,
    ]
    private static let doubles = [
        0, -0.0, 1, 1.5, 0.1, -4.25, 65_504, 65_505, 1e300, 0x1p-1074, 0x1p-24, .infinity, .nan,
    ]

    /// Chance from a seed.
    package init(seed: UInt64) {
        chance = SplitMix64(seed: seed)
    }

    /// A value of any kind that a person can give to a field.
    package mutating func value() -> Value {
        switch chance.below(11) {
        case 0: .null
        case 1: .bool(chance.chance(1, in: 2))
        case 2: .int(chance.pick(Self.integers))
        case 3: .double(chance.pick(Self.doubles))
        case 4, 5: .text(chance.pick(Self.texts))
        case 6: .bytes(chance.bytes(chance.below(30)))
        case 7: .instant(chance.pick(Self.integers))
        case 8: .day(Int32(chance.below(40_000)) - 20_000)
        case 9:
            .reference(
                RecordName(
                    chance.below(4) == 0 ? .text("books") : .number(1),
                    RecordID(value: chance.wide())))
        default: .unknown([0x82, 0x18, 0x63, UInt8(chance.below(24))])
        }
    }

    /// A field that is not reserved.
    package mutating func field() -> Field {
        switch chance.below(6) {
        case 0...2: return .number(UInt32(2 + chance.below(8)))
        case 3: return .number(chance.pick([23, 24, 63, 64, 300, .max]))
        case 4: return .custom(chance.pick(Self.names))
        default:
            let name: FieldName = chance.chance(1, in: 2) ? .number(9) : .text("tags")
            var element = value()
            if element.isNull { element = .bool(true) }
            return .element(name, element)
        }
    }

    /// A vector over up to `replicas` replicas.
    package mutating func vector(replicas: Int, counterMax: Int = 300) -> VersionVector {
        let counters = (0..<replicas).map { _ in
            chance.chance(1, in: 4) ? 0 : UInt64(1 + chance.below(counterMax))
        }
        return SmallWorld.vector(counters)
    }

    /// The clock that a deleter within `clock` may have seen.
    package mutating func seen(in clock: VersionVector) -> VersionVector {
        VersionVector(
            unsorted: clock.entries.map {
                VersionVector.Entry(
                    replica: $0.replica, counter: UInt64(chance.below(Int($0.counter) + 1)))
            })
    }

    /// A record of up to `writesMax` writes by up to four replicas.
    package mutating func record(writesMax: Int = 5) -> RecordState {
        var clock = vector(replicas: 4)
        if clock.isEmpty { clock = SmallWorld.vector([7]) }
        var dots: Set<Dot> = []
        for _ in 0...chance.below(writesMax) {
            let entry = chance.pick(clock.entries)
            let back = min(UInt64(chance.below(40)), entry.counter - 1)
            dots.insert(Dot(replica: entry.replica, counter: entry.counter - back))
        }
        let writes = dots.sorted().map { write($0, in: clock) }
        return RecordState(clock: clock, writes: writes)
    }

    private mutating func write(_ dot: Dot, in clock: VersionVector) -> Write {
        var assignments: [Assignment] = []
        if chance.chance(1, in: 5) {
            let isRestore = chance.chance(1, in: 3)
            assignments.append(Assignment(.deleted, isRestore ? .null : .clock(seen(in: clock))))
            if chance.chance(1, in: 3) { assignments.append(Assignment(.purged, .bool(true))) }
        }
        var fields: Set<Field> = []
        for _ in 0..<1 + chance.below(5) { fields.insert(field()) }
        for field in fields.sorted() { assignments.append(Assignment(field, value())) }
        return Write(
            dot: dot,
            timestamp: HybridTimestamp(rawValue: chance.next() >> UInt64(chance.below(60))),
            isRecovered: chance.chance(1, in: 8), assignments: assignments)
    }
}
