/// Names one store of a space; random, and never kept across a doubt about who one is.
package struct ReplicaID: WideIdentifier {
    package let value: UInt128

    package init(value: UInt128) {
        self.value = value
    }

    package static func < (left: ReplicaID, right: ReplicaID) -> Bool {
        left.value < right.value
    }
}
