/// A piece of a change whose body is too long for one frame; the pieces come in order, nothing between.
package struct BodyPart: Hashable, Sendable {
    /// Which record; the same in every piece.
    package let id: RecordID
    /// Its clock; the same in every piece.
    package let clock: VersionVector
    /// How long the whole body is, in bytes.
    package let byteCount: Int
    /// Where this piece begins, in bytes from the start of the body.
    package let offset: Int
    /// The piece.
    package let bytes: [UInt8]
    /// Whether the sender has set the change aside; the same in every piece.
    package let isAside: Bool

    /// A piece of a body.
    package init(
        id: RecordID, clock: VersionVector, byteCount: Int, offset: Int, bytes: [UInt8],
        isAside: Bool = false
    ) {
        self.id = id
        self.clock = clock
        self.byteCount = byteCount
        self.offset = offset
        self.bytes = bytes
        self.isAside = isAside
    }
}
