import Crypto
import Devices
import JSON
import Session
import Storage
import ToDo

/// Takes a device out of the space.
enum RevokeCommand: Command {
    static let name = "revoke"
    static let summary = "takes a device out of the space for good; a new secret follows"
    static let help = """
          tandem revoke phone
          tandem revoke 5f0c-91aa
          tandem revoke --nobody

        DEVICE is a name, or the beginning of a fingerprint (tandem devices). It is
        refused from then on by every device that has heard of it, and by a relay as
        soon as it has the new secret; what it holds it keeps. The others get that
        secret with their next sync, with a device or with the relay.

        So this syncs with the relays that are known: first, as they may know of
        devices that are not known here yet, and then to bring the new secret. What
        cannot be reached is told; tandem sync brings it later.

        --nobody          only change the secret, as after a code was seen by a stranger
        --no-sync         only write it down here; until the next sync relays know
                          nothing of it
        """
    static let flags = ["nobody", "no-sync"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let member = try Space.requireMember(place)
        let book = try DeviceBook(place.store)
        var target: DeviceBook.Device?
        if arguments.has("nobody") {
            try arguments.refuseWords()
            guard member.keyring.secret != nil else {
                throw CommandFailure(.refused, "this space is plain: it has no secret to change")
            }
        } else {
            target = try find(arguments.words.joined(separator: " "), in: book, place)
        }
        if let target {
            try Workplace.confirm(
                "Take \(target.name.shownInLine) (\(target.fingerprint?.short ?? "")) out, for good?",
                arguments)
        }
        let relays = arguments.has("no-sync") ? [] : member.keyring.relays.keys.sorted()
        // Once they have the next secret they drop what they have under this one.
        for relay in relays { _ = meet(relay, member, place) }
        try StatusTroubles.refuseIfRevoked(place)
        #if Encryption
            try member.revoke(target)
        #endif
        let failures = relays.map { (relay: $0, why: meet($0, member, place)) }
        let rest = try DeviceBook(place.store).devices.filter {
            !$0.isRevoked && $0.fingerprint != nil && !$0.replicas.contains(place.store.replica)
        }
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("revoked", JSONOutput.text(target?.name ?? "")),
                    ("generation", .number(member.keyring.generation)),
                    ("remaining", .number(rest.count)),
                    (
                        "relays",
                        .array(
                            failures.filter { $0.why == nil }.map { JSONOutput.text($0.relay) })
                    ),
                ]))
            return .ok
        }
        if let target {
            Terminal.line(
                "\(target.name.shownInLine) is out: it is refused by every device that hears of it")
        }
        if member.keyring.secret != nil {
            Terminal.line(
                "The space has a new secret (generation \(member.keyring.generation)), closed for "
                    + "\(Echo.count(rest.count, "other device"))")
        }
        for (relay, why) in failures {
            let name = "the relay \(relay.prefix { $0 != "#" })"
            if let why {
                Terminal.paragraph("Not yet at \(name): \(why.shownInLine)", label: "", hanging: 2)
            } else {
                Terminal.line("\(name.prefix(1).uppercased() + name.dropFirst()) has it")
            }
        }
        if failures.contains(where: { $0.why != nil }) || arguments.has("no-sync") {
            Terminal.line(
                "Next: tandem sync, as soon as it can be: until then the others do not hear of it")
        } else if relays.isEmpty {
            Terminal.line("Next: the others hear of it when they sync with this device")
        }
        return .ok
    }

    /// Syncs with a relay; gives why it could not be.
    private static func meet(
        _ relay: String, _ member: Membership, _ place: Workplace
    ) -> String? {
        do {
            let sync = PeerSync(place: place, member: member)
            let (end, _) = try sync.run(PeerSync.Peer(parsing: relay))
            if case .failed(let error, _) = end { return "\(error)" }
            return end == .finished ? nil : "the connection broke"
        } catch {
            return CommandFailure(error).message
        }
    }

    private static func find(
        _ word: String, in book: DeviceBook, _ place: Workplace
    ) throws -> DeviceBook.Device {
        guard !word.isEmpty else {
            throw CommandFailure(
                .usage, "say which device: tandem revoke phone (see tandem devices)")
        }
        let found = book.find(word)
        guard let only = found.first else {
            throw CommandFailure(
                .nothing,
                "there is no device '\(word)'; see: tandem devices (who came lately is known after tandem sync)"
            )
        }
        guard found.count == 1 else {
            let lines = found.map {
                "  \($0.name.shownInLine)  \($0.fingerprint?.short ?? "not paired")"
            }
            throw CommandFailure(
                .usage,
                "'\(word)' may be any of these; say the fingerprint:\n"
                    + lines.joined(separator: "\n"))
        }
        if only.replicas.contains(place.store.replica) {
            throw CommandFailure(
                .refused, "that is this device; revoke it from another one that stays in the space")
        }
        guard only.fingerprint != nil else {
            throw CommandFailure(
                .refused,
                """
                \(only.name.shownInLine) was never paired, so no device lets it in over the network; if it \
                comes over ssh, take its key out of ~/.ssh/authorized_keys
                """)
        }
        if only.isRevoked {
            throw CommandFailure(.nothing, "\(only.name.shownInLine) is revoked already")
        }
        return only
    }
}
