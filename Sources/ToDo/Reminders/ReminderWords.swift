/// Reminders as people type and read them.
package enum ReminderWords {
    /// The time of day at which a reminder for a whole day is told; hours after midnight.
    package static let hourOfDays = 9
    /// The most reminders of one to-do that are typed at once.
    package static let countMax = 20

    static let hint =
        "say a time, or how long before a date: 'tomorrow 9am', -30m, '2h before due', '1d before scheduled'"

    /// Reads reminders that are parted by commas.
    ///
    /// - Throws: what is wrong with the first that is not understood.
    static func read(
        _ word: KeyedWord, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> [Reminder] {
        guard word.list.count <= countMax else {
            throw .badValue(key: word.name, value: word.value, hint: "at most \(countMax) at once")
        }
        var found: [Reminder] = []
        for text in word.list {
            if let trigger = trigger(text) {
                found.append(Reminder(trigger))
                continue
            }
            if let own = Reminder(reading: text) {
                found.append(own)
                continue
            }
            if text.first == "-" || text.first == "+" || text.lowercased().contains("before")
                || text.lowercased().contains("after")
            {
                throw .badValue(key: word.name, value: text, hint: hint)
            }
            var single = word
            single.value = text
            switch try single.moment(context) {
            case .instant(let instant): found.append(Reminder(.at(instant)))
            case .day(let day):
                let time = LocalTime(
                    day: Int(day), millisecondOfDay: hourOfDays * 3_600_000)
                found.append(Reminder(.at(context.zone.instant(of: time))))
            }
        }
        return found
    }

    /// Reads `-30m`, `+5 min`, `2h before`, `1d after scheduled`, `due`.
    private static func trigger(_ text: String) -> Reminder.Trigger? {
        var words = text.lowercased().split(whereSeparator: \.isWhitespace).map { String($0) }
        guard let first = words.first else { return nil }
        if first == "at" { words.removeFirst() }
        if words.count == 1, let base = Reminder.Base(rawValue: words[0]) {
            return .from(base, .none)
        }
        var base = Reminder.Base.due
        var sign: Int?
        if let index = words.firstIndex(where: { $0 == "before" || $0 == "after" }), index > 0 {
            if index + 1 < words.count {
                guard index + 2 == words.count,
                    let named = Reminder.Base(rawValue: words[index + 1])
                else { return nil }
                base = named
            }
            sign = words[index] == "before" ? -1 : 1
            words = Array(words[..<index])
        } else if first.first == "-" || first.first == "+" {
            sign = first.first == "-" ? -1 : 1
            words[0].removeFirst()
            words.removeAll(where: \.isEmpty)
        }
        guard let sign, let lead = lead(words, sign: sign) else { return nil }
        return .from(base, lead)
    }

    /// Whether a word behind a reminder makes a lead of it, as in `remind:2h before`.
    static func isContinued(_ value: String, by word: String) -> Bool {
        trigger(value + " " + word) != nil
    }

    private static func lead(_ words: [String], sign: Int) -> Reminder.Lead? {
        // In a lead minutes are meant: no calendar's alarm counts months.
        let spelt = words.map { word in
            word.last == "m" && word.dropLast().last?.isNumber == true ? word + "in" : word
        }
        guard let length = DurationWords.parse(spelt[...]), length.months == 0,
            length.milliseconds % 1000 == 0
        else { return nil }
        return Reminder.Lead(days: sign * length.days, seconds: sign * length.milliseconds / 1000)
    }

    /// A reminder for people: `30 min before due`, `Tue 24 Nov 2026 09:00`.
    package static func describe(_ reminder: Reminder, zone: LocalTimeZone) -> String {
        switch reminder.trigger {
        case .at(let instant): DatePhrase.absolute(.instant(instant), zone: zone)
        case .from(let base, let lead) where lead == .none: "at \(base.rawValue)"
        case .from(let base, let lead):
            "\(length(lead)) \(lead.isBefore ? "before" : "after") \(base.rawValue)"
        }
    }

    private static func length(_ lead: Reminder.Lead) -> String {
        let rest = abs(lead.seconds)
        let parts = [
            (abs(lead.days), "d"), (rest / 3600, "h"), (rest / 60 % 60, "min"), (rest % 60, "s"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}

extension ToDoItem {
    /// The doubts about reminders that will not be told, as far as a change made them so.
    ///
    /// - Parameters:
    ///   - old: the to-do before the change; nil if it is new.
    ///   - now: milliseconds since 1970.
    package func reminderHints(
        before old: ToDoItem?, now: Int64, zone: LocalTimeZone
    ) -> [ToDoWordHint] {
        guard status == .pending else { return [] }
        let days = Int64(ToDoStore.missedReminderDaysMax)
        var hints: [ToDoWordHint] = []
        for reminder in reminders {
            let time = reminder.time(in: self, zone: zone)
            if let old, old.reminders.contains(reminder),
                reminder.time(in: old, zone: zone) == time
            {
                continue
            }
            if let time {
                guard time <= now.minus(days * 86_400_000) else { continue }
                hints.append(.pastReminder(DatePhrase.absolute(.instant(time), zone: zone)))
            } else if case .from(let base, _) = reminder.trigger,
                !hints.contains(.idleReminder(base))
            {
                hints.append(.idleReminder(base))
            }
        }
        return hints
    }
}
