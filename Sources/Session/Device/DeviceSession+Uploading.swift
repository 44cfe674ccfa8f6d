import Core

/// From the store to the relay.
extension DeviceSession {
    /// Reads on if there may be something to upload and room for it.
    mutating func readOn() {
        if account.isReader, lacking == nil {
            // Nothing is to be remembered of such a store.
            upload.isCaughtUp = true
            upload.isDirty = false
            return
        }
        guard drainingSince == nil, !upload.isReading, upload.parcels.isEmpty, upload.end == nil,
            upload.hasRoom(limits)
        else { return }
        if upload.isCaughtUp {
            // What comes now changes what is there to upload: it is read once that is over.
            guard upload.isDirty, download.isIdle else { return }
            upload.isCaughtUp = false
        }
        upload.isReading = true
        upload.isDirty = false
        effects.append(
            .read(
                ReadRequest(
                    start: upload.start,
                    peerHas: PlantedFault.valueElidedToRelay.isPlanted ? elided : VersionVector(),
                    wanted: [], isFull: !PlantedFault.valueElidedToRelay.isPlanted,
                    byteCountMax: limits.batchByteCountMax)))
    }

    mutating func takeRead(_ answer: ReadAnswer) {
        precondition(upload.isReading, "an answer to a read that was not asked for")
        upload.isReading = false
        if drainingSince != nil { return }
        if account.isReader { return compare(answer) }
        var changes = answer.wanted
        for change in answer.changes where !echoes.take(change) { changes.append(change) }
        upload.parcels = Parcel.pack(
            changes, from: upload.reached, through: answer.through, openings: [])
        upload.start = .sequence(answer.through.sequence)
        upload.reached = answer.through
        if let statement = answer.statement {
            upload.end = Outbound.End(through: answer.through, statement: statement)
        }
    }

    /// Notes what the relay lacks of what was read; a reader leaves all of it here.
    private mutating func compare(_ answer: ReadAnswer) {
        for change in answer.changes where !echoes.take(change) {
            // What is set aside cannot be asked for by its id.
            if change.isAside { lacking = nil }
            lacking?.insert(change.id)
        }
        if let count = lacking?.count, count > limits.lackingCountMax { lacking = nil }
        upload.start = .sequence(answer.through.sequence)
        guard answer.statement != nil, let lacking, let welcome else { return }
        upload.isCaughtUp = true
        effects.append(
            .noteFetched(through: answer.through, lacking: lacking, from: welcome.relay))
    }

    mutating func sendParcels() {
        while !upload.parcels.isEmpty, upload.hasRoom(limits) {
            let parcel = upload.parcels.removeFirst()
            for message in parcel.messages { send(message) }
            upload.noteSent(byteCount: parcel.byteCount)
            report.sentCount += parcel.recordCount
        }
        guard upload.parcels.isEmpty, let end = upload.end else { return }
        upload.end = nil
        upload.isCaughtUp = true
        awaitedEnd = end
    }

    /// Declares what this device has, once what came was judged: that may have taught it more.
    mutating func declare() {
        guard let end = awaitedEnd, download.hasStood || download.isHeld, download.isIdle,
            !upload.isDirty, upload.isCaughtUp, upload.hasRoom(limits)
        else { return }
        awaitedEnd = nil
        if let declared, declared.through == end.through, declared.statement == end.statement {
            return
        }
        declared = end
        // Before the statement: once that is acknowledged they are on the disk as well.
        if download.hasStood { leaveLetters(isCaughtUp: true) }
        upload.noteSent(byteCount: 0)
        lastSent = now
        effects.append(.declare(end.statement, through: end.through))
    }

    mutating func hearAcknowledge(_ count: UInt64) {
        guard upload.acknowledge(count) else {
            fail(.outOfOrder("an acknowledgement of batches that were not sent"))
            return
        }
        guard upload.inFlight.isEmpty, let declared else { return }
        report.storedThrough = declared.through
        // What the store does not remember of it is uploaded once more by a later session.
        if declared.through != noted, let welcome {
            noted = declared.through
            effects.append(.noteUploaded(through: declared.through, to: welcome.relay))
        }
    }
}
