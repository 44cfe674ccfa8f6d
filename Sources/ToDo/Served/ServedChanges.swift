import Core
import Storage

/// How far a client of another protocol has read the to-dos.
///
/// It is made of the store's own numbers, so nothing is remembered for it. It holds when the store takes another id, and in
/// a copy of the store that has all that it covers. It means nothing to another store, or to one that was set back behind
/// it: then the client reads all anew.
package struct ServedCheckpoint: Hashable, Sendable {
    /// The replica whose numbers these are.
    package var replica: ReplicaID
    /// Up to which arrival number of which opening.
    package var checkpoint: Checkpoint
    /// The last entry of the journal then: later ones say which to-dos have left a list since.
    package var journalNumber: Int64

    /// A checkpoint of these numbers.
    package init(replica: ReplicaID, checkpoint: Checkpoint, journalNumber: Int64) {
        self.replica = replica
        self.checkpoint = checkpoint
        self.journalNumber = journalNumber
    }
}

/// The to-dos that changed since a checkpoint.
package struct ServedChanges: Sendable {
    /// The to-dos as they are now, also those in the trash, in order of arrival.
    package let changed: [Record]
    /// The projects that they had at times since then, as far as the journal says.
    package let formerProjects: [RecordID: Set<String>]
    /// Whether the journal has lost entries that it had then.
    package let isJournalCut: Bool
}

/// The lists of a store and what changed of their to-dos, all of one moment.
package struct ListLook: Sendable {
    /// How far a look reached.
    package struct Position: Hashable, Sendable {
        /// The id of the store then.
        package let replica: ReplicaID
        /// The last arrival number.
        package let sequence: UInt64
    }

    /// The settings of all lists that have any, by segment.
    package let settings: [String: ListSettings]
    /// How far it reaches.
    package let position: Position
    /// All live to-dos if it is the whole, else the to-dos that changed since the look before; in order of arrival.
    package let todos: [Record]
    /// Whether it does not go on from the look before.
    package let isWhole: Bool
}

/// Changes for clients, which come back with what they were told.
extension ToDoStore {
    /// The checkpoint of now; all that it covers is on the disk.
    package func servedCheckpoint() throws(StoreFault) -> ServedCheckpoint {
        // First, so that later changes are looked at again rather than passed over.
        let number = try store.journal.lastNumber()
        let checkpoint = try store.outsideCheckpoint()
        return ServedCheckpoint(
            replica: store.replica, checkpoint: checkpoint, journalNumber: number)
    }

    /// The changes since a checkpoint; nil if the store cannot tell them.
    ///
    /// - Complexity: the number of changes.
    package func changes(since known: ServedCheckpoint) throws(StoreFault) -> ServedChanges? {
        guard try store.journal.lastNumber() >= known.journalNumber,
            let start = try store.sequence(ofOutside: known.checkpoint, of: known.replica)
        else { return nil }
        let news = try store.news(after: start)
        let entries = try store.journal.entries(after: known.journalNumber)
        let field = Field.number(ToDoSchema.Number.project)
        var projects: [RecordID: Set<String>] = [:]
        for entry in entries
        where entry.field == field && entry.record.collection == ToDoSchema.collection {
            projects[entry.record.id, default: []].insert(entry.before?.text ?? "")
        }
        return ServedChanges(
            changed: news.records.filter { $0.collection == ToDoSchema.collection },
            formerProjects: projects,
            isJournalCut: entries.first.map { $0.number > known.journalNumber + 1 } ?? false)
    }

    /// Looks at the lists, and at the to-dos that changed since a look before.
    ///
    /// - Parameter last: how far that look reached; nil for the first.
    /// - Complexity: the first reads all to-dos, a later one what has changed since.
    package func look(atListsAfter last: ListLook.Position?) throws(StoreFault) -> ListLook {
        try store.reading { () throws(StoreFault) in
            let settings = try ListSettings.all(in: store)
            let summary = try store.news(after: .max)
            let position = ListLook.Position(replica: summary.replica, sequence: summary.sequence)
            guard let last, last.replica == position.replica, last.sequence <= position.sequence
            else {
                return ListLook(
                    settings: settings, position: position,
                    todos: try store.fetch(FetchRequest(ToDoSchema.collection)), isWhole: true)
            }
            let news = try store.news(after: last.sequence)
            return ListLook(
                settings: settings, position: position,
                todos: news.records.filter { $0.collection == ToDoSchema.collection },
                isWhole: false)
        }
    }

    /// Asks the mass-delete guard whether a client may delete to-dos, and counts them if so.
    ///
    /// - Parameter client: stands for the one who deletes; no replica's id.
    package func admitsDeletes(
        of identifiers: [RecordID], by client: ReplicaID
    ) throws(StoreFault) -> Bool {
        try store.admitsDeletes(of: identifiers.map { RecordName(toDo: $0) }, by: client)
    }
}
