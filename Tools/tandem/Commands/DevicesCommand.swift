import Devices
import JSON
import Terminal
import ToDo

/// Lists the devices of the space.
enum DevicesCommand: Command {
    static let name = "devices"
    static let summary = "List the devices of your space"
    static let help = """
          tandem devices
          tandem devices --json
          tandem devices --log
          tandem devices --forget example.org:7718
          tandem devices --admit phone

        Shows of each device its name, the first digits of its fingerprint, and when it
        was last seen: when it synced last, with this device or through a relay, or when
        it wrote last, if that was later. "Or later" stands where that is known alone:
        a device that only reads, through a relay, says no time.

        --log    show joins, revocations and refusals, the latest first: those that the
                 records of the space tell, and the last 100 devices let in and the last
                 100 refused here, which are noted on this device alone
        --forget ADDRESS
                 sync no more with a relay or a device at this address; of a relay the
                 beginning of its id will do (tandem status). Devices stay in the space
                 (tandem revoke takes one out), and other devices are not told. With the
                 name of a device that was never paired: take it from the list, on every
                 device; if it still syncs, no to-do is lost, and it is shown by its id
        --admit  end the refusal of a device by whose word this one took a new replica
                 id twice within a day (tandem status); it ends by itself after a day
        """
    static let flags = ["log", "admit"]
    static let values = ["forget"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        if arguments.has("admit") { return try admit(arguments) }
        try arguments.refuseWords()
        let context = try CommandContext.open(
            arguments, onlyReads: arguments["forget"] == nil)
        if arguments.has("log") { return try writeLog(context, arguments) }
        if let word = arguments["forget"] { return try forget(word, context) }
        let keyring = try context.device.keyring()
        let rows = try context.device.spaceDevices(keyring)
        if arguments.has("json") {
            let lines = rows.map { row in
                let device = row.device
                return JSONOutput.object([
                    ("name", JSONOutput.text(device.name)),
                    (
                        "fingerprint",
                        device.fingerprint.map { JSONOutput.text("\($0)") } ?? .null
                    ),
                    (
                        "replicas",
                        .array(device.replicas.map { JSONOutput.text("\($0)") })
                    ),
                    ("lastSeen", json(row.lastSeen?.sighting)),
                    ("lastSynced", json(row.lastSync)),
                    ("lastSyncedOrLater", .bool(row.lastSync?.isExact == false)),
                    ("lastWrote", json(row.lastWrite)),
                    ("lastWroteOrLater", .bool(row.lastWrite?.isExact == false)),
                    ("revoked", .bool(device.isRevoked)),
                    ("invitationUsedTwice", .bool(device.isLateUser)),
                    ("generation", .number(device.generation)),
                    ("thisOne", .bool(row.isOwn)),
                    ("admittedNotSeen", .bool(device.isUnseen)),
                ])
            }
            Screen.line(JSONOutput.array(lines))
            return .ok
        }
        write(rows, context)
        try writeAdvice(hasKeys: keyring != nil, context)
        return .ok
    }

    /// Writes a paragraph for each device.
    private static func write(_ rows: [SpaceDeviceStatus], _ context: CommandContext) {
        let width = min(
            rows.map { Cells.count($0.device.name.shownInLine) }.max() ?? 0,
            max((Screen.width ?? 400) / 2, 16))
        // On a narrow screen the notes stand below, further out.
        let hanging = min(width + 13, max((Screen.width ?? 400) / 2, 16))
        for row in rows {
            let device = row.device
            let name = Cells.cut(device.name.shownInLine, to: width)
            let when = row.lastSeen.map { seen in
                let time = DatePhrase.describe(
                    .instant(seen.sighting.time), now: context.now, zone: context.zone)
                return (seen.isWrite ? "wrote last " : "synced last ") + time
                    + (seen.sighting.isExact ? "" : " or later")
            }
            let notes = [row.isOwn ? "this device" : when].compactMap(\.self) + row.remarks
            let short = device.fingerprint?.short ?? "         "
            let style: (ShownText) -> ShownText = { device.isRevoked ? Screen.faint($0) : $0 }
            Screen.paragraph(
                notes.joined(separator: "; "),
                label: "\(Cells.padded(name, to: width))  \(short)  ", hanging: hanging,
                labelStyle: style, style: style)
        }
    }

    private static func json(_ sighting: SpaceDeviceStatus.Sighting?) -> JSONValue {
        sighting.map { JSONOutput.text(TimestampText.rfc3339($0.time)) } ?? .null
    }

    private static func admit(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let name = arguments.words.joined(separator: " ")
        if name.isEmpty {
            throw CommandFailure(
                .usage, "say which device: \(AdvisedLine.program) devices --admit phone")
        }
        let found = try context.device.refusedSpenders().filter { $0.name == name }
        if found.isEmpty {
            throw CommandFailure(
                .nothing,
                "no device '\(name.shownInLine)' is refused here; see: \(AdvisedLine.program) status"
            )
        }
        for spender in found { try context.device.admit(spender) }
        Screen.line("\(name.shownInLine) is admitted again")
        return .ok
    }

    private static func forget(_ word: String, _ context: CommandContext) throws -> ExitCode {
        for address in try context.device.access().forget(word) {
            Screen.line("Forgotten: \(address.shownInLine)")
        }
        return .ok
    }

    private static func writeAdvice(hasKeys: Bool, _ context: CommandContext) throws {
        if let advice = try DeviceName.advice(context) {
            Screen.paragraph(advice, hanging: 0, style: Screen.faint)
        }
        if !hasKeys {
            Screen.paragraph(
                "This device has no keys for pairing yet; they come by tandem join, on the first by tandem invite.",
                hanging: 0, style: Screen.faint)
        }
    }

    // MARK: The log

    private static func writeLog(
        _ context: CommandContext, _ arguments: Arguments
    ) throws -> ExitCode {
        let events = try context.device.deviceEvents()
        if arguments.has("json") {
            Screen.line(JSONOutput.array(events.map(json)))
            return .ok
        }
        if events.isEmpty { Screen.line("No device joined, was revoked or was refused.") }
        for event in events {
            let time = DatePhrase.absolute(.instant(event.time), zone: context.zone)
            Screen.paragraph(words(event), label: "\(time)  ", hanging: 4)
        }
        return .ok
    }

    private static func words(_ event: DeviceEvent) -> String {
        let key = event.fingerprint.map { "(\($0.short))" }
        let device = [event.device?.shownInLine, key].compactMap(\.self).joined(separator: " ")
        let who = device.isEmpty ? "an unknown device" : device
        let at = event.address.map { " at \($0)" } ?? ""
        let why = event.reason.map { ": \(RefusalWords.words($0))" } ?? ""
        let often = event.count > 1 ? ", \(event.count) times" : ""
        return switch event.kind {
        case .joined: "\(who) joined"
        case .revoked: "\(who) was revoked by \(event.author?.shownInLine ?? "this device")"
        case .admitted: "\(who) was let in with a code\(at)"
        case .refused: "\(who) was refused\(at)\(why)\(often)"
        case .refusedHere: "this device was refused\(at)\(why)"
        }
    }

    private static func json(_ event: DeviceEvent) -> JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { JSONOutput.text($0) } ?? .null }
        return JSONOutput.object([
            ("event", JSONOutput.text(event.kind.rawValue)),
            ("time", JSONOutput.text(TimestampText.rfc3339(event.time))),
            ("count", .number(event.count)),
            ("device", text(event.device)),
            ("fingerprint", text(event.fingerprint.map { "\($0)" })),
            ("by", text(event.author)),
            ("address", text(event.address)),
            ("reason", text(event.reason.map { "\($0)" })),
        ])
    }
}

/// The causes of refusals in a few words.
enum RefusalWords {
    /// The cause in words; a cause without words of its own is shown by its code.
    static func words(_ reason: PeerError.Reason) -> String {
        switch reason {
        case .notTrusted: "not trusted"
        case .revoked: "revoked"
        case .codeUsed: "its code was used by another device"
        case .noMailbox: "nobody waited with its code"
        case .notAdmitted: "it was not admitted"
        case .codeEnded: "its code had ended"
        case .wrongProof: "it does not know the secret"
        case .oldGeneration: "it knows only an older secret"
        case .putOut: "put out by the relay's operator"
        case .closedSpace: "never there before the relay's operator put a device out"
        case .spendsReplicaIDs: "by its word too many new replica ids were taken"
        default: "\(reason)"
        }
    }
}
