import Core
import Devices
import Session
import Storage
import Transport

/// Syncing once; ``SyncService`` does it all the time.
extension TandemStore {
    /// Exchanges with a device or a relay what each side missed, and returns.
    ///
    /// The calling thread waits for as long as that takes; where that matters, do it in a task with a store
    /// of its own, or leave it to ``SyncService``. Whatever breaks, what has arrived is kept, and the next
    /// sync goes on from there.
    /// - Parameters:
    ///   - address: `host:port`, `host:port#fingerprint`, `ssh://host/folder`, `unix:/path` or
    ///     `relay://host:port#fingerprint`.
    ///   - allowsPlainTCP: whether plain TCP may leave this machine, in a space without keys: anybody on the way can
    ///     read and change everything then.
    ///   - acceptsDeletes: whether deletes of more than half of the records are taken; a snapshot is made before.
    /// - Throws: `badAddress`, `unreachable`, `refused`, `deletesHeld`, `protocolError`, `diskFull`, `busy`, `notOpen`,
    ///   `unusableKeys`.
    @discardableResult
    public func sync(
        with address: String, allowsPlainTCP: Bool = false, acceptsDeletes: Bool = false
    ) throws(TandemError) -> SessionReport {
        let device = try openDevice()
        return try TandemError.mappingAny {
            let sync = try Self.sync(device, allowsPlainTCP, acceptsDeletes)
            return try sync.sync(with: PeerAddress(parsing: address), name: address).report
        }
    }

    private static func sync(
        _ device: Device, _ allowsPlainTCP: Bool, _ acceptsDeletes: Bool
    ) throws -> DeviceSync {
        var sync = DeviceSync(device, try device.access())
        sync.allowInsecure = allowsPlainTCP
        sync.accepts = { _ in acceptsDeletes }
        return sync
    }

    /// Exchanges with every device and relay that pairing has made known, one after the other.
    ///
    /// One that is not reached does not keep the others from it.
    /// - Parameters:
    ///   - allowsPlainTCP: whether plain TCP may leave this machine.
    ///   - acceptsDeletes: whether deletes of more than half of the records are taken; a snapshot is made before.
    /// - Returns: how it went, by address.
    /// - Throws: `nobodyKnown`, `notOpen`, `damaged`, `inputOutput`, `unusableKeys`.
    @discardableResult
    public func syncWithKnown(
        allowsPlainTCP: Bool = false, acceptsDeletes: Bool = false
    ) throws(TandemError) -> [String: Result<SessionReport, TandemError>] {
        let device = try openDevice()
        return try TandemError.mappingAny {
            var outcomes: [String: Result<SessionReport, TandemError>] = [:]
            let sync = try Self.sync(device, allowsPlainTCP, acceptsDeletes)
            for (address, result) in try sync.syncWithKnown() {
                outcomes[address] = result.map(\.report).mapError { TandemError(any: $0) }
            }
            return outcomes
        }
    }

    // MARK: Held deletes

    /// How many records the deletes that wait would delete by now, over all devices and relays; 0 if none wait.
    ///
    /// A sync that would delete more than half of the records, and more than 20, stops in that direction
    /// with `deletesHeld`; what this device changed goes on to the others. A snapshot is taken before.
    /// - Throws: `notOpen`, `damaged`.
    public func heldDeleteCount() throws(TandemError) -> Int {
        let device = try openDevice()
        return try TandemError.mapping { () throws(StoreFault) in
            try DeleteHold.all(of: device).reduce(0) { $0 + $1.deletes.deletedCount }
        }
    }

    /// Says that the deletes that wait are meant: the next sync takes them, and a running service at once.
    ///
    /// It holds for a day, and for as many as `heldDeleteCount` told and a quarter more; what goes beyond waits
    /// again.
    /// - Throws: `notOpen`, `diskFull`, `busy`, `damaged`.
    public func acceptDeletes() throws(TandemError) {
        let device = try openDevice()
        try TandemError.mapping { () throws(StoreFault) in
            try DeleteHold.accept(DeleteHold.all(of: device), on: device)
        }
    }

    /// Refuses the deletes that wait: the records stay here, and come back on the devices that took the deletes.
    ///
    /// It holds for all that the same devices have deleted until now, whichever way it comes; of a revoked device
    /// for later deletes as well.
    /// - Throws: `notOpen`, `diskFull`, `busy`, `damaged`.
    public func refuseDeletes() throws(TandemError) {
        let device = try openDevice()
        try TandemError.mapping { () throws(StoreFault) in
            try DeleteHold.refuse(DeleteHold.all(of: device), on: device)
        }
    }

    // MARK: A daemon

    /// Has the service or daemon that runs for this folder leave everybody alone for so many seconds, up to a week.
    ///
    /// - Throws: `notRunning`; `refused` if that is too long.
    public func pauseSync(seconds: Int) throws(TandemError) {
        try TandemError.mappingAny {
            try DeviceFolder(folder).pauseSync(seconds: seconds)
        }
    }

    /// Ends a pause.
    ///
    /// - Throws: `notRunning`.
    public func resumeSync() throws(TandemError) {
        try TandemError.mappingAny { try DeviceFolder(folder).resumeSync() }
    }
}
