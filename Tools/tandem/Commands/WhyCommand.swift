import Devices
import JSON
import Terminal
import ToDo

/// Explains why to-dos are not on another device, or not as they are here.
enum WhyCommand: Command {
    static let name = "why"
    static let summary = "Show which devices have a to-do, and what blocks it"
    static let help = """
          tandem why 3
          tandem why 1-3
          tandem why 01890a5d

        Shows which relay stored the to-do, and which devices have it as it is here: a
        device has it if it has said so, or if it wrote it itself. Of a device that made
        the last change it is not always known whether it has all changes before that.
        If no daemon runs, it shows what was known at the last contact.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        for (index, stored) in try context.findAll(arguments.words).enumerated() {
            if index > 0, !arguments.has("json") { Screen.line("") }
            try tell(stored, arguments, context)
        }
        return .ok
    }

    private static func tell(
        _ stored: Record, _ arguments: Arguments, _ context: CommandContext
    ) throws {
        let progress = try RecordProgress(of: stored, on: context.device)
        let reasons = progress.obstacles.map(words)
        if arguments.has("json") {
            return Screen.line(json(stored, progress, reasons))
        }
        Screen.paragraph(stored.shownTitle.shownInLine, hanging: 2, style: Screen.bold)
        func tell(_ words: String) { Screen.paragraph(words, label: "  ", hanging: 4) }
        if let isStored = progress.isStored {
            tell(isStored ? "stored by a relay" : "not known to be stored by a relay")
        }
        for peer in progress.receipts {
            let name = peer.name.shownInLine
            tell(
                peer.isRelay
                    ? "\(peer.hasIt ? "stored" : "not yet stored") by \(name)"
                    : "\(peer.hasIt ? "received" : "not yet received") by \(name)")
        }
        for device in progress.devices {
            let name = device.name.shownInLine
            switch device.reach {
            case .whole: tell("seen by \(name)")
            case .lastChange: tell("last changed by \(name)")
            case .unknown: tell("not yet seen by \(name), as far as it has said")
            }
        }
        for reason in reasons { tell(reason) }
        if reasons.isEmpty { tell("nothing is in its way") }
    }

    private static func words(_ obstacle: RecordProgress.Obstacle) -> String {
        switch obstacle {
        case .hidden(.trashed): return "it is in the trash here: \(AdvisedLine.program) trash"
        case .hidden(.editedAfterPurge):
            return
                "it \(RecordStanding.editedAfterPurge.predicate): \(AdvisedLine.program) conflicts"
        case .hidden(let standing): return "it \(standing.predicate)"
        case .conflict:
            return
                "it is in conflict: every device has all its values: \(AdvisedLine.program) conflicts"
        case .deletesHeld(let hold):
            return
                "\(hold.words), so that nothing more of it is taken here: \(AdvisedLine.program) accept-deletes"
        case .revoked: return "\(StatusWords.revoked); \(StatusWords.revokedAdvice)"
        case .paused: return "the daemon is paused: \(AdvisedLine.program) resume"
        case .noDaemon(let departure):
            return "no daemon runs: it leaves \(StatusWords.departure(departure))"
        case .contact(let contact, let problem):
            if let why = contact.state.why { return "\(contact.shownAddress): \(why)" }
            // Unreadable changes that it sends matter more here than those it withholds.
            if contact.unreadableCount > 0 {
                return "\(contact.shownAddress) has changes that cannot be opened"
            }
            switch problem {
            case .withholds: return "\(contact.shownAddress) did not send all changes"
            case .unreadable, .state:
                return "\(contact.shownAddress): \(contact.state.word), not yet caught up"
            }
        }
    }

    private static func json(
        _ stored: Record, _ progress: RecordProgress, _ reasons: [String]
    ) -> JSONValue {
        let taken = progress.receipts
        let met = taken.filter { !$0.isRelay }.map {
            JSONOutput.object([("device", JSONOutput.text($0.name)), ("seen", .bool($0.hasIt))])
        }
        let devices = progress.devices.map { device in
            var members = [
                ("device", JSONOutput.text(device.name.shownInLine)),
                ("seen", JSONValue.bool(device.reach == .whole)),
            ]
            if device.reach == .lastChange { members.append(("lastChange", .bool(true))) }
            return JSONOutput.object(members)
        }
        let relays = taken.filter(\.isRelay)
        let isStored =
            progress.isStored ?? (relays.isEmpty ? nil : relays.contains(where: \.hasIt))
        return JSONOutput.object([
            ("id", JSONOutput.text(stored.id.uuidText)),
            ("storedByRelay", isStored.map { JSONValue.bool($0) } ?? .null),
            ("devices", .array(met + devices)),
            (
                "reasons",
                .array(reasons.map { JSONOutput.text($0) })
            ),
        ])
    }
}
