/// How large a record may grow.
///
/// A local edit over a limit is refused; a change over one is deferred.
/// Source: Protocol/6-Limits.md.
package enum RecordLimits {
    /// The longest value, in bytes of its canonical form.
    package static let valueByteCountMax = 256 * 1024

    /// The longest name of a field, in bytes of UTF-8.
    package static let nameByteCountMax = 256

    /// The most elements and named fields with a value in a record to which a local edit adds some.
    package static let localFreeValueCountMax = 4096

    /// The most assignments in one body, those to the fields 0 and 1 not counted: what three devices may add apart
    /// from each other can be merged.
    package static let assignmentCountMax = 16_384

    /// The most assignments to the field 0 in one body, and to the field 1.
    ///
    /// They have a limit of their own, so that a record that is full can be deleted.
    package static let deletionCountMax = 4096

    /// The most writes in one body: with each at least one assignment.
    package static let writeCountMax = 24_576

    /// The most assignments of one write: those to the fields 0 and 1, and as many as a body may have.
    package static let writeFieldCountMax = 16_386

    /// The longest body after a local edit that makes it longer by more than a little, in bytes.
    package static let localBodyByteCountMax = 4 * 1024 * 1024

    /// By how much any local edit may make a body longer, in bytes: enough for a date or a state.
    package static let smallEditByteCountMax = 4096

    /// The longest body, in bytes.
    package static let bodyByteCountMax = 64 * 1024 * 1024

    /// The longest body that an edit or a merge may make, in bytes.
    ///
    /// The rest of the longest one is for fork rewrites, which name a new replica id in each clock: no device may get a record
    /// by one that it cannot send.
    package static let mergedBodyByteCountMax = bodyByteCountMax - 1024 * 1024

    /// How much the assignments of a merged record may have, those to the fields 0 and 1 not counted, in bytes: the rest is
    /// for these, so that a record which is full can be deleted.
    package static let contentByteCountMax = mergedBodyByteCountMax - 1024 * 1024

    /// As how much the content counts what a body has of each write beside the assignments, in bytes.
    package static let writeByteCount = 48

    /// The longest content of a version at a relay, in bytes: a record's name and its body.
    package static let versionByteCountMax = bodyByteCountMax + 512

    /// The deepest nesting inside a value of an unknown kind.
    package static let nestingDepthMax = 8
}

/// How large a record may become by a change of it.
package struct RecordSizeLimit: Hashable, Sendable {
    /// The most elements and named fields with a value.
    package let freeValueCount: Int
    /// The longest body, in bytes.
    package let byteCount: Int

    /// By a local edit.
    package static let localEdit = RecordSizeLimit(
        freeValueCount: RecordLimits.localFreeValueCountMax,
        byteCount: RecordLimits.localBodyByteCountMax)

    /// By a delete, a restore or a purge: as by a merge.
    package static let body = RecordSizeLimit(
        freeValueCount: RecordLimits.assignmentCountMax,
        byteCount: RecordLimits.mergedBodyByteCountMax)
}

/// How large things on the wire may be.
package enum WireLimits {
    /// By how many generations a secret of a space may be above the one before it.
    ///
    /// Generations have 32 bits: so nobody can use them up at once. Source: Protocol/11-Pairing.md §4.
    package static let generationStepMax: UInt32 = 1_024

    /// The lowest version of the protocol that is spoken here.
    package static let versionMin: UInt64 = 1
    /// The highest version of the protocol that is spoken here.
    package static let versionMax: UInt64 = 1
    /// The longest frame, in bytes, its length and checksum not counted.
    package static let frameByteCountMax = 1024 * 1024
    /// The most changes in one batch.
    package static let changesPerBatchMax = 4096
    /// The most bytes of bodies in one batch.
    package static let batchByteCountMax = 256 * 1024
    /// The most bytes of a body in one frame; a longer body is cut into parts.
    package static let partByteCountMax = 512 * 1024
    /// The longest body, in bytes: one of the longest records, sealed and so a ninth longer at the most.
    package static let bodyByteCountMax = RecordLimits.bodyByteCountMax / 8 * 9
    /// The most entries of a clock in one piece of a long body.
    package static let clockEntriesPerPartMax = 4096
    /// The most entries of one clock, over all its pieces.
    package static let clockEntryCountMax = bodyByteCountMax / 24
    /// The most entries of the clock that an edit or a merge may make; the rest is for fork rewrites.
    package static let mergedClockEntryCountMax = clockEntryCountMax - 4096
    /// A page of a state summary ends with the range or entry that reaches so many bytes.
    package static let summaryPageByteCountMax = 256 * 1024
    /// The most entries in one range of a state summary, and in a `summary-page` or `caught-up`.
    package static let summaryEntriesPerPageMax = 4096
    /// The most entries that a side lists by itself, before state summaries are compared range by range; answers to
    /// the other side's list do not count.
    package static let summaryListEntryCountMax = 4096
    /// The most openings in a batch beside its changes; more go ahead.
    package static let incarnationsPerBatchMax = 4096
    /// The most summary rows in one `upload-done` or `download-done`.
    package static let summaryRowCountMax = 1024
    /// The longest content of a summary row, in bytes, sealed.
    package static let summaryRowByteCountMax = 256
    /// The most by which the number of a summary row is above that of the row that a relay has of its key.
    package static let summaryRowStepMax: UInt64 = 4_294_967_296
    /// The most collections that one message names.
    package static let collectionCountMax = 1024
    /// The most records in one request for whole records.
    package static let wantCountMax = 4096
    /// The most epochs in one history.
    package static let epochCountMax = 256
    /// The longest text in an error, in bytes.
    package static let textByteCountMax = 1024
    /// The most batches that may be on their way without an acknowledgement.
    package static let windowBatchCount = 16
    /// The most bytes of a public key or a signature.
    package static let proofByteCountMax = 64
    /// The longest rekey message at a relay, in bytes, sealed.
    package static let rekeyMessageByteCountMax = 256 * 1024
    /// The most rekey messages that a relay keeps of a space.
    package static let rekeyMessageCountMax = 8
    /// The most versions that one message names as unreadable.
    package static let unreadableCountMax = 1024
    /// The longest item of a mailbox, in bytes: with its frame it is below what a relay takes before its hello reply.
    package static let mailboxItemByteCountMax = 3 * 1024
    /// The longest registration token, in bytes.
    package static let tokenByteCountMax = 256
}
