import Core

/// The errors that a session tells.
///
/// People on both sides read the same words, so no word says "here", "there", "sender" or "reader": the
/// side that has to act is a number, and its name is for the program that shows it.
extension PeerError {
    static func incompatible(_ peer: Hello) -> PeerError {
        incompatible(least: peer.versionMin, most: peer.versionMax)
    }

    static func incompatible(least: UInt64, most: UInt64) -> PeerError {
        let own = "\(WireLimits.versionMin) to \(WireLimits.versionMax)"
        let isPeerOlder = most < WireLimits.versionMin
        return PeerError(
            .incompatible,
            "the programs have no version of the protocol in common: one speaks versions \(own), the other "
                + "versions \(least) to \(most)",
            side: isPeerOlder ? .hearer : .speaker,
            advice: "upgrade the program that speaks versions "
                + (isPeerOlder ? "\(least) to \(most)" : own))
    }

    static func foreignSpace(_ own: Greeting, _ peer: Hello) -> PeerError {
        PeerError(
            .foreignSpace,
            "the devices belong to different spaces: replica \(own.replica) to \(own.space), replica "
                + "\(peer.replica) to \(peer.space)",
            side: .both,
            advice: "check the address, or join one of the devices to the other's space")
    }

    static func rulesDiffer(_ own: Greeting, _ peer: Hello) -> PeerError {
        PeerError(
            .rulesDiffer,
            "space \(own.space) has the rule \(own.policy.name) on replica \(own.replica) and "
                + "\(peer.policy.name) on replica \(peer.replica)",
            side: .both, advice: "join one of the devices to the space anew")
    }

    static func sameReplica(_ own: Greeting, _ peer: Hello) -> PeerError {
        PeerError(
            .sameReplica,
            own.incarnation.epoch == peer.incarnation.epoch
                ? "a device called itself: both sides are replica \(own.replica)"
                : "both sides are replica \(own.replica): a device called itself, or one store is a copy of "
                    + "the other",
            side: .both,
            advice:
                "check whose address it is, and call another device; a copied store takes a new id by itself, "
                + "so then sync again")
    }

    /// The error for bytes that are no message: over a limit, or not the protocol.
    package static func malformed(_ fault: WireFault) -> PeerError {
        switch fault {
        case .unknownMessage(let kind):
            PeerError(
                .malformed, reason: .unknownMessage,
                "a message of kind \(kind) came, which the program that got it does not know and must not "
                    + "skip",
                side: .speaker, advice: "upgrade the program on the device that got the message")
        case .overLimit(let part, let max): overLimit("\(part)", max: max)
        default:
            PeerError(
                .malformed, "bytes came that are no message: \(fault)", side: .hearer,
                advice: "sync again; if it stays, upgrade the program on the device that sent them")
        }
    }

    static func malformed(_ what: String) -> PeerError {
        PeerError(
            .malformed, "a message came that is not valid: \(what)", side: .hearer,
            advice: "sync again; if it stays, upgrade the program on the device that sent it")
    }

    /// The error for a state summary that is not the one whose digest was told.
    static var summaryDiffers: PeerError {
        PeerError(
            .malformed, reason: .summaryDiffers,
            "a state summary came that does not fit its digest", side: .hearer,
            advice: "sync again; if it stays, upgrade the program on the device that sent it")
    }

    /// The error for a message that is not allowed at this point.
    package static func outOfOrder(_ what: String) -> PeerError {
        PeerError(
            .outOfOrder, "a message came out of turn: \(what)", side: .hearer,
            advice: "sync again; if it stays, upgrade the program on the device that sent it")
    }

    /// The error for more than a limit allows.
    package static func overLimit(_ what: String, max: Int) -> PeerError {
        PeerError(
            .overLimit,
            "a message came that is over a limit: \(what), of which at most \(max) may come",
            side: .hearer, advice: "upgrade the program on the device that sent it")
    }

    /// The error for a peer that sent nothing before the timeout.
    package static func timeout(_ what: String, milliseconds: Int64) -> PeerError {
        PeerError(
            .timeout, "nothing came within \(milliseconds) ms: \(what)", side: .hearer,
            advice: "check the network and the device that did not answer, then sync again")
    }

    /// The error for a pairing code with which no device waits at the meeting point.
    package static var noMailbox: PeerError {
        PeerError(
            .refused, reason: .noMailbox,
            "no device waits with this code: it was used or refused, has ended, or names another meeting point",
            side: .hearer, advice: "have a new one made, and type it while the other device waits")
    }

    static func newIdentity(_ own: ReplicaID?) -> PeerError {
        let name = own.map { ", so far that of replica \($0)," } ?? ""
        return PeerError(
            .newIdentity,
            "a store\(name) was copied or set back and has taken a new id",
            side: .speaker, advice: "nothing is lost; sync again")
    }

    static func deletesHeld(_ held: HeldDeletes) -> PeerError {
        PeerError(
            .deletesHeld,
            "this session would delete \(held.deletedCount) of \(held.liveCount) records; it is "
                + "held until you confirm it",
            side: .speaker,
            advice:
                "if the deletes are meant, accept them there; if not, undo them on the device "
                + "where they were made"
        )
    }

    static func diverged(_ own: ReplicaID, _ peer: ReplicaID) -> PeerError {
        PeerError(
            .diverged,
            "the contents of replica \(own) and replica \(peer) still differ after a full exchange",
            side: .both, advice: "keep a backup of both stores and report this as a defect")
    }
}
