import Devices
import Glibc
import Terminal
import ToDo

/// A point in time that an option gives.
enum TimeOption {
    /// Reads `--at` and the like: `9:30`, `yesterday 17:00`, `-20min`, `20 minutes ago`; nil if there is
    /// none.
    ///
    /// A time of day alone is today's, unlike in dates, as it is about what was.
    static func read(
        _ arguments: Arguments, _ option: String, _ context: CommandContext
    ) throws -> Int64? {
        guard let text = arguments[option] else { return nil }
        if text.hasPrefix("-") {
            return try instant(text.dropFirst() + " ago", option, context)
        }
        if text.first?.isNumber == true, text.contains(":"), text.utf8.count <= 8 {
            return try instant("today \(text)", option, context)
        }
        return try instant(text, option, context)
    }

    private static func instant(
        _ text: String, _ option: String, _ context: CommandContext
    ) throws -> Int64 {
        let moment = try context.moment(text)
        guard case .instant(let instant) = moment else {
            throw CommandFailure(
                .usage, "--\(option) needs a time of day: --\(option) 9:30 or 'yesterday 17:00'")
        }
        return instant
    }

    /// A day that a word or option names; nil if there is none.
    static func day(_ text: String?, _ context: CommandContext) throws -> Int? {
        guard let text else { return nil }
        return try context.moment(text).day(in: context.zone)
    }
}

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
                    + "\(words(max)), not '\(text.shownInLine)'")
        }
        return number * unit
    }

    /// A length of life in its largest unit: `5 h`, `12 d`, `3 mo`, `2 y`.
    static func age(_ milliseconds: Int64) -> String {
        let hours = milliseconds / 3_600_000
        return switch hours {
        case ..<1: "\(milliseconds / 60_000) min"
        case ..<48: "\(hours) h"
        case ..<(100 * 24): "\(hours / 24) d"
        case ..<(730 * 24): "\(hours / 730) mo"
        default: "\(hours / 8_766) y"
        }
    }

    /// The time in words.
    static func words(_ seconds: Int) -> String {
        switch seconds {
        case _ where seconds % 86_400 == 0: EditMessages.count(seconds / 86_400, "day")
        case _ where seconds % 3600 == 0: EditMessages.count(seconds / 3600, "hour")
        case _ where seconds % 60 == 0: EditMessages.count(seconds / 60, "minute")
        default: EditMessages.count(seconds, "second")
        }
    }
}

/// The clock on the wall, for what runs longer than a moment.
enum SystemTime {
    /// Milliseconds since 1970.
    static var now: Int64 { SystemEnvironment.wallMilliseconds() }
}
