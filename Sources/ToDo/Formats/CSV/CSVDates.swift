/// Reads the dates in the cells of tables, in the forms in which programs and people write them.
struct CSVDates: Sendable {
    /// The zone of times that name none.
    var zone: LocalTimeZone
    /// The order of `5/6/2026`; without one such a date is refused.
    var order: DateOrder?

    /// A date of ours, any date of ISO 8601, or one with its year and dots or slashes, as `25.12.2026 10:00`,
    /// `12/25/2026 5:00 PM`, `Dec 25, 2026`, `25-Dec-2026`; a time without a zone is local.
    func moment(_ cell: String) throws(CellFault) -> Moment {
        if let moment = TimestampReader.rfc3339(cell) { return moment }
        let text = cell.lowercased().replacing(" ", with: "t", maxReplacements: 1)
        do {
            switch try ISOText.parse(text, zone: zone) {
            case .day(let day)?:
                if let day = Int32(exactly: day) { return .day(day) }
            case .instant(let instant)?: return .instant(instant)
            default: break
            }
            if Self.numbers(cell, ".") != nil {
                return try DatePhrase.parse(cell, now: 0, zone: zone)
            }
            if let numbers = Self.numbers(cell, "/") {
                try judgeOrder(numbers, of: cell)
                return try DatePhrase.parse(cell, now: 0, zone: zone, dateOrder: order)
            }
            if let phrase = Self.phrase(naming: cell) {
                return try DatePhrase.parse(phrase, now: 0, zone: zone)
            }
        } catch let error as CellFault {
            throw error
        } catch {
            throw CellFault("\(error)")
        }
        throw CellFault(
            "'\(cell.prefix(40))' is no date of the form 2026-12-01, 2026-12-01T10:00Z, 1.12.2026, 12/1/2026 or Dec 1, 2026"
        )
    }

    /// Refuses a date with slashes that may be read in two ways, or that the user's order says to be none.
    private func judgeOrder(_ numbers: [Int], of cell: String) throws(CellFault) {
        // The year first.
        if numbers[0] > 31 { return }
        let (first, second) = (numbers[0], numbers[1])
        let shown = FormatLoss.beginning(of: cell)
        switch order {
        case nil where first <= 12 && second <= 12 && first != second:
            throw CellFault(
                "'\(shown)' may have the day or the month first; set date-order to day-month or month-day"
            )
        case .dayMonth where second > 12:
            throw CellFault("'\(shown)' has no month \(second), and date-order is day-month")
        case .monthDay where first > 12:
            throw CellFault("'\(shown)' has no month \(first), and date-order is month-day")
        default: return
        }
    }

    /// The three numbers of a date that it begins with; nil if there are not three: without a year a date depends on the
    /// day on which the table is read.
    private static func numbers(_ cell: String, _ separator: Character) -> [Int]? {
        let parts = cell.prefix { $0 != " " }.split(
            separator: separator, omittingEmptySubsequences: false)
        // A sign would be read as a part of a number.
        let numbers = parts.filter {
            (1...4).contains($0.utf8.count) && $0.first?.isNumber == true
        }.compactMap { UInt16($0) }
        return parts.count == 3 && numbers.count == 3 ? numbers.map(Int.init) : nil
    }

    /// A date that names its month and begins with that or the day, without commas and hyphens; nil for any other text, also
    /// one without a year.
    private static func phrase(naming cell: String) -> String? {
        let words = cell.split { $0 == " " || $0 == "," || $0 == "-" }
        guard words.count >= 3, words[2].count == 4, UInt16(words[2]) != nil else { return nil }
        guard words.prefix(2).contains(where: { DayNames.monthNumber($0.lowercased()) != nil }),
            words.prefix(2).contains(where: { (1...2).contains($0.count) && UInt8($0) != nil })
        else { return nil }
        return words.joined(separator: " ")
    }
}
