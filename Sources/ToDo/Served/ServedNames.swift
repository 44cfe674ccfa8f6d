import Core
import Storage

/// The names of resources, and the UIDs that clients gave to-dos which have another one.
///
/// A to-do's resource is named by its UID, unless a client made it under another name: that is kept on this device, for
/// all clients alike, as one resource has one address. So is the UID under which a client put a to-do that was
/// here already.
struct ServedNames {
    private static let names = "served-names"
    private static let namesByID = "served-names-by-id"
    private static let uids = "served-uids"
    private static let uidsByID = "served-uids-by-id"
    private static let counts = "served-names-count"

    let store: Store
    /// All names and UIDs, where many are asked for; nil where each is looked up.
    private let all:
        (names: [String: [UInt8]], namesByID: [String: [UInt8]], uids: [String: [UInt8]])?

    /// - Parameter count: how many to-dos are asked for, about.
    init(_ store: Store, for count: Int) throws(StoreFault) {
        self.store = store
        if count > Self.lookupCountMax {
            all = (
                try store.localMetadata(in: Self.names),
                try store.localMetadata(in: Self.namesByID),
                try store.localMetadata(in: Self.uidsByID)
            )
        } else {
            all = nil
        }
    }

    /// More are read at once.
    private static let lookupCountMax = 32

    private func id(aliased name: String) throws(StoreFault) -> RecordID? {
        let bytes =
            if let all { all.names[name] } else {
                try store.localMetadata(named: name, in: Self.names)
            }
        return bytes.map { RecordID(value: MetadataParts.number($0[...])) }
    }

    private func alias(of id: RecordID) throws(StoreFault) -> String? {
        let key = ServedNamespaces.name(id)
        let bytes =
            if let all { all.namesByID[key] } else {
                try store.localMetadata(named: key, in: Self.namesByID)
            }
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The UID that a to-do has for clients of this device, where that is not its own.
    func uid(of id: RecordID) throws(StoreFault) -> String? {
        let key = ServedNamespaces.name(id)
        let bytes =
            if let all { all.uids[key] } else {
                try store.localMetadata(named: key, in: Self.uidsByID)
            }
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The to-do that a client's UID names.
    func identifier(ofUID uid: String) throws(StoreFault) -> UInt128 {
        let bytes = try store.localMetadata(named: uid, in: Self.uids)
        return bytes.map { MetadataParts.number($0[...]) } ?? ICalendarNames.identifier(ofUID: uid)
    }

    /// The name of a to-do's resource.
    func name(of item: ToDoItem) throws(StoreFault) -> String {
        let id = RecordID(value: item.identifier ?? 0)
        if let alias = try alias(of: id) { return alias }
        let uid = try uid(of: id) ?? ICalendarNames.uid(of: item) ?? ""
        let candidates = ICalendarFileName.candidates(uid: uid, id: id.value)
        for name in candidates {
            let other = try self.id(aliased: name)
            if other == nil || other == id { return name }
        }
        return candidates[candidates.count - 1]
    }

    /// The to-do of a resource's name; nil if there is none.
    func identifier(named name: String) throws(StoreFault) -> RecordID? {
        if let id = try id(aliased: name) { return id }
        for identifier in ICalendarFileName.identifiers(named: name) {
            let stem = String(name.dropLast(ICalendarFileName.ending.count))
            for id in [
                RecordID(value: try self.identifier(ofUID: stem)), RecordID(value: identifier),
            ] {
                guard let stored = try store.record(id), !stored.standing.isPurged else { continue }
                if try self.name(of: ToDoMapping.item(stored)) == name { return id }
            }
        }
        return nil
    }

    // MARK: Changes

    /// Gives a to-do's resource a name, in place of any that it had.
    ///
    /// - Returns: whether there was room for it.
    @discardableResult
    func set(
        _ name: String, of item: ToDoItem, _ transaction: Transaction
    ) throws(StoreFault) -> Bool {
        let id = RecordID(value: item.identifier ?? 0)
        if try self.name(of: item) == name { return true }
        if let old = try alias(of: id) {
            try transaction.setLocalMetadata(nil, named: old, in: Self.names)
        } else {
            guard try takeRoom(transaction) else { return false }
        }
        if let other = try self.id(aliased: name) {
            try transaction.setLocalMetadata(
                nil, named: ServedNamespaces.name(other), in: Self.namesByID)
        }
        try transaction.setLocalMetadata(
            MetadataParts.bytes(id.value), named: name, in: Self.names)
        try transaction.setLocalMetadata(
            Array(name.utf8), named: ServedNamespaces.name(id), in: Self.namesByID)
        return true
    }

    /// Gives a to-do a UID for clients of this device.
    ///
    /// - Returns: whether there was room for it.
    func set(uid: String, of id: RecordID, _ transaction: Transaction) throws(StoreFault) -> Bool {
        guard try takeRoom(transaction) else { return false }
        try transaction.setLocalMetadata(MetadataParts.bytes(id.value), named: uid, in: Self.uids)
        try transaction.setLocalMetadata(
            Array(uid.utf8), named: ServedNamespaces.name(id), in: Self.uidsByID)
        return true
    }

    /// Counts one alias more; where there are too many, those of to-dos that are gone are dropped.
    private func takeRoom(_ transaction: Transaction) throws(StoreFault) -> Bool {
        let bytes = try store.localMetadata(named: "count", in: Self.counts) ?? []
        var count = Int(truncatingIfNeeded: MetadataParts.number(bytes.prefix(16)))
        if count >= ServedLimits.aliasCountMax {
            count = try dropGone(transaction)
            if count >= ServedLimits.aliasCountMax { return false }
        }
        try transaction.setLocalMetadata(
            MetadataParts.bytes(UInt128(count + 1)), named: "count", in: Self.counts)
        return true
    }

    /// - Returns: how many aliases are left.
    private func dropGone(_ transaction: Transaction) throws(StoreFault) -> Int {
        var count = 0
        for (space, byID) in [(Self.names, Self.namesByID), (Self.uids, Self.uidsByID)] {
            for (name, bytes) in try store.localMetadata(in: space) {
                let id = RecordID(value: MetadataParts.number(bytes[...]))
                if let stored = try transaction.record(id), stored.standing == .live {
                    count += 1
                    continue
                }
                try transaction.setLocalMetadata(nil, named: name, in: space)
                try transaction.setLocalMetadata(nil, named: ServedNamespaces.name(id), in: byID)
            }
        }
        return count
    }
}
