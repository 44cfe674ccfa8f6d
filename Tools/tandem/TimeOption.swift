import Terminal
import ToDo

/// A point in time that an option gives.
enum TimeOption {
    /// Reads `--at` and the like: `9:30`, `yesterday 17:00`, `-20min`, `20 minutes ago`; nil if there is
    /// none.
    ///
    /// A time of day alone is today's, unlike in dates, as it is about what was.
    static func read(
        _ arguments: Arguments, _ option: String, _ place: CommandContext
    ) throws -> Int64? {
        guard let text = arguments[option] else { return nil }
        if text.hasPrefix("-") {
            return try instant(text.dropFirst() + " ago", option, place)
        }
        if text.first?.isNumber == true, text.contains(":"), text.utf8.count <= 8 {
            return try instant("today \(text)", option, place)
        }
        return try instant(text, option, place)
    }

    private static func instant(
        _ text: String, _ option: String, _ place: CommandContext
    ) throws -> Int64 {
        let moment = try DatePhrase.parse(
            text, now: place.now, zone: place.zone, weekStart: place.weekStart)
        guard case .instant(let instant) = moment else {
            throw CommandFailure(
                .usage, "--\(option) needs a time of day: --\(option) 9:30 or 'yesterday 17:00'")
        }
        return instant
    }

    /// A day that a word or option names; nil if there is none.
    static func day(_ text: String?, _ place: CommandContext) throws -> Int? {
        guard let text else { return nil }
        return try DatePhrase.parse(
            text, now: place.now, zone: place.zone, weekStart: place.weekStart
        ).day(in: place.zone)
    }
}
