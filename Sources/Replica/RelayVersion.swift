import Core

/// A change ↔ the version of it that a relay stores.
///
/// A version's name is the relay name. Its content is the record's name, as the bytes of a hash of it, and the body;
/// sealed in a space with encryption. Source: Protocol/10-Relay.md.
package enum RelayVersion {
    /// The version of a change.
    ///
    /// - Parameter seal: nil in a space without encryption.
    package static func of(
        _ change: Change, with seal: (any SpaceSeal)?
    ) throws(SealFailure) -> Change {
        let content = change.name.bytes + change.body
        guard let seal else {
            return Change(
                SipHash.relayName(of: change.name), clock: change.clock, body: content,
                isDeferred: change.isDeferred)
        }
        let name = try seal.relayName(of: change.name)
        return Change(
            name, clock: change.clock,
            body: try seal.seal(content, of: name, clock: change.clock),
            isDeferred: change.isDeferred)
    }

    /// The change in a version; nil if no device of the space made it, if its content gives another name, or if its body is
    /// longer than a body may be.
    package static func change(in version: Change, opening seal: (any SpaceSeal)?) -> Change? {
        let content: [UInt8]
        if let seal {
            guard let opened = seal.open(version.body, of: version.name, clock: version.clock)
            else { return nil }
            content = opened
        } else {
            content = version.body
        }
        guard let (name, body) = parts(of: content), body.count <= RecordLimits.bodyByteCountMax,
            (try? relayName(of: name, with: seal)) == version.name
        else { return nil }
        return Change(name, clock: version.clock, body: body, isDeferred: version.isDeferred)
    }

    /// The name by which relays know a record.
    static func relayName(
        of name: RecordName, with seal: (any SpaceSeal)?
    ) throws(SealFailure) -> RecordName {
        guard let seal else { return SipHash.relayName(of: name) }
        return try seal.relayName(of: name)
    }

    private static func parts(of content: [UInt8]) -> (name: RecordName, body: [UInt8])? {
        guard let id = RecordID(bytes: content.prefix(16)) else { return nil }
        let rest = content.dropFirst(16)
        let found = rest.withUnsafeBytes { bytes -> (collection: CollectionID, count: Int)? in
            var reader = CanonicalReader(bytes)
            guard let collection = try? reader.fieldName() else { return nil }
            return (collection, reader.offset)
        }
        guard let found else { return nil }
        return (RecordName(found.collection, id), Array(rest.dropFirst(found.count)))
    }
}

/// The records of a store by the ids by which relays know them, under one secret: for all conversations with relays.
struct RelayNames {
    /// A name by which secrets are told apart: each gives it another id.
    private static let sample = RecordName(.devices, RecordID(value: 0))

    private var sampleID: RecordID?
    private var names: [RecordID: RecordName] = [:]
    /// The arrival number up to which the store's records are among these.
    private(set) var through: UInt64 = 0

    /// Begins anew if the names are those under another secret.
    mutating func begin(with seal: (any SpaceSeal)?) throws(SealFailure) {
        let id = try RelayVersion.relayName(of: Self.sample, with: seal).id
        if id == sampleID { return }
        self = RelayNames()
        sampleID = id
    }

    /// Adds records that came or changed up to an arrival number.
    mutating func add(
        _ names: [RecordName], through sequence: UInt64, with seal: (any SpaceSeal)?
    ) throws(SealFailure) {
        for name in names { self.names[try RelayVersion.relayName(of: name, with: seal).id] = name }
        through = sequence
    }

    /// The record that relays know by an id.
    subscript(id: RecordID) -> RecordName? { names[id] }
}
