/// Names one store of a space; random, and never kept across a doubt about who one is.
package struct ReplicaID: WideIdentifier {
    /// The 16 bytes, read big-endian.
    package let value: UInt128

    /// Wraps 16 bytes that were read big-endian.
    package init(value: UInt128) {
        self.value = value
    }

    package static func < (left: ReplicaID, right: ReplicaID) -> Bool {
        left.value < right.value
    }
}
