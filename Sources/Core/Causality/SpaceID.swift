/// Names a shared dataset; random, made once when the space is made.
package struct SpaceID: WideIdentifier {
    /// The 16 bytes, read big-endian.
    package let value: UInt128

    /// Wraps 16 bytes that were read big-endian.
    package init(value: UInt128) {
        self.value = value
    }

    package static func < (left: SpaceID, right: SpaceID) -> Bool {
        left.value < right.value
    }
}
