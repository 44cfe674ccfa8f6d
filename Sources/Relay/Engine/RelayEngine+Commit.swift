import Core
import Session
import Storage

/// The group commit: the uploads since the last one, in one transaction for each space.
///
/// Of one space one commit is under way at most: what comes meanwhile is the next one. Those of several spaces are under
/// way at once.
extension RelayEngine {
    /// Begins to commit all spaces for which something waits.
    func commitAll(now: Instant) {
        drainQueue(now: now)
        let ids = waiting
        waiting = []
        for id in ids {
            guard let space = spaces[id] else { continue }
            commit(space, now: now)
            let start = stages.now()
            drainQueue(now: now)
            stages.end(.push, since: start)
        }
    }

    private func commit(_ space: RelaySpace, now: Instant) {
        let (uploads, uploaders) = (space.queue, space.uploaders)
        (space.queue, space.uploaders) = ([], [:])
        let byteCount = uploads.reduce(0) { $0 + $1.item.byteCount }
        queuedByteCount -= byteCount
        guard let key = space.key else { return }
        let committing = RelayCommitting(
            key: key, uploads: uploads, uploaders: uploaders, byteCount: byteCount)
        space.committing = committing
        committingByteCount += byteCount
        stages.end(.waiting, since: space.queuedAt)
        let start = stages.now()
        let result = ask { [store] then in
            store.commit(uploads, to: key, then: then)
        } later: { (engine, result: Result<RelayCommit, RelayStoreFault>) in
            engine.stages.end(.commit, since: start)
            engine.hear(result, of: committing, in: space)
            engine.drainQueue(now: engine.now)
            engine.hearHeldBack()
        }
        if let result {
            stages.end(.commit, since: start)
            hear(result, of: committing, in: space)
        }
    }

    /// Takes the outcome of a commit; the next one of the space may begin.
    private func hear(
        _ result: Result<RelayCommit, RelayStoreFault>, of committing: RelayCommitting,
        in space: RelaySpace
    ) {
        space.committing = nil
        committingByteCount -= committing.byteCount
        drop(committing.refused(result), from: space)
        if !space.queue.isEmpty { waiting.append(space.id) }
        // The conversations of an earlier state were told of its end.
        let isPresent = committing.key == space.key
        switch result {
        case .success(let commit):
            count(commit, of: committing, in: space)
            if isPresent {
                share(commit, in: space)
                tell(commit, of: space)
            }
        case .failure(.replaced): if isPresent { end(space, .replaced(space.id)) }
        case .failure(.failed(let fault)): fail(committing.uploads, of: space, fault)
        }
        forgetIfIdle(space)
    }

    /// Drops what conversations have sent behind uploads that were refused: it may build on them.
    private func drop(_ senders: Set<RelayServerSessionID>, from space: RelaySpace) {
        if senders.isEmpty { return }
        let dropped = space.queue.filter { senders.contains($0.sender) }
        queuedByteCount -= dropped.reduce(0) { $0 + $1.item.byteCount }
        space.queue.removeAll { senders.contains($0.sender) }
    }

    private func count(
        _ commit: RelayCommit, of committing: RelayCommitting, in space: RelaySpace
    ) {
        counts.commitCount += 1
        counts.flushCount += 1
        counts.keptChangeCount += commit.kept.count
        if isTouchKept, commit.through > commit.start {
            touches.append(
                RelayTouch(space: space.id, start: commit.start, through: commit.through))
        }
        for (id, device) in committing.uploaders.sorted(by: { $0.key < $1.key }) {
            deviceUploads.add(
                commit.grownByteCounts[id] ?? 0, of: device,
                deviceCountMax: options.limits.uploadingDeviceCountMax, now: now)
        }
    }

    /// Nothing of these uploads was kept; all conversations go on reading if the space can still be read.
    private func fail(_ uploads: [RelayUpload], of space: RelaySpace, _ fault: StoreFault) {
        guard fault.leavesReading else { return fail(space, fault, of: []) }
        note(.spaceFailed(space.id, fault))
        for id in Set(uploads.map(\.sender)).sorted() {
            add(id, .uploadRefused(.store(fault, space.id)))
        }
    }

    /// Keeps new items ready for the subscribers, if they fit into one batch.
    private func share(_ commit: RelayCommit, in space: RelaySpace) {
        guard commit.through > commit.start else { return }
        space.forgetShared(reaching: commit.start)
        guard space.sessions.count > 1 else { return }
        var reading = RelayReading(epoch: commit.epoch, through: commit.through, isEnd: true)
        var bound = RelayBatchBound(byteCountMax: options.limits.batchByteCountMax)
        for change in commit.fresh {
            guard !bound.isFull, bound.add(change) else { return }
            reading.changes.append(change)
        }
        guard commit.unreadable.count <= WireLimits.unreadableCountMax else { return }
        reading.unreadable = commit.unreadable
        space.share(reading, after: commit.start)
        boundSharing(space)
    }

    private func tell(_ commit: RelayCommit, of space: RelaySpace) {
        for id in space.sessions {
            if let receipt = commit.receipts[id] {
                add(id, .committed(receipt))
            } else if commit.through > commit.start {
                add(id, .storeChanged)
            }
            if let quota = commit.quotas[id] {
                add(id, .uploadRefused(refusal(quota, space.id)))
            }
        }
    }

    // MARK: Other processes

    /// Spaces with conversations here.
    package var openSpaces: [SpaceID] { spaces.values.filter { !$0.sessions.isEmpty }.map(\.id) }

    /// The commits since the last call, for other processes on the same store; only if `isTouchKept`.
    package func takeTouches() -> [RelayTouch] {
        defer { touches = [] }
        return touches
    }

    /// Something may have come into spaces from another process: their subscribers look.
    ///
    /// It may be wrong, late and repeated: the store alone says what there is.
    package func storeChanged(in ids: some Sequence<SpaceID>, now: Instant) -> [Output] {
        for id in ids {
            spaces[id]?.noteChange()
            for session in spaces[id]?.sessions ?? [] { add(session, .storeChanged) }
        }
        return finish(now)
    }

    private func refusal(_ quota: RelayQuota, _ space: SpaceID) -> RelayRefusal {
        let limits = options.limits
        switch quota {
        case .bytes: return .bytes(space, max: limits.spaceByteCountMax)
        case .records: return .records(space, max: limits.spaceRecordCountMax)
        case .versions: return .versions(space, max: limits.recordVersionCountMax)
        case .storedVersions: return .storedVersions(space, max: limits.storedVersionCountMax)
        }
    }
}
