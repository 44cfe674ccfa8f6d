import Core
import Session
import Storage

/// The store's words in the session's terms.
extension Greeting {
    init(_ introduction: Store.Introduction) {
        self.init(
            space: introduction.space, policy: introduction.policy, replica: introduction.replica,
            opening: introduction.opening, sequence: introduction.sequence,
            statement: introduction.statement, recollection: introduction.recollection,
            isRepairDue: introduction.isRepairDue)
    }
}

extension ReadAnswer {
    init(_ reading: Store.Reading) {
        self.init(
            wanted: reading.wanted, changes: reading.changes, through: reading.through,
            openings: reading.openings, statement: reading.statement)
    }
}

extension Store.ReadStart {
    init(_ start: ReadRequest.Start) {
        self =
            switch start {
            case .checkpoint(let checkpoint): .checkpoint(checkpoint)
            case .uploaded(let relay, let told): .uploaded(to: relay, told: told)
            case .fetched(let relay): .fetched(from: relay)
            case .sequence(let sequence): .sequence(sequence)
            }
    }
}

extension PeerError {
    /// What a fault of this store means to the peer: paths and the like stay at home.
    init(_ fault: StoreFault) {
        let (message, advice) =
            switch fault {
            case .diskFull:
                (
                    "the sender's disk is full",
                    "free some space on the sender's device, then sync again"
                )
            case .busy: ("the sender's store is busy", "sync again in a moment")
            case .corrupt:
                ("the sender's store is damaged", "run `tandem doctor` on the sender's device")
            case .readOnly:
                (
                    "the sender's store cannot be written",
                    "check its permissions on the sender's device"
                )
            case .overLimit(let what, let max):
                (
                    "the sender's store cannot take \(what) over the limit of \(max)",
                    "look for a device of this space that makes replicas without end"
                )
            case .foreignOwnWrites:
                (
                    "the reader holds writes under the sender's id that the sender never made",
                    "nothing is lost; sync again, and the sender takes a new id"
                )
            default: ("the sender's store failed", "look at the sender's own message")
            }
        self.init(.store, message, side: .speaker, advice: advice)
    }
}
