import ToDo

/// The changes of a list since a token.
struct ListChanges {
    /// The live to-dos of the list that are new or changed.
    var present: [RecordID] = []
    /// The to-dos that the list has no more, or may never have had: a client passes over those it does not know.
    var gone: [RecordID] = []
    /// Where the next report goes on, if not all was told; nil if it was.
    var rest: SyncToken?

    /// Reads the changes.
    ///
    /// - Parameters:
    ///   - token: what the client had; nil for nothing.
    ///   - now: the token that was made before.
    ///   - limit: the most changes to tell.
    /// - Returns: nil if the store cannot tell them.
    /// - Complexity: the number of changes; without a token that of the list's to-dos.
    static func read(
        _ list: ToDoList, in catalog: ListCatalog, _ todos: ToDoStore, since token: SyncToken?,
        now: SyncToken, limit: Int?
    ) throws(StoreFault) -> ListChanges? {
        var found: [(sequence: UInt64, id: RecordID, isGone: Bool)] = []
        if let token {
            guard let news = try todos.changes(since: token.checkpoint) else { return nil }
            let moves = Moves(news, of: list)
            for record in news.changed {
                if record.standing == .live, ListCatalog.project(of: record) == list.project {
                    found.append((record.sequence, record.id, false))
                } else if moves.mayHaveLeft(record) {
                    found.append((record.sequence, record.id, true))
                }
            }
        } else {
            for id in catalog.members(of: list) {
                found.append((catalog.sequence(of: id) ?? 0, id, false))
            }
        }
        found.sort { $0.sequence < $1.sequence }
        var changes = ListChanges()
        if let limit, found.count > limit {
            found = Array(found.prefix(limit))
            var rest = (token ?? now).checkpoint
            rest.replica = now.checkpoint.replica
            rest.checkpoint = Checkpoint(
                epoch: now.checkpoint.checkpoint.epoch, sequence: found.last?.sequence ?? 0)
            changes.rest = SyncToken(rest)
        }
        changes.present = found.filter { !$0.isGone }.map(\.id)
        changes.gone = found.filter(\.isGone).map(\.id)
        return changes
    }

    /// The projects that to-dos had, as far as the journal says.
    private struct Moves {
        private let changes: ServedChanges
        /// The projects whose to-dos were ever the list's: what is in the trash, or was moved away before the list was
        /// renamed, has kept the name of then.
        private let names: Set<String>
        /// Whether earlier ones are forgotten.
        private let areNamesCut: Bool

        init(_ changes: ServedChanges, of list: ToDoList) {
            self.changes = changes
            let formers = list.settings.formers
            names = Set(formers.map(\.project)).union([list.project])
            areNamesCut = formers.count >= ListSettings.formerCountMax
        }

        /// Whether a to-do may have been in a project's list before, and is not now.
        func mayHaveLeft(_ record: Record) -> Bool {
            if changes.isJournalCut || areNamesCut || record.standing.isPurged { return true }
            if record.standing != .live, names.contains(ListCatalog.project(of: record)) {
                return true
            }
            return (changes.formerProjects[record.id] ?? []).contains {
                names.contains(ListNames.topLevel(of: $0))
            }
        }
    }
}
