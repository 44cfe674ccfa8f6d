/// A VTIMEZONE as the rule of a zone: what holds now and from now on.
///
/// Of several standard or daylight times the latest counts, so times of long ago may be off by the
/// changes that governments made since.
enum ICalendarZoneRule {
    /// The zone that a VTIMEZONE describes; nil if it does so in a way that no rule can say.
    static func zone(_ component: ICalendarComponent) -> LocalTimeZone? {
        guard let name = component["TZID"].map({ ICalendarText.read($0.value) }),
            let standard = latest("STANDARD", in: component),
            let standardEast = secondsEast(standard)
        else { return nil }
        let standardText = "XST" + clock(-standardEast)
        guard let daylight = latest("DAYLIGHT", in: component),
            let daylightEast = secondsEast(daylight), let toDaylight = change(daylight),
            let toStandard = change(standard)
        else {
            guard abs(standardEast) <= 93_600 else { return nil }
            return LocalTimeZone(name: name, secondsEast: standardEast)
        }
        let rule =
            "\(standardText)XDT\(clock(-daylightEast)),\(toDaylight),\(toStandard)"
        return try? LocalTimeZone(rule: rule)
    }

    private static func latest(
        _ name: String, in component: ICalendarComponent
    ) -> ICalendarComponent? {
        component.components.filter { $0.name == name }
            .max { ($0["DTSTART"]?.value ?? "") < ($1["DTSTART"]?.value ?? "") }
    }

    /// `+0100` or `+010000`.
    private static func secondsEast(_ period: ICalendarComponent) -> Int? {
        guard let text = period["TZOFFSETTO"]?.value, text.utf8.count == 5 || text.utf8.count == 7,
            text.hasPrefix("+") || text.hasPrefix("-")
        else { return nil }
        let digits = text.utf8.dropFirst().map { Int($0) - 48 }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let hours = digits[0] * 10 + digits[1]
        let minutes = digits[2] * 10 + digits[3]
        let seconds = digits.count > 4 ? digits[4] * 10 + digits[5] : 0
        let sum = (hours * 60 + minutes) * 60 + seconds
        guard hours <= 24, minutes <= 59, seconds <= 59 else { return nil }
        return text.hasPrefix("-") ? -sum : sum
    }

    /// `M3.5.0/2:00:00`: the last Sunday in March at two.
    private static func change(_ period: ICalendarComponent) -> String? {
        guard let rule = period["RRULE"]?.value,
            case .clock(let begin)? = period["DTSTART"].flatMap({ ICalendarDate($0.value) })
        else { return nil }
        var parts: [String: String] = [:]
        for part in rule.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { parts[String(pair[0])] = String(pair[1]) }
        }
        let names = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
        guard parts["FREQ"] == "YEARLY", parts["UNTIL"] == nil,
            let month = parts["BYMONTH"].flatMap({ Int($0) }), (1...12).contains(month),
            let day = parts["BYDAY"], let weekday = names.firstIndex(of: String(day.suffix(2))),
            let number = Int(day.dropLast(2)), number == -1 || (1...4).contains(number)
        else { return nil }
        return "M\(month).\(number == -1 ? 5 : number).\(weekday)/"
            + clock(begin.millisecondOfDay / 1_000)
    }

    private static func clock(_ seconds: Int) -> String {
        let (sign, rest) = (seconds < 0 ? "-" : "", abs(seconds))
        return sign + "\(rest / 3_600):" + TimestampText.padded(rest / 60 % 60) + ":"
            + TimestampText.padded(rest % 60)
    }
}
