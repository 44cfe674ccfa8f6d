import Core
import Devices
import JSON
import Storage
import ToDo

/// Tells how things stand.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "tells how things stand: devices, conflicts, trouble"
    static let help = """
          tandem status
          tandem status --short
          tandem status --exit-code

        --short           one line: green, or what is not as it should be
        --exit-code       end with 3 if conflicts await a decision, with 77 if this
                          device is not let in by the others (revoked, a used code)

        Green: no conflict, nothing set aside, no deletes held here or by another device
        that could say so, this device and all others belong to the space, and the
        daemon has all that the relays and devices have which it knows, or met them
        within the last 25 minutes; without a daemon, nothing has changed here since
        then. What a device has that is off, nobody knows.
        """
    static let flags = ["short", "exit-code"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let place = try Workplace.open(arguments)
        let summary = try place.store.summary()
        let counts = try place.todos.counts()
        let daemon = DaemonStatus.ask(in: place.store.paths.folder)
        let held = try HeldOutput.all(place)
        var peers = try MetPeer.all(summary, place)
        // Of a device it is written down when a session ends: until then the daemon tells it.
        if daemon != nil {
            for index in peers.indices where !peers[index].isRelay { peers[index].toSend = nil }
        }
        let troubles = try StatusTroubles(
            summary, peers, conflicted: counts.conflicted, daemon: daemon?.status, held: held, place
        )
        if arguments.has("short") {
            Terminal.line(troubles.isEmpty ? "green" : troubles.words.joined(separator: "; "))
        } else if arguments.has("json") {
            Terminal.line(try json(summary, peers, counts, place, daemon?.text, troubles, held))
        } else {
            write(summary, peers, counts, place)
            for item in held {
                Terminal.line("  \(item.words): held, as nobody has said that it is meant")
                if item.deletes.takenCount > 0 { Terminal.line("    \(item.takenWords)") }
                Terminal.line("    if it is, type here: tandem accept-deletes")
                Terminal.line("    if not, type on \(item.placeWords): tandem undo")
                Terminal.line("    the to-dos as they were: \(item.snapshotWords)")
            }
            if let status = daemon?.status { try write(status, place) }
            for detail in troubles.details {
                Terminal.paragraph(detail, label: "  ", hanging: 4)
            }
            Terminal.paragraph(
                troubles.isEmpty
                    ? "green: " + (daemon == nil ? Self.greenAtLast : "everything is in sync")
                    : "not green: " + troubles.words.joined(separator: "; "), label: "  ",
                hanging: 4)
        }
        guard arguments.has("exit-code") else { return .ok }
        return troubles.isOut ? .refused : counts.conflicted > 0 ? .conflictsAwait : .ok
    }

    /// Without a daemon nobody can tell what happened since.
    private static let greenAtLast =
        "all was in sync when others were last met, and nothing has changed here since"

    private static func json(
        _ summary: StoreSummary, _ met: [MetPeer], _ counts: (pending: Int, conflicted: Int),
        _ place: Workplace, _ daemon: String?, _ troubles: StatusTroubles, _ held: [HeldOutput]
    ) throws -> JSONValue {
        let peers = met.map { peer in
            JSONOutput.object([
                ("replica", JSONOutput.text(peer.replica.uuidText)),
                ("device", JSONOutput.text(peer.name)),
                ("kind", JSONOutput.text(peer.isRelay ? "relay" : "device")),
                ("lastContact", JSONOutput.text(TimestampText.rfc3339(peer.lastContact))),
                ("toSend", peer.isTold ? peer.toSend.map { JSONValue.number($0) } ?? .null : .null),
                ("suspect", .bool(peer.isSuspect)),
                ("revoked", .bool(peer.isRevoked)),
            ])
        }
        return JSONOutput.object([
            ("device", JSONOutput.text(summary.deviceName)),
            ("replica", JSONOutput.text(summary.replica.uuidText)),
            ("space", JSONOutput.text(summary.space.uuidText)),
            ("policy", JSONOutput.text(summary.policy.name)),
            ("store", JSONOutput.text(place.store.paths.folder)),
            ("pending", .number(counts.pending)), ("conflicts", .number(counts.conflicted)),
            ("parked", .number(summary.parkedCount)), ("writes", .number(summary.counter)),
            ("digest", JSONOutput.text(String(summary.digest, radix: 16))),
            ("newIdentity", place.store.doubt.map { JSONOutput.text("\($0)") } ?? .null),
            ("peers", .array(peers)),
            ("held", .array(held.map(\.json))),
            ("heldBy", names(troubles.holders)), ("invitationUsedTwice", names(troubles.lateUsers)),
            ("revoked", .bool(troubles.isRevoked)),
            ("refused", troubles.refusal.map { JSONOutput.text($0.message) } ?? .null),
            (
                "refusedAt",
                troubles.refusal.map { JSONOutput.text(TimestampText.rfc3339($0.time)) } ?? .null
            ),
            ("daemon", daemon.flatMap { JSONValue(compactText: $0) } ?? .null),
            ("green", .bool(troubles.isEmpty)),
            (
                "troubles",
                .array(troubles.words.map { JSONOutput.text($0) })
            ),
        ])
    }

    private static func names(_ devices: [DeviceBook.Device]) -> JSONValue {
        .array(devices.map { JSONOutput.text($0.name) })
    }

    /// What the daemon does.
    private static func write(_ status: DaemonStatus, _ place: Workplace) throws {
        func when(_ time: Int64) -> String {
            DatePhrase.describe(.instant(time), now: place.now, zone: place.zone)
        }
        Terminal.line("  daemon since \(when(status.started))")
        if let end = status.pausedUntil { Terminal.line("    paused until \(when(end))") }
        for contact in status.contacts {
            var words = contact.state
            if contact.state == "connected" {
                words = contact.caughtUp ? "in sync" : "exchanging"
            }
            if let why = contact.why { words += ": \(why.shownInLine)" }
            if let time = contact.lastComplete { words += "; last complete \(when(time))" }
            if let count = try contact.unsentCount(place) {
                words += toSend(count)
                if contact.relay, contact.caughtUp, count == 0 { words += "; all stored by it" }
            }
            Terminal.paragraph(
                "\(contact.place.shownInLine): \(words)", label: "    ", hanging: 6)
        }
    }

    private static func toSend(_ count: Int?) -> String {
        guard let count, count > 0 else { return "" }
        return "; \(Echo.count(count, "change")) to send"
    }

    private static func write(
        _ summary: StoreSummary, _ peers: [MetPeer], _ counts: (pending: Int, conflicted: Int),
        _ place: Workplace
    ) {
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
            Terminal.line("  alone so far; to let another device in: tandem invite")
        }
        for peer in peers {
            let when = DatePhrase.describe(
                .instant(peer.lastContact), now: place.now, zone: place.zone)
            let isShared = peers.count(where: { $0.name == peer.name }) > 1
            let id = isShared ? " (\(peer.replica.uuidText.prefix(8)))" : ""
            Terminal.paragraph(
                "\(peer.name.shownInLine)\(id): last met \(when)"
                    + toSend(peer.isTold ? peer.toSend : nil)
                    + (peer.isSuspect ? "; it holds something back" : "")
                    + (peer.isRevoked ? "; revoked" : ""), label: "  ", hanging: 4)
        }
        Terminal.line(Terminal.faint("  store    \(place.store.paths.folder)"))
        Terminal.line(Terminal.faint("  space    \(summary.space), \(summary.policy.name)"))
        Terminal.line(Terminal.faint("  replica  \(summary.replica)"))
    }
}
