import Core
import Crypto
import Devices
import JSON
import Storage
import Terminal
import ToDo

/// Lists the devices of the space.
enum DevicesCommand: Command {
    static let name = "devices"
    static let summary = "List the devices of your space"
    static let help = """
          tandem devices
          tandem devices --json

        Shows of each device its name, the first digits of its fingerprint, and when
        this device last had direct contact with it.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let place = try CommandContext.open(arguments)
        let member = try place.device.access().member
        let seen = try lastContacts(place)
        let rows = try place.device.directory().devices.map { device in
            let isOwn = device.replicas.contains(place.store.replica)
            return (device, isOwn, device.replicas.compactMap { seen[$0.value] }.max())
        }
        if arguments.has("json") {
            let lines = rows.map { device, isOwn, time in
                JSONOutput.object([
                    ("name", JSONOutput.text(device.name)),
                    (
                        "fingerprint",
                        device.fingerprint.map { JSONOutput.text("\($0)") } ?? .null
                    ),
                    (
                        "replicas",
                        .array(device.replicas.map { JSONOutput.text("\($0)") })
                    ),
                    (
                        "lastSeen",
                        time.map { JSONOutput.text(TimestampText.rfc3339($0)) } ?? .null
                    ),
                    ("revoked", .bool(device.isRevoked)),
                    ("invitationUsedTwice", .bool(device.isLateUser)),
                    ("generation", .number(device.generation)),
                    ("thisOne", .bool(isOwn)),
                ])
            }
            Screen.line(JSONOutput.array(lines))
            return .ok
        }
        let width = min(
            rows.map { Cells.count($0.0.name.shownInLine) }.max() ?? 0,
            max((Screen.width ?? 400) / 2, 16))
        for (device, isOwn, time) in rows {
            let name = Cells.cut(device.name.shownInLine, to: width)
            let when = time.map {
                "last met "
                    + DatePhrase.describe(.instant($0), now: place.now, zone: place.zone)
            }
            let notes: [String?] = [
                isOwn ? "this device" : when, device.isRevoked ? "revoked" : nil,
                device.isLateUser
                    ? "came with a code that was used before: not trusted; revoke it if you do not know it"
                    : nil,
                device.fingerprint == nil ? "not paired" : nil,
                member.flatMap { own in
                    device.generation > 0 && device.generation < own.keyring.generation
                        && !device.isRevoked ? "has not heard of the new secret yet" : nil
                },
            ]
            let short = device.fingerprint?.short ?? "         "
            let style = device.isRevoked ? Screen.faint : { $0 }
            Screen.paragraph(
                notes.compactMap(\.self).joined(separator: "; "),
                label: "\(Cells.padded(name, to: width))  \(short)  ", hanging: width + 13,
                labelStyle: style, style: style)
        }
        try writeAdvice(hasKeys: member != nil, place)
        return .ok
    }

    private static func writeAdvice(hasKeys: Bool, _ place: CommandContext) throws {
        if let advice = try DeviceName.advice(place) {
            Screen.paragraph(advice, hanging: 0, style: Screen.faint)
        }
        if !hasKeys {
            Screen.line(
                Screen.faint(
                    "This device has no keys for pairing yet; tandem invite makes them."))
        }
    }

    private static func lastContacts(_ place: CommandContext) throws -> [UInt128: Int64] {
        var found: [UInt128: Int64] = [:]
        for peer in try place.store.summary().peers { found[peer.replica.value] = peer.lastContact }
        return found
    }
}
