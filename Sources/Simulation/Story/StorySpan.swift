/// Lengths of time as the language writes them.
enum StorySpan {
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
