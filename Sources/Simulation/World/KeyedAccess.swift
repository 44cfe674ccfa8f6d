import Core
import Relay

/// Stands for real proofs of access: whoever knows the secret of a space makes and checks them alike.
struct KeyedAccess: RelayAccess {
    /// What a device of the space shows that has the secret of a generation.
    static func access(to space: SpaceID, generation: UInt32) -> Approach.Access {
        Approach.Access(
            verifier: verifier(of: space, generation), proof: proof(of: space, generation),
            succession: generation > 1 ? succession(in: space, to: generation) : nil)
    }

    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool {
        verifier == Self.verifier(of: space, generation)
            && proof == Self.proof(of: space, generation)
    }

    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool {
        generation > 1 && verifier == Self.verifier(of: space, generation - 1)
            && successor == Self.verifier(of: space, generation)
            && succession == Self.succession(in: space, to: generation)
    }

    /// The public key of the secret of a generation.
    static func verifier(of space: SpaceID, _ generation: UInt32) -> [UInt8] {
        bytes(of: space, "verifier \(generation)", 32)
    }

    private static func proof(of space: SpaceID, _ generation: UInt32) -> [UInt8] {
        bytes(of: space, "proof \(generation)", 64)
    }

    private static func succession(in space: SpaceID, to generation: UInt32) -> [UInt8] {
        bytes(of: space, "succession \(generation)", 64)
    }

    private static func bytes(of space: SpaceID, _ what: String, _ count: Int) -> [UInt8] {
        var chance = Chance(seed: UInt64(truncatingIfNeeded: space.value), what)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
    }
}
