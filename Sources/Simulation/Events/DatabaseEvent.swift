import Relay
import Session

/// A fault of relays that share a database, or of the database; each case is one line of the language, given with it.
package enum DatabaseEvent: Hashable, Sendable {
    /// `harbor pauses`: its process stands still.
    case pause(relay: String)
    /// `harbor goes on`.
    case goOn(relay: String)
    /// `the database commits for harbor after 2 seconds`: so long each transaction stays open; milliseconds.
    case delayCommits(relay: String, milliseconds: Int64)
    /// `the database answers harbor after 2 seconds`: so long after the commit; milliseconds.
    case delayAnswers(relay: String, milliseconds: Int64)
    /// `the database serves harbor at once`.
    case serveAtOnce(relay: String)
    /// `harbor crashes after its next commit`: nobody hears of that.
    case crashAfterCommit(relay: String)
    /// `harbor misses the next notice of depot`.
    case missNotice(relay: String, other: String)
    /// `harbor misses the notices of depot`.
    case missNotices(relay: String, other: String)
    /// `harbor hears the notices of depot again`.
    case hearNotices(relay: String, other: String)
    /// `the standby behind harbor lags`: what is committed from now on it does not have.
    case keepStandbyBack(relay: String)
    /// `the standby behind harbor catches up`.
    case catchUp(relay: String)
    /// `the standby behind harbor is promoted`: all goes on from what it has.
    case promote(relay: String)
    /// `the database of harbor has room for 3 records`, `… has room again`; nil for any number.
    case limitRecords(relay: String, count: Int?)
}

extension EventKind {
    // Drawn by the worlds that have databases, from streams of their own.
    static let pause = EventKind("pause", fault: .database)
    static let goOn = EventKind("goOn", fault: .database)
    static let slowDatabase = EventKind("slowDatabase", fault: .database)
    static let crashAfterCommit = EventKind("crashAfterCommit", fault: .database)
    static let missNotices = EventKind("missNotices", fault: .database)
    static let lagStandby = EventKind("lagStandby", fault: .database)
    static let promote = EventKind("promote", fault: .database)
    static let limitRecords = EventKind("limitRecords", fault: .database)
}

extension DatabaseEvent: EventFamily {
    static let kinds: [EventKind] = [
        .pause, .goOn, .slowDatabase, .crashAfterCommit, .missNotices, .lagStandby, .promote,
        .limitRecords,
    ]

    var kind: EventKind {
        switch self {
        case .pause: .pause
        case .goOn: .goOn
        case .delayCommits, .delayAnswers, .serveAtOnce: .slowDatabase
        case .crashAfterCommit: .crashAfterCommit
        case .missNotice, .missNotices, .hearNotices: .missNotices
        case .keepStandbyBack, .catchUp: .lagStandby
        case .promote: .promote
        case .limitRecords: .limitRecords
        }
    }

    var event: ScenarioEvent { .database(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form(
            "RELAY pauses", "Its process stands still; what comes for it waits.", "harbor pauses"
        ) { .pause(relay: $0.name()) },
        form("RELAY goes on", "It takes up what waited for it.", "harbor goes on") {
            .goOn(relay: $0.name())
        },
        form(
            "the database commits for RELAY after SPAN",
            "Its transactions stay open so long; others wait for what they have locked.",
            "the database commits for harbor after 2 seconds"
        ) { .delayCommits(relay: $0.name(), milliseconds: $0.number()) },
        form(
            "the database answers RELAY after SPAN",
            "So long after a commit, which others see by then.",
            "the database answers harbor after 2 seconds"
        ) { .delayAnswers(relay: $0.name(), milliseconds: $0.number()) },
        form(
            "the database serves RELAY at once", "As it is without these two.",
            "the database serves harbor at once"
        ) { .serveAtOnce(relay: $0.name()) },
        form(
            "RELAY crashes after its next commit",
            "What it has committed stays, and nobody is told.",
            "harbor crashes after its next commit"
        ) { .crashAfterCommit(relay: $0.name()) },
        form(
            "RELAY misses the next notice of RELAY",
            "It finds what came when it looks, each second.",
            "harbor misses the next notice of depot"
        ) { .missNotice(relay: $0.name(), other: $0.name()) },
        form(
            "RELAY misses the notices of RELAY", "All of them, from now on.",
            "harbor misses the notices of depot"
        ) { .missNotices(relay: $0.name(), other: $0.name()) },
        form(
            "RELAY hears the notices of RELAY again", "None is lost any more.",
            "harbor hears the notices of depot again"
        ) { .hearNotices(relay: $0.name(), other: $0.name()) },
        form(
            "the standby behind RELAY lags", "It gets nothing of what comes into the database.",
            "the standby behind harbor lags"
        ) { .keepStandbyBack(relay: $0.name()) },
        form(
            "the standby behind RELAY catches up", "It has all, and gets what comes.",
            "the standby behind harbor catches up"
        ) { .catchUp(relay: $0.name()) },
        form(
            "the standby behind RELAY is promoted",
            "It takes the place of the server, without what it lacks.",
            "the standby behind harbor is promoted"
        ) { .promote(relay: $0.name()) },
        form(
            "the database of RELAY has room for COUNT records|record",
            "Every device has one, every item one; what is there may change.",
            "the database of harbor has room for 3 records"
        ) { .limitRecords(relay: $0.name(), count: $0.count()) },
        form(
            "the database of RELAY has room again", "For any number of records.",
            "the database of harbor has room again"
        ) { .limitRecords(relay: $0.name(), count: nil) },
    ]

    var words: String {
        switch self {
        case .pause(let relay): "\(relay) pauses"
        case .goOn(let relay): "\(relay) goes on"
        case .delayCommits(let relay, let milliseconds):
            "the database commits for \(relay) after \(ScenarioSpan.text(milliseconds))"
        case .delayAnswers(let relay, let milliseconds):
            "the database answers \(relay) after \(ScenarioSpan.text(milliseconds))"
        case .serveAtOnce(let relay): "the database serves \(relay) at once"
        case .crashAfterCommit(let relay): "\(relay) crashes after its next commit"
        case .missNotice(let relay, let other): "\(relay) misses the next notice of \(other)"
        case .missNotices(let relay, let other): "\(relay) misses the notices of \(other)"
        case .hearNotices(let relay, let other): "\(relay) hears the notices of \(other) again"
        case .keepStandbyBack(let relay): "the standby behind \(relay) lags"
        case .catchUp(let relay): "the standby behind \(relay) catches up"
        case .promote(let relay): "the standby behind \(relay) is promoted"
        case .limitRecords(let relay, let count?):
            "the database of \(relay) has room for \(Counted.words(count, "record"))"
        case .limitRecords(let relay, nil): "the database of \(relay) has room again"
        }
    }

    var devices: [String] {
        switch self {
        case .pause(let relay), .goOn(let relay), .delayCommits(let relay, _),
            .delayAnswers(let relay, _), .serveAtOnce(let relay), .crashAfterCommit(let relay),
            .keepStandbyBack(let relay), .catchUp(let relay), .promote(let relay),
            .limitRecords(let relay, _):
            [relay]
        case .missNotice(let relay, let other), .missNotices(let relay, let other),
            .hearNotices(let relay, let other):
            [relay, other]
        }
    }

    var relay: String? { devices.first }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        nil
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        let simpler: [DatabaseEvent] =
            switch self {
            case .delayCommits(let relay, let span):
                smallerNumbers(than: span, least: 1).map {
                    .delayCommits(relay: relay, milliseconds: $0)
                }
            case .delayAnswers(let relay, let span):
                smallerNumbers(than: span, least: 1).map {
                    .delayAnswers(relay: relay, milliseconds: $0)
                }
            case .missNotices(let relay, let other): [.missNotice(relay: relay, other: other)]
            case .limitRecords(let relay, let count?):
                smallerNumbers(than: Int64(count), least: 0).map {
                    .limitRecords(relay: relay, count: Int($0))
                }
            default: []
            }
        if case .crashAfterCommit(let relay) = self { return [.machine(.crash(relay))] }
        return simpler.map(\.event)
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        let host = try world.device(devices[0])
        switch self {
        case .pause: return try world.pause(host)
        case .goOn: return try world.goOn(host)
        default: break
        }
        let (relay, database) = (try world.relay(host), try world.sharedDatabase(of: host))
        switch self {
        case .pause, .goOn: return
        case .delayCommits(_, let milliseconds):
            relay.databaseDelays.commit = milliseconds
            relay.sharedStore?.commitMilliseconds = milliseconds
        case .delayAnswers(_, let milliseconds):
            relay.databaseDelays.answer = milliseconds
            relay.sharedStore?.answerMilliseconds = milliseconds
        case .serveAtOnce:
            relay.databaseDelays = (0, 0)
            relay.sharedStore?.commitMilliseconds = 0
            relay.sharedStore?.answerMilliseconds = 0
        case .crashAfterCommit:
            _ = try world.running(host.name)
            relay.process.diesAfterCommit = true
        case .missNotice(_, let other):
            relay.process.missedOnce.insert(try world.device(other).index)
        case .missNotices(_, let other):
            relay.process.missed.insert(try world.device(other).index)
        case .hearNotices(_, let other):
            let index = try world.device(other).index
            relay.process.missed.remove(index)
            relay.process.missedOnce.remove(index)
        case .keepStandbyBack: database.keepStandbyBack()
        case .catchUp: database.catchUp()
        case .promote: world.promote(database)
        case .limitRecords(_, let count): try world.limitRecords(host, count)
        }
    }
}
