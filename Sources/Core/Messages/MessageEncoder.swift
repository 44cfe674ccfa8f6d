/// Messages → deterministic CBOR: a map from small numbers, key 0 the kind.
package enum MessageEncoder {
    /// The bytes of one message, without a frame.
    package static func encode(_ message: Message) -> [UInt8] {
        var writer = CanonicalWriter()
        switch message {
        case .hello(let hello): write(hello, to: &writer)
        case .changes(let batch): write(batch, to: &writer)
        case .caughtUp(let end): write(end, to: &writer)
        case .part(let part): write(part, to: &writer)
        case .error(let error): write(error, to: &writer)
        case .history(let history): write(history, to: &writer)
        case .recollect(let recollection):
            writer.start(message, pairs: 2)
            writer.unsigned(1)
            write(recollection, places: nil, to: &writer)
        case .acknowledge(let number), .ping(let number), .pong(let number):
            writer.start(message, pairs: 2)
            writer.unsigned(1)
            writer.unsigned(number)
        case .want(let ids):
            writer.start(message, pairs: 2)
            writer.unsigned(1)
            writer.array(ids.count)
            for id in ids { writer.identifier(id.value) }
        case .approach(let approach): write(approach, to: &writer)
        case .welcome(let welcome): write(welcome, to: &writer)
        case .upload(let upload): write(upload, to: &writer)
        case .standing(let standing): write(standing, to: &writer)
        case .letter(let letter): write(letter, to: &writer)
        case .repair, .askHistory, .bye, .ignorable: writer.start(message, pairs: 1)
        }
        return writer.bytes
    }

    private static func write(_ hello: Hello, to writer: inout CanonicalWriter) {
        let optional =
            (hello.statement == nil ? 0 : 2) + (hello.recollection == nil ? 0 : 1)
            + (hello.reached == nil ? 0 : 1)
        writer.start(.hello(hello), pairs: 7 + optional)
        writer.unsigned(1)
        writer.array(2)
        writer.unsigned(hello.versionMin)
        writer.unsigned(hello.versionMax)
        writer.unsigned(2)
        writer.identifier(hello.space.value)
        writer.unsigned(3)
        writer.unsigned(UInt64(hello.policy.rawValue))
        writer.unsigned(4)
        writer.identifier(hello.replica.value)
        writer.unsigned(5)
        write(hello.opening, to: &writer)
        if let statement = hello.statement {
            writer.unsigned(6)
            write(statement.entries, speaker: hello.replica, to: &writer)
            writer.unsigned(7)
            write(statement.digest, to: &writer)
        }
        writer.unsigned(8)
        writer.unsigned(hello.features.rawValue)
        if let recollection = hello.recollection {
            writer.unsigned(9)
            write(recollection, places: hello.statement, to: &writer)
        }
        if let reached = hello.reached {
            writer.unsigned(10)
            writer.unsigned(reached)
        }
    }

    private static func write(_ start: EpochStart, to writer: inout CanonicalWriter) {
        writer.array(2)
        writer.unsigned(start.epoch.value)
        writer.unsigned(start.counter)
    }

    /// Entries of a statement; beside a hello's speaker, its own has null for its name.
    static func write(
        _ entries: [StatementEntry], speaker: ReplicaID? = nil, to writer: inout CanonicalWriter
    ) {
        writer.array(entries.count)
        for entry in entries {
            writer.array(entry.isComplete ? 3 : 4)
            if entry.replica == speaker {
                writer.null()
            } else {
                writer.identifier(entry.replica.value)
            }
            writer.unsigned(entry.counter)
            writer.identifier(entry.tally)
            if !entry.isComplete { writer.unsigned(entry.seen) }
        }
    }

    /// A recollection: `[whom, epoch, sequence, counter, epoch of the counter]`.
    private static func write(
        _ recollection: Recollection, places: Statement?, to writer: inout CanonicalWriter
    ) {
        writer.array(5)
        if let peer = recollection.peer {
            if let place = places?.entries.firstIndex(where: { $0.replica == peer }) {
                writer.unsigned(UInt64(place))
            } else {
                writer.identifier(peer.value)
            }
        } else {
            writer.null()
        }
        writer.unsigned(recollection.checkpoint?.epoch.value ?? 0)
        writer.unsigned(recollection.checkpoint?.sequence ?? 0)
        writer.unsigned(recollection.counter)
        if let epoch = recollection.epoch {
            writer.unsigned(epoch == recollection.checkpoint?.epoch ? 0 : epoch.value)
        } else {
            writer.null()
        }
    }

    private static func write(_ batch: ChangeBatch, to writer: inout CanonicalWriter) {
        var replicas: [ReplicaID] = []
        for change in batch.changes {
            for entry in change.clock.entries where !replicas.contains(entry.replica) {
                replicas.append(entry.replica)
            }
        }
        replicas.sort()
        let aside = batch.changes.indices.filter { batch.changes[$0].isAside }
        let optional =
            (batch.through == nil ? 0 : 1) + (batch.openings.isEmpty ? 0 : 1)
            + (aside.isEmpty ? 0 : 1)
        writer.bytes.reserveCapacity(
            batch.changes.reduce(64 + replicas.count * 16) { $0 + $1.body.count + 48 })
        writer.start(.changes(batch), pairs: 3 + optional)
        writer.unsigned(1)
        writer.head(2, UInt64(replicas.count * 16))
        for replica in replicas { writer.raw(replica.value) }
        writer.unsigned(2)
        writer.array(batch.changes.count * 3)
        for change in batch.changes {
            writer.identifier(change.id.value)
            writer.array(change.clock.entries.count * 2)
            for entry in change.clock.entries {
                writer.unsigned(UInt64(place(of: entry.replica, in: replicas)))
                writer.unsigned(entry.counter)
            }
            writer.byteString(change.body)
        }
        if let through = batch.through {
            writer.unsigned(3)
            write(through, to: &writer)
        }
        if !batch.openings.isEmpty {
            writer.unsigned(4)
            write(batch.openings, to: &writer)
        }
        if !aside.isEmpty {
            writer.unsigned(5)
            writer.array(aside.count)
            for place in aside { writer.unsigned(UInt64(place)) }
        }
    }

    /// Openings, three parts each.
    static func write(_ openings: [ChangeBatch.Opening], to writer: inout CanonicalWriter) {
        writer.array(openings.count * 3)
        for opening in openings {
            writer.identifier(opening.replica.value)
            writer.unsigned(opening.start.epoch.value)
            writer.unsigned(opening.start.counter)
        }
    }

    private static func place(of replica: ReplicaID, in replicas: [ReplicaID]) -> Int {
        for (place, other) in replicas.enumerated() where other == replica { return place }
        preconditionFailure("a batch's table has all the replicas of its clocks")
    }

    static func write(_ checkpoint: Checkpoint, to writer: inout CanonicalWriter) {
        writer.array(2)
        writer.unsigned(checkpoint.epoch.value)
        writer.unsigned(checkpoint.sequence)
    }

    private static func write(_ end: CaughtUp, to writer: inout CanonicalWriter) {
        let optional = (end.changed.isEmpty ? 0 : 1) + (end.digest == nil ? 0 : 1)
        writer.start(.caughtUp(end), pairs: 2 + optional)
        writer.unsigned(1)
        write(end.through, to: &writer)
        if !end.changed.isEmpty {
            writer.unsigned(2)
            write(end.changed, to: &writer)
        }
        if let digest = end.digest {
            writer.unsigned(3)
            write(digest, to: &writer)
        }
    }

    static func write(_ digest: Digest, to writer: inout CanonicalWriter) {
        guard let clocks = digest.clocks else { return writer.identifier(digest.contents) }
        writer.head(2, 32)
        writer.raw(digest.contents)
        writer.raw(clocks)
    }

    private static func write(_ part: BodyPart, to writer: inout CanonicalWriter) {
        writer.start(.part(part), pairs: part.isAside ? 7 : 6)
        writer.unsigned(1)
        writer.identifier(part.id.value)
        writer.unsigned(2)
        writer.array(part.clock.entries.count * 2)
        for entry in part.clock.entries {
            writer.identifier(entry.replica.value)
            writer.unsigned(entry.counter)
        }
        writer.unsigned(3)
        writer.unsigned(UInt64(part.byteCount))
        writer.unsigned(4)
        writer.unsigned(UInt64(part.offset))
        writer.unsigned(5)
        writer.byteString(part.bytes)
        if part.isAside {
            writer.unsigned(6)
            writer.bool(true)
        }
    }

    private static func write(_ error: PeerError, to writer: inout CanonicalWriter) {
        writer.start(.error(error), pairs: error.reasonNumber == nil ? 5 : 6)
        writer.unsigned(1)
        writer.unsigned(error.code)
        writer.unsigned(2)
        writer.text(error.message)
        writer.unsigned(3)
        writer.unsigned(error.side.rawValue)
        writer.unsigned(4)
        writer.text(error.advice)
        if let reason = error.reasonNumber {
            writer.unsigned(5)
            writer.unsigned(reason)
        }
    }

    private static func write(_ history: History, to writer: inout CanonicalWriter) {
        writer.start(.history(history), pairs: 4)
        writer.unsigned(1)
        writer.identifier(history.replica.value)
        writer.unsigned(2)
        writer.unsigned(history.counter)
        writer.unsigned(3)
        writer.array(history.openings.count * 2)
        for opening in history.openings {
            writer.unsigned(opening.epoch.value)
            writer.unsigned(opening.counter)
        }
    }
}

extension CanonicalWriter {
    /// Writes the head of a message's map and its kind.
    mutating func start(_ message: Message, pairs: Int) {
        map(pairs)
        unsigned(0)
        unsigned(message.kind)
    }
}
