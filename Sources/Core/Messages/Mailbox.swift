/// Opens a mailbox of pairing, or joins those who have it open; answered by the same, once it is open.
///
/// The first message on its connection. Source: Protocol/10-Relay.md, Mailboxes.
package struct MailboxOpening: Hashable, Sendable {
    /// The lowest version of the protocol that the speaker speaks.
    package var versionMin = WireLimits.versionMin
    /// The highest one.
    package var versionMax = WireLimits.versionMax
    /// The mailbox; both know it by the pairing code.
    package var id: UInt128
    /// Whether it is made if there is none.
    package var isMaking: Bool

    /// An opening.
    package init(id: UInt128, isMaking: Bool) {
        self.id = id
        self.isMaking = isMaking
    }
}

extension MailboxOpening: WireMessage {
    enum Key: UInt64 {
        case versions = 1
        case id, making
    }

    static let kind: UInt64 = 25
    static let name = "mailbox"
    var asMessage: Message { .mailbox(self) }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.versions)
        VersionRange(min: versionMin, max: versionMax).write(to: &writer.item)
        writer.key(Key.id)
        writer.item.identifier(id)
        if isMaking {
            writer.key(Key.making)
            writer.item.bool(true)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var versions: VersionRange?
        var id: UInt128?
        var isMaking = false
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .versions: versions = try reader.versions()
            case .id: id = try reader.item.identifier()
            case .making: isMaking = try reader.item.mark()
            }
        }
        let range = try reader.required(versions, Key.versions).checked()
        self.init(id: try reader.required(id, Key.id, elsewhere: 0), isMaking: isMaking)
        (versionMin, versionMax) = (range.min, range.max)
    }

    var fields: [MessageField] {
        [
            .init("versions", .versions(versionMin, versionMax)), .init("id", .wide(id)),
            .init("making", .flag(isMaking)),
        ]
    }
}

/// A message from one of those who have a mailbox open to the others; nothing of it is read in between.
///
/// Source: Protocol/10-Relay.md, Mailboxes.
package struct MailboxItem: Hashable, Sendable {
    /// The bytes; at least one.
    package var bytes: [UInt8]

    /// An item.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension MailboxItem: WireMessage {
    enum Key: UInt64 {
        case bytes = 1
    }

    static let kind: UInt64 = 26
    static let name = "mailbox-item"
    var asMessage: Message { .mailboxItem(self) }
    var byteCountEstimate: Int { 16 + bytes.count }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.bytes)
        writer.item.byteString(bytes)
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var bytes: [UInt8]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .bytes:
                bytes = try reader.item.byteString(
                    max: WireLimits.mailboxItemByteCountMax, .mailboxItem)
            }
        }
        let found = try reader.required(bytes, Key.bytes)
        guard !found.isEmpty else { throw .outOfRange(.mailboxItem) }
        self.init(found)
    }

    var fields: [MessageField] { [.init("item", .bytes(bytes))] }
}
