import Core

/// A reason for which a store took a new replica id; nothing was lost, and its earlier writes stay as they
/// were.
///
/// The raw value is the code that the store keeps.
public enum CloneSuspicion: String, Hashable, Sendable, CustomStringConvertible {
    /// There is no identity file beside the store.
    case noIdentityFile = "no-identity-file"
    /// The store was opened on another machine than last time.
    case otherMachine = "other-machine"
    /// The store is another file than last time: a copy, or a backup put in place.
    case otherFile = "other-file"
    /// The file was changed since the last process closed it: a backup was written over it.
    case changedWhileClosed = "changed-while-closed"
    /// The identity file itself was put here by something else.
    case identityFileReplaced = "identity-file-replaced"
    /// The identity file and the store speak of different histories.
    case historyDiffers = "history-differs"
    /// The machine went down while the store was open; the last writes may be gone.
    case powerCut = "power-cut"
    /// A peer knew of writes under our id that are not ours.
    case peerKnowsOther = "peer-knows-other"
    /// A peer has our id.
    case peerHasOurID = "peer-has-our-id"
    /// The store was damaged, and goes on with what could be read of it.
    case rescued
    /// A code that this version does not know.
    case unknown

    /// Whether the store may be a copy, beside an original that goes on under the former id.
    package var isCopy: Bool {
        self == .noIdentityFile || self == .otherMachine || self == .otherFile
    }

    /// The reason in words.
    public var description: String {
        switch self {
        case .noIdentityFile:
            "the store's identity file is missing, as in a copy of the database alone"
        case .otherMachine: "the store was copied from another machine"
        case .otherFile: "the store is a copy, or a backup was put in its place"
        case .changedWhileClosed:
            "the store was changed while no program had it open: a backup was restored, "
                + "or its owner or permissions were changed"
        case .identityFileReplaced:
            "the store's identity file was put in place by something else: a backup was restored, "
                + "or its owner or permissions were changed"
        case .historyDiffers:
            "the store and its identity file are from different times: a backup was restored"
        case .powerCut: "the machine went down while the store was open"
        case .peerKnowsOther:
            "another device knows of writes under this replica's id that are not here"
        case .peerHasOurID: "another device uses the same replica id: one of the two is a copy"
        case .rescued: "the store was damaged, and goes on with what could be read of it"
        case .unknown: "a newer version of the program gave a reason that this one does not know"
        }
    }
}

/// A replica id that a store gave up for a new one.
package struct IdentityChange: Hashable, Sendable {
    /// The id given up.
    package let old: ReplicaID
    /// The id taken.
    package let new: ReplicaID
    /// The reason.
    package let reason: CloneSuspicion
    /// When, by this device's clock; milliseconds since 1970-01-01 UTC.
    package let time: Int64
}

/// A peer by whose word a store took so many new ids lately that it is refused for a while.
package struct IdentitySpender: Hashable, Sendable {
    /// The peer's device key, or what stands for one.
    package let peer: [UInt8]
    /// How many.
    package let changeCount: Int
    /// When the refusal ends, by this device's clock; milliseconds since 1970-01-01 UTC.
    package let end: Int64
}
