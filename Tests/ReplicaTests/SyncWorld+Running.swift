import Core
import Glibc
import Replica
import Session
import Storage
import TestSupport

/// Links until they rest, and the healing of the whole world.
extension SyncWorld {
    /// Lets everything arrive until nothing is on its way and no closed end has an open one opposite.
    func settle(stepsMax: Int = 200_000) throws {
        let pieceMax = chance.pick([100, 5_000, 1 << 20])
        for _ in 0..<stepsMax {
            let ready = links.indices.flatMap { index in
                (0...1).filter { side in
                    let end = links[index].ends[side]
                    let isPeerGone = links[index].ends[1 - side].end != nil
                    return end.end == nil && (!end.incoming.isEmpty || isPeerGone)
                }.map { (index, $0) }
            }
            guard !ready.isEmpty else { return }
            let (index, side) = chance.pick(ready)
            try deliver(index, side, 1 + chance.below(pieceMax))
        }
        throw Violation("sessions that never rest")
    }

    /// One whole session between two devices.
    @discardableResult
    func sync(_ first: Int, _ second: Int, guess: ReplicaID? = nil) throws -> SyncLink {
        let index = try connect(first, second, guess: guess)
        try settle()
        let link = links[index]
        if !link.isOver {
            throw Violation("the session of \(first) and \(second) waits for ever")
        }
        if link.ends[0].end != .finished || link.ends[1].end != .finished, !allowsForks {
            throw Violation(
                "the session of \(first) and \(second) ended with "
                    + "\(link.ends.compactMap(\.end))")
        }
        links.removeAll(where: \.isOver)
        return link
    }

    /// A value that changes with every change of any device.
    private func fingerprint() throws -> [UInt64: VersionVector] {
        var result: [UInt64: VersionVector] = [:]
        for deviceIndex in devices.indices {
            let summary = try store(deviceIndex).summary()
            result[UInt64(deviceIndex) << 48 | summary.sequence] = summary.knowledge
        }
        return result
    }

    /// Syncs everybody with everybody until nothing changes, and looks whether the promises hold.
    func heal() throws {
        say("heal")
        for index in links.indices { try cut(index) }
        links = []
        for deviceIndex in devices.indices where devices[deviceIndex].store == nil {
            try open(deviceIndex)
        }
        for deviceIndex in devices.indices { try look(at: deviceIndex, isThorough: true) }
        var goal = SyncDevice.Holdings()
        for device in devices {
            for (id, clock) in device.holdings { goal[id] = goal[id]?.joined(with: clock) ?? clock }
        }
        var rounds = 0
        while true {
            let before = try fingerprint()
            let links = try syncAll()
            rounds += 1
            // After a fork it takes two meetings until a peer is found to withhold what it has.
            let isQuiet = !links.flatMap(\.ends).contains { $0.report.sentCount > 0 }
            if try fingerprint() == before, isQuiet || !allowsForks { break }
            if rounds > 14 { throw Violation("does not come to rest") }
        }
        counts["rounds", default: 0] = max(counts["rounds", default: 0], rounds)
        for link in try syncAll() where link.ends.contains(where: { $0.report.sentCount > 0 }) {
            throw Violation("records are sent although nothing changed")
        }
        try judgeHealed(goal)
    }

    @discardableResult
    private func syncAll() throws -> [SyncLink] {
        var pairs: [(Int, Int)] = []
        for first in devices.indices {
            for second in devices.indices where second > first {
                pairs.append(chance.chance(1, in: 2) ? (first, second) : (second, first))
            }
        }
        return try chance.shuffled(pairs).map { first, second in
            let right = try store(second).summary().replica
            return try sync(first, second, guess: chance.chance(2, in: 3) ? right : nil)
        }
    }

    private func judgeHealed(_ goal: SyncDevice.Holdings) throws {
        let first = try store(0)
        let summary = try first.summary()
        let records = try everything(of: 0)
        for deviceIndex in devices.indices {
            try look(at: deviceIndex, isThorough: true)
            let store = try store(deviceIndex)
            let mine = try store.summary()
            if mine.knowledge != summary.knowledge {
                throw Violation(
                    "\(deviceIndex) knows \(mine.knowledge), 0 knows \(summary.knowledge)")
            }
            if try everything(of: deviceIndex) != records {
                throw Violation("\(deviceIndex) and 0 hold different records")
            }
            if mine.digest != summary.digest { throw Violation("digests differ at \(deviceIndex)") }
            let stateSummary = try store.greeting(to: nil).stateSummary
            if !allowsGaps, let entry = stateSummary.entries.first(where: { !$0.isComplete }) {
                throw Violation("\(deviceIndex) never knows all of \(entry.replica)")
            }
            if allowsForks { continue }
            for (id, clock) in goal where devices[deviceIndex].holdings[id]?.covers(clock) != true {
                throw Violation("\(deviceIndex) lacks writes of \(id)")
            }
        }
    }

    /// Every record and every deferred change of a device.
    private func everything(of deviceIndex: Int) throws -> Set<Change> {
        let store = try store(deviceIndex)
        var result: Set<Change> = []
        for stored in try allRecords(of: store) {
            let body = BodyCodec.encode(stored.record, in: stored.collection)
            result.insert(Change(stored.name, clock: stored.record.clock, body: body))
        }
        for deferred in try store.allDeferred() { result.insert(deferred.change) }
        return result
    }

    /// The records of all collections.
    func allRecords(of store: Store) throws -> [Record] {
        try [Self.todo, .devices, Self.newer].flatMap { collection in
            try store.fetch(FetchRequest(collection, scope: .all))
        }
    }

    /// File systems tell the time of a change in ticks of up to ten milliseconds.
    static func waitForTick() {
        usleep(12_000)
    }
}
