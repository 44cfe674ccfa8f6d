import Relay
import Replica
import Session
import Storage

/// Events that are due, taken from the queue in order.
extension World {
    /// Lets the next event happen; false if there is none before `end`.
    func happen(until end: Int64 = .max) throws -> Bool {
        guard let time = queue.nextTime, time <= end, let next = queue.next() else { return false }
        now = max(now, time)
        if !waits(next.event) { try perform(next.event) }
        return true
    }

    /// Has an event happen.
    func perform(_ event: WorldEvent) throws {
        switch event {
        case .arrival(let link, let side, let packet): try arrive(link, side, packet)
        case .hangUp(let link, let side): try hearHangUp(link, side)
        case .wake(let link, let side, let token): try wake(link, side, token)
        case .commit(let deviceIndex, let life): try commit(deviceIndex, life: life)
        case .work(let body): work(body)
        case .answers(let deviceIndex, let life): try hearAnswers(deviceIndex, life: life)
        case .notice(let deviceIndex, let life, let touches):
            try hearNotice(deviceIndex, life: life, touches)
        case .look(let deviceIndex, let life): try lookAtDatabase(deviceIndex, life: life)
        }
    }

    private func begin(_ kind: UInt64, _ link: SimulatedLink, _ side: Int) {
        eventCount += 1
        mix(UInt64(bitPattern: now) &* 31 &+ kind)
        mix(UInt64(link.number) << 8 | UInt64(side))
    }

    private func arrive(_ number: Int, _ side: Int, _ packet: Packet) throws {
        pendingCount -= 1
        if packet.isSignOfLife { pendingSignCount -= 1 }
        guard let link = links[number] else { return }
        link.ends[side].pendingCount -= 1
        defer { forget(link) }
        let end = link.ends[side]
        let device = devices[end.deviceIndex]
        // A broken link still carries bytes that were put on it before, on the way to the end that is spared.
        guard end.end == nil, device.isRunning else {
            if let message = packet.message {
                tell(end.deviceIndex, .lost(message: message, "the other end is closed"))
            }
            return
        }
        begin(1, link, side)
        mix(Self.hash(packet.bytes))
        if let message = packet.message { tell(end.deviceIndex, .received(message: message)) }
        guard let replica = device.replica, let conversation = end.conversation else {
            try arrive(packet.bytes, at: device, link, side)
            return
        }
        let before = options.keepsTrace ? device.store?.sequence : nil
        let alive = device.alive?.ids
        let outputs = packet.bytes.withUnsafeBytes {
            replica.receive(conversation, $0, now: instant)
        }
        try tellMerged(device, after: before)
        try dispatch(outputs, of: device)
        try judgeMassDeleteGuard(device, link, side, before: alive)
    }

    private func hearHangUp(_ number: Int, _ side: Int) throws {
        pendingCount -= 1
        guard let link = links[number] else { return }
        link.ends[side].pendingCount -= 1
        defer { forget(link) }
        guard link.ends[side].end == nil else { return }
        begin(2, link, side)
        try tell(link, side, .lost)
    }

    private func wake(_ number: Int, _ side: Int, _ token: Int) throws {
        guard let link = links[number], link.ends[side].end == nil,
            link.ends[side].wakeToken == token
        else { return }
        begin(3, link, side)
        try tell(link, side, .wake)
    }

    /// Tells one end of a link something.
    func tell(_ link: SimulatedLink, _ side: Int, _ event: SessionEvent) throws {
        let end = link.ends[side]
        let device = devices[end.deviceIndex]
        guard end.end == nil else { return }
        if let node = device.relay?.node, let session = end.relaySession {
            guard let event = RelayEvent(event) else { return }
            try dispatch(node.run(session, event, now: instant), of: device)
            return
        }
        guard let replica = device.replica, let conversation = end.conversation else { return }
        let outputs = replica.run(conversation, event, now: instant)
        try dispatch(outputs, of: device)
        if case .lost = event, link.ends[side].end == nil, device.replica != nil {
            throw Violation(.stuck, "a session of \(device.name) outlives its link")
        }
    }

    /// Runs what is due until `isDone`, or nothing is left that could change that.
    ///
    /// - Returns: whether it is done.
    func proceed(until end: Int64, _ isDone: () -> Bool) throws -> Bool {
        let first = eventCount
        while !isDone() {
            if eventCount - first > WorldLimits.eventsPerStepMax {
                throw Violation(
                    .stuck,
                    "\(WorldLimits.eventsPerStepMax) events, and still no end of it")
            }
            guard try happen(until: end) else { return isDone() }
        }
        return true
    }

    /// A number for bytes, the same in every process.
    static func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset + 8 <= raw.count {
                let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                hash = (hash ^ word.littleEndian) &* 0x0000_0100_0000_01b3
                hash ^= hash >> 29
                offset += 8
            }
            while offset < raw.count {
                hash = (hash ^ UInt64(raw[offset])) &* 0x0000_0100_0000_01b3
                offset += 1
            }
        }
        return hash
    }

    /// A fault's name.
    static func word(of fault: StoreFault) -> String {
        let words = "\(Mirror(reflecting: fault).children.first?.label ?? "\(fault)")"
        return String(words.prefix(40))
    }
}

extension RelayEvent {
    /// The event of a device's session as one of a relay's session; nil if relays have no such event.
    fileprivate init?(_ event: SessionEvent) {
        switch event {
        case .wake: self = .wake
        case .lost: self = .lost
        case .drain: self = .drain
        default: return nil
        }
    }
}
