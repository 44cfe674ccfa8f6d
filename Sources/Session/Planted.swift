import Core

// Broken variants of this module's rules, for `PlantedFault`; release builds have none of them.

extension RelayClientSession {
    /// The writes that the relay is supposed to have: those of this device when the session began, unless it has
    /// never uploaded anything.
    var elided: VersionVector {
        guard case .syncing(let own, let welcome) = phase, welcome.uploaded != nil else {
            return VersionVector()
        }
        return own.statement.knowledge
    }
}

extension SyncSession {
    /// The statement of the greeting, once a reading that found more has passed it.
    mutating func olderStatement(passedBy answer: Reading) -> Statement? {
        guard let own,
            outbound.reached.sequence < own.sequence,
            answer.through.sequence >= own.sequence
        else { return nil }
        // There is more to send, when this is said.
        outbound.isDirty = true
        return own.statement
    }

    /// Makes a checkpoint reach as far as this side's store did at the greeting.
    func exaggerate(_ through: inout Checkpoint) {
        guard let own, own.sequence > through.sequence else { return }
        through = Checkpoint(epoch: through.epoch, sequence: own.sequence)
    }
}
