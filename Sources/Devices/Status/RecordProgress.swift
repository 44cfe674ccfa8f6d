import Core
import Storage

/// Where a record has arrived, and what keeps it from going further.
package struct RecordProgress {
    /// An obstacle that keeps a record from being in sync.
    package enum Obstacle {
        /// It is in the trash or purged here.
        case hidden(RecordStanding)
        /// It has an open conflict: every device has all its values.
        case conflict
        /// Deletes are held here, so nothing more is taken from that peer.
        case deletesHeld(DeleteHold)
        /// This device was revoked.
        case revoked
        /// The daemon is paused.
        case paused
        /// The daemon has trouble with a relay or device.
        case contact(DaemonStatus.Contact, StatusProblem.ContactProblem)
        /// No daemon runs; when the record leaves.
        case noDaemon(StatusProblem.Departure)
    }

    /// A relay's or device's state summary at its last contact.
    package struct Receipt {
        /// Its name.
        package let name: String
        /// Whether it is a relay.
        package let isRelay: Bool
        /// Whether it has the record as it is here.
        package let hasIt: Bool
    }

    /// How far a device has a record, as far as it is known here.
    package enum Reach: Hashable, Sendable {
        /// It has the record as it is here.
        case whole
        /// It made the last change of it; whether it has what others changed shortly before is not known.
        case lastChange
        /// It has not said that it has it.
        case unknown
    }

    /// A device of the space that is not in ``receipts``.
    package struct DeviceReach {
        /// Its name; with the first digits of its id where several have that name.
        package let name: String
        /// How far it has the record.
        package let reach: Reach
    }

    /// Whether a relay has stored the record, as far as the daemon knows; nil if none runs.
    package let isStored: Bool?
    /// The state summaries of relays and devices at their last contact; empty while a daemon runs.
    package let receipts: [Receipt]
    /// The other devices of the space that are not revoked, by name.
    package let devices: [DeviceReach]
    /// The obstacles that keep the record from being in sync.
    package let obstacles: [Obstacle]

    /// Asks the store, and the daemon if one runs.
    package init(of stored: Record, on device: Device) throws {
        let store = device.store
        let daemon = DaemonStatus.ask(in: device.folder)
        let sightings = RecordSightings.ask(stored.name, in: device.folder)
        isStored = sightings?.isStored
        let directory = try device.directory()
        let peers = try daemon == nil ? Self.peers(device) : []
        receipts = try peers.map { peer throws(StoreFault) in
            try Self.receipt(stored, peer, directory, device)
        }
        devices = try Self.devices(
            stored, sightings, besides: Set(peers.map(\.replica)), directory, device)
        var obstacles: [Obstacle] = []
        if stored.standing != .live { obstacles.append(.hidden(stored.standing)) }
        if !stored.record.fieldConflicts.isEmpty || stored.verdict.isContested {
            obstacles.append(.conflict)
        }
        obstacles += try DeleteHold.all(of: device).map { .deletesHeld($0) }
        if directory[store.replica]?.isRevoked == true {
            obstacles.append(.revoked)
        } else if let daemon {
            obstacles += Self.obstacles(daemon)
        } else if !receipts.contains(where: \.hasIt) {
            let keyring = try Keyring.read(in: device.folder)
            obstacles.append(.noDaemon(DeviceStatus.departure(keyring)))
        }
        self.obstacles = obstacles
    }

    /// Returns the relays and devices that have stated what they have in a session with this one.
    private static func peers(_ device: Device) throws(StoreFault) -> [PeerStatus] {
        try PeerStatus.all(of: device).filter { $0.unsentCount != nil && $0.isCountTold }
    }

    /// Returns whether one of them has a record as it is here, by its last state summary.
    private static func receipt(
        _ stored: Record, _ peer: PeerStatus, _ directory: DeviceDirectory, _ device: Device
    ) throws(StoreFault) -> Receipt {
        let through = try device.store.sentThrough(to: peer.replica) ?? 0
        let replicas = directory[peer.replica]?.replicas ?? [peer.replica]
        return Receipt(
            name: peer.name, isRelay: peer.isRelay,
            hasIt: stored.sequence <= through
                || reach(of: replicas, byWritesOf: stored.record) == .whole)
    }

    /// Returns how far the other devices have a record, by what they have stated at relays and by who wrote it.
    ///
    /// - Parameter known: the peers that have receipts.
    private static func devices(
        _ stored: Record, _ sightings: RecordSightings?, besides known: Set<ReplicaID>,
        _ directory: DeviceDirectory, _ device: Device
    ) throws(StoreFault) -> [DeviceReach] {
        let store = device.store
        var holders = Set(sightings?.devices.filter(\.hasIt).map(\.replica) ?? [])
        for (replica, sequence) in try store.statedSequences() where sequence >= stored.sequence {
            holders.insert(replica)
        }
        let own = directory[store.replica]
        // The ids that this store had before it was set back are nobody else's.
        let former = try store.identityChanges().filter { !$0.reason.isCopy }.map(\.old)
        let others = directory.devices.filter { other in
            !other.isRevoked && other != own && !other.replicas.contains(where: former.contains)
        }
        let names = others.map(\.name) + [own?.name].compactMap(\.self)
        var found: [DeviceReach] = []
        for other in others where known.isDisjoint(with: other.replicas) {
            let isShared = names.count(where: { $0 == other.name }) > 1
            let id = other.replicas.first.map { " (\($0.uuidText.prefix(8)))" } ?? ""
            let reach = reach(of: other.replicas, byWritesOf: stored.record)
            found.append(
                DeviceReach(
                    name: other.name + (isShared ? id : ""),
                    reach: holders.isDisjoint(with: other.replicas) ? reach : .whole))
        }
        // One may have stated what it has before its record came.
        for sighting in sightings?.devices ?? []
        where directory[sighting.replica] == nil && sighting.replica != store.replica {
            found.append(
                DeviceReach(
                    name: try device.name(of: sighting.replica),
                    reach: sighting.hasIt ? .whole : .unknown))
        }
        return found
    }

    /// Returns how far a device has a record, by its writes there alone: it has what it wrote itself.
    ///
    /// No write says which others its device had, and clocks prove nothing: they only tell which change came last.
    private static func reach(
        of replicas: [ReplicaID], byWritesOf record: RecordState
    ) -> Reach {
        let own = record.writes.filter { replicas.contains($0.dot.replica) }
        guard let last = own.map(\.timestamp).max() else { return .unknown }
        let others = record.writes.filter { !replicas.contains($0.dot.replica) }
        if others.isEmpty { return .whole }
        return others.allSatisfy { $0.timestamp < last } ? .lastChange : .unknown
    }

    private static func obstacles(_ daemon: DaemonStatus) -> [Obstacle] {
        if daemon.pausedUntil != nil { return [.paused] }
        return daemon.contacts.filter { !$0.isWell }.map { .contact($0, $0.problem) }
    }
}
