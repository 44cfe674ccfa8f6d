import Terminal
import ToDo

/// To-dos in columns that fit the screen.
enum ToDoTable {
    /// The narrowest that a title gets before other columns are left out.
    private static let titleWidthMin = 24
    /// The width of a project or of tags as a part of the screen; longer ones are cut.
    private static let extraShare = 4
    /// The least that is left of a project or tags before their column is left out.
    private static let extraWidthMin = 8
    /// The same before the dates are left out, which are worth more than the rest.
    private static let titleWidthMinBesideDates = 14

    /// The widest that a column gets where nothing is cut; what is longer pushes the rest of its line aside.
    private static let alignedWidthMax = 60

    /// Parts of parts stand in no further than this.
    private static let depthMax = 4

    /// Writes a numbered table; without a screen nothing is cut.
    ///
    /// - Parameter dates: what stands behind the titles; by default when the to-dos are due.
    static func write(_ found: [Record], dates: [ListedDate]? = nil, _ context: CommandContext) {
        let rows = found.map { ToDoRow($0, ToDoMapping.item($0)) }
        write([ToDoSection(title: "", rows: rows)], dates: dates, context)
    }

    /// The cells of a line below a to-do where results go to no screen.
    private static let plainWidth = 80

    /// Writes numbered tables below each other, with columns that stand in one line.
    ///
    /// - Parameter searched: texts that are marked in titles; where they stand in notes is told below.
    static func write(
        _ sections: [ToDoSection<ToDoRow>], dates: [ListedDate]? = nil,
        columns: [ToDoColumn] = [], searched: [String] = [], _ context: CommandContext
    ) {
        let rows = sections.flatMap(\.rows)
        if rows.isEmpty { return }
        let table = layout(rows, dates: dates, columns: columns, context)
        var row = 0
        if !columns.isEmpty {
            Screen.line(line(0, of: table))
            row = 1
        }
        var isFirst = columns.isEmpty
        for section in sections {
            if !section.title.isEmpty {
                if !isFirst { Screen.line("") }
                isFirst = false
                Screen.line(Screen.bold(section.title.shownInLine))
            }
            for shown in section.rows {
                Screen.line(line(row, of: table, searched: searched))
                let indent = table.numbersWidth + 4
                if let excerpt = excerpt(
                    shown.item.notes, searched, in: (Screen.width ?? plainWidth) - indent)
                {
                    Screen.line(ShownText(String(repeating: " ", count: indent)) + excerpt)
                }
                row += 1
            }
        }
    }

    /// Where one of the searched texts stands in notes, with what is around it.
    private static func excerpt(_ notes: String, _ searched: [String], in room: Int) -> ShownText? {
        guard !searched.isEmpty, var found = FoundText(of: searched, in: notes) else { return nil }
        found.before = found.before.shownInLine
        found.found = Cells.cut(found.found.shownInLine, to: max(room, 1))
        found.after = found.after.shownInLine
        found = found.cut(to: room, width: Cells.count)
        return Screen.faint(found.before) + Screen.bold(found.found) + Screen.faint(found.after)
    }

    private struct Table {
        let numbers: [String]
        let numbersWidth: Int
        let columns: [[String]]
        let widths: [Int]
        let datesColumn: Int?
        let isUrgent: [Bool]
        let isFaint: [Bool]
    }

    private static func layout(
        _ rows: [ToDoRow], dates: [ListedDate]?, columns: [ToDoColumn], _ context: CommandContext
    ) -> Table {
        let items = rows.map(\.item)
        let waiting = WaitingColumn(rows, context)
        var numbers = waiting.names
        var isUrgent = items.map { dates == nil && context.calendar.has($0, .overdue) }
        var isFaint = items.map { $0.status != .pending }
        let dueDates: [String]
        let extras: [[String]]
        if columns.isEmpty {
            let others =
                [ToDoColumn.project, .tags].map { column in
                    items.map { column.text($0).shownInLine }
                } + [waiting.texts]
            dueDates = texts(
                of: dates ?? items.map { ListedDate($0, in: context.calendar) },
                beside: width(numbers), and: others,
                context)
            extras = Self.extras([dueDates] + others, beside: width(numbers))
        } else {
            // The names of the columns are a row of their own above the others.
            numbers.insert("", at: 0)
            isUrgent.insert(false, at: 0)
            isFaint.insert(true, at: 0)
            let all = texts(of: columns, items, beside: width(numbers), context)
            dueDates = columns.firstIndex(of: .date(.due)).map { all[$0] } ?? []
            extras = Self.extras(all, beside: width(numbers))
        }
        let room = Screen.width.map { screen in
            max(screen - extras.reduce(width(numbers) + 2) { $0 + width($1) + 2 }, 8)
        }
        var titles = rows.map { row in
            let title = margin(row, in: room ?? .max) + row.mark + row.item.shownTitle
            return room.map { Cells.cut(title, to: $0) } ?? title
        }
        if !columns.isEmpty { titles.insert(ToDoColumn.title.word, at: 0) }
        let columns = [titles] + extras
        return Table(
            numbers: numbers, numbersWidth: width(numbers), columns: columns,
            widths: columns.map {
                Screen.width == nil ? min(width($0), alignedWidthMax) : width($0)
            },
            datesColumn: extras.firstIndex(of: dueDates).map { $0 + 1 }, isUrgent: isUrgent,
            isFaint: isFaint)
    }

    private static func line(
        _ row: Int, of table: Table, searched: [String] = []
    ) -> ShownText {
        var line = ShownText(Cells.right(table.numbers[row], to: table.numbersWidth))
        var count = table.numbersWidth
        var context = count + 2
        for (number, column) in table.columns.enumerated() {
            let text = column[row]
            if !text.isEmpty {
                let start = max(context, count + 2)
                line += ShownText(String(repeating: " ", count: start - count))
                line +=
                    number == table.datesColumn && table.isUrgent[row]
                    ? Screen.urgent(text)
                    : table.isFaint[row] || number > 1
                        ? Screen.faint(text)
                        : number == 0 ? marked(text, searched) : ShownText(text)
                count = start + Cells.count(text)
            }
            context += table.widths[number] + 2
        }
        return line
    }

    /// A title with the searched texts in it marked.
    private static func marked(_ title: String, _ searched: [String]) -> ShownText {
        if searched.isEmpty || !Screen.hasColour { return ShownText(title) }
        return FoundText.parts(of: title, holding: searched).map {
            $0.isFound ? Screen.bold($0.text) : ShownText($0.text)
        }.joined()
    }

    /// The texts of columns of the user's own, each below the column's name.
    private static func texts(
        of columns: [ToDoColumn], _ items: [ToDoItem], beside numbersWidth: Int,
        _ context: CommandContext
    ) -> [[String]] {
        let plain = columns.map { column in items.map { column.text($0).shownInLine } }
        return zip(columns, plain).map { column, texts in
            guard case .date(let attribute) = column else {
                return [column.word.shownInLine] + texts
            }
            let dates = items.map { ListedDate($0.date(attribute)) }
            return [column.word]
                + self.texts(of: dates, beside: numbersWidth, and: plain, context)
        }
    }

    /// The dates in the longest form that leaves room for titles and for the other columns; else in the shortest.
    private static func texts(
        of dates: [ListedDate], beside numbersWidth: Int, and others: [[String]],
        _ context: CommandContext
    ) -> [String] {
        var texts: [String] = []
        for form in DatePhrase.Width.allCases {
            texts = dates.map { $0.text(form, context) }
            guard let screen = Screen.width else { break }
            let widthMax = max(screen / extraShare, extraWidthMin)
            let taken = others.reduce(numbersWidth + 2 + titleWidthMin) {
                $0 + (width($1) == 0 ? 0 : min(width($1), widthMax) + 2)
            }
            if taken + width(texts) + 2 <= screen { break }
        }
        return texts
    }

    /// The columns that have something to say and room on the screen; titles keep room.
    private static func extras(_ extras: [[String]], beside numbersWidth: Int) -> [[String]] {
        var room = (Screen.width ?? Int.max) - numbersWidth - 2 - titleWidthMin
        let wanted = extras.reduce(0) { $0 + (width($1) == 0 ? 0 : width($1) + 2) }
        let isTight = wanted > room
        var kept: [[String]] = []
        for (context, extra) in extras.enumerated() where extra.contains(where: { !$0.isEmpty }) {
            var extra = extra
            var spare = titleWidthMin - titleWidthMinBesideDates
            if context > 0, let screen = Screen.width {
                spare = 0
                let widthMax = min(room - 2, max(screen / extraShare, extraWidthMin))
                if isTight, width(extra) > widthMax, widthMax >= extraWidthMin {
                    extra = extra.map { Cells.cut($0, to: widthMax) }
                }
            }
            guard width(extra) + 2 <= room + spare else { continue }
            room -= width(extra) + 2
            kept.append(extra)
        }
        return kept
    }

    /// How far a part stands in; the title keeps most of the room.
    private static func margin(_ row: ToDoRow, in room: Int) -> String {
        String(repeating: " ", count: min(row.depth, depthMax, room / 8) * 2)
    }

    private static func width(_ column: [String]) -> Int {
        column.map(Cells.count).max() ?? 0
    }
}

/// A date as a list shows it, with words around it.
struct ListedDate {
    let before: String
    let moment: Moment?
    let after: String

    /// A date, or no words at all.
    init(_ moment: Moment?, before: String = "", after: String = "") {
        self.before = before
        self.moment = moment
        self.after = after
    }

    /// When a to-do is due, else when it is planned, else until when it is out of sight; of a finished one when it was
    /// finished.
    init(_ item: ToDoItem, in calendar: CalendarContext) {
        let again = item.repeats.isEmpty ? "" : " *"
        if item.status != .pending, let time = item.completed {
            self.init(.instant(time))
        } else if let due = item.due {
            self.init(due, after: again)
        } else if item.scheduled == nil, calendar.has(item, .waiting) {
            self.init(item.wait, before: "waits to ", after: again)
        } else {
            self.init(item.scheduled, before: "from ", after: again)
        }
    }

    /// The words of a form; without a date there are none.
    func text(_ form: DatePhrase.Width, _ context: CommandContext) -> String {
        guard let moment else { return "" }
        let date = DatePhrase.listed(moment, now: context.now, zone: context.zone, width: form)
        return before + date + after
    }
}

/// A to-do as a list shows it.
struct ToDoRow {
    let stored: Record
    let item: ToDoItem
    /// The to-dos that hold it up, and those that it holds up.
    let waiting: ToDoStore.Waiting
    /// Whether devices disagree on it.
    var isInConflict: Bool { stored.isInConflict }
    /// How many of those that it is a part of stand above it.
    var depth = 0
    /// Whether it is a part of something that stands elsewhere in the list.
    var isApart = false

    init(_ stored: Record, _ item: ToDoItem, _ waiting: ToDoStore.Waiting? = nil) {
        self.stored = stored
        self.item = item
        self.waiting = waiting ?? ToDoStore.Waiting()
    }

    var id: RecordID { stored.id }

    /// The marks before the title.
    var mark: String {
        let conflict = isInConflict ? "? " : ""
        let part = isApart ? "\u{21b3} " : ""
        let state =
            switch item.status {
            case .completed: "x "
            case .cancelled: "- "
            case .pending: item.isActive ? "> " : item.priority == .high ? "! " : ""
            }
        return part + conflict + state
    }

    /// Rows with parts beneath what they are a part of; all else keeps its order.
    static func nested(_ rows: [ToDoRow]) -> [ToDoRow] {
        if rows.allSatisfy({ $0.item.parent == nil }) { return rows }
        var parts: [UInt128: [Int]] = [:]
        let present = Set(rows.map(\.id.value))
        var roots: [Int] = []
        for (context, row) in rows.enumerated() {
            if let parent = row.item.parent, present.contains(parent) {
                parts[parent, default: []].append(context)
            } else {
                roots.append(context)
            }
        }
        if parts.isEmpty { return rows }
        var result: [ToDoRow] = []
        for root in roots {
            var open = [(context: root, depth: 0)]
            while let (context, depth) = open.popLast() {
                var row = rows[context]
                row.depth = depth
                result.append(row)
                let below = parts[row.id.value] ?? []
                open += below.reversed().map { (context: $0, depth: depth + 1) }
            }
        }
        return result
    }

    /// Rows in their order, where a part whose whole is among them says that it is one.
    static func marked(_ rows: [ToDoRow]) -> [ToDoRow] {
        if rows.allSatisfy({ $0.item.parent == nil }) { return rows }
        let present = Set(rows.map(\.id.value))
        return rows.map { row in
            var row = row
            row.isApart = row.item.parent.map(present.contains) ?? false
            return row
        }
    }
}
