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
                    peerHas: PeerHoldings(), isFull: true,
                    byteCountMax: limits.batchByteCountMax)))
    }

    mutating func prepareBatches(_ answer: Reading) {
        guard let reading = upload.receive(answer, isLeaving: core.isDraining) else { return }
        if account.isReader { return compare(reading) }
        for (name, change) in zip(reading.names, reading.changes) where name.isOfDevice {
            deviceNames.insert(change.name)
        }
        var changes = reading.wanted
        for change in reading.changes
        where !echoes.remove(change)
            && again.wants(change, readThrough: reading.through.sequence)
        {
            changes.append(change)
        }
        let parcels = Parcel.pack(
            changes, from: upload.reached, through: reading.through, incarnations: [])
        upload.prepare(parcels, reading, stateSummary: reading.stateSummary)
    }

    /// Notes the records that the relay lacks; a reader uploads none of them.
    private mutating func compare(_ reading: Reading) {
        for (name, change) in zip(reading.names, reading.changes) where !echoes.remove(change) {
            // A deferred change cannot be asked for by its name.
            if change.isDeferred { lacking = nil }
            lacking?.insert(name)
        }
        if let count = lacking?.count, count > limits.lackingCountMax { lacking = nil }
        upload.start = .sequence(reading.through.sequence)
        guard reading.stateSummary != nil, let lacking, let relayHelloReply else { return }
        upload.supply = .caughtUp
        core.ask(
            .noteFetched(through: reading.through, lacking: lacking, from: relayHelloReply.relay))
    }

    mutating func sendBatches() {
        let (parcels, end) = upload.dequeue()
        for parcel in parcels {
            for message in parcel.messages { core.send(message) }
            core.report.sentCount += parcel.recordCount
            for name in parcel.names where !deviceNames.contains(name) && !sent.contains(name) {
                core.report.sentAppRecordCount += 1
                // A later merge of the same record is sent as well, and is no other to-do.
                if sent.count < Self.sentNameCountMax { sent.insert(name) }
            }
        }
        guard let end else { return }
        upload.supply = .caughtUp
        stating.awaited = end
        stating.isVoid = false
    }

    /// Uploads once more what other devices lack although they have read the relay from its start.
    ///
    /// The store has forgotten how far the relay has all, and is told again once all is there.
    private mutating func uploadAgain(_ wanted: [ReplicaID: UInt64]) {
        guard !account.isReader, !wanted.isEmpty else { return }
        again.add(wanted, through: upload.isCaughtUp ? upload.reached.sequence : 0)
        upload.restart(epoch: upload.reached.epoch)
        stating.awaited = nil
        stating.told = nil
        stating.noted = nil
        stating.toldThrough = upload.reached
        stating.isVoid = true
    }

    /// Asks what is to be stated of this device's summary, once what came was judged: that may have taught it more.
    mutating func state() {
        guard let end = stating.awaited, stating.asked == nil, let relayHelloReply,
            download.hasStood || download.queue.isHeld, download.queue.isIdle, !upload.isDirty,
            upload.isCaughtUp, upload.window.hasRoom
        else { return }
        stating.awaited = nil
        let isDue = stating.whole.map {
            core.now >= $0.at.advanced(byMilliseconds: limits.wholeStatingMilliseconds)
        }
        // Of an edit that many devices hear at once its author's row tells all, and comes a moment later.
        let withOthers = isDue ?? true
        let earlier = stating.whole?.stateSummary
        if stating.told == end, !withOthers || earlier == end.stateSummary { return }
        stating.asked = end
        if withOthers { stating.whole = (end.stateSummary, core.now) }
        core.ask(
            .findDueRows(
                DueRowsRequest(
                    relay: relayHelloReply.relay, end.stateSummary, since: earlier,
                    withOthers: withOthers)))
    }

    /// States what was left out a while ago.
    mutating func stateWholeIfDue() {
        guard core.isLive, let due = stating.wholeDue(limits), core.now >= due else { return }
        stating.awaited = stating.told
    }

    /// Tells the relay that all was uploaded, and what is new of this device's summary.
    mutating func tell(_ rows: [DueSummaryRow], _ stated: [SummaryRow]) {
        guard let end = stating.asked else {
            preconditionFailure("an answer to a question that was not asked")
        }
        stating.asked = nil
        // A live device tells it with its next rows.
        let isKnown =
            core.isLive && stating.told != nil
            || (stating.toldThrough ?? relayHelloReply?.uploaded) == end.through
        stating.told = end
        stating.rows += rows
        // Before the rows: once these are acknowledged they are on the disk as well.
        if download.hasStood { leaveRekeyMessages(isCaughtUp: true) }
        if stated.isEmpty, isKnown { return noteUploaded() }
        stating.toldThrough = end.through
        stating.messages += UploadDone.messages(through: end.through, stated)
    }

    /// Sends the ends of uploads, as there is room.
    mutating func sendEnds() {
        while !stating.messages.isEmpty, upload.window.hasRoom, !core.isDraining {
            let message = stating.messages.removeFirst()
            upload.window.noteSent(byteCount: message.rows.reduce(0) { $0 + $1.bytes.count })
            core.send(.uploadDone(message))
        }
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
        noteUploaded()
    }

    /// Has the store remember what the relay has on its disk.
    private mutating func noteUploaded() {
        guard upload.window.isEmpty, stating.messages.isEmpty, !stating.isVoid,
            let told = stating.told
        else {
            return
        }
        core.report.storedThrough = told.through
        // An end that the store does not remember is uploaded once more by a later session.
        if told.through != stating.noted || !stating.rows.isEmpty, let relayHelloReply {
            stating.noted = told.through
            core.ask(
                .noteUploaded(through: told.through, stating.rows, to: relayHelloReply.relay))
            stating.rows = []
        }
    }
}

/// From the relay into the store.
extension RelayClientSession {
    mutating func receiveBatch(_ batch: ChangeBatch) throws(PeerError) {
        if download.queue.isHeld {
            download.queue.hold?.hasNews = true
            startOverIfDue()
            return acknowledge(1)
        }
        download.hasStood = false
        try download.queue.receive(batch, limits)
    }

    mutating func receiveDownloadDone(_ downloadDone: DownloadDone) throws(PeerError) {
        if download.queue.isHeld { return }
        try download.queue.requireNoBody("a download-done")
        download.hasStood = false
        download.queue.append(.end(downloadDone))
        if download.queue.noticeCount > limits.downloadDoneCountMax {
            throw .overLimit("messages download-done that wait", max: limits.downloadDoneCountMax)
        }
    }

    mutating func receiveUnreadable(_ versions: UnreadableVersions) throws(PeerError) {
        if download.queue.isHeld { return }
        try download.queue.requireNoBody("a word on unreadable versions")
        download.queue.append(.unreadable(versions))
        if download.queue.noticeCount > limits.downloadDoneCountMax {
            throw .overLimit("messages download-done that wait", max: limits.downloadDoneCountMax)
        }
    }

    /// Tells the relay which versions could not be opened, as there is room.
    mutating func tellUnreadable() {
        while !download.untold.isEmpty, upload.window.hasRoom, !core.isDraining {
            let some = Array(download.untold.prefix(WireLimits.unreadableCountMax))
            download.untold.removeFirst(some.count)
            download.told.formUnion(some)
            upload.window.noteSent(byteCount: 0)
            core.send(.unreadable(UnreadableVersions(some)))
        }
    }

    /// Hands the store the next item, if it is free.
    mutating func dequeueReceived() {
        guard let relayHelloReply, let item = download.queue.dequeue() else { return }
        switch item {
        case .batch(let batch):
            download.queue.start(.integrating)
            for change in batch.changes { echoes.note(change) }
            core.report.receivedCount += batch.changes.count
            core.ask(
                .integrate(
                    IntegrateRequest(
                        changes: batch.changes, peer: relayHelloReply.relay,
                        checkpoint: download.isMismatched ? nil : batch.through,
                        // Devices that differ may meet nowhere else.
                        isRepair: true, startsSession: download.queue.integratedCount == 0,
                        // What is only read now may be gone soon.
                        mergesUnheld: account.isReader)))
        case .notice(.end(let downloadDone)) where core.report.held != nil:
            // Nothing is vouched for while deletes are set aside: for others they have not come.
            download.hasStood = downloadDone.rowSum != nil && download.queue.isIdle
            download.isRunStart = downloadDone.rowSum != nil
            dequeueReceived()
        case .notice(.end(let downloadDone)):
            download.queue.start(.joining)
            download.isRunEnd = downloadDone.rowSum != nil
            core.ask(
                .judge(
                    JudgeRequest(
                        relay: relayHelloReply.relay,
                        through: download.isMismatched ? nil : downloadDone.through,
                        rows: downloadDone.rows,
                        rowSum: download.hasCompared ? nil : downloadDone.rowSum,
                        isReadAnew: download.isMismatched,
                        isSetBack: download.isSetBack, startsOver: download.startsOver,
                        isFromStart: download.isFromStart, isRunStart: download.isRunStart,
                        isRunEnd: download.isRunEnd)))
            download.isSetBack = false
            download.isRunStart = download.isRunEnd
            if download.isRunEnd {
                download.hasCompared = true
                download.startsOver = false
                download.isFromStart = false
            }
        case .notice(.unreadable(let versions)):
            download.queue.start(.joining)
            core.ask(
                .recordUnreadable(
                    UnreadableRequest(relay: relayHelloReply.relay, versions: versions)))
        }
    }

    mutating func finishIntegration(
        _ answer: Integration, _ unreadableCount: Int
    ) throws(PeerError) {
        download.queue.finish(.integrating)
        core.report.receivedAppRecordCount += answer.appRecordCount
        core.report.unreadableCount += unreadableCount
        if answer.hasMergedUnheld {
            core.report.held = answer.held
        } else if let held = answer.held {
            core.report.held = held
            download.hasStood = false
            acknowledge(download.queue.stop(by: DeletionHold(at: core.now, limits)) + 1)
            return
        }
        core.report.changedCount += answer.changedCount
        core.report.deferredCount += answer.deferredCount
        if let name = answer.wanted.first {
            throw .malformed("record \(name) came with values left out")
        }
        // Merged, a record may have become one that the relay does not have.
        if answer.changedCount > 0 { upload.isDirty = true }
        acknowledge(1)
    }

    /// Acknowledges batches that were integrated, or are skipped while deletes are held.
    ///
    /// The relay sends the skipped ones again in the next session, as they are not remembered as read; it
    /// drops a device that does not acknowledge.
    private mutating func acknowledge(_ count: Int) {
        guard count > 0 else { return }
        download.queue.integratedCount += UInt64(count)
        core.send(.acknowledge(download.queue.integratedCount))
    }

    mutating func finishJudging(_ answer: JudgeAnswer) {
        download.queue.finish(.joining)
        download.hasStood = download.isRunEnd && download.queue.isIdle { $0.isDownloadDone }
        download.lostCount += answer.unreadableCount
        core.report.unreadableCount = answer.unopenedCount + download.lostCount
        // A device that only reads says nothing; it will in a later session.
        if !account.isReader {
            download.untold = answer.untold.filter { !download.told.contains($0) }
        }
        let joining = answer.joining
        if joining.isMismatched {
            download.isMismatched = true
            core.report.isIncomplete = true
            core.report.isIncompleteByRowSum = joining.isOfRowSumAlone
            // The next session reads from the start.
            if core.isLive { drain() }
        }
        if joining.isWithheld || download.isRunEnd && !download.isMismatched {
            core.report.isWithheld = joining.isWithheld
        }
        uploadAgain(answer.uploadingAgain)
        if joining.isDiverged { core.report.isDiverged = true }
        if joining.isRepairDue {
            // The next session has every version, and unites them.
            download.isMismatched = true
            if core.isLive { drain() }
        }
        if joining.hasLearned { upload.isDirty = true }
        for (replica, sequence) in answer.seen { core.report.seenBy[replica] = sequence }
    }

    mutating func finishRecording(_ answer: UnreadableAnswer) {
        download.queue.finish(.joining)
        if answer.isMismatched {
            download.isMismatched = true
            if core.isLive { drain() }
        }
        if answer.uploadedAgainCount > 0 { upload.isDirty = true }
    }
}
