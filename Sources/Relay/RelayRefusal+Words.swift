import Core
import Session
import Storage

/// What devices are told. The sender of these errors is the relay, the reader the device.
extension RelayRefusal {
    private static let proofWords = "the device's proof of access to space "
    private static let secretWords = "the secret of space "
    private static let rotatedWords = " was rotated: the relay has generation "

    /// Whether a device is told by these words that it does not have the space's present secret.
    package static func isFailedAccess(_ message: String) -> Bool {
        if message.hasPrefix(proofWords) { return true }
        return isOldGeneration(message)
    }

    /// Whether a device is told by these words that a relay has a later secret of the space.
    package static func isOldGeneration(_ message: String) -> Bool {
        guard message.hasPrefix(secretWords) else { return false }
        let rest = message.dropFirst(secretWords.count)
        return rest.drop { $0 != " " }.hasPrefix(rotatedWords)
    }

    static func incompatible(_ approach: Approach) -> RelayRefusal {
        let isDeviceOlder = approach.versionMax < WireLimits.versionMin
        return RelayRefusal(
            .incompatible,
            PeerError(
                .incompatible,
                "the relay speaks versions \(WireLimits.versionMin) to \(WireLimits.versionMax) of the "
                    + "protocol, the device versions \(approach.versionMin) to "
                    + "\(approach.versionMax)",
                side: isDeviceOlder ? .hearer : .speaker,
                advice: "upgrade the program \(isDeviceOlder ? "on the device" : "of the relay")"))
    }

    static func sessions(max: Int) -> RelayRefusal {
        RelayRefusal(
            .sessions,
            PeerError(
                .busy, "the relay serves its \(max) conversations", side: .speaker,
                advice: "sync again in a moment; if it stays, raise the relay's limit"))
    }

    static func spaceSessions(_ space: SpaceID, max: Int) -> RelayRefusal {
        RelayRefusal(
            .spaceSessions,
            PeerError(
                .busy, "space \(space) has its \(max) conversations at the relay", side: .both,
                advice: "sync again in a moment; if it stays, raise the relay's limit"))
    }

    static func failedProofs(max: Int) -> RelayRefusal {
        RelayRefusal(
            .failedProofs,
            PeerError(
                .refused,
                "\(max) proofs of access from this address failed within a minute", side: .hearer,
                advice:
                    "wait a minute; if a device there was revoked, remove the relay from it, or join "
                    + "it anew"))
    }

    static func plain(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .plain,
            PeerError(
                .refused,
                "space \(space) has no encryption, and the relay keeps only spaces that have",
                side: .both,
                advice: "use a space with encryption, or let the relay allow plain spaces"))
    }

    static func encryption(_ space: SpaceID, isPlainHere: Bool) -> RelayRefusal {
        let (here, there) = isPlainHere ? ("without", "with") : ("with", "without")
        return RelayRefusal(
            .encryption,
            PeerError(
                .refused,
                "space \(space) is kept \(here) encryption at the relay, and the device comes "
                    + "\(there)",
                side: .both,
                advice:
                    "check that the device has joined this space by its code; or remove the space "
                    + "from the relay, and the devices upload it again"))
    }

    static func noProof(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .noProof,
            PeerError(
                .refused, "the device gave no proof that it may use space \(space)", side: .hearer,
                advice: "join the device to the space by its code"))
    }

    static func wrongProof(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .wrongProof,
            PeerError(
                .refused,
                "\(proofWords)\(space) is not the right one",
                side: .hearer,
                advice: "join the device to the space by a new code"))
    }

    static func token(_ space: SpaceID, isGiven: Bool) -> RelayRefusal {
        let given = isGiven ? "the token that the device gave is another one" : "it gave none"
        return RelayRefusal(
            .token,
            PeerError(
                .refused,
                "the relay does not know space \(space), and to make a space it asks for a token; "
                    + given,
                side: .hearer,
                advice: "check the address and the space, or give the relay's token to the device"))
    }

    static func spaces(max: Int) -> RelayRefusal {
        RelayRefusal(
            .spaces,
            PeerError(
                .overLimit, "the relay has the \(max) spaces that it may have", side: .speaker,
                advice: "raise the relay's limit, or remove spaces from it"))
    }

    static func oldGeneration(_ space: SpaceID, own: UInt32, theirs: UInt32) -> RelayRefusal {
        RelayRefusal(
            .oldGeneration,
            PeerError(
                .refused,
                "\(secretWords)\(space)\(rotatedWords)\(own), the device generation \(theirs)",
                side: .hearer,
                advice:
                    "sync a device that has the new secret with the relay, then this one again; or sync "
                    + "the two directly, or join by a new code; what was written here is not lost"))
    }

    static func newGeneration(_ space: SpaceID, own: UInt32, theirs: UInt32) -> RelayRefusal {
        RelayRefusal(
            .newGeneration,
            PeerError(
                .refused,
                "the device has generation \(theirs) of the secret of space \(space), and shows no "
                    + "signature by generation \(own), which the relay has",
                side: .both,
                advice:
                    "sync first the device that rotated the secret, or remove the space from the "
                    + "relay, and the devices upload it again"))
    }

    static func bytes(_ space: SpaceID, max: Int) -> RelayRefusal {
        quota(.bytes, "space \(space) may have \(max) bytes at the relay, and this is more")
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

    private static func quota(_ reason: Reason, _ message: String) -> RelayRefusal {
        RelayRefusal(
            reason,
            PeerError(
                .overLimit, message, side: .both,
                advice:
                    "raise the relay's limit, or purge deleted records; the devices keep all they "
                    + "have"))
    }

    static func slow(milliseconds: Int64) -> RelayRefusal {
        RelayRefusal(
            .slow,
            PeerError(
                .busy,
                "the device took nothing of what the relay sends for \(milliseconds) ms",
                side: .hearer,
                advice:
                    "check the network and the device, then sync again: it goes on where it stopped"
            ))
    }

    static func heldBytes(own: Int, max: Int) -> RelayRefusal {
        RelayRefusal(
            .heldBytes,
            PeerError(
                .busy,
                "the relay holds the \(max) bytes of unfinished uploads that it may, \(own) of them of this "
                    + "device",
                side: .speaker,
                advice: "sync again in a moment; if it stays, raise the relay's limit held-bytes"))
    }

    static func overLimit(_ what: String, max: Int) -> RelayRefusal {
        RelayRefusal(.overLimit, .overLimit(what, max: max))
    }

    static func silent(_ what: String, milliseconds: Int64) -> RelayRefusal {
        RelayRefusal(.silent, .timeout(what, milliseconds: milliseconds))
    }

    static func malformed(_ fault: WireFault) -> RelayRefusal {
        RelayRefusal(.malformed, .malformed(fault))
    }

    /// Who takes a relay for a device says hello to it.
    static var greeted: RelayRefusal {
        RelayRefusal(
            .outOfOrder,
            PeerError(
                .outOfOrder, "this is a relay, and was greeted like a device", side: .hearer,
                advice:
                    "write its address as it prints it, relay://…; a device comes into a space by a "
                    + "code: `tandem invite` on a device of the space, `tandem join` here"))
    }

    static func outOfOrder(_ what: String) -> RelayRefusal {
        RelayRefusal(.outOfOrder, .outOfOrder(what))
    }

    /// What a fault of a space's file means to a device: paths and the like stay at home.
    static func store(_ fault: StoreFault, _ space: SpaceID) -> RelayRefusal {
        let (what, advice) =
            switch fault {
            case .diskFull:
                ("the relay's disk is full", "free some space at the relay, then sync again")
            case .busy: ("the relay's store of space \(space) is busy", "sync again in a moment")
            case .newerStore:
                (
                    "the relay's store of space \(space) was made by a newer program",
                    "upgrade the program of the relay"
                )
            case .corrupt, .notAStore:
                (
                    "the relay's store of space \(space) is damaged",
                    "have the one who runs the relay move its file away: the devices upload all again"
                )
            case .readOnly:
                ("the relay's disk cannot be written", "check the permissions at the relay")
            default:
                ("the relay's store of space \(space) failed", "look at what the relay itself says")
            }
        return RelayRefusal(.store, PeerError(.store, what, side: .speaker, advice: advice))
    }

    static func replaced(_ space: SpaceID) -> RelayRefusal {
        RelayRefusal(
            .store,
            PeerError(
                .store, "the relay's file of space \(space) was put in place anew", side: .speaker,
                advice: "nothing is lost; sync again"))
    }
}
