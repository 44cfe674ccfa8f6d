/// The properties of a VTODO from the fields of a to-do.
struct ICalendarItemWriter {
    private let item: ToDoItem
    private let uid: String
    private let parentUID: (UInt128) -> String?
    private let zone: (String?) -> LocalTimeZone
    private var properties: [ICalendarProperty] = []

    /// Writes what the to-do's own fields say, as far as iCalendar has words for it, in a fixed order.
    ///
    /// - Parameters:
    ///   - uid: the to-do's.
    ///   - parentUID: finds the UID of a to-do to which others refer; nil where it is that to-do's id.
    ///   - zone: finds the zone of a rule, by the name in it.
    static func write(
        _ item: ToDoItem, uid: String, parentUID: (UInt128) -> String?,
        zone: @escaping (String?) -> LocalTimeZone
    ) -> [ICalendarProperty] {
        withoutActuallyEscaping(parentUID) { parentUID in
            var writer = ICalendarItemWriter(
                item: item, uid: uid, parentUID: parentUID, zone: zone)
            writer.addHead()
            writer.addPlan()
            writer.addOwn()
            return writer.properties
        }
    }

    private init(
        item: ToDoItem, uid: String, parentUID: @escaping (UInt128) -> String?,
        zone: @escaping (String?) -> LocalTimeZone
    ) {
        self.item = item
        self.uid = uid
        self.parentUID = parentUID
        self.zone = zone
    }

    private mutating func add(_ property: ICalendarProperty?) {
        if let property { properties.append(property) }
    }

    private mutating func add(_ name: String, text: String) {
        let value = ICalendarText.written(text)
        if !value.isEmpty { properties.append(ICalendarProperty(name, value)) }
    }

    private mutating func add(_ name: String, instant: Int64?) {
        guard let instant, let value = ICalendarDate.written(instant: instant) else { return }
        properties.append(ICalendarProperty(name, value))
    }

    private mutating func addHead() {
        add(ICalendarProperty("UID", ICalendarText.written(uid)))
        // Every VTODO needs one; where nothing is known it is the same each time.
        let lastChange = item.modified ?? item.created ?? 0
        add(
            ICalendarProperty(
                "DTSTAMP", ICalendarDate.written(instant: lastChange) ?? "19700101T000000Z"))
        add("CREATED", instant: item.created)
        add("LAST-MODIFIED", instant: item.modified)
        add("SUMMARY", text: item.title)
        add("DESCRIPTION", text: item.notes)
    }

    private mutating func addPlan() {
        let rule = item.due == nil && item.scheduled == nil ? nil : item.repetition
        if let scheduled = item.scheduled, scheduled.isDay == item.due?.isDay ?? scheduled.isDay {
            add(ICalendarDate.property("DTSTART", scheduled))
        } else if rule != nil, let due = item.due,
            let stand = ICalendarDate.property("DTSTART", due)
        {
            // RFC 5545 3.8.2.4: an RRULE needs one.
            let mark = ICalendarParameter(ICalendarNames.stand, ["DUE"])
            add(ICalendarProperty("DTSTART", stand.parameters + [mark], stand.value))
        }
        add(item.due.flatMap { ICalendarDate.property("DUE", $0) })
        switch item.status {
        case .pending:
            add(ICalendarProperty("STATUS", item.isInProcess ? "IN-PROCESS" : "NEEDS-ACTION"))
        case .completed:
            add(ICalendarProperty("STATUS", "COMPLETED"))
            add("COMPLETED", instant: item.completed)
            add(ICalendarProperty("PERCENT-COMPLETE", "100"))
        case .cancelled: add(ICalendarProperty("STATUS", "CANCELLED"))
        }
        switch item.priority {
        case .none: break
        case .low: add(ICalendarProperty("PRIORITY", "9"))
        case .medium: add(ICalendarProperty("PRIORITY", "5"))
        case .high: add(ICalendarProperty("PRIORITY", "1"))
        }
        if !item.tags.isEmpty {
            add(ICalendarProperty("CATEGORIES", ICalendarText.written(item.tags)))
        }
        add("LOCATION", text: item.location)
        if let parent = item.parent {
            add("RELATED-TO", text: parentUID(parent) ?? UUIDText.text(parent))
        }
        for other in item.depends {
            let uid = ICalendarText.written(parentUID(other) ?? UUIDText.text(other))
            add(ICalendarProperty("RELATED-TO", [ICalendarRelation.dependsOn], uid))
        }
        if let rule {
            let isOfDays = (item.scheduled ?? item.due)?.isDay ?? true
            let value = ICalendarRule.written(
                rule, isOfDays: isOfDays, isAtMonthEnds: isAtMonthEnds(rule))
            add(ICalendarProperty("RRULE", value))
            addExceptions(rule)
        }
    }

    /// Adds the days that are left out: those on which DTSTART would come, at its time of day.
    ///
    /// Times go out in UTC, from which no reader learns which days they are in the rule's zone: they stand beside them.
    private mutating func addExceptions(_ rule: Repetition) {
        if item.exceptions.isEmpty { return }
        let planned = item.scheduled.flatMap { scheduled in
            scheduled.isDay == item.due?.isDay ?? scheduled.isDay ? scheduled : nil
        }
        // A line has to hold that as well.
        guard let start = planned ?? item.due, ICalendarDate.property("DTSTART", start) != nil
        else { return }
        let zone = zone(rule.zone)
        let ahead = (item.due ?? start).day(in: zone) - start.day(in: zone)
        let dates = item.exceptions.compactMap { day in
            switch Repetition.moment(on: Int(day) - ahead, like: start, zone: zone) {
            case .day(let day): ICalendarDate.written(day: Int(day))
            case .instant(let instant): ICalendarDate.written(instant: instant)
            }
        }
        if dates.count < item.exceptions.count { return }
        let kind = start.isDay ? [ICalendarParameter("VALUE", ["DATE"])] : []
        add(ICalendarProperty("EXDATE", kind, dates.joined(separator: ",")))
        if start.isDay { return }
        let days = item.exceptions.map(ExceptionDay.text).joined(separator: ",")
        add(ICalendarProperty(ICalendarNames.exceptions, days))
    }

    /// Whether the rule comes on the last days of months; times go out in UTC, whose months end at other times.
    private func isAtMonthEnds(_ rule: Repetition) -> Bool {
        guard let due = item.due, due.isDay, item.anchor?.isDay ?? true else { return false }
        let first = CivilDate(day: (item.scheduled ?? due).day(in: .utc))
        return rule.isAtMonthEnds(from: item.anchor ?? due, in: .utc)
            && (item.scheduled == nil || first == first.endOfMonth())
    }

    private mutating func addOwn() {
        let prefix = ICalendarNames.ownPrefix
        add(ICalendarProperty(ICalendarNames.version, "1"))
        add(prefix + "PROJECT", text: item.project)
        // A line for each, as some programs take the commas of unknown lists for text.
        for person in item.people {
            add(ICalendarProperty(prefix + "PERSON", ICalendarText.written(person)))
        }
        var moments = [
            ("WAIT", item.wait), ("UNTIL", item.until), ("START", item.start),
            ("FINISH", item.finish),
        ]
        if let scheduled = item.scheduled, let due = item.due, scheduled.isDay != due.isDay {
            // DTSTART and DUE have to be of one kind.
            moments.insert(("SCHEDULED", scheduled), at: 0)
        }
        for (name, moment) in moments {
            add(moment.map { ICalendarProperty(prefix + name, $0.rfc3339) })
        }
    }
}

extension Moment {
    /// Whether it is a day and not an instant.
    var isDay: Bool { if case .day = self { true } else { false } }
}
