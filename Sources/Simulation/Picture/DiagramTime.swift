/// Times as a person reads them.
enum DiagramTime {
    /// A pause that is worth a line of its own, in milliseconds.
    static let pauseMin: Int64 = 1_000

    private static let units: [(word: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// The time in its two largest units: `3 d 2 h`.
    static func words(_ milliseconds: Int64) -> String {
        guard milliseconds != 0 else { return "0 ms" }
        var rest = milliseconds.magnitude
        var parts: [String] = []
        for unit in units {
            let count = rest / unit.milliseconds.magnitude
            rest %= unit.milliseconds.magnitude
            if count > 0 { parts.append("\(count) \(unit.word)") }
            if parts.count == 2 || (!parts.isEmpty && count == 0) { break }
        }
        return (milliseconds < 0 ? "-" : "") + parts.joined(separator: " ")
    }

    /// `3 days later`, in the largest unit of which there are two or more.
    static func later(_ milliseconds: Int64) -> String {
        let names = [
            ("year", Int64(31_536_000_000)), ("week", 604_800_000), ("day", 86_400_000),
            ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000),
        ]
        for (name, length) in names where milliseconds >= length {
            let isEven = milliseconds % length == 0
            let count = milliseconds / length
            guard isEven || count > 1 else { continue }
            return (isEven ? "" : "about ") + "\(count) \(name)\(count == 1 ? "" : "s") later"
        }
        return "\(words(milliseconds)) later"
    }
}
