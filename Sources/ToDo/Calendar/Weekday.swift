/// A day of the week; raw values are those of ISO 8601.
package enum Weekday: Int, Sendable, CaseIterable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// The weekday of a day; `day` counts from 1970-01-01, a Thursday.
    package init(day: Int) {
        let index = (day + 3).quotientRoundedDown(by: 7).remainder
        self = Self.allCases[index]
    }

    /// Three letters: `Mon`.
    package var shortName: String {
        ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][rawValue - 1]
    }

    /// In full, in lower case: `monday`.
    package var name: String { DayNames.weekdays[rawValue - 1] }

    /// How many days lie from `other` forward to this one: 0 to 6.
    package func distance(after other: Weekday) -> Int {
        (rawValue - other.rawValue + 7) % 7
    }
}

extension BinaryInteger {
    /// Division that rounds towards minus infinity, so that the remainder is never negative.
    func quotientRoundedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
