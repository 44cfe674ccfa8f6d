import Core

/// The sending direction: read on, pack, keep to the window, say when nothing is left.
extension SyncSession {
    /// Reads on if there may be something to send and room for it.
    mutating func readOn() {
        guard !core.isDraining, outbound.mayRead else { return }
        if outbound.isCaughtUp {
            guard isLiveOnBothSides, outbound.isDirty, !isFullExchangePending, !mustAwaitSummary()
            else { return }
        }
        let wanted = Array(view.wanted.prefix(limits.wantedPerReadMax))
        view.wanted.removeFirst(wanted.count)
        outbound.startReading()
        view.restateAt = nil
        inbound.hasChangedStore = false
        view.heldSince = nil
        core.ask(
            .read(
                ReadRequest(
                    from: outbound.start, peerHas: view.has, wanted: wanted, isFull: view.isFull,
                    byteCountMax: limits.batchByteCountMax)))
    }

    /// Whether own commits wait, for a bounded time, until a peer that is sending has stated what it
    /// has: before that its own records, merged here, would be read as new and sent back to it.
    private mutating func mustAwaitSummary() -> Bool {
        if inbound.isCaughtUp || inbound.queue.isHeld { return false }
        let since = view.heldSince ?? core.now
        view.heldSince = since
        return core.now < since.advanced(byMilliseconds: limits.echoHoldMilliseconds)
    }

    /// Whether a full exchange goes on that will come to its end.
    private var isFullExchangePending: Bool { fullExchange.isRunning && !inbound.queue.isHeld }

    mutating func prepareBatches(_ answer: Reading) {
        guard let reading = outbound.receive(answer, isLeaving: core.isDraining) else { return }
        let incarnations = view.untold(reading.incarnations)
        let isOutOfTurn = !reading.wanted.isEmpty
        var parcels = Parcel.pack(
            reading.wanted, from: nil, through: nil, incarnations: isOutOfTurn ? incarnations : [])
        parcels += Parcel.pack(
            reading.changes, from: brief(outbound.reached), through: brief(reading.through),
            incarnations: isOutOfTurn ? [] : incarnations)
        outbound.prepare(parcels, reading, stateSummary: reading.stateSummary)
    }

    /// A checkpoint with the epoch left out if it is the one that the hello named.
    private func brief(_ checkpoint: Checkpoint) -> Checkpoint {
        guard checkpoint.epoch == own?.incarnation.epoch else { return checkpoint }
        return Checkpoint(epoch: EpochID(value: 0), sequence: checkpoint.sequence)
    }

    mutating func sendBatches() {
        let (parcels, end) = outbound.dequeue()
        for parcel in parcels {
            for message in parcel.messages { core.send(message) }
            view.noteTold(parcel.batch.incarnations)
            view.owesEnd = true
            core.report.sentCount += parcel.recordCount
            core.report.sentAppRecordCount += parcel.recordCount(without: \.isOfDevice)
        }
        if let end { sendEnd(end) }
    }

    private mutating func sendEnd(_ end: Outbound.End) {
        // One state summary answers all that was asked for, whether or not it is there.
        guard view.isServed else { return }
        var changed = end.stateSummary.changes(since: view.stated)[...]
        let digest = end.stateSummary.digest == view.stated.digest ? nil : end.stateSummary.digest
        if view.owesEnd || !changed.isEmpty || digest != nil {
            let sum = changed.isEmpty ? nil : sum(ofStated: changed)
            while changed.count > WireLimits.summaryEntriesPerPageMax {
                let page = Array(changed.prefix(WireLimits.summaryEntriesPerPageMax))
                core.send(.summaryPage(SummaryPage(page)))
                changed = changed.dropFirst(page.count)
            }
            core.send(
                .caughtUp(
                    CaughtUp(
                        through: brief(end.through), changed: Array(changed), digest: digest,
                        sum: sum,
                        summarySequence: end.summarySequence == view.statedSequence
                            ? nil : end.summarySequence)))
            view.statedSequence = end.summarySequence
        }
        view.stated = end.stateSummary
        view.owesEnd = false
        outbound.supply = .caughtUp
        fullExchange.noteSent()
    }

    /// The sum of this side's state summary after entries took the place of those that were told.
    private mutating func sum(ofStated changed: ArraySlice<StateSummaryEntry>) -> UInt128 {
        guard let hash = own?.hash else { preconditionFailure("a state summary before the hello") }
        for entry in changed {
            if let old = view.stated.entry(of: entry.replica) {
                view.statedSum &-= hash.entry(old)
            }
            view.statedSum &+= hash.entry(entry)
        }
        return view.statedSum
    }

    mutating func receiveAcknowledgement(_ count: UInt64) throws(PeerError) {
        inbound.queue.hold?.movedAt = core.now
        guard outbound.window.acknowledge(count) else {
            throw .outOfOrder(
                "an acknowledgement of \(count) batches after \(outbound.window.acknowledgedCount), "
                    + "when \(outbound.window.sentCount) were sent")
        }
    }

    mutating func receiveWant(_ names: [RecordName]) throws(PeerError) {
        // In a full exchange every record comes whole anyway.
        if fullExchange.isRunning { return }
        guard view.wanted.count + names.count <= WireLimits.wantCountMax else {
            throw .overLimit("requests for whole records", max: WireLimits.wantCountMax)
        }
        // Once each, however often it was asked for.
        var waiting = Set(view.wanted)
        view.wanted += names.filter { waiting.insert($0).inserted }
        view.owesEnd = true
        outbound.readAgain()
    }
}

/// The receiving direction: integrate batches, ask for missing records, join state summaries.
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
        if !inbound.queue.isHeld { try inbound.queue.requireNoBody("a state summary") }
        let changed = try overlay(end)
        if inbound.queue.isHeld {
            // While deletes are held, a state summary tells what the peer has, and is not joined.
            if !view.isFull { view.has.join(StateSummary(sorted: changed).knowledge) }
            return
        }
        inbound.isCaughtUp = false
        inbound.appendEnd(through: full(end.through), changed: changed)
    }

    /// Keeps entries that belong to the next end.
    mutating func receivePage(_ page: SummaryPage) throws(PeerError) {
        if !inbound.queue.isHeld { try inbound.queue.requireNoBody("a state summary") }
        try keep(page.entries)
    }

    private mutating func keep(_ entries: [StateSummaryEntry]) throws(PeerError) {
        if let last = inbound.page.last, let first = entries.first {
            guard last.replica < first.replica else {
                throw .malformed("entries of a state summary out of order")
            }
        }
        inbound.page += entries
        try limits.checkSummary(count: inbound.page.count, beside: statedCount)
    }

    /// Puts the changed entries in place of those heard before, and compares the sum; gives these entries.
    private mutating func overlay(_ end: CaughtUp) throws(PeerError) -> [StateSummaryEntry] {
        try keep(end.changed)
        let changed = inbound.page
        inbound.page = []
        if let digest = end.digest { inbound.stateSummary.digest = digest }
        if let number = end.summarySequence { inbound.summarySequence = number }
        guard let hash = own?.hash else { preconditionFailure("a state summary before the hello") }
        for entry in changed {
            if let old = inbound.stateSummary.entry(of: entry.replica) {
                inbound.stateSummarySum &-= hash.entry(old)
            }
            inbound.stateSummarySum &+= hash.entry(entry)
        }
        inbound.stateSummary.update(with: changed)
        if let sum = end.sum, sum != inbound.stateSummarySum { throw .summaryDiffers }
        try limits.checkSummary(count: inbound.stateSummary.entries.count, beside: statedCount)
        return changed
    }

    /// Hands the store the next item, if it is free.
    mutating func dequeueReceived() {
        while let item = inbound.queue.dequeue() {
            switch item {
            case .batch(let batch): integrate(batch)
            case .notice(.end(let end)): join(end)
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
        core.report.receivedAppRecordCount += answer.appRecordCount
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
        if let name = answer.wanted.first(where: inbound.missing.served.contains) {
            throw .malformed("record \(name) was asked for whole and came with values left out")
        }
        inbound.missing.finishServing()
        for name in answer.wanted { inbound.missing.insert(name) }
        guard inbound.missing.unaskedCount <= limits.missingRecordCountMax else {
            throw .overLimit("records with values left out", max: limits.missingRecordCountMax)
        }
        let names = inbound.missing.dequeue(limits.wantedPerMessageMax, at: core.now)
        if !names.isEmpty { core.send(.want(names)) }
        // Last: a peer that sees all its batches acknowledged may have nothing left to stay for.
        inbound.queue.integratedCount += 1
        core.send(.acknowledge(inbound.queue.integratedCount))
    }

    private mutating func join(_ end: Inbound.End) {
        guard let peer = parties?.peer else {
            preconditionFailure("a state summary before its speaker's hello")
        }
        if !view.isFull { view.has.join(StateSummary(sorted: end.changed).knowledge) }
        for entry in end.changed { inbound.open?[entry.replica] = entry }
        // Another state summary follows once the missing records are here.
        if !inbound.missing.isEmpty { return }
        inbound.joiningCount = end.count
        inbound.queue.start(.joining)
        // Whether an exchange of all records has made the contents equal, all entries tell.
        let open = fullExchange.hasBegun ? nil : inbound.open
        core.ask(
            .join(
                JoinRequest(
                    peer: peer.replica, stateSummary: end.stateSummary,
                    open: open?.values.sorted { $0.replica < $1.replica }, sum: end.sum,
                    through: end.through, summarySequence: end.summarySequence)))
    }

    mutating func finishJoining(_ answer: Joining) {
        inbound.queue.finish(.joining)
        inbound.open = [:]
        for entry in answer.open { inbound.open?[entry.replica] = entry }
        inbound.isCaughtUp = inbound.queue.isEmpty
        if answer.isWithheld { core.report.isWithheld = true }
        restateIfChanged()
        switch fullExchange.stage {
        case .none: if answer.isDiverged || answer.isRepairDue { startFullExchange() }
        case .running:
            fullExchange.noteJoined(count: inbound.joiningCount, differs: answer.isDiverged)
        // They were equal after the exchange: the difference came from somewhere else since, and the next
        // session begins with another one.
        case .ended: if answer.isDiverged { drain() }
        }
    }

    /// Has this side's state summary told anew, if received changes have changed it.
    ///
    /// The peer may then leave out what it knows is here, and each finds a difference in contents as
    /// soon as both are quiet. A moment later, so that the acknowledgement does not wait for it, and one
    /// state summary serves for many edits.
    private mutating func restateIfChanged() {
        guard isLiveOnBothSides,
            inbound.hasChangedStore || !view.stated.knowledge.covers(inbound.stateSummary.knowledge)
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
        view.has = PeerHoldings(inbound.stateSummary.knowledge)
    }
}
