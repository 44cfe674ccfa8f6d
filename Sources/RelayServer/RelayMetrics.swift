import Glibc
import Relay
import Transport

/// The relay's pages for monitoring.
extension RelayServer {
    /// The page at a path of the port for metrics.
    func page(_ path: String) -> MonitorServer.Page? {
        switch path {
        case "/health":
            return MonitorServer.Page(
                status: isDraining ? 503 : 200, type: "text/plain; charset=utf-8",
                body: isDraining ? "draining\n" : "ok\n")
        case "/metrics":
            return MonitorServer.Page(
                status: 200, type: "text/plain; version=0.0.4; charset=utf-8", body: metrics())
        default: return nil
        }
    }

    /// The relay's statistics in the text format of Prometheus.
    package func metrics() -> String {
        let found = node.statistics
        var text = MetricsText()
        text.add("tandem_relay_sessions", .gauge, "Conversations now.", found.sessionCount)
        text.add(
            "tandem_relay_sessions_opened_total", .counter, "Conversations begun.",
            found.openedSessionCount)
        text.add(
            "tandem_relay_sessions_welcomed_total", .counter, "Devices let in.",
            found.welcomedCount)
        text.add(
            "tandem_relay_refusals_total", .counter, "Refusals by reason.", by: "reason",
            RelayRefusal.Reason.allCases.map { ($0.rawValue, found.refusals[$0] ?? 0) })
        text.add(
            "tandem_relay_links_refused_total", .counter,
            "Connections dropped before a conversation: handshakes that failed, crowds.",
            refusedLinkCount)
        text.add("tandem_relay_spaces", .gauge, "Spaces kept.", found.spaceCount)
        text.add(
            "tandem_relay_spaces_open", .gauge, "Spaces whose file is open.", found.openSpaceCount)
        text.add(
            "tandem_relay_stored_bytes", .gauge,
            "Bytes kept of spaces opened since the start, as the quota counts them.",
            found.storedByteCount)
        text.add(
            "tandem_relay_stored_versions", .gauge, "Versions of records in these spaces.",
            found.storedVersionCount)
        text.add(
            "tandem_relay_stored_records", .gauge, "Records in these spaces.",
            found.storedRecordCount)
        text.add(
            "tandem_relay_mailboxes", .gauge, "Mailboxes of pairing now.", found.mailboxCount)
        text.add(
            "tandem_relay_held_bytes", .gauge, "Bytes of half-received uploads.",
            found.heldByteCount)
        text.add(
            "tandem_relay_received_bytes_total", .counter, "Bytes received, without TLS.",
            found.receivedByteCount)
        text.add(
            "tandem_relay_sent_bytes_total", .counter, "Bytes sent, without TLS.",
            found.sentByteCount)
        text.add(
            "tandem_relay_received_changes_total", .counter, "Changes received.",
            found.receivedChangeCount)
        text.add(
            "tandem_relay_kept_changes_total", .counter, "Changes kept.", found.keptChangeCount)
        text.add(
            "tandem_relay_sent_changes_total", .counter, "Changes sent, for each device.",
            found.sentChangeCount)
        text.add(
            "tandem_relay_acknowledgements_total", .counter, "Acknowledgements sent.",
            found.acknowledgedCount)
        text.add(
            "tandem_relay_encodings_total", .counter, "Batches encoded, for however many devices.",
            found.encodedCount)
        text.add(
            "tandem_relay_flushes_total", .counter, "Logs flushed to the disk.", found.flushCount)
        text.add("tandem_relay_commit_seconds", "Time of a group commit.", commits)
        addProcess(to: &text)
        return text.text
    }

    private func addProcess(to text: inout MetricsText) {
        text.add(
            "process_start_time_seconds", .gauge, "When the relay was started, since 1970.",
            MetricsText.seconds(microseconds: Int(startedAt) * 1000))
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let spent = [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Int($1.tv_sec) * 1_000_000 + Int($1.tv_usec)
        }
        text.add(
            "process_cpu_seconds_total", .counter, "Time of the processor.",
            MetricsText.seconds(microseconds: spent))
        if let bytes = SystemEnvironment.residentByteCount {
            text.add("process_resident_memory_bytes", .gauge, "Memory in use.", bytes)
        }
    }
}

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
