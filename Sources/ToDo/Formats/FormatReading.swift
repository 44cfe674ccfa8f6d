import Core

/// The result of reading a file.
package struct FormatReading: Sendable {
    /// The good entries, in the file's order.
    package var items: [ToDoItem]
    /// Good entries that the file says were in the trash.
    package var trash: [ToDoItem] = []
    /// Values that stood beside the shown ones, of items and of those in the trash.
    package var besides: [BesideValue] = []
    /// The faults of the bad entries; empty in a good file.
    package var faults: [FormatFault]
    /// How many bad entries there are besides those; of a file that is read piece by piece not all are listed.
    package var unlistedFaultCount = 0
    /// The details of the good entries that our to-dos cannot hold.
    package var losses: [FormatLoss]
    /// The details that are kept, but otherwise than the file has them.
    package var remarks: [FormatLoss] = []
    /// How many losses there are besides those; of a file that is read piece by piece not all are listed.
    package var unlistedLossCount = 0
    /// How many remarks there are besides those.
    package var unlistedRemarkCount = 0
    /// The fields that every entry has a place for, in a table: what a place leaves empty is not cleared.
    package var columns: Set<String> = []
    /// The columns of a table that are no known ones, and so became fields of the user's own.
    package var ownColumns: [String] = []
    /// The names of a table's columns there and here, in its order.
    package var columnNames: [(file: String, here: String)] = []

    /// A file as read.
    package init(
        _ items: [ToDoItem] = [], faults: [FormatFault] = [], losses: [FormatLoss] = []
    ) {
        self.items = items
        self.faults = faults
        self.losses = losses
    }
}

extension FormatReading {
    /// Whether a file has nothing in it, or nothing but blanks and ends of lines.
    package static func isEmptyFile(_ bytes: [UInt8]) -> Bool {
        bytes[ByteOrderMark.end(in: bytes)...].allSatisfy { $0 == 32 || (9...13).contains($0) }
    }
}

/// A file as it would be written.
package struct FormatWriting: Sendable {
    /// The whole file.
    package var bytes: [UInt8]
    /// The details of the to-dos that the file does not hold.
    package var losses: [FormatLoss]

    /// A file with what it leaves out.
    package init(_ bytes: [UInt8] = [], losses: [FormatLoss] = []) {
        self.bytes = bytes
        self.losses = losses
    }
}

/// Gathers what is read of a file, entry by entry; a bad one does not end the others.
struct ReadingBuilder {
    private let format: String
    private(set) var reading = FormatReading()
    /// Whether dates may only be of years that people plan for; one of another year is left out.
    private let limitsYears: Bool
    /// The id that the file gives an entry.
    private let identifier: (ToDoItem) -> UInt128?
    private var known = EntryIdentifiers()
    /// How many entries were met, good and bad.
    private(set) var entryCount = 0
    /// How many to-dos were read.
    private(set) var itemCount = 0
    /// The most entries.
    private let entryCountMax: Int

    init(
        _ format: String, limitsYears: Bool = true, entryCountMax: Int = FormatLimits.entryCountMax,
        identifier: @escaping (ToDoItem) -> UInt128? = \.identifier
    ) {
        self.format = format
        self.limitsYears = limitsYears
        self.entryCountMax = entryCountMax
        self.identifier = identifier
    }

    /// Takes what was read since it was taken last.
    mutating func take() -> FormatReading {
        defer { reading = FormatReading() }
        return reading
    }

    /// Whether an entry of an id was read.
    func hasRead(_ identifier: UInt128) -> Bool { known.contains(identifier) }

    /// Takes the same but for the last to-do, which what follows may still change.
    mutating func takeAllButLast() -> FormatReading {
        var page = take()
        if let last = page.items.popLast() { reading.items = [last] }
        return page
    }

    /// Reads the next entry, which begins at `line`; `body` gets its number and says what is lost.
    ///
    /// - Returns: whether it is kept: neither bad nor the same as an earlier one.
    /// - Throws: `cannotDecode` if the file has too many entries.
    @discardableResult
    mutating func add(
        line: Int?, isTrash: Bool = false,
        _ body: (Int, inout [FormatLoss]) throws(FormatFault) -> ToDoItem
    ) throws(FormatFault) -> Bool {
        let entry = try next(line: line)
        do throws(FormatFault) {
            var losses: [FormatLoss] = []
            var item = try body(entry, &losses)
            if item.status == .pending, !item.completions.isEmpty {
                item.completions = []
                losses.append(
                    FormatLoss(
                        entry: entry, title: item.title, field: "completed",
                        CommonReason.leftOutAsPending))
            }
            if let value = item.custom.removeValue(forKey: "") {
                losses.append(
                    FormatLoss(
                        entry: entry, title: item.title, field: "",
                        CommonReason.leftOutWithoutName(String(value.displayText.prefix(60)))))
            }
            if limitsYears { losses += item.leaveOutOddYears(entry: entry) }
            if let problem = ItemCheck.problem(item) {
                throw .badEntry(
                    format: format, entry: entry, key: problem.key, reason: problem.reason)
            }
            if let identifier = identifier(item) {
                switch known.take(identifier, of: item, entry: entry, line: line) {
                case .new: break
                case .same(let remark):
                    reading.remarks.append(remark)
                    return false
                case .other(let reason):
                    throw .badEntry(format: format, entry: entry, key: "id", reason: reason)
                }
            }
            itemCount += 1
            if isTrash { reading.trash.append(item) } else { reading.items.append(item) }
            reading.losses += losses
            return true
        } catch {
            refuse(error, line: line)
            return false
        }
    }

    /// Reads an entry that says what stood beside the shown values of others.
    mutating func addBeside(
        line: Int?, _ body: (Int, inout [FormatLoss]) throws(FormatFault) -> [BesideValue]
    ) throws(FormatFault) {
        let entry = try next(line: line)
        do throws(FormatFault) {
            var losses: [FormatLoss] = []
            reading.besides += try body(entry, &losses)
            reading.losses += losses
        } catch {
            refuse(error, line: line)
        }
    }

    /// Takes note of an entry that cannot even be told apart.
    mutating func addBad(line: Int?, reason: String) throws(FormatFault) {
        let entry = try next(line: line)
        reading.faults.append(
            .badEntry(format: format, line: line, entry: entry, key: nil, reason: reason))
    }

    /// Moves the entry that was read last to those that the file says were in the trash.
    mutating func buryLast() {
        if let item = reading.items.popLast() { reading.trash.append(item) }
    }

    /// Tells of what is kept, but otherwise.
    mutating func addRemarks(_ remarks: [FormatLoss]) {
        reading.remarks += remarks
    }

    /// Adds what is lost of the file beside its entries.
    mutating func add(_ loss: FormatLoss) {
        reading.losses.append(loss)
    }

    /// Changes all items once the last was read.
    mutating func changeItems(_ body: (inout [ToDoItem]) -> Void) {
        body(&reading.items)
    }

    private mutating func next(line: Int?) throws(FormatFault) -> Int {
        entryCount += 1
        guard entryCount <= entryCountMax else {
            throw .cannotDecode(
                format: format, reason: "the file has more than \(entryCountMax) entries",
                line: line)
        }
        return entryCount
    }

    private mutating func refuse(_ fault: FormatFault, line: Int?) {
        switch fault {
        case .badEntry(let format, let own, let entry, let key, let reason):
            reading.faults.append(
                .badEntry(
                    format: format, line: own ?? line, entry: entry, key: key, reason: reason))
        case .cannotDecode, .cannotEncode: reading.faults.append(fault)
        }
    }
}

/// The ids that entries of a file have: of two entries with one id only one can be kept.
struct EntryIdentifiers {
    /// The entry that an id was read of first.
    private struct First {
        let entry: Int32
        /// Its line; 0 where the file has none.
        let line: Int32
        let content: Int
    }

    /// The entry of an id.
    enum Standing {
        /// The first of its id.
        case new
        /// The same as the first, so that nothing is lost without it.
        case same(FormatLoss)
        /// Another than the first, and why it is refused.
        case other(String)
    }

    /// Whether an entry of that id was read.
    func contains(_ identifier: UInt128) -> Bool { known[identifier] != nil }

    private var known: [UInt128: First] = [:]

    /// Takes note of an entry's id.
    mutating func take(
        _ identifier: UInt128, of item: ToDoItem, entry: Int, line: Int?
    ) -> Standing {
        let content = item.hashValue
        guard let first = known[identifier] else {
            known[identifier] = First(
                entry: Int32(clamping: entry), line: Int32(clamping: line ?? 0), content: content)
            return .new
        }
        let position =
            first.line > 0 ? "in line \(first.line)" : "that is entry \(first.entry)"
        if first.content == content {
            return .same(
                FormatLoss(
                    entry: entry, title: item.title, field: "id",
                    CommonReason.sameEntry(position)))
        }
        return .other("is that of the to-do \(position), which says something else")
    }
}

extension ToDoItem {
    /// Takes away dates of years that nobody plans for, such as the one that programs have for "never".
    ///
    /// - Returns: the dates, as losses.
    fileprivate mutating func leaveOutOddYears(entry: Int) -> [FormatLoss] {
        var losses: [FormatLoss] = []
        for attribute in ToDoDateAttribute.allCases {
            guard let moment = date(attribute) else { continue }
            let year = CivilDate(day: moment.day(in: .utc)).year
            if FormatLimits.years.contains(year) { continue }
            if let field = attribute.field { self[field] = nil }
            switch attribute {
            case .completed: completed = nil
            case .created: created = nil
            case .modified: modified = nil
            default: break
            }
            losses.append(
                FormatLoss(
                    entry: entry, title: title, field: attribute.rawValue,
                    CommonReason.leftOutInYear(year)))
        }
        return losses
    }
}

/// Whether the store can keep what was read.
enum ItemCheck {
    /// The first thing that is over a limit; nil if nothing is.
    static func problem(_ item: ToDoItem) -> (key: String?, reason: String)? {
        let assignments = ToDoMapping.assignments(from: nil, to: item)
        let count = assignments.count
        guard count <= FormatLimits.fieldCountMax else {
            return (nil, "has \(count) fields and elements; \(FormatLimits.fieldCountMax) fit")
        }
        var sum = 0
        for assignment in assignments {
            var size = assignment.value.approximateByteCount
            if case .element(_, let element) = assignment.field {
                size += element.approximateByteCount
            }
            let key = ToDoSchema.name(of: Field(assignment.field.name))
            guard key.utf8.count <= FormatLimits.nameByteCountMax else {
                return (
                    String(key.prefix(40)) + "…",
                    "its name has \(key.utf8.count) bytes; \(FormatLimits.nameByteCountMax) fit"
                )
            }
            guard size <= RecordLimits.valueByteCountMax else {
                return (key, "has \(size) bytes; \(FormatLimits.textByteCountMax) fit")
            }
            sum += size
        }
        guard sum <= FormatLimits.itemByteCountMax else {
            return (nil, "has \(sum) bytes; \(FormatLimits.itemByteCountMax) fit")
        }
        return nil
    }
}
