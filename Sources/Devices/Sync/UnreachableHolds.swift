import Storage

/// Held deletes whose peers never come again.
extension DeleteHold {
    /// Ends what is held of a revoked device, or of the store that a relay had under an earlier secret, once a person has
    /// answered on another device since it was held.
    ///
    /// Such deletes come by no session with that peer any more. If they come another way they are judged anew. A peer that
    /// is not known may also be a new device that calls this one, whose record is among what is held: an earlier answer is none
    /// to its deletes.
    static func endUnreachable(in store: Store) throws {
        let held = try store.heldDeletes()
        if held.isEmpty { return }
        let directory = try DeviceDirectory(store)
        let others = directory.devices.filter {
            !$0.isRevoked && !$0.replicas.contains(store.replica)
        }
        guard others.allSatisfy({ $0.heldDeleteCount == 0 }),
            let answered = others.compactMap(\.deletesAnswered).max()
        else { return }
        let relays = Set(try store.knownAddresses().map(\.replica))
        var gone: [ReplicaID] = []
        // A client of this device stands for a peer as well, and is no replica that makes deletes.
        for deletes in held where !deletes.deleters.isEmpty && deletes.since <= answered {
            let peer = deletes.peer
            if let device = directory[peer] {
                if device.isRevoked { gone.append(peer) }
            } else if !relays.contains(peer), try store.deviceName(of: peer) == nil {
                gone.append(peer)
            }
        }
        if !gone.isEmpty { try store.forgetHeldDeletes(of: gone) }
    }
}
