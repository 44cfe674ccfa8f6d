/// The fields of a to-do from the properties of a VTODO.
struct ICalendarItemReader {
    /// A detail of a VTODO that a to-do cannot hold.
    struct Loss: Hashable {
        var property: String
        var code: ICalendarReason
    }

    private var item = ToDoItem(title: "")
    private var zones: ICalendarZones
    private(set) var losses: [Loss] = []
    private var percent: Int?
    private var depends: [UInt128] = []
    private var hasStatus = false
    private let hasRule: Bool

    /// Reads what the to-do's own fields have a place for, and nothing else.
    ///
    /// Of properties that may stand once alone, the first counts.
    static func read(
        _ properties: [ICalendarProperty], zones: inout ICalendarZones
    ) throws(ICalendarProblem) -> (item: ToDoItem, losses: [Loss]) {
        var reader = ICalendarItemReader(
            zones: zones, hasRule: properties.contains { $0.name == "RRULE" })
        var seen: Set<String> = []
        for property in properties where !property.saysNothing {
            guard seen.insert(property.name).inserted || Self.often.contains(property.name)
            else { continue }
            do throws(ICalendarProblem) {
                try reader.read(property)
            } catch {
                throw ICalendarProblem(line: property.line, property.name, error.reason)
            }
        }
        reader.finish(properties)
        zones = reader.zones
        return (reader.item, reader.losses)
    }

    /// The properties that may stand more than once.
    private static let often: Set<String> = [
        "CATEGORIES", "RELATED-TO", "EXDATE", ICalendarNames.ownPrefix + "PERSON",
    ]

    private init(zones: ICalendarZones, hasRule: Bool) {
        self.zones = zones
        self.hasRule = hasRule
    }

    private func problem(_ reason: String) -> ICalendarProblem {
        ICalendarProblem(line: 0, reason)
    }

    private mutating func read(_ property: ICalendarProperty) throws(ICalendarProblem) {
        let value = property.value
        switch property.name {
        case "UID":
            let uid = ICalendarText.read(value)
            if !uid.isEmpty { item.identifier = ICalendarNames.identifier(ofUID: uid) }
        case "SUMMARY": item.title = ICalendarText.read(value)
        case "DESCRIPTION": item.notes = ICalendarText.read(value)
        case "LOCATION": item.location = ICalendarText.read(value)
        case "DUE": item.due = try moment(property)
        case "DTSTART":
            // One that stands in for the due date of what comes again is no plan.
            if property[ICalendarNames.stand] == nil {
                // What comes again is counted from it.
                item.scheduled = hasRule ? try moment(property) : plan(property)
            }
        case "STATUS": readStatus(value)
        case "COMPLETED": item.completed = instant(property)
        case "PERCENT-COMPLETE":
            guard let number = Int(value), (0...100).contains(number) else {
                return lose(property.name, .valueKept(value))
            }
            percent = number
        case "PRIORITY": readPriority(property)
        case "CATEGORIES": item.setTags(item.tags + ICalendarText.list(value))
        case "RELATED-TO":
            let uid = ICalendarText.read(value)
            guard let relation = ICalendarRelation(property), !uid.isEmpty else { break }
            let other = ICalendarNames.identifier(ofUID: uid)
            switch relation {
            case .parent: item.parent = item.parent ?? other
            case .depends: depends.append(other)
            }
        case "CREATED": item.created = instant(property)
        case "LAST-MODIFIED": item.modified = instant(property)
        case "DURATION":
            lose("DURATION", .durationKept)
        default:
            if property.name.hasPrefix(ICalendarNames.ownPrefix) { try readOwn(property) }
        }
    }

    private mutating func readStatus(_ value: String) {
        hasStatus = true
        switch value.uppercased() {
        case "COMPLETED": item.status = .completed
        case "CANCELLED": item.status = .cancelled
        case "NEEDS-ACTION", "IN-PROCESS": item.status = .pending
        default:
            lose("STATUS", .statusKept(String(value.prefix(40))))
        }
    }

    private mutating func readPriority(_ property: ICalendarProperty) {
        guard let number = Int(property.value), (0...9).contains(number) else {
            return lose(property.name, .valueKept(property.value))
        }
        switch number {
        case 0: item.priority = .none
        case 1...4: item.priority = .high
        case 5: item.priority = .medium
        default: item.priority = .low
        }
    }

    private mutating func readOwn(_ property: ICalendarProperty) throws(ICalendarProblem) {
        let text = ICalendarText.read(property.value)
        switch property.name.dropFirst(ICalendarNames.ownPrefix.count) {
        case "PROJECT": item.project = text
        case "PERSON": item.people.append(text)
        case "SCHEDULED":
            item.scheduled = try ownMoment(text)
        case "WAIT": item.wait = try ownMoment(text)
        case "UNTIL": item.until = try ownMoment(text)
        case "START": item.start = try ownMoment(text)
        case "FINISH": item.finish = try ownMoment(text)
        // The version, more, and what newer versions write.
        default: break
        }
    }

    private func ownMoment(_ text: String) throws(ICalendarProblem) -> Moment {
        guard let moment = TimestampReader.rfc3339(text) else {
            throw problem("'\(text.prefix(40))' is no RFC 3339 date")
        }
        return moment
    }

    private mutating func lose(_ property: String, _ code: ICalendarReason) {
        losses.append(Loss(property: property, code: code))
    }

    // MARK: Dates

    private mutating func moment(_ property: ICalendarProperty) throws(ICalendarProblem) -> Moment {
        guard let date = ICalendarDate(property.value) else {
            throw problem("'\(property.value.prefix(40))' is no date of RFC 5545")
        }
        switch date {
        case .day(let day): return .day(day)
        case .instant(let instant): return .instant(instant)
        case .clock(let clock):
            guard let name = property["TZID"] else {
                return .instant(zones.local.instant(of: clock))
            }
            if let zone = zones.zone(named: name) { return .instant(zone.instant(of: clock)) }
            lose(property.name, .zoneUnknown(String(name.prefix(60))))
            return .instant(zones.local.instant(of: clock))
        }
    }

    /// A plan; one that is no date is left as it stands.
    private mutating func plan(_ property: ICalendarProperty) -> Moment? {
        do throws(ICalendarProblem) {
            return try moment(property)
        } catch {
            lose(property.name, .valueKept(property.value))
            return nil
        }
    }

    /// A time that nobody plans with; one that is none is left as it stands.
    private mutating func instant(_ property: ICalendarProperty) -> Int64? {
        do throws(ICalendarProblem) {
            return try moment(property).start(in: zones.local)
        } catch {
            lose(property.name, .valueKept(property.value))
            return nil
        }
    }

    // MARK: What several properties tell together

    private mutating func finish(_ properties: [ICalendarProperty]) {
        item.setDepends(depends)
        if !hasStatus, percent == 100 || item.completed != nil { item.status = .completed }
        // A pending to-do has no time of completion: reopened elsewhere, some programs leave it there.
        if item.status == .pending { item.completed = nil }
        guard let rule = properties.first(where: { $0.name == "RRULE" }) else { return }
        let said = properties.filter { !$0.saysNothing }
        let begin = said.first { $0.name == "DTSTART" } ?? said.first { $0.name == "DUE" }
        let day = begin.flatMap { property -> Int? in
            switch ICalendarDate(property.value) {
            case .day(let day)?: Int(day)
            case .clock(let clock)?: clock.day
            case .instant(let instant)?: zones.local.localTime(at: instant).day
            case nil: nil
            }
        }
        let isAtMonthEnds = ICalendarRule.namesLastDay(rule.value)
        if let repetition = ICalendarRule.read(rule.value, begin: day, zone: zones.local),
            !isAtMonthEnds || item.due != nil
        {
            item.repeats = repetition.text
            if isAtMonthEnds { item.repeatAtMonthEnds(in: zones.local) }
            let own = properties.first { $0.name == ICalendarNames.exceptions }?.value ?? ""
            readExceptions(
                properties.filter { $0.name == "EXDATE" },
                own.split(separator: ",").compactMap { ExceptionDay.day(String($0)) })
        } else {
            lose("RRULE", .ruleKept)
        }
    }

    /// Takes the days that are left out; each stands for that of DTSTART, which may be another one than that of DUE.
    ///
    /// Our own days beside times count as long as they fit them.
    private mutating func readExceptions(_ properties: [ICalendarProperty], _ own: [Int32]) {
        var days: [Int32] = []
        var distances: [Int] = []
        for property in properties {
            let zone = property["TZID"].flatMap { zones.zone(named: $0) } ?? zones.local
            var ahead = 0
            if let due = item.due, let scheduled = item.scheduled, due.isDay == scheduled.isDay {
                ahead = due.day(in: zone) - scheduled.day(in: zone)
            }
            for part in property.value.split(separator: ",") {
                let day: Int
                switch ICalendarDate(String(part)) {
                case .day(let number)?: day = Int(number)
                case .clock(let clock)?: day = clock.day
                case .instant(let instant)?:
                    day = zone.localTime(at: instant).day
                    let distance = distances.count < own.count ? Int(own[distances.count]) : 0
                    distances.append(LocalTimeZone.utc.localTime(at: instant).day - distance)
                case nil:
                    lose(property.name, .valueKept(String(part)))
                    continue
                }
                days.append(Int32(clamping: day + ahead))
            }
        }
        // The clocks of one time of day are an hour apart, which may be at midnight.
        let isFitting =
            distances.count == days.count && days.count == own.count
            && (distances.max() ?? 0) - (distances.min() ?? 0) <= 1
        item.setExceptions(isFitting ? own : days)
    }
}
