/// Numbers with the thing that is counted, in the singular where it is one.
package enum Counted {
    /// `1 item`, `2 items`, `1,000 identities`.
    ///
    /// - Parameter several: the plural, if it is not the singular and an `s`.
    package static func words(
        _ number: Int, _ one: String, _ several: String? = nil, isGrouped: Bool = false
    ) -> String {
        let digits = isGrouped ? grouped(number) : String(number)
        return digits + " " + (number == 1 ? one : several ?? one + "s")
    }

    /// `1,234,567`.
    package static func grouped(_ number: Int) -> String {
        var text = ""
        let digits = Array(String(number))
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0, digits[index - 1] != "-" { text += "," }
            text.append(digit)
        }
        return text
    }
}

/// Lengths of time as the language writes them.
enum ScenarioSpan {
    /// The units, shortest first; the first word of each is the one that is written for several.
    static let units: [(words: [String], milliseconds: Int64)] = [
        (["ms", "millisecond", "milliseconds"], 1),
        (["seconds", "second", "s"], 1_000),
        (["minutes", "minute"], 60_000),
        (["hours", "hour"], 3_600_000),
        (["days", "day"], 86_400_000),
        (["weeks", "week"], 7 * 86_400_000),
        (["years", "year"], 365 * 86_400_000),
    ]

    /// The milliseconds of one such unit.
    static func milliseconds(in word: String) -> Int64? {
        units.first { $0.words.contains(word) }?.milliseconds
    }

    /// The time in the longest unit that needs no fraction.
    static func text(_ milliseconds: Int64) -> String {
        let unit =
            units.last { milliseconds != 0 && milliseconds % $0.milliseconds == 0 } ?? units[0]
        let count = milliseconds / unit.milliseconds
        let word = abs(count) == 1 && unit.words[0] != "ms" ? unit.words[1] : unit.words[0]
        return "\(count) \(word)"
    }
}

/// How much a scenario may hold, so that reading any text ends soon.
package enum ScenarioLimits {
    /// The bytes of a text.
    package static let textByteCountMax = 16 << 20
    /// The bytes of a value that is written as `long 60000`.
    package static let longTextByteCountMax = 1_000_000
    /// The Unicode scalars of a line.
    package static let lineLengthMax = 10_000
    /// The steps of a scenario.
    package static let stepCountMax = 100_000
    /// The devices of a scenario, copies included.
    package static let deviceCountMax = 64
    /// The Unicode scalars of a name.
    package static let nameLengthMax = 100
    /// The things in one list: settings, values, elements, devices.
    package static let listCountMax = 1_000
    /// The longest wait, delay and jump of a clock: 100 years of 365 days, in milliseconds.
    package static let spanMax: Int64 = 100 * 365 * 86_400_000
    /// The fastest drift of a clock, forward or backward, in parts per million.
    package static let driftMax: Int64 = 500_000
    /// The largest count of conflicts, items, changes, identities and disk writes.
    package static let countMax: Int64 = 1_000_000_000
    /// The largest number of bytes on a disk or a link: a tebibyte.
    package static let byteCountMax: Int64 = 1 << 40
    /// The faults that are reported of one text.
    package static let faultCountMax = 20
    /// The characters of a line that are shown with a fault.
    package static let excerptLengthMax = 100
}
