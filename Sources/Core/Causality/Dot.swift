/// Names one write to one record: the replica that made it and the count of its writes.
package struct Dot: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Who wrote.
    package let replica: ReplicaID

    /// How many writes that replica had made, this one included; from 1.
    package let counter: UInt64

    /// Names the write number `counter` of `replica`.
    package init(replica: ReplicaID, counter: UInt64) {
        self.replica = replica
        self.counter = counter
    }

    package static func < (left: Dot, right: Dot) -> Bool {
        left.replica == right.replica ? left.counter < right.counter : left.replica < right.replica
    }

    package var description: String { "\(replica.hexadecimal.prefix(8)):\(counter)" }
}
