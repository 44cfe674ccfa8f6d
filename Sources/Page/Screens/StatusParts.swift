import Devices
import HTTP
import ToDo

/// Parts of what is told about sync.
enum StatusParts {
    /// The rest of the sentence about a problem: what it means, and the next step.
    static func next(_ problem: StatusProblem, _ context: PageContext) -> HTML {
        switch problem {
        case .conflicts: ": " + .link("/conflicts", "decide")
        case .deletesHeld: "; see below"
        case .unsent(_, let departure): unsent(departure, context)
        case .deferred: " as unreadable; look with " + context.command(.doctor)
        case .noRecentContact: "; start it with " + context.command(.daemon)
        case .paused(let end):
            " until " + context.time(end) + "; go on with " + context.command(.resume)
        case .withheldBy(let peer) where peer.unopenedCount > 0:
            ": they were damaged on the way there or at the relay. Whoever holds them uploads them again: on the other "
                + "devices, then here: " + context.command(.sync)
        case .withheldBy(let peer):
            ": it has stated changes that did not come, or could not be opened; try "
                + context.command(.sync)
                + HTML(
                    peer.isRelay
                        ? ". If it stays, tell whoever runs the relay, or sync another way"
                        : ". If it stays, check the store there")
        case .missing(let entry):
            ": the relay lacks or withholds them"
                + HTML(entry.isAlone ? ", or \(entry.speaker) is wrong" : "")
                + ". On that device, then here: " + context.command(.sync)
        case .relayLacksSecret:
            ": it may still let in a device that was removed; try " + context.command(.sync)
        case .contact(let contact, _): HTML(contact.state.why.map { ": \($0)" } ?? "")
        default: exclusion(problem, context)
        }
    }

    private static func unsent(
        _ departure: StatusProblem.Departure?, _ context: PageContext
    ) -> HTML {
        switch departure {
        case nil: .nothing
        case .onContact:
            ", and no daemon runs: they leave when another device syncs with this one, or with "
                + context.command(.sync)
        case .onSync: ", and no daemon runs: they leave with the next " + context.command(.sync)
        }
    }

    /// The rest about problems of trust, and of deletes elsewhere.
    private static func exclusion(_ problem: StatusProblem, _ context: PageContext) -> HTML {
        switch problem {
        case .revoked:
            ": no device exchanges anything with it any more. To come back, have another device make a code ("
                + context.command(.invite) + ") and join with it"
        case .usedCode:
            ", so the other devices refuse it. Have a new code made ("
                + context.command(.invite) + ") and join with that"
        case .refused(let note):
            "; refused by "
                + HTML(
                    note.address.map { String($0.prefix { $0 != "#" }) }
                        ?? "a device that called here")
                + ", " + context.time(note.time)
                + HTML(note.advice.isEmpty ? "" : "; \(note.advice)")
        case .usedCodeOf(let device):
            ", so the other devices refuse it. If it is yours, have a new code made and join with that; if not, "
                + revocation(device.fingerprint, "remove it")
        case .deletesHeldBy(let device):
            HTML(": at least \(device.heldDeleteCount), until they are confirmed there: ")
                + context.command(.acceptDeletes) + " or " + context.command(.refuseDeletes)
                + ". To take them back, " + .link("/undo", "undo them")
                + " on the device where they were made"
        case .keysElsewhere(let name):
            "; " + .typed(name) + " has them. Have it make a code (" + context.command(.invite)
                + ") and join with it"
        case .firstExchangeDue(.withCode):
            ": have another device make a code (" + context.command(.invite) + ") and join with it"
        case .firstExchangeDue: ": get it with " + context.command(.sync)
        case .refusedSpender(let spender):
            HTML(
                ": by its word this device took a new replica id \(spender.changeCount) times within a day. It is let in again "
            ) + context.time(spender.end) + ". " + .link("/devices", "Devices")
        case .distantSecret(let secret):
            HTML(
                ": it has generation \(secret.generation), and the latest known here is \(secret.known). Nothing is lost; no device does that by itself, so if you do not trust that one, "
            ) + revocation(secret.device?.fingerprint, "remove it")
        case .refusalUnsent:
            ": the to-dos stay here, and come back on the devices that deleted them with the next "
                + context.command(.sync)
        case .notBroughtBack:
            " after deletes were refused: each is damaged or over a limit. They are in the snapshot that was taken before"
        default: .nothing
        }
    }

    private static func revocation(_ fingerprint: Fingerprint?, _ text: HTML) -> HTML {
        guard let fingerprint else { return .link("/devices", text) }
        return .link("/devices?revoke=\(PercentCoding.encoded("\(fingerprint)"))", text)
    }

    static func why(_ stored: Record, _ context: PageContext) throws -> HTTPResponse {
        let progress = try RecordProgress(of: stored, on: context.device)
        var parts: [HTML] = []
        if let isStored = progress.isStored {
            parts.append(isStored ? "stored by a relay" : "not known to be stored by a relay")
        }
        for peer in progress.receipts {
            let words = peer.isRelay ? "stored" : "received"
            parts.append(HTML(peer.hasIt ? words : "not yet \(words)") + " by " + .typed(peer.name))
        }
        for device in progress.devices {
            let name = HTML.typed(device.name)
            switch device.reach {
            case .whole: parts.append("seen by " + name)
            case .lastChange: parts.append("last changed by " + name)
            case .unknown:
                parts.append("not yet seen by " + name + ", as far as it has said")
            }
        }
        let obstacles = progress.obstacles.map { words($0, context) }
        let content: HTML = [
            .paragraph(.link(stored.id.path, .typed(stored.shownTitle))),
            .list(parts),
            obstacles.isEmpty
                ? .paragraph("Nothing is in its way.")
                : .heading("What is in its way") + .list(obstacles),
        ]
        return try PageLayout.page("Where it is", screen: "why", content, context)
    }

    private static func words(
        _ obstacle: RecordProgress.Obstacle, _ context: PageContext
    ) -> HTML {
        switch obstacle {
        case .hidden(let standing): HTML("it \(standing.predicate)")
        case .conflict:
            "it is in conflict, and every device has all its values: "
                + .link("/conflicts", "decide")
        case .deletesHeld(let hold):
            "deletes of " + .typed(hold.name)
                + " are held here, so that nothing more of it is taken: "
                + .link("/status", "status")
        case .revoked: HTML(PeerError.revoked.message)
        case .paused: "the daemon is paused"
        case .noDaemon(.onContact):
            "no daemon runs: it leaves when another device syncs with this one"
        case .noDaemon(.onSync): "no daemon runs: it leaves with the next " + context.command(.sync)
        case .contact(let contact, let problem):
            HTML(StatusProblem.contact(contact, problem).shortWords)
                + HTML(contact.state.why.map { ": \($0)" } ?? "")
        }
    }
}
