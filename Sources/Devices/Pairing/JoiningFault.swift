import Core

/// Why a device was not let in.
package enum JoiningFault: Error, Hashable, Sendable {
    /// The device that made the code says why.
    case refused(by: String, PeerError)
    /// The code names nobody to go to.
    case noAddress
}

extension JoiningFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .refused(let place, let error): "\(place): \(error.message). Next: \(error.advice)"
        case .noAddress: "the code has no address in it; have a new one made"
        }
    }
}
