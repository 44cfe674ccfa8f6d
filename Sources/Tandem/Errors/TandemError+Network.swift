import Core
import Crypto
import Devices
import Session
import Storage
import Transport

extension TandemError {
    /// Makes an app's error from an error of the network.
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
        self.init(code, error.summary, side: side, next: Self.advice(for: error))
    }

    /// Returns the next step, worded for an app instead of a command line.
    private static func advice(for error: TransportError) -> String {
        switch error {
        case .insecureListen, .insecureDial:
            return "pair the devices, or allow plain TCP on a network that you trust"
        case .handshakeTimeout: return "check that the app answers there, and sync again"
        case .security(let error, _):
            switch error {
            case .notBuiltIn: return "build with the trait Encryption"
            case .untrustedPeer, .refusedByPeer, .noCertificate:
                return "pair the two devices: invite on the one, join on the other"
            case .revokedPeer: return "sync with another device"
            case .plainText, .peerWantsTLS:
                return "check the address, and that both sides use encryption"
            case .versionTooOld, .noCommonProtocol, .alert:
                return "sync again; if it stays, update the app on both devices"
            case .library, .cutHandshake, .truncated, .damaged: return error.advice
            }
        case .invalidAddress, .unresolvedHost, .noAnswer, .sendQueueFull, .unsentBytes, .failedCall:
            return error.advice
        }
    }

    /// Makes an app's error from a pairing code that cannot be used.
    init(_ problem: PairingProblem) {
        let next =
            switch problem {
            case .strayCharacter, .mistyped, .wrongEnd, .cutOff, .tooLong, .wrongLines:
                "compare it with the other device's screen"
            case .newer: "update this app"
            case .expired: "have a new one made; if it is new, check the clocks of both devices"
            }
        self.init(.badInvitation, Self.words(problem), side: .user, next: next)
    }

    private static func words(_ problem: PairingProblem) -> String {
        switch problem {
        case .strayCharacter(let character): "a code has no '\(character)' in it"
        case .mistyped(let line): "line \(line) of the code is mistyped"
        case .wrongEnd(let line): "line \(line) of the code, its last, is mistyped or cut off"
        case .cutOff: "the end of the code is missing"
        case .tooLong: "the text is longer than any code"
        case .wrongLines: "the lines of the code do not belong together"
        case .newer(let version): "the code was made by a newer version (form \(version))"
        case .expired(let seconds): "the code ran out \(seconds) seconds ago"
        }
    }

    /// Makes an app's error from one that was sent to the peer, or by it.
    init(_ error: PeerError, on session: SessionSide) {
        var side: Side = session == .ours ? .machine : .peer
        if error.known == .deletesHeld, session == .ours { side = .user }
        let code: Code =
            switch error.known {
            case .refused, .foreignSpace, .rulesDiffer, .sameReplica: .refused
            case .deletesHeld: .deletesHeld
            case .timeout, .busy, .newIdentity: .unreachable
            case .store: side == .machine ? .inputOutput : .unreachable
            default: .protocolError
            }
        self.init(code, error.message, side: side, next: error.advice)
    }

    /// Makes an app's error from an error of any kind.
    init(any error: any Error) {
        switch error {
        case let error as TandemError: self = error
        case let error as StoreFault: self.init(error)
        case let error as DeviceFault: self.init(error)
        case let error as CopyFault: self.init(error)
        case let error as TransportError: self.init(error)
        case let error as PairingProblem: self.init(error)
        case JoiningFault.refused(_, let refusal):
            self.init(.refused, refusal.message, side: .peer, next: refusal.advice)
        case JoiningFault.noAddress:
            self.init(
                .badInvitation, "the code has no address in it", side: .user,
                next: "have a new one made")
        default:
            self.init(
                .inputOutput, "\(error)", side: .machine, next: "check the folder and try again")
        }
    }
}
