import Core
import Crypto
import Storage
import Transport

/// A peer that this device has met: a device, listed once however many replicas it had, or a relay.
public struct PeerStatus: Sendable {
    /// The replica that was met last, or the relay's store.
    package let replica: ReplicaID
    /// The peer's name.
    public let name: String
    /// Milliseconds since 1970-01-01 UTC.
    public let lastContact: Int64
    /// Whether it stated something that it did not send.
    package let isSuspect: Bool
    /// How many changes it has that cannot be opened here, and that have not come another way; relays alone have such.
    package internal(set) var unopenedCount = 0
    /// Whether it is a relay.
    public let isRelay: Bool
    /// Whether it was revoked.
    public let isRevoked: Bool
    /// How many records have changed here since it last said that it had all; nil if it never did.
    public internal(set) var unsentCount: Int?
    /// Whether that count is worth telling: a device may have the records by way of a relay.
    public internal(set) var isCountTold = false

    /// All of them, the one that was met last first.
    package static func all(of device: Device) throws(StoreFault) -> [PeerStatus] {
        let store = device.store
        var found = try met(by: store, store.summary(), DeviceDirectory(store))
        let hasRelay = found.contains(where: \.isRelay)
        for index in found.indices {
            if let sequence = try store.sentThrough(to: found[index].replica) {
                found[index].unsentCount = try store.changedCount(after: sequence)
            }
            if found[index].isRelay {
                found[index].unopenedCount = try store.unopenedCount(at: found[index].replica)
            }
            found[index].isCountTold =
                !found[index].isRevoked && (found[index].isRelay || !hasRelay)
        }
        return found
    }

    /// All of them, the one that was met last first; nothing is counted.
    static func met(
        by store: Store, _ summary: StoreSummary, _ directory: DeviceDirectory
    ) throws(StoreFault) -> [PeerStatus] {
        var relays: [ReplicaID: String] = [:]
        for (address, replica) in try store.knownAddresses() {
            guard let relay = try? RelayAddress(parsing: address) else { continue }
            relays[replica] = "relay \(relay.hostAndPort)"
        }
        var found: [PeerStatus] = []
        var known: Set<Fingerprint> = []
        for peer in summary.peers {
            let entry = directory[peer.replica]
            if let fingerprint = entry?.fingerprint, !known.insert(fingerprint).inserted {
                continue
            }
            let relay = relays[peer.replica]
            let said = try store.deviceName(of: peer.replica)
            let name = relay ?? entry?.name ?? said
            // A relay has another id once the space has a new secret. Devices say their names, so this is
            // no device, and is not to be taken for one that nobody knows.
            if name == nil, !relays.isEmpty { continue }
            found.append(
                PeerStatus(
                    replica: peer.replica, name: name ?? Device.name(peer.replica),
                    lastContact: peer.lastContact, isSuspect: peer.isSuspect,
                    isRelay: relay != nil, isRevoked: entry?.isRevoked ?? false))
        }
        return found
    }
}

/// The least that is told beside a list: whom this device met last, and what waits for a person's word before to-dos go
/// between it and the others as they should.
package struct DeviceStanding: Sendable {
    /// The device or relay that was met last; nil if there is none that is still in the space.
    package let lastMet: PeerStatus?
    /// The problem that this device is not let in, and that deletes are held here.
    package let problems: [StatusProblem]

    /// Asks the store, and no daemon.
    package init(of device: Device) throws {
        let (store, directory) = (device.store, try device.directory())
        let summary = try store.summary()
        lastMet = try PeerStatus.met(by: store, summary, directory).first { !$0.isRevoked }
        var problems: [StatusProblem] = []
        let notes = try RefusalNote.all(in: store)
        if let exclusion = try DeviceStatus.exclusion(of: summary.replica, directory, notes, device)
        {
            problems.append(exclusion)
        }
        let holds = try store.heldDeletes()
        if !holds.isEmpty { problems.append(.deletesHeld(count: holds.count)) }
        self.problems = problems
    }

    /// The problem that this device is not let in, if anybody has told it so; for commands that ask nothing else.
    package static func toldExclusion(of device: Device) throws -> StatusProblem? {
        let notes = try RefusalNote.all(in: device.store)
        if notes.isEmpty { return nil }
        return try DeviceStatus.exclusion(
            of: device.store.summary().replica, device.directory(), notes, device)
    }
}
