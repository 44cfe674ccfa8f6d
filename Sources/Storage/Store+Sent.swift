import Core

/// What others have of this store by their own word, for whoever asks what has not left yet.
///
/// What is sent in a session goes by what is agreed on there, never by this.
extension Store {
    /// The most devices of which it is remembered.
    package static let sentCountMax = 64

    private static let sentDrawer = "sent"

    /// Remembers that a device has everything up to a place in this store's sequence; of relays that is remembered
    /// already.
    package func noteSent(through sequence: UInt64, to device: ReplicaID) throws(StoreFault) {
        let mark = try reading { () throws(StoreFault) in try uploadMark(at: device) }
        if mark != nil { return }
        let known = try memos(in: Self.sentDrawer)
        let content = Array(String(sequence).utf8)
        if known[device.uuidText] == content { return }
        let others = known.filter { $0.key != device.uuidText }.sorted {
            (Self.place($1.value), $1.key) < (Self.place($0.value), $0.key)
        }
        try edit { transaction throws(StoreFault) in
            for old in others.dropFirst(Self.sentCountMax - 1) {
                try transaction.setMemo(nil, named: old.key, in: Self.sentDrawer)
            }
            try transaction.setMemo(content, named: device.uuidText, in: Self.sentDrawer)
        }
    }

    /// Up to which place in this store's sequence a relay or a device has everything; nil if it is not known.
    package func sentThrough(to peer: ReplicaID) throws(StoreFault) -> UInt64? {
        let mark = try reading { () throws(StoreFault) in try uploadMark(at: peer) }
        if let mark { return mark.sequence }
        return try memos(in: Self.sentDrawer)[peer.uuidText].map(Self.place)
    }

    private static func place(_ content: [UInt8]) -> UInt64 {
        UInt64(String(decoding: content, as: UTF8.self)) ?? 0
    }

    /// How many records have changed behind a place in this store's sequence; those of devices do not count.
    package func changedCount(after sequence: UInt64) throws(StoreFault) -> Int {
        try reading { () throws(StoreFault) in
            var count = 0
            for collection in collections where collection.id != .devices {
                let row = try connection.statement(
                    "SELECT count(*) FROM \(collection.table) WHERE sequence > ?")
                row.bind(1, sequence)
                defer { row.reset() }
                if try row.step() { count += Int(row.int(0)) }
            }
            return count
        }
    }
}
