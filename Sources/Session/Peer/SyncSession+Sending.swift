import Core

/// The sending direction: read on, pack, keep to the window, say when nothing is left.
extension SyncSession {
    /// Reads on if there may be something to send and room for it.
    mutating func readOn() {
        guard !core.isDraining, outbound.mayRead else { return }
        if outbound.isCaughtUp {
            guard isLiveOnBothSides, outbound.isDirty, !isFullExchangePending, !mustAwaitStatement()
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
    private mutating func mustAwaitStatement() -> Bool {
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
        outbound.prepare(parcels, reading, statement: reading.statement)
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
        }
        if let end { sendEnd(end) }
    }

    private mutating func sendEnd(_ end: Outbound.End) {
        let changed = end.statement.changes(since: view.stated)
        let digest = end.statement.digest == view.stated.digest ? nil : end.statement.digest
        if view.owesEnd || !changed.isEmpty || digest != nil {
            core.send(
                .caughtUp(CaughtUp(through: brief(end.through), changed: changed, digest: digest)))
        }
        view.stated = end.statement
        view.owesEnd = !view.isServed
        if view.isServed { outbound.supply = .caughtUp }
        fullExchange.noteSent()
    }

    mutating func receiveAcknowledgement(_ count: UInt64) throws(PeerError) {
        inbound.queue.hold?.movedAt = core.now
        guard outbound.window.acknowledge(count) else {
            throw .outOfOrder(
                "an acknowledgement of \(count) batches after \(outbound.window.acknowledgedCount), "
                    + "when \(outbound.window.sentCount) were sent")
        }
    }

    mutating func receiveWant(_ ids: [RecordID]) throws(PeerError) {
        // In a full exchange every record comes whole anyway.
        if fullExchange.isRunning { return }
        guard view.wanted.count + ids.count <= WireLimits.wantCountMax else {
            throw .overLimit("requests for whole records", max: WireLimits.wantCountMax)
        }
        view.wanted += ids
        view.owesEnd = true
        outbound.readAgain()
    }
}
