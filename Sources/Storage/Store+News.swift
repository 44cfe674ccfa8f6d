import Core

/// What a store holds, for whoever looks over its shoulder.
extension Store {
    /// What is new in a store since an arrival number, and what the store says of itself.
    package struct News: Hashable, Sendable {
        /// The space.
        package var space: SpaceID
        /// This replica.
        package var replica: ReplicaID
        /// The last arrival number.
        package var sequence: UInt64
        /// What is integrated or parked.
        package var knowledge: VersionVector
        /// The sum of the hashes of all records.
        package var digest: UInt128
        /// The records that changed, collection by collection, in order of arrival.
        package var records: [StoredRecord] = []
        /// The changes that were set aside, in order of arrival.
        package var parked: [Parked] = []
    }

    /// What is new after an arrival number, in one transaction that writes and flushes nothing.
    package func news(after sequence: UInt64) throws(StoreFault) -> News {
        try reading { () throws(StoreFault) in
            var news = News(
                space: state.space, replica: state.replica, sequence: state.sequence,
                knowledge: state.replicas.knowledge, digest: state.digest)
            if state.sequence == sequence { return news }
            for place in collections.indices {
                try forEachRecord(in: place, after: sequence) { news.records.append($0) }
            }
            if state.parked.isEmpty { return news }
            news.parked = try parked(after: sequence)
            return news
        }
    }

    /// What is integrated or parked, as far as this process has looked.
    package var knowledge: VersionVector { state.replicas.knowledge }

    /// What the store would state to a peer now; unlike an introduction it flushes nothing.
    package func presentStatement() throws(StoreFault) -> Statement {
        try reading { () throws(StoreFault) in state.statement }
    }
}
