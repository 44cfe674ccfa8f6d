/// Days on which a series does not come: elements of the set field `except`, `2026-12-24`.
///
/// They are a field beside the rule, so that two devices that each leave out a day leave out both.
package enum ExceptionDay {
    /// The most days that one to-do leaves out by words; files and other devices may bring more.
    package static let countMax = 366

    /// The text that records and files hold.
    static func text(_ day: Int32) -> String { TimestampText.day(Int(day)) }

    /// Reads exactly what `text` writes, so that each day has one text.
    static func day(_ text: String) -> Int32? {
        day(reading: text).flatMap { Self.text($0) == text ? $0 : nil }
    }

    /// Reads a day of a file; nil for anything else.
    static func day(reading text: String) -> Int32? {
        if case .day(let day)? = TimestampReader.rfc3339(text) { day } else { nil }
    }
}

extension ToDoItem {
    /// Replaces all days that are left out; sorts them and drops repeats.
    package mutating func setExceptions(_ new: some Sequence<Int32>) {
        let all = Array(new)
        exceptions = all.count < 2 ? all : Set(all).sorted()
    }

    /// The days that are left out, for a schedule.
    var leftOut: Set<Int32> { Set(exceptions) }

    /// The most days that one line shows.
    private static let exceptionShownCountMax = 5

    /// The days that are left out, as a person reads them behind the rule; "" for none.
    var exceptionsShown: String {
        if exceptions.isEmpty { return "" }
        let shown = exceptions.prefix(Self.exceptionShownCountMax)
            .map { DatePhrase.absolute(.day($0), zone: .utc) }
        let rest = exceptions.count - shown.count
        return " except " + shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}

// MARK: Words

extension KeyedWord {
    /// The words behind which a rule names the days that it leaves out; longer ones come first.
    private enum ExceptionMark: String, CaseIterable {
        case exceptFor = "except for"
        case exceptOn = "except on"
        case except = "except"
        case butNot = "but not"
    }

    /// The word itself; of a rule with days that it leaves out both: `repeat:"weekly except 24 dec"`.
    var parted: [KeyedWord] {
        guard key == .repeats,
            let range = ExceptionMark.allCases.lazy
                .compactMap({ value.firstRange(of: " \($0.rawValue) ") }).first
        else { return [self] }
        var (rule, days) = (self, self)
        rule.value = String(value[..<range.lowerBound])
        days.value = String(value[range.upperBound...])
        days.key = .exceptions
        return [rule, days]
    }

    /// The days of a value, parted by commas.
    func days(_ context: DatePhraseContext) throws(ToDoWordsError) -> [Int32] {
        guard list.count <= ExceptionDay.countMax else {
            throw .badValue(
                key: name, value: String(value.prefix(40)),
                hint: "at most \(ExceptionDay.countMax) days")
        }
        var days: [Int32] = []
        for text in list {
            var single = self
            single.value = text
            days.append(Int32(clamping: try single.moment(context).day(in: context.zone)))
        }
        return days
    }
}

extension ToDoItem {
    /// The doubts about days that are left out, as far as a change made them so.
    ///
    /// - Parameters:
    ///   - old: the to-do before the change; nil if it is new.
    ///   - zone: this device's zone.
    ///   - named: finds the zone that the repetition names.
    package func exceptionHints(
        before old: ToDoItem?, zone: LocalTimeZone, named: (String) -> LocalTimeZone?
    ) -> [ToDoWordHint] {
        let new = Set(exceptions).subtracting(old?.exceptions ?? []).sorted()
        guard status == .pending, !new.isEmpty else { return [] }
        if repeats.isEmpty { return [.idleException] }
        guard let rule = repetition, rule.basis == .due, let due else { return [] }
        let zone = rule.zone.flatMap(named) ?? zone
        return new.prefix(Self.exceptionShownCountMax).compactMap { day in
            let text = DatePhrase.absolute(.day(day), zone: zone)
            if Int(day) == due.day(in: zone) { return .exceptionIsDue(text) }
            let found = rule.first(from: Int(day), after: due, anchor: anchor ?? due, in: zone)
            return found?.day(in: zone) == Int(day) ? nil : .strayException(text)
        }
    }
}
