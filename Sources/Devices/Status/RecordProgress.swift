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

    /// The daemon's knowledge of other devices; nil if none runs.
    package let sightings: RecordSightings?
    /// The state summaries of relays and devices at their last contact; empty while a daemon runs.
    package let receipts: [Receipt]
    /// The obstacles that keep the record from being in sync.
    package let obstacles: [Obstacle]

    /// Asks the store, and the daemon if one runs.
    package init(of stored: Record, on device: Device) throws {
        let store = device.store
        let daemon = DaemonStatus.ask(in: device.folder)
        sightings = RecordSightings.ask(stored.name, in: device.folder)
        receipts = try daemon == nil ? Self.receipts(stored, device) : []
        var obstacles: [Obstacle] = []
        if stored.standing != .live { obstacles.append(.hidden(stored.standing)) }
        if !stored.record.fieldConflicts.isEmpty || stored.verdict.isContested {
            obstacles.append(.conflict)
        }
        obstacles += try DeleteHold.all(of: device).map { .deletesHeld($0) }
        if try device.directory()[store.replica]?.isRevoked == true {
            obstacles.append(.revoked)
        } else if let daemon {
            obstacles += Self.obstacles(daemon)
        } else if !receipts.contains(where: \.hasIt) {
            let keyring = try Keyring.read(in: device.folder)
            obstacles.append(.noDaemon(DeviceStatus.departure(keyring)))
        }
        self.obstacles = obstacles
    }

    /// Returns the relays and devices that have a record as it is here, by their own last
    /// state summaries.
    private static func receipts(
        _ stored: Record, _ device: Device
    ) throws(StoreFault) -> [Receipt] {
        var found: [Receipt] = []
        for peer in try PeerStatus.all(of: device)
        where peer.unsentCount != nil && peer.isCountTold {
            let through = try device.store.sentThrough(to: peer.replica) ?? 0
            found.append(
                Receipt(
                    name: peer.name, isRelay: peer.isRelay, hasIt: stored.sequence <= through))
        }
        return found
    }

    private static func obstacles(_ daemon: DaemonStatus) -> [Obstacle] {
        if daemon.pausedUntil != nil { return [.paused] }
        return daemon.contacts.filter { !$0.isWell }.map { .contact($0, $0.problem) }
    }
}
