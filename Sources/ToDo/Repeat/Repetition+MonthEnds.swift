/// Schedules that go by the last days of months.
///
/// They have no words of their own: a schedule stays where it began, so one that began on a 31st comes to
/// the last day of each month, as versions that know nothing of this page understand it, too.
extension Repetition {
    /// The most steps back that are looked at: a leap day lies within them for every number of years.
    private static let stepCountMax = 16

    /// Where a schedule began that goes by the last days of months, for what is due at `due`.
    ///
    /// - Returns: the end of the longest of the months that it came to before; nil if that is `due` itself, or
    ///   if the rule does not count months from when a to-do was due.
    package func monthEndBegin(for due: Moment, in zone: LocalTimeZone) -> Moment? {
        guard basis == .due, case .months(let count) = step else { return nil }
        let day = due.day(in: zone)
        let date = CivilDate(day: day)
        var longest: CivilDate?
        for number in 0..<Self.stepCountMax {
            let end = date.endOfMonth(later: -number * count)
            if end.day <= day, end.dayOfMonth > longest?.dayOfMonth ?? 0 { longest = end }
        }
        guard let longest, longest.day != day else { return nil }
        return due.moved(byDays: longest.day - day, in: zone)
    }

    /// Whether a schedule that began there comes to the last days of months of different lengths.
    package func isAtMonthEnds(from begin: Moment, in zone: LocalTimeZone) -> Bool {
        guard basis == .due, case .months(let count) = step, count % 12 != 0 else { return false }
        return CivilDate(day: begin.day(in: zone)).dayOfMonth == 31
    }
}

extension ToDoItem {
    /// Has the item come again on the last days of months, if its rule counts them.
    package mutating func repeatAtMonthEnds(in zone: LocalTimeZone) {
        guard let rule = repetition, let due else { return }
        anchor = rule.monthEndBegin(for: due, in: zone)
    }

    /// The rule as a person reads it: also which day of the month it is, where the words leave that open.
    package func repeatsShown(in zone: LocalTimeZone) -> String {
        guard let rule = repetition, rule.basis == .due, let due,
            case .months(let count) = rule.step,
            count % 12 != 0
        else { return repeats }
        let begin = anchor ?? due
        if rule.isAtMonthEnds(from: begin, in: zone) {
            return "\(repeats), on the last day of the month"
        }
        let date = CivilDate(day: begin.day(in: zone))
        // Somebody may have meant the end of the month.
        return date == date.endOfMonth() ? "\(repeats), on day \(date.dayOfMonth)" : repeats
    }
}
