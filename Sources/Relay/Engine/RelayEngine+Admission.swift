import Core
import Session
import Storage

/// Admission of devices: all of it is decided before any data moves.
extension RelayEngine {
    /// Checks a relay hello, and makes the space if it may be made; nil if the answer comes later.
    func admit(_ relayHello: RelayHello, _ id: RelayServerSessionID) -> RelayServerSessionEvent? {
        conversations[id]?.replica = relayHello.replica
        if let refusal = checkForm(relayHello, id) { return .refused(refusal) }
        guard let channel = conversations[id]?.channel else { return nil }
        let space = self.space(relayHello.space)
        defer { forgetIfIdle(space) }
        let most = options.limits.spaceSessionCountMax
        if space.sessions.count + space.admissions.count >= most {
            return .refused(.spaceSessions(space.id, max: most))
        }
        let visitor = channel.visitor
        let deviceMost = options.limits.deviceSessionCountMax
        if let visitor, sessionCount(of: visitor, in: space) >= deviceMost {
            return .refused(.deviceSessions(space.id, max: deviceMost))
        }
        let request = AdmissionRequest(session: id, channel: channel, relayHello: relayHello)
        space.admissions.append(request)
        let start = stages.now()
        let result = ask { [store] then in
            store.admit(
                relayHello, from: visitor,
                { [weak self] in
                    self?.decide(request, $0, $1) ?? .refuse(.store(.closed, relayHello.space))
                }, then: then)
        } later: { (engine, result: Result<RelayAdmission, StoreFault>) in
            engine.stages.end(.admission, since: start)
            engine.conversations[id]?.isAdmitting = false
            engine.add(id, engine.hear(result, on: request, in: space))
            engine.drainQueue(now: engine.now)
            engine.hear(id, now: engine.now)
        }
        if let result {
            stages.end(.admission, since: start)
            return hear(result, on: request, in: space)
        }
        conversations[id]?.isAdmitting = true
        return nil
    }

    /// Takes the store's decision on a device, whose conversation may be gone.
    private func hear(
        _ result: Result<RelayAdmission, StoreFault>, on request: AdmissionRequest,
        in space: RelaySpace
    ) -> RelayServerSessionEvent {
        space.admissions.removeAll { $0.session == request.session }
        defer { forgetIfIdle(space) }
        switch result {
        case .success(.entered(let entry)): return enter(request, space, entry)
        case .success(.refused(let rejection, let rekeyMessage)):
            return refuse(rejection, rekeyMessage, request)
        case .failure(let fault):
            fail(space, fault, of: [])
            return .refused(.store(fault, space.id))
        }
    }

    /// The conversations of a device about a space, with those on which the store decides.
    private func sessionCount(of device: RelayVisitor, in space: RelaySpace) -> Int {
        let isOfDevice = { (channel: RelayChannel?) in
            channel?.visitor?.fingerprint == device.fingerprint
        }
        return space.sessions.count { isOfDevice(conversations[$0]?.channel) }
            + space.admissions.count { isOfDevice($0.channel) }
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
        _ rejection: RelayRejection, _ rekeyMessage: RekeyMessage?, _ request: AdmissionRequest
    ) -> RelayServerSessionEvent {
        let relayHello = request.relayHello
        var refusal = rejection.refusal
        if let rekeyMessage, rekeyMessage.generation == relayHello.generation {
            refusal.rekeyMessage = rekeyMessage
        }
        guard rejection.isFailedProof, refusal.rekeyMessage == nil else {
            return .refused(refusal)
        }
        let kind = failureKind(request, rejection.isForMaking ? nil : relayHello.space)
        let limits = options.limits
        defer {
            failedProofs.note(kind, kindCountMax: limits.failedProofCountMax, now: now)
        }
        let most = limits.failedProofsPerMinuteMax
        return .refused(
            failedProofs.admits(kind, max: most, now: now) ? refusal : .failedProofs(max: most))
    }

    private func failureKind(_ request: AdmissionRequest, _ space: SpaceID?) -> FailedProofs.Kind {
        FailedProofs.Kind(address: request.channel.address, space: space)
    }

    // MARK: Deciding

    /// Decides on a relay hello, inside of the store's transaction, by what holds then: changes nothing.
    private func decide(
        _ request: AdmissionRequest, _ head: RelaySpaceHead?, _ otherSpaceCount: Int
    ) -> RelayDecision {
        let relayHello = request.relayHello
        // For a device that is gone nothing is begun.
        if conversations[request.session] == nil {
            return .refuse(.store(.closed, relayHello.space))
        }
        guard let head else { return decideNew(request, otherSpaceCount) }
        let (own, theirs) = (head.generation, relayHello.generation)
        guard (own == 0) == (theirs == 0) else {
            return .refuse(.encryption(relayHello.space, isPlainHere: own == 0))
        }
        let outside = refusalOutside(request, head)
        if own == 0 { return outside.map { .refuse($0) } ?? .enter }
        if theirs < own {
            let refusal = RelayRefusal.oldGeneration(relayHello.space, own: own, theirs: theirs)
            return .refuse(rejection(refusal, request, head))
        }
        guard let access = relayHello.access else { return .refuse(.noProof(relayHello.space)) }
        if theirs > own {
            guard isSuccessor(relayHello, of: head) else {
                return .failed(.newGeneration(relayHello.space, own: own, theirs: theirs))
            }
            guard isProven(request) else { return .failed(.wrongProof(relayHello.space)) }
            if let outside { return .refuse(outside) }
            return .begin(generation: theirs, verifier: access.verifier)
        }
        guard access.verifier == head.verifier, isProven(request) else {
            var rejection = rejection(.wrongProof(relayHello.space), request, head)
            rejection.isFailedProof = true
            return .refuse(rejection)
        }
        return outside.map { .refuse($0) } ?? .enter
    }

    /// Why a device that has proved access is not let in all the same: the operator has put it out, or another one and
    /// this one may be the same with another key.
    private func refusalOutside(
        _ request: AdmissionRequest, _ head: RelaySpaceHead
    ) -> RelayRefusal? {
        let space = request.relayHello.space
        let visitor = request.channel.visitor
        if let visitor, isPutOut(visitor, of: head) { return .putOut(space) }
        func closes(_ device: RelayPutOut) -> Bool {
            device.space == space && device.generation == head.generation
        }
        let isClosed =
            options.putOut.contains(where: closes) || head.putOut.contains(where: closes)
        return isClosed && !head.isVisitorKnown ? .closed(space) : nil
    }

    /// Whether this process has heard that a device is out, or the store has it in its list.
    private func isPutOut(_ device: RelayVisitor, of head: RelaySpaceHead) -> Bool {
        isPutOut(device, of: head.key.space)
            || head.putOut.contains { $0.fingerprint == device.fingerprint }
    }

    /// Decides whether a space is made.
    private func decideNew(
        _ request: AdmissionRequest, _ otherSpaceCount: Int
    ) -> RelayDecision {
        let relayHello = request.relayHello
        if let token = options.token {
            guard let given = relayHello.token else {
                return .refuse(.token(relayHello.space, isGiven: false))
            }
            // A device that guesses is not told that it has guessed right.
            let most = options.limits.failedProofsPerMinuteMax
            guard failedProofs.admits(failureKind(request, nil), max: most, now: now) else {
                return .refuse(.failedProofs(max: most))
            }
            guard token.isSameSecret(given) else {
                return .failed(.token(relayHello.space, isGiven: true), isForMaking: true)
            }
        }
        if !isProven(request) {
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
        _ refusal: RelayRefusal, _ request: AdmissionRequest, _ head: RelaySpaceHead
    ) -> RelayRejection {
        let relayHello = request.relayHello
        var rejection = RelayRejection(refusal: refusal)
        guard let verifier = relayHello.access?.verifier, verifier != head.verifier,
            head.rekeyMessageMarks.contains(where: { $0.verifier == verifier }),
            isProven(request)
        else { return rejection }
        if let visitor = request.channel.visitor, isPutOut(visitor, of: head) {
            return RelayRejection(refusal: .putOut(relayHello.space))
        }
        rejection.rekeyMessageVerifier = verifier
        return rejection
    }

    private func isProven(_ request: AdmissionRequest) -> Bool {
        let relayHello = request.relayHello
        if relayHello.generation == 0 { return true }
        guard let proof = relayHello.access else { return false }
        return access.verify(
            verifier: proof.verifier, space: relayHello.space, generation: relayHello.generation,
            proof: proof.proof, channelBinding: request.channel.binding)
    }

    /// Whether the key of the relay's generation has signed the later one that a device shows.
    ///
    /// Generations between them may be left out: whoever has that key could begin each of them.
    private func isSuccessor(_ relayHello: RelayHello, of head: RelaySpaceHead) -> Bool {
        guard relayHello.generation > head.generation,
            relayHello.generation - head.generation <= WireLimits.generationStepMax,
            let proof = relayHello.access, let succession = proof.succession
        else { return false }
        return access.verifySuccession(
            verifier: head.verifier, space: relayHello.space, generation: relayHello.generation,
            successor: proof.verifier, succession: succession)
    }

    // MARK: Entering

    /// Adds a conversation to its space; those of an earlier state of the space end.
    private func enter(
        _ request: AdmissionRequest, _ space: RelaySpace, _ entry: RelayEntry
    ) -> RelayServerSessionEvent {
        let (id, relayHello, head) = (request.session, request.relayHello, entry.head)
        guard adopt(entry, in: space) else {
            return .refused(
                .oldGeneration(space.id, own: space.generation, theirs: head.generation))
        }
        guard conversations[id] != nil else { return .lost }
        // The operator may have done so since the decision.
        if let visitor = request.channel.visitor, isPutOut(visitor, of: space.id) {
            return .refused(.putOut(space.id))
        }
        spaces[space.id] = space
        space.add(id)
        conversations[id]?.space = space.id
        conversations[id]?.session.isLive = relayHello.features.contains(.live)
        conversations[id]?.decoder.byteCountMax = WireLimits.frameByteCountMax
        counts.welcomedCount += 1
        let device = request.channel.visitor?.fingerprint
        note(
            .welcomed(
                space.id, relayHello.replica, address: request.channel.address, device: device),
            id)
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

    /// Takes over the state of a space that a device has come to, or has made; conversations of an earlier one end.
    ///
    /// - Returns: false if the space has a later generation by now, as another device's answer came first.
    private func adopt(_ entry: RelayEntry, in space: RelaySpace) -> Bool {
        let head = entry.head
        var refusal = RelayRefusal.replaced(space.id)
        switch entry.cause {
        case .found: break
        case .made:
            counts.commitCount += 1
            counts.flushCount += 1
            note(.spaceMade(space.id, generation: head.generation))
        case .begun:
            counts.commitCount += 1
            counts.flushCount += 1
            note(.generationBegun(space.id, generation: head.generation))
            // Conversations may know of as late a generation, which another server of a database has never got.
            if space.generation < head.generation {
                refusal = .oldGeneration(
                    space.id, own: head.generation, theirs: space.generation)
            }
        }
        if let known = space.key, known != head.key {
            // Generations are in order in one course of events alone: a store that was emptied or set back has an earlier
            // one again.
            if head.key.history == known.history, head.generation < space.generation {
                return false
            }
            end(space, refusal)
        }
        (space.key, space.generation) = (head.key, head.generation)
        space.forgetShared(before: head.sequence)
        return true
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
