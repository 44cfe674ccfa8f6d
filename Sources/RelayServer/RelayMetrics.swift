import Relay
import Transport

/// The relay's pages for monitoring.
extension RelayServer {
    /// The page at a path of the port for metrics.
    func page(_ path: String) -> MonitorPage? {
        switch path {
        case "/live": .health(isWell: true, "ok")
        case "/health", "/ready": .health(isWell: readiness == .ready, readiness.rawValue)
        case "/metrics": .metrics(metrics())
        default: nil
        }
    }

    /// Whether devices are to be sent to this process, as its page for monitoring says it.
    enum Readiness: String {
        case ready = "ok"
        /// It ends.
        case draining
        /// The database that it shares with other processes does not answer.
        case databaseAway = "database-away"
    }

    /// Whether devices are to be sent to this process.
    var readiness: Readiness {
        if isDraining { return .draining }
        return sharing?.isAway == true ? .databaseAway : .ready
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
            "tandem_relay_spaces_open", .gauge,
            "Spaces whose file is open; those in use on a database.", found.openSpaceCount)
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
        text.add(
            "tandem_relay_commit_seconds", "Time of a group commit.",
            stages[.commit] ?? DurationCounts())
        addOwn(to: &text)
        text.addProcess(startedAt: startedAt)
        return text.text
    }

    /// The statistics of this process, apart from those of its engine.
    private func addOwn(to text: inout MetricsText) {
        text.add(
            "tandem_relay_stage_seconds",
            "Time of a stage; push and notice: until what came is handed to the connections.",
            by: "stage",
            RelayStage.allCases.map { ($0.rawValue, stages[$0] ?? DurationCounts()) })
        text.add(
            "tandem_relay_ready", .gauge, "Whether devices are to be sent here.",
            readiness == .ready ? 1 : 0)
        text.add(
            "tandem_relay_spaces_expired_total", .counter,
            "Spaces deleted, as no device had visited them for long.", expiredCount)
    }
}
