import Terminal
import ToDo

/// Draws charts in the terminal, and puts them into files as pictures.
enum ChartOutput {
    /// The marks of the parts of a bar; they differ in shape, so that no colour is needed.
    private static let marks = ["█", "▒", "░", "·"]
    /// The columns that are shown before there is room for bars.
    private static let firstColumnCount = 2
    /// The fewest cells in which a bar tells anything.
    private static let widthMin = 8
    /// The most cells of a bar.
    private static let widthMax = 60

    /// A bar in so many cells, with the longest of the chart filling them all; a part that is not zero shows.
    static func bar(_ bar: BarChart.Bar, longest: Int, in cells: Int) -> String {
        var text = ""
        var (sum, end) = (0, 0)
        for (mark, value) in zip(marks, bar.values) where value > 0 {
            sum += value
            let exact = Double(sum) * Double(cells) / Double(longest)
            let next = max(end + 1, Int(exact.rounded()))
            text += String(repeating: mark, count: next - end)
            end = next
        }
        return String(text.prefix(cells))
    }

    /// The cells of a bar in so much room; nil if it would tell nothing.
    static func barWidth(in room: Int) -> Int? {
        room < widthMin ? nil : min(room, widthMax)
    }

    /// The marks, and what they stand for.
    static func legend(_ chart: BarChart) -> String {
        zip(marks, chart.series).map { "\($0) \($1)" }.joined(separator: "  ")
    }

    /// Writes a table with a bar at the end of each line, as far as there is room.
    ///
    /// - Parameters:
    ///   - names: what stands in front of each line.
    ///   - columns: the heading and the cells of each column, the most important first; those behind that have no
    ///     room are left out.
    static func write(
        _ chart: BarChart, names: (heading: String, cells: [String]),
        columns: [(heading: String, cells: [String])]
    ) {
        let screen = Screen.width ?? 100
        let nameRoom = max(12, screen / 3)
        let nameWidth = min(
            ([names.heading] + names.cells).map(Cells.count).max() ?? 0, nameRoom)
        var room = screen - nameWidth
        var shown: [(width: Int, heading: String, cells: [String])] = []
        for column in columns {
            let width = ([column.heading] + column.cells).map(Cells.count).max() ?? 0
            let needed = width + 2 + (shown.count < firstColumnCount ? 0 : widthMin + 3)
            guard room >= needed else { break }
            room -= width + 2
            shown.append((width, column.heading, column.cells))
        }
        let barWidth = Self.barWidth(in: room - 3)
        func line(_ name: String, _ cell: (Int) -> String, _ bar: String) -> String {
            let cells = shown.indices.map { "  " + Cells.right(cell($0), to: shown[$0].width) }
            let name = Cells.padded(Cells.cut(name, to: nameWidth), to: nameWidth)
            return (name + cells.joined() + "  " + bar).trimmedAtEnd
        }
        let legend = Self.legend(chart)
        let hasLegend = barWidth.map { Cells.count(legend) <= $0 } ?? false
        Screen.line(
            Screen.bold(
                line(
                    names.heading, { shown[$0].heading },
                    hasLegend ? legend : "")))
        for (row, name) in names.cells.enumerated() {
            let drawn = barWidth.map { width in
                row < chart.bars.count
                    ? Self.bar(chart.bars[row], longest: chart.longest, in: width) : ""
            }
            Screen.line(line(name, { shown[$0].cells[row] }, drawn ?? ""))
        }
        if barWidth != nil, !hasLegend { Screen.line(Screen.faint(legend)) }
    }

    /// Puts a chart into the file that `--svg` names, and says so; does nothing without that option.
    ///
    /// - Returns: whether it did.
    static func save(
        _ chart: BarChart, _ direction: ChartPicture.Direction, _ arguments: Arguments
    ) throws -> Bool {
        guard let path = arguments["svg"] else { return false }
        let picture = Array(ChartPicture(chart, direction).svg.utf8)
        if path == "-" {
            Screen.write(picture)
        } else {
            try Files.write(picture, to: path)
            Screen.line("Drawn: \(path.shownInLine)")
        }
        return true
    }
}
