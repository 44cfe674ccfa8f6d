import Core

/// The side that speaks first in a session; after the hellos both sides are alike.
package enum SessionRole: Hashable, Sendable {
    /// The side that called, and says hello first.
    case initiator
    /// The side that was called, and answers.
    case responder
}

/// Everything that can happen to a session.
package enum SessionEvent: Hashable, Sendable {
    /// The link is open; first of all events.
    case opened
    /// The peer sent a message.
    case received(Message)
    /// The peer sent bytes that are no message.
    case undecodable(WireFault)
    /// The answer to `greet`.
    case greeting(Greeting)
    /// The answer to `examine` and to `resolve`.
    case examined(isSuspicious: Bool)
    /// The answer to `listMoved`: nil if that is not known, or they are too many for a list.
    case moved([ReplicaID]?)
    /// The answer to `recallHistory`.
    case history(History)
    /// The answer to `read`.
    case read(Reading)
    /// The answer to `integrate`; versions of a relay that could not be opened are counted and left out.
    case integrated(Integration, unreadableCount: Int = 0)
    /// The answer to `join`.
    case joined(Joining)
    /// The answer to `judge`.
    case judged(JudgeAnswer)
    /// The answer to `findDueRows`: the rows, and those to be stated as they are sent.
    case dueRows([DueSummaryRow], stated: [SummaryRow])
    /// The answer to `recordUnreadable`.
    case unreadableRecorded(UnreadableAnswer)
    /// The store could not do as it was asked; the error is as the peer shall hear it.
    case storeFailed(PeerError)
    /// The peer may not sync with this device: by its hello, or since it was taken out of the space.
    case refused(PeerError)
    /// Something was committed here by anyone but this session.
    case storeChanged
    /// The bytes that the link holds unsent; told when they rise over or fall under the link's mark.
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

/// Everything that a session asks for.
///
/// The effects of one step are run in order; the store's answers come back as events once all of
/// them have run.
package enum SessionEffect: Hashable, Sendable {
    /// Send a message.
    case send(Message)
    /// Ask the store for its greeting, and for its memory of a peer.
    case greet(peer: ReplicaID?)
    /// Ask the store whether a peer's memory of this replica is a clone suspicion.
    case examine(PeerCheckpoint)
    /// Ask the store for the ids whose entries in its state summary changed after the peer's summary checkpoint.
    case listMoved(since: Checkpoint)
    /// Have the store forget how far it has read the peer, whose word on that did not fit; no answer comes.
    case dropCheckpoints(of: ReplicaID)
    /// Ask the store for the peer's incarnations that it knows.
    case recallHistory(of: ReplicaID)
    /// Have the store decide who it is, and take a new id if it must; `examined` tells whether it did.
    case resolve(History)
    /// Have the store act on a clone suspicion; the session is over and hears no answer.
    case suspectIdentity(CloneSuspicionReason)
    /// Read the next changes.
    case read(ReadRequest)
    /// Merge changes.
    case integrate(IntegrateRequest)
    /// Adopt the peer's state summary.
    case join(JoinRequest)
    /// Adopt what other devices state of themselves through a relay.
    case judge(JudgeRequest)
    /// Take a relay's word on versions that a device could not open; records of them that are here are uploaded again.
    case recordUnreadable(UnreadableRequest)
    /// Find what is to be stated of this store's summary at a relay, for the other devices.
    case findDueRows(DueRowsRequest)
    /// Leave rekey messages at a relay for devices with older secrets: those that it does not have, or not as they would be
    /// now; no answer comes.
    ///
    /// Of a rekey message that it has, another form counts as newer only once all was read there.
    case leaveRekeyMessages(known: [RekeyMessage.Mark], isCaughtUp: Bool)
    /// Have the store apply a rekey message that was left at a relay for devices with this one's secret; no answer comes.
    case applyRekeyMessage(RekeyMessage)
    /// Have the store remember how far into its own sequence a relay has it, and which rows of its summary; no answer
    /// comes.
    case noteUploaded(through: Checkpoint, [DueSummaryRow], to: ReplicaID)
    /// Have the store remember, for its next session with a relay, that up to `through` the relay has all but these
    /// records, as it has just sent it; no answer comes.
    case noteFetched(through: Checkpoint, lacking: Set<RecordName>, from: ReplicaID)
    /// Send `wake` at that time, or earlier; replaces the time that was asked for before.
    case wake(at: Instant)
    /// The session has come further.
    case report(SessionReport)
    /// Close the link once all is sent; the last of all effects.
    case close(SessionEnd)
}

/// A reason for a clone suspicion, other than a peer's memory of this replica.
package enum CloneSuspicionReason: Hashable, Sendable {
    /// A peer greeted with this replica's own id, in that incarnation and with so many writes of
    /// its own: a copy, or this very store.
    case sameReplica(incarnation: Incarnation, counter: UInt64)
}

/// How far a session has come; told whenever it changes.
public struct SessionReport: Hashable, Sendable {
    /// The peer's replica id; nil before its hello.
    package var peer: ReplicaID?
    /// Whether the peer is a device without a store, which asked only which space this is.
    package var isQuestion = false
    /// How many records were sent; one sent twice counts twice.
    public var sentCount = 0
    /// How many records were received.
    public var receivedCount = 0
    /// How many of the sent records are an app's, not a device's own: what a person counts.
    package var sentAppRecordCount = 0
    /// How many of the received records are an app's.
    package var receivedAppRecordCount = 0
    /// How many of the received records changed something here.
    public var changedCount = 0
    /// How many of the received records could not be read and were deferred.
    public var deferredCount = 0
    /// Whether the peer stated writes that it does not send, twice in a row.
    public var isWithheld = false
    /// Whether contents were found to differ although the histories are the same.
    package var isDiverged = false
    /// Whether a full exchange has ended that difference.
    package var isRepaired = false
    /// Deletes that are held here; nothing more is taken from the peer until they are accepted, unless they were set aside.
    package var held: HeldDeletes?
    /// Whether each side has all that the other had when it last looked.
    package var isCaughtUp = false

    /// How many versions and summary rows at a relay could not be opened, and are missed.
    package var unreadableCount = 0
    /// Whether devices state writes that the relay did not send, and it is not known why.
    package var isIncomplete = false
    /// Whether it is incomplete by the relay's sum of summary rows alone, which another session of this device changes too.
    package var isIncompleteByRowSum = false
    /// How far into this store's sequence the other side has everything, by its own word.
    package var storedThrough: Checkpoint?
    /// The last arrival number here up to which other devices have everything, by their own words through the relay.
    package var seenBy: [ReplicaID: UInt64] = [:]

    /// Whether something is missing here that others have.
    package var lacksSomething: Bool { isWithheld || isIncomplete || unreadableCount > 0 }

    /// Nothing has happened yet.
    package init() {}
}

/// The way in which a session ended.
package enum SessionEnd: Hashable, Sendable {
    /// In order. Whether all was exchanged is in the last report: either side may leave early.
    case finished
    /// The link broke before that; the next session goes on where this one stopped.
    case lost
    /// With an error, told or heard, and the side that has to act.
    case failed(PeerError, SessionSide)
}

/// The side that has to act, seen from here.
package enum SessionSide: Hashable, Sendable {
    /// This replica's.
    case ours
    /// The peer's.
    case theirs
    /// Neither alone.
    case both

    /// The side that an error told by this replica names.
    package init(told side: PeerError.Side) {
        self =
            switch side {
            case .speaker: .ours
            case .hearer: .theirs
            case .both: .both
            }
    }

    /// The side that an error heard from the peer names.
    package init(heard side: PeerError.Side) {
        self =
            switch side {
            case .speaker: .theirs
            case .hearer: .ours
            case .both: .both
            }
    }
}
