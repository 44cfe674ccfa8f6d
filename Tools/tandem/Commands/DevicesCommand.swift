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

        Shows of each device its name, the first digits of its fingerprint, and when
        this device last had direct contact with it.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.open(arguments)
        let member = try context.device.access().member
        let rows = try context.device.spaceDevices(member)
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
                    (
                        "lastSeen",
                        row.lastContact.map { JSONOutput.text(TimestampText.rfc3339($0)) } ?? .null
                    ),
                    ("revoked", .bool(device.isRevoked)),
                    ("invitationUsedTwice", .bool(device.isLateUser)),
                    ("generation", .number(device.generation)),
                    ("thisOne", .bool(row.isOwn)),
                ])
            }
            Screen.line(JSONOutput.array(lines))
            return .ok
        }
        let width = min(
            rows.map { Cells.count($0.device.name.shownInLine) }.max() ?? 0,
            max((Screen.width ?? 400) / 2, 16))
        for row in rows {
            let device = row.device
            let name = Cells.cut(device.name.shownInLine, to: width)
            let when = row.lastContact.map {
                "last met "
                    + DatePhrase.describe(.instant($0), now: context.now, zone: context.zone)
            }
            let notes: [String?] = [
                row.isOwn ? "this device" : when, device.isRevoked ? "revoked" : nil,
                device.isLateUser
                    ? "came with a code that was used before: not trusted; revoke it if you do not know it"
                    : nil,
                device.fingerprint == nil ? "not paired" : nil,
                row.lacksSecret ? "has not heard of the new secret yet" : nil,
            ]
            let short = device.fingerprint?.short ?? "         "
            let style = device.isRevoked ? Screen.faint : { $0 }
            Screen.paragraph(
                notes.compactMap(\.self).joined(separator: "; "),
                label: "\(Cells.padded(name, to: width))  \(short)  ", hanging: width + 13,
                labelStyle: style, style: style)
        }
        try writeAdvice(hasKeys: member != nil, context)
        return .ok
    }

    private static func writeAdvice(hasKeys: Bool, _ context: CommandContext) throws {
        if let advice = try DeviceName.advice(context) {
            Screen.paragraph(advice, hanging: 0, style: Screen.faint)
        }
        if !hasKeys {
            Screen.line(
                Screen.faint(
                    "This device has no keys for pairing yet; tandem invite makes them."))
        }
    }
}
