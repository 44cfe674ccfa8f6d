/// Why an action does not take place, as a story may foresee it.
package enum Refusal: String, Hashable, Sendable, CaseIterable {
    /// For whatever reason.
    case anyReason = "whatever the reason"
    /// The record is deleted.
    case deleted
    /// The record is purged.
    case purged
    /// Only what is in the trash is purged, unless by force.
    case notDeleted = "not deleted"
    /// A value or a record is over its limit.
    case overLimit = "over limit"
    /// There is no such record.
    case missing
    /// The record, its key or a store is there already.
    case exists
    /// A conflict is open.
    case conflict
    /// The disk is full.
    case diskFull = "disk full"
    /// The store is damaged.
    case corrupt
    /// The device crashed, or lost power, on the way.
    case crashed
    /// The two ends are of different spaces.
    case foreignSpace = "foreign space"
    /// One end said something that the other does not know and may not skip.
    case unknownMessage = "unknown message"
    /// One end holds deletes on a great scale until somebody accepts them.
    case deletesHeld = "deletes held"
    /// The link broke, or the other end is not there.
    case unreachable
}
