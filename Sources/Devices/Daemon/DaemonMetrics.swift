import Storage
import Transport

/// The daemon's pages for monitoring.
extension Daemon {
    /// Serves `/metrics` and `/health` on a port of this machine, until `end`.
    ///
    /// - Parameter log: told each time the program that serves them has ended by itself.
    /// - Throws: `insecureListen` if other machines could reach it; `noWebProgram`.
    package func serveMetrics(
        at hostAndPort: HostAndPort, log: @escaping (MonitorPort.Fault) -> Void
    ) throws(TransportError) {
        monitor = try MonitorPort(
            on: loop, at: hostAndPort, page: { [unowned self] in page($0) }, log: log)
    }

    private func page(_ path: String) -> MonitorPage? {
        switch path {
        case "/health": .health(isWell: !isStopping, isStopping ? "stopping" : "ok")
        case "/metrics": .metrics(metrics())
        default: nil
        }
    }

    /// The daemon's statistics in the text format of Prometheus.
    package func metrics() -> String {
        let status = status
        var text = MetricsText()
        let states = status.contacts.map(\.state.word)
        text.add(
            "tandem_daemon_contacts", .gauge,
            "Relays and devices it keeps in touch with, by state.",
            by: "state", Self.stateWords.map { word in (word, states.count { $0 == word }) })
        text.add(
            "tandem_daemon_contacts_caught_up", .gauge,
            "Those with which each side had all that the other had.",
            status.contacts.count(where: \.isCaughtUp))
        text.add(
            "tandem_daemon_contacts_well", .gauge, "Those with which nothing is wrong.",
            status.contacts.count(where: \.isWell))
        text.add(
            "tandem_daemon_calls", .gauge, "Sessions with devices that called.", status.callCount)
        text.add(
            "tandem_daemon_paused", .gauge, "Whether it is paused.",
            status.pausedUntil == nil ? 0 : 1)
        let unsent = status.contacts.compactMap { try? $0.unsentCount(in: store) }
        text.add(
            "tandem_daemon_unsent_changes", .gauge,
            "Changes that the relay or device that is furthest behind has not received.",
            unsent.max() ?? 0)
        text.addProcess(startedAt: status.started)
        return text.text
    }

    private static let stateWords = [
        "idle", "dialing", "connected", "waiting", "finished", "failed",
    ]
}
