import Core

/// Whose side has to act, seen from here.
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
