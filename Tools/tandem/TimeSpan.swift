import Terminal

/// A length of time as it is typed: 15m, 2h, 1d.
enum TimeSpan {
    private static let units: [(names: [String], seconds: Int)] = [
        (["s", "sec", "second", "seconds"], 1), (["m", "min", "mins", "minute", "minutes"], 60),
        (["h", "hour", "hours"], 3600), (["d", "day", "days"], 86_400),
        (["w", "week", "weeks"], 604_800),
    ]

    /// The seconds of it; `m` is a minute, and a month is too long for all that takes a time like this.
    ///
    /// - Parameter taker: what is said to take it: `--for`.
    static func read(_ text: String, max: Int, taker: String) throws -> Int {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(digits.count).drop(while: \.isWhitespace).lowercased()
        guard let unit = units.first(where: { $0.names.contains(name) })?.seconds,
            let number = Int(digits), number > 0, number <= max / unit
        else {
            throw CommandFailure(
                .usage,
                "\(taker) takes a time such as 15m (minutes), 2h or 1d, at most "
                    + "\(max / 86_400) days, not '\(text.shownInLine)'")
        }
        return number * unit
    }

    /// The time in words.
    static func words(_ seconds: Int) -> String {
        switch seconds {
        case _ where seconds % 86_400 == 0: Echo.count(seconds / 86_400, "day")
        case _ where seconds % 3600 == 0: Echo.count(seconds / 3600, "hour")
        case _ where seconds % 60 == 0: Echo.count(seconds / 60, "minute")
        default: Echo.count(seconds, "second")
        }
    }
}
