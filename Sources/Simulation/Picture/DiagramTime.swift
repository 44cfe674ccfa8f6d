/// Times of a story in words.
enum DiagramTime {
    /// A time since the story began, to the millisecond.
    static func clock(_ time: Int64) -> String {
        let (seconds, milliseconds) = max(0, time).quotientAndRemainder(dividingBy: 1_000)
        let fraction = padded(milliseconds, 3)
        if seconds < 60 { return "\(seconds).\(fraction) s" }
        let clock =
            padded(seconds / 3_600 % 24, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
            + padded(seconds % 60, 2)
        let days = seconds / 86_400
        return (days == 0 ? "" : "\(days) d ") + "\(clock).\(fraction)"
    }

    /// How much later something is, in the largest unit that fits.
    static func later(_ gap: Int64) -> String {
        let units: [(Int64, String)] = [
            (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second"),
        ]
        for (length, name) in units where gap >= length {
            let count = (gap + length / 2) / length
            return "\(count) \(name)\(count == 1 ? "" : "s") later"
        }
        return "\(gap) milliseconds later"
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
