import JSON

/// How a format knows again what went out in it.
///
/// A format that cannot say everything gives back less than went out. What comes back as it went out
/// was not edited there, and must not replace what we have; only what differs is an edit.
package struct FormatEcho {
    /// The to-do that the format's reader makes of a written one, in each form of the file.
    package let forms: (ToDoItem) -> [ToDoItem]
    /// The identity of an entry, in a format that keeps no ids; nil in one that does.
    package let key: ((ToDoItem) -> [UInt8])?

    /// A format's memory.
    package init(
        forms: @escaping (ToDoItem) -> [ToDoItem], key: ((ToDoItem) -> [UInt8])? = nil
    ) {
        self.forms = forms
        self.key = key
    }

    /// The echo of a format that loses nothing.
    package static var exact: FormatEcho { FormatEcho(forms: { _ in [] }) }
}

/// Ids for entries that have none: the same at every import and on every device.
///
/// Entries alike in what makes an entry the same one are told apart by their order. The bits of
/// version (8) and variant follow RFC 9562.
struct DerivedIdentifiers {
    private let format: String
    private let hash: ([UInt8]) -> UInt128
    /// How many there were of a content, by its hash: contents are as long as the file.
    private var counts: [UInt128: Int] = [:]

    /// Ids for entries of a format; `hash` mixes bytes well and must be the same for ever.
    init(_ format: String, hash: @escaping ([UInt8]) -> UInt128 = ToDoStore.contentHash) {
        self.format = format
        self.hash = hash
    }

    /// The id of the next entry, by what makes it the same one at the next import.
    mutating func next(_ content: [JSONValue]) -> UInt128 {
        // An array in compact JSON, so that no two different contents have the same bytes.
        var writer = JSONWriter()
        writer.append(.array([.text(format)] + content))
        let content = ToDoStore.contentHash(writer.bytes)
        let number = counts[content, default: 0]
        counts[content] = number + 1
        return Self.stamped(hash(writer.bytes + Array("\n\(number)".utf8)))
    }

    private static func stamped(_ bits: UInt128) -> UInt128 {
        let version: UInt128 = 0xf000 << 64
        let variant: UInt128 = 0xc000_0000_0000_0000
        return bits & ~version & ~variant | 0x8000 << 64 | 0x8000_0000_0000_0000
    }
}
