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
          tandem revoke phone --take-back
          tandem revoke phone --take-back --since 2026-11-20
          tandem revoke --nobody

        DEVICE is a name or the first digits of a fingerprint (tandem devices). The
        removed device keeps the to-dos that it has. Every device that has heard of the
        removal refuses it, and so does a relay that has the new secret. Other devices
        receive the new secret with their next sync.

        The command syncs with all known relays: before, to learn of all devices, and
        after, to bring the new secret. It names those it cannot reach; `tandem sync`
        brings the secret later.

        With --take-back, new edits undo all that the device ever did, on every device:
        to-dos that it deleted come back, those that it created go to the trash, and its
        values become again what they were. Edits of other devices stay. The question
        names the counts. The command can be repeated when more of the removed device's
        changes have come. `tandem undo` undoes it.

        --take-back       undo what the device did
        --since DATE      undo only what it did from that day or time on. Each edit
                          has the time of the device that made it, whenever it came
                          here: whoever had the device can have set its clock back
        --nobody          only change the secret, for example after a code was seen
        --no-sync         do not connect; relays learn of it with the next sync
        """
    static let values = ["since"]
    static let flags = ["nobody", "no-sync", "take-back"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let pairing = context.device.pairing
        var target: DeviceDirectory.Device?
        let takesBack = arguments.has("take-back")
        let since = try arguments["since"].map { text in
            guard takesBack else {
                throw CommandFailure(
                    .usage,
                    "--since goes with --take-back: \(AdvisedLine.program) revoke phone --take-back --since "
                        + text.shownInLine.shellQuoted)
            }
            return try context.moment(text).start(in: context.zone)
        }
        if arguments.has("nobody") {
            try arguments.refuseWords()
            if takesBack {
                throw CommandFailure(
                    .usage,
                    "--take-back needs the device whose changes to undo: "
                        + "\(AdvisedLine.program) revoke phone --take-back")
            }
        } else {
            guard arguments.words.contains(where: { !$0.isEmpty }) else {
                throw CommandFailure(
                    .usage,
                    "say which device: \(AdvisedLine.program) revoke phone (see \(AdvisedLine.program) devices)"
                )
            }
            target = try pairing.revocable(
                arguments.words.joined(separator: " "), takesBack: takesBack)
        }
        if let target {
            try CommandContext.confirm(
                try question(
                    target, takesBack ? pairing.rehearseTakeBack(target, since: since) : nil,
                    since.map { DatePhrase.absolute(.instant($0), zone: context.zone) }),
                arguments)
        }
        let revocation = try pairing.revoke(
            target, takesBack: takesBack, since: since,
            syncsWithRelays: !arguments.has("no-sync"))
        tell(revocation, arguments)
        return .ok
    }

    private static func question(
        _ target: DeviceDirectory.Device, _ takenBack: TakenBack?, _ since: String?
    ) -> String {
        let name = "\(target.name.shownInLine) (\(target.fingerprint?.short ?? ""))"
        let revokes = "Remove \(name) from the space for good?"
        guard let takenBack else { return revokes }
        let counts =
            "would be undone as far as known here\(since.map { ", since \($0)" } ?? ""): "
            + "\(words(takenBack))."
        return target.isRevoked
            ? "Of \(name) \(counts) Undo that?"
            : "Of \(name) \(counts) Undo that, and remove it from the space for good?"
    }

    /// The counts of a take-back.
    private static func words(_ takenBack: TakenBack) -> String {
        if takenBack.isEmpty { return "nothing" }
        var parts: [String] = []
        if takenBack.restoredCount > 0 {
            parts.append("\(EditMessages.count(takenBack.restoredCount)) restored")
        }
        if takenBack.deletedCount > 0 {
            parts.append("\(EditMessages.count(takenBack.deletedCount)) of its own deleted")
        }
        if takenBack.fieldCount > 0 {
            parts.append("\(EditMessages.count(takenBack.fieldCount, "value")) as before")
        }
        return parts.joined(separator: ", ")
    }

    /// The parts that a take-back left as they are, a sentence for each cause.
    private static func leftWords(_ takenBack: TakenBack) -> [String] {
        var lines: [String] = []
        if takenBack.keptCount > 0 {
            lines.append(
                "Left as is: \(takenBack.keptCount) that other devices edited later")
        }
        for loss in TakenBack.Loss.allCases {
            guard let count = takenBack.losses[loss] else { continue }
            let cause =
                switch loss {
                case .purged:
                    "\(EditMessages.count(count)): purged by it. Next: \(AdvisedLine.program) help restore, "
                        + "which reads copies of the store"
                case .notInJournal:
                    "\(EditMessages.count(count, "value")): the history of this device does not have the "
                        + "value before. Next: try it on another device, or \(AdvisedLine.program) help restore"
                case .overLimit: "\(EditMessages.count(count)): too large with the value before"
                }
            lines.append("Not undone: \(cause)")
        }
        return lines
    }

    private static func json(_ takenBack: TakenBack?) -> JSONValue {
        guard let takenBack else { return .null }
        let losses = TakenBack.Loss.allCases.map {
            ($0.rawValue, JSONValue.number(takenBack.losses[$0] ?? 0))
        }
        return JSONOutput.object([
            ("restored", .number(takenBack.restoredCount)),
            ("deleted", .number(takenBack.deletedCount)),
            ("values", .number(takenBack.fieldCount)), ("kept", .number(takenBack.keptCount)),
            ("lost", JSONOutput.object(losses)),
        ])
    }

    private static func tell(_ revocation: DevicePairing.Revocation, _ arguments: Arguments) {
        let count = revocation.remaining.count
        if arguments.has("json") {
            let told = revocation.relays.filter { $0.failure == nil }
            return Screen.line(
                JSONOutput.object([
                    ("revoked", JSONOutput.text(revocation.device?.name ?? "")),
                    ("generation", .number(revocation.generation)), ("remaining", .number(count)),
                    ("sharers", .array(revocation.sharers.map { JSONOutput.text($0.name) })),
                    ("relays", .array(told.map { JSONOutput.text($0.address) })),
                    ("takenBack", json(revocation.takenBack)),
                ]))
        }
        let wasRevoked = revocation.device?.isRevoked == true
        if let target = revocation.device, !wasRevoked {
            Screen.line(
                "\(target.name.shownInLine) is removed: each device that hears of this refuses it")
        }
        if let takenBack = revocation.takenBack {
            Screen.paragraph("Undone: \(words(takenBack))", label: "", hanging: 2)
            for line in leftWords(takenBack) { Screen.paragraph(line, label: "", hanging: 2) }
        }
        if revocation.generation > 0, !wasRevoked {
            Screen.line(
                "The space has a new secret (generation \(revocation.generation)); "
                    + "\(EditMessages.count(count, "other device")) can open it")
        }
        for sharer in revocation.sharers where !wasRevoked {
            Screen.paragraph(
                "\(sharer.name.shownInLine) (\(sharer.fingerprint?.short ?? "")) "
                    + DevicePairing.Revocation.sharerWords,
                label: "", hanging: 2)
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
                "Next: \(AdvisedLine.program) sync, as soon as it can be: until then the others do not hear of it"
            )
            if revocation.takenBack != nil {
                Screen.line(
                    "Changes of it that come only then are undone by the same command once more")
            }
        } else if revocation.relays.isEmpty {
            Screen.line("Next: the others hear of it when they sync with this device")
        }
    }

    /// Why a relay could not be synced with.
    private static func why(_ failure: any Error) -> String {
        switch failure {
        case DeviceFault.lost, DeviceFault.unanswered: "the connection broke"
        case DeviceFault.endedEarly: "it ended the session before everything was exchanged"
        case DeviceFault.failed(let error, _, _, _): error.words
        default: CommandFailure(failure).message
        }
    }
}
