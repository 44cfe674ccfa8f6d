/// A value as a story writes it.
package enum Literal: Hashable, Sendable {
    /// `none`.
    case none
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number.
    case number(Int64)
    /// A text in quotes.
    case text(String)
    /// A date, as days since 1970-01-01: `2026-12-01`.
    case day(Int32)
    /// Another item, by its name: `@milk`.
    case item(String)
    /// A kind of value from a newer version: `newer 5`.
    case newer(UInt8)
}
