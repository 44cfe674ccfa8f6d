import Core
import Session
import Storage

/// Counts and mailboxes that several processes on one store share.
extension RelayEngine {
    /// From now on counts and mailboxes are shared: `takeShareRequest` is called again and again.
    package func beginSharing() {
        isShared = true
        failedProofs.isShared = true
        deviceUploads.isShared = true
    }

    /// Whether a device waits for the next exchange.
    package var hasShareWishes: Bool { sharedMailboxes.hasWishes }

    /// The most devices that one exchange notes as still connected.
    private static let visitCountMax = 512

    /// Takes all that is to be added, and asked for; `receive` or `sharingFailed` follows before the next call.
    ///
    /// - Parameter today: days since 1970-01-01 UTC.
    package func takeShareRequest(today: Int64) -> RelayShareRequest {
        var request = RelayShareRequest(limits: options.limits)
        request.expiryDays = options.expiryDays
        findVisits(today)
        request.visits = Array(visits.suffix(Self.visitCountMax))
        visits.removeLast(request.visits.count)
        request.failedProofs = failedProofs.takeUnsent()
        request.uploads = deviceUploads.takeUnsent(max: options.limits.deviceByteCountMax)
        sharedMailboxes.take(into: &request)
        return request
    }

    /// On a new day finds the devices that are still connected, whose last visit is of the day on which they came.
    private func findVisits(_ today: Int64) {
        // A clock may be set, and the first day is this process's own.
        guard today != visitDay else { return }
        visitDay = today
        visits = conversations.values.compactMap { conversation in
            guard let space = conversation.space, let visitor = conversation.channel.visitor,
                visitor.day < today
            else { return nil }
            return RelayVisit(
                space: space,
                visitor: RelayVisitor(fingerprint: visitor.fingerprint, day: today))
        }
    }

    /// Takes the sums of all processes.
    package func receive(_ answer: RelayShareAnswer, now: Instant) -> [Output] {
        let limits = options.limits
        failedProofs.receive(
            answer.failedProofs, kindCountMax: limits.failedProofCountMax, now: now)
        deviceUploads.receive(
            answer.uploads, deviceCountMax: limits.uploadingDeviceCountMax, now: now)
        let words = sharedMailboxes.receive(answer, limits) { conversations[$0] != nil }
        for (id, word) in words {
            switch word {
            case .opened(let mailbox, let items):
                add(id, .mailboxOpened(mailbox, items))
            case .item(let bytes): add(id, .mailboxItem(MailboxItem(bytes)))
            case .refused(let refusal): add(id, .refused(refusal))
            }
        }
        for space in answer.expired { note(.spaceExpired(space)) }
        return finish(now)
    }

    /// The database did not take the last request: counts are added with the next one, and who waits for a mailbox comes
    /// again.
    package func sharingFailed(_ request: RelayShareRequest, now: Instant) -> [Output] {
        failedProofs.addAgain(request.failedProofs)
        deviceUploads.addAgain(request.uploads)
        visits += request.visits
        for id in sharedMailboxes.failed() { add(id, .refused(.mailboxesAway)) }
        return finish(now)
    }

    /// Asks for a mailbox; the answer comes with the next exchange.
    func openShared(
        _ opening: MailboxOpening, for id: RelayServerSessionID, _ address: String
    ) -> RelayServerSessionEvent? {
        let limits = options.limits
        if sharedMailboxes.sessionCount(of: opening.id) >= limits.mailboxSessionCountMax {
            return .refused(.mailboxSessions(max: limits.mailboxSessionCountMax))
        }
        // Items that come meanwhile go behind the opening, in the same exchange or in a later one.
        conversations[id]?.mailbox = opening.id
        return addShared(
            .open(opening.id, isMaking: opening.isMaking, address: address), of: id)
    }

    /// Puts an item into a mailbox with the next exchange.
    func putShared(
        _ item: MailboxItem, into mailbox: UInt128, by id: RelayServerSessionID
    ) -> RelayServerSessionEvent? {
        addShared(.put(item.bytes, mailbox), of: id)
    }

    private func addShared(
        _ request: RelayMailboxRequest, of id: RelayServerSessionID
    ) -> RelayServerSessionEvent? {
        do throws(RelayRefusal) {
            try sharedMailboxes.add(request, of: id, options.limits)
            return nil
        } catch {
            return .refused(error)
        }
    }
}
