import Devices
import HTTP
import ToDo

/// How things stand, as truthful as `tandem status`: the same answers of the same code.
enum StatusScreen {
    static func show(_ context: PageContext) throws -> HTTPResponse {
        if let word = context.request.query("accept") {
            return try HeldDeletesScreen.question(word, context)
        }
        let status = try DeviceStatus(of: context.device, now: context.now)
        let pending = try context.todos.counts().pending
        var content = verdict(status)
        content += problems(status, context)
        content += try HeldDeletesScreen.list(status.holds, context)
        if let daemon = status.daemon { content += Self.daemon(daemon, status, context) }
        content += peers(status, context)
        content += undocumented(status.undocumented)
        content += .heading("This device")
        if let suspicion = status.cloneSuspicion {
            content += .paragraph(HTML("It took a new identity just now: \(suspicion)"))
        }
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
                "Green: all was in sync at the last contact with others, and nothing has changed here since."
        } else {
            words = "Green: everything is in sync."
        }
        return .paragraph(words, class: status.isGreen ? "verdict green" : "verdict trouble")
    }

    private static func problems(_ status: DeviceStatus, _ context: PageContext) -> HTML {
        if status.problems.isEmpty { return .nothing }
        let parts = status.problems.map { problem in
            HTML.element(
                "li", [.set(.dataCode, problem.code)],
                .element("strong", [], HTML(problem.shortWords))
                    + .span("next", StatusParts.next(problem, context)))
        }
        return .element("ul", [.class("problems")], HTML(parts))
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
            if let count = status.unsentCounts[contact.address] {
                if count > 0 { part += HTML("; \(count) to send") }
                if contact.isRelay, contact.isCaughtUp, count == 0 { part += "; all stored by it" }
            }
            parts.append(part)
        }
        return .heading("Daemon") + .paragraph("It has run since " + context.time(daemon.started))
            + .list(parts)
    }

    private static func peers(_ status: DeviceStatus, _ context: PageContext) -> HTML {
        let parts = status.peers.map { peer in
            let isShared = status.peers.count(where: { $0.name == peer.name }) > 1
            var part = HTML.typed(peer.name)
            if isShared { part += HTML(" (\(peer.replica.uuidText.prefix(8)))") }
            part += ": last contact " + context.time(peer.lastContact)
            if peer.isCountTold, let count = peer.unsentCount, count > 0 {
                part += HTML("; \(count) to send")
            }
            if peer.isSuspect { part += "; it did not send all changes" }
            if peer.isRevoked { part += "; revoked" }
            return part
        }
        return .heading("Devices and relays")
            + (parts.isEmpty
                ? .paragraph("Alone so far. " + .link("/devices", "Let another device in"))
                : .list(parts))
    }

    /// Replica ids without a device record, which change nothing by themselves.
    private static func undocumented(_ all: [UndocumentedReplicas]) -> HTML {
        let parts = all.map { found -> HTML in
            switch found.bringer {
            case .device(let name): HTML("\(found.count) first came from ") + .typed(name)
            case .relay(let address): HTML("\(found.count) by way of relay \(address)")
            case .unknown: HTML("\(found.count) from an unknown source")
            }
        }
        return parts.isEmpty
            ? .nothing : .heading("Replica ids without a device record") + .list(parts)
    }
}

/// Deletes on a great scale that are held here: what they would do, and a way to accept or refuse them.
enum HeldDeletesScreen {
    static func list(_ holds: [DeleteHold], _ context: PageContext) throws -> HTML {
        if holds.isEmpty { return .nothing }
        let parts = try holds.map { hold in
            try HTML.element(
                "section", [.class("hold")],
                words(hold, context)
                    + context.form(
                        "/deletes", class: "operations", label: "Held deletes of \(hold.name)",
                        [
                            .hidden("hold", hold.deletes.peer.uuidText),
                            .button(
                                "Keep the to-dos", name: "operation", value: "refuse",
                                class: "main"),
                            .element(
                                "a",
                                [
                                    .href("/status?accept=\(hold.deletes.peer.uuidText)"),
                                    .class("button danger"),
                                ], "Delete them …"),
                        ]))
        }
        return .heading("Held deletes") + HTML(parts)
    }

    private static func words(_ hold: DeleteHold, _ context: PageContext) throws -> HTML {
        let deletes = hold.deletes
        var parts: [HTML] = []
        if !hold.deleters.isEmpty, hold.deleters != [hold.name] {
            parts.append("deleted by " + ToDoRows.joined(hold.deleters.map { .typed($0) }))
        }
        func titles(_ names: [RecordName]) throws -> [HTML] {
            try context.todos.shownTitles(of: names).map { .typed($0) }
        }
        let (titles, before) = (try titles(deletes.examples), try titles(hold.taken))
        if !titles.isEmpty {
            let rest = deletes.deletedCount - titles.count - before.count
            parts.append(
                "among them " + ToDoRows.joined(titles)
                    + (rest > 0 ? HTML(" and \(rest) more") : .nothing))
        }
        if deletes.takenCount > 0 {
            parts.append(
                HTML(
                    "\(deletes.takenCount) "
                        + (hold.isPartlyAccepted
                            ? "were taken as accepted" : "were taken before they were so many"))
                    + (before.isEmpty
                        ? .nothing
                        : ", and a refusal brings them back too: " + ToDoRows.joined(before)))
        }
        parts.append(
            HTML(
                hold.snapshotPath.map { "the to-dos as they were: \($0)" }
                    ?? (deletes.isSnapshotGone
                        ? "the copy of the to-dos as they were was let go of since"
                        : "there was no room for a copy of the to-dos as they were")))
        return .paragraph(
            .typed(hold.name)
                + HTML(
                    " would delete at least \(deletes.deletedCount) of \(deletes.liveCount) to-dos. "
                        + "That waits until you say whether it is meant."))
            + .list(parts)
    }

    /// Asks before deletes are accepted.
    static func question(_ word: String, _ context: PageContext) throws -> HTTPResponse {
        guard let hold = try DeleteHold.find(word, of: context.device).first else {
            context.tellRefused("These deletes are held no more.")
            return context.redirect("/status")
        }
        let content: HTML = [
            try words(hold, context),
            context.form(
                "/deletes", class: "operations",
                [
                    .hidden("hold", hold.deletes.peer.uuidText),
                    .hidden("count", String(hold.deletes.deletedCount)),
                    .button(
                        HTML("Delete \(hold.deletes.deletedCount) to-dos"), name: "operation",
                        value: "accept", class: "danger"),
                ]), .paragraph(.link("/status", "No, leave them held")),
        ]
        return try PageLayout.page("Accept deletes", screen: "accept", content, context)
    }

    static func act(_ context: PageContext) throws -> HTTPResponse {
        let word = try context.field("hold")
        guard let hold = try DeleteHold.find(word, of: context.device).first else {
            context.tellRefused("Nothing was done: these deletes are held no more.")
            return context.redirect("/status")
        }
        switch try context.field("operation") {
        case "refuse":
            try DeleteHold.refuse([hold], on: context.device)
            context.tell("Refused: the to-dos stay, and come back where they were deleted.")
        case "accept":
            guard let seen = Int(try context.field("count")) else {
                throw PageRefusalError(.badForm)
            }
            guard hold.deletes.deletedCount <= seen else {
                context.tellRefused("Nothing was done: they are more by now. Look again.")
                return context.redirect("/status?accept=\(hold.deletes.peer.uuidText)")
            }
            try DeleteHold.accept([hold], on: context.device)
            context.tell("Accepted: the next sync takes them; a daemon begins at once.")
        default: throw PageRefusalError(.badForm)
        }
        return context.redirect("/status")
    }
}
