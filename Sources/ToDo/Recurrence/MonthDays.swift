/// Days of a month by their ordinal among those that are alike: its 2nd Tuesday, its last working day.
package enum MonthDays: Sendable, Hashable {
    /// Days of the week, sorted, none twice.
    case weekdays([MonthWeekday])
    /// Working days, which are Monday to Friday, sorted, none twice.
    case workdays([MonthOrdinal])
}

/// An ordinal among the days of a month that are alike.
package enum MonthOrdinal: Int, Sendable, CaseIterable {
    case first = 1
    case second, third, fourth, fifth
    case last = -1
}

/// A day of the week at an ordinal in a month.
package struct MonthWeekday: Sendable, Hashable {
    /// Which of those in the month it is.
    package let ordinal: MonthOrdinal
    /// The day of the week.
    package let weekday: Weekday

    /// A day of the week at an ordinal.
    package init(_ ordinal: MonthOrdinal, _ weekday: Weekday) {
        self.ordinal = ordinal
        self.weekday = weekday
    }
}

extension MonthDays {
    /// Days of the week; nil for none.
    package init?(weekdays: [MonthWeekday]) {
        if weekdays.isEmpty { return nil }
        self = .weekdays(
            Set(weekdays).sorted {
                ($0.ordinal.order, $0.weekday.rawValue) < ($1.ordinal.order, $1.weekday.rawValue)
            })
    }

    /// Working days; nil for none.
    package init?(workdays: [MonthOrdinal]) {
        if workdays.isEmpty { return nil }
        self = .workdays(Set(workdays).sorted { $0.order < $1.order })
    }

    /// The first of the days in a month that lies behind `day`; nil if it has none.
    ///
    /// - Parameter month: any date of the month.
    func first(after day: Int, in month: CivilDate) -> Int? {
        let (begin, end) = (month.startOfMonth().day, month.endOfMonth().day)
        let days: [Int] =
            switch self {
            case .weekdays(let list):
                list.compactMap { $0.ordinal.among(Self.days(begin, end, of: $0.weekday)) }
            case .workdays(let list):
                list.compactMap { $0.among(Self.workdays(begin, end)) }
            }
        return days.filter { $0 > day }.min()
    }

    private static func days(_ begin: Int, _ end: Int, of weekday: Weekday) -> [Int] {
        let first = begin + weekday.distance(after: Weekday(day: begin))
        return Array(stride(from: first, through: end, by: 7))
    }

    private static func workdays(_ begin: Int, _ end: Int) -> [Int] {
        (begin...end).filter { Weekday.workdays.contains(Weekday(day: $0)) }
    }
}

extension MonthOrdinal {
    /// Its order: the last comes last.
    fileprivate var order: Int { self == .last ? Self.allCases.count : rawValue }

    /// The element at the ordinal; nil if there are not so many.
    fileprivate func among(_ days: [Int]) -> Int? {
        if self == .last { return days.last }
        return rawValue <= days.count ? days[rawValue - 1] : nil
    }
}

// MARK: Words

extension MonthOrdinal {
    /// The word that is written: `1st`, `last`.
    var word: String {
        switch self {
        case .first: "1st"
        case .second: "2nd"
        case .third: "3rd"
        case .fourth: "4th"
        case .fifth: "5th"
        case .last: "last"
        }
    }

    /// Reads what is written, or `first` to `fifth`.
    init?(word: String) {
        let names = ["first", "second", "third", "fourth", "fifth"]
        if let index = names.firstIndex(of: word) {
            self = Self.allCases[index]
            return
        }
        guard let known = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = known
    }
}

extension MonthDays {
    /// `1st mon, 3rd mon`, `last workday`.
    var text: String {
        let parts =
            switch self {
            case .weekdays(let list):
                list.map { "\($0.ordinal.word) \($0.weekday.shortName.lowercased())" }
            case .workdays(let list): list.map { "\($0.word) workday" }
            }
        return parts.joined(separator: ", ")
    }

    private static let fillers: Set<String> = ["on", "the", "and", "&"]
    private static let workWords: Set<String> = ["working", "work", "business", "week"]
    private static let workdayWords: Set<String> = ["workday", "weekday"]

    /// Reads what `text` wrote, or `the first and third monday`, `last working day`; nil for anything else.
    init?(words: some Sequence<String>) {
        var waiting: [MonthOrdinal] = []
        var weekdays: [MonthWeekday] = []
        var workdays: [MonthOrdinal] = []
        var isHalf = false
        for word in words where !Self.fillers.contains(word) {
            let single = word.hasSuffix("s") ? String(word.dropLast()) : word
            if !isHalf, let ordinal = MonthOrdinal(word: word) {
                waiting.append(ordinal)
                continue
            }
            if waiting.isEmpty { return nil }
            if isHalf ? single == "day" : Self.workdayWords.contains(single) {
                workdays += waiting
            } else if !isHalf, Self.workWords.contains(word) {
                isHalf = true
                continue
            } else if !isHalf, let day = DayNames.weekday(word) ?? DayNames.weekday(single) {
                weekdays += waiting.map { MonthWeekday($0, day) }
            } else {
                return nil
            }
            isHalf = false
            waiting = []
        }
        guard waiting.isEmpty, weekdays.isEmpty || workdays.isEmpty,
            let days = MonthDays(weekdays: weekdays) ?? MonthDays(workdays: workdays)
        else { return nil }
        self = days
    }

    /// Whether it is one day between the first and the last, as in `2nd tue`.
    var isOneBetween: Bool {
        switch self {
        case .weekdays(let list): list.count == 1 && list[0].ordinal.isBetween
        case .workdays(let list): list.count == 1 && list[0].isBetween
        }
    }
}

extension Repetition {
    /// Whether it comes on days of months.
    var isOfMonthDays: Bool { if case .monthDays = step { true } else { false } }
}

extension MonthOrdinal {
    fileprivate var isBetween: Bool { self != .first && self != .last }
}
