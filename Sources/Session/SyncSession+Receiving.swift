import Core

/// The receiving direction: put bodies together, integrate, ask for what is missing, join statements.
extension SyncSession {
    mutating func hearPart(_ part: BodyPart) {
        if inbound.heldAt != nil { return }
        guard inbound.assembled == nil else {
            fail(.outOfOrder("a second long body before the batch of the first"))
            return
        }
        if inbound.assembly == nil {
            inbound.assembly = BodyAssembly(part)
        } else if inbound.assembly?.add(part) == false {
            inbound.assembly = nil
        }
        guard let assembly = inbound.assembly else {
            fail(.outOfOrder("a part that does not fit the body before it"))
            return
        }
        if let change = assembly.change {
            inbound.assembled = change
            inbound.assembly = nil
        }
    }

    /// Ends the session once something new has come and deletes were held long enough: the next one judges anew.
    mutating func startOverIfDue() {
        guard phase == .syncing, let deadline = inbound.hold?.startOverAt, now >= deadline else {
            return
        }
        drain()
    }

    mutating func hearBatch(_ batch: ChangeBatch) {
        if inbound.heldAt != nil {
            inbound.hold?.hasNews = true
            return startOverIfDue()
        }
        guard inbound.assembly == nil else {
            fail(.outOfOrder("a batch inside a long body"))
            return
        }
        var batch = batch
        if let change = inbound.assembled {
            batch.changes.append(change)
            inbound.assembled = nil
        }
        if let through = batch.through { batch.through = full(through) }
        inbound.append(.batch(batch))
        inbound.isCaughtUp = false
        if inbound.batchCount > WireLimits.windowBatchCount {
            fail(
                .overLimit("batches before an acknowledgement", max: WireLimits.windowBatchCount))
        } else if inbound.byteCount > limits.receivedByteCountMax {
            fail(
                .overLimit("bytes before an acknowledgement", max: limits.receivedByteCountMax))
        }
    }

    /// A checkpoint with its epoch: none means the one that the peer's hello named.
    private func full(_ checkpoint: Checkpoint) -> Checkpoint {
        guard checkpoint.epoch.value == 0, let peer else { return checkpoint }
        return Checkpoint(epoch: peer.opening.epoch, sequence: checkpoint.sequence)
    }

    mutating func hearCaughtUp(_ end: CaughtUp) {
        if inbound.heldAt != nil { return hearHeld(end) }
        guard inbound.assembly == nil, inbound.assembled == nil else {
            fail(.outOfOrder("a statement inside a long body"))
            return
        }
        inbound.statement = inbound.statement.updated(
            with: end.changed, digest: end.digest ?? inbound.statement.digest)
        guard inbound.statement.entries.count <= WireLimits.replicaCountMax else {
            fail(.overLimit("entries of a statement", max: WireLimits.replicaCountMax))
            return
        }
        inbound.isCaughtUp = false
        inbound.append(.end(through: full(end.through), statement: inbound.statement))
    }

    mutating func hearRepair() {
        guard !repair.isPeerTakingPart else {
            fail(.outOfOrder("a second call for a full exchange"))
            return
        }
        repair.isPeerTakingPart = true
        if inbound.heldAt == nil { inbound.append(.repair) }
        if doubt == .none, repair.stage == .none { startRepair() }
    }

    /// Hands the store what is next, if it is free.
    mutating func takeWaiting() {
        while let item = inbound.next() {
            switch item {
            case .batch(let batch): integrate(batch)
            case .end(let through, let statement): join(statement, through)
            case .repair:
                // Everything comes whole from here on.
                inbound.missNothing()
                repair.isReceivingInFull = true
            }
        }
    }

    private mutating func integrate(_ batch: ChangeBatch) {
        guard let peer else { preconditionFailure("a batch before its sender's hello") }
        for told in batch.openings { inbound.openings[told.replica] = told.start }
        inbound.isIntegrating = true
        inbound.served =
            batch.through == nil ? batch.changes.map(\.id).filter(inbound.asked.contains) : []
        if !inbound.served.isEmpty { inbound.askedAt = now }
        report.receivedCount += batch.changes.count
        effects.append(
            .integrate(
                IntegrateRequest(
                    changes: batch.changes, peer: peer.replica,
                    checkpoint: inbound.isMissingRecords ? nil : batch.through,
                    openings: inbound.openings(of: batch, from: peer.replica),
                    isRepair: repair.isRunning && repair.isReceivingInFull,
                    startsSession: inbound.integratedCount == 0)))
    }

    /// While deletes are held, a statement tells what the peer has, and is not joined.
    private mutating func hearHeld(_ end: CaughtUp) {
        inbound.statement = inbound.statement.updated(
            with: end.changed, digest: end.digest ?? inbound.statement.digest)
        if !outbound.isFull { outbound.peerHas.join(inbound.statement.knowledge) }
    }

    mutating func takeIntegrated(_ answer: IntegrateAnswer) {
        precondition(inbound.isIntegrating, "an answer to an integration that was not asked for")
        inbound.isIntegrating = false
        if let held = answer.held {
            // Not acknowledged: the peer is to know that it has not arrived.
            report.held = held
            inbound.served = []
            inbound.stop(at: now, by: DeletionHold(at: now, limits))
            return
        }
        report.changedCount += answer.changedCount
        if let arrivals = answer.arrivals, arrivals.lowerBound == outbound.passed {
            outbound.passed = arrivals.upperBound
        }
        if answer.changedCount > 0 { inbound.hasChangedStore = true }
        report.parkedCount += answer.parkedCount
        if let id = answer.wanted.first(where: inbound.served.contains) {
            fail(.malformed("record \(id) was asked for whole and came with values left out"))
            return
        }
        inbound.asked.subtract(inbound.served)
        inbound.served = []
        for id in answer.wanted where !PlantedFault.wantedNotAsked.isPlanted { inbound.miss(id) }
        guard inbound.unasked.count <= limits.missingRecordCountMax else {
            fail(
                .overLimit("records with values left out", max: limits.missingRecordCountMax))
            return
        }
        askForMissing()
        // Last: a peer that sees all its batches acknowledged may have nothing left to stay for.
        inbound.integratedCount += 1
        if PlantedFault.batchNotAcknowledged.isPlanted { return }
        send(.acknowledge(inbound.integratedCount))
    }

    private mutating func askForMissing() {
        guard inbound.asked.isEmpty, !inbound.unasked.isEmpty else { return }
        let ids = inbound.askNext(limits.wantedPerMessageMax)
        inbound.askedAt = now
        send(.want(ids))
    }

    private mutating func join(_ statement: Statement, _ through: Checkpoint) {
        guard let peer else { preconditionFailure("a statement before its speaker's hello") }
        if !outbound.isFull { outbound.peerHas.join(statement.knowledge) }
        // Another statement follows once the missing records are here.
        if inbound.isMissingRecords { return }
        inbound.isJoining = true
        effects.append(
            .join(JoinRequest(peer: peer.replica, statement: statement, through: through)))
    }

    mutating func takeJoined(_ answer: JoinAnswer) {
        precondition(inbound.isJoining, "an answer to a statement that was not asked for")
        inbound.isJoining = false
        inbound.isCaughtUp = inbound.items.isEmpty
        if answer.isWithheld { report.isWithheld = true }
        // What came changes what this side states: the peer may then leave out what it knows is here,
        // and each finds a difference in contents as soon as both are quiet. A moment later, so that
        // the acknowledgement does not wait for it, and one statement serves for many edits.
        let knowledge = inbound.statement.knowledge
        if isLiveOnBothSides,
            inbound.hasChangedStore || !outbound.stated.knowledge.covers(knowledge)
        {
            outbound.restateAt =
                outbound.restateAt ?? now.advanced(byMilliseconds: limits.restateMilliseconds)
        }
        switch repair.stage {
        case .none where answer.isDiverged || answer.isRepairDue: startRepair()
        // They were equal after the exchange: this came from somewhere else since, and the next session
        // begins with another one.
        case .ended where answer.isDiverged: drain()
        case .none, .ended: return
        case .running:
            guard repair.isReceivingInFull else { return }
            repair.joinedCount += 1
            repair.isStillDiverged = answer.isDiverged
        }
    }
}
