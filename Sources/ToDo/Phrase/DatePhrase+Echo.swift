extension DatePhrase {
    /// Says how a date was understood: `Fri 27 Nov 2026, in 6 days`.
    ///
    /// - Parameters:
    ///   - moment: the date.
    ///   - now: milliseconds since 1970.
    ///   - zone: the zone whose clock is shown.
    package static func describe(_ moment: Moment, now: Int64, zone: LocalTimeZone) -> String {
        "\(absolute(moment, zone: zone)), \(relative(moment, now: now, zone: zone))"
    }

    /// `Fri 27 Nov 2026`, with the time of day for a point in time.
    package static func absolute(_ moment: Moment, zone: LocalTimeZone) -> String {
        let day = moment.day(in: zone)
        let date = CivilDate(day: day)
        let month = DayNames.months[date.month - 1].prefix(3).capitalized
        let text = "\(date.weekday.shortName) \(date.dayOfMonth) \(month) \(date.year)"
        guard case .instant(let instant) = moment else { return text }
        let time = zone.localTime(at: instant)
        let clock = "\(TimestampText.padded(time.hour)):\(TimestampText.padded(time.minute))"
        return time.second == 0
            ? "\(text) \(clock)" : "\(text) \(clock):\(TimestampText.padded(time.second))"
    }

    /// `today`, `tomorrow`, `in 6 days`, `2 hours ago`, `in about 3 months`.
    ///
    /// - Parameter isShort: whether without "about", where there is little room.
    package static func relative(
        _ moment: Moment, now: Int64, zone: LocalTimeZone, isShort: Bool = false
    ) -> String {
        let today = zone.localTime(at: now).day
        let days = moment.day(in: zone) - today
        if case .instant(let instant) = moment {
            let minutes = (Double(instant) - Double(now)) / 60_000
            if abs(minutes) < 22 * 60 { return near(minutes: Int(minutes.rounded())) }
        }
        switch days {
        case 0: return "today"
        case 1: return "tomorrow"
        case -1: return "yesterday"
        default: break
        }
        let (count, unit) =
            switch abs(days) {
            case ..<100: (abs(days), "day")
            case ..<730: (abs(days) / 30, "month")
            default: (abs(days) / 365, "year")
            }
        let about = isShort || unit == "day" ? "" : "about "
        return days > 0 ? "in \(about)\(plural(count, unit))" : "\(about)\(plural(count, unit)) ago"
    }

    private static func near(minutes: Int) -> String {
        guard minutes != 0 else { return "now" }
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        let text =
            hours == 0
            ? plural(rest, "minute")
            : hours >= 4 || rest == 0 ? plural(hours, "hour") : "\(hours) h \(rest) min"
        return minutes > 0 ? "in \(text)" : "\(text) ago"
    }

    private static func plural(_ count: Int, _ unit: String) -> String {
        "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
}

extension Substring {
    /// The first letter in upper case.
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
