import Devices
import JSON
import Terminal
import ToDo

/// Tells how things stand.
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "Show devices, conflicts and problems"
    static let help = """
          tandem status
          tandem status --short
          tandem status --exit-code

        --short           one line: green, or the problems
        --exit-code       exit with 3 if conflicts are unresolved, with 77 if other
                          devices refuse this one (it was revoked, its code was used)

        Green means all of:
          - no conflicts, no deferred changes, no held deletes (here or elsewhere)
          - no device, this one included, is outside of the space
          - no device or relay has stated changes that it did not send
          - since it joined, all that another device or a relay has came here once
          - the daemon has all changes that known relays and devices offer, or reached
            them in the last 25 minutes; without a daemon: all changes of this device
            have been sent
        Changes on a device that is offline are not counted. A store without other
        devices and relays has nothing to sync, and is green as well.

        Replica ids that have no device record are listed with the device or relay that
        first brought them, and change nothing else: the record of a new device may
        still be on its way, and a repair makes such ids too.
        """
    static let flags = ["short", "exit-code"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.openToRead(arguments)
        let status = try DeviceStatus(of: context.device, now: context.now)
        let pending = try context.todos.counts().pending
        let words = StatusWords(context: context)
        let troubles = status.problems.map(words.short)
        if arguments.has("short") {
            Screen.line(status.isGreen ? "green" : troubles.joined(separator: "; "))
        } else if arguments.has("json") {
            Screen.line(try json(status, pending, troubles, context))
        } else {
            write(status, pending, context)
            for hold in status.holds {
                tell("\(hold.words): held, as nobody has said that it is meant")
                if let detail = try hold.detailWords(context.todos) { tell(detail, 4) }
                if hold.deletes.takenCount > 0 { tell(hold.takenWords, 4) }
                tell(
                    "if it is, type here: \(AdvisedLine.program) accept-deletes \(hold.argument)", 4
                )
                tell("if not, type here: \(AdvisedLine.program) refuse-deletes \(hold.argument)", 4)
                tell("the to-dos as they were: \(hold.snapshotWords)", 4)
            }
            if let words = UndocumentedReplicas.words(status.undocumented) {
                Screen.paragraph(words, label: "  ", hanging: 4)
            }
            if let daemon = status.daemon { write(daemon, status.unsentCounts, context) }
            for detail in status.problems.compactMap(words.long) {
                Screen.paragraph(detail, label: "  ", hanging: 4)
            }
            Screen.paragraph(
                status.isGreen
                    ? "green: \(Self.green(status))"
                    : "not green: " + troubles.joined(separator: "; "), label: "  ", hanging: 4)
        }
        guard arguments.has("exit-code") else { return .ok }
        return status.isExcluded ? .refused : status.conflictCount > 0 ? .conflictsAwait : .ok
    }

    /// The meaning of green.
    private static func green(_ status: DeviceStatus) -> String {
        if status.isAlone {
            return "no other device or relay is known, so there is nothing to sync"
        }
        // Without a daemon nobody can tell what happened since.
        return status.daemon == nil
            ? "all was in sync at the last contact with others, and nothing has changed here since"
            : "everything is in sync"
    }

    private static func json(
        _ status: DeviceStatus, _ pending: Int, _ troubles: [String], _ context: CommandContext
    ) throws -> JSONValue {
        let summary = status.summary
        let peers = status.peers.map { peer in
            JSONOutput.object([
                ("replica", JSONOutput.text(peer.replica.uuidText)),
                ("device", JSONOutput.text(peer.name)),
                ("kind", JSONOutput.text(peer.isRelay ? "relay" : "device")),
                ("lastContact", JSONOutput.text(TimestampText.rfc3339(peer.lastContact))),
                (
                    "toSend",
                    peer.isCountTold
                        ? peer.unsentCount.map { JSONValue.number($0) } ?? .null : .null
                ),
                ("suspect", .bool(peer.isSuspect)),
                ("revoked", .bool(peer.isRevoked)),
            ])
        }
        return JSONOutput.object([
            ("device", JSONOutput.text(summary.deviceName)),
            ("replica", JSONOutput.text(summary.replica.uuidText)),
            ("space", JSONOutput.text(summary.space.uuidText)),
            ("policy", JSONOutput.text(summary.policy.name)),
            ("store", JSONOutput.text(context.device.folder)),
            ("pending", .number(pending)), ("conflicts", .number(status.conflictCount)),
            ("deferred", .number(summary.deferredCount)), ("writes", .number(summary.counter)),
            ("digest", JSONOutput.text(String(summary.digest, radix: 16))),
            ("newIdentity", status.cloneSuspicion.map { JSONOutput.text("\($0)") } ?? .null),
            ("peers", .array(peers)),
            ("idsWithoutDevice", .array(status.undocumented.map(\.json))),
            ("held", .array(try status.holds.map { try $0.json(context.todos) })),
            ("heldBy", names(status.holders)),
            ("invitationUsedTwice", names(status.lateUsers)),
            ("revoked", .bool(status.isRevoked)),
            (
                "refusesForIDs",
                .array(status.refusedSpenders.map { JSONOutput.text($0.name) })
            ),
            (
                "leaveDistantSecrets",
                .array(status.distantSecrets.map { JSONOutput.text($0.name) })
            ),
            ("refused", status.refusal.map { JSONOutput.text($0.message) } ?? .null),
            (
                "refusedAt",
                status.refusal.map { JSONOutput.text(TimestampText.rfc3339($0.time)) } ?? .null
            ),
            ("daemon", status.daemon?.json ?? .null), ("green", .bool(status.isGreen)),
            (
                "troubles",
                .array(troubles.map { JSONOutput.text($0) })
            ),
            ("codes", .array(status.problems.map { JSONOutput.text($0.code) })),
        ])
    }

    private static func names(_ devices: [DeviceDirectory.Device]) -> JSONValue {
        .array(devices.map { JSONOutput.text($0.name) })
    }

    /// Writes the daemon's status.
    private static func write(
        _ status: DaemonStatus, _ unsentCounts: [String: Int], _ context: CommandContext
    ) {
        func when(_ time: Int64) -> String {
            DatePhrase.describe(.instant(time), now: context.now, zone: context.zone)
        }
        tell("daemon since \(when(status.started))")
        if let end = status.pausedUntil { tell("paused until \(when(end))", 4) }
        for contact in status.contacts {
            var words = contact.state.word
            if contact.state == .connected {
                words = contact.isCaughtUp ? "in sync" : "exchanging"
            }
            if let why = contact.state.why { words += ": \(why.shownInLine)" }
            if let time = contact.lastComplete { words += "; last complete \(when(time))" }
            if let count = unsentCounts[contact.address] {
                words += toSend(count)
                if contact.isRelay, contact.isCaughtUp, count == 0 { words += "; all stored by it" }
            }
            Screen.paragraph(
                "\(contact.shownAddress.shownInLine): \(words)", label: "    ", hanging: 6)
        }
        if let gateway = status.gateway {
            Screen.paragraph(gateway.gatewayWords, label: "    ", hanging: 6)
        }
        if let page = status.page {
            Screen.paragraph(page.words, label: "    ", hanging: 6)
        }
    }

    /// Adds a line below another one.
    private static func tell(_ words: String, _ indentation: Int = 2) {
        Screen.paragraph(
            words, label: String(repeating: " ", count: indentation), hanging: indentation + 2)
    }

    private static func toSend(_ count: Int?) -> String {
        guard let count, count > 0 else { return "" }
        return "; \(EditMessages.count(count, "change")) to send"
    }

    private static func write(
        _ status: DeviceStatus, _ pending: Int, _ context: CommandContext
    ) {
        let (summary, peers) = (status.summary, status.peers)
        Screen.paragraph(
            "\(EditMessages.count(pending)) pending", label: "\(summary.deviceName.shownInLine): ",
            hanging: 2, labelStyle: Screen.bold)
        if status.conflictCount > 0 {
            tell("\(status.conflictCount) in conflict: \(AdvisedLine.program) conflicts")
        }
        if summary.deferredCount > 0 {
            let changes = EditMessages.count(summary.deferredCount, "change")
            tell(
                "\(changes) deferred, as this version cannot read them: \(AdvisedLine.program) doctor"
            )
        }
        if let hint = status.cloneSuspicion { tell("took a new identity just now: \(hint)") }
        if summary.peers.isEmpty, !status.awaitsOthers {
            tell("alone so far; to let another device in: \(AdvisedLine.program) invite")
        }
        for peer in peers {
            let when = DatePhrase.describe(
                .instant(peer.lastContact), now: context.now, zone: context.zone)
            let isShared = peers.count(where: { $0.name == peer.name }) > 1
            let id = isShared ? " (\(peer.replica.uuidText.prefix(8)))" : ""
            Screen.paragraph(
                "\(peer.name.shownInLine)\(id): last contact \(when)"
                    + toSend(peer.isCountTold ? peer.unsentCount : nil)
                    + (peer.isSuspect ? "; it did not send all changes" : "")
                    + (peer.isRevoked ? "; revoked" : ""), label: "  ", hanging: 4)
        }
        for (name, value) in [
            ("store", context.device.folder),
            ("space", "\(summary.space), \(summary.policy.name)"),
            ("replica", "\(summary.replica)"),
        ] {
            Screen.paragraph(
                value, label: "  " + Cells.padded(name, to: 9), hanging: 4,
                labelStyle: Screen.faint, style: Screen.faint)
        }
    }
}
