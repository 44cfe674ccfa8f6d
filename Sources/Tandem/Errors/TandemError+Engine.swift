import Core
import Crypto
import Devices
import Session
import Storage
import Transport

// MARK: The store

extension TandemError {
    /// Makes an app's error from a fault of the store.
    init(_ fault: StoreFault) {
        let (code, side, next) = Self.meaning(of: fault)
        self.init(code, Self.words(fault), side: side, next: next)
    }

    private static func words(_ fault: StoreFault) -> String {
        switch fault {
        case .noStore(let folder): "there is no store in \(folder)"
        case .storeExists(let folder): "there is a store in \(folder) already"
        case .newerStore(let found, let supported):
            "the store has format \(found), and this app reads up to \(supported)"
        case .notAStore(let path): "\(path) is no store"
        case .busy(let holder, let waited):
            "the store was still being written by \(holder) after \(waited) ms"
        case .inUse(let holder): "the store is open in \(holder)"
        case .diskFull(let path): "the disk of \(path) is full"
        case .corrupt(let path, let detail): "\(path) is damaged (\(detail))"
        case .readOnly(let path, _): "\(path) cannot be written"
        case .untrustedFile(let path, _): "another account may have put \(path) there"
        case .inputOutput(let call, let path, let detail): "\(call) failed for \(path): \(detail)"
        case .unreachable(let server, _): "\(server) cannot be reached"
        case .database(let code, let detail, let statement):
            "SQLite error \(code) (\(detail)) in: \(statement)"
        case .recordDeleted: "the record is deleted here"
        case .recordPurged: "the record was purged"
        case .conflictOpen: "a conflict is open on this record"
        case .notDeleted: "the record is not deleted"
        case .noSuchRecord: "there is no such record"
        case .recordExists: "there is a record of that id already"
        case .overLimit(let subject, let max): "\(subject) would be over the limit of \(max)"
        case .nestedTransaction: "a transaction was begun inside of another"
        case .schemaChanged: "another program changed the store's columns"
        case .foreignOwnWrites: "another device has writes under this device's id: one is a copy"
        case .closed: "the store is closed"
        case .cannotSeal(let detail): "a change could not be sealed for a relay: \(detail)"
        }
    }

    private static func meaning(of fault: StoreFault) -> (Code, Side, next: String) {
        switch fault {
        case .noStore: (.noStore, .app, "create it, or open it with a device name")
        case .storeExists: (.storeExists, .app, "open it instead")
        case .newerStore: (.newerStore, .user, "upgrade this app")
        case .notAStore: (.notAStore, .user, "choose another folder")
        case .busy: (.busy, .machine, "try again")
        case .inUse: (.busy, .app, "close it there, then try again")
        case .diskFull: (.diskFull, .user, "free some space and try again")
        case .corrupt: (.damaged, .machine, "keep a copy, restore a backup, and sync")
        case .database where fault.tellsOfDamage:
            (.damaged, .machine, "keep a copy, restore a backup, and sync")
        case .database: (.inputOutput, .machine, "try again")
        case .unreachable: (.inputOutput, .machine, "look whether its server runs")
        case .untrustedFile: (.inputOutput, .user, "look at the file, and move it away")
        case .readOnly, .inputOutput: (.inputOutput, .machine, "check the permissions and the disk")
        case .recordDeleted: (.recordDeleted, .user, "restore the record first")
        case .recordPurged: (.recordPurged, .user, "make a new record")
        case .conflictOpen: (.conflictOpen, .user, "resolve the conflict first")
        case .notDeleted: (.notDeleted, .user, "delete the record first")
        case .noSuchRecord: (.noSuchRecord, .app, "fetch the record again")
        case .recordExists: (.recordExists, .app, "update the record, or upsert by key")
        case .overLimit: (.overLimit, .user, "make it smaller")
        case .nestedTransaction: (.nestedTransaction, .app, "use the transaction at hand")
        case .schemaChanged: (.schemaChanged, .machine, "start this program again")
        case .foreignOwnWrites: (.refused, .machine, "sync again")
        case .closed: (.notOpen, .app, "open the store first")
        case .cannotSeal: (.noEncryption, .machine, "check that encryption is built in")
        }
    }

    /// The same for a body that only the store can make fail.
    static func mapping<T>(_ body: () throws(StoreFault) -> T) throws(TandemError) -> T {
        do throws(StoreFault) { return try body() } catch { throw TandemError(error) }
    }

    /// The same for a body that fails in any way.
    static func mappingAny<T>(_ body: () throws -> T) throws(TandemError) -> T {
        do { return try body() } catch { throw TandemError(any: error) }
    }
}

// MARK: The device

extension TandemError {
    /// Makes an app's error from a fault of the device.
    init(_ fault: DeviceFault) {
        switch fault {
        case .failed(let error, let side, _, _): self.init(error, on: side)
        case .refused(let error, _): self.init(error, on: .theirs)
        case .revoked: self.init(PeerError.revoked, on: .ours)
        case .replacementDamaged(_, let fault): self.init(fault)
        case .unusableKeys(let fault): self.init(fault)
        case .lost(let peer):
            self.init(
                .unreachable, "the connection to \(peer) broke", side: .peer,
                next: "what arrived is kept; sync again for the rest")
        case .unanswered(let peer):
            self.init(
                .unreachable, "nobody answered at \(peer)", side: .peer,
                next: "check the address, and that Tandem answers there; sync again")
        case .endedEarly(let peer, _):
            self.init(
                .unreachable, "the session with \(peer) ended before everything was exchanged",
                side: .peer, next: "what arrived is kept; sync again for the rest")
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

    /// Makes an app's error from a fault of a file with keys.
    private init(_ fault: KeyFileFault) {
        switch fault {
        case .certificate(.notBuiltIn): self.init(DeviceFault.noEncryption)
        case .certificate(let fault): self.init(unusableKeys: "\(fault)")
        case .keyring(let fault): self.init(unusableKeys: "\(fault)")
        case .trustedDevices(let fault): self.init(unusableKeys: "\(fault)")
        }
    }

    private init(unusableKeys what: String) {
        self.init(
            .unusableKeys, what, side: .machine,
            next: "examine and repair the store, or put the file back from a backup")
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
        case .lastGeneration:
            (
                .refused, "the space's secret has the last generation, so it cannot be changed",
                .user, "make a new space"
            )
        case .spaceHasKeys:
            (
                .refused, "the space has keys, so nothing of it goes over plain TCP", .app,
                "do not allow plain TCP"
            )
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
                .badAddress, "an invitation has 1 to \(PairingHandover.addressCountMax) addresses",
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
        case .noSuchAddress(let word, _):
            (.badAddress, "nothing is known at '\(word)'", .user, "list the known addresses")
        case .severalAddresses(let word, _):
            (.badAddress, "'\(word)' means several addresses", .user, "say one whole")
        case .otherRelay(let relay, let shown):
            (
                .refused, "the relay at \(relay.hostAndPort) has another key than before: \(shown)",
                .user,
                "name the relay with its present key, or forget it"
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
        case .keysNotCopied(let folder, let fault):
            (
                .unusableKeys, "\(folder) has all records, but not the keys: \(fault)", .machine,
                "repair the store, and copy it again"
            )
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

// MARK: The network and peers

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
            case .insecureListen, .insecureDial, .plainForbidden, .foreignAccount, .openFolder:
                .refused
            case .noWebProgram: .refused
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
        case .invalidAddress, .unresolvedHost, .noAnswer, .sendQueueFull, .unsentBytes, .crowded,
            .noProxyHeader,
            .plainForbidden, .foreignAccount, .openFolder, .noWebProgram, .failedCall:
            return error.advice
        }
    }

    /// Makes an app's error from a pairing code that cannot be used.
    init(_ problem: PairingProblem) {
        self.init(
            .badInvitation, Self.words(problem), side: .user,
            next: "compare it with the other device's screen")
    }

    private static func words(_ problem: PairingProblem) -> String {
        switch problem {
        case .strayCharacter(let character): "a code has no '\(character)' in it"
        case .noMeeting: "the code has no meeting point in front of a slash"
        case .mistyped: "the code is mistyped"
        case .cutOff: "the end of the code is missing"
        case .tooLong: "the text is longer than any code"
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
        case JoiningFault.refused(_, let refusal): self.init(refusal, on: .theirs)
        case JoiningFault.wrongInviter(let meeting):
            self.init(
                .refused, "the device that answers at \(meeting) did not make the code",
                side: .peer,
                next: "have a new one made; if the error stays, with another meeting point")
        case JoiningFault.noAnswer(let seconds):
            self.init(
                .unreachable, "nobody has admitted this device for \(seconds) seconds", side: .peer,
                next: "have a new code made, and type the digits of this device there")
        case let error as PeerError: self.init(error, on: .theirs)
        default:
            if let fault = DeviceFault(ofKeys: error) {
                self.init(fault)
            } else {
                self.init(
                    .inputOutput, "\(error)", side: .machine,
                    next: "check the folder and try again")
            }
        }
    }
}
