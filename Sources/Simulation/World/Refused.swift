import Storage

/// An action that did not take place: why, for the story, and in words.
struct Refused: Error, CustomStringConvertible {
    let reason: Refusal
    let description: String

    init(_ reason: Refusal, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// What a store refused; nil for a fault that no story can foresee.
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
