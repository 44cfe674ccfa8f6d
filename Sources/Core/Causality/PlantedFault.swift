/// A rule of the engine that can be broken on purpose, to show that the simulator would notice.
///
/// In release builds no fault can be planted: `isPlanted` is the constant false there, and the
/// compiler removes whatever depends on it. Several may be planted at once: some are caught only
/// while another one, such as `joinUnverified`, takes away the rule that contains their harm.
@usableFromInline
package enum PlantedFault: String, CaseIterable, Sendable {
    // MARK: Records

    /// A field keeps one value, and of two with equal timestamps each side keeps its own.
    ///
    /// Breaks: a merge has no sides, and concurrent values are all kept.
    case tiesBySide
    /// A purge drops everything and says nothing: neither `deleted` nor `purged` is written.
    ///
    /// Breaks: what stays of a purged record for ever is its tombstone.
    case purgeLeavesNoMark
    /// A restore takes the delete back, and writes no field again.
    ///
    /// Breaks: a restored record is never a husk, whatever happens concurrently.
    case restoreWritesFlagOnly
    /// Of a delete and a restore that do not know of each other the later one counts.
    ///
    /// Breaks: timestamps play no part in whether a record is deleted.
    case deletedByLatestTimestamp
    /// Where edits win, a record is deleted if one of its deletes had seen all edits.
    ///
    /// Breaks: what the deletes have seen together decides.
    case editsWinByOneDelete
    /// Where edits win, a record is deleted only if one delete had seen all that its clock names.
    ///
    /// Breaks: only edits and restores speak against a delete, another delete does not.
    case editsWinByRecordClock
    /// A conflict that is resolved with the value that is shown makes no write.
    ///
    /// Breaks: a conflict can be resolved either way, and stays resolved.
    case resolvedAsShownMakesNoWrite
    /// A save on a record that is known to be deleted is carried out.
    ///
    /// Breaks: an editor that was open across a delete cannot bring back an empty item.
    case staleSaveTaken

    // MARK: What is known

    /// What the clocks of a batch name counts as known, before the sender has said that this was all.
    ///
    /// Breaks: knowledge grows by statements only.
    case knowledgeJoinedWithEveryBatch
    /// The statement is that of the greeting, sent as soon as the reading has passed what was there then.
    ///
    /// Breaks: the statement is read in the transaction that found nothing left: a record that was
    /// edited in between has moved on, and the statement vouches for it nevertheless.
    case statementReadInOlderTransaction
    /// A statement's entries are joined without comparing the tallies.
    ///
    /// Breaks: what a peer claims is believed only if it adds up.
    case joinUnverified
    /// A change that cannot be read is passed over.
    ///
    /// Breaks: it is set aside, counted in the tallies, and never skipped.
    case badRecordSkipped
    /// What was set aside is dropped at the next opening.
    ///
    /// Breaks: it is tried again at every opening, and kept until it can be read.
    case parkedForgotten
    /// What was set aside is not sent on.
    ///
    /// Breaks: a change that cannot be read here may be read elsewhere.
    case parkedNotForwarded
    /// A record that came without a value that is needed is not asked for.
    ///
    /// Breaks: it is sent whole, and until then no statement is joined.
    case wantedNotAsked
    /// A delete is forgotten 30 days after it was made, by the wall clock: at opening, and when
    /// something comes from a peer.
    ///
    /// Breaks: deleted stays deleted, with no retention window.
    case tombstonesExpire

    /// What sessions delete is not counted.
    ///
    /// Breaks: deletes on a great scale wait until somebody has said that they are meant.
    case brakeCountsNothing

    // MARK: How far was read

    /// A checkpoint counts whatever the opening in which it was given.
    ///
    /// Breaks: a sender starts at the end of the checkpoint's opening at most, and at the start if the
    /// opening is unknown to it.
    case checkpointWithoutEpoch
    /// Each batch says that it reaches as far as the sender's store did at the greeting.
    ///
    /// Breaks: a checkpoint is reached only with all changes before it.
    case batchReachesTooFar
    /// The checkpoint of a batch is remembered in a transaction of its own, ahead of the changes.
    ///
    /// Breaks: both are in one transaction, so that a crash skips nothing.
    case checkpointAheadOfChanges
    /// A merge that changes nothing gives a new arrival number.
    ///
    /// Breaks: what is new here is passed on once, and then there is rest.
    case sequenceWithoutChange
    /// A batch is not acknowledged.
    ///
    /// Breaks: a session comes to its end.
    case batchNotAcknowledged

    // MARK: Who one is

    /// What leaves for a peer need not be on the disk.
    ///
    /// Breaks: a dot is durable before any peer sees it.
    case leavesBeforeFlush
    /// A store that was copied, restored, or open when the power failed keeps its replica id.
    ///
    /// Breaks: a replica id is never carried across a doubt.
    case copyNotNoticed
    /// What a peer remembers of this replica is not compared with its own past.
    ///
    /// Breaks: late detection, the peers' part in finding a store that was set back.
    case echoIgnored
    /// Writes under this replica's own id that it never made are taken from a peer.
    ///
    /// Breaks: they end the session, as from there on two writes could get one dot.
    case ownWritesTaken
    /// After a fork was found the checkpoints of all peers are kept.
    ///
    /// Breaks: whoever lowers an entry of its knowledge forgets how far it has read.
    case checkpointsOutliveFork
    /// Writes that got a new dot after a fork count like any other.
    ///
    /// Breaks: what was recovered never revives a deleted record.
    case recoveredWritesRevive

    // MARK: Contents that differ

    /// Contents are compared although one side holds something beyond what it knows.
    ///
    /// Breaks: being ahead is no divergence.
    case digestComparedBeyondKnowledge
    /// Contents are never compared.
    ///
    /// Breaks: whatever else went wrong is found as soon as two devices that differ meet.
    case contentsNotCompared
    /// A full exchange merges, as any session does.
    ///
    /// Breaks: of records with equal clocks and different contents both sides' assignments are kept.
    case repairOnlyMerges

    // MARK: What a relay keeps

    /// Of two versions of a record a relay keeps the one with the greater sum of counters.
    ///
    /// Breaks: a version goes only if another one's clock covers its own.
    case relayPrunesBySumOfCounters
    /// A relay keeps a version that it has already.
    ///
    /// Breaks: a record has no more versions than there are replicas that edited it at once.
    case relayKeepsEqualClocksTwice
    /// What statements say that come through a relay is believed, though changes are missing.
    ///
    /// Breaks: a relay needs no trust: what comes from it counts only if it adds up.
    case relayBelieved
    /// Values that this device has had for longer are left out of what goes to a relay.
    ///
    /// Breaks: a relay has whole records, as it cannot be asked for a value that is missing.
    case valueElidedToRelay
    /// A relay that refuses a device for its secret keeps the letter back that was left for it.
    ///
    /// Breaks: devices that meet only at relays get the next secret there.
    case letterNotGiven
    /// A letter that a relay has is never left there in a newer form.
    ///
    /// Breaks: who is heard of later finds the next secret in the letter as well.
    case letterNotRenewed

    #if PLANTED_FAULTS
        /// The faults that are planted in this process: set once, before a world starts.
        ///
        /// Not guarded: while it changes, no engine may run in any thread.
        nonisolated(unsafe) package static var planted: Set<PlantedFault> = []

        /// Whether any rule is broken in this process.
        package static var isAnyPlanted: Bool { !planted.isEmpty }

        /// The rules that contain the harm of this fault: it is found for certain only while they are
        /// broken as well.
        package var companions: Set<PlantedFault> {
            switch self {
            case .statementReadInOlderTransaction, .batchReachesTooFar,
                .checkpointAheadOfChanges:
                [.joinUnverified]
            // After a fork contents may differ, and are mended when two devices meet.
            case .checkpointWithoutEpoch, .checkpointsOutliveFork:
                [.joinUnverified, .contentsNotCompared]
            case .ownWritesTaken: [.echoIgnored]
            default: []
            }
        }

        /// Whether the rule is broken in this process.
        package var isPlanted: Bool { Self.isAnyPlanted && Self.planted.contains(self) }
    #else
        /// Whether any rule is broken in this process: never in this build.
        @inlinable package static var isAnyPlanted: Bool { false }

        /// Whether the rule is broken in this process: never in this build.
        @inlinable package var isPlanted: Bool { false }
    #endif
}
