import Core

/// From the relay into the store.
extension DeviceSession {
    mutating func hearPart(_ part: BodyPart) {
        if download.isHeld { return }
        guard download.assembled == nil else {
            fail(.outOfOrder("a second long body before the batch of the first"))
            return
        }
        if download.assembly == nil {
            download.assembly = BodyAssembly(part)
        } else if download.assembly?.add(part) == false {
            download.assembly = nil
        }
        guard let assembly = download.assembly else {
            fail(.outOfOrder("a part that does not fit the body before it"))
            return
        }
        if let change = assembly.change {
            download.assembled = change
            download.assembly = nil
        }
    }

    mutating func hearBatch(_ batch: ChangeBatch) {
        if download.isHeld {
            download.hold?.hasNews = true
            startOverIfDue()
            return passOver(1)
        }
        guard download.assembly == nil else {
            fail(.outOfOrder("a batch inside a long body"))
            return
        }
        var batch = batch
        if let change = download.assembled {
            batch.changes.append(change)
            download.assembled = nil
        }
        download.append(.batch(batch))
        download.hasStood = false
        if download.batchCount > WireLimits.windowBatchCount {
            fail(
                .overLimit("batches before an acknowledgement", max: WireLimits.windowBatchCount))
        } else if download.byteCount > limits.receivedByteCountMax {
            fail(
                .overLimit("bytes before an acknowledgement", max: limits.receivedByteCountMax))
        }
    }

    /// Ends the session once something new has come and deletes were held long enough: the next one judges anew.
    mutating func startOverIfDue() {
        guard phase == .syncing, let deadline = download.hold?.startOverAt, now >= deadline else {
            return
        }
        drain()
    }

    mutating func hearStanding(_ standing: Standing) {
        if download.isHeld { return }
        guard download.assembly == nil, download.assembled == nil else {
            fail(.outOfOrder("a standing inside a long body"))
            return
        }
        download.hasStood = false
        download.append(.standing(standing))
        if download.standingCount > limits.standingCountMax {
            fail(.overLimit("standings that wait", max: limits.standingCountMax))
        }
    }

    /// Hands the store what is next, if it is free.
    mutating func takeWaiting() {
        guard let welcome, let item = download.next() else { return }
        switch item {
        case .batch(let batch):
            for change in batch.changes { echoes.note(change) }
            report.receivedCount += batch.changes.count
            effects.append(
                .integrate(
                    IntegrateRequest(
                        changes: batch.changes, peer: welcome.relay,
                        checkpoint: isReadAnew ? nil : batch.through, openings: [],
                        // Devices that differ may meet nowhere else.
                        isRepair: true, startsSession: download.integratedCount == 0)))
        case .standing(let standing):
            effects.append(
                .judge(
                    JudgeRequest(
                        relay: welcome.relay,
                        through: isReadAnew ? nil : standing.through,
                        notices: standing.notices, isReadAnew: download.isMismatched)))
        }
    }

    mutating func takeIntegrated(_ answer: IntegrateAnswer) {
        precondition(download.isBusy, "an answer to an integration that was not asked for")
        download.isBusy = false
        if let held = answer.held {
            report.held = held
            noteTampering(answer.unreadableCount)
            passOver(download.stop(by: DeletionHold(at: now, limits)) + 1)
            return
        }
        report.changedCount += answer.changedCount
        report.parkedCount += answer.parkedCount
        noteTampering(answer.unreadableCount)
        if let id = answer.wanted.first {
            fail(.malformed("record \(id) came with values left out"))
            return
        }
        // Merged, a record may have become one that the relay does not have.
        if answer.changedCount > 0 { upload.isDirty = true }
        download.integratedCount += 1
        send(.acknowledge(download.integratedCount))
    }

    /// Lets batches go while deletes are held.
    ///
    /// The relay sends them again in the next session, as they are not remembered as read; it would drop
    /// who does not take them.
    private mutating func passOver(_ count: Int) {
        guard count > 0 else { return }
        download.integratedCount += UInt64(count)
        send(.acknowledge(download.integratedCount))
    }

    mutating func takeJudged(_ answer: JudgeAnswer) {
        precondition(download.isBusy, "an answer to statements that were not asked for")
        download.isBusy = false
        download.hasStood = download.isIdle
        noteTampering(answer.unreadableCount)
        if answer.isMismatched { download.isMismatched = true }
        if answer.isWithheld { report.isWithheld = true }
        if answer.isDiverged { report.isDiverged = true }
        if answer.isRepairDue {
            // The next session has every version, and unites them.
            download.isMismatched = true
            if isLive { drain() }
        }
        if answer.hasLearned { upload.isDirty = true }
        for (replica, knowledge) in answer.knowledge {
            report.seenBy[replica] = knowledge
        }
    }

    /// Whether nothing counts as read from here on, so that the next session asks for it again.
    private var isReadAnew: Bool { download.isTampered || download.isMismatched }

    /// What came is not what a device of the space uploaded: from here on nothing counts as read, so
    /// that the next session asks for it again.
    private mutating func noteTampering(_ count: Int) {
        guard count > 0 else { return }
        download.isTampered = true
        report.unreadableCount += count
    }
}
