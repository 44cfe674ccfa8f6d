/// Metrics in the text format of Prometheus, version 0.0.4.
struct MetricsText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    private(set) var text = ""

    /// One metric with one value.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: String) {
        begin(name, kind, help)
        text += "\(name) \(value)\n"
    }

    /// One metric with one value.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        add(name, kind, help, "\(value)")
    }

    /// One metric with a value for each value of a label; the labels need no escapes.
    mutating func add(
        _ name: String, _ kind: Kind, _ help: String, by label: String,
        _ values: [(String, Int)]
    ) {
        begin(name, kind, help)
        for (word, value) in values { text += "\(name){\(label)=\"\(word)\"} \(value)\n" }
    }

    /// A histogram of durations, in seconds.
    mutating func add(_ name: String, _ help: String, _ durations: DurationCounts) {
        begin(name, .histogram, help)
        var sum = 0
        for (bound, count) in zip(DurationCounts.boundsMicroseconds, durations.counts) {
            sum += count
            text += "\(name)_bucket{le=\"\(Self.seconds(microseconds: bound))\"} \(sum)\n"
        }
        text += "\(name)_bucket{le=\"+Inf\"} \(durations.count)\n"
        text += "\(name)_sum \(Self.seconds(microseconds: durations.totalMicroseconds))\n"
        text += "\(name)_count \(durations.count)\n"
    }

    /// Seconds with six decimals at most.
    static func seconds(microseconds: Int) -> String {
        let rest = String(microseconds % 1_000_000)
        let digits = String(repeating: "0", count: 6 - rest.count) + rest
        return "\(microseconds / 1_000_000).\(digits)"
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }
}
