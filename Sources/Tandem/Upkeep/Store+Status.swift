import Core
import Devices
import Storage
import Transport

/// How things stand, and where records have arrived.
extension Store {
    /// How things stand: whom this device has met, and what is not as it should be.
    ///
    /// - Throws: `notOpen`, `busy`, `damaged`, `inputOutput`.
    public func status() throws(TandemError) -> StoreStatus {
        let device = try openDevice()
        return try TandemError.mappingAny {
            let status = try DeviceStatus(of: device, now: SystemEnvironment.wallMilliseconds())
            return StoreStatus(
                deviceName: status.summary.deviceName,
                hasNewIdentity: status.cloneSuspicion != nil,
                peers: status.peers.map {
                    StoreStatus.Peer(
                        name: $0.name, isRelay: $0.isRelay, isRevoked: $0.isRevoked,
                        lastContact: $0.lastContact,
                        unsentCount: $0.isCountTold ? $0.unsentCount : nil)
                }, problems: status.problems.map(StoreStatus.Problem.init),
                isServed: status.daemon != nil)
        }
    }

    /// Where a record has arrived, and whether anything keeps it from being in sync; nil if there is no such record.
    ///
    /// - Throws: `notOpen`, `busy`, `damaged`, `inputOutput`.
    public func progress(of id: RecordID) throws(TandemError) -> RecordDelivery? {
        let device = try openDevice()
        return try TandemError.mappingAny {
            guard let stored = try device.store.record(id.value) else { return nil }
            let found = try RecordProgress(of: stored, on: device)
            var devices: [String: Bool] = [:]
            for sighting in found.sightings?.devices ?? [] {
                devices[try device.name(of: sighting.replica)] = sighting.hasIt
            }
            for receipt in found.receipts where !receipt.isRelay {
                devices[receipt.name] = receipt.hasIt
            }
            let relays = found.receipts.filter(\.isRelay)
            return RecordDelivery(
                isStoredByRelay: found.sightings?.isStored
                    ?? (relays.isEmpty ? nil : relays.contains(where: \.hasIt)),
                devices: devices, obstacleCount: found.obstacles.count)
        }
    }
}
