import Core
import Devices
import HTTP
import Storage
import ToDo

/// How things stand, as truthful as `tandem status`: the same answers of the same code.
enum StatusScreen {
    static func show(_ context: PageContext) throws -> HTTPResponse {
        let status = try DeviceStatus(of: context.device, now: context.now)
        let pending = try context.todos.counts().pending
        var content = verdict(status)
        content += problems(status, context)
        content += try holds(status, context)
        if let daemon = status.daemon { content += Self.daemon(daemon, status, context) }
        content += peers(status, context)
        content += .heading("This device")
        let own: [(name: HTML, value: HTML)] = [
            (name: "Name", value: .typed(status.summary.deviceName)),
            (name: "Pending to-dos", value: HTML("\(pending)")),
            (name: "Store", value: HTML(context.device.folder)),
            (name: "Space", value: HTML("\(status.summary.space), \(status.summary.policy.name)")),
            (name: "Replica", value: HTML("\(status.summary.replica)")),
        ]
        content += .pairs(own)
        return try PageLayout.page("Status", screen: "status", content, context)
    }

    private static func verdict(_ status: DeviceStatus) -> HTML {
        let words: HTML
        if !status.isGreen {
            words = "Not all is well."
        } else if status.isAlone {
            words = "Green: no other device or relay is known, so there is nothing to sync."
        } else if status.daemon == nil {
            words =
                "Green: all was in sync when others were last met, and nothing has changed here since."
        } else {
            words = "Green: everything is in sync."
        }
        return .paragraph(words, class: status.isGreen ? "verdict green" : "verdict trouble")
    }

    private static func problems(_ status: DeviceStatus, _ context: PageContext) -> HTML {
        .list(
            status.problems.map { problem in
                HTML(problem.shortWords) + StatusParts.next(problem, context)
            }, class: "problems")
    }

    private static func holds(_ status: DeviceStatus, _ context: PageContext) throws -> HTML {
        if status.holds.isEmpty { return .nothing }
        let parts = status.holds.map { hold in
            HTML.typed(hold.name)
                + HTML(
                    " would delete at least \(hold.deletes.deletedCount) of \(hold.deletes.liveCount) to-dos. "
                        + "That waits until somebody says whether it is meant: "
                ) + context.command(.acceptDeletes) + " or " + context.command(.refuseDeletes)
        }
        return .heading("Held deletes") + .list(parts)
    }

    private static func daemon(
        _ daemon: DaemonStatus, _ status: DeviceStatus, _ context: PageContext
    ) -> HTML {
        var parts: [HTML] = []
        if let end = daemon.pausedUntil { parts.append("paused until " + context.time(end)) }
        for contact in daemon.contacts {
            var words = contact.state.word
            if contact.state == .connected { words = contact.isCaughtUp ? "in sync" : "exchanging" }
            if let why = contact.state.why { words += ": \(why)" }
            var part = HTML("\(contact.shownAddress): \(words)")
            if let time = contact.lastComplete { part += "; last complete " + context.time(time) }
            if let count = status.unsentCounts[contact.address], count > 0 {
                part += HTML("; \(count) to send")
            }
            parts.append(part)
        }
        return .heading("Daemon") + .paragraph("It has run since " + context.time(daemon.started))
            + .list(parts)
    }

    private static func peers(_ status: DeviceStatus, _ context: PageContext) -> HTML {
        let parts = status.peers.map { peer in
            var part = HTML.typed(peer.name) + ": last met " + context.time(peer.lastContact)
            if peer.isCountTold, let count = peer.unsentCount, count > 0 {
                part += HTML("; \(count) to send")
            }
            if peer.isSuspect { part += "; it holds something back" }
            if peer.isRevoked { part += "; revoked" }
            return part
        }
        return .heading("Devices and relays")
            + (parts.isEmpty
                ? .paragraph("Alone so far. " + .link("/devices", "Let another device in"))
                : .list(parts))
    }
}

/// Parts of what is told about sync.
enum StatusParts {
    /// The next step for a problem; nothing where it passes by itself.
    static func next(_ problem: StatusProblem, _ context: PageContext) -> HTML {
        switch problem {
        case .conflicts: ": " + .link("/conflicts", "decide")
        case .unsent: "; they leave with the daemon, or with " + context.command(.sync)
        case .deferred: "; look with " + context.command(.doctor)
        case .noRecentContact: "; start it with " + context.command(.daemon)
        case .paused: "; go on with " + context.command(.resume)
        case .relayLacksSecret, .withheldBy: "; try " + context.command(.sync)
        case .deletesHeld: "; see below"
        case .usedCodeOf, .refusedSpender: ": " + .link("/devices", "devices")
        default: "; more with " + context.command(.status)
        }
    }

    static func why(_ stored: Record, _ context: PageContext) throws -> HTTPResponse {
        let progress = try RecordProgress(of: stored, on: context.device)
        var parts: [HTML] = []
        if let seen = progress.sightings {
            parts.append(seen.isStored ? "stored by a relay" : "not known to be stored by a relay")
            for device in seen.devices {
                let name = HTML.typed(try context.device.name(of: device.replica))
                parts.append(
                    device.hasIt
                        ? "seen by " + name
                        : "not yet seen by " + name + ", as far as it has said")
            }
        }
        for peer in progress.receipts {
            let words = peer.isRelay ? "stored" : "taken"
            parts.append(HTML(peer.hasIt ? words : "not yet \(words)") + " by " + .typed(peer.name))
        }
        let obstacles = progress.obstacles.map { words($0, context) }
        let content: HTML = [
            .paragraph(.link(stored.id.path, .typed(stored.shownTitle))),
            .list(parts),
            obstacles.isEmpty
                ? .paragraph("Nothing holds it up.")
                : .heading("What holds it up") + .list(obstacles),
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
