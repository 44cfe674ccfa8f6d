/// Names one conversation of a relay while it lasts.
package struct RelaySessionID: Hashable, Comparable, Sendable {
    /// Counts the conversations of one relay, from 1.
    package let number: Int

    package static func < (left: RelaySessionID, right: RelaySessionID) -> Bool {
        left.number < right.number
    }
}
