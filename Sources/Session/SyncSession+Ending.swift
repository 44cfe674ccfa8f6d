import Core

/// The end, and the time: deadlines, signs of life, leaving in order.
extension SyncSession {
    /// Whether each side has told the other all it had, and has heard so.
    var isExchangeDone: Bool {
        doubt == .none && outbound.isCaughtUp && outbound.inFlight.isEmpty
            && outbound.wanted.isEmpty && inbound.isCaughtUp && inbound.isIdle
            && !inbound.isMissingRecords && !repair.isRunning && !isRecollecting && !isRecalling
    }

    mutating func endIfDone() {
        guard phase == .syncing else { return }
        report.isCaughtUp = isExchangeDone
        if isSendingDone {
            report.storedThrough = Checkpoint(
                epoch: outbound.reached.epoch, sequence: outbound.passed)
        }
        if drainingSince != nil {
            if outbound.inFlight.isEmpty, !inbound.isIntegrating { leave() }
        } else if report.held != nil, !isLiveOnBothSides, isSendingDone {
            failHeld()
        } else if report.isCaughtUp, !isLiveOnBothSides, !isAwaitingPeer {
            end(.finished)
        }
    }

    /// Whether the peer has all that this side had.
    private var isSendingDone: Bool {
        outbound.isCaughtUp && outbound.inFlight.isEmpty && outbound.wanted.isEmpty
            && !isRecalling
    }

    /// Ends a session in which deletes are held, once this side's own edits have left.
    private mutating func failHeld() {
        guard let held = report.held else { return }
        fail(.deletesHeld(held))
    }

    /// Whether the peer may still come to doubt who it is, and ask.
    ///
    /// When the responder's hello was the last word, nothing that it heard since tells; so the
    /// initiator closes.
    private var isAwaitingPeer: Bool {
        role == .responder && isSettledByHello
    }

    /// Lets batches on their way arrive, reads no further, then leaves.
    mutating func drain() {
        guard drainingSince == nil else { return }
        drainingSince = now
        outbound.parcels = []
        outbound.end = nil
        if phase != .syncing { leave() }
    }

    private mutating func leave() {
        send(.bye)
        end(.finished)
    }

    mutating func fail(_ error: PeerError) {
        guard phase != .closed else { return }
        send(.error(error))
        end(.failed(error, SessionSide(told: error.side)))
    }

    mutating func end(_ end: SessionEnd) {
        guard phase != .closed else { return }
        phase = .closed
        tellReport()
        effects.append(.close(end))
    }

    mutating func tellReport() {
        guard report != told else { return }
        told = report
        effects.append(.report(report))
    }

    // MARK: Time

    private var silenceDeadline: Instant {
        lastHeard.advanced(byMilliseconds: limits.silenceTimeoutMilliseconds)
    }

    private var pingDeadline: Instant? {
        guard phase == .syncing else { return nil }
        return lastSent.advanced(byMilliseconds: limits.pingIntervalMilliseconds)
    }

    private var wantDeadline: Instant? {
        guard inbound.isMissingRecords else { return nil }
        return inbound.askedAt.advanced(byMilliseconds: limits.wantTimeoutMilliseconds)
    }

    private var holdDeadline: Instant? {
        let deadline = outbound.heldSince?.advanced(byMilliseconds: limits.echoHoldMilliseconds)
        return deadline.flatMap { now < $0 ? $0 : nil }
    }

    /// A peer that does not take this side's edits, as it holds deletes itself, is not waited for.
    private var heldDeadline: Instant? {
        if isLiveOnBothSides { return nil }
        return inbound.heldAt?.advanced(byMilliseconds: limits.drainTimeoutMilliseconds)
    }

    private var drainDeadline: Instant? {
        drainingSince?.advanced(byMilliseconds: limits.drainTimeoutMilliseconds)
    }

    mutating func takeWake() {
        awaitedWake = nil
        guard phase != .idle else { return }
        if let deadline = greetingDeadline, now >= deadline {
            fail(
                .timeout(
                    doubt == .awaitingHistory ? "a history" : "a greeting",
                    milliseconds: limits.greetingTimeoutMilliseconds))
        } else if now >= silenceDeadline {
            fail(
                .timeout(
                    "any sign of life", milliseconds: limits.silenceTimeoutMilliseconds))
        } else if let deadline = wantDeadline, now >= deadline {
            fail(
                .timeout(
                    "records that were asked for", milliseconds: limits.wantTimeoutMilliseconds))
        } else if let deadline = heldDeadline, now >= deadline {
            failHeld()
        } else if let deadline = drainDeadline, now >= deadline {
            leave()
        } else if let deadline = pingDeadline, now >= deadline {
            pingCount += 1
            send(.ping(pingCount))
        }
        // Not beside what has just come: what is stated is flushed first, and the acknowledgement of
        // that would wait for it.
        if let time = outbound.restateAt, now >= time {
            outbound.restateAt = nil
            outbound.isDirty = true
        }
        startOverIfDue()
    }

    /// Asks for a wake at the earliest deadline.
    ///
    /// One that has moved to a later time is not asked for again: the wake comes early, changes
    /// nothing, and asks anew; so messages cost no timer.
    mutating func askForWake() {
        guard phase != .idle else { return }
        var earliest: Instant?
        func consider(_ deadline: Instant?) {
            guard let deadline else { return }
            earliest = min(earliest ?? deadline, deadline)
        }
        // One by one: this runs after each event, and a list would be made for nothing else.
        consider(greetingDeadline)
        consider(silenceDeadline)
        consider(pingDeadline)
        consider(wantDeadline)
        consider(holdDeadline)
        consider(drainDeadline)
        consider(heldDeadline)
        consider(outbound.restateAt)
        if drainingSince == nil { consider(inbound.hold?.startOverAt) }
        guard let earliest else { return }
        if let awaitedWake, awaitedWake <= earliest { return }
        awaitedWake = earliest
        effects.append(.wake(at: earliest))
    }
}
