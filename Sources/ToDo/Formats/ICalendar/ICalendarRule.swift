import Core

/// RRULE ↔ how a to-do comes again.
///
/// | ours | theirs |
/// |---|---|
/// | every 3 days, every 2 weeks | `FREQ=DAILY;INTERVAL=3`, `FREQ=WEEKLY;INTERVAL=2` |
/// | every mon, thu | `FREQ=WEEKLY;BYDAY=MO,TH` |
/// | every month, every 2 years | `FREQ=MONTHLY`, `FREQ=YEARLY;INTERVAL=2` |
/// | every month on the 1st mon, last fri | `FREQ=MONTHLY;BYDAY=1MO,-1FR`; read as BYSETPOS, or yearly with BYMONTH, too |
/// | every year on the last workday | `FREQ=MONTHLY;INTERVAL=12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1` |
/// | every month, on days, begun on a 31st | `FREQ=MONTHLY;BYMONTHDAY=-1` |
/// | 5 times (this one and 4 more) | `COUNT=5` |
/// | until 2026-12-31 | `UNTIL=20261231`, `UNTIL=20261231T235959Z` where a time of day is due |
///
/// A BYMONTHDAY, BYMONTH or BYDAY that only repeats what the date says already is passed over. That it
/// counts from completion, and in which zone, an RRULE cannot say.
enum ICalendarRule {
    private static let weekdays: [String: Weekday] = [
        "MO": .monday, "TU": .tuesday, "WE": .wednesday, "TH": .thursday, "FR": .friday,
        "SA": .saturday, "SU": .sunday,
    ]

    /// The value of an RRULE, as far as it can say it.
    ///
    /// - Parameters:
    ///   - isOfDays: whether it goes by days without times, as UNTIL then has to.
    ///   - isAtMonthEnds: whether it comes on the last days of months.
    static func written(_ rule: Repetition, isOfDays: Bool, isAtMonthEnds: Bool = false) -> String {
        written(rule.step) + (isAtMonthEnds ? ";\(lastDay)" : "")
            + written(rule.end, isOfDays: isOfDays)
    }

    private static let lastDay = "BYMONTHDAY=-1"

    /// Whether a rule that was read names the last days of months.
    static func namesLastDay(_ value: String) -> Bool {
        value.uppercased().split(separator: ";").contains { $0 == lastDay }
    }

    private static func written(_ end: Repetition.End?, isOfDays: Bool) -> String {
        switch end {
        case nil: return ""
        case .count(let count): return ";COUNT=\(count)"
        case .last(.day(let day)) where isOfDays:
            return ICalendarDate.written(day: Int(day)).map { ";UNTIL=\($0)" } ?? ""
        case .last(let last):
            let instant = last.end(in: .utc).minus(last.isDay ? 1_000 : 1)
            return ICalendarDate.written(instant: instant).map { ";UNTIL=\($0)" } ?? ""
        }
    }

    private static func written(_ step: Repetition.Step) -> String {
        func every(_ frequency: String, _ count: Int) -> String {
            "FREQ=\(frequency)" + (count == 1 ? "" : ";INTERVAL=\(count)")
        }
        switch step {
        case .days(let count) where count % 7 == 0: return every("WEEKLY", count / 7)
        case .days(let count): return every("DAILY", count)
        case .months(let count) where count % 12 == 0: return every("YEARLY", count / 12)
        case .months(let count): return every("MONTHLY", count)
        case .weekdays(let days):
            return "FREQ=WEEKLY;BYDAY=" + days.map(name).joined(separator: ",")
        case .monthDays(let days, let count): return every("MONTHLY", count) + written(days)
        }
    }

    private static func name(_ weekday: Weekday) -> String {
        String(weekday.shortName.uppercased().prefix(2))
    }

    private static func written(_ days: MonthDays) -> String {
        switch days {
        case .weekdays(let list):
            let names = list.map { "\($0.ordinal.rawValue)\(name($0.weekday))" }
            return ";BYDAY=" + names.joined(separator: ",")
        case .workdays(let list):
            let ordinals = list.map { String($0.rawValue) }.joined(separator: ",")
            let names = Weekday.workdays.map(name).joined(separator: ",")
            return ";BYDAY=\(names);BYSETPOS=\(ordinals)"
        }
    }

    /// Reads an RRULE; nil if a to-do cannot come again in that way.
    ///
    /// - Parameters:
    ///   - begin: the day that the rule begins on, if there is one; days since 1970.
    ///   - zone: whose clock a time of day goes by that says none.
    static func read(_ value: String, begin: Int?, zone: LocalTimeZone) -> Repetition? {
        var parts: [String: String] = [:]
        for part in value.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            parts[String(pair[0])] = String(pair[1])
        }
        // The first day of the week matters for days in every second week alone, which we cannot say.
        parts["WKST"] = nil
        let end = end(&parts, zone)
        // Whatever of it is left is not understood.
        guard parts["COUNT"] == nil, parts["UNTIL"] == nil, var rule = read(&parts, begin: begin)
        else { return nil }
        rule.end = end
        return rule
    }

    /// Takes COUNT or UNTIL; both of them cannot be.
    private static func end(
        _ parts: inout [String: String], _ zone: LocalTimeZone
    ) -> Repetition.End? {
        if parts["COUNT"] != nil, parts["UNTIL"] != nil { return nil }
        if let count = parts["COUNT"].flatMap({ Int($0) }),
            (1...Repetition.occurrenceCountMax).contains(count)
        {
            parts["COUNT"] = nil
            return .count(count)
        }
        guard let date = parts["UNTIL"].flatMap({ ICalendarDate($0) }) else { return nil }
        parts["UNTIL"] = nil
        switch date {
        case .day(let day): return .last(.day(day))
        case .instant(let instant): return .last(.instant(instant))
        case .clock(let clock): return .last(.instant(zone.instant(of: clock)))
        }
    }

    private static func read(_ parts: inout [String: String], begin: Int?) -> Repetition? {
        let frequency = parts.removeValue(forKey: "FREQ")
        let interval = parts.removeValue(forKey: "INTERVAL").map { Int($0) ?? 0 } ?? 1
        guard (1...1_000).contains(interval) else { return nil }
        let date = begin.map { CivilDate(day: $0) }
        switch frequency {
        case "DAILY":
            if interval == 1, let days = days(&parts), parts.isEmpty { return Repetition(days) }
            return parts.isEmpty ? Repetition(.days(interval)) : nil
        case "WEEKLY":
            guard let step = days(&parts) else {
                return parts.isEmpty && interval <= 142 ? Repetition(.days(interval * 7)) : nil
            }
            guard parts.isEmpty else { return nil }
            if interval == 1 { return Repetition(step) }
            if case .weekdays(let days) = step, let date, days == [date.weekday], interval <= 142 {
                return Repetition(.days(interval * 7))
            }
            return nil
        case "MONTHLY":
            if let days = monthDays(&parts) {
                return parts.isEmpty ? Repetition(.monthDays(days, every: interval)) : nil
            }
            if interval == 1, let days = days(&parts) {
                return parts.isEmpty ? Repetition(days) : nil
            }
            drop("BYMONTHDAY", if: date?.dayOfMonth, &parts)
            drop("BYMONTHDAY", if: -1, &parts)
            return parts.isEmpty ? Repetition(.months(interval)) : nil
        case "YEARLY":
            guard interval <= 83 else { return nil }
            let hasMonth = parts["BYMONTH"] != nil
            drop("BYMONTH", if: date?.month, &parts)
            // Without a month the days are those of a year.
            if hasMonth, let days = monthDays(&parts) {
                return parts.isEmpty ? Repetition(.monthDays(days, every: interval * 12)) : nil
            }
            drop("BYMONTHDAY", if: date?.dayOfMonth, &parts)
            return parts.isEmpty ? Repetition(.months(interval * 12)) : nil
        default: return nil
        }
    }

    /// Takes BYDAY, if it names plain days.
    private static func days(_ parts: inout [String: String]) -> Repetition.Step? {
        guard let list = parts["BYDAY"] else { return nil }
        let days = list.split(separator: ",").map { weekdays[String($0)] }
        guard !days.isEmpty, !days.contains(nil) else { return nil }
        parts["BYDAY"] = nil
        let sorted = Set(days.compactMap { $0 }).sorted { $0.rawValue < $1.rawValue }
        return sorted.count == 7 ? .days(1) : .weekdays(sorted)
    }

    /// Takes BYDAY with an ordinal for each day, or with BYSETPOS for all of them together.
    private static func monthDays(_ parts: inout [String: String]) -> MonthDays? {
        guard let list = parts["BYDAY"]?.split(separator: ",", omittingEmptySubsequences: false)
        else { return nil }
        let found: MonthDays?
        if let positions = parts["BYSETPOS"] {
            let ordinals = positions.split(separator: ",").map { ordinal($0) }
            let days = list.map { weekdays[String($0)] }
            guard !ordinals.contains(nil), !days.contains(nil) else { return nil }
            if Set(days) == Set(Weekday.workdays) {
                found = MonthDays(workdays: ordinals.compactMap { $0 })
            } else if let day = days.first ?? nil, Set(days).count == 1 {
                found = MonthDays(
                    weekdays: ordinals.compactMap { $0.map { MonthWeekday($0, day) } })
            } else {
                return nil
            }
        } else {
            let days = list.map { text -> MonthWeekday? in
                guard let day = weekdays[String(text.suffix(2))],
                    let ordinal = ordinal(text.dropLast(2))
                else { return nil }
                return MonthWeekday(ordinal, day)
            }
            guard !days.contains(nil) else { return nil }
            found = MonthDays(weekdays: days.compactMap { $0 })
        }
        guard let found else { return nil }
        parts["BYDAY"] = nil
        parts["BYSETPOS"] = nil
        return found
    }

    private static func ordinal(_ text: Substring) -> MonthOrdinal? {
        Int(text).flatMap { MonthOrdinal(rawValue: $0) }
    }

    private static func drop(
        _ name: String, if number: Int?, _ parts: inout [String: String]
    ) {
        if let number, parts[name] == String(number) { parts[name] = nil }
    }
}

/// The value of a date property, before any time zone is looked up.
enum ICalendarDate: Hashable, Sendable {
    /// A calendar day; days since 1970-01-01.
    case day(Int32)
    /// A local time on the clock: in the zone of a TZID, else in the reader's own zone.
    case clock(LocalTime)
    /// A point in time; milliseconds since 1970-01-01T00:00:00Z.
    case instant(Int64)
}

extension ICalendarDate {
    /// Reads `20261201`, `20261201T090000` or `20261201T090000Z`, or one of them with the hyphens and colons of
    /// ISO 8601; nil for anything else.
    ///
    /// The value's form decides its type; the VALUE parameter is ignored. A leap second is read as
    /// the second before.
    init?(_ value: String) {
        let bytes = Self.basic(Array(value.utf8))
        guard bytes.count >= 8, let year = Self.number(bytes[0..<4]),
            let month = Self.number(bytes[4..<6]), let dayOfMonth = Self.number(bytes[6..<8]),
            let day = CivilDate(checking: year, month, dayOfMonth)?.day
        else { return nil }
        if bytes.count == 8 {
            self = .day(Int32(day))
            return
        }
        guard bytes.count == 15 || bytes.count == 16, bytes[8] == UInt8(ascii: "T"),
            let hour = Self.number(bytes[9..<11]), let minute = Self.number(bytes[11..<13]),
            let second = Self.number(bytes[13..<15]), hour <= 23, minute <= 59, second <= 60
        else { return nil }
        let milliseconds = ((hour * 60 + minute) * 60 + min(second, 59)) * 1_000
        if bytes.count == 15 {
            self = .clock(LocalTime(day: day, millisecondOfDay: milliseconds))
        } else {
            guard bytes[15] == UInt8(ascii: "Z") else { return nil }
            self = .instant(Int64(day * 86_400_000 + milliseconds))
        }
    }

    /// The bytes without hyphens and colons, if they stand where ISO 8601 has them.
    private static func basic(_ bytes: [UInt8]) -> [UInt8] {
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard [10, 19, 20].contains(bytes.count) else { return bytes }
        let marks = bytes.indices.filter {
            [UInt8(ascii: "-"), UInt8(ascii: ":")].contains(form[$0])
        }
        guard marks.allSatisfy({ bytes[$0] == form[$0] }) else { return bytes }
        return bytes.indices.filter { !marks.contains($0) }.map { bytes[$0] }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in digits {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }

    // MARK: Writing

    /// The days of the years 0 to 9999, which have four digits.
    private static let days = CivilDate(0, 1, 1).day...CivilDate(9_999, 12, 31).day

    /// `20261201`; nil outside of the years 0 to 9999.
    static func written(day: Int) -> String? {
        guard days.contains(day) else { return nil }
        return TimestampText.day(day).filter { $0 != "-" }
    }

    /// `20261201T090000Z`, whole seconds; nil outside of the years 0 to 9999.
    static func written(instant: Int64) -> String? {
        let day = Int(instant).quotientRoundedDown(by: 86_400_000).quotient
        return days.contains(day) ? TimestampText.compact(instant) : nil
    }

    /// A property with a moment as its value: a day as DATE, an instant in UTC.
    static func property(_ name: String, _ moment: Moment) -> ICalendarProperty? {
        switch moment {
        case .day(let day):
            return written(day: Int(day)).map {
                ICalendarProperty(name, [ICalendarParameter("VALUE", ["DATE"])], $0)
            }
        case .instant(let instant):
            return written(instant: instant).map { ICalendarProperty(name, $0) }
        }
    }
}
