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

    /// What holds from an instant on.
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
