/// A version of a record at a relay: its relay name, and a hash of its clock and content.
///
/// Two versions of one record with one clock have two marks if their contents differ.
package struct VersionMark: Hashable, Comparable, Sendable {
    /// The record's relay name, without the collection, which is `relayed`.
    package let id: RecordID
    /// SipHash-2-4-128 of the relay name, the clock and the content, with the keys 0 and 0.
    package let hash: UInt128

    /// A mark as it was read.
    package init(id: RecordID, hash: UInt128) {
        self.id = id
        self.hash = hash
    }

    /// The mark of a version as a relay has it.
    package init(of version: Change) {
        id = version.name.id
        hash = SipHash().content(id, version.clock, version.body)
    }

    package static func < (left: VersionMark, right: VersionMark) -> Bool {
        (left.id, left.hash) < (right.id, right.hash)
    }
}

/// Versions at a relay that a device could not open.
///
/// A device names those that it was sent. The relay answers which of them it has, and tells the other devices of
/// these. Source: Protocol/10-Relay.md, rules 26 to 31.
package struct UnreadableVersions: Hashable, Sendable {
    /// Versions that the device was sent, or that the relay has.
    package var marks: [VersionMark]
    /// Versions that the device named and the relay does not have; none from a device.
    package var unknown: [VersionMark]

    /// Takes marks in any order.
    package init(_ marks: [VersionMark], unknown: [VersionMark] = []) {
        self.marks = Set(marks).sorted()
        self.unknown = Set(unknown).sorted()
    }

    /// As many messages as it takes to name some versions.
    package static func messages(
        _ marks: [VersionMark], unknown: [VersionMark] = []
    ) -> [UnreadableVersions] {
        let most = WireLimits.unreadableCountMax
        let all = UnreadableVersions(marks, unknown: unknown)
        return stride(from: 0, to: max(all.marks.count, all.unknown.count), by: most).map {
            UnreadableVersions(
                Array(all.marks.dropFirst($0).prefix(most)),
                unknown: Array(all.unknown.dropFirst($0).prefix(most)))
        }
    }
}

extension UnreadableVersions: WireMessage {
    enum Key: UInt64 {
        case marks = 1
        case unknown
    }

    /// The number of this kind of message.
    package static let kind: UInt64 = 24
    static let name = "unreadable"
    var asMessage: Message { .unreadable(self) }
    var byteCountEstimate: Int {
        32 + (marks.count + unknown.count) * CanonicalWriter.markByteCount
    }

    func encode(into writer: inout MessageWriter) {
        if !marks.isEmpty {
            writer.key(Key.marks)
            writer.item.marks(marks)
        }
        if !unknown.isEmpty {
            writer.key(Key.unknown)
            writer.item.marks(unknown)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var (marks, unknown): ([VersionMark], [VersionMark]) = ([], [])
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .marks: marks = try reader.item.marks()
            case .unknown: unknown = try reader.item.marks()
            }
        }
        self.init(marks, unknown: unknown)
    }

    var fields: [MessageField] {
        var fields: [MessageField] = []
        if !marks.isEmpty { fields.append(.init("versions", .marks(marks))) }
        if !unknown.isEmpty { fields.append(.init("unknown", .marks(unknown))) }
        return fields
    }
}

extension CanonicalWriter {
    /// The bytes of a mark: relay name and hash.
    fileprivate static let markByteCount = 32

    /// Writes marks one behind the other in one byte string.
    fileprivate mutating func marks(_ marks: [VersionMark]) {
        head(2, UInt64(marks.count * Self.markByteCount))
        for mark in marks {
            raw(mark.id.value)
            raw(mark.hash)
        }
    }
}

extension CanonicalReader {
    /// Takes marks, sorted; the key is left out if there are none.
    fileprivate mutating func marks() throws(WireFault) -> [VersionMark] {
        let bytes = try byteString(
            max: WireLimits.unreadableCountMax, of: CanonicalWriter.markByteCount, .versionMarks)
        guard !bytes.isEmpty, bytes.count % CanonicalWriter.markByteCount == 0 else {
            throw .outOfRange(.versionMarksLength)
        }
        var marks: [VersionMark] = []
        for start in stride(from: 0, to: bytes.count, by: CanonicalWriter.markByteCount) {
            guard let id = RecordID(bytes: bytes[start..<start + 16]),
                let hash = RecordID(bytes: bytes[start + 16..<start + 32])
            else { throw .truncated }
            let mark = VersionMark(id: id, hash: hash.value)
            if let last = marks.last, last >= mark { throw .notSorted }
            marks.append(mark)
        }
        return marks
    }
}

extension MessageField.Content {
    fileprivate static func marks(_ marks: [VersionMark]) -> Self {
        .list(
            marks.map { .object([.init("relay-name", .id($0.id)), .init("hash", .wide($0.hash))]) })
    }
}
