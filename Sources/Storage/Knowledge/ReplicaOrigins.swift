import Core

/// The part of a store that remembers who first brought the replica ids that it knows.
///
/// Owns the table `brought_replica`: a row for each id that came in a change, at most as many as the table of replicas
/// takes. It is told to people and decides nothing: records of devices arrive in any order, and any member can write one.
final class ReplicaOrigins {
    private let database: Database
    private let knowledge: Knowledge
    private let members: SpaceMembers

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        members = store.members
    }

    /// Notes that ids came with changes of a peer and were not known here before.
    func note(_ replicas: [ReplicaID], from peer: ReplicaID) throws(StoreFault) {
        for replica in replicas {
            let row = try database.connection.statement(
                "INSERT OR IGNORE INTO brought_replica VALUES (?, ?)")
            row.bind(1, identifier: replica.value)
            row.bind(2, identifier: peer.value)
            try row.run()
        }
    }

    /// The ids that wrote something which is here, and that have no device record.
    ///
    /// Recovered ids, which a repair makes, have none either; a member could choose an id that looks like one.
    func undocumented() throws(StoreFault) -> [UndocumentedReplica] {
        try database.reading { () throws(StoreFault) in
            var documented = Set(
                try members.deviceRecords().map { ReplicaID(value: $0.id.value) })
            documented.insert(knowledge.replica)
            let origins = try origins()
            return knowledge.replicas.entries.filter {
                max($0.counter, $0.seen) > 0 && !documented.contains($0.replica)
            }.map { UndocumentedReplica(replica: $0.replica, bringer: origins[$0.replica]) }
        }
    }

    private func origins() throws(StoreFault) -> [ReplicaID: ReplicaID] {
        let rows = try database.connection.statement("SELECT replica, peer FROM brought_replica")
        defer { rows.reset() }
        var found: [ReplicaID: ReplicaID] = [:]
        while try rows.step() {
            guard let replica = rows.identifier(0), let peer = rows.identifier(1) else { continue }
            found[ReplicaID(value: replica)] = ReplicaID(value: peer)
        }
        return found
    }
}

/// A replica id without a device record.
package struct UndocumentedReplica: Hashable, Sendable {
    /// The id.
    package let replica: ReplicaID
    /// The replica or relay store in whose session its first write came; nil if that was not noted.
    ///
    /// Whoever brought it need not have written under it.
    package let bringer: ReplicaID?
}
