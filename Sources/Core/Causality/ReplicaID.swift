/// Names one store of a space; random, and never kept across a doubt about who one is.
package struct ReplicaID: WideIdentifier {
    /// The 16 bytes, read big-endian.
    package let value: UInt128

    /// Wraps 16 bytes that were read big-endian.
    package init(value: UInt128) {
        self.value = value
    }

    /// The high half of every twin's id; of random ids one in 2^64 has it.
    private static let twinMark: UInt128 = 0x7477_696e_2d6f_662d << 64

    /// The id under which a value is kept whose dot came to name another value as well.
    ///
    /// Each has one write, counter 1. Source: Protocol/4-Merge.md, section 13.
    ///
    /// - Parameter hash: of what is kept; the same wherever the two values meet.
    package static func twin(_ hash: UInt128) -> ReplicaID {
        ReplicaID(value: twinMark | (hash >> 64))
    }

    /// Whether it is no replica's own.
    package var isTwin: Bool { value >> 64 == Self.twinMark >> 64 }

    package static func < (left: ReplicaID, right: ReplicaID) -> Bool {
        left.value < right.value
    }
}
