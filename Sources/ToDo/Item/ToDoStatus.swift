/// Whether a to-do is still to be done.
package enum ToDoStatus: String, Sendable, CaseIterable {
    case pending
    case completed
    /// Will not be done, but is kept and listed with the finished ones.
    case cancelled
}
