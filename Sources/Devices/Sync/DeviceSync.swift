import Core
import Session
import Storage
import Transport

/// Syncs a device with others and through relays: once, or until it is stopped.
package struct DeviceSync {
    /// How a sync that ended in order went.
    package struct Outcome {
        /// With whom it was.
        package let peer: PeerAddress
        /// The name of the peer's device; nil if it is a relay, or has not said it.
        package let device: String?
        /// How far the last session came.
        package let report: SessionReport
        /// The addresses by which the relay was known until now: it has another key or other hosts and ports, and its present address was named.
        package var formerAddresses: [String] = []
    }

    /// How often a sync asks about deletes: each time at least a quarter more of them.
    private static let questionCountMax = 50

    private let device: Device
    /// Keys, trust and known addresses.
    package let access: DeviceAccess
    /// Whether to stay, and to carry changes both ways as they are made.
    package var isLive = false
    /// Whether plain TCP may leave this machine, in a space without keys.
    package var allowInsecure = false
    /// Whether signals that end a process end the session in order.
    package var handlesSignals = false
    /// Told how far a session has come.
    package var report: (SessionReport) -> Void = { _ in }
    /// Told why a live session ended, and in how many seconds it is begun anew.
    package var waiting: (_ cause: ContactCause, _ seconds: Int) -> Void = { _, _ in }
    /// Decides whether deletes are taken that are held; asked again if more turn out to come.
    package var accepts: (DeleteHold) throws -> Bool = { _ in false }

    /// Prepares to sync.
    package init(_ device: Device, _ access: DeviceAccess) {
        self.device = device
        self.access = access
    }

    private var store: Store { device.store }

    // MARK: One address

    /// Syncs with one peer, and sees deletes through that are held on either side.
    ///
    /// - Parameter name: what whoever asks for it calls the peer.
    /// - Throws: `revoked`, `lost`, `failed`, `deletesHeld`, `otherRelay`; a `StoreFault` of this store; a `TransportError`.
    package func sync(with peer: PeerAddress, name: String) throws -> Outcome {
        // A relay takes whoever has no keys for a member of a plain space.
        if case .relay = peer { try refuseWithoutKeys() }
        // A device without a daemon runs when it syncs.
        _ = try store.purgeOldTrash()
        let wasHeld = try device.directory().devices.contains { $0.heldDeleteCount > 0 }
        let broughtBackCount = store.broughtBackCount
        var (end, report) = try session(with: peer)
        // A word holds for what was shown: if more turn out to come, it is asked for again.
        for _ in 0..<Self.questionCountMax {
            guard report.held != nil, let held = report.peer else { break }
            do {
                try accept(held)
            } catch {
                // The others hear that it waits.
                _ = try? session(with: peer)
                throw error
            }
            (end, report) = try session(with: peer)
        }
        if case .failed(let error, .theirs) = end, error.known == .deletesHeld {
            // Another session fetches the peer's note about the held deletes, so that the status
            // shows it.
            _ = try? session(with: peer)
        }
        // A relay knows of secrets alone, and its advice leads nowhere then.
        if case .failed = end { try device.refuseIfRevoked() }
        let found = try report.peer.flatMap { try store.deviceName(of: $0) }
        // A live session that ends in order was asked to by this side.
        if isLive, end == .finished { return Outcome(peer: peer, device: found, report: report) }
        if let fault = DeviceFault(end, report, with: name, device: found) { throw fault }
        // A peer that accepted the deletes in this session, or holds them no more, wrote so at its
        // end.
        // And the records that refused deletes took away came back here after it.
        if wasHeld || store.broughtBackCount > broughtBackCount, !isLive {
            _ = try? session(with: peer)
        }
        var outcome = Outcome(peer: peer, device: found, report: report)
        if case .relay(let relay) = peer {
            outcome.formerAddresses = try access.replaceAddress(with: relay)
        }
        return outcome
    }

    private func accept(_ peer: ReplicaID) throws {
        guard let hold = try DeleteHold.all(of: device).first(where: { $0.deletes.peer == peer })
        else { return }
        guard try accepts(hold) else { throw DeviceFault.deletesHeld(hold) }
        try store.acceptDeletes(of: [peer])
    }

    // MARK: All that are known

    /// Syncs with every relay and device that pairing has made known, one after the other.
    ///
    /// One that fails does not keep the others from it.
    /// - Parameter done: told of each outcome as soon as it is there.
    /// - Returns: the outcome for each address.
    /// - Throws: `nobodyKnown`, or `keysElsewhere` as the addresses are with the keys; `severalKnown` for a live sync.
    @discardableResult
    package func syncWithKnown(
        _ done: (Outcome, _ address: String) throws -> Void = { _, _ in }
    ) throws -> [(address: String, result: Result<Outcome, any Error>)] {
        let known = access.knownAddresses
        guard !known.isEmpty else {
            try refuseWithoutKeys()
            throw DeviceFault.nobodyKnown
        }
        if isLive, known.count > 1 { throw DeviceFault.severalKnown(known) }
        return known.map { address in
            do {
                let outcome = try sync(with: PeerAddress(parsing: address), name: address)
                try done(outcome, address)
                return (address, .success(outcome))
            } catch {
                return (address, .failure(error))
            }
        }
    }

    private func refuseWithoutKeys() throws {
        guard access.member == nil,
            let holder = try device.directory().keyHolder(besides: store.replica)
        else { return }
        throw DeviceFault.keysElsewhere(on: holder.name)
    }

    // MARK: A session

    /// Has one session, or several with a relay that has to learn of the space's secret first.
    ///
    /// - Returns: how the last one ended, and how far it came.
    package func session(
        with peer: PeerAddress
    ) throws -> (end: SessionEnd, report: SessionReport) {
        var last = SessionReport()
        let plain = try access.plain(leavingThisMachine: allowInsecure)
        // A session has the store's attention for itself; who had it before is told of all that it brought.
        let (changed, changedByOthers) = (store.onChange, store.onForeignChange)
        let sequence = store.sequence
        defer {
            (store.onChange, store.onForeignChange) = (changed, changedByOthers)
            if store.sequence != sequence { changed?() }
        }
        func meet(_ contact: Contact) throws -> SessionEnd {
            let client = try SyncClient(
                store: store, contact: contact, isLive: isLive, security: access.security,
                plain: plain, refusal: DeviceAccess.refusal(in: store))
            do {
                let end = try client.run(
                    report: { found in
                        last = found
                        report(found)
                    }, waiting: waiting, handlesSignals: handlesSignals)
                if let fault = client.fault { throw fault }
                return end
            } catch TransportError.security(.untrustedPeer(let shown), _) {
                guard case .relay(let relay) = peer else {
                    throw TransportError.security(.untrustedPeer(shown), peer: "\(peer)")
                }
                throw DeviceFault.otherRelay(relay, shown: shown)
            }
        }
        guard let member = access.member else { return (try meet(try access.contact(peer)), last) }
        func visit(_ relay: RelayAddress) throws -> SessionEnd {
            try member.visit(
                relay, token: access.token(for: relay), security: access.security, meet)
        }
        guard case .relay(let relay) = peer else {
            let end = try meet(try access.contact(peer))
            let isShownAnew = try member.refresh()
            try member.passOnSecret()
            if isShownAnew, end == .finished, !isLive {
                let former = last
                _ = try? meet(try access.contact(peer))
                last = former
            }
            return (end, last)
        }
        let end = try visit(relay)
        // Another command of this device may have been at the relay: whether something is kept back, all rows show.
        if end == .finished, last.isIncomplete, last.isIncompleteByRowSum, !isLive {
            let former = last
            // What was exchanged stays so, however this one ends.
            let again = try? visit(relay)
            last = again == .finished ? last.readAnew(after: former) : former
        }
        // The received changes may include a later secret for this device, or a device that lacks
        // it.
        let isShownAnew = try member.refresh()
        if try member.passOnSecret() > 0, !isLive {
            _ = try visit(relay)
        } else if isShownAnew, end == .finished, !isLive {
            // A device that came from another space as well may have taken this one's key away, as one that it left.
            let former = last
            _ = try? visit(relay)
            last = former
        }
        return (end, last)
    }
}

extension SessionReport {
    /// The report of both sessions, of which this one has read again what the former one had read.
    fileprivate func readAnew(after former: SessionReport) -> SessionReport {
        var whole = self
        whole.sentCount += former.sentCount
        whole.sentAppRecordCount += former.sentAppRecordCount
        // All versions came once more: new are those that changed something.
        whole.receivedCount = former.receivedCount + changedCount
        whole.receivedAppRecordCount =
            former.receivedAppRecordCount + min(changedCount, receivedAppRecordCount)
        whole.changedCount += former.changedCount
        whole.deferredCount = max(deferredCount, former.deferredCount)
        whole.isDiverged = isDiverged || former.isDiverged
        whole.isRepaired = isRepaired || former.isRepaired
        return whole
    }
}
