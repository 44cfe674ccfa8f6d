import Core
import Crypto
import Session
import Storage
import Transport

/// Why a device cannot do something; a code, from which whoever shows it makes words.
package enum DeviceFault: Error {
    // MARK: Keys and names

    /// This program has no encryption.
    case noEncryption
    /// The store has no keys yet; an invitation makes them.
    case noKeys
    /// A file that makes the store that of one device cannot be used.
    case unusableKeys(KeyFileFault)
    /// The keys of the space are on another device.
    case keysElsewhere(on: String)
    /// The space has no secret, so there is none to change.
    case plainSpace
    /// The space has the last generation of its secret, so there is no next one.
    case lastGeneration
    /// The space has keys, or may have, so nothing of it goes over plain TCP.
    case spaceHasKeys
    /// A name is empty, blank or too long.
    case badName
    /// Another device of the space has that name.
    case nameTaken(by: DeviceDirectory.Device)

    // MARK: Inviting

    /// An invitation names no address at which the other device could come.
    case noAddress
    /// An invitation has more addresses than a code holds.
    case tooManyAddresses
    /// The address of a relay lacks its fingerprint.
    case noFingerprint(address: String)

    // MARK: Joining

    /// A daemon runs for the store, with the keys of before.
    case daemonRuns

    /// The device at an address does not say to which space it belongs.
    case refused(PeerError, peer: String)
    /// The peer at an address is no device; with the evidence, in words.
    case notADevice(peer: String, String)

    // MARK: Revoking

    /// This device was revoked.
    case revoked
    /// No device of the space is meant by a word.
    case noSuchDevice(String)
    /// Several devices of the space may be meant by a word.
    case severalDevices(String, [DeviceDirectory.Device])
    /// The device is this one.
    case ownDevice
    /// The device was never paired.
    case neverPaired(DeviceDirectory.Device)
    /// The device was revoked before.
    case revokedAlready(DeviceDirectory.Device)

    // MARK: Syncing

    /// No address of a relay or a device is known.
    case nobodyKnown
    /// More addresses are known than a live sync has.
    case severalKnown([String])
    /// No known address is meant by a word.
    case noSuchAddress(String, known: [String])
    /// More than one known address is meant by a word.
    case severalAddresses(String, [String])
    /// A relay showed another key than the one in its address.
    case otherRelay(RelayAddress, shown: Fingerprint)
    /// The connection broke.
    case lost(peer: String)
    /// The connection ended before the other side said who it is.
    case unanswered(peer: String)
    /// The session was ended in order before each side had all that the other had; the name of the peer's device if
    /// it is known.
    case endedEarly(peer: String, device: String?)
    /// A session ended with an error; which side has to act, and the name of the peer's device if it is known.
    case failed(PeerError, SessionSide, peer: String, device: String?)
    /// Deletes of a peer are held here, and nobody has accepted them.
    case deletesHeld(DeleteHold)

    // MARK: The daemon

    /// No daemon runs for the store.
    case noDaemon
    /// The daemon refused a request.
    case daemonRefused(ControlRefusal)

    // MARK: Damaged stores and copies

    /// The store is gone, but its copies or keys are still in the folder.
    case storeGone(DeviceFolder)
    /// A program ended while it put another store in the place of a damaged one.
    case replacementUnfinished(DeviceFolder)
    /// The store that was to take the place of a damaged one is damaged itself.
    case replacementDamaged(DeviceFolder, StoreFault)
    /// A backup has all records, but not the keys.
    case keysNotCopied(to: String, KeyringFault)
    /// A file's mode cannot be changed.
    case modeNotChanged(path: String)

    /// The fault in the end of a session that was to exchange everything; nil if it did.
    ///
    /// - Parameter report: the session's last report.
    package init?(
        _ end: SessionEnd, _ report: SessionReport, with peer: String, device: String? = nil
    ) {
        switch end {
        case .finished:
            if report.isCaughtUp { return nil }
            self = .endedEarly(peer: peer, device: device)
        case .lost: self = report.peer == nil ? .unanswered(peer: peer) : .lost(peer: peer)
        case .failed(let error, let side):
            self = .failed(error, side, peer: peer, device: device)
        }
    }
}

/// Why a device's key, keyring or list of trusted devices cannot be used.
package enum KeyFileFault: Error, Equatable, Sendable {
    /// The device's key.
    case certificate(CertificateFault)
    /// The keyring.
    case keyring(KeyringFault)
    /// The list of trusted devices.
    case trustedDevices(TrustedDevicesFault)
}

extension DeviceFault {
    /// The fault that an error of a file with keys is; nil for an error of another kind.
    package init?(ofKeys error: any Error) {
        switch error {
        case let fault as CertificateFault: self = .unusableKeys(.certificate(fault))
        case let fault as KeyringFault: self = .unusableKeys(.keyring(fault))
        case let fault as TrustedDevicesFault: self = .unusableKeys(.trustedDevices(fault))
        default: return nil
        }
    }
}
