/// Dates as text in the machine formats, both ways.
package enum TimestampText {
    /// `2026-12-01`.
    package static func day(_ day: Int) -> String {
        let date = CivilDate(day: day)
        return "\(year(date.year))-\(padded(date.month))-\(padded(date.dayOfMonth))"
    }

    /// `2026-12-01T09:00:00Z`, with milliseconds if there are any.
    package static func rfc3339(_ milliseconds: Int64) -> String {
        let time = utc(milliseconds)
        let fraction = time.millisecondOfDay % 1_000
        let tail = fraction == 0 ? "" : "." + padded(fraction, to: 3)
        return "\(day(time.day))T\(padded(time.hour)):\(padded(time.minute)):"
            + "\(padded(time.second))\(tail)Z"
    }

    /// `20261201T090000Z`; the fraction of the second is dropped.
    static func compact(_ milliseconds: Int64) -> String {
        let time = utc(milliseconds)
        let date = time.date
        return year(date.year) + padded(date.month) + padded(date.dayOfMonth) + "T"
            + padded(time.hour) + padded(time.minute) + padded(time.second) + "Z"
    }

    /// Digits with zeroes before them.
    static func padded(_ number: Int, to width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Four digits, or a sign and six for years outside 0 to 9999 as in ISO 8601.
    private static func year(_ year: Int) -> String {
        if (0...9_999).contains(year) { return padded(year, to: 4) }
        return (year < 0 ? "-" : "+") + padded(abs(year), to: 6)
    }

    private static func utc(_ milliseconds: Int64) -> LocalTime {
        let (day, rest) = Int(milliseconds).quotientRoundedDown(by: 86_400_000)
        return LocalTime(day: day, millisecondOfDay: rest)
    }
}

/// Reads the dates of the machine formats.
enum TimestampReader {
    /// Reads `2026-12-01` as a day, `2026-12-01T09:00:00.123Z` as an instant.
    ///
    /// Instants need `Z` or an offset (RFC 3339); parts below a millisecond are dropped. Years
    /// outside 0 to 9999 have a sign and six digits or more. Nil for anything else.
    static func rfc3339(_ text: String) -> Moment? {
        var cursor = Cursor(text)
        guard let day = cursor.date() else { return nil }
        if cursor.isAtEnd { return Int32(exactly: day).map { .day($0) } }
        guard cursor.consume("T") || cursor.consume("t") || cursor.consume(" "),
            let clock = cursor.clock(separator: true),
            let east = cursor.zone(), cursor.isAtEnd
        else { return nil }
        return instant(day: day, milliseconds: clock - east * 1_000)
    }

    /// Reads `20261201T090000Z`, in milliseconds since 1970; nil for anything else.
    static func compact(_ text: String) -> Int64? {
        var cursor = Cursor(text)
        guard let year = cursor.number(4...4), let month = cursor.number(2...2),
            let dayOfMonth = cursor.number(2...2),
            let date = CivilDate(checking: year, month, dayOfMonth), cursor.consume("T"),
            let clock = cursor.clock(separator: false), cursor.consume("Z"), cursor.isAtEnd
        else { return nil }
        return Int64(date.day * 86_400_000 + clock)
    }

    private static func instant(day: Int, milliseconds: Int) -> Moment? {
        // Counted towards 1970 first: the earliest instant there is lies within a day whose
        // midnight is not.
        let (day, milliseconds) =
            day < 0 ? (day + 1, milliseconds - 86_400_000) : (day, milliseconds)
        let (start, overflow) = day.multipliedReportingOverflow(by: 86_400_000)
        let (sum, sumOverflow) = start.addingReportingOverflow(milliseconds)
        return overflow || sumOverflow ? nil : .instant(Int64(sum))
    }

    private struct Cursor {
        private let bytes: [UInt8]
        private var offset = 0

        init(_ text: String) {
            bytes = Array(text.utf8)
        }

        var isAtEnd: Bool { offset == bytes.count }

        mutating func consume(_ character: Unicode.Scalar) -> Bool {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else {
                return false
            }
            offset += 1
            return true
        }

        mutating func number(_ digitCount: ClosedRange<Int>) -> Int? {
            let start = offset
            var value = 0
            while offset < bytes.count, (48...57).contains(bytes[offset]),
                offset - start < digitCount.upperBound
            {
                value = value * 10 + Int(bytes[offset] - 48)
                offset += 1
            }
            return digitCount.contains(offset - start) ? value : nil
        }

        mutating func date() -> Int? {
            let isNegative = consume("-")
            let isSigned = isNegative || consume("+")
            guard let year = number(isSigned ? 6...9 : 4...4), consume("-"),
                let month = number(2...2), consume("-"), let dayOfMonth = number(2...2)
            else { return nil }
            return CivilDate(checking: isNegative ? -year : year, month, dayOfMonth)?.day
        }

        mutating func clock(separator: Bool) -> Int? {
            guard let hour = number(2...2), !separator || consume(":"),
                let minute = number(2...2), !separator || consume(":"),
                let second = number(2...2), hour <= 23, minute <= 59, second <= 59
            else { return nil }
            let whole = ((hour * 60 + minute) * 60 + second) * 1_000
            guard separator, consume(".") else { return whole }
            let start = offset
            guard var fraction = number(1...9) else { return nil }
            for _ in offset - start..<9 { fraction *= 10 }
            return whole + fraction / 1_000_000
        }

        mutating func zone() -> Int? {
            if consume("Z") || consume("z") { return 0 }
            let isWest = consume("-")
            guard isWest || consume("+"), let hours = number(2...2), consume(":"),
                let minutes = number(2...2), hours <= 23, minutes <= 59
            else { return nil }
            let seconds = hours * 3_600 + minutes * 60
            return isWest ? -seconds : seconds
        }
    }
}
