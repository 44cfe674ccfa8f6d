import Pairing
import Security
import Session
import Storage
import Transport
import Wire

extension TandemError {
    /// What an error of the network means to an app.
    init(_ error: TransportError) {
        let side: Side =
            switch error.side {
            case .here: .machine
            case .peer, .network: .peer
            }
        let code: Code =
            switch error {
            case .invalidAddress: .badAddress
            case .insecureListen, .insecureDial: .refused
            case .security(.notBuiltIn, _): .noEncryption
            case .security: .refused
            case .failedCall(.bind, _, _): .alreadyRunning
            default: side == .machine ? .inputOutput : .unreachable
            }
        self.init(code, error.summary, side: side, next: error.advice)
    }

    /// What an error that was told to the peer, or by it, means to an app.
    init(_ error: PeerError, on session: SessionSide) {
        let side: Side = session == .ours ? .machine : .peer
        let code: Code =
            switch error.known {
            case .refused, .foreignSpace, .rulesDiffer, .sameReplica: .refused
            case .timeout, .busy, .newIdentity: .unreachable
            case .store: side == .machine ? .inputOutput : .unreachable
            default: .protocolError
            }
        self.init(code, error.message, side: side, next: error.advice)
    }

    /// What an error of any kind means to an app.
    init(any error: any Error) {
        switch error {
        case let error as TandemError: self = error
        case let error as StoreFault: self.init(error)
        case let error as TransportError: self.init(error)
        case let error as PairingProblem:
            self.init(.badInvitation, "\(error)", side: .user, next: "have a new one made")
        default:
            self.init(
                .inputOutput, "\(error)", side: .machine, next: "check the folder and try again")
        }
    }

    /// Why a session ended before its time; nil if it did not.
    init?(_ end: SessionEnd, with peer: String) {
        switch end {
        case .finished: return nil
        case .lost:
            self.init(
                .unreachable, "the connection to \(peer) broke", side: .peer,
                next: "what arrived is kept; sync again for the rest")
        case .failed(let error, let side): self.init(error, on: side)
        }
    }
}
