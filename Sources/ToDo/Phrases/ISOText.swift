/// Reads dates and date-times in the forms of ISO 8601; letters in lower case.
///
/// Dates: `2026-12-01`, `20261201`, `2026-12` (its first day), `2026-w49` (its Monday),
/// `2026-w49-3`, `2026w493`, `2026-335`. After `t` a time: `10:00`, `10:00:30.5`, `1000`,
/// `100030`, then nothing (local), `z` or an offset such as `+02:00`.
enum ISOText {
    /// Reads a whole text; nil if it has not the form of a date.
    ///
    /// - Throws: `noSuchDate` if it has the form and the calendar has no such day.
    static func parse(
        _ text: String, zone: LocalTimeZone
    ) throws(DatePhraseError) -> DateTerm? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 7, bytes.prefix(4).allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        let split = bytes.firstIndex(of: UInt8(ascii: "t"))
        guard let day = try day(Array(bytes[..<(split ?? bytes.count)]), text: text) else {
            return nil
        }
        guard let split else { return .day(day) }
        return try instant(day: day, time: bytes[(split + 1)...], zone: zone, text: text)
    }

    /// The text with every digit written as `0`, and its numbers.
    private static func shape(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.map { (48...57).contains($0) ? UInt8(ascii: "0") : $0 }, as: UTF8.self)
    }

    private static func number(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        bytes[range].reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    private static func day(_ bytes: [UInt8], text: String) throws(DatePhraseError) -> Int? {
        let year = number(bytes, 0..<4)
        switch shape(bytes) {
        case "0000-00-00":
            return try date(year, number(bytes, 5..<7), number(bytes, 8..<10), text)
        case "00000000": return try date(year, number(bytes, 4..<6), number(bytes, 6..<8), text)
        case "0000-00": return try date(year, number(bytes, 5..<7), 1, text)
        case "0000-000": return try ordinal(year, number(bytes, 5..<8), text)
        case "0000-w00": return try week(year, number(bytes, 6..<8), 1, text)
        case "0000w00": return try week(year, number(bytes, 5..<7), 1, text)
        case "0000-w00-0":
            return try week(year, number(bytes, 6..<8), number(bytes, 9..<10), text)
        case "0000w000": return try week(year, number(bytes, 5..<7), number(bytes, 7..<8), text)
        default: return nil
        }
    }

    /// Checks a date; year 0 does not exist for people.
    static func date(
        _ year: Int, _ month: Int, _ dayOfMonth: Int, _ text: String
    ) throws(DatePhraseError) -> Int {
        guard (1...12).contains(month) else {
            throw .noSuchDate(text, hint: "months go from 01 to 12")
        }
        guard let date = CivilDate(checking: year, month, dayOfMonth) else {
            let length = CivilDate.length(ofMonth: month, year: year)
            throw .noSuchDate(text, hint: "that month has \(length) days")
        }
        return date.day
    }

    private static func ordinal(
        _ year: Int, _ number: Int, _ text: String
    ) throws(DatePhraseError) -> Int {
        let length = CivilDate.isLeap(year) ? 366 : 365
        guard (1...length).contains(number) else {
            throw .noSuchDate(text, hint: "the days of \(year) go from 001 to \(length)")
        }
        return CivilDate(year, 1, 1).day + number - 1
    }

    private static func week(
        _ year: Int, _ week: Int, _ weekday: Int, _ text: String
    ) throws(DatePhraseError) -> Int {
        guard let monday = CivilDate.startOfISOWeek(week, year: year) else {
            let weekMax = CivilDate.startOfISOWeek(53, year: year) == nil ? 52 : 53
            throw .noSuchDate(text, hint: "the weeks of \(year) go from 01 to \(weekMax)")
        }
        guard (1...7).contains(weekday) else {
            throw .noSuchDate(text, hint: "weekdays go from 1, Monday, to 7")
        }
        return monday.day + weekday - 1
    }

    private static func instant(
        day: Int, time: ArraySlice<UInt8>, zone: LocalTimeZone, text: String
    ) throws(DatePhraseError) -> DateTerm? {
        let zoneStart = time.firstIndex { "z+-".utf8.contains($0) } ?? time.endIndex
        var clock = Array(time[..<zoneStart])
        var fraction = 0
        if let point = clock.firstIndex(of: UInt8(ascii: ".")) {
            let digits = clock[(point + 1)...]
            guard (1...9).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) })
            else { return nil }
            let padded = Array((digits + [48, 48]).prefix(3))
            fraction = number(padded, 0..<3)
            clock.removeSubrange(point...)
        }
        let digits = clock.filter { $0 != UInt8(ascii: ":") }
        let shapes =
            fraction > 0 ? ["00:00:00", "000000"] : ["00:00", "0000", "00:00:00", "000000"]
        guard shapes.contains(shape(clock)) else { return nil }
        let (hour, minute) = (number(digits, 0..<2), number(digits, 2..<4))
        let second = digits.count == 6 ? number(digits, 4..<6) : 0
        guard hour <= 23, minute <= 59, second <= 59 else {
            throw .noSuchDate(text, hint: "times go from 00:00 to 23:59")
        }
        let milliseconds = ((hour * 60 + minute) * 60 + second) * 1_000 + fraction
        guard zoneStart < time.endIndex else {
            return .instant(zone.instant(of: LocalTime(day: day, millisecondOfDay: milliseconds)))
        }
        guard let east = try offset(Array(time[zoneStart...]), text: text) else { return nil }
        return .instant(Int64(day * 86_400_000 + milliseconds - east * 1_000))
    }

    /// The offsets from UTC that any place has; seconds.
    private static let offsets = -12 * 3_600...14 * 3_600

    private static func offset(_ bytes: [UInt8], text: String) throws(DatePhraseError) -> Int? {
        if bytes == [UInt8(ascii: "z")] { return 0 }
        let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard ["00", "0000", "00:00"].contains(shape(Array(bytes.dropFirst()))) else { return nil }
        let hours = number(digits, 0..<2)
        let minutes = digits.count == 4 ? number(digits, 2..<4) : 0
        let seconds = (hours * 3_600 + minutes * 60) * (bytes[0] == UInt8(ascii: "-") ? -1 : 1)
        guard minutes <= 59, offsets.contains(seconds) else {
            throw .noSuchDate(
                text,
                hint:
                    "offsets from UTC go from -12:00 to +14:00; a date is one moment, and has no end"
            )
        }
        return seconds
    }
}
