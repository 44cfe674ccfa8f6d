/// Reads dates the way people write them; English.
///
/// The rules that other tools disagree about:
/// - A weekday is the coming one, today excluded; `next friday` is the same day as `friday`;
///   `this friday` may be today; `last friday` is the latest before today; the one in the week
///   after this is `friday next week`.
/// - Days give a day, times give a point in time: `tomorrow`, `3d`, `eom` have no time of day,
///   `5pm`, `2h`, `tomorrow+10h` have one.
/// - A time alone is the next one the clock shows. `midnight` after a day begins that day.
/// - Months have their own lengths: `P1M` after 31 January is the last day of February.
/// - Weeks such as `2026-W49` are those of ISO 8601 and begin on Monday; `sow` and `eow` follow
///   `weekStart`.
package enum DatePhrase {
    /// No phrase is longer, so that the search for its meaning stays short.
    private static let byteCountMax = 100

    /// Reads a phrase.
    ///
    /// - Parameters:
    ///   - text: what was typed, in any case.
    ///   - now: milliseconds since 1970.
    ///   - zone: the time zone that days and times without one are in.
    ///   - weekStart: the first day of the week.
    package static func parse(
        _ text: String, now: Int64, zone: LocalTimeZone, weekStart: Weekday = .monday
    ) throws(DatePhraseError) -> Moment {
        let words = words(of: text)
        guard !words.isEmpty else { throw .empty }
        guard text.utf8.count <= byteCountMax else {
            throw .notUnderstood(String(text.prefix(40)) + "…", hint: DatePhraseHints.examples)
        }
        let parser = DatePhraseParser(
            context: DatePhraseContext(now: now, zone: zone, weekStart: weekStart))
        guard let term = try parser.term(words[...], depth: 0) else {
            throw .notUnderstood(text, hint: DatePhraseHints.hint(for: words[...]))
        }
        let moment = try moment(term, text: text)
        let year = CivilDate(day: moment.day(in: zone)).year
        guard (1...9_999).contains(year) else { throw .outOfRange(text) }
        return moment
    }

    private static func moment(_ term: DateTerm, text: String) throws(DatePhraseError) -> Moment {
        switch term {
        case .day(let day), .lastDay(let day):
            guard let day = Int32(exactly: day) else { throw .outOfRange(text) }
            return .day(day)
        case .instant(let instant): return .instant(instant)
        }
    }

    /// Lower case, parted by spaces and commas; `next-fri` is two words.
    private static func words(of text: String) -> [String] {
        let parts = text.lowercased().split { $0.isWhitespace || $0 == "," }
        return parts.flatMap { part -> [String] in
            for opening in ["next-", "this-", "last-"] where part.hasPrefix(opening) {
                return [String(opening.dropLast()), String(part.dropFirst(opening.count))]
            }
            return [String(part)]
        }
    }
}
