import Core

/// What a session asks for.
///
/// The effects of one step are run in order; what the store answers comes back as events once all of
/// them have run.
package enum SessionEffect: Hashable, Sendable {
    /// Send a message.
    case send(Message)
    /// Ask the store what to say in a hello, and what it remembers of a peer.
    case greet(peer: ReplicaID?)
    /// Ask the store whether what the peer remembers puts this replica's identity in doubt.
    case examine(Recollection)
    /// Ask the store what it knows of the peer's openings.
    case recallHistory(of: ReplicaID)
    /// Have the store decide who it is, and take a new id if it must; `examined` tells whether it did.
    case settle(History)
    /// Have the store doubt its identity; the session is over and hears no answer.
    case doubtIdentity(DoubtReason)
    /// Read the next changes.
    case read(ReadRequest)
    /// Merge changes.
    case integrate(IntegrateRequest)
    /// Take over what the peer stated.
    case join(JoinRequest)
    /// Take over what other devices stated through a relay.
    case judge(JudgeRequest)
    /// Tell a relay, for the other devices, what the store has, and that all of it was uploaded.
    case declare(Statement, through: Checkpoint)
    /// Leave letters at a relay for devices with older secrets: those that it does not have, or not as they would be
    /// now; no answer comes.
    ///
    /// Of a letter that it has, another form counts as newer only once all was read there.
    case leaveLetters(known: [Letter.Mark], isCaughtUp: Bool)
    /// Have the store take in what was left at a relay for devices with this one's secret; no answer comes.
    case takeLetter(Letter)
    /// Have the store remember how far into its own sequence a relay has it; no answer comes.
    case noteUploaded(through: Checkpoint, to: ReplicaID)
    /// Have the store remember, for its next session with a relay, that up to `through` the relay has all but these
    /// records, as it has just sent it; no answer comes.
    case noteFetched(through: Checkpoint, lacking: Set<RecordID>, from: ReplicaID)
    /// Send `wake` at that time, or earlier; replaces what was asked for before.
    case wake(at: Instant)
    /// The session has come further.
    case report(SessionReport)
    /// Close the link once all is sent; the last of all effects.
    case close(SessionEnd)
}
