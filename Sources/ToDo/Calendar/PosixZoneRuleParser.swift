/// Reads a TZ rule; see `PosixZoneRule`.
struct PosixZoneRuleParser {
    private let text: [UInt8]
    private var index = 0

    private init(_ text: [UInt8]) {
        self.text = text
    }

    /// Parses a whole rule.
    ///
    /// - Throws: `badRule`.
    static func parse(_ text: [UInt8]) throws(TimeZoneFault) -> PosixZoneRule {
        var parser = PosixZoneRuleParser(text)
        guard text.count <= 200, let rule = parser.rule(), parser.index == text.count else {
            throw .badRule(String(decoding: text.prefix(80), as: UTF8.self))
        }
        return rule
    }

    private mutating func rule() -> PosixZoneRule? {
        guard let name = name(), let west = offset(hoursMax: 24) else { return nil }
        let standard = PosixZoneRule.Period(offset: -west, abbreviation: name)
        guard index < text.count else { return PosixZoneRule(standard: standard, daylight: nil) }
        guard let daylightName = self.name() else { return nil }
        var daylight = PosixZoneRule.Period(
            offset: standard.offset + 3_600, abbreviation: daylightName)
        if let next = peek, next != UInt8(ascii: ",") {
            guard let west = offset(hoursMax: 24) else { return nil }
            daylight.offset = -west
        }
        // Without dates POSIX leaves the rule to the system; common ones use that of the USA.
        var start = PosixZoneRule.Change(
            day: .weekday(month: 3, week: 2, weekday: 0), time: 7_200)
        var end = PosixZoneRule.Change(
            day: .weekday(month: 11, week: 1, weekday: 0), time: 7_200)
        if index < text.count {
            guard let first = change(), let second = change() else { return nil }
            (start, end) = (first, second)
        }
        return PosixZoneRule(
            standard: standard,
            daylight: PosixZoneRule.Daylight(period: daylight, start: start, end: end))
    }

    private var peek: UInt8? { index < text.count ? text[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// At least three letters, or `<…>` with letters, digits and signs.
    private mutating func name() -> String? {
        let quoted = take("<")
        let start = index
        while let byte = peek, Self.isNamePart(byte, quoted: quoted) { index += 1 }
        let name = text[start..<index]
        guard name.count >= 3, !quoted || take(">") else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8, quoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): quoted
        default: false
        }
    }

    private mutating func number(max: Int) -> Int? {
        let start = index
        var value = 0
        while let byte = peek, (48...57).contains(byte), index - start < 4 {
            value = value * 10 + Int(byte - 48)
            index += 1
        }
        return index > start && value <= max ? value : nil
    }

    /// `[+-]h[h][:mm[:ss]]` in seconds.
    private mutating func offset(hoursMax: Int) -> Int? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard let hours = number(max: hoursMax) else { return nil }
        var seconds = hours * 3_600
        if take(":") {
            guard let minutes = number(max: 59) else { return nil }
            seconds += minutes * 60
            if take(":") {
                guard let rest = number(max: 59) else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }

    private mutating func change() -> PosixZoneRule.Change? {
        guard take(","), let day = changeDay() else { return nil }
        guard take("/") else { return PosixZoneRule.Change(day: day, time: 7_200) }
        // RFC 8536 3.3.1: times from -167 to 167 hours are allowed.
        guard let time = offset(hoursMax: 167) else { return nil }
        return PosixZoneRule.Change(day: day, time: time)
    }

    private mutating func changeDay() -> PosixZoneRule.ChangeDay? {
        if take("J") {
            guard let number = number(max: 365), number >= 1 else { return nil }
            return .julian(number)
        }
        guard take("M") else { return number(max: 365).map { .zeroBased($0) } }
        guard let month = number(max: 12), month >= 1, take("."),
            let week = number(max: 5), week >= 1, take("."),
            let weekday = number(max: 6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }
}
