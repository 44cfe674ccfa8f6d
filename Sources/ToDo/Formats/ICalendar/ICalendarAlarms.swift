/// The alarms of a VTODO and the reminders of a to-do.
///
/// An alarm that is shown or sounds is a reminder: of a time, or counted from `DUE` or, where one is planned, `DTSTART`
/// (RFC 5545 3.6.6), with the time at which a person dismissed it (RFC 9074 6.1). Others, such as mail, are none. An
/// alarm that says more than a reminder is kept with it as a custom field, as long as the to-do has that reminder.
enum ICalendarAlarms {
    /// The component.
    static let name = "VALARM"
    /// The custom field of alarms that say more than reminders.
    static let customName = ICalendarNames.customPrefix + name

    /// The reminder that an alarm is; nil if it is none.
    ///
    /// - Parameter isStartPlanned: whether the VTODO has a `DTSTART` that is a plan.
    static func reminder(_ alarm: ICalendarComponent, isStartPlanned: Bool) -> Reminder? {
        let triggers = alarm.properties.filter { $0.name == "TRIGGER" }
        guard triggers.count == 1, alarm.name == name, alarm.problems.isEmpty,
            ["DISPLAY", "AUDIO"].contains(alarm["ACTION"]?.value.uppercased())
        else { return nil }
        var acknowledged: Int64?
        if let property = alarm["ACKNOWLEDGED"] {
            guard case .instant(let time)? = ICalendarDate(property.value) else { return nil }
            acknowledged = time
        }
        return trigger(triggers[0], isStartPlanned: isStartPlanned).map {
            Reminder($0, acknowledged: acknowledged)
        }
    }

    private static func trigger(
        _ property: ICalendarProperty, isStartPlanned: Bool
    ) -> Reminder.Trigger? {
        var text = property.value.uppercased()[...]
        if case .instant(let instant)? = ICalendarDate(property.value) { return .at(instant) }
        let isBefore = text.first == "-"
        if isBefore || text.first == "+" { text = text.dropFirst() }
        guard let lead = Reminder.Lead(isoText: text, isBefore: isBefore) else { return nil }
        switch property["RELATED"]?.uppercased() ?? "START" {
        case "END": return .from(.due, lead)
        case "START": return .from(isStartPlanned ? .scheduled : .due, lead)
        default: return nil
        }
    }

    /// The alarm that says a reminder, and nothing else; nil if none can.
    static func alarm(
        _ reminder: Reminder, title: String, isStartPlanned: Bool
    ) -> ICalendarComponent? {
        let trigger: ICalendarProperty
        switch reminder.trigger {
        case .at(let instant):
            guard let value = ICalendarDate.written(instant: instant) else { return nil }
            trigger = ICalendarProperty(
                "TRIGGER", [ICalendarParameter("VALUE", ["DATE-TIME"])], value)
        case .from(let base, let lead):
            if base == .scheduled, !isStartPlanned { return nil }
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

    /// Whether the properties of a VTODO have a `DTSTART` that is a plan.
    static func isStartPlanned(_ properties: [ICalendarProperty]) -> Bool {
        properties.contains { $0.name == "DTSTART" && $0[ICalendarNames.stand] == nil }
    }

    /// The alarms to write: those that were kept and still hold, and one for each reminder that none of them is.
    static func written(
        _ item: ToDoItem, kept: [ICalendarComponent], _ properties: [ICalendarProperty]
    ) -> [ICalendarComponent] {
        let isStartPlanned = isStartPlanned(properties)
        var missing = item.reminders
        var alarms: [ICalendarComponent] = []
        for alarm in kept {
            if let reminder = reminder(alarm, isStartPlanned: isStartPlanned) {
                guard item.reminders.contains(reminder) else { continue }
                missing.removeAll { $0 == reminder }
            }
            alarms.append(alarm)
        }
        return alarms
            + missing.compactMap {
                alarm($0, title: item.title, isStartPlanned: isStartPlanned)
            }
    }

    /// Gives an item the reminders of alarms.
    ///
    /// - Returns: the alarms that say more, or something else.
    static func read(
        _ alarms: [ICalendarComponent], into item: inout ToDoItem,
        _ properties: [ICalendarProperty]
    ) -> [ICalendarComponent] {
        let isStartPlanned = isStartPlanned(properties)
        var reminders = item.reminders
        var others: [ICalendarComponent] = []
        for found in alarms {
            let reminder = reminder(found, isStartPlanned: isStartPlanned)
            if let reminder { reminders.append(reminder) }
            let plain = reminder.flatMap {
                alarm($0, title: item.title, isStartPlanned: isStartPlanned)
            }
            if plain?.lines != found.lines { others.append(found) }
        }
        item.setReminders(reminders)
        return others
    }
}
