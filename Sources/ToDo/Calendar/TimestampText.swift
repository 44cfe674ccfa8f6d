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
