/// A device's first message to a relay: which space, who speaks, the proof that it belongs there, and
/// how far it has read.
package struct Approach: Hashable, Sendable {
    /// The proof that the speaker knows the space's secret; bound to the channel.
    package struct Access: Hashable, Sendable {
        /// The public key under which the relay knows the generation; 32 bytes.
        package var verifier: [UInt8]
        /// The signature by the key that belongs to it; 64 bytes.
        package var proof: [UInt8]
        /// For the first session of a new generation: the signature of `verifier` by the key of the one
        /// before; 64 bytes.
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
    /// Who speaks.
    package var replica: ReplicaID
    /// What the speaker can do.
    package var features: Hello.Features
    /// The generation of the space's secret, from 1; 0 in a space without encryption.
    package var generation: UInt32
    /// How far the speaker has read; nil if it has not, or not at this relay.
    package var read: Bookmark?
    /// The proof of access; nil in a space without encryption.
    package var access: Access?
    /// What permits to make a new space on a relay that asks for it.
    package var token: String?

    /// An approach in the versions spoken here.
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
