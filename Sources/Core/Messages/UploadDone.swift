/// A device has uploaded all it has: how far that reaches, and what it states of itself.
package struct UploadDone: Hashable, Sendable {
    /// How far into its own sequence the device has uploaded.
    package var through: Checkpoint
    /// Its statement, for the other devices; sealed in a space with encryption.
    ///
    /// Of a long one this is the last piece, behind those of `SealedSummaryPart`s.
    package var statement: [UInt8]

    /// All that there was.
    package init(through: Checkpoint, statement: [UInt8]) {
        self.through = through
        self.statement = statement
    }
}

extension UploadDone: WireMessage {
    enum Key: UInt64 {
        case through = 1
        case statement
    }

    /// The number of this kind of message.
    package static let kind: UInt64 = 22
    static let name = "upload"
    var asMessage: Message { .uploadDone(self) }
    var byteCountEstimate: Int { 64 + statement.count }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.through)
        writer.item.checkpoint(through)
        writer.key(Key.statement)
        writer.item.byteString(statement)
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var through: Checkpoint?
        var statement: [UInt8]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .through: through = try reader.item.checkpoint()
            case .statement: statement = try reader.item.sealedSummaryPart()
            }
        }
        self.init(
            through: try reader.required(through, Key.through),
            statement: try reader.required(statement, Key.statement))
    }

    var fields: [MessageField] {
        [.init("through", .checkpoint(through)), .init("statement", .bytes(statement))]
    }
}
