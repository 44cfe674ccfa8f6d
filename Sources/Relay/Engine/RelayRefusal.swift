import Core
import Session
import Storage

/// The reason for which a relay ends a conversation, and the error that the device is sent.
///
/// A device recognises a refusal by code and cause; the texts are for people.
package struct RelayRefusal: Error, Hashable, Sendable {
    /// The reasons, each with a count of its own.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// No version of the protocol in common.
        case incompatible
        /// The relay serves as many conversations as it may.
        case sessions
        /// The space has as many conversations as it may.
        case spaceSessions = "space-sessions"
        /// The device has as many conversations about the space as it may.
        case deviceSessions = "device-sessions"
        /// The operator has put the device out.
        case putOut = "put-out"
        /// The operator has put a device out, and this one was never there.
        case closed
        /// A failed proof after too many others from the address.
        case failedProofs = "failed-proofs"
        /// The space has no encryption, and the relay takes none such.
        case plain
        /// The space is kept with encryption, and the device comes without, or the other way round.
        case encryption
        /// No proof.
        case noProof = "no-proof"
        /// A proof that is not right, or by another key.
        case wrongProof = "wrong-proof"
        /// An unknown space, and no token or a wrong one.
        case token
        /// As many spaces as there may be.
        case spaces
        /// The secret was rotated.
        case oldGeneration = "old-generation"
        /// A generation that does not follow from the one that is known.
        case newGeneration = "new-generation"
        /// As many bytes as the space may have.
        case bytes
        /// As many bytes as the device may upload in a day.
        case deviceBytes = "device-bytes"
        /// As many records as the space may have.
        case records
        /// As many versions as a record may have.
        case versions
        /// More than the window allows, or a state summary too long.
        case overLimit = "over-limit"
        /// The relay holds as many half-received bytes as it may, and most of them of this conversation.
        case heldBytes = "held-bytes"
        /// The device reads too slowly.
        case slow
        /// The device was silent.
        case silent
        /// Bytes that are no message, or a message that is not valid.
        case malformed
        /// A message that does not belong there.
        case outOfOrder = "out-of-order"
        /// As many mailboxes as there may be, or as one address may have made.
        case mailboxes
        /// As many conversations as may have one mailbox open.
        case mailboxSessions = "mailbox-sessions"
        /// As many items or bytes as a mailbox may have.
        case mailboxFull = "mailbox-full"
        /// No mailbox of that id, or no more.
        case noMailbox = "no-mailbox"
        /// The relay's store failed.
        case store
        /// The process ends, and others serve the same store.
        case leaving

        /// The kind of error that the device is sent.
        var code: PeerError.Code {
            switch self {
            case .incompatible: .incompatible
            case .sessions, .spaceSessions, .deviceSessions, .heldBytes, .slow, .mailboxes,
                .mailboxSessions, .leaving:
                .busy
            case .putOut, .closed, .failedProofs, .plain, .encryption, .noProof, .wrongProof,
                .token, .oldGeneration, .newGeneration, .noMailbox:
                .refused
            case .spaces, .bytes, .deviceBytes, .records, .versions, .overLimit, .mailboxFull:
                .overLimit
            case .silent: .timeout
            case .malformed: .malformed
            case .outOfOrder: .outOfOrder
            case .store: .store
            }
        }

        /// The cause that the device is sent; nil where the kind of error says all, or several causes count as one
        /// reason.
        var cause: PeerError.Reason? {
            switch self {
            case .sessions: .relaySessions
            case .spaceSessions: .spaceSessions
            case .deviceSessions: .deviceSessions
            case .putOut: .putOut
            case .closed: .closedSpace
            case .failedProofs: .failedProofs
            case .plain: .plainSpace
            case .encryption: .encryptionDiffers
            case .noProof: .noProof
            case .wrongProof: .wrongProof
            case .token: .token
            case .spaces: .spaces
            case .oldGeneration: .oldGeneration
            case .newGeneration: .unsignedGeneration
            case .bytes: .bytes
            case .deviceBytes: .deviceBytes
            case .records: .records
            case .versions: .versions
            case .heldBytes: .heldBytes
            case .slow: .slowReader
            case .leaving: .elsewhere
            case .mailboxes, .mailboxSessions, .mailboxFull: .mailboxes
            case .noMailbox: .noMailbox
            case .incompatible, .overLimit, .silent, .malformed, .outOfOrder, .store: nil
            }
        }
    }

    /// Why.
    package let reason: Reason
    /// The error that is sent to the device.
    package let error: PeerError
    /// The rekey message that is sent before the error, if the device has an older secret of the
    /// space.
    var rekeyMessage: RekeyMessage?

    /// A refusal whose error is made by the session's own rules.
    init(_ reason: Reason, _ error: PeerError) {
        self.reason = reason
        self.error = error
    }

    /// A refusal in words; kind and cause of the error follow from the reason.
    init(
        _ reason: Reason, cause: PeerError.Reason? = nil, _ message: String, side: PeerError.Side,
        advice: String
    ) {
        self.init(
            reason,
            PeerError(
                reason.code, reason: cause ?? reason.cause, message, side: side, advice: advice))
    }
}

/// The errors in words. Their sender is the relay, their reader the device.
extension RelayRefusal {
    static func incompatible(least: UInt64, most: UInt64) -> RelayRefusal {
        let isDeviceOlder = most < WireLimits.versionMin
        return RelayRefusal(
            .incompatible,
            "the relay speaks versions \(WireLimits.versionMin) to \(WireLimits.versionMax) of the "
                + "protocol, the device versions \(least) to \(most)",
            side: isDeviceOlder ? .hearer : .speaker,
            advice: "upgrade the program \(isDeviceOlder ? "on the device" : "of the relay")")
    }

    static func sessions(max: Int) -> RelayRefusal {
        RelayRefusal(
            .sessions, "the relay serves its \(max) conversations", side: .speaker,
            advice: "sync again in a moment; if it stays, raise the relay's limit")
    }

    static func spaceSessions(_ space: SpaceID, max: Int) -> RelayRefusal {
        RelayRefusal(
            .spaceSessions, "space \(space) has its \(max) conversations at the relay", side: .both,
            advice: "sync again in a moment; if it stays, raise the relay's limit")
    }

    static func deviceSessions(_ space: SpaceID, max: Int) -> RelayRefusal {
        RelayRefusal(
            .deviceSessions,
            "this device has its \(max) conversations about space \(space) at the relay",
            side: .hearer, advice: "end other programs of this device; sync again in a moment")
    }

    static func putOut(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .putOut, "the relay's operator has put this device out of space \(space)",
            side: .both,
            advice: "ask the one who runs the relay, or sync with the other devices directly")
    }

    static func closed(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .closed,
            "the relay's operator has put a device out of space \(space), and this one was never "
                + "there",
            side: .both,
            advice:
                "change the secret of the space on a device that was there before, and sync that "
                + "with the relay; then sync again")
    }

    static func failedProofs(max: Int) -> RelayRefusal {
        RelayRefusal(
            .failedProofs, "\(max) proofs of access from this address failed within a minute",
            side: .hearer,
            advice:
                "if a device there was revoked, remove the relay from it, or join it anew; a token "
                + "is looked at again after a minute")
    }

    static func plain(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .plain, "space \(space) has no encryption, and the relay keeps only spaces that have",
            side: .both,
            advice: "use a space with encryption, or let the relay allow plain spaces")
    }

    static func encryption(_ space: SpaceID, isPlainHere: Bool) -> RelayRefusal {
        let (here, there) = isPlainHere ? ("without", "with") : ("with", "without")
        return RelayRefusal(
            .encryption,
            "space \(space) is kept \(here) encryption at the relay, and the device comes "
                + "\(there)",
            side: .both,
            advice:
                "check that the device has joined this space by its code; or remove the space "
                + "from the relay, and the devices upload it again")
    }

    static func noProof(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .noProof, "the device gave no proof that it may use space \(space)", side: .hearer,
            advice: "join the device to the space by its code")
    }

    static func wrongProof(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .wrongProof, "the device's proof of access to space \(space) is not the right one",
            side: .hearer,
            advice: "join the device to the space by a new code")
    }

    static func token(_ space: SpaceID, isGiven: Bool) -> RelayRefusal {
        let given = isGiven ? "the token that the device gave is another one" : "it gave none"
        return RelayRefusal(
            .token,
            "the relay does not know space \(space), and to make a space it asks for a token; "
                + given,
            side: .hearer,
            advice: "check the address and the space, or give the relay's token to the device")
    }

    static func spaces(max: Int) -> RelayRefusal {
        RelayRefusal(
            .spaces, "the relay has the \(max) spaces that it may have", side: .speaker,
            advice: "raise the relay's limit, or remove spaces from it")
    }

    static func oldGeneration(_ space: SpaceID, own: UInt32, theirs: UInt32) -> RelayRefusal {
        RelayRefusal(
            .oldGeneration,
            "the secret of space \(space) was rotated: the relay has generation \(own), the device "
                + "generation \(theirs)",
            side: .hearer,
            advice:
                "sync a device that has the new secret with the relay, then this one again; or sync "
                + "the two directly, or join by a new code; what was written here is not lost")
    }

    static func newGeneration(_ space: SpaceID, own: UInt32, theirs: UInt32) -> RelayRefusal {
        RelayRefusal(
            .newGeneration,
            "the device has generation \(theirs) of the secret of space \(space), and shows no "
                + "signature by generation \(own), which the relay has",
            side: .both,
            advice:
                "sync first the device that rotated the secret, or remove the space from the "
                + "relay, and the devices upload it again")
    }

    static func bytes(_ space: SpaceID, max: Int) -> RelayRefusal {
        quota(.bytes, "space \(space) may have \(max) bytes at the relay, and this is more")
    }

    static func deviceBytes(_ space: SpaceID, max: Int) -> RelayRefusal {
        RelayRefusal(
            .deviceBytes,
            "this device may add \(max) bytes to space \(space) at the relay in 24 hours, and has done so",
            side: .both,
            advice:
                "sync again tomorrow, or raise the relay's limit for a device; the other devices go on, and "
                + "this one keeps all it has")
    }

    static func records(_ space: SpaceID, max: Int) -> RelayRefusal {
        quota(.records, "space \(space) may have \(max) records at the relay, and this is one more")
    }

    static func versions(_ space: SpaceID, max: Int) -> RelayRefusal {
        quota(
            .versions,
            "a record of space \(space) may have \(max) concurrent versions at the relay, and this is "
                + "one more")
    }

    static func storedVersions(_ space: SpaceID, max: Int) -> RelayRefusal {
        quota(
            .versions,
            "a record of space \(space) may have \(max) versions at the relay, with those that devices "
                + "could not open, and this is one more")
    }

    private static func quota(_ reason: Reason, _ message: String) -> RelayRefusal {
        RelayRefusal(
            reason, message, side: .both,
            advice:
                "raise the relay's limit, or purge deleted records; the devices keep all they "
                + "have")
    }

    static func mailboxes(max: Int) -> RelayRefusal {
        RelayRefusal(
            .mailboxes,
            "the relay has the \(max) mailboxes of pairing that it may have, in all or of "
                + "this address", side: .speaker,
            advice: "try again in a minute; if it stays, raise the relay's limit")
    }

    static func mailboxSessions(max: Int) -> RelayRefusal {
        RelayRefusal(
            .mailboxSessions, "\(max) devices have the mailbox of this code open, as many as may",
            side: .both, advice: "have a new code made, and show it to nobody else")
    }

    static func mailboxFull(_ what: String) -> RelayRefusal {
        RelayRefusal(
            .mailboxFull, "the mailbox of this code has the \(what) that it may have", side: .both,
            advice: "have a new code made, and show it to nobody else")
    }

    static var noMailbox: RelayRefusal {
        RelayRefusal(.noMailbox, .noMailbox)
    }

    /// The refusal of a mailbox while the database is away in which they are.
    static var mailboxesAway: RelayRefusal {
        RelayRefusal(
            .store, cause: .storeBusy, "the relay's database of mailboxes does not answer",
            side: .speaker, advice: "try again in a moment")
    }

    static func slow(milliseconds: Int64) -> RelayRefusal {
        RelayRefusal(
            .slow, "the device took nothing of what the relay sends for \(milliseconds) ms",
            side: .hearer,
            advice:
                "check the network and the device, then sync again: it goes on where it stopped"
        )
    }

    static func heldBytes(own: Int, max: Int) -> RelayRefusal {
        RelayRefusal(
            .heldBytes,
            "the relay holds the \(max) bytes of unfinished uploads that it may, \(own) of them of this "
                + "device",
            side: .speaker,
            advice: "sync again in a moment; if it stays, raise the relay's limit held-bytes")
    }

    static func overLimit(_ what: String, max: Int) -> RelayRefusal {
        RelayRefusal(.overLimit, .overLimit(what, max: max))
    }

    static func silent(_ what: String, milliseconds: Int64) -> RelayRefusal {
        RelayRefusal(.silent, .timeout(what, milliseconds: milliseconds))
    }

    static func malformed(_ fault: WireFault) -> RelayRefusal {
        let error = PeerError.malformed(fault)
        return RelayRefusal(error.known == .overLimit ? .overLimit : .malformed, error)
    }

    /// The refusal of `hello`, which a client sends that mistakes a relay for a device.
    package static var greeted: RelayRefusal {
        RelayRefusal(
            .outOfOrder, cause: .greetedAsDevice, "this is a relay, and was greeted like a device",
            side: .hearer,
            advice:
                "write its address as it prints it, relay://…; a device joins a space with a code that a "
                + "device of the space makes")
    }

    static func outOfOrder(_ what: String) -> RelayRefusal {
        RelayRefusal(.outOfOrder, .outOfOrder(what))
    }

    /// The refusal after a fault of a space's store: its text names no path and no server of the relay.
    static func store(_ fault: StoreFault, _ space: SpaceID) -> RelayRefusal {
        let (cause, what, advice): (PeerError.Reason?, String, String) =
            switch fault {
            case .diskFull:
                (
                    .diskFull, "the relay's disk is full",
                    "free some space at the relay, then sync again"
                )
            case .busy, .unreachable:
                (
                    .storeBusy, "the relay's store of space \(space) is busy",
                    "sync again in a moment"
                )
            case .newerStore:
                (
                    .newerStore, "the relay's store of space \(space) was made by a newer program",
                    "upgrade the program of the relay"
                )
            case .corrupt, .notAStore:
                (
                    .damagedStore, "the relay's store of space \(space) is damaged",
                    "have the one who runs the relay put the space aside there: the devices upload all again"
                )
            case .readOnly:
                (
                    .readOnlyDisk, "the relay's disk cannot be written",
                    "check the permissions at the relay"
                )
            default:
                (
                    nil, "the relay's store of space \(space) failed",
                    "look at what the relay itself says"
                )
            }
        return RelayRefusal(
            .store, cause: cause, what, side: .speaker, advice: advice)
    }

    /// Sends a device to another process of the same relay.
    static var leaving: RelayRefusal {
        RelayRefusal(
            .leaving, "this process of the relay ends, and others go on", side: .speaker,
            advice:
                "sync again: by the next address of the relay, or by the same if others are behind it"
        )
    }

    static func replaced(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .store, cause: .replacedFile,
            "the relay's store of space \(space) was set back or put in place anew", side: .speaker,
            advice: "nothing is lost; sync again")
    }
}
