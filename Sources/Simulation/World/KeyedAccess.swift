import Causality
import Relay
import Wire

/// Stands for real proofs of access: whoever knows the secret of a space makes and checks them alike.
struct KeyedAccess: RelayAccess {
    /// What a device of the space shows.
    static func access(to space: SpaceID) -> Approach.Access {
        Approach.Access(verifier: verifier(of: space), proof: proof(of: space))
    }

    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool {
        verifier == Self.verifier(of: space) && proof == Self.proof(of: space)
    }

    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool {
        false
    }

    private static func verifier(of space: SpaceID) -> [UInt8] { bytes(of: space, "verifier", 32) }
    private static func proof(of space: SpaceID) -> [UInt8] { bytes(of: space, "proof", 64) }

    private static func bytes(of space: SpaceID, _ what: String, _ count: Int) -> [UInt8] {
        var chance = Chance(seed: UInt64(truncatingIfNeeded: space.value), what)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
    }
}
