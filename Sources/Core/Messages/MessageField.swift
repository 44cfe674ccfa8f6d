/// A key of a message under its name, with its value: the form for people, as in the vectors.
package struct MessageField: Hashable, Sendable {
    /// A value as a person reads it.
    package indirect enum Content: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// Yes or no.
        case flag(Bool)
        /// A number.
        case number(UInt64)
        /// Text.
        case text(String)
        /// Bytes.
        case bytes([UInt8])
        /// Sixteen bytes that name something, read big-endian.
        case wide(UInt128)
        /// Values without names.
        case list([Content])
        /// Values with names.
        case object([MessageField])
    }

    /// The name.
    package let name: String
    /// The value.
    package let content: Content

    /// Gives a value a name.
    init(_ name: String, _ content: Content) {
        self.name = name
        self.content = content
    }
}

extension MessageField.Content {
    static func id(_ id: some WideIdentifier) -> Self { .wide(id.value) }

    static func epoch(_ epoch: EpochID) -> Self { .text(epoch.description) }

    /// Pairs of replica and counter.
    static func clock(_ clock: VersionVector) -> Self {
        .list(clock.entries.map { .list([.id($0.replica), .number($0.counter)]) })
    }

    static func versions(_ least: UInt64, _ most: UInt64) -> Self {
        .list([.number(least), .number(most)])
    }

    /// A digest: its number, or both of them one behind the other.
    static func digest(_ digest: Digest) -> Self {
        guard let clocks = digest.clocks else { return .wide(digest.contents) }
        return .bytes([digest.contents, clocks].flatMap { RecordID(value: $0).bytes })
    }
}
