/// A full exchange after contents were found to differ; at most one in a session.
///
/// Each side sends every record, whole, and its statement; and when it has taken in the other's, once
/// more what changed by that, and its statement. Only the second statements are judged: the first may
/// be older than the union of both sides.
struct Repair: Sendable {
    /// How far it has come.
    enum Stage: Sendable {
        case none
        case running
        case ended
    }

    /// How far it has come.
    var stage = Stage.none
    /// Whether the peer has said that it takes part.
    var isPeerTakingPart = false
    /// Whether what it sent before that was taken in, so that what comes now comes in full.
    var isReceivingInFull = false
    /// Whether contents differed by the peer's last statement.
    var isStillDiverged = false
    /// How many of the two statements were sent.
    var sentCount = 0
    /// How many of the peer's two statements were joined.
    var joinedCount = 0

    /// Whether it is going on.
    var isRunning: Bool { stage == .running }

    /// Whether this side's second round is due.
    var isSecondRoundDue: Bool { isRunning && sentCount == 1 && joinedCount >= 1 }

    /// Whether both sides have said all.
    var isComplete: Bool { isRunning && sentCount >= 2 && joinedCount >= 2 }
}
