/// Names one record: a UUIDv7, or derived from its collection and a unique key.
package struct RecordID: WideIdentifier {
    /// The 16 bytes, read big-endian.
    package let value: UInt128

    /// Wraps 16 bytes that were read big-endian.
    package init(value: UInt128) {
        self.value = value
    }

    package static func < (left: RecordID, right: RecordID) -> Bool {
        left.value < right.value
    }
}
