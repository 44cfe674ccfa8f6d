import Core

/// For each record the clock of all that a device holds of it, integrated or parked.
package struct Holdings: Hashable, Sendable {
    /// The clocks; whoever goes through them sorts them first if the order matters.
    package private(set) var clocks: [RecordID: VersionVector] = [:]

    /// Nothing.
    package init() {}

    /// What is held of a record; the empty clock if it is not known.
    package subscript(record: RecordID) -> VersionVector {
        clocks[record] ?? VersionVector()
    }

    /// Takes note of what is held of a record besides.
    package mutating func join(_ clock: VersionVector, of record: RecordID) {
        clocks[record, default: VersionVector()].join(clock)
    }

    /// The record with the smallest id of which `other` holds something that is missing here.
    package func firstLacking(of other: Holdings) -> RecordID? {
        other.clocks.filter { !self[$0.key].covers($0.value) }.map(\.key).min()
    }
}
