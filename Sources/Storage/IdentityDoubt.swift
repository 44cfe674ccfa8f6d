/// Why a store took a new replica id; nothing was lost, and what it had written before stays as it was.
package enum IdentityDoubt: Hashable, Sendable, CustomStringConvertible {
    /// There is no stamp beside the store.
    case noStamp
    /// The store was opened on another machine than last time.
    case otherMachine
    /// The store is another file than last time: a copy, or a backup put in place.
    case otherFile
    /// The file was changed since the last process closed it: a backup was written over it.
    case changedWhileClosed
    /// The stamp itself was put here by something else.
    case stampReplaced
    /// The stamp and the store speak of different histories.
    case historyDiffers
    /// The machine went down while the store was open; the last writes may be gone.
    case powerCut
    /// A peer knew of writes under our id that are not ours.
    case peerKnowsOther
    /// A peer has our id.
    case peerHasOurID
    /// The store was damaged, and goes on with what could be read of it.
    case rescued

    /// Those by which the store may be a copy, beside an original that goes on under the former id.
    static let copies: [IdentityDoubt] = [.noStamp, .otherMachine, .otherFile]

    package var description: String {
        switch self {
        case .noStamp: "the store's stamp is missing, as in a copy of the database alone"
        case .otherMachine: "the store was copied from another machine"
        case .otherFile: "the store is a copy, or a backup was put in its place"
        case .changedWhileClosed:
            "the store was changed while no program had it open: a backup was restored, "
                + "or its owner or permissions were changed"
        case .stampReplaced:
            "the store's stamp was put in place by something else: a backup was restored"
        case .historyDiffers:
            "the store and its stamp are from different times: a backup was restored"
        case .powerCut: "the machine went down while the store was open"
        case .peerKnowsOther:
            "another device knows of writes under this replica's id that are not here"
        case .peerHasOurID: "another device uses the same replica id: one of the two is a copy"
        case .rescued: "the store was damaged, and goes on with what could be read of it"
        }
    }
}
