import Devices
import JSON
import Terminal
import ToDo

/// The problems of a status, in words.
struct StatusWords {
    let context: CommandContext

    /// The message that this device was removed from the space.
    static let revoked = PeerError.revoked.message
    /// The consequence of the removal, and the way back.
    static let revokedAdvice =
        "no device exchanges anything with it any more. "
        + PeerError.revoked.nextStep().prefix(1).uppercased()
        + PeerError.revoked.nextStep().dropFirst()

    /// In a few words, for one line.
    func short(_ problem: StatusProblem) -> String {
        problem.shortWords
    }

    /// In a sentence, with what to do; nil for what the rest of the status tells.
    func long(_ problem: StatusProblem) -> String? {
        switch problem {
        case .revoked: "\(Self.revoked); \(Self.revokedAdvice)"
        case .usedCode:
            short(problem)
                + "; so the other devices refuse it. Have a new code made (tandem invite) and join "
                + "with that"
        case .refused(let note):
            "\(short(problem)); refused by \(who(note)), \(when(note)); \(note.nextStep.shownInLine)"
        case .relayLacksSecret(let relay):
            "relay \(relay) was not reached since the space's secret was changed: it may still let in whoever was "
                + "taken out: \(AdvisedLine.program) sync"
        case .unsent(_, let departure):
            departure.map {
                "\(short(problem)), and no daemon runs: it leaves \(Self.departure($0))"
            }
        case .usedCodeOf(let device):
            "\(device.name.shownInLine) came with a code that was used before, so the other devices refuse it; if it is "
                + "yours, have a new code made (tandem invite) and join with that; if you do "
                + "not know it: \(AdvisedLine.program) revoke \(device.name.shownInLine)"
        case .deletesHeldBy(let device):
            "\(device.name.shownInLine) holds at least \(EditMessages.count(device.heldDeleteCount, "delete")) until "
                + "you confirm them. If they are meant, type on \(device.name.shownInLine): "
                + "tandem accept-deletes; if not, type there: tandem refuse-deletes, or on the device where "
                + "they were made: tandem undo"
        case .withheldBy(let peer) where peer.unopenedCount > 0:
            "\(short(problem)): they were damaged on the way there or at the relay. Sync the other devices with it, and "
                + "then this one: whoever holds the changes uploads them again. If it stays, more is damaged than a record's "
                + "content: have the relay's owner stop it and remove the file of this space, which your devices make anew"
        case .withheldBy(let peer):
            "\(peer.name.shownInLine) has stated changes that did not come, or could not be opened: \(AdvisedLine.program) sync; "
                + (peer.isRelay
                    ? "if it stays, tell whoever runs the relay, or sync with the other devices another way"
                    : "if it stays, run there: tandem doctor")
        case .missing(let entry): entry.words
        case .keysElsewhere(let name):
            CommandFailure(DeviceFault.keysElsewhere(on: name)).message
        case .firstExchangeDue(let way): "\(short(problem)): \(Self.firstExchange(way))"
        case .refusedSpender(let spender):
            "\(short(problem)) until \(DatePhrase.describe(.instant(spender.end), now: context.now, zone: context.zone)): "
                + "by its word this device took a new replica id \(spender.changeCount) times within a day. Nothing is "
                + "lost. If this store was set back or copied so often: \(AdvisedLine.program) devices --admit "
                + "\(spender.name.shownInLine); if not, do not trust that device: \(AdvisedLine.program) revoke "
                + spender.name.shownInLine
        case .distantSecret(let secret):
            "\(short(problem)): it has generation \(secret.generation), and the latest known "
                + "here is \(secret.known). Nothing is lost"
                + (secret.isRevocable
                    ? "; no device does that by itself, so if you do not trust that one: \(AdvisedLine.program) revoke "
                        + secret.name.shownInLine
                    : "")
        case .refusalUnsent:
            "\(short(problem)): the to-dos stay here, and come back on the devices that deleted them with the next "
                + "\(AdvisedLine.program) sync"
        case .notBroughtBack:
            "\(short(problem)) after refuse-deletes: each is damaged or over a limit. They are in the snapshot that was "
                + "taken before: \(AdvisedLine.program) restore --from latest"
        case .conflicts, .deferred, .noRecentContact, .paused, .contact, .deletesHeld: nil
        }
    }

    /// The commands that end the first exchange with a space.
    private static func firstExchange(_ way: StatusProblem.FirstExchange) -> String {
        switch way {
        case .withKnown: "\(AdvisedLine.program) sync"
        case .withAddress: "\(AdvisedLine.program) sync ADDRESS"
        case .withCode:
            "type tandem invite on another device, and here tandem join; of a space without keys: tandem sync ADDRESS"
        }
    }

    private func who(_ note: RefusalNote) -> String {
        let address = note.address ?? "a device that called here"
        return String(address.prefix { $0 != "#" }).shownInLine
    }

    private func when(_ note: RefusalNote) -> String {
        DatePhrase.describe(.instant(note.time), now: context.now, zone: context.zone)
    }

    /// When what has changed here leaves without a daemon.
    static func departure(_ departure: StatusProblem.Departure) -> String {
        switch departure {
        case .onContact:
            "when another device syncs with this one, or by \(AdvisedLine.program) sync ADDRESS"
        case .onSync: "at the next `\(AdvisedLine.program) sync`"
        }
    }
}

extension MissingEntry {
    /// In a sentence, with what to do.
    var words: String {
        let (speaker, author) = (speaker.shownInLine, author.shownInLine)
        return isAlone
            ? "\(shortWords): the relay lacks or withholds them, or \(speaker) is wrong. On \(speaker) and on \(author): "
                + "tandem sync; then here: tandem sync. If it stays, and \(author) made no such changes, take "
                + "\(speaker) out: \(AdvisedLine.program) revoke \(speaker)"
            : "\(shortWords): the relay lacks or withholds them. On \(speaker): tandem sync, which uploads them again; "
                + "then here: tandem sync. If it stays, sync with \(speaker) another way"
    }
}

extension UndocumentedReplicas {
    /// All of them in a sentence; nil if there are none.
    static func words(_ all: [UndocumentedReplicas]) -> String? {
        let total = all.reduce(0) { $0 + $1.count }
        if total == 0 { return nil }
        let parts = all.map { found in
            switch found.bringer {
            case .device(let name): "\(found.count) first came from \(name.shownInLine)"
            case .relay(let address): "\(found.count) by way of relay \(address.shownInLine)"
            case .unknown: "\(found.count) from an unknown source"
            }
        }
        return "\(EditMessages.count(total, "replica id")) without a device record: "
            + parts.joined(separator: ", ")
    }

    /// For programs.
    var json: JSONValue {
        let (kind, name): (String, String?) =
            switch bringer {
            case .device(let name): ("device", name)
            case .relay(let address): ("relay", address)
            case .unknown: ("unknown", nil)
            }
        return JSONOutput.object([
            ("count", .number(count)), ("kind", JSONOutput.text(kind)),
            ("from", name.map { JSONOutput.text($0) } ?? .null),
        ])
    }
}

extension DaemonStatus {
    /// For programs.
    var json: JSONValue {
        JSONOutput.object([
            ("started", .number(started)), ("pid", .number(process)),
            ("pausedUntil", pausedUntil.map { JSONValue.number($0) } ?? .null),
            ("sequence", .number(sequence)), ("calls", .number(callCount)),
            ("contacts", .array(contacts.map(\.json))),
            ("page", page.map(\.json) ?? .null),
            ("caldav", gateway.map(\.json) ?? .null),
        ])
    }
}

extension DaemonStatus.Page {
    /// The page that is about to be served, or that its port is taken; nil if its program is not there, which is told
    /// elsewhere.
    var servedWords: String? {
        switch state {
        case .noProgram: nil
        case .portTaken: portTaken("the page is", option: "web")
        default: "serving the page at \(address) (\(AdvisedLine.program) web --open)"
        }
    }

    /// The calendars that are about to be served, or that their port is taken; nil if their program is not there.
    var servedGatewayWords: String? {
        switch state {
        case .noProgram: nil
        case .portTaken: portTaken("calendars are", option: "caldav")
        default: "serving calendars at \(address) (\(AdvisedLine.program) caldav --clients)"
        }
    }

    private func portTaken(_ subject: String, option: String) -> String {
        "\(subject) not served: port \(port) is taken by another program, perhaps the daemon of another store. "
            + "Choose another port: \(AdvisedLine.program) daemon --\(option) PORT"
    }

    /// The page and its state, in words.
    var words: String {
        switch state {
        case .starting: "page: \(address) starts"
        case .serving: "page: \(address) (\(AdvisedLine.program) web --open)"
        case .portTaken:
            "page: not served, port \(port) is taken by another program; it is tried again. Another port: tandem config web.port"
        case .servedElsewhere:
            "page: served by another process (tandem web), not by the daemon"
        case .failing: "page: its program ends again and again; the daemon's log says how"
        case .noProgram: "page: not served: \(WebProgram.missing)"
        }
    }

    /// The gateway for calendars and its state, in words.
    var gatewayWords: String {
        switch state {
        case .starting: "calendars: \(address) starts"
        case .serving: "calendars: \(address) (\(AdvisedLine.program) caldav --clients)"
        case .portTaken:
            "calendars: not served, port \(port) is taken by another program; it is tried again. Another port: tandem config caldav.port"
        case .servedElsewhere:
            "calendars: served by another process (tandem caldav), not by the daemon"
        case .failing: "calendars: their program ends again and again; the daemon's log says how"
        case .noProgram: "calendars: not served: \(WebProgram.missing)"
        }
    }

    /// For programs.
    fileprivate var json: JSONValue {
        let word =
            switch state {
            case .starting: "starting"
            case .serving: "serving"
            case .portTaken: "port-taken"
            case .servedElsewhere: "served-elsewhere"
            case .failing: "failing"
            case .noProgram: "no-program"
            }
        return JSONOutput.object([
            ("address", JSONOutput.text(address)), ("state", JSONOutput.text(word)),
        ])
    }
}

extension DaemonStatus.Contact {
    fileprivate var json: JSONValue {
        var members = [
            ("address", JSONOutput.text(address)), ("relay", .bool(isRelay)),
            ("caughtUp", .bool(isCaughtUp)), ("sent", .number(sentCount)),
            ("received", .number(receivedCount)), ("withheld", .bool(isWithheld)),
            ("unreadable", .number(unreadableCount)),
            ("lastComplete", lastComplete.map { JSONValue.number($0) } ?? .null),
        ]
        if let storedThrough { members.append(("stored", .number(storedThrough))) }
        if let replica { members.append(("replica", JSONOutput.text(replica.uuidText))) }
        members.append(("state", JSONOutput.text(state.word)))
        members.append(("why", state.why.map(JSONOutput.text) ?? .null))
        if let cause = state.cause {
            members.append(("code", JSONOutput.text(cause.code)))
            if let number = cause.number { members.append(("number", .number(number))) }
            if let reason = cause.reason { members.append(("reason", .number(reason))) }
        }
        return JSONOutput.object(members)
    }
}

/// The texts about deletes that are held here.
extension DeleteHold {
    /// Where the to-dos are as they were before.
    var snapshotWords: String {
        snapshotPath
            ?? (deletes.isSnapshotGone
                ? "the copy was let go of since" : "there was no room for a copy")
    }

    /// The number of deletes applied so far, in words.
    var takenWords: String {
        let taken = deletes.takenCount
        if taken == 0 { return "nothing of that was taken" }
        // So many pass only after somebody has said that they may.
        return "\(taken) \(taken == 1 ? "was" : "were") taken "
            + (isPartlyAccepted ? "as accepted" : "before they were so many")
            + "; the rest waits until you confirm it"
    }

    /// The deletes that would be applied, in words.
    var words: String {
        "\(name.shownInLine) would delete at least \(deletes.deletedCount) of "
            + EditMessages.count(max(deletes.liveCount, deletes.deletedCount))
    }

    /// The device that deleted, and some of the to-dos, in words; nil if there is nothing to add.
    func detailWords(_ todos: ToDoStore) throws -> String? {
        let titles = try todos.shownTitles(of: deletes.examples)
        let rest = deletes.deletedCount - titles.count - taken.count
        var parts: [String] = []
        if !deleters.isEmpty, deleters != [name] {
            parts.append("deleted by \(deleters.map(\.shownInLine).joined(separator: ", "))")
        }
        if !titles.isEmpty {
            parts.append(
                "among them " + titles.map { "'\($0)'" }.joined(separator: ", ")
                    + (rest > 0 ? " and \(rest) more" : ""))
        }
        let before = try todos.shownTitles(of: taken)
        if !before.isEmpty {
            let shown = before.prefix(Self.takenTitleCountMax)
            parts.append(
                "deleted here already, and back with a refusal: "
                    + shown.map { "'\($0)'" }.joined(separator: ", ")
                    + (before.count > shown.count ? " and \(before.count - shown.count) more" : ""))
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The most titles of to-dos that are named as deleted already.
    private static let takenTitleCountMax = 10

    /// The arguments by which a command names these deletes.
    var argument: String { name.shownInLine.shellQuoted }

    /// The same for programs.
    func json(_ todos: ToDoStore) throws -> JSONValue {
        JSONOutput.object([
            ("replica", JSONOutput.text(deletes.peer.uuidText)), ("device", JSONOutput.text(name)),
            ("deletes", .number(deletes.deletedCount)), ("of", .number(deletes.liveCount)),
            ("taken", .number(deletes.takenCount)),
            ("since", JSONOutput.text(TimestampText.rfc3339(deletes.since))),
            ("snapshot", snapshotPath.map(JSONOutput.text) ?? .null),
            ("by", .array(deleters.map(JSONOutput.text))),
            ("titles", .array(try todos.shownTitles(of: deletes.examples).map(JSONOutput.text))),
            ("takenTitles", .array(try todos.shownTitles(of: taken).map(JSONOutput.text))),
        ])
    }
}
