/// A column of our own table.
enum CSVColumn: String, CaseIterable {
    case id
    case title
    case status
    case project
    case priority
    case due
    case scheduled
    case wait
    case until
    case start
    case finish
    case completed
    case created
    case modified
    case tags
    case people
    case location
    case notes
    case parent
    case depends
    case repeats = "repeat"
    case series
    case occurrence
    case anchor
    case position
    case work
    case reminders = "remind"
    case exceptions = "except"
    case custom

    /// The cell of an item, "" for nothing; custom fields have columns of their own.
    func text(of item: ToDoItem) -> String {
        switch self {
        case .id: item.identifier.map(UUIDText.text) ?? ""
        case .title: item.title
        case .status: item.status.rawValue
        case .project: item.project
        case .priority: item.priority == .none ? "" : item.priority.word
        case .due, .scheduled, .wait, .until, .start, .finish:
            ToDoDateField(rawValue: rawValue).flatMap { item[$0] }?.rfc3339 ?? ""
        case .completed: CSVList.text(item.completions.map(TimestampText.rfc3339))
        case .created: item.created.map(TimestampText.rfc3339) ?? ""
        case .modified: item.modified.map(TimestampText.rfc3339) ?? ""
        case .tags: CSVList.text(item.tags, areTags: true)
        case .people: CSVList.text(item.people)
        case .location: item.location
        case .notes: item.notes
        case .parent: item.parent.map(UUIDText.text) ?? ""
        case .depends: CSVList.text(item.depends.map(UUIDText.text))
        case .repeats: item.repeats
        case .series: item.series.map(UUIDText.text) ?? ""
        case .occurrence: item.occurrence.map { String($0) } ?? ""
        case .anchor: item.anchor?.rfc3339 ?? ""
        case .position: CSVList.text(item.positions.map(\.text))
        case .work: CSVList.text(item.work.compactMap(\.text))
        case .reminders: CSVList.text(item.reminders.map(\.text))
        case .exceptions: CSVList.text(item.exceptions.map(ExceptionDay.text))
        case .custom: ""
        }
    }

    /// Gives an item what a cell says; an empty one says nothing.
    func read(_ cell: String, into item: inout ToDoItem, dates: CSVDates) throws(CellFault) {
        if cell.isEmpty { return }
        let isText = [.title, .project, .location, .notes].contains(self)
        let cell = isText ? cell : CSVText.trimmed(cell)
        if let field = ToDoDateField(rawValue: rawValue) {
            item[field] = try dates.moment(cell)
            return
        }
        switch self {
        case .id: item.identifier = try Self.identifier(cell)
        case .title: item.title = cell
        case .project: item.project = cell
        case .location: item.location = cell
        case .notes: item.notes = cell
        case .status: item.status = try Self.status(cell)
        case .completed:
            item.completions = []
            for text in CSVList.read(cell) {
                item.completions.append(try dates.moment(text).start(in: dates.zone))
            }
            item.completions = Set(item.completions).sorted()
        case .created: item.created = try dates.moment(cell).start(in: dates.zone)
        case .modified: item.modified = try dates.moment(cell).start(in: dates.zone)
        case .tags: item.setTags(CSVList.read(cell, areTags: true))
        case .people: item.people = CSVList.read(cell)
        case .parent: item.parent = try Self.identifier(cell)
        case .depends:
            var ids: [UInt128] = []
            for text in CSVList.read(cell) { ids.append(try Self.identifier(text)) }
            item.setDepends(ids)
        case .series: item.series = try Self.identifier(cell)
        case .repeats: item.repeats = cell
        case .anchor: item.anchor = try dates.moment(cell)
        case .occurrence:
            guard let number = Int(cell), ToDoItem.occurrences.contains(number) else {
                let most = ToDoItem.occurrences.upperBound
                throw CellFault(
                    "'\(FormatLoss.beginning(of: cell))' is no whole number from 1 to \(most)")
            }
            item.occurrence = number
        case .position, .work, .reminders, .exceptions: try readPlan(cell, into: &item)
        case .custom, .priority, .due, .scheduled, .wait, .until, .start, .finish: break
        }
    }

    private func readPlan(_ cell: String, into item: inout ToDoItem) throws(CellFault) {
        for text in CSVList.read(cell) {
            if self == .position {
                guard let key = PositionKey(text: text) else {
                    throw CellFault("'\(FormatLoss.beginning(of: text))' is no place")
                }
                item.positions.append(key)
            } else if self == .reminders {
                guard let reminder = Reminder(reading: text) else {
                    throw CellFault("'\(FormatLoss.beginning(of: text))' is no reminder")
                }
                item.setReminders(item.reminders + [reminder])
            } else if self == .exceptions {
                guard let day = ExceptionDay.day(reading: text) else {
                    throw CellFault("'\(FormatLoss.beginning(of: text))' is no day")
                }
                item.setExceptions(item.exceptions + [day])
            } else {
                guard let interval = WorkInterval(text: text) else {
                    throw CellFault("'\(FormatLoss.beginning(of: text))' is no stretch of time")
                }
                item.work.append(interval)
            }
        }
    }

    private static func status(_ cell: String) throws(CellFault) -> ToDoStatus {
        switch cell.lowercased() {
        case "pending", "open", "todo", "to do", "needs-action", "false", "no", "0":
            return .pending
        case "completed", "done", "true", "yes", "1", "x": return .completed
        case "cancelled", "canceled": return .cancelled
        default:
            throw CellFault(
                "'\(FormatLoss.beginning(of: cell))' is none of pending, completed, cancelled")
        }
    }

    private static func identifier(_ cell: String) throws(CellFault) -> UInt128 {
        guard let identifier = UUIDText.value(cell) else { throw CellFault("is not a UUID") }
        return identifier
    }
}

/// Which columns of a foreign table are which of ours: `Due Date=due,Name=title,Effort=x.effort`.
package struct CSVColumnMap: Sendable {
    /// A column of the file, and the one of ours that it is.
    struct Pair: Sendable {
        var name: String
        var field: String
    }

    private(set) var pairs: [Pair] = []

    /// Every column under its own name.
    package init() {}

    /// Reads pairs that are parted by commas.
    package init(_ text: String) throws(CSVColumnMapFault) {
        var start = text.startIndex
        for end in text.indices.filter({ text[$0] == "," }) + [text.endIndex] {
            let part = text[start..<end]
            // A comma without a pair before it is a part of a name.
            if end < text.endIndex, !part.contains("=") { continue }
            start = end < text.endIndex ? text.index(after: end) : end
            // Our names have no equals sign, theirs may.
            guard let cut = part.lastIndex(of: "=") else { throw .noPair(String(part)) }
            let name = CSVText.trimmed(part[..<cut])
            let field = CSVText.trimmed(part[part.index(after: cut)...])
            guard !name.isEmpty, !field.isEmpty else { throw .noPair(String(part)) }
            let isOwn = field.hasPrefix(Self.ownPrefix) && field.count > Self.ownPrefix.count
            let column = CSVColumn(rawValue: field.lowercased())
            guard isOwn || column != nil else {
                throw .unknownField(field, Self.suggestion(for: field))
            }
            if pairs.contains(where: { Self.isSame($0.name, name) }) { throw .twice(name) }
            pairs.append(Pair(name: name, field: column?.rawValue ?? field))
        }
        if pairs.isEmpty { throw .noPair(text) }
    }

    /// The prefix of a field of the user's own.
    static let ownPrefix = "x."

    /// The name here of a column of the file; its own if the map has none.
    func field(_ name: String) -> String {
        pairs.first { Self.isSame($0.name, name) }?.field ?? name
    }

    /// A name that no column has; nil if each has one.
    func missing(in names: [String]) -> String? {
        pairs.first { pair in !names.contains { Self.isSame($0, pair.name) } }?.name
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        CSVText.trimmed(one).lowercased() == CSVText.trimmed(other).lowercased()
    }

    private static func suggestion(for field: String) -> String? {
        Spelling.suggestion(for: field.lowercased(), among: CSVColumn.allCases.map(\.rawValue))
    }
}

/// Why a word about columns was refused.
package enum CSVColumnMapFault: Error, Equatable, Sendable {
    /// It has not the form of a name, an equals sign and a name.
    case noPair(String)
    /// There is no such column of ours; the second is the nearest one.
    case unknownField(String, String?)
    /// Two pairs are about one column.
    case twice(String)
}

extension CSVColumnMapFault: CustomStringConvertible {
    /// The refused text and what to write instead, for the user.
    package var description: String {
        switch self {
        case .noPair(let text):
            return
                "--map takes pairs such as 'Due Date=due,Name=title', not '\(FormatLoss.beginning(of: text))'"
        case .unknownField(let field, let nearest):
            let guess = nearest.map { ", did you mean '\($0)'?" } ?? ";"
            let known = CSVColumn.allCases.map(\.rawValue).joined(separator: ", ")
            return
                "--map knows no '\(FormatLoss.beginning(of: field))'\(guess) there are \(known), and "
                + "x.NAME for a field of your own"
        case .twice(let name):
            return "--map names the column '\(FormatLoss.beginning(of: name))' twice"
        }
    }
}
