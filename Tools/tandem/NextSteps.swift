import Devices
import ToDo

// The next steps that are commands or options of this program, made from the codes of errors. The modules
// below name none: an app or a relay that shows the same error has no command line.

extension PeerError {
    /// The next step: a command where there is one, else the sender's own advice.
    ///
    /// - Parameter isRelay: whether a relay sent the error, whose store no command repairs from here.
    func nextStep(isRelay: Bool = false) -> String {
        switch (known, reason) {
        case (.deletesHeld, _):
            "if they are meant, type there: tandem accept-deletes; if not, type there: "
                + "tandem refuse-deletes"
        case (.foreignSpace, _):
            "check the address; to bring both into one space, type tandem invite on one and tandem join on the "
                + "other: it keeps its to-dos"
        case (_, .notTrusted): "pair the two devices: tandem invite there, and here: tandem join"
        case (_, .revoked):
            "what it holds stays readable here; to come back, move its file device.key away, have "
                + "another device make a code (tandem invite) and join with it"
        case (_, .codeUsed):
            "a code is good for one device: have a new one made (tandem invite). If you do not know "
                + "who used it, revoke that device at once (tandem devices, tandem revoke)"
        case (_, .noMailbox):
            "have a new one made (tandem invite), and type it here while the other device waits"
        case (_, .notAdmitted):
            "have a new code made (tandem invite), and type the digits of this device there"
        case (_, .codeEnded): "have a new one made there: tandem invite"
        case (_, .spendsReplicaIDs):
            "nothing is lost, and it ends by itself within a day; to end it now, type on the device that refuses "
                + "the other: tandem devices --admit NAME. If no store was set back or copied: tandem revoke NAME"
        case (_, .closedSpace):
            "type on a device that was there before: tandem revoke NAME of the lost one, or tandem revoke "
                + "--nobody; tandem sync. Then sync again here"
        case (_, .greetedAsDevice):
            "write its address as it prints it, relay://…; a device joins a space with a code: "
                + "`tandem invite` on a device of the space, `tandem join` here"
        case (_, .damagedStore) where !isRelay: "run `tandem doctor` on the device with that store"
        case (_, .deviceDirectory): "look at that device: tandem doctor"
        default: advice
        }
    }

    /// The error and its next step, as ``description`` with commands.
    var words: String { "\(message) (\(nextStep()))" }
}

extension StoreFault {
    /// The fault and its next step, as ``description`` with commands.
    var words: String {
        switch self {
        case .noStore(let folder):
            "there is no store in \(folder); make one with `\(AdvisedLine.program) init`, or if another of your devices has the "
                + "to-dos, type there `tandem invite` and here `\(AdvisedLine.program) join`"
        case .corrupt(let path, let detail):
            """
            \(path) is damaged (\(detail)); keep a copy of the folder, then run \
            `\(AdvisedLine.program) doctor`, or restore a backup and sync
            """
        case .database(let code, let detail, let statement):
            """
            SQLite error \(code) (\(detail)) in: \(statement); the store is damaged or the program is at \
            fault: keep a copy of the folder, run `\(AdvisedLine.program) doctor`, and report this if it finds nothing
            """
        default: description
        }
    }
}

extension TransportError {
    /// The error, the side at fault and the next step, as ``description`` with commands and options.
    var words: String {
        let next =
            switch self {
            case .insecureListen:
                "listen on unix:, 127.0.0.1 or [::1], use ssh:// or encryption, "
                    + "or pass --insecure on a network you trust"
            case .insecureDial:
                "use ssh:// or encryption, or pass --insecure on a network you trust"
            case .security(.notBuiltIn, _):
                "use ssh://, unix: or a build with the trait Encryption, "
                    + "or pass --insecure on a network you trust"
            case .security(.untrustedPeer, _):
                "\(advice); a store of this account on this machine needs no pairing: tandem serve "
                    + "there, and the address unix: here"
            case .security(.revokedPeer, _): "sync with another device: tandem devices lists them"
            default: advice
            }
        return "\(summary). Side: \(side.rawValue). Next: \(next)."
    }
}

extension KeyFileFault {
    /// The fault and its next step, as its own description with commands.
    var words: String {
        switch self {
        case .certificate(let fault): fault.words
        case .keyring(let fault): fault.words
        case .trustedDevices(let fault): "\(fault)"
        }
    }
}

extension CertificateFault {
    /// The fault and its next step, as ``description`` with commands.
    var words: String {
        switch self {
        case .missing(let path):
            "the device's key \(path) is missing. Next: run \(AdvisedLine.program) sync, which "
                + "makes a new one; other devices must be paired again."
        case .exposed(let path, let mode):
            "the device's key \(path) can be used by other users of this machine (mode "
                + "\(String(mode, radix: 8))). Next: chmod 600 \(path.shellQuoted); if somebody may have "
                + "read it, delete it instead and pair this device again."
        default: description
        }
    }
}

extension KeyringFault {
    /// The fault and its next step, as ``description`` with commands.
    var words: String {
        switch self {
        case .damagedLine: "\(description) (tandem invite)"
        case .exposed(let path, let mode):
            "\(path) holds the space's secret and may be read by others (mode "
                + "\(String(mode, radix: 8))). Next: chmod 600 \(path.shellQuoted)"
        default: description
        }
    }
}

extension PairingProblem {
    /// The problem and its next step, as ``description`` with commands.
    var words: String {
        guard case .noMeeting = self else { return description }
        return "\(description) (there: tandem invite)"
    }
}

extension JoiningFault {
    /// The fault and its next step, as ``description`` with commands.
    var words: String {
        switch self {
        case .refused(let peer, let error): "\(peer): \(error.message). Next: \(error.nextStep())"
        case .wrongInviter, .noAnswer: "\(description) (tandem invite)"
        }
    }
}

extension RefusalNote {
    /// The next step of the refusal, as ``PeerError/nextStep(isRelay:)``.
    var nextStep: String {
        PeerError(.refused, reason: reason, message, side: .hearer, advice: advice).nextStep()
    }
}
