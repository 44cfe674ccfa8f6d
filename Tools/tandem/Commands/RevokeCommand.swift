import Devices
import JSON
import Terminal
import ToDo

/// Takes a device out of the space.
enum RevokeCommand: Command {
    static let name = "revoke"
    static let summary = "Remove a device for good and change the space's secret"
    static let help = """
          tandem revoke phone
          tandem revoke 5f0c-91aa
          tandem revoke --nobody

        DEVICE is a name or the first digits of a fingerprint (tandem devices). The
        removed device keeps the to-dos that it has. Every device that has heard of the
        removal refuses it, and so does a relay that has the new secret. Other devices
        receive the new secret with their next sync.

        The command syncs with all known relays: before, to learn of all devices, and
        after, to bring the new secret. It names those it cannot reach; `tandem sync`
        brings the secret later.

        --nobody          only change the secret, for example after a code was seen
        --no-sync         do not connect; relays learn of it with the next sync
        """
    static let flags = ["nobody", "no-sync"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let pairing = context.device.pairing
        var target: DeviceDirectory.Device?
        if arguments.has("nobody") {
            try arguments.refuseWords()
        } else {
            guard arguments.words.contains(where: { !$0.isEmpty }) else {
                throw CommandFailure(
                    .usage, "say which device: tandem revoke phone (see tandem devices)")
            }
            target = try pairing.revocable(arguments.words.joined(separator: " "))
        }
        if let target {
            try CommandContext.confirm(
                "Take \(target.name.shownInLine) (\(target.fingerprint?.short ?? "")) out, for good?",
                arguments)
        }
        let revocation = try pairing.revoke(
            target, syncsWithRelays: !arguments.has("no-sync"))
        tell(revocation, arguments)
        return .ok
    }

    private static func tell(_ revocation: DevicePairing.Revocation, _ arguments: Arguments) {
        let count = revocation.remaining.count
        if arguments.has("json") {
            let told = revocation.relays.filter { $0.failure == nil }
            return Screen.line(
                JSONOutput.object([
                    ("revoked", JSONOutput.text(revocation.device?.name ?? "")),
                    ("generation", .number(revocation.generation)), ("remaining", .number(count)),
                    ("relays", .array(told.map { JSONOutput.text($0.address) })),
                ]))
        }
        if let target = revocation.device {
            Screen.line(
                "\(target.name.shownInLine) is out: it is refused by every device that hears of it")
        }
        if revocation.generation > 0 {
            Screen.line(
                "The space has a new secret (generation \(revocation.generation)); "
                    + "\(EditMessages.count(count, "other device")) can open it")
        }
        for (relay, failure) in revocation.relays {
            let name = "the relay \(relay.prefix { $0 != "#" })"
            if let failure {
                Screen.paragraph(
                    "Not yet at \(name): \(why(failure).shownInLine)", label: "", hanging: 2)
            } else {
                Screen.line("\(name.prefix(1).uppercased() + name.dropFirst()) has it")
            }
        }
        if revocation.relays.contains(where: { $0.failure != nil }) || arguments.has("no-sync") {
            Screen.line(
                "Next: tandem sync, as soon as it can be: until then the others do not hear of it")
        } else if revocation.relays.isEmpty {
            Screen.line("Next: the others hear of it when they sync with this device")
        }
    }

    /// Why a relay could not be synced with.
    private static func why(_ failure: any Error) -> String {
        switch failure {
        case DeviceFault.lost: "the connection broke"
        case DeviceFault.endedEarly: "it ended the session before everything was exchanged"
        case DeviceFault.failed(let error, _, _, _): error.words
        default: CommandFailure(failure).message
        }
    }
}
