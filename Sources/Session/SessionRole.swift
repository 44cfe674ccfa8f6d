/// Who speaks first in a session; after the hellos both sides are alike.
package enum SessionRole: Hashable, Sendable {
    /// Called, and says hello first.
    case initiator
    /// Was called, and answers.
    case responder
}
