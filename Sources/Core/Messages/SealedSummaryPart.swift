/// A piece of a sealed summary that is too long for one frame; the last piece is in the `upload-done` or
/// `download-done` behind it.
package struct SealedSummaryPart: Hashable, Sendable {
    /// The device whose summary it is; nil from that device itself.
    package let replica: ReplicaID?
    /// The piece.
    package let bytes: [UInt8]

    /// A piece of a sealed summary.
    package init(of replica: ReplicaID?, _ bytes: [UInt8]) {
        self.replica = replica
        self.bytes = bytes
    }

    /// Cuts a sealed summary into pieces; gives the last one apart, as it goes into the message behind them.
    package static func cut(
        _ bytes: [UInt8], of replica: ReplicaID?
    ) -> (parts: [SealedSummaryPart], last: [UInt8]) {
        var parts: [SealedSummaryPart] = []
        var rest = bytes[...]
        while rest.count > WireLimits.partByteCountMax {
            parts.append(
                SealedSummaryPart(of: replica, Array(rest.prefix(WireLimits.partByteCountMax))))
            rest = rest.dropFirst(WireLimits.partByteCountMax)
        }
        return (parts, parts.isEmpty ? bytes : Array(rest))
    }
}

extension SealedSummaryPart: WireMessage {
    enum Key: UInt64 {
        case replica = 1
        case bytes
    }

    static let kind: UInt64 = 27
    static let name = "sealed-summary-part"
    var asMessage: Message { .sealedSummaryPart(self) }
    var byteCountEstimate: Int { 64 + bytes.count }

    func encode(into writer: inout MessageWriter) {
        if let replica {
            writer.key(Key.replica)
            writer.item.identifier(replica.value)
        }
        writer.key(Key.bytes)
        writer.item.byteString(bytes)
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var replica: ReplicaID?
        var bytes: [UInt8]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .replica: replica = ReplicaID(value: try reader.item.identifier())
            case .bytes: bytes = try reader.item.sealedSummaryPart()
            }
        }
        self.init(of: replica, try reader.required(bytes, Key.bytes))
        // An empty one would let a peer go on for ever.
        guard !self.bytes.isEmpty else { throw .outOfRange(.sealedSummary) }
    }

    var fields: [MessageField] {
        (replica.map { [.init("replica", .id($0))] } ?? []) + [.init("bytes", .bytes(bytes))]
    }
}

extension CanonicalReader {
    /// Takes a piece of a sealed summary, or the whole.
    mutating func sealedSummaryPart() throws(WireFault) -> [UInt8] {
        try byteString(max: WireLimits.partByteCountMax, .summary)
    }
}
