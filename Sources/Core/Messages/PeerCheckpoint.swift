/// A replica's memory of the peer it greets: where to go on, and the last it has of the peer's own writes.
package struct PeerCheckpoint: Hashable, Sendable {
    /// The peer in question; nil for the reader, whose hello was read.
    ///
    /// A reader with another id ignores the peer checkpoint.
    package let peer: ReplicaID?
    /// Where the peer may go on reading its sequence; nil if nothing was read yet.
    package let checkpoint: Checkpoint?
    /// The highest counter of the peer's that is integrated here; 0 for none.
    package let counter: UInt64
    /// The peer's epoch in which that counter was given; nil if unknown.
    package let epoch: EpochID?
    /// How far the peer's state summary was adopted, in its summary sequence; nil if that is not known, as always
    /// without a checkpoint.
    package let summary: Checkpoint?

    /// The memory of `peer`.
    package init(
        peer: ReplicaID?, checkpoint: Checkpoint?, counter: UInt64, epoch: EpochID?,
        summary: Checkpoint? = nil
    ) {
        self.peer = peer
        self.checkpoint = checkpoint
        self.counter = counter
        self.epoch = epoch
        self.summary = checkpoint == nil ? nil : summary
    }
}

extension PeerCheckpoint: WireMessage {
    enum Key: UInt64 {
        case peerCheckpoint = 1
    }

    /// The number of this kind of message.
    package static let kind: UInt64 = 14
    static let name = "peer-checkpoint"
    var asMessage: Message { .peerCheckpoint(self) }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.peerCheckpoint)
        writer.item.peerCheckpoint(self)
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var peerCheckpoint: PeerCheckpoint?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .peerCheckpoint: peerCheckpoint = try reader.item.peerCheckpoint()
            }
        }
        self = try reader.required(peerCheckpoint, Key.peerCheckpoint)
    }

    var fields: [MessageField] { [.init("peer checkpoint", .peerCheckpoint(self))] }
}

extension CanonicalWriter {
    /// Writes `[whom, epoch, sequence, counter, epoch of the counter]`, and behind it, if known, the summary sequence,
    /// with its epoch before it if that is another one.
    mutating func peerCheckpoint(_ peerCheckpoint: PeerCheckpoint) {
        let summary = peerCheckpoint.summary
        let hasOwnEpoch = summary?.epoch != peerCheckpoint.checkpoint?.epoch
        array(summary == nil ? 5 : hasOwnEpoch ? 7 : 6)
        if let peer = peerCheckpoint.peer { identifier(peer.value) } else { null() }
        unsigned(peerCheckpoint.checkpoint?.epoch.value ?? 0)
        unsigned(peerCheckpoint.checkpoint?.sequence ?? 0)
        unsigned(peerCheckpoint.counter)
        if let epoch = peerCheckpoint.epoch {
            unsigned(epoch == peerCheckpoint.checkpoint?.epoch ? 0 : epoch.value)
        } else {
            null()
        }
        if let summary {
            if hasOwnEpoch { unsigned(summary.epoch.value) }
            unsigned(summary.sequence)
        }
    }
}

extension CanonicalReader {
    mutating func peerCheckpoint() throws(WireFault) -> PeerCheckpoint {
        let length = try array(max: 7, .peerCheckpoint)
        guard length >= 5 else { throw .outOfRange(.peerCheckpoint) }
        let peer = null() ? nil : ReplicaID(value: try identifier())
        let epoch = EpochID(value: try unsigned())
        let sequence = try counter()
        guard epoch.value != 0 || sequence == 0 else { throw .outOfRange(.checkpoint) }
        let counter = try counter()
        let counterEpoch: EpochID?
        if null() {
            counterEpoch = nil
        } else {
            let value = try unsigned()
            guard value != epoch.value else {
                throw value == 0 ? .outOfRange(.epoch) : .notDeterministic
            }
            counterEpoch = value == 0 ? epoch : EpochID(value: value)
        }
        var summary: Checkpoint?
        if length > 5 {
            guard epoch.value != 0 else { throw .outOfRange(.checkpoint) }
            let summaryEpoch = length == 7 ? EpochID(value: try unsigned()) : epoch
            guard summaryEpoch.value != 0 else { throw .outOfRange(.epoch) }
            guard length == 6 || summaryEpoch != epoch else { throw .notDeterministic }
            summary = Checkpoint(epoch: summaryEpoch, sequence: try self.counter())
        }
        let checkpoint = epoch.value == 0 ? nil : Checkpoint(epoch: epoch, sequence: sequence)
        return PeerCheckpoint(
            peer: peer, checkpoint: checkpoint, counter: counter, epoch: counterEpoch,
            summary: summary)
    }
}

extension MessageField.Content {
    static func peerCheckpoint(_ peerCheckpoint: PeerCheckpoint) -> Self {
        .object([
            .init("peer", peerCheckpoint.peer.map { .id($0) } ?? .nothing),
            .init("checkpoint", peerCheckpoint.checkpoint.map { .checkpoint($0) } ?? .nothing),
            .init("counter", .number(peerCheckpoint.counter)),
            .init("epoch", peerCheckpoint.epoch.map { .epoch($0) } ?? .nothing),
            .init("summary", peerCheckpoint.summary.map { .checkpoint($0) } ?? .nothing),
        ])
    }
}
