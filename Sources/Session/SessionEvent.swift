import Core

/// What can happen to a session.
package enum SessionEvent: Hashable, Sendable {
    /// The link is open; first of all events.
    case opened
    /// The peer said something.
    case received(Message)
    /// The peer sent bytes that are no message.
    case undecodable(WireFault)
    /// The answer to `greet`.
    case greeting(Greeting)
    /// The answer to `examine` and to `settle`.
    case examined(isDoubtful: Bool)
    /// The answer to `recallHistory`.
    case history(History)
    /// The answer to `read`.
    case read(ReadAnswer)
    /// The answer to `integrate`.
    case integrated(IntegrateAnswer)
    /// The answer to `join`.
    case joined(JoinAnswer)
    /// The answer to `judge`.
    case judged(JudgeAnswer)
    /// The store could not do what it was asked; the error is as the peer shall hear it.
    case storeFailed(PeerError)
    /// The peer is none to sync with: by what it greets with, or since it was taken out of the space.
    case refused(PeerError)
    /// Something was committed here by anyone but this session.
    case storeChanged
    /// How much the link holds unsent; told when that rises over or falls under the link's mark.
    case sendQueue(byteCount: Int)
    /// The time asked for by `wake` has come.
    case wake
    /// The program wants to stop: batches on their way may arrive, then the session ends.
    case drain
    /// This replica has taken a new id.
    case identityChanged
    /// The link is closed.
    case lost
}
