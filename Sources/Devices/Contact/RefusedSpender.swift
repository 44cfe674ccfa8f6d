import Core
import Crypto
import Storage

/// A device by whose word this one took a new replica id so often that it is refused for a while.
package struct RefusedSpender: Sendable {
    /// Its name.
    package let name: String
    /// How many new ids were taken within a day.
    package let changeCount: Int
    /// When the refusal ends; milliseconds since 1970-01-01 UTC.
    package let end: Int64
    /// The bytes by which the store counts it.
    let peer: [UInt8]
}

extension DeviceDirectory {
    /// Why a device is refused by whose word too many new ids were taken; nil if it is not.
    ///
    /// Over a link without keys the replica id that it states stands for it, and its key, if the records tell that.
    func spenderRefusal(
        _ stated: ReplicaID, _ shown: Fingerprint?, in store: Store
    ) throws(StoreFault) -> PeerError? {
        let spenders = Set(try store.identitySpenders().map(\.peer))
        if spenders.isEmpty { return nil }
        var names = [shown?.bytes ?? stated.bytes]
        if shown == nil, let key = self[stated]?.fingerprint { names.append(key.bytes) }
        return spenders.isDisjoint(with: names) ? nil : .spendsReplicaIDs
    }
}

extension Device {
    /// The devices that are refused as too many new replica ids were taken by their word.
    package func refusedSpenders() throws(StoreFault) -> [RefusedSpender] {
        let spenders = try store.identitySpenders()
        if spenders.isEmpty { return [] }
        let directory = try directory()
        return spenders.map {
            RefusedSpender(
                name: Self.name(of: $0.peer, in: directory), changeCount: $0.changeCount,
                end: $0.end,
                peer: $0.peer)
        }
    }

    /// The name of a device by the bytes by which a store counts it.
    private static func name(of peer: [UInt8], in directory: DeviceDirectory) -> String {
        if let fingerprint = Fingerprint(bytes: peer) {
            return directory[fingerprint]?.name ?? "device \(fingerprint.short)"
        }
        guard let replica = ReplicaID(bytes: peer) else { return "a device" }
        return directory[replica]?.name ?? name(replica)
    }

    /// Ends such a refusal now.
    package func admit(_ spender: RefusedSpender) throws(StoreFault) {
        try store.forgiveIdentityChanges(toldBy: spender.peer)
    }
}

extension PeerError {
    /// By this device's word another one took too many new replica ids.
    package static var spendsReplicaIDs: PeerError {
        PeerError(
            .refused, reason: .spendsReplicaIDs,
            "by the word of this device another one took a new replica id "
                + "\(Store.peerChangeCountMax) times within a day",
            side: .hearer,
            advice:
                "nothing is lost; it ends by itself within a day. If no store was set back or copied, do not "
                + "trust the device")
    }
}
