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
    static func write(_ items: [ToDoItem], dates: [String]? = nil, _ place: CommandContext) {
        write([ToDoSection(title: "", rows: items.map { ToDoRow($0) })], dates: dates, place)
    }

    /// Writes numbered tables below each other, with columns that stand in one line.
    static func write(
        _ sections: [ToDoSection<ToDoRow>], dates: [String]? = nil, _ place: CommandContext
    ) {
        let rows = sections.flatMap(\.rows)
        if rows.isEmpty { return }
        let table = layout(rows, dates: dates, place)
        var row = 0
        for section in sections {
            if !section.title.isEmpty {
                if row > 0 { Screen.line("") }
                Screen.line(Screen.bold(section.title.shownInLine))
            }
            for _ in section.rows {
                Screen.line(line(row, of: table))
                row += 1
            }
        }
    }

    private struct Table {
        let numbers: [String]
        let numbersWidth: Int
        let columns: [[String]]
        let widths: [Int]
        let datesPlace: Int?
        let isUrgent: [Bool]
        let isFaint: [Bool]
    }

    private static func layout(
        _ rows: [ToDoRow], dates: [String]?, _ place: CommandContext
    ) -> Table {
        let items = rows.map(\.item)
        let numbers = items.indices.map { String($0 + 1) }
        let isUrgent = items.map { dates == nil && place.spot.has($0, .overdue) }
        let dates = dates ?? items.map { date($0, place) }
        let extras = extras(
            [
                dates,
                items.map(\.project.shownInLine),
                items.map { $0.tags.map { "+" + $0.shownInLine }.joined(separator: " ") },
            ], beside: width(numbers))
        let room = Screen.width.map { screen in
            max(screen - extras.reduce(width(numbers) + 2) { $0 + width($1) + 2 }, 8)
        }
        let titles = rows.map { row in
            let title = margin(row, in: room ?? .max) + row.mark + row.item.shownTitle
            return room.map { Cells.cut(title, to: $0) } ?? title
        }
        let columns = [titles] + extras
        return Table(
            numbers: numbers, numbersWidth: width(numbers), columns: columns,
            widths: columns.map {
                Screen.width == nil ? min(width($0), alignedWidthMax) : width($0)
            },
            datesPlace: extras.first == dates ? 1 : nil, isUrgent: isUrgent,
            isFaint: items.map { $0.status != .pending })
    }

    private static func line(_ row: Int, of table: Table) -> String {
        var line = Cells.right(table.numbers[row], to: table.numbersWidth)
        var count = table.numbersWidth
        var place = count + 2
        for (number, column) in table.columns.enumerated() {
            let text = column[row]
            if !text.isEmpty {
                let start = max(place, count + 2)
                line += String(repeating: " ", count: start - count)
                line +=
                    number == table.datesPlace && table.isUrgent[row]
                    ? Screen.urgent(text)
                    : table.isFaint[row] || number > 1 ? Screen.faint(text) : text
                count = start + Cells.count(text)
            }
            place += table.widths[number] + 2
        }
        return line
    }

    /// The columns that have something to say and a place on the screen; titles keep room.
    private static func extras(_ extras: [[String]], beside numbersWidth: Int) -> [[String]] {
        var room = (Screen.width ?? Int.max) - numbersWidth - 2 - titleWidthMin
        let wanted = extras.reduce(0) { $0 + (width($1) == 0 ? 0 : width($1) + 2) }
        let isTight = wanted > room
        var kept: [[String]] = []
        for (place, extra) in extras.enumerated() where extra.contains(where: { !$0.isEmpty }) {
            var extra = extra
            var spare = titleWidthMin - titleWidthMinBesideDates
            if place > 0, let screen = Screen.width {
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

    /// When it is due, else when it is planned; finished ones when they were finished.
    private static func date(_ item: ToDoItem, _ place: CommandContext) -> String {
        if item.status != .pending, let time = item.completed {
            return relative(.instant(time), place)
        }
        let again = item.repeats.isEmpty ? "" : " *"
        if let due = item.due { return relative(due, place) + again }
        return item.scheduled.map { "from " + relative($0, place) + again } ?? ""
    }

    private static func relative(_ moment: Moment, _ place: CommandContext) -> String {
        DatePhrase.relative(moment, now: place.now, zone: place.zone, isShort: true)
    }

    private static func width(_ column: [String]) -> Int {
        column.map(Cells.count).max() ?? 0
    }
}
