import Core
import Session
import Storage

/// Who is let in: all of it is decided before any data moves.
extension RelayNode {
    /// Checks an approach, and makes the space if it may be made.
    func admit(_ approach: Approach, _ id: RelaySessionID) -> RelaySessionEvent {
        conversations[id]?.replica = approach.replica
        if let refusal = checkForm(approach, id) { return .refused(refusal) }
        let space = self.space(approach.space)
        defer { forgetIfIdle(space) }
        do throws(StoreFault) {
            return try admit(approach, id, to: space)
        } catch {
            fail(space, error)
            return .refused(.store(error, approach.space))
        }
    }

    /// What can be said without a look at the space.
    private func checkForm(_ approach: Approach, _ id: RelaySessionID) -> RelayRefusal? {
        guard approach.versionMin <= WireLimits.versionMax,
            approach.versionMax >= WireLimits.versionMin
        else { return .incompatible(approach) }
        let address = conversations[id]?.channel.address ?? ""
        let limits = options.limits
        guard failedProofs.admits(address, max: limits.failedProofsPerMinuteMax, now: now) else {
            return .failedProofs(max: limits.failedProofsPerMinuteMax)
        }
        if approach.generation == 0 {
            return options.allowsPlainSpaces ? nil : .plain(approach.space)
        }
        return approach.access == nil ? .noProof(approach.space) : nil
    }

    private func admit(
        _ approach: Approach, _ id: RelaySessionID, to space: RelaySpace
    ) throws(StoreFault) -> RelaySessionEvent {
        let limits = options.limits
        if space.sessions.count >= limits.spaceSessionCountMax {
            return .refused(.spaceSessions(space.id, max: limits.spaceSessionCountMax))
        }
        let isKnown = known.contains(space.id)
        if let found = isKnown ? try opened(space) : nil {
            if let refusal = try check(approach, id, found) { return .refused(refusal) }
            return try welcome(approach, id, space, found)
        }
        // A file whose making was cut off counts as known, and is made all the same.
        if let refusal = checkNew(approach, id) { return .refused(refusal) }
        makeRoom()
        let store = try RelayStore.make(
            space.id, generation: approach.generation, verifier: approach.access?.verifier ?? [],
            in: options.folder, environment: environment)
        space.forget()
        _ = space.take(store)
        useCount += 1
        space.lastUse = useCount
        statistics.openSpaceCount += 1
        statistics.commitCount += 1
        statistics.flushCount += 1
        known.insert(space.id)
        statistics.spaceCount = known.count
        count(store)
        note(.spaceMade(space.id, generation: approach.generation))
        return try welcome(approach, id, space, store)
    }

    /// What stands against making a space.
    private func checkNew(_ approach: Approach, _ id: RelaySessionID) -> RelayRefusal? {
        if let token = options.token {
            guard let given = approach.token else {
                return .token(approach.space, isGiven: false)
            }
            guard Self.isEqual(token, given) else {
                return failed(id, .token(approach.space, isGiven: true))
            }
        }
        if !isProven(approach, id) { return failed(id, .wrongProof(approach.space)) }
        // The file of one whose making was cut off is there already.
        if !known.contains(approach.space), known.count >= options.limits.spaceCountMax {
            return .spaces(max: options.limits.spaceCountMax)
        }
        return nil
    }

    /// What stands against a space that is there; begins a new generation if one was shown.
    private func check(
        _ approach: Approach, _ id: RelaySessionID, _ store: RelayStore
    ) throws(StoreFault) -> RelayRefusal? {
        let (own, theirs) = (store.generation, approach.generation)
        guard (own == 0) == (theirs == 0) else {
            return .encryption(store.space, isPlainHere: own == 0)
        }
        if own == 0 { return nil }
        if theirs < own {
            let refusal = RelayRefusal.oldGeneration(store.space, own: own, theirs: theirs)
            return try withLetter(refusal, approach, id, store)
        }
        guard let access = approach.access else { return .noProof(store.space) }
        if theirs > own {
            guard isSuccessor(approach, of: store) else {
                return failed(id, .newGeneration(store.space, own: own, theirs: theirs))
            }
            guard isProven(approach, id) else { return failed(id, .wrongProof(store.space)) }
            try begin(approach, access.verifier, store)
            return nil
        }
        guard access.verifier == store.verifier, isProven(approach, id) else {
            let refusal = RelayRefusal.wrongProof(store.space)
            let answer = try withLetter(refusal, approach, id, store)
            return answer.letter == nil ? failed(id, refusal) : answer
        }
        return nil
    }

    /// The refusal with the letter for who has the device's secret, if there is one and it proves to have that.
    private func withLetter(
        _ refusal: RelayRefusal, _ approach: Approach, _ id: RelaySessionID, _ store: RelayStore
    ) throws(StoreFault) -> RelayRefusal {
        guard let verifier = approach.access?.verifier, verifier != store.verifier,
            store.letterMarks.contains(where: { $0.verifier == verifier }),
            isProven(approach, id), let letter = try store.letter(to: verifier),
            letter.generation == approach.generation
        else { return refusal }
        if PlantedFault.letterNotGiven.isPlanted { return refusal }
        var answer = refusal
        answer.letter = letter
        return answer
    }

    private func isProven(_ approach: Approach, _ id: RelaySessionID) -> Bool {
        if approach.generation == 0 { return true }
        guard let proof = approach.access, let channel = conversations[id]?.channel else {
            return false
        }
        return access.verify(
            verifier: proof.verifier, space: approach.space, generation: approach.generation,
            proof: proof.proof, channelBinding: channel.binding)
    }

    private func isSuccessor(_ approach: Approach, of store: RelayStore) -> Bool {
        guard approach.generation == store.generation + 1, let proof = approach.access,
            let succession = proof.succession
        else { return false }
        return access.verifySuccession(
            verifier: store.verifier, space: approach.space, generation: approach.generation,
            successor: proof.verifier, succession: succession)
    }

    /// Counts a failed proof under the device's address.
    private func failed(_ id: RelaySessionID, _ refusal: RelayRefusal) -> RelayRefusal {
        failedProofs.note(
            conversations[id]?.channel.address ?? "",
            addressCountMax: options.limits.failedProofAddressCountMax, now: now)
        return refusal
    }

    /// What was kept of the old generation goes, and so do its conversations and what waits of them.
    private func begin(
        _ approach: Approach, _ verifier: [UInt8], _ store: RelayStore
    ) throws(StoreFault) {
        let old = store.generation
        try store.begin(generation: approach.generation, verifier: verifier)
        statistics.commitCount += 1
        statistics.flushCount += 1
        count(store)
        note(.generationBegun(store.space, generation: approach.generation))
        guard let space = spaces[store.space] else { return }
        queuedByteCount -= space.queue.reduce(0) { $0 + $1.item.byteCount }
        space.queue = []
        waiting.removeAll { $0 == space.id }
        space.forgetShared()
        for session in space.sessions {
            add(
                session,
                .refused(.oldGeneration(space.id, own: approach.generation, theirs: old)))
        }
    }

    private func welcome(
        _ approach: Approach, _ id: RelaySessionID, _ space: RelaySpace, _ store: RelayStore
    ) throws(StoreFault) -> RelaySessionEvent {
        let uploaded = try store.uploaded(by: approach.replica)
        let start = store.start(approach.read)
        let place =
            start.notices < start.versions
            ? RelayEpoch.middle(store.epoch, start.versions)
            : RelayEpoch.end(store.epoch, start.versions)
        spaces[space.id] = space
        space.add(id)
        conversations[id]?.space = space.id
        conversations[id]?.session.isLive = approach.features.contains(.live)
        conversations[id]?.decoder.byteCountMax = WireLimits.frameByteCountMax
        statistics.welcomedCount += 1
        let address = conversations[id]?.channel.address ?? ""
        note(.welcomed(space.id, approach.replica, address: address), id)
        return .welcomed(
            Welcome(
                relay: store.relay, start: place, reached: store.sequence, uploaded: uploaded,
                letters: store.generation == 0 ? nil : store.letterMarks),
            noticesAfter: start.notices)
    }

    /// Compares all bytes, however soon they differ.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
    }
}
