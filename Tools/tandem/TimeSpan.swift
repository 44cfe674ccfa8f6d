/// A length of time as it is typed: 15m, 2h, 1d.
enum TimeSpan {
    /// The seconds of it.
    static func read(_ text: String, max: Int, option: String) throws -> Int {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let last = text.last, let unit = units[last], let number = Int(text.dropLast()),
            number > 0, number <= max / unit
        else {
            throw CommandFailure(
                .usage,
                "--\(option) takes a time such as 15m, 2h or 1d, at most \(max / 86_400) days")
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
