import Core

// A client of a gateway, outside of the space: it comes back with what it was told, and its deletes are guarded.

extension Store {
    /// How far a reader has read that is told this now; it is on the disk when this returns.
    ///
    /// Its epoch counts as heard of: after a power cut that took writes along, another one begins, so that no arrival
    /// number is given twice in one epoch, neither here nor in a copy of the store.
    package func outsideCheckpoint() throws(StoreFault) -> Checkpoint {
        try incarnations.beginNamed()
        return try incarnations.speaking { () throws(StoreFault) in
            Checkpoint(epoch: incarnations.newest.epoch, sequence: knowledge.sequence)
        }
    }

    /// Brings all to the disk that somebody outside of the space is about to be told of, or was told is kept; nothing if
    /// it is there.
    ///
    /// A reader that is told what a power cut takes back goes on from it: what it puts next is compared with nothing, and
    /// what it had put it takes for deleted.
    package func flushForOutside() throws(StoreFault) { try incarnations.flushAll() }

    /// The arrival number after which a reader has to go on that comes with a checkpoint.
    ///
    /// - Parameter replica: the id that the store had when it gave the checkpoint, which may be another one than now.
    /// - Returns: nil if the store cannot tell what has changed since: its epoch is none of this replica's, too old, or
    ///   ended before that number.
    package func sequence(
        ofOutside checkpoint: Checkpoint, of replica: ReplicaID
    ) throws(StoreFault) -> UInt64? {
        try reading { () throws(StoreFault) in
            guard let number = knowledge.replicas.index(of: replica),
                let end = try incarnations.endSequence(
                    of: checkpoint.epoch, underIDNumbered: number),
                checkpoint.sequence <= end
            else { return nil }
            return checkpoint.sequence
        }
    }

    /// Asks the mass-delete guard whether somebody outside of the space may delete records, and counts them if so.
    ///
    /// Held deletes are not made later by themselves: after `acceptDeletes` they pass when they are tried again.
    ///
    /// - Parameters:
    ///   - client: stands for the one who deletes; no replica's id.
    ///   - records: live records.
    package func admitsDeletes(
        of records: [RecordName], by client: ReplicaID
    ) throws(StoreFault) -> Bool {
        try deleteGuard.admits(
            records.count, by: client,
            examples: Array(records.prefix(MassDeleteLimits.exampleCountMax)))
    }

    /// Forgets what was counted of somebody outside of the space.
    package func forgetDeletes(by client: ReplicaID) throws(StoreFault) {
        try changing { () throws(StoreFault) in try deleteGuard.forget(client) }
    }
}
