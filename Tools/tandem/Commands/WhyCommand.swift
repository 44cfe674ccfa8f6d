import Core
import Devices
import FoundationEssentials
import JSON
import Storage
import ToDo

/// Explains why a to-do is not on another device, or not as it is here.
enum WhyCommand: Command {
    static let name = "why"
    static let summary = "explains where a to-do has got to, and why it is not in sync"
    static let help = """
          tandem why 3
          tandem why 01890a5d

        Asks the daemon which relay has stored it and which device has said that it has
        it. Without one: what relays and devices said when they were last met.
        """

    /// The daemon's answer.
    private struct Seen: Decodable {
        struct Device: Decodable {
            let replica: String
            let seen: Bool
        }
        let stored: Bool
        let devices: [Device]
    }

    /// What a relay or device said when it was last met.
    private struct Taken {
        let name: String
        let isRelay: Bool
        let hasIt: Bool
    }

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let word = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say which: a number of the last listing, or an id")
        }
        let place = try Workplace.open(arguments)
        let stored = try place.find(word)
        let folder = place.store.paths.folder
        let daemon = DaemonStatus.ask(in: folder)
        let seen = ControlClient.ask("seen \(stored.id.uuidText)", in: folder).flatMap {
            try? JSONDecoder().decode(Seen.self, from: Data($0.utf8))
        }
        var reasons: [String] = []
        if stored.verdict.isDeleted { reasons.append("it is deleted here: tandem trash") }
        if !stored.record.fieldConflicts.isEmpty || stored.verdict.isContested {
            reasons.append("it is in conflict: every device has all its values: tandem conflicts")
        }
        for held in try HeldOutput.all(place) {
            reasons.append(
                "\(held.words), so that nothing more of it is taken here: tandem accept-deletes")
        }
        let taken = try daemon == nil ? self.taken(stored, place) : []
        if try DeviceBook(place.store)[place.store.replica]?.isRevoked == true {
            reasons.append("\(StatusTroubles.revokedWords); \(StatusTroubles.revokedAdvice)")
        } else if let status = daemon?.status {
            reasons += self.reasons(status)
        } else if !taken.contains(where: \.hasIt) {
            let keyring = try Keyring.read(in: folder)
            reasons.append("no daemon runs: it leaves \(StatusTroubles.leavingWords(keyring))")
        }
        if arguments.has("json") {
            Terminal.line(try json(stored, seen, taken, reasons, place))
            return .ok
        }
        Terminal.line(Terminal.bold(ToDoMapping.item(stored).shownTitle.shownInLine))
        if let seen {
            Terminal.line(
                seen.stored ? "  stored by a relay" : "  not known to be stored by a relay")
            for device in seen.devices {
                let name = try name(device.replica, place)
                Terminal.line(
                    device.seen
                        ? "  seen by \(name)" : "  not yet seen by \(name), as far as it has said")
            }
        }
        for peer in taken {
            let name = peer.name.shownInLine
            Terminal.line(
                peer.isRelay
                    ? "  \(peer.hasIt ? "stored" : "not yet stored") by \(name)"
                    : "  \(peer.hasIt ? "taken" : "not yet taken") by \(name)")
        }
        for reason in reasons { Terminal.line("  \(reason)") }
        if reasons.isEmpty { Terminal.line("  nothing holds it up") }
        return .ok
    }

    /// Who has a record as it is here, of those who ever said how far they have all.
    private static func taken(
        _ stored: StoredRecord, _ place: Workplace
    ) throws -> [Taken] {
        try MetPeer.all(place.store.summary(), place).compactMap { peer in
            guard peer.toSend != nil, peer.isTold else { return nil }
            let through = try place.store.sentThrough(to: peer.replica) ?? 0
            return Taken(
                name: peer.name, isRelay: peer.isRelay, hasIt: stored.sequence <= through)
        }
    }

    private static func reasons(_ status: DaemonStatus) -> [String] {
        if status.pausedUntil != nil { return ["the daemon is paused: tandem resume"] }
        return status.contacts.compactMap { contact in
            if contact.isWell { return nil }
            if let why = contact.why { return "\(contact.place): \(why)" }
            if contact.unreadable > 0 {
                return "\(contact.place) sends what no device of this space has sealed"
            }
            if contact.withheld { return "\(contact.place) holds something back" }
            return "\(contact.place): \(contact.state), not yet caught up"
        }
    }

    private static func name(_ replica: String, _ place: Workplace) throws -> String {
        guard let value = UInt128(replica.filter { $0 != "-" }, radix: 16) else { return replica }
        return try place.todos.deviceName(ReplicaID(value: value)).shownInLine
    }

    private static func json(
        _ stored: StoredRecord, _ seen: Seen?, _ taken: [Taken], _ reasons: [String],
        _ place: Workplace
    ) throws -> JSONValue {
        let said = try (seen?.devices ?? []).map { (try name($0.replica, place), $0.seen) }
        let devices = (said + taken.filter { !$0.isRelay }.map { ($0.name, $0.hasIt) }).map {
            JSONOutput.object([
                ("device", JSONOutput.text($0)), ("seen", .bool($1)),
            ])
        }
        let relays = taken.filter(\.isRelay)
        let isStored = seen?.stored ?? (relays.isEmpty ? nil : relays.contains(where: \.hasIt))
        return JSONOutput.object([
            ("id", JSONOutput.text(stored.id.uuidText)),
            ("storedByRelay", isStored.map { JSONValue.bool($0) } ?? .null),
            ("devices", .array(devices)),
            (
                "reasons",
                .array(reasons.map { JSONOutput.text($0) })
            ),
        ])
    }
}
