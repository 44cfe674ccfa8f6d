import JSON

/// A table for spreadsheets, with a row for each to-do and nothing lost.
///
/// RFC 4180 in UTF-8: a header, CRLF, quotes around what needs them. Dates are RFC 3339, in UTC if
/// they have a time; several tags, people and the like are parted by semicolons. A custom field has
/// the column `x.NAME`: texts stand as they are unless they would read as JSON, everything else is
/// JSON as `CustomValue.json` says. Where there are more custom names than columns, all of them are
/// one JSON object in the column `custom`.
///
/// Read is any table with a header that has a column `title`, by that name or by the map; columns may be in
/// any order, other columns become custom fields. A row without `id` gets one from title and project. Cells may be parted
/// by semicolons or tabs as well, tags by commas. An empty cell clears nothing of a to-do that is here. Cells that a row
/// lacks are empty; blanks around the names of columns and around dates and words do not count.
package struct CSVFormat: Sendable {
    static let name = "CSV"
    private static let customPrefix = CSVColumnMap.ownPrefix
    /// The most custom fields with columns of their own.
    static let customColumnCountMax = 1_000

    /// Reads dates.
    let dates: CSVDates
    /// Whether cells that a spreadsheet would take for a formula get an apostrophe in front.
    let isExcelSafe: Bool
    /// Which columns of a file that is read are called otherwise than here.
    let map: CSVColumnMap

    /// A table; `isExcelSafe` guards against formulas, and is a loss that is told.
    package init(
        zone: LocalTimeZone, dateOrder: DateOrder? = nil, isExcelSafe: Bool = false,
        map: CSVColumnMap = CSVColumnMap()
    ) {
        dates = CSVDates(zone: zone, order: dateOrder)
        self.isExcelSafe = isExcelSafe
        self.map = map
    }

    // MARK: Reading

    /// Where a cell goes.
    enum Target {
        case column(CSVColumn)
        case custom(String)

        /// The name in an export.
        var name: String {
            switch self {
            case .column(let column): column.rawValue
            case .custom(let name): CSVFormat.customPrefix + name
            }
        }
    }

    /// Reads a table.
    ///
    /// - Throws: `cannotDecode` for the table; bad rows are among the faults.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: Self.name)
        var reader = CSVReader(bytes, of: Self.name, names: headings)
        guard let header = try reader.next() else { return FormatReading() }
        var table = try CSVTable(
            self, header, ReadingBuilder(Self.name, limitsYears: false))
        while let row = try reader.next() { try table.read(row) }
        return table.take(isLast: true)
    }

    /// Names of columns of which the first row has one, in lower case.
    var headings: Set<String> {
        Set([CSVColumn.title.rawValue] + map.pairs.map { $0.name.lowercased() })
    }

    func targets(_ header: CSVReader.Row) throws(FormatFault) -> [Target] {
        func refuse(_ reason: String) -> FormatFault {
            .cannotDecode(format: Self.name, reason: reason, line: header.line)
        }
        guard let names = header.cells else { throw refuse("the header is not UTF-8") }
        var targets: [Target] = []
        var seen: Set<String> = []
        if let missing = map.missing(in: names) {
            throw refuse(
                "the first row has no column '\(FormatLoss.beginning(of: missing))', which --map names, but "
                    + Self.shown(names))
        }
        for name in names.map({ map.field(Self.name(of: $0)) }) {
            // A comma at the end of each row makes columns without a name.
            if name.isEmpty {
                targets.append(.custom(name))
                continue
            }
            if let column = CSVColumn(rawValue: name.lowercased()) {
                targets.append(.column(column))
                guard seen.insert(column.rawValue).inserted else {
                    throw refuse("the column '\(column.rawValue)' stands twice")
                }
                continue
            }
            let isOwn = name.hasPrefix(Self.customPrefix)
            let custom = isOwn ? String(name.dropFirst(Self.customPrefix.count)) : name
            targets.append(.custom(custom))
            guard seen.insert("\(Self.customPrefix)\(custom)").inserted else {
                throw refuse("the column '\(custom.prefix(40))' stands twice")
            }
        }
        guard seen.contains(CSVColumn.title.rawValue) else {
            throw refuse(Self.noTitle(names))
        }
        return targets
    }

    /// The name of a column: the blanks around it do not count, unless an export of ours has them.
    private static func name(of heading: String) -> String {
        let name = CSVText.trimmed(heading)
        return name.hasPrefix(customPrefix) ? heading : name
    }

    /// The fault of a table without titles: its columns, and the known ones.
    private static func noTitle(_ names: [String]) -> String {
        let known = CSVColumn.allCases.map(\.rawValue).joined(separator: ", ")
        let first = names.first.map { FormatLoss.beginning(of: $0) } ?? "Name"
        return
            "the first row has no column 'title', but \(shown(names)); columns known are \(known); any "
            + "other becomes a field of your own, or what --map says: --map '\(first)=title'"
    }

    /// The most columns that a refusal names.
    private static let shownColumnCountMax = 6

    private static func shown(_ names: [String]) -> String {
        let shown = names.prefix(shownColumnCountMax).map { "'\(FormatLoss.beginning(of: $0))'" }
        return shown.joined(separator: ", ") + (names.count > shown.count ? ", …" : "")
    }

    static func fault(_ entry: Int, _ key: String?, _ reason: String) -> FormatFault {
        .badEntry(format: name, entry: entry, key: key, reason: reason)
    }

    func item(
        _ cells: [String], _ targets: [Target], entry: Int, line: Int = 0,
        remarks: (_ field: String, CSVReason) -> Void = { _, _ in }
    ) throws(FormatFault) -> ToDoItem {
        guard cells[min(targets.count, cells.count)...].allSatisfy(\.isEmpty) else {
            throw Self.fault(
                entry, nil,
                "has \(cells.count) \(cells.count == 1 ? "cell" : "cells"), the header \(targets.count)"
            )
        }
        var item = ToDoItem(title: "")
        var priority: String?
        for (cell, target) in zip(cells, targets) where !cell.isEmpty {
            switch target {
            case .column(.custom): try readCustom(cell, into: &item, entry: entry)
            case .column(.priority):
                let word = CSVText.trimmed(cell)
                if let known = ToDoPriority(word: word) {
                    item.priority = known
                } else {
                    priority = word
                }
            case .column(let column):
                do throws(CellFault) {
                    try column.read(cell, into: &item, dates: dates)
                } catch {
                    throw Self.fault(entry, column.rawValue, error.reason)
                }
            case .custom(""):
                let before = item.custom[""].map { $0.displayText + "; " } ?? ""
                item.custom[""] = .text(before + cell)
            case .custom(let name):
                let json = JSONValue(compactText: cell)
                item.custom[name] = json.flatMap { CustomValue(json: $0) } ?? .text(cell)
            }
        }
        if let priority {
            let name = CSVColumn.priority.rawValue
            guard item.custom[name] == nil else {
                throw Self.fault(
                    entry, name,
                    "'\(FormatLoss.beginning(of: priority))' is none of none, low, medium, high")
            }
            item.custom[name] = .text(priority)
            remarks(name, .priorityKept(line: line, priority))
        }
        let lackedCount = targets.dropFirst(cells.count).count {
            if case .custom("") = $0 { false } else { true }
        }
        if lackedCount > 0 {
            remarks(
                "cells",
                .shortRow(line: line, cellCount: cells.count, columnCount: targets.count))
        }
        guard !item.title.isEmpty || item.identifier != nil else {
            throw Self.fault(entry, "title", "is missing")
        }
        return item
    }

    private func readCustom(
        _ cell: String, into item: inout ToDoItem, entry: Int
    ) throws(FormatFault) {
        guard case .object(let members)? = JSONValue(compactText: cell) else {
            throw Self.fault(entry, "custom", "is not a JSON object")
        }
        for member in members {
            item.custom[member.name] =
                CustomValue(json: member.value) ?? .text(member.value.compactText)
        }
    }

    /// How rows are known again, with and without the guard against formulas.
    package var echo: FormatEcho {
        FormatEcho(forms: { item in
            let names = item.custom.keys.sorted()
            let targets =
                CSVColumn.allCases.filter { $0 != .custom }.map { Target.column($0) }
                + names.map { Target.custom($0) }
            let writer = CSVWriter(isExcelSafe: true)
            let cells = targets.map { writer.guarded(Self.cell(of: item, $0)) }
            return (try? self.item(cells, targets, entry: 0)).map { [$0] } ?? []
        })
    }

    // MARK: Writing

    /// Writes a table.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        let names = Set(items.flatMap(\.custom.keys)).sorted()
        let areColumns = names.count <= Self.customColumnCountMax && !names.contains("")
        let columns = CSVColumn.allCases.filter { $0 != .custom || !areColumns }
        let customNames = areColumns ? names : []
        let header = columns.map(\.rawValue) + customNames.map { Self.customPrefix + $0 }
        let targets = columns.map { Target.column($0) } + customNames.map { Target.custom($0) }
        var writer = CSVWriter(isExcelSafe: isExcelSafe)
        writer.append(header)
        var losses: [FormatLoss] = []
        for (index, item) in items.enumerated() {
            let cells = targets.map { Self.cell(of: item, $0) }
            writer.append(cells)
            losses += FormatLoss.losses(entry: index + 1, of: item) { () throws(FormatFault) in
                try self.item(cells.map(writer.guarded), targets, entry: index + 1)
            }
        }
        return FormatWriting(writer.bytes, losses: losses)
    }

    private static func cell(of item: ToDoItem, _ target: Target) -> String {
        switch target {
        case .column(.custom):
            let members = item.custom.sorted { $0.key < $1.key }
                .map { JSONMember($0.key, $0.value.json) }
            return members.isEmpty ? "" : JSONValue.object(members).compactText
        case .column(let column): return column.text(of: item)
        case .custom(let name):
            guard let value = item.custom[name] else { return "" }
            guard case .text(let text) = value, !text.isEmpty,
                JSONValue(compactText: text) == nil
            else { return value.json.compactText }
            return text
        }
    }
}

extension CSVFormat: ToDoFormat {
    /// The names of the format, and what is known of it without a file.
    package static let profile = FormatProfile(
        "csv", family: "CSV", losses: "cells that look like formulas, if these are guarded",
        nameEndings: [".csv"],
        readOptions: [
            FormatOption(
                "map", value: "PAIRS", for: "tables (csv)",
                "what the columns of a table are here, where they have other "
                    + "names: --map 'Due Date=due,Name=title,Effort=x.effort'")
        ],
        writeOptions: [
            FormatOption(
                "excel-safe", for: "tables (csv)",
                "a table in which no cell is a formula: an apostrophe in front")
        ])

    /// A format as a command line asks for it.
    package init(_ settings: FormatSettings) throws(FormatOptionFault) {
        var map = CSVColumnMap()
        if let text = settings.options["map"] {
            do throws(CSVColumnMapFault) {
                map = try CSVColumnMap(text)
            } catch {
                throw FormatOptionFault("map", error.description)
            }
        }
        let isExcelSafe = settings.options["excel-safe"] != nil
        self.init(
            zone: settings.zone, dateOrder: settings.dateOrder, isExcelSafe: isExcelSafe, map: map)
    }

    /// Reads a file piece by piece.
    package func stream() -> (any EntryStream)? {
        CSVStream(Self.name, names: headings) { header throws(FormatFault) in
            try CSVTable(
                self, header,
                ReadingBuilder(Self.name, limitsYears: false, entryCountMax: .max))
        }
    }
}

/// The code of a remark on a row of a table.
enum CSVReason: FormatReason {
    /// The row has fewer cells than the header.
    case shortRow(line: Int, cellCount: Int, columnCount: Int)
    /// A priority that is none here, kept as a field of the user's own.
    case priorityKept(line: Int, String)

    /// The code as half a sentence, for the user.
    var words: String {
        switch self {
        case .shortRow(let line, let cellCount, let columnCount):
            "line \(line) has \(cellCount) of \(columnCount) cells; the others are read as empty"
        case .priorityKept(let line, let word):
            "'\(FormatLoss.beginning(of: word))' in line \(line) is none of none, low, medium, high; "
                + "it is kept as x.priority"
        }
    }
}
