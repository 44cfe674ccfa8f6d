import Core

/// The rows of one table in order of arrival, for a peer.
final class RowFeed {
    private let store: Store
    /// The table's place among the collections; nil for the changes that are set aside.
    private let place: Int?
    private let rows: PreparedStatement
    /// The arrival number of the row it stands on; nil at the end.
    private(set) var sequence: UInt64?

    init(_ store: Store, place: Int, after sequence: UInt64) throws(StoreFault) {
        self.store = store
        self.place = place
        rows = try store.connection.statement(store.collections[place].statements.feed)
        rows.bind(1, sequence)
        try advance()
    }

    init(parkedOf store: Store, after sequence: UInt64) throws(StoreFault) {
        self.store = store
        place = nil
        rows = try store.connection.statement(
            "SELECT sequence, id, clock, body FROM parked WHERE sequence > ? ORDER BY sequence")
        rows.bind(1, sequence)
        try advance()
    }

    /// Goes to the next row.
    func advance() throws(StoreFault) {
        sequence = try rows.step() ? rows.unsigned(0) : nil
    }

    /// Leaves the rows that were not read.
    func close() {
        rows.reset()
    }

    /// The change in this row; nil if the peer has it.
    ///
    /// - Parameter peerHas: what the peer has; nil to send everything whole.
    func change(peerHas: VersionVector?) throws(StoreFault) -> Change? {
        guard let place else {
            let change = try store.parkedChange(rows)
            if peerHas?.covers(change.clock) == true { return nil }
            return Change(id: change.id, clock: change.clock, body: change.body, isAside: true)
        }
        if let peerHas {
            guard let clock = rows.withBytes(4, { RowCodec.clock($0, store.state.replicas) }) else {
                throw store.damaged(place, rows)
            }
            if peerHas.covers(clock) { return nil }
        }
        return store.change(try store.stored(rows, place), known: peerHas)
    }
}
