/// Why a date phrase was refused; every case says what to write instead.
package enum DatePhraseError: Error, Equatable, Sendable {
    /// There is nothing to read.
    case empty
    /// No rule fits.
    case notUnderstood(String, hint: String)
    /// The form is right, but the calendar or the clock has no such place.
    case noSuchDate(String, hint: String)
    /// The date lies outside the years 1 to 9999.
    case outOfRange(String)
}

extension DatePhraseError: CustomStringConvertible {
    /// What was not understood and what to write, for the user.
    package var description: String {
        switch self {
        case .empty:
            "no date given; \(DatePhraseHints.examples)"
        case .notUnderstood(let text, let hint):
            "cannot understand the date '\(text)'; \(hint)"
        case .noSuchDate(let text, let hint):
            "there is no '\(text)': \(hint)"
        case .outOfRange(let text):
            "'\(text)' lies outside the years 1 to 9999; 'someday' is the latest that has a name"
        }
    }
}
