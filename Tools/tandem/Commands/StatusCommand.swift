import Causality
import Records
import Storage
import ToDo

/// Tells how things stand.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "tells how things stand: devices, conflicts, trouble"
    static let help = """
          tandem status
          tandem status --exit-code

        --exit-code       end with 3 if conflicts await a decision
        """
    static let flags = ["exit-code"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let place = try Workplace.open(arguments)
        let summary = try place.store.summary()
        let counts = try place.todos.counts()
        if arguments.has("json") {
            Terminal.line(try json(summary, counts, place))
        } else {
            try write(summary, counts, place)
        }
        return arguments.has("exit-code") && counts.conflicted > 0 ? .conflictsAwait : .ok
    }

    private static func json(
        _ summary: StoreSummary, _ counts: (pending: Int, conflicted: Int), _ place: Workplace
    ) throws -> String {
        let peers = try MetPeer.all(summary, place).map { peer in
            JSONOutput.object([
                ("replica", JSONOutput.text(peer.replica.uuidText)),
                ("device", JSONOutput.text(peer.name)),
                ("kind", JSONOutput.text(peer.isRelay ? "relay" : "device")),
                ("lastContact", JSONOutput.text(TimestampText.rfc3339(peer.lastContact))),
                ("suspect", peer.isSuspect ? "true" : "false"),
                ("revoked", peer.isRevoked ? "true" : "false"),
            ])
        }
        return JSONOutput.object([
            ("device", JSONOutput.text(summary.deviceName)),
            ("replica", JSONOutput.text(summary.replica.uuidText)),
            ("space", JSONOutput.text(summary.space.uuidText)),
            ("policy", JSONOutput.text(summary.policy.name)),
            ("store", JSONOutput.text(place.store.paths.folder)),
            ("pending", String(counts.pending)), ("conflicts", String(counts.conflicted)),
            ("parked", String(summary.parkedCount)), ("writes", String(summary.counter)),
            ("digest", JSONOutput.text(String(summary.digest, radix: 16))),
            ("newIdentity", place.store.doubt.map { JSONOutput.text("\($0)") } ?? "null"),
            ("peers", "[" + peers.joined(separator: ",") + "]"),
        ])
    }

    private static func write(
        _ summary: StoreSummary, _ counts: (pending: Int, conflicted: Int), _ place: Workplace
    ) throws {
        Terminal.line(
            "\(Terminal.bold(summary.deviceName.shownInLine)): \(Echo.count(counts.pending)) pending"
        )
        if counts.conflicted > 0 {
            Terminal.line("  \(counts.conflicted) in conflict: tandem conflicts")
        }
        if summary.parkedCount > 0 {
            Terminal.line(
                "  \(Echo.count(summary.parkedCount, "change")) set aside as unreadable: tandem doctor"
            )
        }
        if let doubt = place.store.doubt {
            Terminal.line("  took a new identity just now: \(doubt)")
        }
        if summary.peers.isEmpty {
            Terminal.line("  not synced with any device yet: tandem sync ADDRESS")
        }
        let peers = try MetPeer.all(summary, place)
        for peer in peers {
            let when = DatePhrase.describe(
                .instant(peer.lastContact), now: place.now, zone: place.zone)
            let isShared = peers.count(where: { $0.name == peer.name }) > 1
            let id = isShared ? " (\(peer.replica.uuidText.prefix(8)))" : ""
            Terminal.line(
                "  \(peer.name.shownInLine)\(id): last met \(when)"
                    + (peer.isSuspect ? "; it holds something back" : "")
                    + (peer.isRevoked ? "; revoked" : ""))
        }
        Terminal.line(Terminal.faint("  store    \(place.store.paths.folder)"))
        Terminal.line(Terminal.faint("  space    \(summary.space), \(summary.policy.name)"))
        Terminal.line(Terminal.faint("  replica  \(summary.replica)"))
    }
}
