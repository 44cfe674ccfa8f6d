import Core
import JSON
import Storage
import TestSupport
import Testing
import ToDo
import VectorFiles

@Suite("Frozen derived ids and schedules")
struct FrozenDerivationTests {
    private static let first = RecordID(value: 0x0190_0000_0000_7000_8000_0000_0000_0001)

    private static func name(_ collection: CollectionID) -> JSON {
        if case .number(let number) = collection {
            .number(UInt64(number))
        } else {
            .text("\(collection)")
        }
    }

    /// A case of an id that is derived from a record's name and something else, in CBOR behind it.
    private static func row(
        _ name: String, of record: RecordName, _ questions: [JSON.Pair], to derived: RecordName,
        _ rest: (inout CanonicalWriter) -> Void
    ) -> JSON {
        var writer = CanonicalWriter()
        BodyCodec.write(record.collection, to: &writer)
        writer.identifier(record.id.value)
        rest(&writer)
        return .object(
            [
                .init("name", .text(name)), .init("collection", Self.name(record.collection)),
                .init("record", .text(HexText.encode(record.id.bytes))),
            ] + questions + [
                .init("hashed", .text(HexText.encode(writer.bytes))),
                .init("id", .text(HexText.encode(derived.id.bytes))),
            ])
    }

    /// Copies of what was written to purged records, and the records that a key names after purged ones.
    private static func afterPurges() -> [JSON] {
        var cases: [JSON] = []
        let names = [
            RecordName(.number(1), first), RecordName(.text("photos"), RecordID(value: 7)),
        ]
        let (a, b) = (ReplicaID(value: 0xa << 64), ReplicaID(value: 0xb << 64))
        let written: [[Dot]] = [
            [Dot(replica: a, counter: 3)],
            [
                Dot(replica: a, counter: 3), Dot(replica: a, counter: 4),
                Dot(replica: b, counter: 1 << 32),
            ],
        ]
        for name in names {
            for dots in written {
                var clock = VersionVector()
                for dot in dots { clock.include(dot.counter, of: dot.replica) }
                var writes = dots.enumerated().map { index, dot in
                    Write(
                        dot: dot, timestamp: .zero,
                        assignments: [Assignment(.number(UInt32(2 + index)), .text("Oat milk"))])
                }
                // A write without a kept value, as that of the purge, is not hashed.
                let purge = Dot(replica: ReplicaID(value: 0xc << 64), counter: 9)
                clock.include(purge.counter, of: purge.replica)
                writes.append(
                    Write(
                        dot: purge, timestamp: .zero,
                        assignments: [
                            Assignment(.deleted, .clock(clock)), Assignment(.purged, .bool(true)),
                        ]))
                let record = RecordState(clock: clock, writes: writes)
                let list = dots.map { dot in
                    JSON.list([
                        .text(HexText.encode(dot.replica.bytes)), .number(dot.counter),
                    ])
                }
                cases.append(
                    row(
                        "the copy of \(dots.count) kept writes in \(name.collection)", of: name,
                        [.init("dots", .list(list))], to: name.copy(of: record)
                    ) { writer in
                        writer.array(dots.count)
                        for dot in dots {
                            writer.array(2)
                            writer.identifier(dot.replica.value)
                            writer.unsigned(dot.counter)
                        }
                    })
            }
            for number in [1, 2, 300] {
                cases.append(
                    row(
                        "number \(number) of a key in \(name.collection)", of: name,
                        [.init("number", .number(UInt64(number)))], to: name.successor(number)
                    ) { $0.unsigned(UInt64(number)) })
            }
        }
        return cases
    }

    @Test(
        "ids of unique keys, next occurrences, copies and records after purged ones are as in the vectors"
    )
    func derivedIDs() throws {
        let keys: [(CollectionID, String)] = [
            (.number(1), ""), (.number(1), "iCalendar UID\nabc@example.org"),
            (.text("photos"), "IMG_0001"), (.text("photos"), "caf\u{e9}"),
            (.text("photos"), "cafe\u{301}"), (.number(300), String(repeating: "k", count: 40)),
        ]
        var cases = keys.map { collection, key -> JSON in
            var writer = CanonicalWriter()
            BodyCodec.write(collection, to: &writer)
            writer.text(key)
            return .object([
                .init("name", .text("a unique key of \(key.utf8.count) bytes in \(collection)")),
                .init("collection", Self.name(collection)),
                .init("key", .text(key)), .init("hashed", .text(HexText.encode(writer.bytes))),
                .init(
                    "id",
                    .text(HexText.encode(Store.derivedID(collection, key: key).bytes))),
            ])
        }
        for occurrence in [nil, 1, 9, 99] {
            var item = ToDoItem(title: "Rent")
            item.identifier = occurrence == nil ? Self.first.value : 5
            item.series = occurrence == nil ? nil : Self.first.value
            item.occurrence = occurrence
            let number = (occurrence ?? 0) + 1
            let id = RecordID(value: try #require(item.nextIdentifier))
            let key = "repeat\n\(Self.first)\n\(number)"
            #expect(id == Store.derivedID(.number(1), key: key))
            cases.append(
                .object([
                    .init("name", .text("occurrence \(number)")),
                    .init("collection", .number(UInt64(1))),
                    .init("key", .text(key)),
                    .init("series", .text(HexText.encode(Self.first.bytes))),
                    .init("occurrence", .number(UInt64(number))),
                    .init("id", .text(HexText.encode(id.bytes))),
                ]))
        }
        cases += Self.afterPurges()
        #expect(
            FrozenFile.difference(JSON.list(cases).file, from: "Vectors/derived-ids.json") == nil)
    }

    @Test("when next occurrences are due is as in the vectors, also at the ends of months")
    func schedules() throws {
        let rows: [(String, CivilDate, CivilDate?)] = [
            ("every month", CivilDate(2027, 1, 31), nil),
            ("every month", CivilDate(2028, 1, 30), nil),
            ("every month", CivilDate(2027, 2, 28), CivilDate(2027, 1, 31)),
            ("every month", CivilDate(2027, 2, 28), nil),
            ("every 2 months", CivilDate(2027, 12, 31), nil),
            ("every year", CivilDate(2028, 2, 29), nil),
            ("every week", CivilDate(2027, 3, 1), nil),
            ("every 3 days", CivilDate(2027, 3, 1), nil),
            ("every mon, thu", CivilDate(2027, 3, 1), nil),
            ("every mon, thu", CivilDate(2027, 3, 3), nil),
            ("every month on the last fri", CivilDate(2027, 1, 29), nil),
            ("every month on the 5th fri", CivilDate(2027, 1, 29), nil),
            ("every month on the 1st mon, 3rd mon", CivilDate(2027, 3, 2), nil),
            ("every 2 months on the 2nd tue", CivilDate(2027, 3, 9), CivilDate(2027, 1, 12)),
            ("every month on the 1st workday, last workday", CivilDate(2027, 4, 30), nil),
            ("every year on the 4th thu", CivilDate(2027, 11, 25), nil),
        ]
        let completed: Int64 = 1_800_000_000_000
        var cases = try rows.map { text, due, anchor throws -> JSON in
            let rule = try #require(Repetition(text: text))
            var dues = [Moment.day(Int32(due.day))]
            let begin = anchor.map { Moment.day(Int32($0.day)) }
            for _ in 0..<5 {
                let next = rule.next(
                    after: dues[dues.count - 1], anchor: begin ?? dues[0], completed: completed,
                    zone: .utc)
                dues.append(try #require(next).due)
            }
            return Self.row(
                "\(text), due \(Self.text(due))\(anchor.map { ", begun " + Self.text($0) } ?? "")",
                text, begin ?? dues[0], dues)
        }
        for (text, due, except, following) in Self.leftOut {
            var item = ToDoItem(title: "x")
            item.identifier = 1
            item.repeats = text
            item.due = .day(Int32(due.day))
            item.setExceptions(except.map { Int32($0.day) })
            var dues = [Moment.day(Int32(due.day))]
            while let next = item.nextOccurrence(
                completed: completed, zone: .utc, named: { _ in nil }),
                dues.count < 4
            {
                item = next
                dues.append(try #require(next.due))
            }
            #expect(dues.dropFirst() == following.map { .day(Int32($0.day)) }[...])
            cases.append(
                Self.row(
                    "\(text) except \(except.map(Self.text).joined(separator: ", ")), due \(Self.text(due))",
                    text, dues[0], dues, except: except))
        }
        // After completion: the day of completion counts, not the schedule.
        let rule = try #require(Repetition(text: "every month after completion"))
        for done in [CivilDate(2027, 1, 31), CivilDate(2027, 2, 3)] {
            let next = try #require(
                rule.next(
                    after: .day(Int32(CivilDate(2027, 1, 15).day)), anchor: nil,
                    completed: Int64(done.day) * 86_400_000 + 3_600_000, zone: .utc)
            ).due
            cases.append(
                Self.row(
                    "every month after completion, done \(Self.text(done))", rule.text,
                    .day(Int32(done.day)), [next]))
        }
        #expect(FrozenFile.difference(JSON.list(cases).file, from: "Vectors/schedules.json") == nil)
    }

    /// Schedules with days that are left out: the rule, due, these days, the next dates.
    private static let leftOut: [(String, CivilDate, [CivilDate], [CivilDate])] = [
        (
            "every week", CivilDate(2026, 12, 18),
            [CivilDate(2026, 12, 25), CivilDate(2027, 1, 1)],
            [CivilDate(2027, 1, 8), CivilDate(2027, 1, 15), CivilDate(2027, 1, 22)]
        ),
        // What is left out counts.
        (
            "every day, 4 times", CivilDate(2026, 12, 23), [CivilDate(2026, 12, 24)],
            [CivilDate(2026, 12, 25), CivilDate(2026, 12, 26)]
        ),
        (
            "every month on the last fri", CivilDate(2026, 11, 27), [CivilDate(2026, 12, 25)],
            [CivilDate(2027, 1, 29), CivilDate(2027, 2, 26), CivilDate(2027, 3, 26)]
        ),
        // A day on which it would not come says nothing.
        (
            "every week until 2027-01-08", CivilDate(2026, 12, 25),
            [CivilDate(2026, 12, 26), CivilDate(2027, 1, 1)], [CivilDate(2027, 1, 8)]
        ),
    ]

    private static func row(
        _ name: String, _ rule: String, _ begin: Moment, _ dues: [Moment], except: [CivilDate] = []
    ) -> JSON {
        func day(_ moment: Moment) -> JSON { .number(Int64(moment.day(in: .utc))) }
        return .object([
            .init("name", .text(name)), .init("repeat", .text(rule)), .init("begin", day(begin)),
            .init("except", .list(except.map { .number(Int64($0.day)) })),
            .init("dues", .list(dues.map(day))),
            .init(
                "dates",
                .list(dues.map { .text(text(CivilDate(day: $0.day(in: .utc)))) })),
        ])
    }

    private static func text(_ date: CivilDate) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.dayOfMonth))"
    }
}
