import Core
import Crypto
import Devices
import Session
import Storage

extension TandemError {
    /// Makes an app's error from a fault of the device.
    init(_ fault: DeviceFault) {
        switch fault {
        case .failed(let error, let side, _, _): self.init(error, on: side)
        case .refused(let error, _): self.init(error, on: .theirs)
        case .codeRefused(.refused(_, let error), _): self.init(error, on: .theirs)
        case .revoked: self.init(PeerError.revoked, on: .ours)
        case .replacementDamaged(_, let fault): self.init(fault)
        case .lost(let peer):
            self.init(
                .unreachable, "the connection to \(peer) broke", side: .peer,
                next: "what arrived is kept; sync again for the rest")
        case .deletesHeld(let hold):
            self.init(
                .deletesHeld,
                "\(hold.name) would delete at least \(hold.deletes.deletedCount) of "
                    + "\(hold.deletes.liveCount) records", side: .user,
                next: "accept the deletes, or take them back where they were made")
        default:
            let (code, what, side, next) = Self.meaning(of: fault)
            self.init(code, what, side: side, next: next)
        }
    }

    /// A store that other devices share, and that was to leave them.
    static func sharedStore(_ others: [DeviceDirectory.Device]) -> TandemError {
        TandemError(
            .refused, "the store shares a space with \(others.map(\.name).joined(separator: ", "))",
            side: .user, next: "say that it leaves that space, or join in another folder")
    }

    private static func meaning(
        of fault: DeviceFault
    ) -> (Code, what: String, Side, next: String) {
        switch fault {
        case .noEncryption:
            (
                .noEncryption, "this build has no encryption, and pairing needs it", .machine,
                "build with the trait Encryption"
            )
        case .noKeys, .neverPaired:
            (
                .refused, "the device was never paired", .user,
                "only devices that have joined with a code can be taken out"
            )
        case .keysElsewhere(let name):
            (
                .refused, "the keys of this space are on \(name), not here", .user,
                "invite from there, and join here"
            )
        case .plainSpace:
            (.refused, "this space has no secret to change", .user, "revoke a device instead")
        case .badName:
            (
                .refused,
                "a device name has 1 to \(Device.nameByteCountMax) bytes, not only blanks",
                .app, "choose another name"
            )
        case .nameTaken(let other):
            (.refused, "another device is called \(other.name)", .user, "choose another name")
        case .noAddress, .tooManyAddresses:
            (
                .badAddress, "an invitation has 1 to \(PairingCode.addressCountMax) addresses",
                .app,
                "say where the other device can find this one, or a relay"
            )
        case .noFingerprint(let address):
            (
                .badAddress, "'\(address)' has no fingerprint", .user,
                "write the relay's address with its #fingerprint, as it prints it"
            )
        case .daemonRuns:
            (
                .alreadyRunning, "a service or daemon runs for this store", .machine,
                "stop it, join, and start it again"
            )
        default: laterMeaning(of: fault)
        }
    }

    private static func laterMeaning(
        of fault: DeviceFault
    ) -> (Code, what: String, Side, next: String) {
        switch fault {
        case .noSuchDevice(let word), .severalDevices(let word, _):
            (.refused, "no single device is meant by '\(word)'", .user, "list the devices again")
        case .ownDevice:
            (.refused, "a device cannot take itself out", .user, "do it on another device")
        case .revokedAlready(let device):
            (.refused, "\(device.name) is revoked already", .user, "nothing is left to do")
        case .nobodyKnown, .severalKnown:
            (
                .nobodyKnown, "no single device or relay is known to sync with", .user,
                "pair the device first, or name an address"
            )
        case .notADevice(let peer, let words):
            (.protocolError, "\(peer) is no device: \(words)", .peer, "check the address")
        case .noDaemon:
            (.notRunning, "no service or daemon runs for this store", .app, "start one")
        case .daemonRefused(let why):
            (.refused, "the daemon refused the request (\(why))", .app, "ask for something else")
        case .storeGone(let folder):
            (
                .refused,
                "the store in \(folder.path) is gone, but its copies or keys are still there",
                .user,
                "go on from a copy, or choose another folder"
            )
        case .replacementUnfinished(let folder):
            (
                .noStore, "the store in \(folder.path) was being replaced", .user,
                "finish that: rescue the store"
            )
        case .keysNotCopied(let folder, _):
            (.inputOutput, "\(folder) has all records, but not the keys", .machine, "try again")
        case .modeNotChanged(let path):
            (.inputOutput, "the mode of \(path) cannot be changed", .machine, "check its owner")
        default: (.refused, "the code was refused", .peer, "have a new one made")
        }
    }

    /// Makes an app's error from a copy that cannot be used.
    init(_ fault: CopyFault) {
        switch fault {
        case .noSnapshot, .noSuchSnapshot:
            self.init(.noStore, "there is no such snapshot", side: .user, next: "choose another")
        case .missing(let path), .unreadable(let path, _), .noStore(let path), .notAFile(let path):
            self.init(
                .noStore, "there is no copy of a store in \(path)", side: .user,
                next: "choose another")
        case .otherSpace(let path, _):
            self.init(
                .refused, "\(path) belongs to another space", side: .user, next: "choose another")
        case .damaged(let path, let findings):
            self.init(
                .damaged,
                "\(path) is damaged (\(findings.map(\.description).joined(separator: ", ")))",
                side: .machine,
                next: "choose another")
        }
    }
}
