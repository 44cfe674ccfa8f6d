/// Every way in which bytes from a peer can be wrong.
///
/// The peer is at fault in all of them.
package enum WireFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes end inside an item.
    case truncated
    /// Bytes follow the end of what was expected.
    case trailingBytes
    /// An item is not deterministic CBOR: a head that is too long, an indefinite length, a bad float.
    case notDeterministic
    /// A reserved or unsupported CBOR head.
    case badHead(UInt8)
    /// An item of another type was expected.
    case unexpectedType(expected: WirePart)
    /// Text that is not UTF-8.
    case badText
    /// Entries that must be sorted, without doubles, are not.
    case notSorted
    /// A number outside of its range.
    case outOfRange(WirePart)
    /// More of something than its limit allows.
    case overLimit(WirePart, max: Int)
    /// Nested too deep.
    case nestedTooDeep
    /// A message lacks a key that it must have.
    case missingKey(Int)
    /// A message of a kind that this version does not know and may not skip.
    case unknownMessage(UInt64)
    /// The frame's checksum does not fit its bytes.
    case badChecksum
    /// A frame longer than the limit.
    case frameTooLong(byteCount: Int, max: Int)

    package var description: String {
        switch self {
        case .truncated: "the bytes end in the middle of an item"
        case .trailingBytes: "there are bytes after the end"
        case .notDeterministic: "this is not deterministic CBOR"
        case .badHead(let byte): "the CBOR head \(byte) is reserved"
        case .unexpectedType(let expected): "expected \(expected)"
        case .badText: "a text is not UTF-8"
        case .notSorted: "entries are out of order or doubled"
        case .outOfRange(let part): "\(part) is out of range"
        case .overLimit(let part, let max): "\(part) is over the limit of \(max)"
        case .nestedTooDeep: "the items are nested too deep"
        case .missingKey(let key): "key \(key) is missing"
        case .unknownMessage(let kind): "message kind \(kind) is unknown and may not be skipped"
        case .badChecksum: "the checksum does not fit"
        case .frameTooLong(let byteCount, let max):
            "a frame of \(byteCount) bytes is over the limit of \(max)"
        }
    }
}
