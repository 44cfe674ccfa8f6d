/// The first message of each side: its identity, the digests of its state, and its memory of the other.
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
    /// The digests of the speaker's state summary; nil if they equal those in the other side's hello.
    package var summary: SummaryHead?
    /// The speaker's abilities.
    package var features: Features
    /// The memory of the peer that the speaker believes it speaks to.
    package var peerCheckpoint: PeerCheckpoint?
    /// How many writes the speaker has made under its id.
    package var counter: UInt64
    /// The last arrival number that the state summary covers.
    ///
    /// In the first hello it is always there. In an answer it stands for both sides' `caughtUp`: both
    /// state the same, so nothing is to be sent, and each has the other's number.
    package var reached: UInt64?
    /// The speaker's summary sequence: the number of the last change of its state summary.
    package var summarySequence: UInt64

    /// A greeting in the versions spoken here.
    package init(
        space: SpaceID, policy: DeletePolicy, replica: ReplicaID, incarnation: Incarnation,
        summary: SummaryHead?, features: Features, peerCheckpoint: PeerCheckpoint?,
        counter: UInt64 = 0, reached: UInt64? = nil, summarySequence: UInt64 = 0
    ) {
        versionMin = WireLimits.versionMin
        versionMax = WireLimits.versionMax
        self.space = space
        self.policy = policy
        self.replica = replica
        self.incarnation = incarnation
        self.summary = summary
        self.features = features
        self.peerCheckpoint = peerCheckpoint
        self.counter = counter
        self.reached = reached
        self.summarySequence = summarySequence
    }
}

extension Hello: WireMessage {
    enum Key: UInt64 {
        case versions = 1
        case space, policy, replica, incarnation, summary, digest, features, peerCheckpoint, reached
        case counter, count, summarySequence
    }

    static let kind: UInt64 = 1
    static let name = "hello"
    var asMessage: Message { .hello(self) }
    var byteCountEstimate: Int { 224 }

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
        if let summary {
            writer.key(Key.summary)
            writer.item.identifier(summary.sum)
            writer.key(Key.digest)
            writer.item.digest(summary.digest)
        }
        if !features.isEmpty {
            writer.key(Key.features)
            writer.item.unsigned(features.rawValue)
        }
        if let peerCheckpoint {
            writer.key(Key.peerCheckpoint)
            writer.item.peerCheckpoint(peerCheckpoint)
        }
        if let reached {
            writer.key(Key.reached)
            writer.item.unsigned(reached)
        }
        if counter > 0 {
            writer.key(Key.counter)
            writer.item.unsigned(counter)
        }
        if let summary {
            writer.key(Key.count)
            writer.item.unsigned(summary.count)
        }
        if summarySequence > 0 {
            writer.key(Key.summarySequence)
            writer.item.unsigned(summarySequence)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var versions: VersionRange?
        var space: SpaceID?
        var policy: DeletePolicy?
        var replica: ReplicaID?
        var incarnation: Incarnation?
        var sum: UInt128?
        var digest: Digest?
        var count: UInt64?
        var features: UInt64 = 0
        var peerCheckpoint: PeerCheckpoint?
        var reached: UInt64?
        var counter: UInt64 = 0
        var summarySequence: UInt64 = 0
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .versions: versions = try reader.versions()
            case .space: space = SpaceID(value: try reader.item.identifier())
            case .policy: policy = try reader.item.policy()
            case .replica: replica = ReplicaID(value: try reader.item.identifier())
            case .incarnation: incarnation = try reader.item.epochStart()
            case .summary: sum = try reader.item.identifier()
            case .digest: digest = try reader.item.digest()
            case .features:
                features = try reader.item.unsigned()
                guard features > 0 else { throw .notDeterministic }
            case .peerCheckpoint: peerCheckpoint = try reader.item.peerCheckpoint()
            case .reached: reached = try reader.item.counter()
            case .counter:
                counter = try reader.item.counter()
                guard counter > 0 else { throw .notDeterministic }
            case .count: count = try reader.item.counter()
            case .summarySequence:
                summarySequence = try reader.item.counter()
                guard summarySequence > 0 else { throw .notDeterministic }
            }
        }
        let range = try reader.required(versions, Key.versions).checked()
        var summary: SummaryHead?
        if sum != nil || digest != nil || count != nil {
            summary = SummaryHead(
                sum: try reader.required(sum, Key.summary),
                digest: try reader.required(digest, Key.digest),
                count: try reader.required(count, Key.count))
        }
        self.init(
            space: try reader.required(space, Key.space, elsewhere: SpaceID(value: 0)),
            policy: try reader.required(policy, Key.policy, elsewhere: .deletesWin),
            replica: try reader.required(replica, Key.replica, elsewhere: ReplicaID(value: 0)),
            incarnation: try reader.required(incarnation, Key.incarnation, elsewhere: .none),
            summary: summary, features: Features(rawValue: features),
            peerCheckpoint: peerCheckpoint, counter: counter, reached: reached,
            summarySequence: summarySequence)
        (versionMin, versionMax) = (range.min, range.max)
    }

    var fields: [MessageField] {
        var fields: [MessageField] = [
            .init("versions", .versions(versionMin, versionMax)), .init("space", .id(space)),
            .init("policy", .text(policy.name)), .init("replica", .id(replica)),
            .init("incarnation", .start(incarnation)),
        ]
        if let summary {
            fields.append(.init("summary", .wide(summary.sum)))
            fields.append(.init("digest", .digest(summary.digest)))
        }
        fields.append(.init("features", .number(features.rawValue)))
        if let peerCheckpoint {
            fields.append(.init("peer checkpoint", .peerCheckpoint(peerCheckpoint)))
        }
        if let reached { fields.append(.init("reached", .number(reached))) }
        if counter > 0 { fields.append(.init("counter", .number(counter))) }
        if let summary { fields.append(.init("ids", .number(summary.count))) }
        if summarySequence > 0 {
            fields.append(.init("summary sequence", .number(summarySequence)))
        }
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
