import Core

/// The sending direction: read on, pack, keep to the window, say when nothing is left.
extension SyncSession {
    /// Both sides are sure of themselves; what the peer lacks may go out.
    mutating func beginSending() {
        guard let own, let peer, let statement = peer.statement else {
            preconditionFailure("both hellos are known before anything is sent")
        }
        doubt = .none
        greetingDeadline = nil
        outbound.peerHas = Self.held(by: statement, beside: own.statement)
        if isSettledByHello, let reached = peer.reached {
            outbound.isCaughtUp = true
            outbound.owesEnd = false
            outbound.start = .sequence(own.sequence)
            outbound.reached = Checkpoint(epoch: own.opening.epoch, sequence: own.sequence)
            let through = Checkpoint(epoch: peer.opening.epoch, sequence: reached)
            inbound.append(.end(through: through, statement: statement))
        } else if outbound.peerHas.covers(own.statement.seen) {
            // The peer has it all: what the greeting found is the end, without a look at the records.
            let through = Checkpoint(epoch: own.opening.epoch, sequence: own.sequence)
            outbound.start = .sequence(own.sequence)
            outbound.reached = through
            outbound.end = Outbound.End(through: through, statement: own.statement)
        } else {
            let checkpoint = recollection?.checkpoint
            outbound.start = .checkpoint(checkpoint)
            outbound.reached = checkpoint ?? Checkpoint(epoch: own.opening.epoch, sequence: 0)
        }
        // The peer may have asked for it while this side was not sure of itself.
        if !isSettledByHello, own.isRepairDue || repair.isPeerTakingPart { startRepair() }
    }

    /// What the peer knows, and of ids with equal tallies what is here: the same records have it there.
    private static func held(by peer: Statement, beside own: Statement) -> VersionVector {
        var held = peer.knowledge
        // A change that is set aside counts in a tally as if the record were there as it says.
        if peer.digest.clocks != nil || own.digest.clocks != nil { return held }
        for mine in own.entries where mine.tally != 0 {
            guard let theirs = peer.entry(of: mine.replica), theirs.tally == mine.tally else {
                continue
            }
            held.include(mine.seen, of: mine.replica)
        }
        return held
    }

    /// Reads on if there may be something to send and room for it.
    mutating func readOn() {
        guard phase == .syncing, drainingSince == nil, !outbound.isReading,
            outbound.parcels.isEmpty,
            outbound.end == nil, outbound.hasRoom(limits)
        else { return }
        if outbound.isCaughtUp {
            guard isLiveOnBothSides, outbound.isDirty, !isRepairPending, !isHeld() else { return }
            outbound.isCaughtUp = false
        }
        let wanted = Array(outbound.wanted.prefix(limits.wantedPerReadMax))
        outbound.wanted.removeFirst(wanted.count)
        outbound.isReading = true
        outbound.isDirty = false
        outbound.restateAt = nil
        inbound.hasChangedStore = false
        outbound.heldSince = nil
        effects.append(
            .read(
                ReadRequest(
                    start: outbound.start, peerHas: outbound.peerHas, wanted: wanted,
                    isFull: outbound.isFull, byteCountMax: limits.batchByteCountMax)))
    }

    /// Whether own commits wait, for a bounded time, until a peer that is sending has stated what it
    /// has: before that its own records, merged here, would be read as new and sent back to it.
    private mutating func isHeld() -> Bool {
        if inbound.isCaughtUp || inbound.heldAt != nil { return false }
        let since = outbound.heldSince ?? now
        outbound.heldSince = since
        return now < since.advanced(byMilliseconds: limits.echoHoldMilliseconds)
    }

    /// Whether a full exchange goes on that will come to its end.
    private var isRepairPending: Bool { repair.isRunning && inbound.heldAt == nil }

    mutating func takeRead(_ answer: ReadAnswer) {
        precondition(outbound.isReading, "an answer to a read that was not asked for")
        outbound.isReading = false
        if outbound.isAnswerStale {
            outbound.isAnswerStale = false
            return
        }
        if drainingSince != nil { return }
        var through = answer.through
        if PlantedFault.batchReachesTooFar.isPlanted { exaggerate(&through) }
        let openings = outbound.untold(answer.openings)
        let isOutOfTurn = !answer.wanted.isEmpty
        outbound.parcels = Parcel.pack(
            answer.wanted, from: nil, through: nil, openings: isOutOfTurn ? openings : [])
        outbound.parcels += Parcel.pack(
            answer.changes, from: brief(outbound.reached), through: brief(through),
            openings: isOutOfTurn ? [] : openings)
        var statement = answer.statement
        if PlantedFault.statementReadInOlderTransaction.isPlanted {
            statement = statement ?? olderStatement(passedBy: answer)
        }
        outbound.start = .sequence(answer.through.sequence)
        outbound.reached = answer.through
        if let statement {
            outbound.end = Outbound.End(through: answer.through, statement: statement)
        }
    }

    /// A checkpoint with the epoch left out if it is the one that the hello named.
    private func brief(_ checkpoint: Checkpoint) -> Checkpoint {
        guard checkpoint.epoch == own?.opening.epoch else { return checkpoint }
        return Checkpoint(epoch: EpochID(value: 0), sequence: checkpoint.sequence)
    }

    mutating func sendParcels() {
        while !outbound.parcels.isEmpty, outbound.hasRoom(limits) {
            let parcel = outbound.parcels.removeFirst()
            for message in parcel.messages { send(message) }
            outbound.noteTold(parcel.batch.openings)
            outbound.noteSent(byteCount: parcel.byteCount)
            outbound.owesEnd = true
            report.sentCount += parcel.recordCount
        }
        guard outbound.parcels.isEmpty, let end = outbound.end else { return }
        outbound.end = nil
        sendCaughtUp(end)
    }

    private mutating func sendCaughtUp(_ end: Outbound.End) {
        let changed = end.statement.changes(since: outbound.stated)
        let digest = end.statement.digest == outbound.stated.digest ? nil : end.statement.digest
        if outbound.owesEnd || !changed.isEmpty || digest != nil {
            send(
                .caughtUp(CaughtUp(through: brief(end.through), changed: changed, digest: digest)))
        }
        outbound.stated = end.statement
        outbound.owesEnd = !outbound.wanted.isEmpty
        outbound.isCaughtUp = outbound.wanted.isEmpty
        if repair.isRunning { repair.sentCount += 1 }
    }

    mutating func hearAcknowledge(_ count: UInt64) {
        if inbound.heldAt != nil { inbound.heldAt = now }
        guard outbound.acknowledge(count) else {
            fail(
                .outOfOrder(
                    "an acknowledgement of \(count) batches after \(outbound.acknowledgedCount), "
                        + "when \(outbound.sentCount) were sent"))
            return
        }
    }

    mutating func hearWant(_ ids: [RecordID]) {
        // In a full exchange every record comes whole anyway.
        if repair.isRunning { return }
        guard outbound.wanted.count + ids.count <= WireLimits.wantCountMax else {
            fail(.overLimit("requests for whole records", max: WireLimits.wantCountMax))
            return
        }
        outbound.wanted += ids
        outbound.owesEnd = true
        outbound.isCaughtUp = false
    }
}
