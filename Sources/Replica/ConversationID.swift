/// Names one conversation of a replica while it lasts.
package struct ConversationID: Hashable, Comparable, Sendable {
    /// Counts the conversations of one replica, from 1.
    package let number: Int

    package static func < (left: ConversationID, right: ConversationID) -> Bool {
        left.number < right.number
    }
}
