import Core
import Session
import Storage

/// What happened, without any content.
package enum RelayLogEvent: Hashable, Sendable, CustomStringConvertible {
    /// A device was let in.
    case welcomed(SpaceID, ReplicaID, address: String)
    /// A device was not let in, or a conversation was ended by the relay.
    case refused(RelayRefusal.Reason, SpaceID?, address: String, message: String)
    /// A conversation ended in another way.
    case ended(SpaceID?, address: String, SessionEnd)
    /// A space was made.
    case spaceMade(SpaceID, generation: UInt32)
    /// A new generation of a space began; what was kept of the old one is gone.
    case generationBegun(SpaceID, generation: UInt32)
    /// The file of a space failed; the other spaces go on.
    case spaceFailed(SpaceID, StoreFault)

    package var description: String {
        switch self {
        case .welcomed(let space, let replica, let address):
            "space \(space): replica \(replica) at \(address) is here"
        case .refused(let reason, let space, let address, let message):
            "\(Self.name(space))\(address) was refused (\(reason.rawValue)): \(message)"
        case .ended(let space, let address, .finished):
            "\(Self.name(space))\(address) has left"
        case .ended(let space, let address, .lost):
            "\(Self.name(space))the link to \(address) broke"
        case .ended(let space, let address, .failed(let error, _)):
            "\(Self.name(space))\(address) ended: \(error)"
        case .spaceMade(let space, let generation):
            "space \(space) was made, generation \(generation)"
        case .generationBegun(let space, let generation):
            "space \(space): generation \(generation) has begun, what was kept before is gone"
        case .spaceFailed(let space, let fault):
            "space \(space) cannot be used: \(fault); the devices have all of it: if its file is moved "
                + "away they upload it again"
        }
    }

    private static func name(_ space: SpaceID?) -> String {
        space.map { "space \($0): " } ?? ""
    }
}
