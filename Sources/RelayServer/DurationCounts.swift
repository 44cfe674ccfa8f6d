/// Durations counted by length, as Prometheus wants a histogram.
package struct DurationCounts: Hashable, Sendable {
    /// The upper bounds of the classes, in microseconds.
    package static let boundsMicroseconds = [
        250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    ]

    /// How many fell into each class, and above the last.
    package private(set) var counts = [Int](repeating: 0, count: boundsMicroseconds.count + 1)
    /// All of them together, in microseconds.
    package private(set) var totalMicroseconds = 0

    /// Nothing was counted yet.
    package init() {}

    /// How many there were.
    package var count: Int { counts.reduce(0, +) }

    /// Counts one.
    package mutating func add(microseconds: Int) {
        let bounds = Self.boundsMicroseconds
        counts[bounds.firstIndex { microseconds <= $0 } ?? bounds.count] += 1
        totalMicroseconds += microseconds
    }
}
