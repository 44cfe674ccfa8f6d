/// A device's first message to a relay: the space, the speaker, its proof of access, and how far it has
/// read.
package struct RelayHello: Hashable, Sendable {
    /// The proof that the speaker knows the space's secret; bound to the channel.
    package struct Access: Hashable, Sendable {
        /// The public key under which the relay knows the generation; 32 bytes.
        package var verifier: [UInt8]
        /// The signature by the key that belongs to it; 64 bytes.
        package var proof: [UInt8]
        /// For the first session of a new generation: the signature of `verifier` by the key of the one
        /// that the relay has; 64 bytes.
        package var succession: [UInt8]?

        /// A proof.
        package init(verifier: [UInt8], proof: [UInt8], succession: [UInt8]? = nil) {
            self.verifier = verifier
            self.proof = proof
            self.succession = succession
        }
    }

    /// How far a device has read in a relay's store of its space.
    package struct Bookmark: Hashable, Sendable {
        /// The id of that store.
        package var relay: ReplicaID
        /// How far into its sequence.
        package var checkpoint: Checkpoint

        /// So far in that store.
        package init(relay: ReplicaID, checkpoint: Checkpoint) {
            self.relay = relay
            self.checkpoint = checkpoint
        }
    }

    /// The lowest version of the protocol that the speaker speaks.
    package var versionMin = WireLimits.versionMin
    /// The highest version of the protocol that the speaker speaks.
    package var versionMax = WireLimits.versionMax
    /// The space.
    package var space: SpaceID
    /// The speaker.
    package var replica: ReplicaID
    /// The speaker's abilities.
    package var features: Hello.Features
    /// The generation of the space's secret, from 1; 0 in a space without encryption.
    package var generation: UInt32
    /// How far the speaker has read; nil if it has not, or not at this relay.
    package var read: Bookmark?
    /// The proof of access; nil in a space without encryption.
    package var access: Access?
    /// The permit to make a new space, for a relay that asks for one.
    package var token: String?

    /// A relay hello in the versions spoken here.
    package init(
        space: SpaceID, replica: ReplicaID, features: Hello.Features, generation: UInt32,
        read: Bookmark? = nil, access: Access? = nil,
        token: String? = nil
    ) {
        self.space = space
        self.replica = replica
        self.features = features
        self.generation = generation
        self.access = access
        self.token = token
        self.read = read
    }
}

extension RelayHello: WireMessage {
    enum Key: UInt64 {
        case versions = 1
        case space, replica, features, generation, relay, checkpoint, verifier, proof
        case succession, token
    }

    static let kind: UInt64 = 20
    static let name = "relay-hello"
    var asMessage: Message { .relayHello(self) }
    var byteCountEstimate: Int { 320 }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.versions)
        VersionRange(min: versionMin, max: versionMax).write(to: &writer.item)
        writer.key(Key.space)
        writer.item.identifier(space.value)
        writer.key(Key.replica)
        writer.item.identifier(replica.value)
        writer.key(Key.features)
        writer.item.unsigned(features.rawValue)
        writer.key(Key.generation)
        writer.item.unsigned(UInt64(generation))
        if let read {
            writer.key(Key.relay)
            writer.item.identifier(read.relay.value)
            writer.key(Key.checkpoint)
            writer.item.checkpoint(read.checkpoint)
        }
        if let access {
            writer.key(Key.verifier)
            writer.item.byteString(access.verifier)
            writer.key(Key.proof)
            writer.item.byteString(access.proof)
        }
        if let succession = access?.succession {
            writer.key(Key.succession)
            writer.item.byteString(succession)
        }
        if let token {
            writer.key(Key.token)
            writer.item.text(token)
        }
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var versions: VersionRange?
        var space: SpaceID?
        var replica: ReplicaID?
        var features: UInt64?
        var generation: UInt32?
        var read: (relay: ReplicaID?, checkpoint: Checkpoint?)
        var access: (verifier: [UInt8]?, proof: [UInt8]?, succession: [UInt8]?)
        var token: String?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .versions: versions = try reader.versions()
            case .space: space = SpaceID(value: try reader.item.identifier())
            case .replica: replica = ReplicaID(value: try reader.item.identifier())
            case .features: features = try reader.item.unsigned()
            case .generation: generation = try reader.item.generation()
            case .relay: read.relay = ReplicaID(value: try reader.item.identifier())
            case .checkpoint: read.checkpoint = try reader.item.checkpoint()
            case .verifier: access.verifier = try reader.item.proof()
            case .proof: access.proof = try reader.item.proof()
            case .succession: access.succession = try reader.item.proof()
            case .token:
                token = try reader.item.text(max: WireLimits.tokenByteCountMax, .token)
            }
        }
        let range = try reader.required(versions, Key.versions).checked()
        self.init(
            space: try reader.required(space, Key.space, elsewhere: SpaceID(value: 0)),
            replica: try reader.required(replica, Key.replica, elsewhere: ReplicaID(value: 0)),
            features: Hello.Features(
                rawValue: try reader.required(features, Key.features, elsewhere: 0)),
            generation: try reader.required(generation, Key.generation, elsewhere: 0),
            read: try Self.bookmark(read.relay, read.checkpoint),
            access: try Self.access(access.verifier, access.proof, access.succession),
            token: token)
        (versionMin, versionMax) = (range.min, range.max)
    }

    /// A bookmark has both of its keys or none.
    private static func bookmark(
        _ relay: ReplicaID?, _ checkpoint: Checkpoint?
    ) throws(WireFault) -> Bookmark? {
        switch (relay, checkpoint) {
        case (nil, nil): return nil
        case (nil, _): throw .missingKey(Int(Key.relay.rawValue))
        case (_, nil): throw .missingKey(Int(Key.checkpoint.rawValue))
        case (let relay?, let checkpoint?): return Bookmark(relay: relay, checkpoint: checkpoint)
        }
    }

    /// A proof needs its public key and the other way round; a succession needs both.
    private static func access(
        _ verifier: [UInt8]?, _ proof: [UInt8]?, _ succession: [UInt8]?
    ) throws(WireFault) -> Access? {
        switch (verifier, proof) {
        case (nil, nil) where succession == nil: return nil
        case (nil, _): throw .missingKey(Int(Key.verifier.rawValue))
        case (_, nil): throw .missingKey(Int(Key.proof.rawValue))
        case (let verifier?, let proof?):
            return Access(verifier: verifier, proof: proof, succession: succession)
        }
    }

    var fields: [MessageField] {
        var fields: [MessageField] = [
            .init("versions", .versions(versionMin, versionMax)), .init("space", .id(space)),
            .init("replica", .id(replica)), .init("features", .number(features.rawValue)),
            .init("generation", .number(UInt64(generation))),
        ]
        if let read {
            fields.append(.init("relay", .id(read.relay)))
            fields.append(.init("checkpoint", .checkpoint(read.checkpoint)))
        }
        if let access {
            fields.append(.init("verifier", .bytes(access.verifier)))
            fields.append(.init("proof", .bytes(access.proof)))
        }
        if let succession = access?.succession {
            fields.append(.init("succession", .bytes(succession)))
        }
        if let token { fields.append(.init("token", .text(token))) }
        return fields
    }
}

extension CanonicalReader {
    /// Takes a public key or a signature.
    mutating func proof() throws(WireFault) -> [UInt8] {
        try byteString(max: WireLimits.proofByteCountMax, .proof)
    }

    /// Takes the number of a secret's generation.
    mutating func generation() throws(WireFault) -> UInt32 {
        UInt32(try unsigned(max: UInt64(UInt32.max), .generation))
    }
}
