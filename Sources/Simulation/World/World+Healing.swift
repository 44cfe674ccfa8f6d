import Core
import Relay
import Session
import Storage

/// Meetings of everyone, and the end of every fault.
extension World {
    /// All pairs of one space that can meet do so, until nothing is left to say.
    func syncAll() throws {
        var quietRounds = 0
        // A relay is read anew once for each content that differs, and what that brings goes to every other relay.
        let damageCount = devices.reduce(0) { $0 + ($1.relay?.damageCount ?? 0) }
        let roundsMax =
            (WorldLimits.healingRoundsMax + damageCount * WorldLimits.roundsPerDamageMax)
            * max(1, devices.count { $0.isRelay })
        var hasWaited = false
        var lastRound = roundsMax
        for round in 0... {
            let before = try fingerprint()
            let sent = try syncRound(round)
            if try sent == 0 && fingerprint() == before {
                quietRounds += 1
            } else {
                quietRounds = 0
            }
            // It takes two meetings until what a peer or a relay has kept back is found and read.
            let isQuiet = quietRounds > (allowsForks || hasBeenLiedTo ? 1 : 0)
            if isQuiet || round >= lastRound, !hasWaited, try areSuspiciousOfHonestRelays() {
                // What a relay withheld although it was read from its start is read again within a day. Until then devices
                // may know of different members, and each replaces the rekey messages of the others.
                hasWaited = true
                quietRounds = 0
                lastRound = round + roundsMax
                try wait(milliseconds: 86_400_001)
            } else if isQuiet {
                return
            }
            if round >= lastRound {
                // A relay that lies gives and keeps as it likes: no number of meetings settles that.
                if devices.contains(where: { $0.relay?.lies.isEmpty == false }) { return }
                // A device that holds deletes does not remember that it was told of versions nobody can open, and
                // uploads them again at each visit.
                if hasHeldDeletes, devices.contains(where: { ($0.relay?.damageCount ?? 0) > 0 }) {
                    return
                }
                throw Violation(
                    .stuck, "no rest after \(round) rounds of everyone meeting everyone")
            }
        }
    }

    /// One meeting of each pair; how many records were sent.
    private func syncRound(_ round: Int) throws -> Int {
        var chance = Chance(seed: scenario.seed, "round \(round) \(now)")
        var pairs: [(SimulatedDevice, SimulatedDevice)] = []
        let running = devices.filter { $0.store != nil }
        for (index, first) in running.enumerated() {
            for second in running[(index + 1)...] where first.space == second.space {
                pairs.append(chance.happens(1, in: 2) ? (first, second) : (second, first))
            }
        }
        if scenario.meetsOnlyAtRelays { pairs = [] }
        for relay in devices where relay.isRelay && relay.traits.database == nil {
            for device in running { pairs.append((device, relay)) }
        }
        // Of the relays on one database a device takes any.
        for name in databases.keys.sorted() {
            let relays = relays(on: database(name))
            for device in running where !relays.isEmpty {
                pairs.append((device, chance.pick(relays)))
            }
        }
        var sent = 0
        for (first, second) in chance.shuffled(pairs) {
            for device in [first, second] { try refreshSecret(device) }
            guard first.isRunning, second.isRunning,
                network.isOpen(first.index, second.index), network.isOpen(second.index, first.index)
            else { continue }
            let link = try connect(first, second, isLive: false)
            guard
                try proceed(
                    until: now + WorldLimits.sessionMillisecondsMax, { self.isOver(link) })
            else {
                throw Violation(
                    .stuck, "the session of \(first.name) and \(second.name) waits for ever")
            }
            // In the end everything is meant.
            if isHealing, try acceptDeletes(of: link) { sent += 1 }
            // A device without room is sent the same again and again; there is no more to be had from it.
            if link.ends.contains(where: { Self.isRefusal($0.end) }) { continue }
            // Nor from a damaged store, whose refusal may come after the peer's patience has ended.
            let isDamaged = link.ends.contains { devices[$0.deviceIndex].hasWrongBit }
            if isDamaged, link.ends.contains(where: { $0.end != .finished }) { continue }
            // Nor does it remember what a relay has of it.
            if second.isRelay, first.disk.freeByteCount != nil { continue }
            // Nor from who lies.
            if link.hasLies { continue }
            for end in link.ends { sent += end.report.sentCount }
        }
        return sent
    }

    /// Whether relays lied, do so no more, and a device misses something of one of them, or may beside a version that it
    /// cannot open.
    private func areSuspiciousOfHonestRelays() throws -> Bool {
        let relays = devices.compactMap(\.relay)
        guard hasBeenLiedTo, relays.allSatisfy(\.lies.isEmpty) else { return false }
        return try devices.contains { device in
            guard let store = device.store else { return false }
            var isSuspicious = false
            try judging(device) {
                isSuspicious = try store.summary().peers.contains {
                    try $0.isSuspect || store.unopened(at: $0.replica).count > 0
                }
            }
            return isSuspicious
        }
    }

    /// Whether any device waits for an answer about deletes.
    private var hasHeldDeletes: Bool {
        devices.contains { device in
            guard let store = device.store else { return false }
            return (try? store.heldDeletes())?.isEmpty == false
        }
    }

    /// Accepts the deletes that a device holds, as somebody does who reads its status.
    private func acceptHeldDeletes(_ device: SimulatedDevice) throws {
        var isAny = false
        try judging(device) {
            if let store = device.store { isAny = try !store.heldDeletes().isEmpty }
        }
        if !isAny { return }
        do {
            try acceptDeletes(device)
        } catch let refused as Refused where refused.reason == .corrupt && device.hasWrongBit {
            return try takeOut(device, refused.description)
        }
        count("deletes accepted as everything heals")
        try look(device)
    }

    /// Whether a session ended because a store could not do what it was asked.
    private static func isRefusal(_ end: SessionEnd?) -> Bool {
        if case .failed(let error, _) = end {
            error.known == .store || error.known == .deletesHeld || error.known == .overLimit
        } else {
            false
        }
    }

    /// Numbers that change with every change.
    private func fingerprint() throws -> [[UInt64]] {
        try devices.map { device in
            var found: [UInt64] = []
            if let relay = device.relay {
                try looking(at: device) {
                    guard let view = try relay.node?.store(of: Self.space) else { return }
                    // A summary row that a device stated again has others read on, a rekey message lets them in. Of more
                    // messages than a relay keeps, devices that know different secrets replace each other's at each visit.
                    let mayAllBeKept =
                        !hasRivalSecrets || madeSecrets.count <= WireLimits.rekeyMessageCountMax
                    let marks = mayAllBeKept ? view.rekeyMessageMarks.map(\.hash) : []
                    found = [view.sequence] + marks.map { UInt64(truncatingIfNeeded: $0) }
                }
            }
            guard let store = device.store else { return found }
            try judging(device) {
                let summary = try store.summary()
                found = [summary.sequence] + summary.knowledge.entries.map(\.counter)
            }
            return found
        }
    }

    /// Starts a device for the healing; false if a wrong bit keeps it from that.
    private func startAgain(_ device: SimulatedDevice) throws -> Bool {
        do {
            try start(device)
            return true
        } catch let refused as Refused where refused.reason == .corrupt && device.hasWrongBit {
            return false
        }
    }

    /// Ends every fault, has everyone meet until nothing is left to say, and judges.
    func heal() throws {
        tell(nil, .befell("everything heals"))
        network.makeWhole()
        releaseHeld()
        try healDatabases()
        for link in linksInOrder { breakDown(link) }
        try settle()
        for device in devices {
            device.disk.freeByteCount = nil
            device.disk.removeFuse()
            device.relay?.lies = []
            if device.relay?.hasHidden == true { try wipe(device) }
            if device.store == nil, !device.isDamaged, try !startAgain(device) { continue }
            guard let store = device.store else { continue }
            try judging(device) { () throws(Violation) in
                try oracle.lookThoroughly(device.index, store)
            }
        }
        isHealing = true
        // Deletes that another device holds a session must tell: nobody accepts them before.
        for device in devices where device.hasBeenReader { try acceptHeldDeletes(device) }
        try healSecrets()
        // A wrong bit may have changed a text that still can be read; nobody can tell.
        try oracle.judgeHealed(devices.filter { !$0.hasWrongBit }.compactMap(\.store))
    }
}
