/// The first message of each side: its identity, its state, and its memory of the other.
package struct Hello: Hashable, Sendable {
    /// Whether the session goes on after both sides have caught up.
    package struct Features: OptionSet, Hashable, Sendable {
        /// The bits on the wire; unknown ones are ignored.
        package let rawValue: UInt64
        /// Wraps the bits.
        package init(rawValue: UInt64) { self.rawValue = rawValue }
        /// Stays and sends changes as they commit.
        package static let live = Features(rawValue: 1)
    }

    /// The lowest version of the protocol that the speaker speaks.
    package var versionMin: UInt64
    /// The highest version of the protocol that the speaker speaks.
    package var versionMax: UInt64
    /// The space.
    package var space: SpaceID
    /// The space's rule; it never changes.
    package var policy: DeletePolicy
    /// The speaker.
    package var replica: ReplicaID
    /// The opening in which the speaker speaks.
    package var incarnation: Incarnation
    /// The speaker's state; nil if it equals the one in the other side's hello.
    package var statement: StateSummary?
    /// The speaker's abilities.
    package var features: Features
    /// The memory of the peer that the speaker believes it speaks to.
    package var peerCheckpoint: PeerCheckpoint?
    /// The last arrival number that the statement covers.
    ///
    /// In the first hello it is always there. In an answer it stands for both sides' `caughtUp`: both
    /// state the same, so nothing is to be sent, and each has the other's number.
    package var reached: UInt64?

    /// A greeting in the versions spoken here.
    package init(
        space: SpaceID, policy: DeletePolicy, replica: ReplicaID, incarnation: Incarnation,
        statement: StateSummary?, features: Features, peerCheckpoint: PeerCheckpoint?,
        reached: UInt64? = nil
    ) {
        versionMin = WireLimits.versionMin
        versionMax = WireLimits.versionMax
        self.space = space
        self.policy = policy
        self.replica = replica
        self.incarnation = incarnation
        self.statement = statement
        self.features = features
        self.peerCheckpoint = peerCheckpoint
        self.reached = reached
    }
}

extension Hello: WireMessage {
    enum Key: UInt64 {
        case versions = 1
        case space, policy, replica, incarnation, entries, digest, features, peerCheckpoint, reached
    }

    static let kind: UInt64 = 1
    static let name = "hello"
    var asMessage: Message { .hello(self) }
    var byteCountEstimate: Int { 160 + (statement?.entries.count ?? 0) * 48 }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.versions)
        VersionRange(min: versionMin, max: versionMax).write(to: &writer.item)
        writer.key(Key.space)
        writer.item.identifier(space.value)
        writer.key(Key.policy)
        writer.item.unsigned(UInt64(policy.rawValue))
        writer.key(Key.replica)
        writer.item.identifier(replica.value)
        writer.key(Key.incarnation)
        writer.item.start(incarnation)
        if let statement {
            writer.key(Key.entries)
            writer.item.entries(statement.entries, speaker: replica)
            writer.key(Key.digest)
            writer.item.digest(statement.digest)
        }
        writer.key(Key.features)
        writer.item.unsigned(features.rawValue)
        if let peerCheckpoint {
            writer.key(Key.peerCheckpoint)
            writer.item.peerCheckpoint(peerCheckpoint, indexes: statement?.entries ?? [])
        }
        if let reached {
            writer.key(Key.reached)
            writer.item.unsigned(reached)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var versions: VersionRange?
        var space: SpaceID?
        var policy: DeletePolicy?
        var replica: ReplicaID?
        var incarnation: Incarnation?
        var entries: [StateSummaryEntry]?
        var digest: Digest?
        var features: UInt64 = 0
        var peerCheckpoint: PeerCheckpoint?
        var reached: UInt64?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .versions: versions = try reader.versions()
            case .space: space = SpaceID(value: try reader.item.identifier())
            case .policy: policy = try reader.item.policy()
            case .replica: replica = ReplicaID(value: try reader.item.identifier())
            case .incarnation: incarnation = try reader.item.epochStart()
            case .entries: entries = try reader.item.entries(speaker: replica)
            case .digest: digest = try reader.item.digest()
            case .features: features = try reader.item.unsigned()
            case .peerCheckpoint:
                peerCheckpoint = try reader.item.peerCheckpoint(indexes: entries ?? [])
            case .reached: reached = try reader.item.counter()
            }
        }
        let range = try reader.required(versions, Key.versions).checked()
        guard (entries == nil) == (digest == nil) else {
            throw .missingKey(Int((entries == nil ? Key.entries : Key.digest).rawValue))
        }
        self.init(
            space: try reader.required(space, Key.space, elsewhere: SpaceID(value: 0)),
            policy: try reader.required(policy, Key.policy, elsewhere: .deletesWin),
            replica: try reader.required(replica, Key.replica, elsewhere: ReplicaID(value: 0)),
            incarnation: try reader.required(incarnation, Key.incarnation, elsewhere: .none),
            statement: entries.flatMap { list in
                digest.map { StateSummary(entries: list, digest: $0) }
            },
            features: Features(rawValue: features), peerCheckpoint: peerCheckpoint, reached: reached
        )
        (versionMin, versionMax) = (range.min, range.max)
    }

    var fields: [MessageField] {
        var fields: [MessageField] = [
            .init("versions", .versions(versionMin, versionMax)), .init("space", .id(space)),
            .init("policy", .text(policy.name)), .init("replica", .id(replica)),
            .init("opening", .start(incarnation)),
        ]
        if let statement {
            fields.append(.init("entries", .entries(statement.entries)))
            fields.append(.init("digest", .digest(statement.digest)))
        }
        fields.append(.init("features", .number(features.rawValue)))
        if let peerCheckpoint {
            fields.append(.init("recollection", .peerCheckpoint(peerCheckpoint)))
        }
        if let reached { fields.append(.init("reached", .number(reached))) }
        return fields
    }
}

extension CanonicalReader {
    fileprivate mutating func policy() throws(WireFault) -> DeletePolicy {
        let number = try unsigned()
        guard let policy = UInt8(exactly: number).flatMap({ DeletePolicy(rawValue: $0) }) else {
            throw .outOfRange(.deletePolicy)
        }
        return policy
    }
}
