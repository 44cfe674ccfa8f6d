import Core

/// The secret that only the devices of a space know; every key of the space is derived from it.
///
/// A secret belongs to one generation: taking a device out of the space begins the next one.
package struct SpaceSecret: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 32
    /// The first generation.
    package static let firstGeneration: UInt32 = 1

    /// The secret itself.
    package let bytes: [UInt8]
    /// Counts the secrets of a space, from 1.
    package let generation: UInt32

    /// A secret that was received or stored; nil unless it has 32 bytes and a generation.
    package init?(bytes: [UInt8], generation: UInt32) {
        guard bytes.count == Self.byteCount, generation >= Self.firstGeneration else { return nil }
        self.bytes = bytes
        self.generation = generation
    }
}

extension SpaceSecret: CustomStringConvertible {
    /// Its generation; never the secret.
    package var description: String { "secret of generation \(generation)" }
}
