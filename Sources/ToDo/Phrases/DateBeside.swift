/// A date counted from another one of the same to-do: `due+1d`, `scheduled-2weeks`, `wait`.
struct DateBeside: Equatable {
    /// The date that is counted from.
    let base: ToDoDateField
    /// The duration that is added to it.
    let duration: CalendarDuration

    /// Reads the value of a date key; nil if it begins with no date of a to-do.
    init?(_ value: String) {
        let text = value.lowercased().filter { !$0.isWhitespace }
        let end = text.firstIndex { $0 == "+" || $0 == "-" } ?? text.endIndex
        guard let base = ToDoDateField(rawValue: String(text[..<end])) else { return nil }
        self.base = base
        if end == text.endIndex {
            duration = CalendarDuration()
        } else {
            let words = [String(text[text.index(after: end)...])]
            guard let duration = DurationWords.parse(words[...]) else { return nil }
            self.duration = text[end] == "-" ? duration.negated : duration
        }
    }
}

extension DateTerm {
    /// A day or an instant.
    init(_ moment: Moment) {
        switch moment {
        case .day(let day): self = .day(Int(day))
        case .instant(let instant): self = .instant(instant)
        }
    }
}

extension ToDoItem {
    /// The moment so long after one of the item's dates; nil if that is not set, or the years 1 to 9999 end before.
    func moment(
        _ duration: CalendarDuration, after base: ToDoDateField, zone: LocalTimeZone
    ) -> Moment? {
        guard let date = self[base] else { return nil }
        let context = DatePhraseContext(now: 0, zone: zone, weekStart: .monday)
        return try? context.moment(context.adding(duration, to: DateTerm(date)), key: base)
    }
}
