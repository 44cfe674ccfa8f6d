import Core
import Crypto
import Storage

/// A device of the space, as this one sees it.
package struct SpaceDeviceStatus {
    /// The device.
    package let device: DeviceDirectory.Device
    /// Whether it is this one.
    package let isOwn: Bool
    /// When it last had and gave everything, as far as that is known here; nil if it never did.
    package let lastSync: Sighting?
    /// Its latest write that is known here, by its own clock; nil if none was found.
    package let lastWrite: Sighting?
    /// Whether it has not received the present secret yet.
    package let lacksSecret: Bool

    /// A time at which a device did something.
    package struct Sighting: Hashable, Sendable {
        /// Milliseconds since 1970-01-01 UTC.
        package let time: Int64
        /// Whether it was then; else it was then or later.
        package let isExact: Bool
    }

    /// The later of both, and whether it is the write; nil if nothing was heard of the device.
    package var lastSeen: (sighting: Sighting, isWrite: Bool)? {
        if let lastWrite, lastWrite.time > lastSync?.time ?? .min { return (lastWrite, true) }
        return lastSync.map { ($0, false) }
    }

    /// A device that is heard of in these ways.
    ///
    /// - Parameters:
    ///   - contact: the last direct contact with it; milliseconds since 1970-01-01 UTC.
    ///   - sightings: what the store tells of each of its replicas.
    fileprivate init(
        _ device: DeviceDirectory.Device, isOwn: Bool = false, contact: Int64? = nil,
        sightings: [ReplicaSighting] = [], lacksSecret: Bool = false
    ) {
        self.device = device
        self.isOwn = isOwn
        self.lacksSecret = lacksSecret
        let atRelay = sightings.compactMap(\.hadAll).max()
        if let contact, contact >= atRelay ?? .min {
            lastSync = Sighting(time: contact, isExact: true)
        } else {
            lastSync = atRelay.map { Sighting(time: $0, isExact: false) }
        }
        let writes = sightings.compactMap { found in
            found.lastWrite.map { Sighting(time: $0, isExact: found.isLastWriteExact) }
        }
        lastWrite = writes.max { $0.time < $1.time }
    }
}

extension Device {
    /// Returns the devices of the space, and how this one stands to each; behind them those that were admitted with a
    /// code here and were not seen yet.
    ///
    /// - Parameter keyring: this device's, as ``keyring()`` gives it; nil without keys.
    package func spaceDevices(_ keyring: Keyring?) throws -> [SpaceDeviceStatus] {
        var seen: [ReplicaID: Int64] = [:]
        for peer in try store.summary().peers { seen[peer.replica] = peer.lastContact }
        let devices = try directory().devices
        let sightings = try store.sightings(of: Set(devices.flatMap(\.replicas)))
        let found = devices.map { device in
            SpaceDeviceStatus(
                device, isOwn: device.replicas.contains(store.replica),
                contact: device.replicas.compactMap { seen[$0] }.max(),
                sightings: device.replicas.compactMap { sightings[$0] },
                lacksSecret: keyring.map { own in
                    device.generation > 0 && device.generation < own.generation
                        && !device.isRevoked
                } ?? false)
        }
        return found + (try unseenDevices(keyring)).map { SpaceDeviceStatus($0) }
    }

    /// The devices that were admitted with a code here, and have written no record yet.
    func unseenDevices(_ keyring: Keyring?) throws(StoreFault) -> [DeviceDirectory.Device] {
        let directory = try directory()
        var found: [DeviceDirectory.Device] = []
        for admitted in keyring?.admitted ?? [] {
            let fingerprint = admitted.decision.fingerprint
            guard directory[fingerprint] == nil,
                !found.contains(where: { $0.fingerprint == fingerprint })
            else { continue }
            found.append(
                DeviceDirectory.Device(admitted, isRevoked: directory.isRevoked(fingerprint)))
        }
        return found
    }
}

extension DeviceDirectory.Device {
    /// A device that was admitted with a code here, and has written no record yet: whoever it is may hold the secret.
    fileprivate init(_ admitted: Keyring.Admitted, isRevoked: Bool) {
        self.init(
            name: admitted.decision.name, fingerprint: admitted.decision.fingerprint, replicas: [],
            generation: 0, isRevoked: isRevoked, isLateUser: false, heldDeleteCount: 0,
            envelopes: [], time: admitted.time * 1000)
    }

    /// Whether it was admitted here, and has written no record yet.
    package var isUnseen: Bool { replicas.isEmpty }
}
