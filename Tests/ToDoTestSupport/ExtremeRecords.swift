import Core
import Glibc
import Storage
import TestSupport
import ToDo

/// Records of to-dos with every extreme value in every field.
///
/// They are written below ToDo, as a device does that is older, newer or broken: nothing looks at their values.
package enum ExtremeRecords {
    /// Whether the tests take every case, which is minutes in a debug build; else they take a slice.
    package static let isWhole = getenv("TANDEM_ALL_EXTREMES") != nil
    /// The number of the slice: CI takes another one for every commit, of those that were run by hand.
    private static let slice = TestSettings.number("TANDEM_EXTREME_SLICE") ?? 0
    /// Values that trapped or refused a whole list before they were bounded; they are in every slice.
    private static let known: [(field: Field, value: Value)] = [
        (.number(ToDoSchema.Number.occurrence), .int(.max)),
        (.number(ToDoSchema.Number.occurrence), .int(0)),
        (.number(ToDoSchema.Number.created), .instant(.min)),
    ]

    /// The to-do of which all whole records are parts.
    package static let parent = RecordID(value: 1)

    /// The time of the whole records; milliseconds since 1970.
    package static let time: Int64 = 1_795_239_247_000

    /// Names of custom fields that formats give a meaning to, and one that none does.
    private static let customNames = [
        "effort", "recur", "parent", "imask", "mask", "rtemplate", "depends", "ical:DUE",
        "ical:RRULE", "ical:UID", "json:later", "pri",
    ]

    /// Writes the records: each case in a bare record and in a whole one, and some with the latest of all timestamps.
    ///
    /// - Parameters:
    ///   - setTime: sets the wall clock of the store; milliseconds since 1970.
    ///   - stride: one of so many cases is written.
    /// - Returns: the case of each record.
    package static func write(
        to store: Store, every stride: Int = 1, setTime: (Int64) -> Void
    ) throws -> [RecordID: ExtremeValues.Case] {
        var found: [RecordID: ExtremeValues.Case] = [:]
        // Timestamps at both ends of the hybrid clock: modified is one of them.
        for (part, now) in [Int64.min, time, .max].enumerated() {
            setTime(now)
            try store.edit { transaction throws(StoreFault) in
                if part == 0 {
                    try transaction.insert(
                        [Assignment(.number(ToDoSchema.Number.title), .text("parent"))],
                        into: ToDoSchema.collection, id: parent)
                }
                let first = UInt128(2 + part) << 64
                let cases = ExtremeValues.cases(
                    ToDoSchema.collections[0], custom: customNames, of: RecordID(value: first))
                for (index, extreme) in cases.enumerated() {
                    let isKnown = known.contains {
                        $0.field == extreme.field && $0.value == extreme.value
                    }
                    let step = part == 2 ? 7 * stride : stride
                    guard isKnown || (index + slice) % step == 0 else { continue }
                    var fields = part == 0 ? bare : whole
                    fields[extreme.field] = extreme.value
                    let id = RecordID(value: first + UInt128(index))
                    try transaction.insert(
                        fields.map { Assignment($0.key, $0.value) },
                        into: ToDoSchema.collection, id: id)
                    found[id] = extreme
                }
            }
        }
        return found
    }

    /// Writes views: each case in one that has a name alone and in one that says something in every field.
    ///
    /// - Parameter stride: one of so many cases is written.
    /// - Returns: the case of each record, and the words that another device may write beside it.
    package static func writeViews(
        to store: Store, every stride: Int = 1
    ) throws(StoreFault) -> [RecordID: ExtremeValues.Case] {
        typealias Number = ToDoSchema.ViewNumber
        let first = UInt128(9) << 64
        let cases = ExtremeValues.cases(
            ToDoSchema.collections[1], custom: ["later"], of: RecordID(value: first))
        var found: [RecordID: ExtremeValues.Case] = [:]
        try store.edit { transaction throws(StoreFault) in
            for (index, extreme) in cases.enumerated() where (index + slice) % stride == 0 {
                for (part, isWhole) in [false, true].enumerated() {
                    // Half of the ids are derived from the names, as those of this program are.
                    let name = "v\(index)-\(part)"
                    let id =
                        index.isMultiple(of: 2)
                        ? Store.derivedID(ToDoSchema.views, key: name)
                        : RecordID(value: first + UInt128(2 * index + part))
                    var fields: [Field: Value] = [.number(Number.name): .text(name)]
                    if isWhole {
                        fields[.number(Number.words)] = .text("+errand\n--\nrow")
                        fields[.number(Number.columns)] = .text("due,tags,x.effort")
                        fields[.number(Number.sort)] = .text("-priority,due")
                        fields[.number(Number.grouping)] = .text("day")
                    }
                    fields[extreme.field] = extreme.value
                    try transaction.insert(
                        fields.map { Assignment($0.key, $0.value) }, into: ToDoSchema.views, id: id)
                    found[id] = extreme
                }
            }
        }
        return found
    }

    private static let bare: [Field: Value] = [.number(ToDoSchema.Number.title): .text("row")]

    /// A record that says something in every field.
    private static let whole: [Field: Value] = {
        typealias Number = ToDoSchema.Number
        var fields: [Field: Value] = [
            .number(Number.title): .text("whole row"), .number(Number.notes): .text("two\nlines"),
            .number(Number.project): .text("Home.Garden"), .number(Number.location): .text("shed"),
            .number(Number.due): .day(20_500), .number(Number.scheduled): .instant(time),
            .number(Number.wait): .day(20_400), .number(Number.until): .day(21_000),
            .number(Number.start): .instant(time - 7_200_000),
            .number(Number.finish): .instant(time - 3_600_000),
            .number(Number.created): .instant(time - 86_400_000),
            .number(Number.priority): .int(2),
            .number(Number.parent): .toDo(parent), .number(Number.series): .toDo(parent),
            .number(Number.occurrence): .int(3), .number(Number.anchor): .day(20_000),
            .number(Number.repeats): .text("every 2 months, 5 times in Europe/Berlin"),
            .custom("effort"): .double(1.5), .custom("recur"): .text("weekly"),
        ]
        let work = WorkInterval(start: time - 7_200_000, end: time - 3_600_000).text ?? ""
        let sets = [
            (Number.tags, "errand"), (Number.people, "Ann"), (Number.work, work),
            (Number.position, PositionKey(created: time, id: 7).text),
            (Number.completions, "2026-11-20T10:00:00.000Z"), (Number.exceptions, "2026-12-24"),
        ]
        for (number, text) in sets { fields[.element(.number(number), text: text)] = .bool(true) }
        return fields
    }()
}
