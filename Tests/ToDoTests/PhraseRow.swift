import Testing
import ToDo

/// The expected meaning of a phrase on Saturday 21 November 2026, 06:34:07 in Berlin.
struct PhraseRow: CustomTestStringConvertible, Sendable {
    var text: String
    /// `2026-12-01`, or with a time `2026-12-01 10:00` or `2026-12-01 10:00:30`.
    var meaning: String

    init(_ text: String, _ meaning: String) {
        self.text = text
        self.meaning = meaning
    }

    var testDescription: String { "\(text) is \(meaning)" }

    func moment(in zone: LocalTimeZone) -> Moment {
        let parts = meaning.split(separator: " ")
        guard parts.count == 2 else { return Fixed.day(meaning) }
        let time = parts[1].split(separator: ":").compactMap { Int($0) } + [0]
        return .instant(Fixed.instant(String(parts[0]), time[0], time[1], time[2], in: zone))
    }
}
