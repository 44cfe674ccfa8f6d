import Core
import Crypto
import Devices
import Storage
import ToDo
import Transport

/// Whom this device has met: devices, each once however many replicas it had, and relays.
struct MetPeer {
    /// The replica that was met last, or the relay's store.
    let replica: ReplicaID
    /// What people call it.
    let name: String
    /// Milliseconds since 1970.
    let lastContact: Int64
    let isSuspect: Bool
    let isRelay: Bool
    let isRevoked: Bool
    /// How many records have changed here since it last said that it had all; nil if it never did.
    var toSend: Int?
    /// Whether that is worth telling: a device may have them by way of a relay.
    var isTold = false

    /// All of them, the one that was met last first.
    static func all(_ summary: StoreSummary, _ place: Workplace) throws -> [MetPeer] {
        let store = place.store
        let book = try DeviceBook(store)
        var relays: [ReplicaID: String] = [:]
        for (address, replica) in try place.store.knownAddresses() {
            guard let relay = try? RelayAddress(parsing: address) else { continue }
            relays[replica] = "relay \(relay.place)"
        }
        var found: [MetPeer] = []
        var known: Set<Fingerprint> = []
        for peer in summary.peers {
            let device = book[peer.replica]
            if let fingerprint = device?.fingerprint, !known.insert(fingerprint).inserted {
                continue
            }
            let relay = relays[peer.replica]
            let name = try relay ?? device?.name ?? place.store.deviceName(of: peer.replica)
            // A relay has another id once the space has a new secret. Devices say their names, so this is
            // no device, and is not to be taken for one that nobody knows.
            if name == nil, !relays.isEmpty { continue }
            found.append(
                MetPeer(
                    replica: peer.replica,
                    name: try name ?? place.todos.deviceName(peer.replica),
                    lastContact: peer.lastContact, isSuspect: peer.isSuspect,
                    isRelay: relay != nil, isRevoked: device?.isRevoked ?? false))
        }
        let hasRelay = found.contains(where: \.isRelay)
        for place in found.indices {
            found[place].toSend = try store.sentThrough(to: found[place].replica)
                .map { sequence throws(StoreFault) in try store.changedCount(after: sequence) }
            found[place].isTold = !found[place].isRevoked && (found[place].isRelay || !hasRelay)
        }
        return found
    }
}
