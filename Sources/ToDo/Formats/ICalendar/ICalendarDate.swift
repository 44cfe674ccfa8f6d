/// The value of a date property, before any time zone is looked up.
enum ICalendarDate: Hashable, Sendable {
    /// A calendar day; days since 1970-01-01.
    case day(Int32)
    /// What the clock shows somewhere: in the zone of a TZID, else wherever one is.
    case clock(LocalTime)
    /// A point in time; milliseconds since 1970-01-01T00:00:00Z.
    case instant(Int64)
}

extension ICalendarDate {
    /// Reads `20261201`, `20261201T090000` or `20261201T090000Z`; nil for anything else.
    ///
    /// What it is its form tells, whatever the parameter VALUE says; a leap second is the one before.
    init?(_ value: String) {
        let bytes = Array(value.utf8)
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
