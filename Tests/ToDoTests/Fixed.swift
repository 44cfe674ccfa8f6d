import ToDo

/// Values that tests share: dates from text, and a clock that stands still.
enum Fixed {
    /// Saturday 21 November 2026, 05:34:07 UTC.
    static let now: Int64 = 1_795_239_247_000

    /// Reads `2026-12-01`; nil if there is no such date.
    static func date(_ text: String) -> CivilDate? {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3 else { return nil }
        return CivilDate(checking: parts[0], parts[1], parts[2])
    }

    /// The zone of the system's data; the tests need tzdata only where they name a real zone.
    static func zone(_ name: String) throws -> LocalTimeZone {
        try TimeZoneLoader.system.zone(variable: name)
    }

    /// Central European time without any file.
    static func berlin() throws -> LocalTimeZone {
        try LocalTimeZone(rule: "CET-1CEST,M3.5.0,M10.5.0/3")
    }

    /// The instant of a local date and time.
    static func instant(
        _ date: String, _ hour: Int, _ minute: Int = 0, _ second: Int = 0, in zone: LocalTimeZone
    ) -> Int64 {
        let day = Fixed.date(date)?.day ?? 0
        let milliseconds = ((hour * 60 + minute) * 60 + second) * 1_000
        return zone.instant(of: LocalTime(day: day, millisecondOfDay: milliseconds))
    }

    /// The day as a moment.
    static func day(_ text: String) -> Moment {
        .day(Int32(Fixed.date(text)?.day ?? 0))
    }
}
