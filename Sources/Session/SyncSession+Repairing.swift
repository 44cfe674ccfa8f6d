import Core

/// The full exchange that ends a difference in contents.
extension SyncSession {
    mutating func startRepair() {
        guard let own else { preconditionFailure("a repair before the hellos") }
        repair.stage = .running
        report.isDiverged = true
        send(.repair)
        outbound.restartInFull(epoch: own.opening.epoch)
        inbound.isCaughtUp = false
    }

    /// Reads on once more after the peer's first round: what came of both sides goes out.
    mutating func startSecondRound() {
        guard repair.isSecondRoundDue, outbound.isCaughtUp else { return }
        outbound.isCaughtUp = false
        outbound.owesEnd = true
    }

    /// Judges, once both sides have said all.
    mutating func endRepair() {
        guard repair.isComplete else { return }
        if repair.isStillDiverged {
            failDiverged()
            return
        }
        repair.stage = .ended
        report.isRepaired = true
        outbound.isFull = false
        outbound.peerHas = inbound.statement.knowledge
    }

    mutating func failDiverged() {
        guard let own, let peer else { preconditionFailure("a verdict before the hellos") }
        fail(.diverged(own.replica, peer.replica))
    }
}
