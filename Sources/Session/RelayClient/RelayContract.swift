import Core

/// The credentials that a device shows a relay.
package struct RelayAccount: Hashable, Sendable {
    /// The generation of the space's secret; 0 in a space without encryption.
    package var generation: UInt32
    /// The proof of access, bound to the channel; nil in a space without encryption.
    package var access: RelayHello.Access?
    /// The token for a new space, on a relay that asks for one.
    package var token: String?
    /// Whether the device only reads, and uploads nothing.
    package var isReader: Bool

    /// Creates an account.
    package init(
        generation: UInt32 = 0, access: RelayHello.Access? = nil, token: String? = nil,
        isReader: Bool = false
    ) {
        self.generation = generation
        self.isReader = isReader
        self.access = access
        self.token = token
    }
}

/// A question to the store: adopt what other devices state of themselves through a relay, as far as the checksums
/// agree.
package struct JudgeRequest: Hashable, Sendable {
    /// The relay's store of the space.
    package var relay: ReplicaID
    /// How far the relay was read; nil if that is to be forgotten, as some of what came was no device's.
    package var through: Checkpoint?
    /// The rows as they came, sealed in a space with encryption.
    package var rows: [SummaryRow]
    /// The relay's sum of its rows; nil if rows of this device are on their way, or further ones of the relay.
    package var rowSum: UInt128?
    /// Whether the relay was found to withhold something in this session, and will be read anew.
    package var isReadAnew: Bool
    /// Whether the relay was set back since the last session.
    package var isSetBack: Bool
    /// Whether the relay sends all rows anew in this run: it may have lost earlier ones.
    package var startsOver: Bool
    /// Whether the session reads the relay from its start.
    package var isFromStart: Bool
    /// Whether these are the first rows of a run.
    package var isRunStart: Bool
    /// Whether a run ends with them; else further ones follow, with which they may add up.
    package var isRunEnd: Bool

    /// Creates a request.
    package init(
        relay: ReplicaID, through: Checkpoint?, rows: [SummaryRow], rowSum: UInt128? = nil,
        isReadAnew: Bool = false, isSetBack: Bool = false, startsOver: Bool = false,
        isFromStart: Bool = false, isRunStart: Bool = true, isRunEnd: Bool = true
    ) {
        self.relay = relay
        self.through = through
        self.rows = rows
        self.rowSum = rowSum
        self.isReadAnew = isReadAnew
        self.isSetBack = isSetBack
        self.startsOver = startsOver
        self.isFromStart = isFromStart
        self.isRunStart = isRunStart
        self.isRunEnd = isRunEnd
    }
}

/// The answer to `JudgeRequest`.
package struct JudgeAnswer: Hashable, Sendable {
    /// The store's answer to the rows; a mismatch or difference has the relay read anew.
    package var joining = Joining()
    /// The last arrival number here up to which devices have everything, by their own words.
    package var seen: [ReplicaID: UInt64] = [:]
    /// How many rows were no device's of this space.
    package var unreadableCount = 0
    /// How many versions at the relay could not be opened, in this session or earlier, and are missed.
    package var unopenedCount = 0
    /// Those among them of which the relay has not said whether it has them.
    package var untold: [VersionMark] = []
    /// The replicas of which other devices lack writes, with the counters above which these are to be uploaded again.
    package var uploadingAgain: [ReplicaID: UInt64] = [:]

    /// Creates an answer to no rows.
    package init() {}
}

/// A question to the store: take a relay's word on versions that a device could not open.
package struct UnreadableRequest: Hashable, Sendable {
    /// The relay's store of the space.
    package var relay: ReplicaID
    /// The relay's word.
    package var versions: UnreadableVersions

    /// Creates a request.
    package init(relay: ReplicaID, versions: UnreadableVersions) {
        self.relay = relay
        self.versions = versions
    }
}

/// The answer to `UnreadableRequest`.
package struct UnreadableAnswer: Hashable, Sendable {
    /// How many records are to be uploaded again: the relay has versions of them that cannot be opened.
    package var uploadedAgainCount = 0
    /// Whether the relay is to be read anew: versions that it sent were altered on the way, for the first time.
    package var isMismatched = false

    /// Creates an answer to nothing.
    package init() {}
}

/// A question to the store: which rows of its summary are to be stated at a relay.
package struct DueRowsRequest: Hashable, Sendable {
    /// The relay's store of the space.
    package var relay: ReplicaID
    /// The summary.
    package var stateSummary: StateSummary
    /// A summary that was stated before in this session, with others.
    package var earlier: StateSummary?
    /// Whether entries about other replicas and the digests are stated as well.
    package var withOthers: Bool

    /// Creates a request.
    package init(
        relay: ReplicaID, _ stateSummary: StateSummary, since earlier: StateSummary?,
        withOthers: Bool
    ) {
        self.relay = relay
        self.stateSummary = stateSummary
        self.earlier = earlier
        self.withOthers = withOthers
    }
}
