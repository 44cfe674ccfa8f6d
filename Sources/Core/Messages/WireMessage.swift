/// One kind of message: its number, its name, its keys, and how they are written and read.
///
/// A kind is one file of this folder and a line in each of the three lists of `Message`: the case, the
/// kind and the content. A message without data, or with a number alone, is in Signals.swift.
/// Source: Protocol/3-Messages.md.
protocol WireMessage: Hashable, Sendable {
    /// The keys besides 0, which holds the number of the kind.
    associatedtype Key: RawRepresentable<UInt64>

    /// The number of the kind on the wire.
    static var kind: UInt64 { get }

    /// The name of the kind in the protocol's pages and vectors.
    static var name: String { get }

    /// The message as one of all kinds.
    var asMessage: Message { get }

    /// The number of bytes to reserve before the message is written.
    var byteCountEstimate: Int { get }

    /// The keys with their values, for a person to read.
    var fields: [MessageField] { get }

    /// Writes the keys in ascending order, each with its value.
    func encode(into writer: inout MessageWriter)

    /// Reads the keys and checks that none is missing.
    init(from reader: inout MessageReader) throws(WireFault)
}

/// The keys of a message that has none.
enum NoKey: RawRepresentable {
    init?(rawValue: UInt64) { nil }

    var rawValue: UInt64 {
        switch self {}
    }
}

extension WireMessage {
    var byteCountEstimate: Int { 64 }

    /// The bytes of the message, without a frame.
    var encoded: [UInt8] {
        var writer = MessageWriter(kind: Self.kind, byteCount: byteCountEstimate)
        encode(into: &writer)
        return writer.item.bytes
    }

    /// Reads a message of this kind as one of all kinds.
    static func read(from reader: inout MessageReader) throws(WireFault) -> Message {
        try Self(from: &reader).asMessage
    }
}

/// Writes a message in deterministic CBOR: a map from small numbers, key 0 the kind.
struct MessageWriter {
    /// The writer of the values.
    var item = CanonicalWriter()

    /// Starts a message.
    init(kind: UInt64, byteCount: Int) {
        item.bytes.reserveCapacity(byteCount)
        item.map(1)
        item.unsigned(0)
        item.unsigned(kind)
    }

    /// Writes a key, behind which its value is written to `item`.
    mutating func key(_ key: some RawRepresentable<UInt64>) {
        // The head of a map of fewer than 24 pairs is one byte, which counts them in its last bits.
        precondition(item.bytes[0] < 0xb7, "a message has at most 23 keys")
        item.bytes[0] += 1
        item.unsigned(key.rawValue)
    }
}

/// Reads a message key by key: unknown keys are passed over, everything else is checked.
struct MessageReader {
    /// The most pairs in a message.
    private static let pairCountMax = 64

    /// The number of the kind.
    let kind: UInt64
    /// The reader of the values.
    var item: CanonicalReader
    private var pairsLeft: Int
    private var lastKey: UInt64 = 0
    /// Whether the message names a version of the protocol that is spoken here, or none at all.
    ///
    /// In other versions nothing is known but the versions: all further keys are passed over.
    private(set) var isSpoken = true

    /// Reads the kind, which stands first.
    init(_ bytes: UnsafeRawBufferPointer) throws(WireFault) {
        var item = CanonicalReader(bytes)
        let pairs = try item.map(max: Self.pairCountMax, "the keys of a message")
        guard pairs > 0, try item.unsigned() == 0 else { throw .missingKey(0) }
        kind = try item.unsigned()
        pairsLeft = pairs - 1
        self.item = item
    }

    /// Takes the next key that the kind has, whose value is then taken from `item`.
    ///
    /// - Returns: nil at the end, where no byte is left.
    mutating func key<Key: RawRepresentable<UInt64>>(of _: Key.Type) throws(WireFault) -> Key? {
        while pairsLeft > 0 {
            pairsLeft -= 1
            let number = try item.unsigned()
            guard number > lastKey else { throw .notSorted }
            lastKey = number
            if isSpoken, let key = Key(rawValue: number) { return key }
            _ = try item.skip()
        }
        try item.finish()
        return nil
    }

    /// Passes over all keys.
    mutating func skipAll() throws(WireFault) {
        while try key(of: NoKey.self) != nil {}
    }

    /// Takes the range of versions that the speaker speaks.
    mutating func versions() throws(WireFault) -> VersionRange {
        guard try item.array(max: 2, "versions") == 2 else { throw .outOfRange("versions") }
        let versions = VersionRange(min: try item.unsigned(), max: try item.unsigned())
        isSpoken = versions.isSpoken
        return versions
    }

    /// The value of a key that must be there.
    func required<T>(
        _ value: T?, _ key: some RawRepresentable<UInt64>
    ) throws(WireFault) -> T {
        guard let value else { throw .missingKey(Int(key.rawValue)) }
        return value
    }

    /// The value of a key that must be there in the versions spoken here.
    ///
    /// A first message of other versions may lack any key but the versions, so that it can be told
    /// apart from nonsense: it comes back with empty values, and is refused by its versions.
    func required<T>(
        _ value: T?, _ key: some RawRepresentable<UInt64>, elsewhere empty: T
    ) throws(WireFault) -> T {
        isSpoken ? try required(value, key) : value ?? empty
    }
}

/// The versions of the protocol that a side speaks.
struct VersionRange {
    let min: UInt64
    let max: UInt64

    /// Whether one of them is spoken here.
    var isSpoken: Bool { min <= WireLimits.versionMax && max >= WireLimits.versionMin }

    /// Checks that the range is not empty.
    func checked() throws(WireFault) -> VersionRange {
        guard min <= max else { throw .outOfRange("versions") }
        return self
    }

    /// Writes `[min, max]`.
    func write(to writer: inout CanonicalWriter) {
        writer.array(2)
        writer.unsigned(min)
        writer.unsigned(max)
    }
}

extension CanonicalReader {
    /// Takes a counter: an unsigned integer that SQLite can hold.
    mutating func counter() throws(WireFault) -> UInt64 {
        try unsigned(max: UInt64(Int64.max), "a counter")
    }

    /// Takes true; in the place of false the key is left out.
    mutating func mark() throws(WireFault) -> Bool {
        guard try bool() else { throw .notDeterministic }
        return true
    }
}
