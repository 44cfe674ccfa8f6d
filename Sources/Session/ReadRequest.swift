import Core

/// Asks the store for the next changes to send.
package struct ReadRequest: Hashable, Sendable {
    /// Where to read on.
    package enum Start: Hashable, Sendable {
        /// Where the peer's checkpoint says; from the start if its epoch is unknown or there is none.
        case checkpoint(Checkpoint?)
        /// After what a relay has: by its own word and by the store's memory, whichever is less. What the
        /// relay was told may be of another past of this device.
        case uploaded(to: ReplicaID, told: Checkpoint?)
        /// As `uploaded` with nothing told, to a relay that knows how far this device has read, and so still has
        /// what it sent: after that, if a session before has looked what of it is here; what it lacks comes first.
        case fetched(from: ReplicaID)
        /// After this arrival number, given by an earlier read of this session.
        case sequence(UInt64)
    }

    /// Where to read on.
    package var start: Start
    /// Records whose clock this covers are passed over, and values under it may be left out.
    package var peerHas: VersionVector
    /// Records asked for whole; they come first, out of turn, whatever their length.
    package var wanted: [RecordID]
    /// Whether every record is sent, whole: a full exchange.
    package var isFull: Bool
    /// The most bytes of bodies to read; one longer body is read alone.
    package var byteCountMax: Int

    /// A request.
    package init(
        start: Start, peerHas: VersionVector, wanted: [RecordID], isFull: Bool, byteCountMax: Int
    ) {
        self.start = start
        self.peerHas = peerHas
        self.wanted = wanted
        self.isFull = isFull
        self.byteCountMax = byteCountMax
    }
}
