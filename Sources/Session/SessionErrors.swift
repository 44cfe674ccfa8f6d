import Core

/// The errors that a session tells. "Sender" and "reader" are those of the error itself.
extension PeerError {
    static func incompatible(_ peer: Hello) -> PeerError {
        incompatible(least: peer.versionMin, most: peer.versionMax)
    }

    static func incompatible(least: UInt64, most: UInt64) -> PeerError {
        let isPeerOlder = most < WireLimits.versionMin
        return PeerError(
            .incompatible,
            "the sender speaks versions \(WireLimits.versionMin) to \(WireLimits.versionMax) of the "
                + "protocol, the reader versions \(least) to \(most)",
            side: isPeerOlder ? .hearer : .speaker,
            advice: "upgrade the program on the \(isPeerOlder ? "reader" : "sender")'s device")
    }

    static func foreignSpace(_ own: Greeting, _ peer: Hello) -> PeerError {
        PeerError(
            .foreignSpace,
            "the sender belongs to space \(own.space), the reader to space \(peer.space)",
            side: .both,
            advice: "check the address, or join one of the devices to the other's space")
    }

    static func rulesDiffer(_ own: Greeting, _ peer: Hello) -> PeerError {
        PeerError(
            .rulesDiffer,
            "space \(own.space) has the rule \(own.policy.name) at the sender and "
                + "\(peer.policy.name) at the reader",
            side: .both, advice: "join one of the devices to the space anew")
    }

    static func sameReplica(_ own: Greeting, _ peer: Hello) -> PeerError {
        PeerError(
            .sameReplica,
            "both sides are replica \(own.replica), the sender in opening \(own.incarnation.epoch), the "
                + "reader in opening \(peer.incarnation.epoch)",
            side: .both,
            advice:
                "check that a device does not call itself; a copied store takes a new id by itself, "
                + "so sync again")
    }

    /// The error for bytes that are no message.
    package static func malformed(_ fault: WireFault) -> PeerError {
        if case .unknownMessage(let kind) = fault {
            return PeerError(
                .malformed, reason: .unknownMessage,
                "the reader sent a message of kind \(kind), which the sender's program does not know and "
                    + "must not skip",
                side: .speaker, advice: "upgrade the program on the sender's device")
        }
        return PeerError(
            .malformed, "the reader sent bytes that are no message: \(fault)", side: .hearer,
            advice: "sync again; if it stays, upgrade the program on the reader's device")
    }

    static func malformed(_ what: String) -> PeerError {
        PeerError(
            .malformed, "the reader sent a message that is not valid: \(what)", side: .hearer,
            advice: "upgrade the program on the reader's device")
    }

    /// The error for a message that is not allowed at this point.
    package static func outOfOrder(_ what: String) -> PeerError {
        PeerError(
            .outOfOrder, "the reader sent \(what)", side: .hearer,
            advice: "sync again; if it stays, upgrade the program on the reader's device")
    }

    /// The error for more than a limit allows.
    package static func overLimit(_ what: String, max: Int) -> PeerError {
        PeerError(
            .overLimit, "the reader sent \(what) over the limit of \(max)", side: .hearer,
            advice: "upgrade the program on the reader's device")
    }

    /// The error for a peer that sent nothing before the timeout.
    package static func timeout(_ what: String, milliseconds: Int64) -> PeerError {
        PeerError(
            .timeout, "the sender waited \(milliseconds) ms for \(what)", side: .hearer,
            advice: "check the network and the reader's device, then sync again")
    }

    static func newIdentity(_ own: ReplicaID?) -> PeerError {
        let name = own.map { " \($0)" } ?? ""
        return PeerError(
            .newIdentity,
            "the sender's store, so far replica\(name), was copied or set back and has taken a new id",
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
