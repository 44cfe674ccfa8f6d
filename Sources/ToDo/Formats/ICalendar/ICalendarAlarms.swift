/// The alarms of a VTODO and the reminders of a to-do.
///
/// An alarm that is shown or sounds is a reminder: of a time, or counted from `DUE` or, where one is planned, `DTSTART`
/// (RFC 5545 3.6.6), with the time at which a person dismissed it (RFC 9074 6.1). There whole days begin at midnight, and
/// reminders of whole days are told in the morning: each is written as the other says it. Others, such as mail, are none. An
/// alarm that says more than a reminder is kept with it as a custom field, as long as the to-do has that reminder.
enum ICalendarAlarms {
    /// The component.
    static let name = "VALARM"
    /// The custom field of alarms that say more than reminders.
    static let customName = ICalendarNames.customPrefix + name

    /// The parts of a VTODO that decide when its alarms are told.
    struct Dates {
        /// Whether it has a `DTSTART` that is a plan.
        let isStartPlanned: Bool
        /// The dates that are whole days.
        private let wholeDays: Set<Reminder.Base>

        init(_ item: ToDoItem, _ properties: [ICalendarProperty]) {
            isStartPlanned = properties.contains {
                $0.name == "DTSTART" && $0[ICalendarNames.stand] == nil
            }
            var days: Set<Reminder.Base> = []
            if case .day = item.due { days.insert(.due) }
            if case .day = item.scheduled { days.insert(.scheduled) }
            wholeDays = days
        }

        /// Whether a date is a whole day.
        func isWhole(_ base: Reminder.Base) -> Bool { wholeDays.contains(base) }
    }

    /// The reminder that an alarm is; nil if it is none.
    static func reminder(_ alarm: ICalendarComponent, _ dates: Dates) -> Reminder? {
        let triggers = alarm.properties.filter { $0.name == "TRIGGER" }
        guard triggers.count == 1, alarm.name == name, alarm.problems.isEmpty,
            ["DISPLAY", "AUDIO"].contains(alarm["ACTION"]?.value.uppercased())
        else { return nil }
        var acknowledged: Int64?
        if let property = alarm["ACKNOWLEDGED"] {
            guard case .instant(let time)? = ICalendarDate(property.value) else { return nil }
            acknowledged = time
        }
        return trigger(triggers[0], dates).map {
            Reminder($0, acknowledged: acknowledged)
        }
    }

    private static func trigger(
        _ property: ICalendarProperty, _ dates: Dates
    ) -> Reminder.Trigger? {
        var text = property.value.uppercased()[...]
        if case .instant(let instant)? = ICalendarDate(property.value) { return .at(instant) }
        let isBefore = text.first == "-"
        if isBefore || text.first == "+" { text = text.dropFirst() }
        guard let lead = Reminder.Lead(isoText: text, isBefore: isBefore) else { return nil }
        let base: Reminder.Base
        switch property["RELATED"]?.uppercased() ?? "START" {
        case "END": base = .due
        case "START": base = dates.isStartPlanned ? .scheduled : .due
        default: return nil
        }
        return .from(base, dates.isWhole(base) ? lead.fromMorning : lead)
    }

    /// The most alarms of one to-do that a question looks at, and the most repetitions of one of them.
    static let alarmCountMax = 100
    static let repetitionCountMax = 100

    /// Whether an alarm of a to-do, or of a later occurrence, goes off in a time (RFC 4791, section 9.9).
    static func goesOff(
        _ alarm: ICalendarComponent, of times: ICalendarTimes, _ dates: Dates,
        in range: ICalendarQuery.TimeRange
    ) -> Bool {
        guard let property = alarm["TRIGGER"], let trigger = trigger(property, dates) else {
            return false
        }
        let delays = delays(of: alarm)
        var items = [times.item]
        if case .from(_, let lead) = trigger {
            let length = Int64(lead.days) * 86_400_000 + Int64(lead.seconds) * 1_000
            // Whole days are told in the morning, and some days have another length.
            let slack: Int64 = 2 * 86_400_000
            let around = ICalendarQuery.TimeRange(
                start: range.start?.plus(-length - slack - (delays.last ?? 0)),
                end: range.end?.plus(slack - length))
            items += times.occurrences(in: around)
        }
        return items.contains { item in
            let time = Reminder(trigger).time(in: times.withEnd(item), zone: times.zone)
            guard let time else { return false }
            return delays.contains { range.contains(time.plus($0)) }
        }
    }

    /// The times at which an alarm goes off, counted from its trigger; milliseconds, the first is 0.
    private static func delays(of alarm: ICalendarComponent) -> [Int64] {
        guard let count = alarm["REPEAT"].flatMap({ Int($0.value) }), count > 0,
            let pause = alarm["DURATION"].flatMap({ property in
                let text = property.value.uppercased()
                return Reminder.Lead(
                    isoText: text.hasPrefix("+") ? text.dropFirst() : text[...], isBefore: false)
            })
        else { return [0] }
        let length = Int64(pause.days) * 86_400_000 + Int64(pause.seconds) * 1_000
        return (0...min(count, repetitionCountMax)).map { Int64($0) * length }
    }

    /// The alarm that says a reminder, and nothing else; nil if none can.
    static func alarm(
        _ reminder: Reminder, title: String, _ dates: Dates
    ) -> ICalendarComponent? {
        let trigger: ICalendarProperty
        switch reminder.trigger {
        case .at(let instant):
            guard let value = ICalendarDate.written(instant: instant) else { return nil }
            trigger = ICalendarProperty(
                "TRIGGER", [ICalendarParameter("VALUE", ["DATE-TIME"])], value)
        case .from(let base, let lead):
            if base == .scheduled, !dates.isStartPlanned { return nil }
            let lead = dates.isWhole(base) ? lead.fromMidnight : lead
            trigger = ICalendarProperty(
                "TRIGGER", [ICalendarParameter("RELATED", [base == .due ? "END" : "START"])],
                (lead.isBefore ? "-" : "") + lead.isoText)
        }
        var properties = [
            ICalendarProperty("ACTION", "DISPLAY"),
            // RFC 5545 wants some text; programs show it.
            ICalendarProperty("DESCRIPTION", ICalendarText.written(title)), trigger,
        ]
        if let time = reminder.acknowledged.flatMap({ ICalendarDate.written(instant: $0) }) {
            properties.append(ICalendarProperty("ACKNOWLEDGED", time))
        }
        return ICalendarComponent(name, properties.map { .property($0) })
    }

    /// The alarms to write: those that were kept and still hold, and one for each reminder that none of them is.
    static func written(
        _ item: ToDoItem, kept: [ICalendarComponent], _ properties: [ICalendarProperty]
    ) -> [ICalendarComponent] {
        let dates = Dates(item, properties)
        var missing = item.reminders
        var alarms: [ICalendarComponent] = []
        for alarm in kept {
            if let reminder = reminder(alarm, dates) {
                guard item.reminders.contains(reminder) else { continue }
                missing.removeAll { $0 == reminder }
            }
            alarms.append(alarm)
        }
        return alarms
            + missing.compactMap {
                alarm($0, title: item.title, dates)
            }
    }

    /// Gives an item the reminders of alarms.
    ///
    /// - Returns: the alarms that say more, or something else.
    static func read(
        _ alarms: [ICalendarComponent], into item: inout ToDoItem,
        _ properties: [ICalendarProperty]
    ) -> [ICalendarComponent] {
        let dates = Dates(item, properties)
        var reminders = item.reminders
        var others: [ICalendarComponent] = []
        for found in alarms {
            let reminder = reminder(found, dates)
            if let reminder { reminders.append(reminder) }
            let plain = reminder.flatMap {
                alarm($0, title: item.title, dates)
            }
            if plain?.lines != found.lines { others.append(found) }
        }
        item.setReminders(reminders)
        return others
    }
}
