import Core

/// From the store to the relay.
extension RelayClientSession {
    /// Reads on if there may be something to upload and room for it.
    mutating func readOn() {
        if account.isReader, lacking == nil {
            // Nothing is to be remembered of such a store.
            upload.supply = .caughtUp
            upload.isDirty = false
            return
        }
        guard !core.isDraining, upload.mayRead else { return }
        // The changes that come now alter what is there to upload: it is read once that is over.
        if upload.isCaughtUp, !upload.isDirty || !download.queue.isIdle { return }
        upload.startReading()
        core.ask(
            .read(
                ReadRequest(
                    from: upload.start,
                    peerHas: VersionVector(), isFull: true,
                    byteCountMax: limits.batchByteCountMax)))
    }

    mutating func prepareBatches(_ answer: Reading) {
        guard let reading = upload.receive(answer, isLeaving: core.isDraining) else { return }
        if account.isReader { return compare(reading) }
        var changes = reading.wanted
        for change in reading.changes where !echoes.remove(change) { changes.append(change) }
        let parcels = Parcel.pack(
            changes, from: upload.reached, through: reading.through, incarnations: [])
        upload.prepare(parcels, reading, statement: reading.statement)
    }

    /// Notes the records that the relay lacks; a reader uploads none of them.
    private mutating func compare(_ reading: Reading) {
        for change in reading.changes where !echoes.remove(change) {
            // A deferred change cannot be asked for by its id.
            if change.isDeferred { lacking = nil }
            lacking?.insert(change.id)
        }
        if let count = lacking?.count, count > limits.lackingCountMax { lacking = nil }
        upload.start = .sequence(reading.through.sequence)
        guard reading.statement != nil, let lacking, let relayHelloReply else { return }
        upload.supply = .caughtUp
        core.ask(
            .noteFetched(through: reading.through, lacking: lacking, from: relayHelloReply.relay))
    }

    mutating func sendBatches() {
        let (parcels, end) = upload.dequeue()
        for parcel in parcels {
            for message in parcel.messages { core.send(message) }
            core.report.sentCount += parcel.recordCount
        }
        guard let end else { return }
        upload.supply = .caughtUp
        awaitedEnd = end
    }

    /// Declares what this device has, once what came was judged: that may have taught it more.
    mutating func declare() {
        guard let end = awaitedEnd, download.hasStood || download.queue.isHeld,
            download.queue.isIdle, !upload.isDirty, upload.isCaughtUp, upload.window.hasRoom
        else { return }
        awaitedEnd = nil
        if declared == end { return }
        declared = end
        // Before the statement: once that is acknowledged they are on the disk as well.
        if download.hasStood { leaveRekeyMessages(isCaughtUp: true) }
        upload.window.noteSent(byteCount: 0)
        core.noteSent()
        core.ask(.declare(end.statement, through: end.through))
    }

    /// Leaves rekey messages for devices with older secrets, by which those get the next secret of the space; a relay
    /// that does not say which rekey messages it has keeps none.
    mutating func leaveRekeyMessages(isCaughtUp: Bool) {
        guard !account.isReader, let known = relayHelloReply?.rekeyMessages else { return }
        core.ask(.leaveRekeyMessages(known: known, isCaughtUp: isCaughtUp))
    }

    mutating func receiveAcknowledgement(_ count: UInt64) throws(PeerError) {
        guard upload.window.acknowledge(count) else {
            throw .outOfOrder("an acknowledgement of batches that were not sent")
        }
        guard upload.window.isEmpty, let declared else { return }
        core.report.storedThrough = declared.through
        // An end that the store does not remember is uploaded once more by a later session.
        if declared.through != noted, let relayHelloReply {
            noted = declared.through
            core.ask(.noteUploaded(through: declared.through, to: relayHelloReply.relay))
        }
    }
}
