import ToDo

/// To-dos in columns that fit the screen.
enum ToDoTable {
    /// The narrowest that a title gets before other columns are left out.
    private static let titleWidthMin = 24

    /// Writes a numbered table; without a screen nothing is cut.
    static func write(_ items: [ToDoItem], _ place: Workplace) {
        if items.isEmpty { return }
        var columns: [[String]] = [
            items.indices.map { String($0 + 1) },
            items.map { mark($0) + $0.title.replacing("\n", with: " ") },
        ]
        let extras: [[String]] = [
            items.map { $0.due.map { due($0, place) } ?? "" },
            items.map(\.project),
            items.map { $0.tags.map { "+" + $0 }.joined(separator: " ") },
        ]
        var room = (Terminal.width ?? Int.max) - width(columns[0]) - 2 - titleWidthMin
        for extra in extras where extra.contains(where: { !$0.isEmpty }) {
            guard width(extra) + 2 <= room else { continue }
            room -= width(extra) + 2
            columns.append(extra)
        }
        if let screen = Terminal.width {
            let others = columns.enumerated().filter { $0.offset != 1 }
                .reduce(0) { $0 + width($1.element) + 2 }
            let titleWidth = max(screen - others, 8)
            columns[1] = columns[1].map { cut($0, to: titleWidth) }
        }
        let widths = columns.map(width)
        for row in items.indices {
            var line = ""
            for (place, column) in columns.enumerated() {
                let text = column[row]
                let padding = String(repeating: " ", count: max(widths[place] - cells(text), 0))
                line += place == 0 ? padding + text : "  " + text + padding
            }
            while line.last == " " { line.removeLast() }
            Terminal.line(line)
        }
    }

    private static func mark(_ item: ToDoItem) -> String {
        switch item.status {
        case .completed: "x "
        case .cancelled: "- "
        case .pending: item.priority == .high ? "! " : ""
        }
    }

    private static func due(_ moment: Moment, _ place: Workplace) -> String {
        DatePhrase.relative(moment, now: place.now, zone: place.zone)
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
