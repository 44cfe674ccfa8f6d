import Causality
import Replication
import Session
import Storage

/// What is written down of conversations on this device, for whoever asks later how things stand.
///
/// What cannot be written down, on a full disk, the status does not know; the conversations go on.
struct ConversationStandings {
    private var holding: Set<ConversationID> = []
    private var complete: [ConversationID: ReplicaID] = [:]

    /// Takes note of how far one has come.
    ///
    /// - Returns: whether deletes are held in it since, or no more.
    mutating func take(
        _ report: SessionReport, of id: ConversationID, in store: Store
    ) -> Bool {
        if report.isCaughtUp, let peer = report.peer, complete[id] == nil {
            complete[id] = peer
            // Who was let in by somebody is told so by the rest.
            try? RefusalNote.drop(in: store)
        }
        let isHeld = report.held != nil
        return isHeld ? holding.insert(id).inserted : holding.remove(id) != nil
    }

    /// Takes note that one is over.
    mutating func end(
        _ end: SessionEnd, of id: ConversationID, at address: String, in store: Store
    ) {
        holding.remove(id)
        if let peer = complete.removeValue(forKey: id) { try? store.noteContact(with: peer) }
        try? RefusalNote.keep(end, at: address, in: store)
    }
}
