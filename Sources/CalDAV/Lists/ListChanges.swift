import Core
import Storage
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
        _ list: ToDoList, in catalog: ListCatalog, _ store: Store, since token: SyncToken?,
        now: SyncToken, limit: Int?
    ) throws(StoreFault) -> ListChanges? {
        var found: [(sequence: UInt64, id: RecordID, isGone: Bool)] = []
        if let token {
            guard let start = try token.sequence(in: store) else { return nil }
            let news = try store.news(after: start)
            let moves = try Moves(store, of: list, after: token.journalNumber)
            for record in news.records where record.collection == ToDoSchema.collection {
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
            var rest = token ?? now
            rest.replica = now.replica
            rest.checkpoint = Checkpoint(
                epoch: now.checkpoint.epoch, sequence: found.last?.sequence ?? 0)
            changes.rest = rest
        }
        changes.present = found.filter { !$0.isGone }.map(\.id)
        changes.gone = found.filter(\.isGone).map(\.id)
        return changes
    }

    /// The projects that to-dos had, as far as the journal says.
    private struct Moves {
        private var projects: [RecordID: Set<String>] = [:]
        /// Whether the journal has lost entries that it had then.
        private let isCut: Bool
        /// The projects whose to-dos were ever the list's: what is in the trash, or was moved away before the list was
        /// renamed, has kept the name of then.
        private let names: Set<String>
        /// Whether earlier ones are forgotten.
        private let areNamesCut: Bool

        init(_ store: Store, of list: ToDoList, after number: Int64) throws(StoreFault) {
            let formers = list.settings.formers
            names = Set(formers.map(\.project)).union([list.project])
            areNamesCut = formers.count >= ListSettings.formerCountMax
            let entries = try store.journal.entries(after: number)
            isCut = entries.first.map { $0.number > number + 1 } ?? false
            let field = Field.number(ToDoSchema.Number.project)
            for entry in entries
            where entry.field == field && entry.record.collection == ToDoSchema.collection {
                let before = ListNames.topLevel(of: entry.before?.text ?? "")
                projects[entry.record.id, default: []].insert(before)
            }
        }

        /// Whether a to-do may have been in a project's list before, and is not now.
        func mayHaveLeft(_ record: Record) -> Bool {
            if isCut || areNamesCut || record.standing.isPurged { return true }
            if record.standing != .live, names.contains(ListCatalog.project(of: record)) {
                return true
            }
            return !(projects[record.id] ?? []).isDisjoint(with: names)
        }
    }
}
