import Core
import Relay
import Session
import Storage

/// A relay's process as its machine has it: it may stand still while what comes for it waits.
struct RelayProcess {
    /// Whether it was stopped by its machine.
    var isPaused = false
    /// Whether it waits for an answer of its database.
    var isWaiting = false
    /// Whether it ends after the next transaction that it commits, before anybody hears of that.
    var diesAfterCommit = false
    /// What came meanwhile, in order.
    var arrived: [WorldEvent] = []
    /// What it has asked for and does once it goes on.
    var outputs: [RelayEngine.Output] = []
    /// What it has committed, of which others hear once it goes on.
    var touches: [RelayTouch] = []
    /// The time of the last look at the database that is planned; milliseconds.
    var lastLook: Int64 = 0
    /// The relays whose notices are lost on the way to it.
    var missed: Set<Int> = []
    /// The relays whose next notice is lost on the way to it.
    var missedOnce: Set<Int> = []
    /// The time of the look that finds what it was not told; milliseconds.
    var lateThrough: Int64 = -1

    /// Whether it stands still.
    var isStill: Bool { isPaused || isWaiting }
}

extension WorldEvent {
    /// How many of the packets that are on their way it is, and how many of these are signs of life only.
    fileprivate var pending: (count: Int, signCount: Int) {
        switch self {
        case .arrival(_, _, let packet): (1, packet.isSignOfLife ? 1 : 0)
        case .hangUp, .commit, .notice, .answer: (1, 0)
        case .wake, .look: (0, 0)
        }
    }
}

/// Processes of relays that stand still.
extension World {
    /// Has what is due wait, if it is for a process that stands still; false if it is not.
    func waits(_ event: WorldEvent) -> Bool {
        guard let relay = addressee(of: event), relay.node != nil else { return false }
        let process = relay.process
        if case .answer = event { guard process.isPaused else { return false } }
        guard process.isStill else { return false }
        if process.isPaused { countPending(event, -1) }
        relay.process.arrived.append(event)
        return true
    }

    /// The relay for which an event is.
    private func addressee(of event: WorldEvent) -> SimulatedRelay? {
        switch event {
        case .arrival(let link, let side, _), .hangUp(let link, let side),
            .wake(let link, let side, _):
            links[link].flatMap { devices[$0.ends[side].deviceIndex].relay }
        case .commit(let deviceIndex, _), .notice(let deviceIndex, _, _),
            .answer(let deviceIndex, _), .look(let deviceIndex, _):
            devices[deviceIndex].relay
        }
    }

    private func countPending(_ event: WorldEvent, _ sign: Int) {
        pendingCount += sign * event.pending.count
        pendingSignCount += sign * event.pending.signCount
    }

    /// Stops a relay's process: nothing gets to it, and it does nothing.
    func pause(_ device: SimulatedDevice) throws {
        let relay = try relay(device)
        guard relay.node != nil else {
            throw Refused(.unreachable, "\(device.name) is not running")
        }
        if relay.process.isPaused { return }
        // Nobody waits for what waits for it.
        for event in relay.process.arrived { countPending(event, -1) }
        relay.process.isPaused = true
        tell(device.index, .befell("is stopped"))
        count("relays paused")
    }

    /// Has a relay's process go on, with all that came meanwhile.
    func goOn(_ device: SimulatedDevice) throws {
        let relay = try relay(device)
        guard relay.process.isPaused else { return }
        relay.process.isPaused = false
        for event in relay.process.arrived { countPending(event, 1) }
        tell(device.index, .befell("goes on"))
        // What else came waits for the answer that came meanwhile.
        let answer = relay.process.arrived.firstIndex {
            if case .answer = $0 { true } else { false }
        }
        if let answer { try perform(relay.process.arrived.remove(at: answer)) }
        try catchUp(device)
    }

    /// The answer of its database is there.
    func answer(_ deviceIndex: Int, life: Int) throws {
        pendingCount -= 1
        let device = devices[deviceIndex]
        guard let relay = device.relay, relay.life == life, relay.node != nil else { return }
        eventCount += 1
        mix(UInt64(bitPattern: now) &* 31 &+ 5)
        relay.process.isWaiting = false
        try catchUp(device)
    }

    /// Does what a process that stood still has left to do, until it stands still again.
    private func catchUp(_ device: SimulatedDevice) throws {
        guard let relay = device.relay, relay.node != nil, !relay.process.isStill else { return }
        let (outputs, touches) = (relay.process.outputs, relay.process.touches)
        (relay.process.outputs, relay.process.touches) = ([], [])
        try carryOut(outputs, of: device)
        pass(touches, of: device)
        if relay.sharedStore != nil { try look(relay: device) }
        while let relay = device.relay, relay.node != nil, !relay.process.isStill,
            !relay.process.arrived.isEmpty
        {
            try perform(relay.process.arrived.removeFirst())
        }
    }

    /// Has a process that stands still go on at once, as it is told to end.
    func endStanding(_ device: SimulatedDevice) throws {
        guard let relay = device.relay else { return }
        if let store = relay.sharedStore {
            (store.commitMilliseconds, store.answerMilliseconds) = (0, 0)
        }
        relay.process.isWaiting = false
        if relay.process.isPaused { try goOn(device) } else { try catchUp(device) }
    }

    /// A process that stood still is no more: what came for it finds nobody.
    func abandonProcess(of device: SimulatedDevice) {
        guard let relay = device.relay else { return }
        for event in relay.process.arrived {
            if relay.process.isPaused { countPending(event, 1) }
            queue.schedule(event, at: now)
        }
        let process = relay.process
        relay.process = RelayProcess()
        relay.process.missed = process.missed
        if !process.touches.isEmpty { leaveUntold(by: device, at: now) }
    }

    /// Whether nothing more comes of a link: both ends are closed, or one is and a process stands still at the other.
    func isOver(_ link: SimulatedLink) -> Bool {
        link.ends.allSatisfy {
            $0.end != nil || devices[$0.deviceIndex].relay?.process.isPaused == true
        } && link.ends.contains { $0.end != nil }
    }
}
