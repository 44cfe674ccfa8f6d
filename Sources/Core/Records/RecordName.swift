/// Names one record everywhere: one id in two collections is two records.
public struct RecordName: Hashable, Sendable {
    /// The collection of the record.
    public let collection: CollectionID

    /// The id of the record in its collection.
    public let id: RecordID

    /// The name of the record with that id in a collection.
    public init(_ collection: CollectionID, _ id: RecordID) {
        self.collection = collection
        self.id = id
    }
}

extension RecordName: Comparable {
    /// Sorts by collection, then by id.
    public static func < (left: RecordName, right: RecordName) -> Bool {
        left.collection == right.collection
            ? left.id < right.id : left.collection < right.collection
    }
}

extension RecordName: LosslessStringConvertible {
    /// The collection, a slash and the id: `#1/` for collection 1, `=photos/` for one that is named by a text.
    public var description: String {
        switch collection {
        case .number(let number): "#\(number)/\(id)"
        case .text(let text): "=\(text)/\(id)"
        }
    }

    /// Reads the form of `description`; nil for any other text.
    public init?(_ text: String) {
        guard let slash = text.lastIndex(of: "/"),
            let id = RecordID(String(text[text.index(after: slash)...]))
        else { return nil }
        let collection = text[..<slash]
        switch collection.first {
        case "#":
            guard let number = UInt32(collection.dropFirst()) else { return nil }
            self.init(.number(number), id)
        case "=" where collection.utf8.count > 1:
            self.init(.text(String(collection.dropFirst())), id)
        default: return nil
        }
    }
}

extension RecordName {
    /// Whether it is of a device's own record, and so of none of an app's.
    package var isOfDevice: Bool { collection == .devices }
}

extension CollectionID {
    /// The reserved collection of records' names at a relay; the id there is a hash of collection and id.
    package static let relayed = CollectionID.number(.max)

    /// The canonical bytes.
    package var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        BodyCodec.write(self, to: &writer)
        return writer.bytes
    }

    /// Reads canonical bytes; nil for any others.
    package init?(canonicalBytes bytes: [UInt8]) {
        let found = bytes.withUnsafeBytes { buffer -> CollectionID? in
            var reader = CanonicalReader(buffer)
            guard let collection = try? reader.fieldName(), (try? reader.finish()) != nil else {
                return nil
            }
            return collection
        }
        guard let found else { return nil }
        self = found
    }
}

extension RecordName {
    /// The record of a device: its id is that of the replica.
    package init(deviceOf replica: ReplicaID) {
        self.init(.devices, RecordID(value: replica.value))
    }

    /// No fewer bytes than `bytes` has.
    package var byteCountMax: Int {
        if case .text(let text) = collection { text.utf8.count + 19 } else { 21 }
    }

    /// The bytes of a hash of the name: the id's 16, then the collection's canonical ones.
    package var bytes: [UInt8] {
        var writer = CanonicalWriter()
        writer.raw(id.value)
        BodyCodec.write(collection, to: &writer)
        return writer.bytes
    }
}

/// Names one record in its collection, on every device the same: a UUIDv7, which sorts by time, or derived from the
/// collection and a unique key.
public struct RecordID: WideIdentifier, LosslessStringConvertible {
    /// The 16 bytes, read big-endian.
    package let value: UInt128

    /// Wraps 16 bytes that were read big-endian.
    package init(value: UInt128) {
        self.value = value
    }

    /// When the record was made, by the clock of the device that made it; milliseconds since 1970-01-01 UTC, nil if
    /// the id is derived.
    package var milliseconds: Int64? {
        value >> 76 & 0xf == 7 ? Int64(truncatingIfNeeded: value >> 80) : nil
    }

    /// Reads the form of `description`, or any 32 hexadecimal digits, hyphens ignored; nil for anything else.
    public init?(_ text: String) { self.init(uuidText: text) }

    /// The form of RFC 9562: 8-4-4-4-12 lower-case hexadecimal digits.
    public var description: String { uuidText }

    public static func < (left: RecordID, right: RecordID) -> Bool {
        left.value < right.value
    }
}
