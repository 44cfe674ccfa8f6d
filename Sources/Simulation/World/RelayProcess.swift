import Core
import Relay
import Session
import Storage

/// A relay's process as its machine has it: it may stand still while what comes for it waits.
struct RelayProcess {
    /// Whether it stands still.
    var isPaused = false
    /// Whether it ends after the next transaction that it commits, before it hears of that.
    var diesAfterCommit = false
    /// The events that came meanwhile, in order.
    var arrived: [WorldEvent] = []
    /// Its engine's effects that are carried out once it goes on.
    var outputs: [RelayEngine.Output] = []
    /// The time of the last look at the database that is planned; milliseconds.
    var lastLook: Int64 = 0
    /// The relays whose notices are lost on the way to it.
    var missed: Set<Int> = []
    /// The relays whose next notice is lost on the way to it.
    var missedOnce: Set<Int> = []
    /// The time of the look that finds what it was not told; milliseconds.
    var lateThrough: Int64 = -1
}

extension WorldEvent {
    /// How many of the packets that are on their way it is, and how many of these are signs of life only.
    fileprivate var pending: (count: Int, signCount: Int) {
        switch self {
        case .arrival(_, _, let packet): (1, packet.isSignOfLife ? 1 : 0)
        case .hangUp, .commit, .notice, .answers, .work: (1, 0)
        case .wake, .look: (0, 0)
        }
    }
}

/// Processes of relays that stand still.
extension World {
    /// Has what is due wait, if it is for a process that stands still; false if it is not.
    func waits(_ event: WorldEvent) -> Bool {
        guard let relay = addressee(of: event), relay.node != nil, relay.process.isPaused else {
            return false
        }
        // Nobody waits for what waits for it.
        countPending(event, -1)
        relay.process.arrived.append(event)
        return true
    }

    /// Has what a relay asks for wait, if its process stands still; false if it does not.
    func waits(_ outputs: [RelayEngine.Output], of device: SimulatedDevice) -> Bool {
        guard let relay = device.relay else { return false }
        // One on a database may have ended with its commit.
        if relay.node == nil { return relay.sharedStore != nil }
        if relay.process.isPaused { relay.process.outputs += outputs }
        return relay.process.isPaused
    }

    /// The relay for which an event is; nil if it is for no relay.
    private func addressee(of event: WorldEvent) -> SimulatedRelay? {
        switch event {
        case .arrival(let link, let side, _), .hangUp(let link, let side),
            .wake(let link, let side, _):
            links[link].flatMap { devices[$0.ends[side].deviceIndex].relay }
        case .commit(let deviceIndex, _), .notice(let deviceIndex, _, _),
            .answers(let deviceIndex, _), .look(let deviceIndex, _):
            devices[deviceIndex].relay
        case .work: nil
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
        relay.process.isPaused = true
        tell(device.index, .befell("stands still"))
        count("relays paused")
    }

    /// Has a relay's process go on, with all that came meanwhile.
    func goOn(_ device: SimulatedDevice) throws {
        let relay = try relay(device)
        guard relay.process.isPaused else { return }
        relay.process.isPaused = false
        let (outputs, arrived) = (relay.process.outputs, relay.process.arrived)
        (relay.process.outputs, relay.process.arrived) = ([], [])
        tell(device.index, .befell("goes on"))
        for event in arrived { countPending(event, 1) }
        try dispatch(outputs, of: device)
        for event in arrived { try perform(event) }
    }

    /// A process that stood still is no more: what came for it finds nobody.
    func abandonProcess(of device: SimulatedDevice) {
        guard let relay = device.relay else { return }
        let process = relay.process
        relay.process = RelayProcess()
        relay.process.missed = process.missed
        for event in process.arrived {
            countPending(event, 1)
            queue.schedule(event, at: now)
        }
    }

    /// Whether nothing more comes of a link: both ends are closed, or one is and a process stands still at the other.
    func isOver(_ link: SimulatedLink) -> Bool {
        link.ends.contains { $0.end != nil }
            && link.ends.allSatisfy {
                $0.end != nil || devices[$0.deviceIndex].relay?.process.isPaused == true
            }
    }
}
