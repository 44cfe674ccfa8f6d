import Core
import Session

/// How devices meet, and time that passes; each case is one line of the language, given with it.
package enum MeetingEvent: Hashable, Sendable {
    /// `laptop syncs with phone`: one whole session, to its end.
    case sync(String, String)
    /// `laptop starts to sync with phone`: goes on while other things happen.
    case startSync(String, String)
    /// `laptop connects to phone`: a live session, which stays open.
    case connect(String, String)
    /// `laptop disconnects from phone`: all their sessions end in order.
    case disconnect(String, String)
    /// `everyone syncs`: all pairs that can meet, until nothing is left to say.
    case syncAll
    /// `everything arrives`: what is on its way, and what follows from it.
    case settle
    /// `wait 3 days`; milliseconds.
    case wait(milliseconds: Int64)
}

extension EventKind {
    static let sync = EventKind("sync", weight: 14, isStaple: true)
    /// Whatever breaks or delays links needs some that stay for a while.
    static let startSync = EventKind(
        "startSync", weight: 7, fault: .duplicateSessions,
        otherFaults: [.cut, .delay, .block, .halfOpen, .corruption])
    static let connect = EventKind("connect", weight: 5, fault: .liveSessions)
    static let disconnect = EventKind("disconnect", weight: 2, fault: .liveSessions)
    static let syncAll = EventKind("syncAll", weight: 1)
    static let settle = EventKind("settle", weight: 4)
    static let wait = EventKind("wait", weight: 6)
}

extension MeetingEvent: EventFamily {
    static let kinds: [EventKind] = [
        .sync, .startSync, .connect, .disconnect, .syncAll, .settle, .wait,
    ]

    var kind: EventKind {
        switch self {
        case .sync: .sync
        case .startSync: .startSync
        case .connect: .connect
        case .disconnect: .disconnect
        case .syncAll: .syncAll
        case .settle: .settle
        case .wait: .wait
        }
    }

    var event: ScenarioEvent { .meeting(self) }

    // MARK: Lines

    static let forms: [ScenarioForm] = [
        form("DEVICE syncs with DEVICE", "A whole session.", "laptop syncs with phone") {
            .sync($0.name(), $0.name())
        },
        form(
            "DEVICE starts to sync with DEVICE",
            "A session that goes on while other things happen.",
            "laptop starts to sync with phone"
        ) { .startSync($0.name(), $0.name()) },
        form(
            "DEVICE connects to DEVICE", "A live session, which stays open.",
            "laptop connects to phone"
        ) { .connect($0.name(), $0.name()) },
        form(
            "DEVICE disconnects from DEVICE", "All their sessions end in order.",
            "laptop disconnects from phone"
        ) { .disconnect($0.name(), $0.name()) },
        form(
            "everyone syncs", "All pairs that can meet, until nothing is left to say.",
            "everyone syncs"
        ) { _ in .syncAll },
        form(
            "everything arrives", "What is on its way arrives, and what follows from it.",
            "everything arrives"
        ) { _ in .settle },
        form("wait SPAN", "Time passes.", "wait 3 days") { .wait(milliseconds: $0.number()) },
    ]

    var words: String {
        switch self {
        case .sync(let device, let other): "\(device) syncs with \(other)"
        case .startSync(let device, let other): "\(device) starts to sync with \(other)"
        case .connect(let device, let other): "\(device) connects to \(other)"
        case .disconnect(let device, let other): "\(device) disconnects from \(other)"
        case .syncAll: "everyone syncs"
        case .settle: "everything arrives"
        case .wait(let milliseconds): "wait \(ScenarioSpan.text(milliseconds))"
        }
    }

    var devices: [String] {
        switch self {
        case .sync(let one, let other), .startSync(let one, let other),
            .connect(let one, let other), .disconnect(let one, let other):
            [one, other]
        case .syncAll, .settle, .wait: []
        }
    }

    func unfitRelay(_ named: String, among relays: Set<String>) -> (name: String, hint: String)? {
        if case .sync = self {
            return (named, "one session with a relay is `laptop visits \(named)`")
        }
        guard devices.first == named else { return nil }
        return (named, "devices call relays: name the device first")
    }

    // MARK: Random scenarios

    static func draw(_ kind: EventKind, by maker: inout ScenarioMaker) -> ScenarioEvent? {
        draw(of: kind, by: &maker)?.event
    }

    private static func draw(of kind: EventKind, by maker: inout ScenarioMaker) -> MeetingEvent? {
        switch kind {
        case .sync: return maker.pair().map { .sync($0.0, $0.1) }
        case .startSync:
            // One session, or a second one beside the first.
            if maker.weights.faults.contains(.duplicateSessions), maker.chance.happens(1, in: 2) {
                return maker.linked().map { .startSync($0.0, $0.1) }
            }
            return maker.pair().map { .startSync($0.0, $0.1) }
        case .connect:
            return maker.model.links.count < 6 ? maker.pair().map { .connect($0.0, $0.1) } : nil
        case .disconnect:
            return maker.model.links.isEmpty ? nil : maker.linked().map { .disconnect($0.0, $0.1) }
        case .syncAll: return .syncAll
        case .settle: return .settle
        default: return .wait(milliseconds: maker.chance.pick(maker.weights.waits))
        }
    }

    func foresee(in model: inout ScenarioModel) {
        switch self {
        case .sync(let one, let other): model.meet(one, other, stays: false)
        case .startSync(let one, let other), .connect(let one, let other):
            model.meet(one, other, stays: true)
        case .disconnect(let one, let other): model.part(one, other)
        case .syncAll:
            for first in model.running {
                for second in model.running where first != second {
                    model.exchange(first, second)
                }
            }
        case .settle, .wait: return
        }
    }

    // MARK: Shrinking

    var simpler: [ScenarioEvent] {
        switch self {
        case .syncAll: [MeetingEvent.settle.event]
        case .startSync(let one, let other):
            [MeetingEvent.sync(one, other).event, .relay(.visit(device: one, relay: other))]
        case .connect(let one, let other):
            [
                MeetingEvent.sync(one, other).event, .relay(.visit(device: one, relay: other)),
                MeetingEvent.startSync(one, other).event,
            ]
        case .wait(let span):
            smallerNumbers(than: span, least: 1).map { .meeting(.wait(milliseconds: $0)) }
        case .sync, .disconnect, .settle: []
        }
    }

    // MARK: The world

    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .sync(let first, let second): try world.sync(first, second)
        case .startSync(let first, let second): try world.start(first, second, isLive: false)
        case .connect(let first, let second): try world.start(first, second, isLive: true)
        case .disconnect(let first, let second): try world.disconnect(first, second)
        case .syncAll: try world.syncAll()
        case .settle: try world.settle()
        case .wait(let milliseconds): try world.wait(milliseconds: milliseconds)
        }
    }
}

extension World {
    /// One whole session between two devices.
    func sync(_ first: String, _ second: String) throws {
        let (caller, answerer) = (try device(first), try device(second))
        let link = try connect(caller, answerer, isLive: false)
        let isOver = try proceed(until: now + WorldLimits.sessionMillisecondsMax) { link.isOver }
        guard isOver else {
            throw Violation(.stuck, "the session of \(first) and \(second) waits for ever")
        }
        try refuse(link)
    }

    /// Refuses a step whose session did not end in order.
    func refuse(_ link: SimulatedLink) throws {
        for end in link.ends {
            let name = devices[end.deviceIndex].name
            switch end.end {
            case .finished: continue
            case .lost, nil:
                let isDown = link.ends.contains { !devices[$0.deviceIndex].isRunning }
                throw Refused(
                    isDown ? .crashed : .unreachable, "the link broke before \(name) was done")
            case .failed(let error, _): throw refused(error, of: name, link)
            }
        }
    }

    private func refused(_ error: PeerError, of name: String, _ link: SimulatedLink) -> Refused {
        let words = "the session ended on \(name) with: \(error)"
        switch error.known {
        case .foreignSpace: return Refused(.foreignSpace, words)
        case .store: return Refused(.diskFull, words)
        case .deletesHeld: return Refused(.deletesHeld, words)
        case .timeout: return Refused(.unreachable, words)
        case .malformed where link.hasUnknown: return Refused(.unknownMessage, words)
        default: return Refused(.anyReason, words)
        }
    }

    /// Begins a session and lets it go on while other things happen.
    func start(_ first: String, _ second: String, isLive: Bool) throws {
        try connect(device(first), device(second), isLive: isLive)
        if isLive {
            // Both have greeted before anything else happens, unless the way is slow.
            try settle()
        }
    }

    /// Ends all sessions of two devices in order.
    func disconnect(_ first: String, _ second: String) throws {
        let (caller, answerer) = (try device(first), try device(second))
        let open = links(caller, answerer)
        for link in open {
            // A relay is left by its device: it is told to drain when it stops.
            for side in 0...1 where !devices[link.ends[side].deviceIndex].isRelay {
                try tell(link, side, .drain)
            }
        }
        let isOver = try proceed(until: now + WorldLimits.sessionMillisecondsMax) {
            open.allSatisfy(self.isOver)
        }
        if !isOver { throw Violation(.stuck, "a session of \(first) and \(second) does not end") }
    }

    /// Lets everything arrive that is on its way, and what follows from it.
    func settle() throws {
        let isQuiet = try proceed(
            until: now + network.longestDelay + WorldLimits.sessionMillisecondsMax
        ) {
            self.pendingCount == self.pendingSignCount
        }
        if !isQuiet { throw Violation(.stuck, "messages go back and forth without end") }
        try judgeSubscribers()
    }

    /// Lets time pass.
    func wait(milliseconds: Int64) throws {
        let end = now + milliseconds
        if milliseconds > WorldLimits.wakefulMillisecondsMax {
            for link in linksInOrder { breakDown(link) }
        }
        _ = try proceed(until: end) { false }
        now = max(now, end)
    }
}
