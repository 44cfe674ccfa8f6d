import Core

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
        try download.queue.requireNoBody("a standing")
        download.hasStood = false
        download.queue.append(downloadDone)
        if download.queue.noticeCount > limits.downloadDoneCountMax {
            throw .overLimit("standings that wait", max: limits.downloadDoneCountMax)
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
                        checkpoint: download.isReadAnew ? nil : batch.through,
                        // Devices that differ may meet nowhere else.
                        isRepair: true, startsSession: download.queue.integratedCount == 0)))
        case .notice(let downloadDone):
            download.queue.start(.joining)
            core.ask(
                .judge(
                    JudgeRequest(
                        relay: relayHelloReply.relay,
                        through: download.isReadAnew ? nil : downloadDone.through,
                        notices: downloadDone.notices, isReadAnew: download.isMismatched)))
        }
    }

    mutating func finishIntegration(
        _ answer: Integration, _ unreadableCount: Int
    ) throws(PeerError) {
        download.queue.finish(.integrating)
        noteTampering(unreadableCount)
        if let held = answer.held {
            core.report.held = held
            download.hasStood = false
            acknowledge(download.queue.stop(by: DeletionHold(at: core.now, limits)) + 1)
            return
        }
        core.report.changedCount += answer.changedCount
        core.report.deferredCount += answer.deferredCount
        if let id = answer.wanted.first {
            throw .malformed("record \(id) came with values left out")
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
        download.hasStood = download.queue.isIdle
        noteTampering(answer.unreadableCount)
        let joining = answer.joining
        if joining.isMismatched { download.isMismatched = true }
        if joining.isWithheld { core.report.isWithheld = true }
        if joining.isDiverged { core.report.isDiverged = true }
        if joining.isRepairDue {
            // The next session has every version, and unites them.
            download.isMismatched = true
            if core.isLive { drain() }
        }
        if joining.hasLearned { upload.isDirty = true }
        for (replica, knowledge) in answer.knowledge {
            core.report.seenBy[replica] = knowledge
        }
    }

    /// Counts records and statements that failed authentication: the relay altered or swapped them, and
    /// the next session asks for all of it again.
    private mutating func noteTampering(_ count: Int) {
        guard count > 0 else { return }
        download.isTampered = true
        core.report.unreadableCount += count
    }
}
