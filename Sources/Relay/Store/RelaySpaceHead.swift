import Core
import Storage

/// The name of one state of a space, as conversations know it: it changes with each event that voids what they know.
package struct RelaySpaceKey: Hashable, Sendable {
    /// The space.
    package let space: SpaceID
    /// The id of the store of this space and generation; one made anew has another.
    package let relay: ReplicaID
    /// The course of events that the space is in: another one after it was set back, or put in place by another program.
    package let history: Int

    /// A state of a space.
    package init(space: SpaceID, relay: ReplicaID, history: Int = 0) {
        self.space = space
        self.relay = relay
        self.history = history
    }
}

/// A space without its contents.
package struct RelaySpaceHead: Hashable, Sendable {
    /// The name of its state.
    package var key: RelaySpaceKey
    /// The generation of the space's secret; 0 without encryption.
    package var generation: UInt32
    /// The key that devices prove to have; empty without encryption.
    package var verifier: [UInt8]
    /// The epoch of the last write.
    package var epoch: EpochID
    /// The last arrival number given; versions and summary rows share the numbers.
    package var sequence: UInt64
    /// The bytes of all versions, summary rows and rekey messages, as the quota counts them.
    package var byteCount: Int
    /// How many records there are.
    package var recordCount: Int
    /// How many versions there are.
    package var versionCount: Int
    /// The devices for which there are rekey messages, and hashes of these, oldest first.
    package var rekeyMessageMarks: [RekeyMessage.Mark]
    /// Whether the device that asks to be let in was let in before, in this generation.
    package var isVisitorKnown = false
    /// The devices that the operator has put out of the space, where the store has the list of them.
    package var putOut: Set<RelayPutOut> = []

    /// A space.
    package init(
        key: RelaySpaceKey, generation: UInt32, verifier: [UInt8], epoch: EpochID,
        sequence: UInt64 = 0, byteCount: Int = 0, recordCount: Int = 0, versionCount: Int = 0,
        rekeyMessageMarks: [RekeyMessage.Mark] = []
    ) {
        self.key = key
        self.generation = generation
        self.verifier = verifier
        self.epoch = epoch
        self.sequence = sequence
        self.byteCount = byteCount
        self.recordCount = recordCount
        self.versionCount = versionCount
        self.rekeyMessageMarks = rekeyMessageMarks
    }
}

/// A decision on a device that asks to be let into a space.
package enum RelayDecision {
    /// Lets it in.
    case enter
    /// Makes the space, which is not there, and lets it in.
    case make(generation: UInt32, verifier: [UInt8])
    /// Begins a later generation of the space's secret, which drops all that is kept but rekey messages, and lets it in.
    case begin(generation: UInt32, verifier: [UInt8])
    /// Does not let it in.
    case refuse(RelayRejection)
}

/// A refusal with its details.
package struct RelayRejection {
    /// The reason, and the error that the device is sent.
    package var refusal: RelayRefusal
    /// Whether it counts as a failed proof, unless there is a rekey message.
    package var isFailedProof = false
    /// Whether it is for an attempt to make the space, which is not there.
    package var isForMaking = false
    /// The proven key under which there may be a rekey message; nil for no rekey message.
    package var rekeyMessageVerifier: [UInt8]?

    /// A refusal.
    package init(
        refusal: RelayRefusal, isFailedProof: Bool = false, isForMaking: Bool = false,
        rekeyMessageVerifier: [UInt8]? = nil
    ) {
        self.refusal = refusal
        self.isFailedProof = isFailedProof
        self.isForMaking = isForMaking
        self.rekeyMessageVerifier = rekeyMessageVerifier
    }
}

/// The outcome of a relay hello.
package enum RelayAdmission {
    /// The device is in.
    case entered(RelayEntry)
    /// The device is not in; the rekey message for its verifier, if there is one.
    case refused(RelayRejection, RekeyMessage?)
}

/// A space as a device enters it.
package struct RelayEntry {
    /// The way in which the device was admitted.
    package enum Cause: Hashable, Sendable {
        /// The space was there.
        case found
        /// The space was made.
        case made
        /// A generation was begun; the one before it.
        case begun(after: UInt32)
    }

    /// The way in which the device was admitted.
    package var cause: Cause
    /// The space, after that.
    package var head: RelaySpaceHead
    /// How far into its own sequence the device has uploaded; nil if nothing is known of it.
    package var uploaded: Checkpoint?
    /// The arrival number behind which the device reads.
    package var start: UInt64

    /// An entrance.
    package init(cause: Cause, head: RelaySpaceHead, uploaded: Checkpoint?, start: UInt64) {
        self.cause = cause
        self.head = head
        self.uploaded = uploaded
        self.start = start
    }
}

/// A space of a relay for a look from outside: its head as it was, and its contents as they are.
@dynamicMemberLookup
package struct RelaySpaceView {
    /// The space without its contents, as it was when it was asked for.
    package let head: RelaySpaceHead
    let store: any RelayStore

    init(head: RelaySpaceHead, store: any RelayStore) {
        self.head = head
        self.store = store
    }

    /// A value of the head.
    package subscript<T>(dynamicMember path: KeyPath<RelaySpaceHead, T>) -> T {
        head[keyPath: path]
    }

    /// The versions of one record by its relay name, in order of arrival.
    package func versions(of record: RecordName) throws(StoreFault) -> [Change] {
        try store.versions(of: record, in: head.key.space)
    }

    /// Looks whether everything fits together; gives the findings.
    package func examine() throws(StoreFault) -> [RelayFinding] {
        try store.examine(head.key.space)
    }
}
