import Core
import TestSupport

/// Made-up values and records of every kind, from seeded chance.
struct RecordMaker: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x2545_f491_4f6c_dd1d | 1
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// One of 0, 1, … `count` - 1.
    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

    static let texts = [
        "", "a", "b", "a\"b", "\\", "\u{0}", "nul\u{0}nul", "é", "e\u{301}", "ü☃️𝄞",
        "line\nline\t\u{1}",
        "'; drop table todo_record; --", "$.x", "%_*", "[]", "{}", "2026-11-27",
        "2026-11-27T10:00:00.000Z", "null", "true", "12", String(repeating: "long ", count: 300),
    ]

    mutating func value() -> Value {
        switch below(12) {
        case 0: .null
        case 1: .bool(once(in: 2))
        case 2: .int(pick([0, 1, -1, 23, 24, 255, 65_536, .max, .min, 1 << 53 + 1]))
        case 3:
            .double(
                pick([
                    0, -0.0, 1, -1.5, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300,
                    9_007_199_254_740_992, .pi,
                ]))
        case 4: .bytes(pick([[], [0], [0, 255, 1], Array(repeating: 7, count: 300)]))
        case 5:
            .instant(
                pick([
                    0, -1, 1_800_000_000_123, -62_167_219_200_000, -62_167_219_200_001,
                    253_402_300_799_999, 253_402_300_800_000, .max, .min,
                ]))
        case 6: .day(pick([0, -1, 20_000, -719_528, -719_529, 2_932_896, 2_932_897, .max, .min]))
        case 7: .toDo(RecordID(value: UInt128(below(4))))
        case 8: .unknown(pick([[0x82, 0x18, 0x63, 0x01], [0x82, 0x18, 0x64, 0x61, 0x78]]))
        default: .text(pick(Self.texts))
        }
    }

    mutating func element() -> Value {
        switch below(5) {
        case 0: .int(Int64(below(3)))
        case 1: .bytes([UInt8(below(3))])
        default: .text(pick(Self.texts))
        }
    }

    /// A field with a column, without one, a custom one, or an element of a set.
    mutating func field() -> Field {
        switch below(10) {
        case 0...5: .number(UInt32(2 + below(9)))
        case 6: .number(UInt32(pick([63, 64, 100, 4_000_000_000])))
        case 7: .custom(pick(Self.texts.filter { !$0.isEmpty && $0.utf8.count < 200 }))
        case 8: .element(.number(8), pick(Self.texts.map { Value.text($0.inFormC) }))
        default: .element(.number(pick([8, 9, 101])), element())
        }
    }

    /// Assignments of different fields, sorted; most values are of the column's kind.
    mutating func assignments(upTo count: Int = 6) -> [Assignment] {
        var found: [Field: Value] = [:]
        for _ in 0...below(count) {
            let field = field()
            found[field] = field.isElement ? (once(in: 4) ? .null : .bool(true)) : fitting(field)
        }
        return found.map { Assignment($0.key, $0.value) }.sorted { $0.field < $1.field }
    }

    private mutating func fitting(_ field: Field) -> Value {
        if once(in: 4) { return value() }
        switch field {
        case .number(2), .number(3), .number(4): return .text(pick(Self.texts))
        case .number(5):
            return once(in: 2) ? .day(Int32(below(40_000))) : .instant(Int64(below(1 << 40)))
        case .number(6): return .bool(once(in: 2))
        case .number(7): return .int(Int64(below(10)))
        case .number(9): return .toDo(RecordID(value: UInt128(below(4))))
        case .number(10): return .double(Double(below(10)) / 4)
        default: return value()
        }
    }

    /// A record of the right shape, written by up to four replicas.
    mutating func record() -> RecordState {
        var clock = VersionVector()
        var writes: [Write] = []
        for replica in 1...(1 + below(4)) {
            let id = ReplicaID(value: UInt128(replica) << 64 | 5)
            var counter: UInt64 = 0
            for _ in 0..<below(3) {
                counter += UInt64(1 + below(200))
                writes.append(
                    Write(
                        dot: Dot(replica: id, counter: counter),
                        timestamp: HybridTimestamp(
                            rawValue: once(in: 3) ? next() : UInt64(below(5))),
                        isRecovered: once(in: 6), assignments: assignments()))
            }
            clock.include(counter + UInt64(once(in: 2) ? 0 : below(100)), of: id)
        }
        if clock.isEmpty { clock.include(1, of: ReplicaID(value: 9)) }
        for index in writes.indices where once(in: 5) {
            writes[index].assignments.insert(Assignment(.deleted, .clock(clock)), at: 0)
        }
        return RecordState(clock: clock, writes: writes.sorted { $0.dot < $1.dot })
    }
}
