import Terminal
import ToDo

/// To-dos in columns that fit the screen.
enum ToDoTable {
    /// The narrowest that a longer title gets before other columns are left out.
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
        let rows = found.map { ToDoRow($0, ToDoMapping.item($0), in: context.calendar) }
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
                for words in table.below[row] {
                    line.add(spaces: indent)
                    line.add(words, .faint)
                    Screen.line(&line)
                }
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
        /// The lines below each row, of dates for which there is no room beside its title.
        let below: [[String]]
    }

    /// A column beside the titles.
    private struct Extra {
        /// The words that it shows.
        var column: Column
        /// The dates that it shows, which are never cut; nil for a column of other words.
        var dates: [ListedDate]?
        var form = DatePhrase.Width.long
        /// Whether its dates are those on which to-dos are due, or that a list shows for these.
        var isMain = false
        /// The name above it, which stands before dates below a row; empty for none.
        var word = ""

        /// Leaves out the dates that are wider than that: they have a line of their own.
        ///
        /// - Returns: whether any is left.
        mutating func hide(widerThan cells: Int) -> Bool {
            column = Column(
                zip(column.texts, column.widths).map { text, width in width > cells ? "" : text })
            return column.texts.dropFirst(word.isEmpty ? 0 : 1).contains { !$0.isEmpty }
                && (word.isEmpty || column.texts.first == word)
        }
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
        var extras = cells.texts.map { Extra(column: Column($0)) }
        if hasHead {
            for (index, column) in columns.enumerated() {
                let word = column.word.shownInLine
                extras[index] = Extra(column: Column([word] + cells.texts[index]), word: word)
                if case .date = column { extras[index].dates = cells.dates[index] }
                extras[index].isMain = column == .date(.due)
            }
        } else {
            extras.append(Extra(column: Column(waiting.texts)))
            // Dates that were given stand before those on which the to-dos are due.
            let due = dates == nil ? [] : rows.map { ListedDate($0.item.due, before: "due ") }
            extras.insert(Extra(column: Column([]), dates: due), at: 0)
            extras.insert(Extra(column: Column([]), dates: cells.dates[0], isMain: true), at: 0)
        }
        var kept = Array(extras.indices)
        var room: Int?
        if let screen {
            let width = zip(rows, cells.titles).reduce(0) {
                max($0, Cells.count($1.1) + min($1.0.depth, depthMax) * 2)
            }
            let titleRoom = screen - numbers.width - 2
            extras = fitted(extras, in: titleRoom - min(width, titleWidthMin), on: screen, context)
            kept = Self.kept(&extras, in: titleRoom, titleWidth: width, on: screen, context)
            room = max(kept.reduce(titleRoom) { $0 - extras[$1].column.width - 2 }, 8)
        } else {
            for index in extras.indices { show(&extras[index], as: .long, context) }
            kept.removeAll { extras[$0].column.isEmpty }
        }
        var titles = zip(rows, cells.titles).map { row, title in
            let title = row.depth == 0 ? title : margin(row, in: room ?? .max) + title
            return room.map { Cells.cut(title, to: $0) } ?? title
        }
        if hasHead { titles.insert(ToDoColumn.title.word, at: 0) }
        let shown = [Column(titles)] + kept.map { extras[$0].column }
        let below = below(
            rows.count, extras, kept, in: screen.map { $0 - numbers.width - 4 }, context)
        return Table(
            numbers: numbers, columns: shown,
            widths: shown.map { screen == nil ? min($0.width, alignedWidthMax) : $0.width },
            datesColumn: kept.firstIndex { extras[$0].isMain }.map { $0 + 1 },
            isUrgent: (hasHead ? [false] : []) + cells.isUrgent,
            isFaint: (hasHead ? [true] : []) + cells.isFaint,
            below: (hasHead ? [[]] : []) + below)
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

    /// Gives a column of dates the words of a form, below its name if it has one.
    private static func show(
        _ extra: inout Extra, as form: DatePhrase.Width, _ context: CommandContext
    ) {
        guard let dates = extra.dates else { return }
        extra.form = form
        let head = extra.word.isEmpty ? [] : [extra.word]
        extra.column = Column(head + ListedDate.texts(of: dates, form, in: context.calendar))
    }

    /// The dates in the longest form that leaves room for titles and for the other columns; else in the shortest.
    private static func fitted(
        _ extras: [Extra], in room: Int, on screen: Int, _ context: CommandContext
    ) -> [Extra] {
        var extras = extras
        let dated = extras.indices.filter { !(extras[$0].dates ?? []).isEmpty }
        // Each column of dates leaves room for the shortest form of those behind it.
        for index in dated.dropFirst() { show(&extras[index], as: .short, context) }
        let widthMax = max(screen / extraShare, extraWidthMin)
        for index in dated {
            let taken = extras.indices.reduce(0) { taken, other in
                let width = extras[other].column.width
                if other == index || width == 0 { return taken }
                return taken + (extras[other].dates == nil ? min(width, widthMax) : width) + 2
            }
            for form in DatePhrase.Width.allCases {
                show(&extras[index], as: form, context)
                if taken + extras[index].column.width + 2 <= room { break }
            }
        }
        return extras
    }

    /// The columns that have something to say and room beside titles of a width: dates first, which are not cut.
    ///
    /// - Parameter room: the cells of titles and columns together.
    private static func kept(
        _ extras: inout [Extra], in room: Int, titleWidth: Int, on screen: Int,
        _ context: CommandContext
    ) -> [Int] {
        let wanted = extras.reduce(0) { $0 + ($1.column.width == 0 ? 0 : $1.column.width + 2) }
        var room = room - min(titleWidth, titleWidthMin)
        let isTight = wanted > room
        let spare = max(min(titleWidth, titleWidthMin) - titleWidthMinBesideDates, 0)
        let filled = extras.indices.filter { !extras[$0].column.isEmpty }
        var kept: Set<Int> = []
        for index in filled where extras[index].dates != nil {
            if extras[index].column.width + 2 > room + spare {
                show(&extras[index], as: .short, context)
                guard extras[index].hide(widerThan: room + spare - 2) else { continue }
            }
            room -= extras[index].column.width + 2
            kept.insert(index)
        }
        for index in filled where extras[index].dates == nil {
            let widthMax = min(room - 2, max(screen / extraShare, extraWidthMin))
            if isTight, extras[index].column.width > widthMax, widthMax >= extraWidthMin {
                extras[index].column = extras[index].column.cut(to: widthMax)
            }
            guard extras[index].column.width + 2 <= room else { continue }
            room -= extras[index].column.width + 2
            kept.insert(index)
        }
        return kept.sorted()
    }

    /// The lines below each row, of the dates that have no room beside its title.
    private static func below(
        _ count: Int, _ extras: [Extra], _ kept: [Int], in room: Int?, _ context: CommandContext
    ) -> [[String]] {
        var parts = [[String]](repeating: [], count: count)
        guard let room else { return parts }
        for (index, extra) in extras.enumerated() {
            guard let dates = extra.dates else { continue }
            let isKept = kept.contains(index)
            if isKept, extra.form != .short { continue }
            let texts = extra.column.texts.dropFirst(extra.word.isEmpty ? 0 : 1)
            for (row, (date, text)) in zip(dates, texts).enumerated() where date.moment != nil {
                if !isKept || text.isEmpty {
                    let word = extra.word.isEmpty ? "" : extra.word + " "
                    let alone = ListedDate(date.moment, before: date.before, after: date.after)
                    parts[row].append(words(of: alone, word, in: room, context))
                }
                if let second = date.second {
                    let alone = ListedDate(second.moment, before: "\(second.word) ")
                    parts[row].append(words(of: alone, "", in: room, context))
                }
            }
        }
        return parts.map { $0.isEmpty ? [] : ListOutput.lines($0, in: room) }
    }

    /// A date in the longest form that has room; the words before it are cut rather than the date.
    private static func words(
        of date: ListedDate, _ word: String, in room: Int, _ context: CommandContext
    ) -> String {
        var text = ""
        for form in DatePhrase.Width.allCases {
            text = word + (ListedDate.texts(of: [date], form, in: context.calendar).first ?? "")
            if Cells.count(text) <= room { return text }
        }
        let before = word + date.before
        let rest = String(text.dropFirst(before.count))
        return Cells.cut(before, to: room - Cells.count(rest) - 1) + " " + rest
    }

    /// How far a part stands in; the title keeps most of the room.
    private static func margin(_ row: ToDoRow, in room: Int) -> String {
        String(repeating: " ", count: min(row.depth, depthMax, room / 8) * 2)
    }
}
