import Core

/// The receiving direction: integrate batches, ask for missing records, join statements.
extension SyncSession {
    /// Ends the session once something new has come and deletes were held long enough: the next one judges anew.
    mutating func startOverIfDue() {
        guard core.hasMet, let deadline = inbound.queue.hold?.startOverAt, core.now >= deadline
        else { return }
        drain()
    }

    mutating func receiveBatch(_ batch: ChangeBatch) throws(PeerError) {
        if inbound.queue.isHeld {
            inbound.queue.hold?.hasNews = true
            return startOverIfDue()
        }
        var batch = batch
        if let through = batch.through { batch.through = full(through) }
        inbound.isCaughtUp = false
        try inbound.queue.receive(batch, limits)
    }

    /// A checkpoint with its epoch: none means the one that the peer's hello named.
    private func full(_ checkpoint: Checkpoint) -> Checkpoint {
        guard checkpoint.epoch.value == 0, let peer = parties?.peer else { return checkpoint }
        return Checkpoint(epoch: peer.incarnation.epoch, sequence: checkpoint.sequence)
    }

    mutating func receiveEnd(_ end: CaughtUp) throws(PeerError) {
        if !inbound.queue.isHeld { try inbound.queue.requireNoBody("a statement") }
        inbound.statement = inbound.statement.updated(
            with: end.changed, digest: end.digest ?? inbound.statement.digest)
        if inbound.queue.isHeld {
            // While deletes are held, a statement tells what the peer has, and is not joined.
            if !view.isFull { view.has.join(inbound.statement.knowledge) }
            return
        }
        guard inbound.statement.entries.count <= WireLimits.replicaCountMax else {
            throw .overLimit("entries of a statement", max: WireLimits.replicaCountMax)
        }
        inbound.isCaughtUp = false
        inbound.appendEnd(through: full(end.through), statement: inbound.statement)
    }

    /// Hands the store the next item, if it is free.
    mutating func dequeueReceived() {
        while let item = inbound.queue.dequeue() {
            switch item {
            case .batch(let batch): integrate(batch)
            case .notice(.end(let through, let statement)): join(statement, through)
            case .notice(.repair):
                // Everything comes whole from here on.
                inbound.missing.clear()
                fullExchange.peerPart = .inFull
            }
        }
    }

    private mutating func integrate(_ batch: ChangeBatch) {
        guard let peer = parties?.peer else {
            preconditionFailure("a batch before its sender's hello")
        }
        for told in batch.incarnations { inbound.incarnations[told.replica] = told.start }
        inbound.queue.start(.integrating)
        inbound.missing.startServing(batch, at: core.now)
        core.report.receivedCount += batch.changes.count
        core.ask(
            .integrate(
                IntegrateRequest(
                    changes: batch.changes, peer: peer.replica,
                    checkpoint: inbound.missing.isEmpty ? batch.through : nil,
                    incarnations: inbound.incarnations(of: batch, from: peer.replica),
                    isRepair: fullExchange.isReceivingInFull,
                    startsSession: inbound.queue.integratedCount == 0)))
    }

    mutating func finishIntegration(_ answer: Integration) throws(PeerError) {
        inbound.queue.finish(.integrating)
        if let held = answer.held {
            // Not acknowledged: the peer is to know that it has not arrived.
            core.report.held = held
            inbound.stop(by: DeletionHold(at: core.now, limits))
            return
        }
        core.report.changedCount += answer.changedCount
        if let arrivals = answer.arrivals, arrivals.lowerBound == outbound.passed {
            outbound.passed = arrivals.upperBound
        }
        if answer.changedCount > 0 { inbound.hasChangedStore = true }
        core.report.deferredCount += answer.deferredCount
        if let id = answer.wanted.first(where: inbound.missing.served.contains) {
            throw .malformed("record \(id) was asked for whole and came with values left out")
        }
        inbound.missing.finishServing()
        for id in answer.wanted { inbound.missing.insert(id) }
        guard inbound.missing.unaskedCount <= limits.missingRecordCountMax else {
            throw .overLimit("records with values left out", max: limits.missingRecordCountMax)
        }
        let ids = inbound.missing.dequeue(limits.wantedPerMessageMax, at: core.now)
        if !ids.isEmpty { core.send(.want(ids)) }
        // Last: a peer that sees all its batches acknowledged may have nothing left to stay for.
        inbound.queue.integratedCount += 1
        core.send(.acknowledge(inbound.queue.integratedCount))
    }

    private mutating func join(_ statement: StateSummary, _ through: Checkpoint) {
        guard let peer = parties?.peer else {
            preconditionFailure("a statement before its speaker's hello")
        }
        if !view.isFull { view.has.join(statement.knowledge) }
        // Another statement follows once the missing records are here.
        if !inbound.missing.isEmpty { return }
        inbound.queue.start(.joining)
        core.ask(.join(JoinRequest(peer: peer.replica, statement: statement, through: through)))
    }

    mutating func finishJoining(_ answer: Joining) {
        inbound.queue.finish(.joining)
        inbound.isCaughtUp = inbound.queue.isEmpty
        if answer.isWithheld { core.report.isWithheld = true }
        restateIfChanged()
        switch fullExchange.stage {
        case .none: if answer.isDiverged || answer.isRepairDue { startFullExchange() }
        case .running: fullExchange.noteJoined(differs: answer.isDiverged)
        // They were equal after the exchange: the difference came from somewhere else since, and the next
        // session begins with another one.
        case .ended: if answer.isDiverged { drain() }
        }
    }

    /// Has this side's statement told anew, if received changes have changed it.
    ///
    /// The peer may then leave out what it knows is here, and each finds a difference in contents as
    /// soon as both are quiet. A moment later, so that the acknowledgement does not wait for it, and one
    /// statement serves for many edits.
    private mutating func restateIfChanged() {
        guard isLiveOnBothSides,
            inbound.hasChangedStore || !view.stated.knowledge.covers(inbound.statement.knowledge)
        else { return }
        view.restateAt =
            view.restateAt ?? core.now.advanced(byMilliseconds: limits.restateMilliseconds)
    }

    // MARK: The full exchange

    mutating func receiveRepair() throws(PeerError) {
        guard fullExchange.peerPart == .none else {
            throw .outOfOrder("a second call for a full exchange")
        }
        fullExchange.peerPart = .announced
        if !inbound.queue.isHeld { inbound.queue.append(.repair) }
        if isSyncing, !fullExchange.hasBegun { startFullExchange() }
    }

    mutating func startFullExchange() {
        guard let parties else { preconditionFailure("a full exchange before the hellos") }
        fullExchange.start()
        core.report.isDiverged = true
        core.send(.repair)
        view.restartInFull()
        outbound.restart(epoch: parties.own.incarnation.epoch)
        inbound.isCaughtUp = false
    }

    /// Reads on once more after the peer's first round: the union of both sides goes out.
    mutating func startSecondRound() {
        guard fullExchange.isSecondRoundDue, outbound.isCaughtUp else { return }
        outbound.readAgain()
        view.owesEnd = true
    }

    /// Judges, once both sides have said all.
    mutating func endFullExchange() throws(PeerError) {
        guard let isStillDiverged = fullExchange.verdict, let parties else { return }
        if isStillDiverged { throw .diverged(parties.own.replica, parties.peer.replica) }
        fullExchange.end()
        core.report.isRepaired = true
        view.isFull = false
        view.has = inbound.statement.knowledge
    }
}
