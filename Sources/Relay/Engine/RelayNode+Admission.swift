import Core
import Session
import Storage

/// Admission of devices: all of it is decided before any data moves.
extension RelayNode {
    /// Checks an approach, and makes the space if it may be made.
    func admit(_ approach: Approach, _ id: RelaySessionID) -> RelaySessionEvent {
        conversations[id]?.replica = approach.replica
        if let refusal = checkForm(approach, id) { return .refused(refusal) }
        let space = self.space(approach.space)
        defer { forgetIfIdle(space) }
        let most = options.limits.spaceSessionCountMax
        if space.sessions.count >= most {
            return .refused(.spaceSessions(space.id, max: most))
        }
        do throws(StoreFault) {
            let admission = try store.admit(approach) { head, otherSpaceCount in
                decide(approach, id, head, otherSpaceCount)
            }
            switch admission {
            case .entered(let entry): return enter(approach, id, space, entry)
            case .refused(let rejection, let letter):
                return refuse(rejection, letter, approach, id)
            }
        } catch {
            fail(space, error)
            return .refused(.store(error, approach.space))
        }
    }

    /// The refusal that needs no look at the space.
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

    private func refuse(
        _ rejection: RelayRejection, _ letter: Letter?, _ approach: Approach, _ id: RelaySessionID
    ) -> RelaySessionEvent {
        var refusal = rejection.refusal
        if let letter, letter.generation == approach.generation { refusal.letter = letter }
        if rejection.isFailedProof, refusal.letter == nil { noteFailedProof(id) }
        return .refused(refusal)
    }

    // MARK: Deciding

    /// Decides on an approach, inside of the store's transaction: changes nothing.
    private func decide(
        _ approach: Approach, _ id: RelaySessionID, _ head: RelaySpaceHead?,
        _ otherSpaceCount: Int
    ) -> RelayDecision {
        guard let head else { return decideNew(approach, id, otherSpaceCount) }
        let (own, theirs) = (head.generation, approach.generation)
        guard (own == 0) == (theirs == 0) else {
            return .refuse(.encryption(approach.space, isPlainHere: own == 0))
        }
        if own == 0 { return .enter }
        if theirs < own {
            let refusal = RelayRefusal.oldGeneration(approach.space, own: own, theirs: theirs)
            return .refuse(rejection(refusal, approach, id, head))
        }
        guard let access = approach.access else { return .refuse(.noProof(approach.space)) }
        if theirs > own {
            guard isSuccessor(approach, of: head) else {
                return .failed(.newGeneration(approach.space, own: own, theirs: theirs))
            }
            guard isProven(approach, id) else { return .failed(.wrongProof(approach.space)) }
            return .begin(generation: theirs, verifier: access.verifier)
        }
        guard access.verifier == head.verifier, isProven(approach, id) else {
            var rejection = rejection(.wrongProof(approach.space), approach, id, head)
            rejection.isFailedProof = true
            return .refuse(rejection)
        }
        return .enter
    }

    /// Decides whether a space is made.
    private func decideNew(
        _ approach: Approach, _ id: RelaySessionID, _ otherSpaceCount: Int
    ) -> RelayDecision {
        if let token = options.token {
            guard let given = approach.token else {
                return .refuse(.token(approach.space, isGiven: false))
            }
            guard Self.isEqual(token, given) else {
                return .failed(.token(approach.space, isGiven: true))
            }
        }
        if !isProven(approach, id) { return .failed(.wrongProof(approach.space)) }
        if otherSpaceCount >= options.limits.spaceCountMax {
            return .refuse(.spaces(max: options.limits.spaceCountMax))
        }
        return .make(
            generation: approach.generation, verifier: approach.access?.verifier ?? [])
    }

    /// The refusal with the key of the letter that the device may have: only if it proves to have that key.
    private func rejection(
        _ refusal: RelayRefusal, _ approach: Approach, _ id: RelaySessionID, _ head: RelaySpaceHead
    ) -> RelayRejection {
        var rejection = RelayRejection(refusal: refusal)
        guard let verifier = approach.access?.verifier, verifier != head.verifier,
            head.letterMarks.contains(where: { $0.verifier == verifier }), isProven(approach, id)
        else { return rejection }
        rejection.letterVerifier = verifier
        return rejection
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

    private func isSuccessor(_ approach: Approach, of head: RelaySpaceHead) -> Bool {
        guard approach.generation == head.generation + 1, let proof = approach.access,
            let succession = proof.succession
        else { return false }
        return access.verifySuccession(
            verifier: head.verifier, space: approach.space, generation: approach.generation,
            successor: proof.verifier, succession: succession)
    }

    /// Counts a failed proof under the device's address.
    private func noteFailedProof(_ id: RelaySessionID) {
        failedProofs.note(
            conversations[id]?.channel.address ?? "",
            addressCountMax: options.limits.failedProofAddressCountMax, now: now)
    }

    /// Compares all bytes, however soon they differ.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
    }

    // MARK: Entering

    /// Adds a conversation to its space; those of an earlier state of the space end.
    private func enter(
        _ approach: Approach, _ id: RelaySessionID, _ space: RelaySpace, _ entry: RelayEntry
    ) -> RelaySessionEvent {
        let head = entry.head
        var refusal = RelayRefusal.replaced(space.id)
        switch entry.cause {
        case .found: break
        case .made:
            counts.commitCount += 1
            counts.flushCount += 1
            note(.spaceMade(space.id, generation: head.generation))
        case .begun(let old):
            counts.commitCount += 1
            counts.flushCount += 1
            note(.generationBegun(space.id, generation: head.generation))
            refusal = .oldGeneration(space.id, own: head.generation, theirs: old)
        }
        if let known = space.key, known != head.key { end(space, refusal) }
        space.key = head.key
        spaces[space.id] = space
        space.add(id)
        conversations[id]?.space = space.id
        conversations[id]?.session.isLive = approach.features.contains(.live)
        conversations[id]?.decoder.byteCountMax = WireLimits.frameByteCountMax
        counts.welcomedCount += 1
        let address = conversations[id]?.channel.address ?? ""
        note(.welcomed(space.id, approach.replica, address: address), id)
        let start =
            entry.start > 0
            ? RelayEpoch.middle(head.epoch, entry.start) : RelayEpoch.end(head.epoch, 0)
        // All statements, each time: a device that something was kept from has no other cause to
        // look for it than a statement that does not add up.
        return .welcomed(
            Welcome(
                relay: head.key.relay, start: start, reached: head.sequence,
                uploaded: entry.uploaded,
                letters: head.generation == 0 ? nil : head.letterMarks),
            noticesAfter: 0)
    }
}

extension RelayDecision {
    /// Refuses a device.
    fileprivate static func refuse(_ refusal: RelayRefusal) -> RelayDecision {
        .refuse(RelayRejection(refusal: refusal))
    }

    /// Refuses a device, and counts a failed proof.
    fileprivate static func failed(_ refusal: RelayRefusal) -> RelayDecision {
        .refuse(RelayRejection(refusal: refusal, isFailedProof: true))
    }
}
