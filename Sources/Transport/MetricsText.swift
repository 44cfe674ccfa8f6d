import Glibc

/// Metrics in the text format of Prometheus, version 0.0.4.
package struct MetricsText {
    /// The kind of a metric, as Prometheus calls it.
    package enum Kind: String {
        case counter, gauge, histogram
    }

    /// The lines so far.
    package private(set) var text = ""

    /// No line yet.
    package init() {}

    /// One metric with one value.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: String) {
        begin(name, kind, help)
        text += "\(name) \(value)\n"
    }

    /// One metric with one value.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        add(name, kind, help, "\(value)")
    }

    /// One metric with a value for each value of a label; the labels need no escapes.
    package mutating func add(
        _ name: String, _ kind: Kind, _ help: String, by label: String,
        _ values: [(String, Int)]
    ) {
        begin(name, kind, help)
        for (word, value) in values { text += "\(name){\(label)=\"\(word)\"} \(value)\n" }
    }

    /// A histogram of durations, in seconds.
    package mutating func add(_ name: String, _ help: String, _ durations: DurationCounts) {
        begin(name, .histogram, help)
        append(name, durations, "", "")
    }

    /// A histogram of durations for each value of a label, in seconds; the labels need no escapes.
    package mutating func add(
        _ name: String, _ help: String, by label: String, _ values: [(String, DurationCounts)]
    ) {
        begin(name, .histogram, help)
        for (word, durations) in values {
            append(name, durations, "\(label)=\"\(word)\",", "{\(label)=\"\(word)\"}")
        }
    }

    private mutating func append(
        _ name: String, _ durations: DurationCounts, _ first: String, _ labels: String
    ) {
        var sum = 0
        for (bound, count) in zip(DurationCounts.boundsMicroseconds, durations.counts) {
            sum += count
            text += "\(name)_bucket{\(first)le=\"\(Self.seconds(microseconds: bound))\"} \(sum)\n"
        }
        text += "\(name)_bucket{\(first)le=\"+Inf\"} \(durations.count)\n"
        text += "\(name)_sum\(labels) \(Self.seconds(microseconds: durations.totalMicroseconds))\n"
        text += "\(name)_count\(labels) \(durations.count)\n"
    }

    /// The numbers of this process that Prometheus knows of any program.
    ///
    /// - Parameter startedAt: milliseconds since 1970-01-01 UTC.
    package mutating func addProcess(startedAt: Int64) {
        add(
            "process_start_time_seconds", .gauge, "When the program was started, since 1970.",
            Self.seconds(microseconds: Int(startedAt) * 1000))
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let spent = [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Int($1.tv_sec) * 1_000_000 + Int($1.tv_usec)
        }
        add(
            "process_cpu_seconds_total", .counter, "Time of the processor.",
            Self.seconds(microseconds: spent))
        if let bytes = SystemEnvironment.residentByteCount {
            add("process_resident_memory_bytes", .gauge, "Memory in use.", bytes)
        }
    }

    /// Seconds with six decimals at most.
    package static func seconds(microseconds: Int) -> String {
        let rest = String(microseconds % 1_000_000)
        let digits = String(repeating: "0", count: 6 - rest.count) + rest
        return "\(microseconds / 1_000_000).\(digits)"
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }
}

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
