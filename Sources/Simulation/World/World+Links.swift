import Core
import Replica
import Session
import Storage

/// Links between devices: what is put on them, what is lost, what arrives.
extension World {
    /// Opens a link between two devices and a session at each end.
    @discardableResult
    func connect(
        _ caller: SimulatedDevice, _ answerer: SimulatedDevice, isLive: Bool,
        isReading: Bool = false
    ) throws -> SimulatedLink {
        for device in [caller, answerer] { try refreshSecret(device) }
        if answerer.isRelay {
            try repairAccess(of: caller, at: answerer)
            return try relayHello(caller, answerer, isLive: isLive, isReading: isReading)
        }
        let (first, second) = (try replica(caller), try replica(answerer))
        guard network.isOpen(caller.index, answerer.index),
            network.isOpen(answerer.index, caller.index)
        else {
            throw Refused(.unreachable, "\(caller.name) cannot reach \(answerer.name)")
        }
        var chance = Chance(seed: scenario.seed, "call \(caller.name) \(answerer.name) \(now)")
        // Mostly one remembers who answers at an address; sometimes one does not, or is wrong.
        let guess: ReplicaID? =
            switch chance.below(8) {
            case 0: nil
            case 1: ReplicaID(value: UInt128(chance.next()) << 64 | UInt128(chance.next()))
            default: answerer.store?.replica
            }
        let (mine, outputs) = first.open(
            .initiator, isLive: isLive, guess: guess, limits: limits, now: instant)
        let (theirs, answers) = second.open(
            .responder, isLive: isLive, limits: limits, now: instant)
        let link = SimulatedLink(
            number: nextLink(), isLive: isLive,
            ends: [
                SimulatedLink.End(deviceIndex: caller.index, conversation: mine),
                SimulatedLink.End(deviceIndex: answerer.index, conversation: theirs),
            ])
        link.byteCountLeft = network.dequeueCut(caller.index, answerer.index)
        loseArmed(on: link)
        links[link.number] = link
        count(isLive ? "live sessions" : "sessions")
        try dispatch(outputs, of: caller)
        try dispatch(answers, of: answerer)
        return link
    }

    /// Limits of sessions; small ones in some worlds, so that batches are many.
    var limits: SessionLimits {
        var chance = Chance(seed: scenario.seed, "session limits")
        var limits = SessionLimits()
        guard scenario.isLenient else { return limits }
        limits.windowBatchCount = chance.pick([1, 2, 16])
        limits.batchByteCountMax = chance.pick([1, 200, 262_144])
        limits.wantedPerReadMax = chance.pick([1, 16])
        limits.wantedPerMessageMax = chance.pick([1, 1024])
        return limits
    }

    // MARK: Sending

    /// Runs what a device's replica asks for.
    func dispatch(_ outputs: [Replica.Output], of device: SimulatedDevice) throws {
        if device.disk.hasFuseBlown {
            // A program that ended on the way has sent nothing of this.
            try die(device)
            return
        }
        for (conversation, effect) in outputs {
            guard let (link, side) = end(conversation, of: device) else { continue }
            switch effect {
            case .send(let bytes): try send(bytes, on: link, from: side)
            case .wake(let time):
                link.ends[side].wakeToken += 1
                queue.schedule(
                    .wake(link: link.number, side: side, token: link.ends[side].wakeToken),
                    at: max(now, time.milliseconds - 1_000))
            case .report(let report):
                let before = link.ends[side].report
                link.ends[side].report = report
                try judge(report, after: before, of: link)
                try judgeRelayWords(report, of: link)
            case .fault(let fault): count("faults: \(Self.word(of: fault))")
            case .close(let end): try close(link, side, end)
            }
        }
        try look(device)
        do {
            try bringBackRefused(device)
        } catch is Refused {
            // On a full disk they come back later.
            count("refused deletes that could not be undone yet")
        }
    }

    /// The end at which a conversation takes place: one at most, in whatever order one looks.
    private func end(
        _ conversation: ConversationID, of device: SimulatedDevice
    ) -> (SimulatedLink, Int)? {
        for link in links.values {
            for side in 0...1
            where link.ends[side].deviceIndex == device.index && link.ends[side].end == nil
                && link.ends[side].conversation == conversation
            {
                return (link, side)
            }
        }
        return nil
    }

    /// Puts a frame on a link, after what only newer versions say.
    func send(_ bytes: [UInt8], on link: SimulatedLink, from side: Int) throws {
        let (mine, theirs) = (link.ends[side].deviceIndex, link.ends[1 - side].deviceIndex)
        if link.ends[side].hasSpoken {
            if let newer = devices[mine].newerMessage(seed: scenario.seed) {
                count("messages of newer kinds")
                try transmit(newer, on: link, from: side)
            }
            if network.dequeueUnknown(mine, theirs) {
                link.hasUnknown = true
                count("messages of unknown kinds")
                try transmit(
                    devices[mine].unknownMessage(seed: scenario.seed), on: link, from: side)
            }
        }
        link.ends[side].hasSpoken = true
        try note(bytes, from: devices[mine], to: devices[theirs], on: link)
        link.byteCount += bytes.count
        try transmit(bytes, on: link, from: side)
    }

    private func transmit(_ bytes: [UInt8], on link: SimulatedLink, from side: Int) throws {
        let (mine, theirs) = (link.ends[side].deviceIndex, link.ends[1 - side].deviceIndex)
        let message = options.keepsTrace ? nextMessage() : nil
        tell(
            mine,
            .sent(
                message: message ?? 0, to: theirs, kind: MessageName.name(ofFrame: bytes),
                byteCount: bytes.count))
        let device = devices[mine]
        if mayLosePower, !device.isRelay { oracle.left(device.index, frame: bytes) }
        if link.isBroken || link.ends[1 - side].end != nil {
            if let message { tell(theirs, .lost(message: message, "the other end is closed")) }
            return
        }
        if link.ends[1 - side].isDeaf {
            if let message { tell(theirs, .lost(message: message, "nothing arrives this way")) }
            count("messages lost one way")
            return
        }
        var packet = Packet(
            bytes: bytes, message: message, isSignOfLife: MessageName.isSignOfLife(bytes))
        if network.dequeueFlip(mine, theirs) { flipBit(in: &packet, of: link) }
        if let left = link.byteCountLeft {
            link.byteCountLeft = left - bytes.count
            if bytes.count > left {
                packet = Packet(bytes: Array(bytes.prefix(left)), message: nil)
                if let message { tell(theirs, .lost(message: message, "the link broke")) }
                if !packet.bytes.isEmpty { put(packet, on: link, to: 1 - side) }
                breakDown(link, sparing: 1 - side)
                return
            }
        }
        put(packet, on: link, to: 1 - side)
    }

    /// Has a new link lose what the network was told to lose.
    func loseArmed(on link: SimulatedLink) {
        for side in 0...1
        where network.dequeueLoss(link.ends[1 - side].deviceIndex, link.ends[side].deviceIndex) {
            link.ends[side].isDeaf = true
        }
    }

    /// Changes one bit of what is on its way.
    func flipBit(in packet: inout Packet, of link: SimulatedLink) {
        var chance = Chance(seed: scenario.seed, "flip \(now) \(link.number)")
        guard !packet.bytes.isEmpty else { return }
        packet.bytes[chance.below(packet.bytes.count)] ^= UInt8(1 << chance.below(8))
        link.isCorrupted = true
        count("bits flipped on the way")
    }

    /// Puts bytes on the way to one end, in one piece or two.
    func put(_ packet: Packet, on link: SimulatedLink, to side: Int) {
        let (from, to) = (link.ends[1 - side].deviceIndex, link.ends[side].deviceIndex)
        guard network.isOpen(from, to) else {
            link.ends[side].held.append(packet)
            return
        }
        let road = Network.Road(from: from, to: to)
        var chance =
            networkChance[road]
            ?? Chance(seed: scenario.seed, "road \(devices[from].name) \(devices[to].name)")
        defer { networkChance[road] = chance }
        let range = network.delay(from, to)
        let spread = Int(range.upperBound - range.lowerBound) + 1
        let time = now + range.lowerBound + Int64(chance.below(spread))
        if packet.bytes.count > 1, chance.happens(1, in: 16) {
            let cut = 1 + chance.below(packet.bytes.count - 1)
            var (first, rest) = (packet, packet)
            first.bytes = Array(packet.bytes[..<cut])
            first.message = nil
            rest.bytes = Array(packet.bytes[cut...])
            schedule(first, on: link, to: side, at: time)
            schedule(rest, on: link, to: side, at: time + 1)
        } else {
            schedule(packet, on: link, to: side, at: time)
        }
    }

    private func schedule(_ packet: Packet, on link: SimulatedLink, to side: Int, at time: Int64) {
        // A link keeps the order of what is put on it.
        let time = max(time, link.ends[side].lastArrival)
        link.ends[side].lastArrival = time
        link.ends[side].pendingCount += 1
        pendingCount += 1
        if packet.isSignOfLife { pendingSignCount += 1 }
        queue.schedule(.arrival(link: link.number, side: side, packet), at: time)
    }

    /// Puts what waited for a free way on it.
    func releaseHeld() {
        for link in linksInOrder {
            for side in 0...1
            where network.isOpen(link.ends[1 - side].deviceIndex, link.ends[side].deviceIndex) {
                let held = link.ends[side].held
                link.ends[side].held = []
                for packet in held { put(packet, on: link, to: side) }
                if link.ends[side].isHangUpHeld {
                    link.ends[side].isHangUpHeld = false
                    hangUp(link, side)
                }
            }
        }
    }

    // MARK: Ending

    func close(_ link: SimulatedLink, _ side: Int, _ end: SessionEnd) throws {
        link.ends[side].end = end
        let report = link.ends[side].report
        let device = devices[link.ends[side].deviceIndex]
        device.lastSession = (report.sentCount, link.byteCount)
        tell(
            device.index,
            .sessionEnded(
                with: link.ends[1 - side].deviceIndex, Self.words(for: end),
                isWell: end == .finished))
        if device.isRelay, case .failed(let error, _) = end, error.known == .refused {
            // Before the device hears of it the relay may learn or lose a generation.
            try noteRefusal(of: link, at: device)
        }
        try judge(end, of: link, side)
        if !device.isRelay { try judgeRekeyMessage(link, end, of: device) }
        hangUp(link, 1 - side)
        forget(link)
    }

    /// Lets one end hear that the link is closed, after all that is on its way to it.
    func hangUp(_ link: SimulatedLink, _ side: Int) {
        guard link.ends[side].end == nil,
            !(link.isHalfOpen || link.ends[side].isDeaf) || link.isBroken
        else { return }
        guard
            network.isOpen(link.ends[1 - side].deviceIndex, link.ends[side].deviceIndex)
                || link.isBroken
        else {
            link.ends[side].isHangUpHeld = true
            return
        }
        pendingCount += 1
        link.ends[side].pendingCount += 1
        queue.schedule(
            .hangUp(link: link.number, side: side), at: max(now, link.ends[side].lastArrival))
    }

    /// Breaks a link: what is on its way is lost, but for what is on its way to one end.
    func breakDown(_ link: SimulatedLink, sparing spared: Int? = nil) {
        if link.isBroken { return }
        link.isBroken = true
        count("links broken")
        for side in 0...1 {
            link.ends[side].held = []
            if side != spared { link.ends[side].lastArrival = now }
            hangUp(link, side)
        }
    }

    /// Ends every link of a device as its program goes away; what it sent still arrives.
    func vanish(_ device: SimulatedDevice) {
        for link in linksInOrder {
            for side in 0...1
            where link.ends[side].deviceIndex == device.index && link.ends[side].end == nil {
                link.ends[side].end = .lost
                link.ends[side].held = []
                hangUp(link, 1 - side)
            }
            forget(link)
        }
    }

    /// Lets go of a link that nobody holds any more.
    func forget(_ link: SimulatedLink) {
        if link.isOver, link.isQuiet, links[link.number] != nil {
            links[link.number] = nil
            noteRekeyMessages(of: link)
        }
    }

    /// All links by their numbers; one that is let go of meanwhile is passed over.
    var linksInOrder: some Sequence<SimulatedLink> {
        links.keys.sorted().lazy.compactMap { self.links[$0] }
    }

    /// The links that join two devices.
    func links(_ first: SimulatedDevice, _ second: SimulatedDevice) -> [SimulatedLink] {
        linksInOrder.filter { $0.joins(first.index, second.index) && !$0.isOver }
    }

    private static func words(for end: SessionEnd) -> String {
        switch end {
        case .finished: "the session ended in order"
        case .lost: "the link broke"
        case .failed(let error, _): "the session failed: \(error.message)"
        }
    }
}
