import Core
import Devices
import JSON
import Session
import Storage
import ToDo
import Transport

/// Exchanges what this device and another missed of each other.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "exchanges what this device and another missed"
    static let help = """
          tandem sync
          tandem sync ssh://desk
          tandem sync ssh://me@desk:2222/home/me/todos
          tandem sync localhost:7717
          tandem sync localhost --live
          tandem sync desk:7717
          tandem sync desk:7717#5f0c-…
          tandem sync relay://example.org:7718#5f0c-…

        Without an address: through every relay and with every device that pairing has
        made known.
        The other device must serve (`tandem serve`), or have tandem for ssh to start.
        Other machines are spoken to over TLS: with the device of that fingerprint, or
        else with any that is trusted here.

        Deletes of more than half of the to-dos, and more than 20, are taken after a
        question, or with --accept-deletes; a snapshot is made first. If more turn out
        to come than were told, it asks again.

        --live            stay, and carry changes both ways as they are made
        --accept-deletes  take them without a question
        --insecure        allow plain TCP to another machine
        --exit-code       end with 3 if conflicts await a decision
        """
    static let flags = ["live", "insecure", "exit-code", "accept-deletes"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.words.count < 2 else {
            throw CommandFailure(.usage, "say one address, or none for all that are known")
        }
        let named = try arguments.words.first.map { try PeerSync.Peer(parsing: $0) }
        let place = try Workplace.open(arguments)
        // A device without a daemon runs when it syncs.
        _ = try place.store.purgeOldTrash()
        let member = try Space.member(place)
        let sync = PeerSync(
            place: place, member: member, isLive: arguments.has("live"),
            allowInsecure: arguments.has("insecure"))
        if let named {
            return try perform(sync, named, name: arguments.words[0], arguments, place)
        }
        let known =
            (member.map { Array($0.keyring.relays.keys) } ?? []).sorted()
            + (member?.keyring.peers.sorted() ?? [])
        guard !known.isEmpty else {
            throw CommandFailure(
                .usage,
                "no relay and no device is known yet; let one in (tandem invite), join one (tandem "
                    + "join), or say with whom: tandem sync ssh://desk")
        }
        if arguments.has("live"), known.count > 1 {
            throw CommandFailure(
                .usage, "say with which to stay in touch: \(known.joined(separator: ", "))")
        }
        return try performAll(sync, known, arguments, place)
    }

    /// Syncs with each; what one of them cannot does not keep the others from it.
    private static func performAll(
        _ sync: PeerSync, _ known: [String], _ arguments: Arguments, _ place: Workplace
    ) throws -> ExitCode {
        var failures: [CommandFailure] = []
        var code = ExitCode.ok
        for address in known {
            do {
                let peer = try PeerSync.Peer(parsing: address)
                code = try perform(sync, peer, name: address, arguments, place)
            } catch {
                failures.append(CommandFailure(error))
            }
        }
        if failures.count == known.count { throw failures[0] }
        for failure in failures { Terminal.error("tandem: \(failure.message)\n") }
        return code
    }

    private static func perform(
        _ sync: PeerSync, _ peer: PeerSync.Peer, name: String, _ arguments: Arguments,
        _ place: Workplace
    ) throws -> ExitCode {
        let wasHeld = try DeviceBook(place.store).devices.contains { $0.heldDeleteCount > 0 }
        var (end, report) = try sync.run(peer)
        // A word holds for what was shown: if more turn out to come, it is asked for again.
        for _ in 0..<questionCountMax {
            guard report.held != nil, let held = report.peer else { break }
            do {
                try accept(held, arguments, place)
            } catch {
                // The others hear that it waits.
                _ = try? sync.run(peer)
                throw error
            }
            (end, report) = try sync.run(peer)
        }
        if case .failed(let error, .theirs) = end, error.known == .deletesHeld {
            // What the other side has written of it just now, the status tells from now on.
            _ = try? sync.run(peer)
        }
        // A relay knows of secrets alone, and its advice leads nowhere then.
        if case .failed = end { try StatusTroubles.refuseIfRevoked(place) }
        let device = try report.peer.flatMap { try place.store.deviceName(of: $0) }
        try PeerSync.check(end, with: name, name: device)
        // Who has taken them in this session, or need not any more, has written so at its end.
        if wasHeld, !sync.isLive { _ = try? sync.run(peer) }
        return try tell(report, peer, name, arguments, place)
    }

    /// How often a sync asks about deletes: each time at least a quarter more of them.
    private static let questionCountMax = 50

    /// Asks whether deletes are meant that are held.
    private static func accept(
        _ peer: ReplicaID, _ arguments: Arguments, _ place: Workplace
    ) throws {
        guard let held = try HeldOutput.all(place).first(where: { $0.deletes.peer == peer })
        else { return }
        let other = held.placeWords
        Terminal.error("tandem: \(held.words); as they are now: \(held.snapshotWords)\n")
        if !arguments.has("accept-deletes"), !arguments.has("yes") {
            guard Terminal.canAsk, !arguments.has("no-input") else {
                throw CommandFailure(
                    .refused,
                    "\(held.takenWords), and what was changed here has left; if it is meant, type here: "
                        + "tandem accept-deletes (or sync with --accept-deletes); if not, type on "
                        + "\(other): tandem undo")
            }
            guard Terminal.confirm("Take these deletes?") else {
                throw CommandFailure(.refused, held.takenWords)
            }
        }
        try place.store.acceptDeletes(of: peer)
    }

    private static func tell(
        _ report: SessionReport, _ partner: PeerSync.Peer, _ address: String,
        _ arguments: Arguments, _ place: Workplace
    ) throws -> ExitCode {
        var peer = try report.peer.flatMap { try place.store.deviceName(of: $0) } ?? address
        if case .relay(let relay) = partner { peer = "the relay at \(relay.place)" }
        let conflicted = try place.todos.counts().conflicted
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("peer", JSONOutput.text(report.peer?.uuidText ?? "")),
                    ("device", JSONOutput.text(peer)), ("received", .number(report.receivedCount)),
                    ("sent", .number(report.sentCount)), ("changed", .number(report.changedCount)),
                    ("parked", .number(report.parkedCount)), ("conflicts", .number(conflicted)),
                    ("withheld", .bool(report.isWithheld)),
                    ("repaired", .bool(report.isRepaired)),
                    ("unreadable", .number(report.unreadableCount)),
                ]))
        } else {
            Terminal.line(
                "In sync with \(peer): \(report.receivedCount) received, \(report.sentCount) sent")
            if report.parkedCount > 0 {
                Terminal.line("  \(report.parkedCount) set aside as unreadable: tandem doctor")
            }
            if report.isWithheld {
                Terminal.line(
                    "  \(peer) says it has writes that it does not send: tandem doctor there")
            }
            if report.unreadableCount > 0 {
                Terminal.line(
                    "  \(report.unreadableCount) could not be opened: changed on the way, or sealed "
                        + "with another secret; they are asked for again")
            }
            if report.isRepaired { Terminal.line("  contents differed and were repaired") }
            if conflicted > 0 {
                Terminal.line("  \(conflicted) in conflict: tandem conflicts")
            }
        }
        return arguments.has("exit-code") && conflicted > 0 ? .conflictsAwait : .ok
    }
}
