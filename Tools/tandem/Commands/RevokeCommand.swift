import Pairing
import Security
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
        refused from then on by every device that has heard of it; what it holds it
        keeps. A relay refuses it once a device has brought the new secret there, so
        sync at once; the others get that secret with their next sync, with a
        device or with the relay.

        --nobody          only change the secret, as after a code was seen by a stranger
        """
    static let flags = ["nobody"]

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
        #if Encryption
            try member.revoke(target)
        #endif
        let rest = try DeviceBook(place.store).devices.filter {
            !$0.isRevoked && $0.fingerprint != nil && !$0.replicas.contains(place.store.replica)
        }
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("revoked", JSONOutput.text(target?.name ?? "")),
                    ("generation", String(member.keyring.generation)),
                    ("remaining", String(rest.count)),
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
        Terminal.line(
            "Next: tandem sync, at once: it brings the new secret to the relay, where the others find it"
        )
        return .ok
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
            throw CommandFailure(.nothing, "there is no device '\(word)'; see: tandem devices")
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
