import Core

/// The end, and the time: deadlines, signs of life, leaving in order.
extension DeviceSession {
    /// Does what the present state allows, whatever brought it about.
    mutating func advance() {
        takeWaiting()
        sendParcels()
        readOn()
        declare()
        report.isCaughtUp = isExchangeDone
        if drainingSince != nil {
            if upload.inFlight.isEmpty, !download.isBusy { leave() }
        } else if let held = report.held, !isLive, isUploadDone {
            fail(.deletesHeld(held))
        } else if report.isCaughtUp, !isLive {
            leave()
        }
    }

    /// Whether the relay has all that this device had.
    private var isUploadDone: Bool {
        upload.isCaughtUp && !upload.isDirty && awaitedEnd == nil && upload.inFlight.isEmpty
    }

    /// Whether all that either side had is on the other.
    private var isExchangeDone: Bool {
        download.hasStood && download.isIdle && upload.isCaughtUp && !upload.isDirty
            && awaitedEnd == nil && upload.inFlight.isEmpty
    }

    /// Lets batches on their way arrive, reads no further, then leaves.
    mutating func drain() {
        guard drainingSince == nil else { return }
        drainingSince = now
        upload.parcels = []
        upload.end = nil
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

    private var drainDeadline: Instant? {
        drainingSince?.advanced(byMilliseconds: limits.drainTimeoutMilliseconds)
    }

    mutating func takeWake() {
        awaitedWake = nil
        guard phase != .idle else { return }
        if let deadline = greetingDeadline, now >= deadline {
            fail(.timeout("a welcome", milliseconds: limits.greetingTimeoutMilliseconds))
        } else if now >= silenceDeadline {
            fail(
                .timeout(
                    "any sign of life", milliseconds: limits.silenceTimeoutMilliseconds))
        } else if let deadline = drainDeadline, now >= deadline {
            leave()
        } else if let deadline = pingDeadline, now >= deadline {
            pingCount += 1
            send(.ping(pingCount))
        }
        startOverIfDue()
    }

    /// Asks for a wake at the earliest deadline; one that has moved to a later time is not asked for again.
    mutating func askForWake() {
        guard phase != .idle else { return }
        let deadlines = [
            greetingDeadline, silenceDeadline, pingDeadline, drainDeadline,
            drainingSince == nil ? download.hold?.startOverAt : nil,
        ]
        guard let earliest = deadlines.compactMap(\.self).min() else { return }
        if let awaitedWake, awaitedWake <= earliest { return }
        awaitedWake = earliest
        effects.append(.wake(at: earliest))
    }
}
