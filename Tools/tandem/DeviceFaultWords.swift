import Devices
import Glibc
import Terminal
import ToDo

/// The faults of a device in words, with the command that comes next.
extension CommandFailure {
    /// A fault of the device.
    init(_ fault: DeviceFault) {
        switch fault {
        case .noEncryption, .noKeys, .unusableKeys, .keysElsewhere, .plainSpace, .lastGeneration,
            .spaceHasKeys, .badName, .nameTaken:
            self = Self.ofKeysAndNames(fault)
        case .noAddress, .tooManyAddresses, .noFingerprint, .daemonRuns, .refused, .notADevice:
            self = Self.ofPairing(fault)
        case .revoked, .noSuchDevice, .severalDevices, .ownDevice, .neverPaired, .revokedAlready:
            self = Self.ofRevoking(fault)
        case .nobodyKnown, .severalKnown, .noSuchAddress, .severalAddresses, .otherRelay, .lost,
            .unanswered,
            .endedEarly, .failed, .deletesHeld, .noDaemon, .daemonRefused:
            self = Self.ofSyncing(fault)
        case .storeGone, .replacementUnfinished, .replacementDamaged, .keysNotCopied,
            .modeNotChanged:
            self = Self.ofFiles(fault)
        }
    }

    private static func ofKeysAndNames(_ fault: DeviceFault) -> CommandFailure {
        switch fault {
        case .noEncryption:
            CommandFailure(
                .configuration,
                "this program was built without encryption, and pairing needs it; sync over ssh:// instead"
            )
        case .noKeys:
            CommandFailure(
                .configuration,
                """
                this device has no keys yet: if another one has them, run `tandem invite` there and \
                `\(AdvisedLine.program) join` here, else `\(AdvisedLine.program) invite` here makes them
                """)
        case .unusableKeys(let fault): CommandFailure(.configuration, fault.words)
        case .keysElsewhere(let name):
            CommandFailure(
                .refused,
                """
                the keys of this space are on \(name.shownInLine), not here; run `tandem invite` there and \
                `\(AdvisedLine.program) join` here, then this device can sync and invite as well
                """)
        case .plainSpace:
            CommandFailure(.refused, "this space is plain: it has no secret to change")
        case .lastGeneration:
            CommandFailure(
                .refused,
                "the space's secret has the last generation, \(UInt32.max), so it cannot be changed, and nobody "
                    + "was removed. If the file keyring beside the store was edited by hand, take out the line "
                    + "`secret \(UInt32.max) …`; else make a new space: \(AdvisedLine.program) export, then tandem init and "
                    + "tandem import in another folder")
        case .spaceHasKeys:
            CommandFailure(
                .usage,
                """
                --insecure is for spaces without encryption; leave it out here, or, to join one that has \
                none, say --plain as well
                """)
        case .nameTaken(let other):
            CommandFailure(
                .refused,
                "another device of this space is called \(other.name.shownInLine)"
                    + (other.fingerprint.map { " (\($0.short))" } ?? "") + " already; take "
                    + "another name, or rename that one first (on it: tandem rename NAME)")
        default: DeviceName.failure("--name kitchen")
        }
    }

    private static func ofPairing(_ fault: DeviceFault) -> CommandFailure {
        switch fault {
        case .tooManyAddresses:
            CommandFailure(.usage, "an invitation has no room for so many addresses")
        case .noFingerprint:
            CommandFailure(
                .usage, "write the relay's address with its #fingerprint, as tandem relay prints it"
            )
        case .daemonRuns:
            CommandFailure(
                .retryLater,
                "a daemon runs for this store, with the keys of before; end it, join, and start it again"
            )
        case .refused(let error, let peer):
            CommandFailure(.refused, "\(peer) says: \(error.words.shownInLine)")
        case .notADevice(let peer, let words):
            CommandFailure(.unavailable, "\(peer): \(words.shownInLine)")
        default:
            CommandFailure(
                .usage,
                """
                say where the other device can find this one: --relay ADDRESS for both to meet at, or \
                --address HOST:PORT while this one runs `\(AdvisedLine.program) serve --listen 0.0.0.0:7717`
                """)
        }
    }

    private static func ofRevoking(_ fault: DeviceFault) -> CommandFailure {
        switch fault {
        case .noSuchDevice(let word):
            CommandFailure(
                .nothing,
                "there is no device '\(word)'; see: \(AdvisedLine.program) devices (who came lately is known after \(AdvisedLine.program) sync)"
            )
        case .severalDevices(let word, let found):
            CommandFailure(
                .usage,
                "'\(word)' may be any of these; say the fingerprint:\n"
                    + found.map {
                        "  \($0.name.shownInLine)  \($0.fingerprint?.short ?? "not paired")"
                    }.joined(separator: "\n"))
        case .ownDevice:
            CommandFailure(
                .refused, "that is this device; revoke it from another one that stays in the space")
        case .neverPaired(let device):
            CommandFailure(
                .refused,
                """
                \(device.name.shownInLine) was never paired, so no device lets it in over the network; if it \
                comes over ssh, take its key out of ~/.ssh/authorized_keys. To take it from the list of \
                devices: \(AdvisedLine.program) devices --forget \(device.name.shownInLine.shellQuoted)
                """)
        case .revokedAlready(let device):
            CommandFailure(.nothing, "\(device.name.shownInLine) is revoked already")
        default:
            CommandFailure(.refused, "\(StatusWords.revoked); \(StatusWords.revokedAdvice)")
        }
    }

    private static func ofSyncing(_ fault: DeviceFault) -> CommandFailure {
        switch fault {
        case .severalKnown(let known):
            CommandFailure(
                .usage, "say with which to stay in touch: \(known.joined(separator: ", "))")
        case .noSuchAddress(let word, let known):
            CommandFailure(
                .usage,
                "no relay and no device is known at '\(word.shownInLine)'; known are: "
                    + (known.isEmpty ? "none" : known.joined(separator: ", ").shownInLine))
        case .severalAddresses(let word, let found):
            CommandFailure(
                .usage,
                "'\(word.shownInLine)' means several addresses, and none was forgotten; say one: "
                    + found.map(\.shellQuoted).joined(separator: ", ").shownInLine)
        case .otherRelay(let relay, let shown):
            CommandFailure(
                .refused,
                "the relay at \(relay.hostAndPort) has another key than before: \(shown). If it was made anew "
                    + "and shows that key itself, type here: \(AdvisedLine.program) sync "
                    + "\(relay.with(shown)); if it is gone for good: "
                    + "\(AdvisedLine.program) devices --forget \(relay.hostAndPort); else somebody may stand in between"
            )
        case .lost(let peer):
            CommandFailure(
                .unavailable,
                "the connection to \(peer) broke; what arrived is kept, sync again for the rest")
        case .unanswered(let peer):
            CommandFailure(
                .unavailable,
                "the connection to \(peer) ended before anybody answered; check the address, and that tandem "
                    + "is there and serves a store")
        case .endedEarly(let peer, let device):
            CommandFailure(
                .retryLater,
                "\(peer): the session with \(device?.shownInLine ?? "the other side") ended before everything "
                    + "was exchanged; what arrived is kept, sync again for the rest")
        case .failed(let error, let side, let peer, let device):
            ofSession(error, side, peer: peer, device: device)
        case .deletesHeld(let hold): CommandFailure(.refused, hold.takenWords)
        case .noDaemon:
            CommandFailure(
                .unavailable,
                "no daemon runs for this store; start one: \(AdvisedLine.program) daemon")
        case .daemonRefused(let why): CommandFailure(.refused, words(why))
        default:
            CommandFailure(
                .usage,
                "no relay and no device is known yet; let one in (\(AdvisedLine.program) invite), "
                    + "join one (\(AdvisedLine.program) join), or say with whom: \(AdvisedLine.program) sync ssh://desk"
            )
        }
    }

    private static func ofSession(
        _ error: PeerError, _ side: SessionSide, peer: String, device: String?
    ) -> CommandFailure {
        let whose =
            switch side {
            case .ours: "this device"
            case .theirs: device?.shownInLine ?? "the other device"
            case .both: "both devices"
            }
        let code: ExitCode =
            switch error.known {
            case .foreignSpace, .rulesDiffer, .sameReplica, .refused, .incompatible,
                .deletesHeld:
                .refused
            case .store, .busy, .newIdentity, .timeout: .retryLater
            default: .unavailable
            }
        if error.known == .deletesHeld {
            // The message is that of a program that need not know what the records are.
            let message = error.message.replacing(" records;", with: " to-dos there;")
            return CommandFailure(
                code,
                "\(peer): \(message.shownInLine). If they are meant, on \(whose), run: "
                    + "tandem accept-deletes; if not, run there: tandem refuse-deletes")
        }
        return CommandFailure(
            code,
            "\(peer): \(error.message.shownInLine). Next, on \(whose): "
                + error.nextStep(isRelay: RelayAddress.isMeant(by: peer)).shownInLine)
    }

    private static func words(_ why: ControlRefusal) -> String {
        switch why {
        case .unknownRequest: "the daemon does not know that request"
        case .paused: "paused; resume first"
        case .pauseTooLong: "a pause has 1 to \(Daemon.pauseSecondsMax) seconds"
        case .noSuchRecord: "there is no such record"
        }
    }

    private static func ofFiles(_ fault: DeviceFault) -> CommandFailure {
        switch fault {
        case .replacementUnfinished(let folder):
            CommandFailure(.configuration, "the store in \(folder.path) was being replaced")
        case .replacementDamaged(let folder, let fault):
            CommandFailure(
                .badData, "\(folder.paths.replacement) is not whole (\(DamagedStore.reason(fault)))"
            )
        case .keysNotCopied(let folder, let fault):
            CommandFailure(
                .configuration, "\(folder) has all to-dos, but not the keys: \(fault.words)")
        case .modeNotChanged(let path):
            CommandFailure(.inputOutput, "the mode of \(path) cannot be changed")
        case .storeGone(let folder):
            CommandFailure(.refused, "the store in \(folder.path) is gone")
        default: CommandFailure(.software, "\(fault)")
        }
    }

    /// A copy that cannot be used.
    init(_ fault: CopyFault) {
        switch fault {
        case .noSnapshot: self.init(.noInput, "there is no snapshot yet")
        case .noSuchSnapshot(let number):
            self.init(
                .noInput,
                "there is no snapshot \(number); see: \(AdvisedLine.program) restore --list")
        case .missing(let path): self.init(.noInput, "there is no backup in \(path)")
        case .unreadable(let path, let code):
            self.init(
                .noInput,
                "there is no backup to be read in \(path): \(String(cString: strerror(code)))")
        case .noStore(let folder):
            self.init(
                .noInput, "there is no backup in \(folder): a backup's folder has a file store.db")
        case .notAFile(let path):
            self.init(.noInput, "\(path) is no file, so there is no backup or snapshot in it")
        case .otherSpace(let path, let space):
            self.init(
                .refused,
                "\(path) belongs to another space (\(space)); to look into it: "
                    + "tandem --store FOLDER list, with a copy of it; to go on from it, let the copy "
                    + "take the place of this store (tandem help backup)")
        case .damaged(let path, let findings):
            self.init(
                .badData,
                "\(path) is damaged: " + findings.map(\.description).joined(separator: "; "))
        }
    }
}
