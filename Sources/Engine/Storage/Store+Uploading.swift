import Causality
import Records
import Wire

/// How far this store was uploaded to relays.
///
/// A relay remembers it as well, but of a replica id: of a machine that was set back unnoticed it knows
/// the other past. What the store itself remembers went back with it.
extension Store {
    /// The most stores of relays that are remembered; of others everything is uploaded once more.
    package static let uploadMarkCountMax = 64

    /// Remembers that a relay has everything up to that place.
    package func noteUploaded(
        through: Checkpoint, to relay: ReplicaID
    ) throws(StoreFault) {
        if try reading({ () throws(StoreFault) in try uploadMark(at: relay) }) == through { return }
        try changing { () throws(StoreFault) in
            let row = try connection.statement("INSERT OR REPLACE INTO upload VALUES (?, ?, ?)")
            row.bind(1, identifier: relay.value)
            row.bind(2, through.epoch.value)
            row.bind(3, through.sequence)
            try row.run()
            let excess = try connection.statement(
                """
                DELETE FROM upload WHERE relay <> ?1 AND relay IN (
                    SELECT relay FROM upload WHERE relay <> ?1
                    ORDER BY sequence DESC, relay LIMIT -1 OFFSET ?2)
                """)
            excess.bind(1, identifier: relay.value)
            excess.bind(2, Int64(Self.uploadMarkCountMax - 1))
            try excess.run()
        }
    }

    /// How far this store was uploaded to a relay; nil if it remembers nothing.
    func uploadMark(at relay: ReplicaID) throws(StoreFault) -> Checkpoint? {
        let row = try connection.statement("SELECT epoch, sequence FROM upload WHERE relay = ?")
        row.bind(1, identifier: relay.value)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return Checkpoint(epoch: EpochID(value: row.unsigned(0)), sequence: row.unsigned(1))
    }
}
