import Core
import Storage

/// Deletes of a peer that are held here until a person accepts them, and whose they are, as people call them.
package struct DeleteHold: Sendable {
    /// How many, and since when.
    package let deletes: HeldDeletes
    /// The name of the device or relay that they came from.
    package let name: String
    /// Whether that is a relay, which does not say who deleted.
    package let isRelay: Bool
    /// The path of the snapshot that was taken before; nil if there was no room for one, or it is gone.
    package let snapshotPath: String?

    /// Whether those that were taken were taken as accepted, rather than while they were few.
    package var isPartlyAccepted: Bool {
        MassDeleteLimits().holds(deletes.takenCount, of: deletes.liveCount)
    }

    /// Accepts them: the next sync takes them, and a daemon begins at once.
    package func accept(on device: Device) throws(StoreFault) {
        try device.store.acceptDeletes(of: deletes.peer)
    }

    /// All of a device, oldest first.
    package static func all(of device: Device) throws(StoreFault) -> [DeleteHold] {
        let store = device.store
        let held = try store.heldDeletes()
        if held.isEmpty { return [] }
        let met = try PeerStatus.all(of: device)
        var holds: [DeleteHold] = []
        for deletes in held {
            let known = met.first { $0.replica == deletes.peer }
            let name = try device.name(of: deletes.peer)
            holds.append(
                DeleteHold(
                    deletes: deletes, name: known?.name ?? name, isRelay: known?.isRelay ?? false,
                    snapshotPath: deletes.snapshot.isEmpty
                        ? nil : store.paths.snapshots + "/" + deletes.snapshot))
        }
        return holds
    }

    /// Returns the holds that a word names: by the name or address of a device or relay, or its
    /// replica id.
    package static func find(_ word: String, of device: Device) throws(StoreFault) -> [DeleteHold] {
        let named = try device.store.replica(at: word)
        return try all(of: device).filter {
            $0.name == word || $0.deletes.peer == named || $0.name.hasSuffix(" " + word)
                || $0.deletes.peer.uuidText == word
        }
    }
}
