import ToDo

/// To-dos in columns that fit the screen.
enum ToDoTable {
    /// The narrowest that a title gets before other columns are left out.
    private static let titleWidthMin = 24
    /// The same before the dates are left out, which are worth more than the rest.
    private static let titleWidthMinBesideDates = 14

    /// Writes a numbered table; without a screen nothing is cut.
    ///
    /// - Parameter dates: what stands behind the titles; by default when the to-dos are due.
    static func write(_ items: [ToDoItem], dates: [String]? = nil, _ place: Workplace) {
        if items.isEmpty { return }
        let numbers = items.indices.map { String($0 + 1) }
        var titles = items.map { mark($0) + $0.shownTitle }
        let isOverdue = items.map { item in
            dates == nil
                && ToDoVirtualTag.overdue.matches(item, now: place.now, zone: place.zone)
        }
        let dates = dates ?? items.map { $0.due.map { due($0, place) } ?? "" }
        let extras = extras(
            [
                dates,
                items.map(\.project.shownInLine),
                items.map { $0.tags.map { "+" + $0.shownInLine }.joined(separator: " ") },
            ], beside: width(numbers))
        if let screen = Terminal.width {
            let others = width(numbers) + 2 + extras.reduce(0) { $0 + width($1) + 2 }
            titles = titles.map { cut($0, to: max(screen - others, 8)) }
        }
        let columns = [titles] + extras
        let datesPlace = extras.first == dates ? 1 : nil
        let widths = columns.map(width)
        for row in items.indices {
            var line = padding(numbers[row], to: width(numbers)) + numbers[row]
            var count = width(numbers)
            var start = count + 2
            for (number, column) in columns.enumerated() {
                let text = column[row]
                if !text.isEmpty {
                    line += String(repeating: " ", count: start - count)
                    line += number == datesPlace && isOverdue[row] ? Terminal.urgent(text) : text
                    count = start + cells(text)
                }
                start += widths[number] + 2
            }
            Terminal.line(line)
        }
    }

    /// The columns that have something to say and a place on the screen; titles keep room.
    private static func extras(_ extras: [[String]], beside numbersWidth: Int) -> [[String]] {
        var room = (Terminal.width ?? Int.max) - numbersWidth - 2 - titleWidthMin
        var kept: [[String]] = []
        for (place, extra) in extras.enumerated() where extra.contains(where: { !$0.isEmpty }) {
            let spare = place == 0 ? titleWidthMin - titleWidthMinBesideDates : 0
            guard width(extra) + 2 <= room + spare else { continue }
            room -= width(extra) + 2
            kept.append(extra)
        }
        return kept
    }

    private static func padding(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - cells(text), 0))
    }

    private static func mark(_ item: ToDoItem) -> String {
        switch item.status {
        case .completed: "x "
        case .cancelled: "- "
        case .pending: item.priority == .high ? "! " : ""
        }
    }

    private static func due(_ moment: Moment, _ place: Workplace) -> String {
        DatePhrase.relative(moment, now: place.now, zone: place.zone).replacing("about ", with: "")
    }

    private static func width(_ column: [String]) -> Int {
        column.map(cells).max() ?? 0
    }

    /// How many cells of a screen a text takes, near enough: wide scripts and emoji take two each.
    private static func cells(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { count, character in
            let scalar = character.unicodeScalars.first?.value ?? 0
            let isWide =
                (0x1100...0x115f).contains(scalar) || (0x2e80...0xa4cf).contains(scalar)
                || (0xac00...0xd7a3).contains(scalar) || (0xf900...0xfaff).contains(scalar)
                || (0xfe30...0xfe6f).contains(scalar) || (0xff00...0xff60).contains(scalar)
                || (0x1f300...0x1faff).contains(scalar)
            return count + (isWide ? 2 : 1)
        }
    }

    private static func cut(_ text: String, to count: Int) -> String {
        if cells(text) <= count { return text }
        var result = ""
        for character in text {
            if cells(result) + cells(String(character)) > count - 1 { break }
            result.append(character)
        }
        return result + "…"
    }
}
