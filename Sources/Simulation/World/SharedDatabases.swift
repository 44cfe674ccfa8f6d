import Core
import Relay
import Session
import Storage

/// Relays that share a database: how they hear of each other, and what becomes of the database.
extension World {
    /// How long a notice takes from one relay to the others: they are sent together; milliseconds.
    private static let noticeMilliseconds: Int64 = 5
    /// How often a relay looks at its spaces for notices that were lost; milliseconds.
    static let lookMilliseconds: Int64 = 1_000

    /// The database of that name, which is made when it is first asked for.
    func database(_ name: String) -> SimulatedDatabase {
        if let database = databases[name] { return database }
        let database = SimulatedDatabase(name) { [weak self] milliseconds, body in
            guard let self else { return }
            pendingCount += 1
            queue.schedule(.work(body), at: now + milliseconds)
        }
        databases[name] = database
        return database
    }

    /// The database that a relay shares with others.
    func sharedDatabase(of device: SimulatedDevice) throws -> SimulatedDatabase {
        _ = try relay(device)
        guard let name = device.traits.database else {
            throw Refused(.missing, "\(device.name) has its store for itself")
        }
        return database(name)
    }

    /// The secrets that a space had in the database of a relay since a link was opened, and has no more.
    func formerSecrets(
        of space: SpaceID, at device: SimulatedDevice, since link: SimulatedLink
    ) -> [KeyedSecret] {
        let heads = formerHeads(of: space, at: device).dropFirst(link.formerHeadCount)
        return heads.map { secret($0.generation, $0.verifier, of: space) }
    }

    /// What a space was before in the database of a relay; nothing if it has its store for itself.
    func formerHeads(of space: SpaceID, at device: SimulatedDevice) -> [DatabaseSpace.Head] {
        device.traits.database.flatMap { databases[$0]?.formerHeads[space] } ?? []
    }

    /// The relays on a database.
    func relays(on database: SimulatedDatabase) -> [SimulatedDevice] {
        devices.filter { $0.relay != nil && $0.traits.database == database.name }
    }

    /// Whether a relay never lied, and nothing that it keeps was damaged.
    ///
    /// Devices know the relays on one database as one relay: the lies of one are those of all.
    func isHonest(_ device: SimulatedDevice) -> Bool {
        let name = device.traits.database
        let relays = devices.filter {
            $0.index == device.index || name != nil && $0.traits.database == name
        }
        return relays.allSatisfy { relay in
            relay.relay.map { !$0.hasLied && $0.damageCount == 0 } ?? (relay.index != device.index)
        }
    }

    /// Opens a relay's store on its database, with its notices.
    func openShared(
        _ device: SimulatedDevice, _ database: SimulatedDatabase, _ options: RelayOptions
    ) throws -> RelayEngine {
        let relay = try relay(device)
        let environment = environment(of: device)
        let store = SimulatedRelayStore(
            database, limits: options.limits, drawBits: environment.drawBits)
        (store.commitMilliseconds, store.answerMilliseconds) = relay.databaseDelays
        relay.sharedStore = store
        relay.notices = SimulatedNotices(database)
        var options = options
        if let most = database.recordCountMax { options.limits.spaceRecordCountMax = most }
        store.limits = options.limits
        let node = RelayEngine(options: options, access: KeyedAccess(), store: store)
        node.isTouchKept = true
        let (index, life) = (device.index, relay.life + 1)
        node.onAnswer = { [weak self] in
            guard let self else { return }
            pendingCount += 1
            queue.schedule(.answers(deviceIndex: index, life: life), at: now)
        }
        return node
    }

    // MARK: Answers and notices

    /// A database goes on with what it was asked for.
    func work(_ body: () -> Void) {
        pendingCount -= 1
        eventCount += 1
        mix(UInt64(bitPattern: now) &* 31 &+ 5)
        body()
        noticeCommits()
    }

    /// Has the relays that share databases look for what was committed; and those end that were to end then.
    func noticeCommits() {
        if databases.isEmpty { return }
        for device in devices {
            guard let relay = device.relay, relay.node != nil,
                relay.sharedStore?.dequeueCommit() == true
            else { continue }
            for other in others(than: device) { planLook(other) }
            guard relay.process.diesAfterCommit else { continue }
            dieRelay(device, isPowerCut: false)
            count("relays that died between a commit and its answer")
        }
    }

    /// A relay takes what its database has answered.
    func hearAnswers(_ deviceIndex: Int, life: Int) throws {
        pendingCount -= 1
        let device = devices[deviceIndex]
        guard let relay = device.relay, relay.life == life, let node = relay.node else { return }
        eventCount += 1
        mix(UInt64(bitPattern: now) &* 31 &+ 8)
        count("answers of databases that came late")
        try dispatch(node.takeAnswers(now: instant), of: device)
        try look(relay: device)
    }

    /// Whether a fault is that of a server whose place another one has taken.
    func isOfLostServer(_ fault: StoreFault, at device: SimulatedDevice) -> Bool {
        guard case .unreachable = fault else { return false }
        return databaseOrigin(of: device) > 1
    }

    /// Has the others on its database hear of what a relay has committed.
    func pass(_ touches: [RelayTouch], of device: SimulatedDevice) {
        if touches.isEmpty { return }
        device.relay?.notices?.note(touches)
        for other in others(than: device) {
            guard let relay = other.relay, relay.node != nil else { continue }
            let look = planLook(other)
            let isLost = relay.process.missedOnce.remove(device.index) != nil
            if isLost || relay.process.missed.contains(device.index) {
                relay.process.lateThrough = max(relay.process.lateThrough, look)
                count("notices lost")
                continue
            }
            pendingCount += 1
            queue.schedule(
                .notice(deviceIndex: other.index, life: relay.life, touches),
                at: now + Self.noticeMilliseconds)
        }
    }

    /// A relay hears of what another one has committed.
    func hearNotice(_ deviceIndex: Int, life: Int, _ touches: [RelayTouch]) throws {
        pendingCount -= 1
        let device = devices[deviceIndex]
        guard let relay = device.relay, relay.life == life, let node = relay.node,
            let notices = relay.notices
        else { return }
        eventCount += 1
        mix(UInt64(bitPattern: now) &* 31 &+ 6)
        count("notices")
        let spaces = notices.spaces(toldOf: touches)
        try dispatch(node.storeChanged(in: spaces, now: instant), of: device)
    }

    /// The others hear nothing of what a relay has committed, until they look.
    func leaveUntold(by device: SimulatedDevice) {
        for other in others(than: device) {
            let look = planLook(other)
            other.relay?.process.lateThrough = max(other.relay?.process.lateThrough ?? 0, look)
        }
    }

    /// The other relays on the database of one.
    private func others(than device: SimulatedDevice) -> [SimulatedDevice] {
        guard let name = device.traits.database else { return [] }
        return relays(on: database(name)).filter { $0.index != device.index }
    }

    /// Has a relay look at its database at its next turn; it has one each second.
    ///
    /// Looks at which nothing can have changed are left out.
    /// - Returns: the time of the look.
    @discardableResult
    func planLook(_ device: SimulatedDevice) -> Int64 {
        let look = (now / Self.lookMilliseconds + 1) * Self.lookMilliseconds
        guard let relay = device.relay, relay.node != nil, relay.process.lastLook < look else {
            return look
        }
        relay.process.lastLook = look
        queue.schedule(.look(deviceIndex: device.index, life: relay.life), at: look)
        return look
    }

    /// A relay looks at its spaces in the database.
    func lookAtDatabase(_ deviceIndex: Int, life: Int) throws {
        let device = devices[deviceIndex]
        guard let relay = device.relay, relay.life == life, let node = relay.node,
            let notices = relay.notices
        else { return }
        eventCount += 1
        mix(UInt64(bitPattern: now) &* 31 &+ 7)
        let found = notices.look(at: node.openSpaces.sorted())
        if found.isEmpty { return }
        count("looks that found something")
        try dispatch(node.storeChanged(in: found, now: instant), of: device)
    }

    // MARK: Servers

    /// The standby takes the place of the server.
    func promote(_ database: SimulatedDatabase) {
        let lost = database.promote()
        count("standbys promoted")
        if lost > 0 { count("standbys promoted that lacked something") }
        forgetLost(database, "the database goes on without its last \(lost) transactions")
    }

    /// Earlier looks at a database count no more, as another server goes on from an earlier state.
    func forgetLost(_ database: SimulatedDatabase, _ words: String) {
        // It may have records that were there before a limit, and gone by a new secret meanwhile.
        database.judgedRecordCount = max(
            database.judgedRecordCount, database.spaces[Self.space]?.head.recordCount ?? 0)
        for device in relays(on: database) {
            device.relay?.held = [:]
            device.relay?.rekeyMessages = [:]
            device.relay?.process.lateThrough = planLook(device)
            tell(device.index, .befell(words))
        }
    }

    /// Has the relays on a database keep no more records of a space than so many; nil: as many as usual.
    func limitRecords(_ device: SimulatedDevice, _ count: Int?) throws {
        let database = try sharedDatabase(of: device)
        database.recordCountMax = count
        if count != nil { database.wasLimited = true }
        database.judgedRecordCount = database.spaces[Self.space]?.head.recordCount ?? 0
        for other in relays(on: database) {
            guard let node = other.relay?.node else { continue }
            var options = node.options
            options.limits.spaceRecordCountMax = count ?? RelayLimits().spaceRecordCountMax
            node.change(options)
        }
        tell(device.index, .befell(count.map { "has room for \($0) records" } ?? "has room again"))
    }

    /// Ends every fault of databases and of processes, and has what came into databases get to those who are connected.
    func healDatabases() throws {
        for device in devices where device.relay != nil {
            if let store = device.relay?.sharedStore {
                (store.commitMilliseconds, store.answerMilliseconds) = (0, 0)
            }
            device.relay?.databaseDelays = (0, 0)
            device.relay?.process.missed = []
            device.relay?.process.missedOnce = []
            device.relay?.process.diesAfterCommit = false
            try goOn(device)
        }
        if databases.isEmpty { return }
        for (name, _) in databases.sorted(by: { $0.key < $1.key }) {
            let database = database(name)
            database.catchUp()
            if let first = relays(on: database).first { try limitRecords(first, nil) }
        }
        try settle()
        try wait(milliseconds: 2 * Self.lookMilliseconds)
        try settle()
        try judgeSubscribers()
    }
}
