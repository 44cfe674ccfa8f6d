import Core
import Replica
import Session
import Storage

/// Records the progress of conversations on this device, for a later status.
///
/// If the disk is full, progress is not recorded and the status omits it; the conversations go on.
struct SessionLog {
    private var holding: Set<ConversationID> = []
    private var complete: [ConversationID: ReplicaID] = [:]
    /// How far into this store's sequence the other side has everything.
    private var stored: [ConversationID: (peer: ReplicaID, sequence: UInt64)] = [:]

    /// Takes note of how far one has come.
    ///
    /// - Parameter address: the one that was dialed; nil if the other side came.
    /// - Returns: whether what is told of held deletes may have to be told anew: some are, or are no more.
    mutating func record(
        _ report: SessionReport, of id: ConversationID, at address: String?, in store: Store
    ) -> Bool {
        var isFirst = false
        if report.isCaughtUp, let peer = report.peer, complete[id] == nil {
            // An earlier session may have held what this one took, or found taken back.
            isFirst = true
            complete[id] = peer
            try? RefusalNote.drop(letInAt: address, in: store)
        }
        if let peer = report.peer, let through = report.storedThrough {
            stored[id] = (peer, through.sequence)
        }
        let wasHeld = !holding.isEmpty
        if report.held != nil { holding.insert(id) } else { holding.remove(id) }
        // The received changes may include a copy's writes to this device's own record.
        return isFirst || wasHeld || !holding.isEmpty
    }

    /// Takes note that one is over.
    mutating func end(
        _ end: SessionEnd, of id: ConversationID, at address: String?, in store: Store
    ) {
        holding.remove(id)
        if let found = stored.removeValue(forKey: id) {
            try? store.noteSent(through: found.sequence, to: found.peer)
        }
        if let peer = complete.removeValue(forKey: id) { try? store.noteContact(with: peer) }
        try? RefusalNote.keep(end, at: address, in: store)
    }
}
