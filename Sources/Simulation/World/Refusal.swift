import Storage

/// Why an event does not take place, as a scenario may foresee it.
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

/// An event that did not take place: why, for the scenario, and in words.
struct Refused: Error, CustomStringConvertible {
    let reason: Refusal
    let description: String

    init(_ reason: Refusal, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// The refusal of a store; nil for a fault that no scenario can foresee.
    init?(_ fault: StoreFault) {
        let reason: Refusal
        switch fault {
        case .recordDeleted: reason = .deleted
        case .recordPurged: reason = .purged
        case .noSuchRecord, .noStore: reason = .missing
        case .recordExists, .storeExists: reason = .exists
        case .conflictOpen: reason = .conflict
        case .notDeleted: reason = .notDeleted
        case .diskFull: reason = .diskFull
        case .corrupt, .notAStore: reason = .corrupt
        case .overLimit: reason = .overLimit
        default: return nil
        }
        self.init(reason, "\(fault)")
    }
}

extension Refused {
    /// The device crashed or lost power on the way.
    static func down(_ name: String) -> Refused {
        Refused(.crashed, "\(name) went down on the way")
    }
}
