import Core
import Relay
import Replica
import Session
import Storage

/// Messages from and to relays.
extension World {
    /// Runs what a relay asks for.
    func dispatch(_ outputs: [RelayEngine.Output], of device: SimulatedDevice) throws {
        if device.disk.hasFuseBlown {
            try die(device)
            return
        }
        noticeCommits()
        if waits(outputs, of: device) { return }
        try carryOut(outputs, of: device)
    }

    /// Does what a relay asks for.
    func carryOut(_ outputs: [RelayEngine.Output], of device: SimulatedDevice) throws {
        for (session, effect) in outputs {
            if case .log(.spaceFailed(_, let fault)) = effect, !device.isTroubled,
                !isOfLostServer(fault, at: device)
            {
                throw Violation(.crashed, "\(device.name) fails: \(fault)")
            }
            guard let session, let (link, side) = end(session, of: device) else { continue }
            switch effect {
            case .send(let bytes): try say(bytes, on: link, from: side)
            case .wake(let time):
                link.ends[side].wakeToken += 1
                queue.schedule(
                    .wake(link: link.number, side: side, token: link.ends[side].wakeToken),
                    at: max(now, time.milliseconds - 1_000))
            case .close(let end): try close(link, side, end)
            case .log: continue
            }
        }
        if let node = device.relay?.node { pass(node.takeTouches(), of: device) }
        guard let relay = device.relay, relay.node?.hasWaiting == true, !relay.isCommitDue
        else { return }
        relay.isCommitDue = true
        pendingCount += 1
        queue.schedule(.commit(deviceIndex: device.index, life: relay.life), at: now)
    }

    private func end(
        _ session: RelayServerSessionID, of device: SimulatedDevice
    ) -> (SimulatedLink, Int)? {
        for link in linksInOrder {
            for side in 0...1
            where link.ends[side].deviceIndex == device.index && link.ends[side].end == nil
                && link.ends[side].relaySession == session
            {
                return (link, side)
            }
        }
        return nil
    }

    /// Brings to the relay's disk what waits for it.
    func commit(_ deviceIndex: Int, life: Int) throws {
        pendingCount -= 1
        let device = devices[deviceIndex]
        guard let relay = device.relay, relay.life == life, let node = relay.node else { return }
        relay.isCommitDue = false
        eventCount += 1
        mix(UInt64(bitPattern: now) &* 31 &+ 4)
        mix(UInt64(deviceIndex))
        count("commits of relays")
        try dispatch(node.commit(now: instant), of: device)
        try look(relay: device)
    }

    /// Bytes arrive at a relay.
    func arrive(
        _ bytes: [UInt8], at device: SimulatedDevice, _ link: SimulatedLink, _ side: Int
    ) throws {
        guard let node = device.relay?.node, let session = link.ends[side].relaySession else {
            return
        }
        guard link.byzantineRelay != nil else {
            try dispatch(node.receive(session, bytes, now: instant), of: device)
            return
        }
        guard let heard = link.byzantineRelay?.hear(bytes) else {
            try dispatch(node.receive(session, bytes, now: instant), of: device)
            return
        }
        for answer in heard.answers { try send(Frame.encode(answer), on: link, from: side) }
        for message in heard.passed where device.relay?.node === node {
            try dispatch(node.receive(session, Frame.encode(message), now: instant), of: device)
        }
    }

    /// Puts what a relay says on a link, or a lie in its place.
    private func say(_ bytes: [UInt8], on link: SimulatedLink, from side: Int) throws {
        guard link.byzantineRelay != nil else {
            try send(bytes, on: link, from: side)
            return
        }
        for message in Self.messages(in: bytes) {
            for told in link.byzantineRelay?.told(message) ?? [] {
                try send(Frame.encode(told), on: link, from: side)
            }
        }
    }

    /// Takes down what a device says to a relay.
    func note(
        _ bytes: [UInt8], from device: SimulatedDevice, to relayHost: SimulatedDevice,
        on link: SimulatedLink
    ) throws {
        guard let relay = relayHost.relay else { return }
        let kinds = [ChangeBatch.kind, UploadDone.kind, RekeyMessage.kind]
        guard let kind = MessageName.kind(ofFrame: bytes), kinds.contains(kind) else { return }
        for message in Self.messages(in: bytes) {
            relay.remember(message, from: device.store?.replica)
            if mayLosePower, case .changes(let batch) = message {
                leave(batch.changes, by: device, on: link)
            }
            if case .rekeyMessage(let rekeyMessage) = message { leave(rekeyMessage, by: device) }
            if case .uploadDone = message, let store = device.store {
                let seen = try store.stateSummary().seen
                declared[store.replica, default: VersionVector()].join(seen)
            }
        }
    }

    /// Takes down that versions have left a device: which records they are only their contents tell.
    private func leave(
        _ versions: [Change], by device: SimulatedDevice, on link: SimulatedLink
    ) {
        let seal =
            scenario.isPlain ? nil : KeyedSeal(space: device.space, link.secret)
        oracle.left(
            device.index,
            changes: versions.compactMap { RelayVersion.change(in: $0, opening: seal) })
    }

    /// Takes down that what a rekey message holds has left a device.
    private func leave(_ rekeyMessage: RekeyMessage, by device: SimulatedDevice) {
        count("rekey messages left")
        guard mayLosePower, let changes = KeyedRekeyMailbox.open(rekeyMessage, in: device.space)
        else {
            return
        }
        oracle.left(device.index, changes: changes)
    }

    private static func messages(in bytes: [UInt8]) -> [Message] {
        var decoder = FrameDecoder()
        decoder.append(bytes)
        var messages: [Message] = []
        while let message = try? decoder.next() { messages.append(message) }
        return messages
    }

    // MARK: Judging

    /// Has a relay's files looked at, which opens them anew if another space was needed since: a disk
    /// that is full or about to fail may do so then.
    func looking(at device: SimulatedDevice, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let fault as StoreFault {
            if device.disk.hasFuseBlown {
                try die(device)
            } else if !device.isTroubled {
                throw fault
            }
        }
    }

    /// Looks whether a relay keeps what it must, and no more.
    func look(relay device: SimulatedDevice) throws {
        guard options.looksAfterEachEvent, let node = device.relay?.node else { return }
        try looking(at: device) {
            if let store = try node.store(of: Self.space) { try look(store, of: device) }
        }
        try judgeDatabase(of: device)
    }

    private func look(_ store: RelaySpaceView, of device: SimulatedDevice) throws {
        let rekeyMessages = store.rekeyMessageMarks.map(\.verifier)
        let isDouble = Set(rekeyMessages).count < rekeyMessages.count
        if rekeyMessages.count > WireLimits.rekeyMessageCountMax || isDouble
            || (store.generation > 0 && rekeyMessages.contains(store.verifier))
        {
            throw Violation(.unbounded, "\(device.name) holds rekey messages that nobody needs")
        }
        let secret = secret(of: store)
        if device.relay?.heldSecret != secret {
            // A new secret begins with nothing.
            device.relay?.held = [:]
            device.relay?.heldSecret = secret
        }
        for item in itemNames.keys.sorted() {
            let versions = try store.versions(of: relayName(of: item, in: store))
            let readable = versions.filter { !$0.isDeferred }
            // Versions deferred may name strangers, who are nobody's replicas.
            let deferred = Set(versions.filter(\.isDeferred).map(\.clock))
            let named = Set(deferred.flatMap { $0.entries.map(\.replica) })
            // Two bodies of one clock are two pasts of a device that was set back.
            let isRepaired = (device.relay?.damageCount ?? 0) > 0
            let clocks = Set(
                readable.filter { !isRepaired || opens($0, in: store) }.map(\.clock))
            if clocks.count > max(1, replicaIDs.count) || deferred.count > named.count {
                throw Violation(
                    .unbounded,
                    "\(device.name) holds \(versions.count) versions of record \(item)")
            }
            let held = SimulatedRelay.Held(
                all: versions.reduce(VersionVector()) { $0.joined(with: $1.clock) },
                readable: readable.reduce(VersionVector()) { $0.joined(with: $1.clock) })
            if let before = device.relay?.held[item],
                !held.all.covers(before.all) || !held.readable.covers(before.readable)
            {
                throw Violation(
                    .lostWrite, "\(device.name) has dropped a version of record \(item)")
            }
            device.relay?.held[item] = held
            for (index, version) in versions.enumerated() {
                for other in versions[(index + 1)...]
                where isNeedless(version, other, in: store)
                    || isNeedless(other, version, in: store)
                {
                    throw Violation(
                        .unbounded,
                        "\(device.name) holds a version of record \(item) that another one includes"
                    )
                }
            }
        }
    }

    /// Whether a relay should not keep a version beside another one of the same record.
    private func isNeedless(
        _ version: Change, _ other: Change, in store: RelaySpaceView
    ) -> Bool {
        guard other.clock.covers(version.clock) else { return false }
        // One that cannot be opened takes the place of none, once a device has said so.
        if !opens(other, in: store) { return false }
        if other.isDeferred != version.isDeferred { return version.isDeferred }
        return other.clock != version.clock || other.body == version.body
    }

    /// Whether a device of the space can open a version.
    private func opens(_ version: Change, in store: RelaySpaceView) -> Bool {
        let seal =
            scenario.isPlain ? nil : KeyedSeal(space: store.key.space, secret(of: store))
        return RelayVersion.change(in: version, opening: seal) != nil
    }

    /// Whether what a device says of a relay and of others is true.
    func judgeRelayWords(_ report: SessionReport, of link: SimulatedLink) throws {
        guard
            let relayHost = link.ends.lazy.map({ self.devices[$0.deviceIndex] }).first(
                where: \.isRelay),
            let caller = link.ends.lazy.map({ self.devices[$0.deviceIndex] }).first(where: {
                !$0.isRelay
            })
        else { return }
        if let peer = report.peer { caller.relayIDs[relayHost.index] = peer }
        if report.unreadableCount > 0 {
            count("unreadable things from relays")
            if isHonest(relayHost), !link.isCorrupted, !caller.hasWrongBit {
                throw Violation(
                    .unsound, "\(caller.name) cannot open what an honest relay sends")
            }
        }
        for (replica, sequence) in report.seenBy.sorted(by: { $0.key < $1.key })
        where caller.judgedSeen[replica] != sequence {
            guard let store = caller.store else { break }
            caller.judgedSeen[replica] = sequence
            var writes = VersionVector()
            for stored in try store.news(after: 0).records where stored.sequence <= sequence {
                writes.join(stored.record.clock)
            }
            guard let known = declared[replica], known.covers(writes) else {
                throw Violation(
                    .unsound,
                    "\(caller.name) says that \(name(of: replica)) has seen what that never declared"
                )
            }
        }
        try judgeStored(report, caller, relayHost, link)
    }

    /// The name by which a relay's store of a space knows a record.
    func relayName(of name: RecordName, in store: RelaySpaceView) -> RecordName {
        if scenario.isPlain { return SipHash.relayName(of: name) }
        return KeyedSeal(space: store.key.space, secret(of: store)).relayName(of: name)
    }

    /// Whether the relay has what it is said to have stored.
    private func judgeStored(
        _ report: SessionReport, _ caller: SimulatedDevice, _ relayHost: SimulatedDevice,
        _ link: SimulatedLink
    ) throws {
        guard let through = report.storedThrough, through != link.storedThrough, !link.hasLies,
            let relay = relayHost.relay, !relay.hasLied || relay.damageCount == 0,
            relay.life == link.relayLife, let node = relay.node,
            link.databaseOrigin == databaseOrigin(of: relayHost), let store = caller.store,
            !caller.hasWrongBit
        else { return }
        link.storedThrough = through
        count("words that a relay has stored all")
        try looking(at: relayHost) {
            let kept = try node.store(of: caller.space)
            // A new secret, of which this device has not heard yet, begins with nothing.
            if let kept, secret(of: kept) != link.secret { return }
            try judgeStored(through, of: store, at: kept, caller, relayHost)
        }
    }

    private func judgeStored(
        _ through: Checkpoint, of store: Store, at kept: RelaySpaceView?, _ caller: SimulatedDevice,
        _ relayHost: SimulatedDevice
    ) throws {
        for stored in try store.news(after: 0).records where stored.sequence <= through.sequence {
            var held = VersionVector()
            if let kept {
                let name = relayName(of: stored.name, in: kept)
                for version in try kept.versions(of: name) where !version.isDeferred {
                    held.join(version.clock)
                }
            }
            if !held.covers(stored.record.clock) {
                throw Violation(
                    .unsound,
                    "\(caller.name) says that \(relayHost.name) has stored record \(stored.name), falsely"
                )
            }
        }
    }
}
