import Core
import Devices
import Session
import Storage
import Transport

/// Syncing once; ``SyncService`` does it all the time.
extension Store {
    /// Exchanges with a device or a relay what each side missed, and returns.
    ///
    /// The calling thread waits for as long as that takes; where that matters, do it in a task with a store
    /// of its own, or leave it to ``SyncService``. Whatever breaks, what has arrived is kept, and the next
    /// sync goes on from there.
    /// - Parameters:
    ///   - address: `host:port`, `host:port#fingerprint`, `ssh://host/folder` or
    ///     `relay://host:port#fingerprint`.
    ///   - allowsPlainTCP: whether plain TCP may leave this machine: anybody on the way can read and change
    ///     everything then.
    /// - Throws: `badAddress`, `unreachable`, `refused`, `protocolError`, `diskFull`, `busy`, `notOpen`.
    @discardableResult
    public func sync(
        with address: String, allowsPlainTCP: Bool = false
    ) throws(TandemError) -> SyncOutcome {
        let engine = try opened()
        do {
            return try Self.sync(SpaceAccess(engine), with: address, allowsPlainTCP)
        } catch {
            throw TandemError(any: error)
        }
    }

    /// Exchanges with every device and relay that pairing has made known, one after the other.
    ///
    /// One that is not reached does not keep the others from it.
    /// - Returns: how it went, by address.
    /// - Throws: `notOpen`, `damaged`, `noEncryption`.
    @discardableResult
    public func syncWithKnown() throws(TandemError) -> [String: Result<SyncOutcome, TandemError>] {
        let engine = try opened()
        var outcomes: [String: Result<SyncOutcome, TandemError>] = [:]
        do {
            let access = try SpaceAccess(engine)
            for address in access.knownAddresses {
                do {
                    outcomes[address] = .success(try Self.sync(access, with: address, false))
                } catch {
                    outcomes[address] = .failure(TandemError(any: error))
                }
            }
        } catch {
            throw TandemError(any: error)
        }
        return outcomes
    }

    static func sync(
        _ access: SpaceAccess, with address: String, _ allowsPlainTCP: Bool
    ) throws -> SyncOutcome {
        var report = SessionReport()
        func meet(_ contact: Contact) throws -> SessionEnd {
            let client = try SyncClient(
                store: access.store, contact: contact, security: access.security,
                allowInsecure: allowsPlainTCP, refusal: access.refusal)
            let end = try client.run(report: { report = $0 }, handlesSignals: false)
            if let fault = client.fault { throw fault }
            return end
        }
        func visit(_ relay: RelayAddress, _ member: Membership) throws -> SessionEnd {
            try member.visit(
                relay, token: access.token(for: relay), security: access.security, meet)
        }
        let relay = RelayAddress.isMeant(by: address) ? try RelayAddress(parsing: address) : nil
        let end =
            if let relay, let member = access.member {
                try visit(relay, member)
            } else {
                try meet(try access.contact(address))
            }
        if let failure = TandemError(end, with: address) { throw failure }
        // What came may hold a later secret for this device, or a device that lacks it.
        try access.member?.refresh()
        if let member = access.member, try member.passOnSecret() > 0, let relay {
            _ = try visit(relay, member)
        }
        return SyncOutcome(report)
    }
}
