import Core

/// A device on which the store decides.
struct AdmissionRequest {
    /// Its conversation, which may be gone when the answer comes.
    let session: RelayServerSessionID
    /// Its link.
    let channel: RelayChannel
    /// Its first message.
    let relayHello: RelayHello
}

/// The uploads of a commit that is under way.
struct RelayCommitting {
    /// The state of the space that their senders know.
    let key: RelaySpaceKey
    /// The uploads, in order.
    let uploads: [RelayUpload]
    /// The devices that sent them.
    let uploaders: [RelayServerSessionID: DeviceUploads.Device]
    /// The bytes of the uploads.
    let byteCount: Int

    /// The conversations of which something was not kept.
    func refused(
        _ result: Result<RelayCommit, RelayStoreFault>
    ) -> Set<RelayServerSessionID> {
        switch result {
        case .success(let commit): Set(commit.quotas.keys)
        case .failure: Set(uploads.map(\.sender))
        }
    }
}

/// A reading that is under way, for all who asked for the same since the last change.
final class RelaySpaceReading {
    /// Tells readings apart: two with one name have one answer.
    struct Name: Hashable {
        /// The state of the space that is read.
        let key: RelaySpaceKey
        /// The number behind which the devices read.
        let start: UInt64
        /// The request to the store, which may begin behind what is known already.
        let request: RelayReadRequest
        /// How much had changed the space when it was asked for.
        let changeCount: Int
    }

    /// How a conversation comes to what it reads.
    enum Plan {
        /// It is known.
        case known(RelayDelivery)
        /// Another conversation has asked for the same, and this one waits with it.
        case joined
        /// The store is to be asked.
        case asked(RelaySpaceReading)
    }

    let name: Name
    /// The conversations that wait for it, in the order in which they came.
    var sessions: [RelayServerSessionID]
    /// A reading for others up to the number where the request begins; nil for none.
    let found: RelaySpace.Shared?
    /// The end of the run, if nothing has come since it was read; nil for none.
    let known: RelayDownloadDone?

    init(
        _ name: Name, for session: RelayServerSessionID, found: RelaySpace.Shared?,
        known: RelayDownloadDone?
    ) {
        self.name = name
        sessions = [session]
        self.found = found
        self.known = known
    }
}
