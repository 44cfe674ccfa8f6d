import Core
import Storage

/// Whose folder it is: what a hidden file in it says, so that a second store keeps its hands off.
package struct FolderOwner: Equatable, Sendable {
    /// The name of that file.
    package static let fileName = ".tandem-store"
    /// The most of it that is read, in bytes.
    package static let byteCountMax = 4_096

    /// The store's replica id.
    let replica: ReplicaID
    /// The name of its device.
    package let device: String

    /// The file's text.
    package var bytes: [UInt8] {
        Array(
            """
            Tandem keeps this folder and one store in step; a second store needs a folder of its own.
            store: \(UUIDText.text(replica.value))
            device: \(device.replacing("\n", with: " "))

            """.utf8)
    }

    init(replica: ReplicaID, device: String) {
        self.replica = replica
        self.device = device
    }

    /// Reads the file; nil if it does not say whose it is.
    package init?(bytes: [UInt8]) {
        var found: [Substring: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let end = line.firstRange(of: ": ") else { continue }
            found[line[..<end.lowerBound]] = String(line[end.upperBound...])
        }
        guard let id = found["store"].flatMap(UUIDText.value) else { return nil }
        self.init(replica: ReplicaID(value: id), device: found["device"] ?? "")
    }
}

extension FolderSync {
    /// What this store has the folder say.
    package func owner() throws(StoreFault) -> FolderOwner {
        let replica = try todos.store.summary().replica
        return FolderOwner(replica: replica, device: try todos.deviceName(replica))
    }

    /// Whether that is this store, or what it was before it took a new identity.
    package func isOwn(_ owner: FolderOwner) throws(StoreFault) -> Bool {
        if try todos.store.summary().replica == owner.replica { return true }
        return try todos.store.identityChanges().contains { $0.old == owner.replica }
    }
}
