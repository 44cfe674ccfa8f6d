import Core
import Session
import Storage

/// Admission of devices: all of it is decided before any data moves.
extension RelayEngine {
    /// Checks a relay hello, and makes the space if it may be made.
    func admit(_ relayHello: RelayHello, _ id: RelayServerSessionID) -> RelayServerSessionEvent {
        conversations[id]?.replica = relayHello.replica
        if let refusal = checkForm(relayHello, id) { return .refused(refusal) }
        let space = self.space(relayHello.space)
        defer { forgetIfIdle(space) }
        let most = options.limits.spaceSessionCountMax
        if space.sessions.count >= most {
            return .refused(.spaceSessions(space.id, max: most))
        }
        let visitor = conversations[id]?.channel.visitor
        let deviceMost = options.limits.deviceSessionCountMax
        if let visitor, sessionCount(of: visitor, in: space) >= deviceMost {
            return .refused(.deviceSessions(space.id, max: deviceMost))
        }
        let start = stages.now()
        defer { stages.end(.admission, since: start) }
        do throws(StoreFault) {
            let admission = try store.admit(relayHello, from: visitor) { head, otherSpaceCount in
                decide(relayHello, id, head, otherSpaceCount)
            }
            switch admission {
            case .entered(let entry): return enter(relayHello, id, space, entry)
            case .refused(let rejection, let rekeyMessage):
                return refuse(rejection, rekeyMessage, relayHello, id)
            }
        } catch {
            fail(space, error, of: [])
            return .refused(.store(error, relayHello.space))
        }
    }

    private func sessionCount(of device: RelayVisitor, in space: RelaySpace) -> Int {
        space.sessions.count {
            conversations[$0]?.channel.visitor?.fingerprint == device.fingerprint
        }
    }

    /// The refusal that needs no look at the space.
    private func checkForm(_ relayHello: RelayHello, _ id: RelayServerSessionID) -> RelayRefusal? {
        guard relayHello.versionMin <= WireLimits.versionMax,
            relayHello.versionMax >= WireLimits.versionMin
        else {
            return .incompatible(least: relayHello.versionMin, most: relayHello.versionMax)
        }
        if relayHello.generation == 0 {
            return options.allowsPlainSpaces ? nil : .plain(relayHello.space)
        }
        return relayHello.access == nil ? .noProof(relayHello.space) : nil
    }

    private func refuse(
        _ rejection: RelayRejection, _ rekeyMessage: RekeyMessage?, _ relayHello: RelayHello,
        _ id: RelayServerSessionID
    ) -> RelayServerSessionEvent {
        var refusal = rejection.refusal
        if let rekeyMessage, rekeyMessage.generation == relayHello.generation {
            refusal.rekeyMessage = rekeyMessage
        }
        guard rejection.isFailedProof, refusal.rekeyMessage == nil else {
            return .refused(refusal)
        }
        let kind = failureKind(id, rejection.isForMaking ? nil : relayHello.space)
        let limits = options.limits
        defer {
            failedProofs.note(kind, kindCountMax: limits.failedProofCountMax, now: now)
        }
        let most = limits.failedProofsPerMinuteMax
        return .refused(
            failedProofs.admits(kind, max: most, now: now) ? refusal : .failedProofs(max: most))
    }

    private func failureKind(_ id: RelayServerSessionID, _ space: SpaceID?) -> FailedProofs.Kind {
        FailedProofs.Kind(address: conversations[id]?.channel.address ?? "", space: space)
    }

    // MARK: Deciding

    /// Decides on a relay hello, inside of the store's transaction: changes nothing.
    private func decide(
        _ relayHello: RelayHello, _ id: RelayServerSessionID, _ head: RelaySpaceHead?,
        _ otherSpaceCount: Int
    ) -> RelayDecision {
        guard let head else { return decideNew(relayHello, id, otherSpaceCount) }
        let (own, theirs) = (head.generation, relayHello.generation)
        guard (own == 0) == (theirs == 0) else {
            return .refuse(.encryption(relayHello.space, isPlainHere: own == 0))
        }
        let outside = refusalOutside(relayHello.space, id, head)
        if own == 0 { return outside.map { .refuse($0) } ?? .enter }
        if theirs < own {
            let refusal = RelayRefusal.oldGeneration(relayHello.space, own: own, theirs: theirs)
            return .refuse(rejection(refusal, relayHello, id, head))
        }
        guard let access = relayHello.access else { return .refuse(.noProof(relayHello.space)) }
        if theirs > own {
            guard isSuccessor(relayHello, of: head) else {
                return .failed(.newGeneration(relayHello.space, own: own, theirs: theirs))
            }
            guard isProven(relayHello, id) else { return .failed(.wrongProof(relayHello.space)) }
            if let outside { return .refuse(outside) }
            return .begin(generation: theirs, verifier: access.verifier)
        }
        guard access.verifier == head.verifier, isProven(relayHello, id) else {
            var rejection = rejection(.wrongProof(relayHello.space), relayHello, id, head)
            rejection.isFailedProof = true
            return .refuse(rejection)
        }
        return outside.map { .refuse($0) } ?? .enter
    }

    /// Why a device that has proved access is not let in all the same: the operator has put it out, or another one and
    /// this one may be the same with another key.
    private func refusalOutside(
        _ space: SpaceID, _ id: RelayServerSessionID, _ head: RelaySpaceHead
    ) -> RelayRefusal? {
        let visitor = conversations[id]?.channel.visitor
        if let visitor, isPutOut(visitor, of: space) { return .putOut(space) }
        let isClosed = options.putOut.contains {
            $0.space == space && $0.generation == head.generation
        }
        return isClosed && !head.isVisitorKnown ? .closed(space) : nil
    }

    /// Decides whether a space is made.
    private func decideNew(
        _ relayHello: RelayHello, _ id: RelayServerSessionID, _ otherSpaceCount: Int
    ) -> RelayDecision {
        if let token = options.token {
            guard let given = relayHello.token else {
                return .refuse(.token(relayHello.space, isGiven: false))
            }
            // Who guesses is not told that he has guessed right.
            let most = options.limits.failedProofsPerMinuteMax
            guard failedProofs.admits(failureKind(id, nil), max: most, now: now) else {
                return .refuse(.failedProofs(max: most))
            }
            guard token.isSameSecret(given) else {
                return .failed(.token(relayHello.space, isGiven: true), isForMaking: true)
            }
        }
        if !isProven(relayHello, id) {
            return .failed(.wrongProof(relayHello.space), isForMaking: true)
        }
        if otherSpaceCount >= options.limits.spaceCountMax {
            return .refuse(.spaces(max: options.limits.spaceCountMax))
        }
        return .make(
            generation: relayHello.generation, verifier: relayHello.access?.verifier ?? [])
    }

    /// The refusal with the key of the rekey message that the device may have: only if it proves to have that key, and
    /// was not put out.
    private func rejection(
        _ refusal: RelayRefusal, _ relayHello: RelayHello, _ id: RelayServerSessionID,
        _ head: RelaySpaceHead
    ) -> RelayRejection {
        var rejection = RelayRejection(refusal: refusal)
        guard let verifier = relayHello.access?.verifier, verifier != head.verifier,
            head.rekeyMessageMarks.contains(where: { $0.verifier == verifier }),
            isProven(relayHello, id)
        else { return rejection }
        if let visitor = conversations[id]?.channel.visitor, isPutOut(visitor, of: relayHello.space)
        {
            return RelayRejection(refusal: .putOut(relayHello.space))
        }
        rejection.rekeyMessageVerifier = verifier
        return rejection
    }

    private func isProven(_ relayHello: RelayHello, _ id: RelayServerSessionID) -> Bool {
        if relayHello.generation == 0 { return true }
        guard let proof = relayHello.access, let channel = conversations[id]?.channel else {
            return false
        }
        return access.verify(
            verifier: proof.verifier, space: relayHello.space, generation: relayHello.generation,
            proof: proof.proof, channelBinding: channel.binding)
    }

    private func isSuccessor(_ relayHello: RelayHello, of head: RelaySpaceHead) -> Bool {
        guard relayHello.generation == head.generation + 1, let proof = relayHello.access,
            let succession = proof.succession
        else { return false }
        return access.verifySuccession(
            verifier: head.verifier, space: relayHello.space, generation: relayHello.generation,
            successor: proof.verifier, succession: succession)
    }

    // MARK: Entering

    /// Adds a conversation to its space; those of an earlier state of the space end.
    private func enter(
        _ relayHello: RelayHello, _ id: RelayServerSessionID, _ space: RelaySpace,
        _ entry: RelayEntry
    ) -> RelayServerSessionEvent {
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
        space.forgetShared(before: head.sequence)
        spaces[space.id] = space
        space.add(id)
        conversations[id]?.space = space.id
        conversations[id]?.session.isLive = relayHello.features.contains(.live)
        conversations[id]?.decoder.byteCountMax = WireLimits.frameByteCountMax
        counts.welcomedCount += 1
        let address = conversations[id]?.channel.address ?? ""
        let device = conversations[id]?.channel.visitor?.fingerprint
        note(.welcomed(space.id, relayHello.replica, address: address, device: device), id)
        let start =
            entry.start > 0
            ? RelayEpoch.middle(head.epoch, entry.start) : RelayEpoch.end(head.epoch, 0)
        return .welcomed(
            RelayHelloReply(
                relay: head.key.relay, start: start, reached: head.sequence,
                uploaded: entry.uploaded,
                rekeyMessages: head.generation == 0 ? nil : head.rekeyMessageMarks),
            rowsAfter: RelayEpoch.rowsAfter(relayHello.read, start: entry.start))
    }
}

extension RelayDecision {
    /// Refuses a device.
    fileprivate static func refuse(_ refusal: RelayRefusal) -> RelayDecision {
        .refuse(RelayRejection(refusal: refusal))
    }

    /// Refuses a device, and counts a failed proof.
    fileprivate static func failed(
        _ refusal: RelayRefusal, isForMaking: Bool = false
    ) -> RelayDecision {
        .refuse(
            RelayRejection(refusal: refusal, isFailedProof: true, isForMaking: isForMaking))
    }
}
