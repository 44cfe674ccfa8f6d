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
        _ sections: [ToDoSection], dates: [ListedDate]? = nil,
        columns: [ToDoColumn] = [], searched: [String] = [], _ context: CommandContext
    ) {
        let rows = sections.flatMap(\.rows)
        if rows.isEmpty { return }
        let screen = Screen.width
        let table = layout(rows, dates: dates, columns: columns, on: screen, context)
        let indent = table.numbers.width + 4
        var line = ScreenLine()
        var row = 0
        if !columns.isEmpty {
            add(row, of: table, to: &line)
            Screen.line(&line)
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
                add(row, of: table, searched: searched, to: &line)
                Screen.line(&line)
                if !searched.isEmpty,
                    let excerpt = excerpt(
                        shown.item.notes, searched, in: (screen ?? plainWidth) - indent)
                {
                    line.add(spaces: indent)
                    line.add(excerpt)
                    Screen.line(&line)
                }
                row += 1
            }
        }
    }

    /// Where one of the searched texts stands in notes, with what is around it.
    private static func excerpt(_ notes: String, _ searched: [String], in room: Int) -> ShownText? {
        guard var found = FoundText(of: searched, in: notes) else { return nil }
        found.before = found.before.shownInLine
        found.found = Cells.cut(found.found.shownInLine, to: max(room, 1))
        found.after = found.after.shownInLine
        found = found.cut(to: room, width: Cells.count)
        return Screen.faint(found.before) + Screen.bold(found.found) + Screen.faint(found.after)
    }

    /// The texts of one column, with the cells that each takes.
    private struct Column {
        let texts: [String]
        let widths: [Int]
        /// The cells of the longest.
        let width: Int

        init(_ texts: [String]) {
            self.texts = texts
            widths = texts.map { Cells.count($0) }
            width = widths.max() ?? 0
        }

        /// Whether it says nothing.
        var isEmpty: Bool { texts.allSatisfy(\.isEmpty) }

        func cut(to cells: Int) -> Column { Column(texts.map { Cells.cut($0, to: cells) }) }
    }

    private struct Table {
        let numbers: Column
        let columns: [Column]
        /// The cells after which the next column begins.
        let widths: [Int]
        let datesColumn: Int?
        let isUrgent: [Bool]
        let isFaint: [Bool]
    }

    private static func layout(
        _ rows: [ToDoRow], dates: [ListedDate]?, columns: [ToDoColumn], on screen: Int?,
        _ context: CommandContext
    ) -> Table {
        let waiting = WaitingColumn(rows, context)
        let cells = RowCells(rows, dates: dates, columns: columns, in: context.calendar)
        let hasHead = !columns.isEmpty
        // The names of columns of the user's own are a row above the others.
        let numbers = Column((hasHead ? [""] : []) + waiting.names)
        let dueDates: Column
        let extras: [Column]
        if hasHead {
            let all = texts(of: columns, cells, beside: numbers.width, on: screen, context)
            dueDates = columns.firstIndex(of: .date(.due)).map { all[$0] } ?? Column([])
            extras = Self.extras(all, beside: numbers.width, on: screen)
        } else {
            let others = (cells.texts + [waiting.texts]).map { Column($0) }
            dueDates = texts(
                of: cells.dates[0], beside: numbers.width, and: others, on: screen, context)
            // Dates that were given stand before those on which the to-dos are due.
            let due = texts(
                of: dates == nil ? [] : rows.map { ListedDate($0.item.due, before: "due ") },
                beside: numbers.width + dueDates.width + 2, and: others, on: screen, context)
            extras = Self.extras([dueDates, due] + others, beside: numbers.width, on: screen)
        }
        let room = screen.map { screen in
            max(screen - extras.reduce(numbers.width + 2) { $0 + $1.width + 2 }, 8)
        }
        var titles = zip(rows, cells.titles).map { row, title in
            let title = row.depth == 0 ? title : margin(row, in: room ?? .max) + title
            return room.map { Cells.cut(title, to: $0) } ?? title
        }
        if hasHead { titles.insert(ToDoColumn.title.word, at: 0) }
        let shown = [Column(titles)] + extras
        return Table(
            numbers: numbers, columns: shown,
            widths: shown.map { screen == nil ? min($0.width, alignedWidthMax) : $0.width },
            datesColumn: extras.firstIndex { $0.texts == dueDates.texts }.map { $0 + 1 },
            isUrgent: (hasHead ? [false] : []) + cells.isUrgent,
            isFaint: (hasHead ? [true] : []) + cells.isFaint)
    }

    /// The texts of rows before they are fitted to a screen: each row is looked at once.
    private struct RowCells {
        /// The columns whose words are the user's; of a column of dates there are none.
        var texts: [[String]]
        /// The dates of each column of dates; nil for other columns.
        var dates: [[ListedDate]]
        /// The titles, with the marks before them.
        var titles: [String] = []
        var isUrgent: [Bool] = []
        var isFaint: [Bool] = []

        /// The cells of columns, or of a project, of tags and of given dates, by default of when the to-dos are due.
        init(
            _ rows: [ToDoRow], dates given: [ListedDate]?, columns: [ToDoColumn],
            in calendar: CalendarContext
        ) {
            let words = columns.isEmpty ? [ToDoColumn.project, .tags] : columns
            texts = words.map { _ in [] }
            dates = columns.isEmpty ? [given ?? []] : columns.map { _ in [] }
            for row in rows {
                // Read once: a to-do is copied each time that a row gives it.
                let item = row.item
                let mark = row.mark
                let title = item.shownTitle
                titles.append(mark.isEmpty ? title : mark + title)
                isUrgent.append(given == nil && calendar.has(item, .overdue))
                isFaint.append(item.status != .pending)
                for (index, column) in words.enumerated() {
                    if case .date(let attribute) = column {
                        texts[index].append("")
                        dates[index].append(ListedDate(item.date(attribute)))
                    } else {
                        texts[index].append(column.text(item).shownInLine)
                    }
                }
                if columns.isEmpty, given == nil {
                    dates[0].append(ListedDate(item, in: calendar))
                }
            }
        }
    }

    /// Adds a row to a line.
    private static func add(
        _ row: Int, of table: Table, searched: [String] = [], to line: inout ScreenLine
    ) {
        line.add(spaces: table.numbers.width - table.numbers.widths[row])
        line.add(table.numbers.texts[row])
        var count = table.numbers.width
        var next = count + 2
        for number in table.columns.indices {
            let text = table.columns[number].texts[row]
            if !text.isEmpty {
                let start = max(next, count + 2)
                line.add(spaces: start - count)
                if number == table.datesColumn, table.isUrgent[row] {
                    line.add(text, .urgent)
                } else if table.isFaint[row] || number > 1 {
                    line.add(text, .faint)
                } else if number == 0 {
                    add(title: text, marking: searched, to: &line)
                } else {
                    line.add(text)
                }
                count = start + table.columns[number].widths[row]
            }
            next += table.widths[number] + 2
        }
    }

    /// Adds a title with the searched texts in it marked.
    private static func add(
        title: String, marking searched: [String], to line: inout ScreenLine
    ) {
        if searched.isEmpty || !Screen.hasColour { return line.add(title) }
        for part in FoundText.parts(of: title, holding: searched) {
            line.add(part.text, part.isFound ? .heading : .plain)
        }
    }

    /// The texts of columns of the user's own, each below the column's name.
    private static func texts(
        of columns: [ToDoColumn], _ cells: RowCells, beside numbersWidth: Int, on screen: Int?,
        _ context: CommandContext
    ) -> [Column] {
        let others = cells.texts.map { Column($0) }
        return columns.indices.map { index in
            let word = columns[index].word
            guard case .date = columns[index] else {
                return Column([word.shownInLine] + cells.texts[index])
            }
            let found = texts(
                of: cells.dates[index], beside: numbersWidth, and: others, on: screen, context)
            return Column([word] + found.texts)
        }
    }

    /// The dates in the longest form that leaves room for titles and for the other columns; else in the shortest.
    private static func texts(
        of dates: [ListedDate], beside numbersWidth: Int, and others: [Column], on screen: Int?,
        _ context: CommandContext
    ) -> Column {
        var column = Column([])
        for form in DatePhrase.Width.allCases {
            column = Column(ListedDate.texts(of: dates, form, in: context.calendar))
            guard let screen else { break }
            let widthMax = max(screen / extraShare, extraWidthMin)
            let taken = others.reduce(numbersWidth + 2 + titleWidthMin) {
                $0 + ($1.width == 0 ? 0 : min($1.width, widthMax) + 2)
            }
            if taken + column.width + 2 <= screen { break }
        }
        return column
    }

    /// The columns that have something to say and room on the screen; titles keep room.
    private static func extras(
        _ extras: [Column], beside numbersWidth: Int, on screen: Int?
    ) -> [Column] {
        var room = (screen ?? Int.max) - numbersWidth - 2 - titleWidthMin
        let wanted = extras.reduce(0) { $0 + ($1.width == 0 ? 0 : $1.width + 2) }
        let isTight = wanted > room
        var kept: [Column] = []
        for (context, extra) in extras.enumerated() where !extra.isEmpty {
            var extra = extra
            var spare = titleWidthMin - titleWidthMinBesideDates
            if context > 0, let screen {
                spare = 0
                let widthMax = min(room - 2, max(screen / extraShare, extraWidthMin))
                if isTight, extra.width > widthMax, widthMax >= extraWidthMin {
                    extra = extra.cut(to: widthMax)
                }
            }
            guard extra.width + 2 <= room + spare else { continue }
            room -= extra.width + 2
            kept.append(extra)
        }
        return kept
    }

    /// How far a part stands in; the title keeps most of the room.
    private static func margin(_ row: ToDoRow, in room: Int) -> String {
        String(repeating: " ", count: min(row.depth, depthMax, room / 8) * 2)
    }
}
