/// The time zones that the dates of a calendar name.
///
/// A TZID is looked up in the system's zone files, with or without a prefix such as
/// `/freeassociation.sourceforge.net/`; else in the calendar's own VTIMEZONE.
struct ICalendarZones {
    /// The longest TZID that is looked up, in bytes.
    private static let nameByteCountMax = 128
    /// The most names that are looked up in one calendar.
    private static let nameCountMax = 1_000

    /// The zone in which a time without a zone is meant.
    let local: LocalTimeZone
    /// Finds a zone of the system by its name.
    let system: @Sendable (String) -> LocalTimeZone?
    /// The calendar's own, by name.
    private var own: [String: ICalendarComponent] = [:]
    /// The zones of a calendar that is read piece by piece; nil for one in a way that no rule can say.
    private var described: [String: LocalTimeZone?] = [:]
    private var known: [String: LocalTimeZone?] = [:]

    init(
        local: LocalTimeZone,
        system: @escaping @Sendable (String) -> LocalTimeZone? = { ToDoStore.zone(named: $0) }
    ) {
        self.local = local
        self.system = system
    }

    /// Takes the zones that a calendar describes.
    mutating func describe(_ calendar: ICalendarComponent) {
        forget()
        for component in calendar.components where component.name == "VTIMEZONE" {
            guard let name = component["TZID"] else { continue }
            own[ICalendarText.read(name.value)] = component
        }
    }

    /// Forgets all zones that calendars described.
    mutating func forget() {
        own = [:]
        described = [:]
        known = [:]
    }

    /// Takes one more zone that a calendar describes; of a name that the system knows nothing is kept.
    mutating func describe(zone component: ICalendarComponent) {
        guard let text = component["TZID"]?.value, described.count < Self.nameCountMax else {
            return
        }
        let name = ICalendarText.read(text)
        guard lacksDescription(of: name) else { return }
        described[name] = .some(ICalendarZoneRule.zone(component))
        known[name] = nil
    }

    /// Whether nothing has told so far what a TZID is, and a calendar may still do so.
    mutating func lacksDescription(of name: String) -> Bool {
        name.utf8.count <= Self.nameByteCountMax && described[name] == nil
            && zone(named: name) == nil
    }

    /// The zone of a TZID; nil if nothing tells what it is.
    mutating func zone(named name: String) -> LocalTimeZone? {
        if let found = known[name] { return found }
        guard known.count < Self.nameCountMax else { return described[name] ?? nil }
        let found = find(name)
        known[name] = .some(found)
        return found
    }

    private func find(_ name: String) -> LocalTimeZone? {
        guard name.utf8.count <= Self.nameByteCountMax else { return nil }
        let parts = name.split(separator: "/").map { String($0) }
        // Only the ends of a name with a prefix: the longest that the system knows.
        for count in stride(from: min(3, parts.count), through: 1, by: -1) {
            let candidate = parts.suffix(count).joined(separator: "/")
            // Nothing that might lead out of the folder of zones.
            guard candidate.utf8.allSatisfy(Self.isNameByte), !candidate.contains("..") else {
                break
            }
            if count < parts.count, count == 1 { break }
            if let zone = system(candidate) { return zone }
        }
        if let zone = described[name] { return zone }
        return own[name].flatMap(ICalendarZoneRule.zone)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_+-/".utf8.contains(byte)
        }
    }
}

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

/// The VTIMEZONE of each zone that to-dos name: RFC 5545 3.6.5 wants it in the file.
///
/// It describes the years of the dates that are there, from the system's zone files.
enum ICalendarZoneWriter {
    /// The most years that one VTIMEZONE describes.
    private static let yearCountMax = 60

    /// The zones that are named in `todos`, besides those that are described already; what the system does
    /// not know is left out.
    static func components(
        for todos: [ICalendarComponent], besides described: Set<String>,
        zones: inout ICalendarZones
    ) -> [ICalendarComponent] {
        var years: [String: Set<Int>] = [:]
        for todo in todos { gather(todo, into: &years) }
        var found: [ICalendarComponent] = []
        for (name, years) in years.sorted(by: { $0.key < $1.key })
        where !described.contains(name) {
            guard let zone = zones.zone(named: name) else { continue }
            found.append(component(name, zone, years))
        }
        return found
    }

    private static func gather(
        _ component: ICalendarComponent, into years: inout [String: Set<Int>]
    ) {
        for property in component.properties {
            guard let name = property["TZID"],
                case .clock(let clock)? = ICalendarDate(property.value)
            else { continue }
            years[name, default: []].formUnion([clock.date.year, clock.date.year + 1])
        }
        for part in component.components { gather(part, into: &years) }
    }

    private static func component(
        _ name: String, _ zone: LocalTimeZone, _ years: Set<Int>
    ) -> ICalendarComponent {
        var children = [
            ICalendarComponent.Child.property(
                ICalendarProperty("TZID", ICalendarText.written(name)))
        ]
        var isFirst = true
        for year in years.sorted().prefix(yearCountMax) {
            let days = CivilDate(year, 1, 1).day...CivilDate(year, 12, 31).day
            let start = Int64(days.lowerBound) * 86_400_000
            if isFirst { children.append(period(zone, at: start, before: nil)) }
            isFirst = false
            for day in days {
                let (from, to) = (Int64(day) * 86_400_000, Int64(day + 1) * 86_400_000)
                guard zone.secondsEast(at: from) != zone.secondsEast(at: to) else { continue }
                children.append(
                    period(zone, at: change(zone, from, to), before: zone.secondsEast(at: from)))
            }
        }
        return ICalendarComponent("VTIMEZONE", children)
    }

    /// The first millisecond after `low`, up to `high`, with the offset that holds at `high`.
    private static func change(_ zone: LocalTimeZone, _ low: Int64, _ high: Int64) -> Int64 {
        var (low, high) = (low, high)
        let offset = zone.secondsEast(at: high)
        while high - low > 1 {
            let middle = (low + high) / 2
            if zone.secondsEast(at: middle) == offset { high = middle } else { low = middle }
        }
        return high
    }

    /// The offset that holds from an instant on.
    private static func period(
        _ zone: LocalTimeZone, at instant: Int64, before: Int?
    ) -> ICalendarComponent.Child {
        let offset = zone.secondsEast(at: instant)
        let before = before ?? offset
        // The clock as it was before the change tells when that is.
        let clock = ICalendarDate.written(instant: instant + Int64(before) * 1_000) ?? ""
        let isDaylight = offset > before
        return .component(
            ICalendarComponent(
                isDaylight ? "DAYLIGHT" : "STANDARD",
                [
                    .property(ICalendarProperty("DTSTART", String(clock.dropLast()))),
                    .property(ICalendarProperty("TZOFFSETFROM", text(before))),
                    .property(ICalendarProperty("TZOFFSETTO", text(offset))),
                    .property(
                        ICalendarProperty(
                            "TZNAME", ICalendarText.written(zone.abbreviation(at: instant)))),
                ]))
    }

    private static func text(_ seconds: Int) -> String {
        let rest = abs(seconds)
        return (seconds < 0 ? "-" : "+") + TimestampText.padded(rest / 3_600)
            + TimestampText.padded(rest / 60 % 60)
            + (rest % 60 == 0 ? "" : TimestampText.padded(rest % 60))
    }
}
