import Relay
import Storage
import Transport

/// The end of a process, and what it shares with the others of its relay.
extension RelayServer {
    // MARK: The end

    /// Stops as a signal does; on the loop's thread.
    ///
    /// Where other processes serve the same store devices are told to go to those.
    package func stop() {
        if isDraining { return loop.stop() }
        isDraining = true
        if sharing == nil {
            listener?.close()
        } else {
            // A device that knocks already is let in, to be told.
            listener?.closeDoor()
        }
        if links.isEmpty, listener?.handshakeCount ?? 0 == 0 { return loop.stop() }
        log(LogLine(.info, "draining", ["connections": "\(links.count)"]))
        if sharing == nil {
            perform(node.runAll(.drain, now: SystemEnvironment.now()))
        } else {
            leave(links.keys.sorted(), in: Self.leavingSteps(links.count, within: options.drainMax))
        }
        loop.schedule(after: options.drainMax) { [unowned self] in loop.stop() }
    }

    /// How often some are told, so that the others are not met by all devices at one moment.
    static let leavingPeriod = Duration.milliseconds(20)
    /// So many are told each time, and more if all would not be told within half of the time.
    static let leavingCountMin = 32

    /// How many are told each time.
    static func leavingSteps(_ count: Int, within drainMax: Duration) -> Int {
        let stepCount = max(1, Int(drainMax / 2 / leavingPeriod))
        return max(leavingCountMin, (count + stepCount - 1) / stepCount)
    }

    private func leave(_ sessions: [RelayServerSessionID], in step: Int) {
        perform(
            node.runAll(.leave, of: Array(sessions.prefix(step)), now: SystemEnvironment.now()))
        let left = Array(sessions.dropFirst(step))
        if left.isEmpty { return }
        loop.schedule(after: Self.leavingPeriod) { [unowned self] in leave(left, in: step) }
    }

    /// Ends the process that drains once nobody is left.
    func endIfLeft() {
        if isDraining, links.isEmpty, listener?.handshakeCount ?? 0 == 0 { loop.stop() }
    }

    // MARK: Sharing

    private static var ownDay: Int64 { SystemEnvironment.wallMilliseconds() / 86_400_000 }

    /// The day, days since 1970-01-01 UTC: where spaces are in a database, by its clock.
    var today: Int64 { Self.ownDay + sharedDayLead }

    /// Shares counts and mailboxes from the time on that it serves.
    func share(_ sharing: any RelaySharing, _ notices: any RelayNotices) {
        node.beginSharing()
        let runner = RelayShareRunner(
            sharing, on: loop,
            request: { [unowned self] in node.takeShareRequest(today: today) },
            take: { [unowned self] request, result in receive(request, result) })
        self.sharing = runner
        notices.mailboxesChange = { [weak runner] in runner?.soon() }
    }

    private func receive(
        _ request: RelayShareRequest, _ result: Result<RelayShareAnswer, StoreFault>
    ) {
        let now = SystemEnvironment.now()
        switch result {
        case .success(let answer):
            if isDatabaseAway { log(LogLine(.info, "database-back")) }
            isDatabaseAway = false
            perform(node.receive(answer, now: now))
            sharedPutOut = answer.putOut
            if let day = answer.day { sharedDayLead = day - Self.ownDay }
        case .failure(let fault):
            let isAway = sharing?.isAway == true
            if isAway, !isDatabaseAway {
                log(LogLine(.error, "database-away", ["message": "\(fault)"]))
            }
            isDatabaseAway = isDatabaseAway || isAway
            perform(node.sharingFailed(request, now: now))
        }
    }

    // MARK: Idle spaces

    /// A store of this process's own is looked at so often, one space at a time.
    private static let expiryPeriod = Duration.seconds(1)

    /// Deletes spaces of this process's own store that no device has visited for long, if the settings say so.
    func watchIdleSpaces() {
        if sharing != nil { return }
        loop.schedule(after: options.expiryStart) { [weak self] in self?.lookForIdleSpaces() }
    }

    private func lookForIdleSpaces() {
        if let days = node.options.expiryDays {
            perform(
                node.expireNext(days: days, today: today, now: SystemEnvironment.now()))
        }
        loop.schedule(after: Self.expiryPeriod) { [weak self] in self?.lookForIdleSpaces() }
    }
}
