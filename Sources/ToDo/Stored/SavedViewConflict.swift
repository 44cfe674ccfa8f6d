import Core
import Storage

/// A view on which devices disagree, with what is saved to decide it.
package struct SavedViewConflict: Sendable {
    /// A decision.
    package enum Decision: Sendable, Hashable {
        /// These words are saved under the name; none keep the view as it is.
        case save([String])
        /// The view is removed.
        case remove
    }

    /// What devices disagree on, as of a to-do; its title is the name.
    package let conflict: ToDoConflict
    /// The name; nil if another program gave the record none that a view can have, or if it was purged and nothing
    /// here tells its name.
    package let name: String?
    /// The decisions that this program can make, the one for what is shown first; each ends the conflict on every device.
    package let decisions: [Decision]

    /// The word that names it in a decision: the name, or the id of a purged one whose name is lost; nil if there is none.
    package var word: String? {
        if let name { return name }
        guard case .editedAfterPurge = conflict.kind else { return nil }
        return conflict.id.uuidText
    }
}

extension SavedView {
    /// The words that make the view as it is when they are saved under its name.
    package var savedWords: [String] {
        var all: [String] = []
        // In front of the filter, which may have `--` in it.
        if !columns.isEmpty { all.append(Self.columnsKey + columns.joined(separator: ",")) }
        if !sort.isEmpty { all.append(Self.sortKey + sort.joined(separator: ",")) }
        if let grouping { all.append(Self.groupKey + grouping) }
        return all + Self.savedWords(ofFilter: words)
    }

    /// The same of a filter alone.
    static func savedWords(ofFilter words: [String]) -> [String] {
        words.isEmpty ? [filterKey] : words
    }
}

/// Views on which devices disagree.
extension ToDoStore {
    private typealias Number = ToDoSchema.ViewNumber

    /// How many views have an open conflict.
    package func viewConflictCount() throws(StoreFault) -> Int {
        try store.count(FetchRequest(ToDoSchema.views, scope: .conflicted))
    }

    /// The open conflicts of views, by name: also of those that were removed on one device while another changed them.
    package func viewConflicts() throws(StoreFault) -> [SavedViewConflict] {
        if try viewConflictCount() == 0 { return [] }
        let found = try store.fetch(FetchRequest(ToDoSchema.views, scope: .conflicted))
        var names: [RecordID: String] = [:]
        if found.contains(where: { $0.standing == .editedAfterPurge }) {
            let known = try namesOfViews()
            for record in found where record.standing == .editedAfterPurge {
                names[record.id] = try keptName(of: record, among: known)
            }
        }
        var all: [SavedViewConflict] = []
        for conflict in try conflicts(
            among: found, title: { names[$0.id] ?? $0[Number.name]?.text ?? "" })
        {
            guard let record = found.first(where: { $0.id == conflict.id }) else { continue }
            let view = view(record)
            let name = names[conflict.id] ?? view?.name
            let decisions: [SavedViewConflict.Decision]
            if case .editedAfterPurge(let kept) = conflict.kind {
                let isShown = try name.map { name throws(StoreFault) in
                    try savedView(named: name) != nil
                }
                decisions =
                    name == nil ? [.remove] : Self.decisions(kept, isShown: isShown ?? false)
            } else {
                decisions = view.map { Self.decisions(conflict, $0) } ?? []
            }
            all.append(
                SavedViewConflict(
                    conflict: Self.withoutName(conflict), name: name, decisions: decisions))
        }
        return all.sorted { ($0.name ?? "", $0.conflict.id) < ($1.name ?? "", $1.conflict.id) }
    }

    /// The conflict without the name, which every edit of a view has and none changes.
    private static func withoutName(_ conflict: ToDoConflict) -> ToDoConflict {
        let name = Field.number(Number.name)
        var shown = conflict
        shown.unseenEdits.removeAll { $0.field == name }
        if case .editedAfterPurge(let kept) = conflict.kind {
            shown.kind = .editedAfterPurge(kept.filter { $0.field != name })
        }
        return shown
    }

    /// The view of a name that was removed on one device while another changed it, and is removed now; nil if there is none.
    package func contestedView(named name: String) throws(StoreFault) -> SavedView? {
        try contestedViews(named: SavedView.key(name)).first.flatMap(view)
    }

    /// The view that a record was, whether it is removed or not; nil if it is none.
    package func savedView(of record: RecordName) throws(StoreFault) -> SavedView? {
        guard record.collection == ToDoSchema.views else { return nil }
        return try store.record(record).flatMap(view)
    }

    /// The records of a name that one device removed while another changed them.
    func contestedViews(named name: String) throws(StoreFault) -> [Record] {
        if try viewConflictCount() == 0 { return [] }
        return try store.fetch(
            FetchRequest(
                ToDoSchema.views, scope: .conflicted,
                where: .compare(.field(Number.name), .equal, .text(name)))
        ).filter(\.verdict.isContested)
    }

    private static func decisions(
        _ conflict: ToDoConflict, _ view: SavedView
    ) -> [SavedViewConflict.Decision] {
        switch conflict.kind {
        case .wasDeleted:
            // A filter that only a newer version can read is kept as it is.
            return [.save(isReadable(view.savedWords) ? view.savedWords : []), .remove]
        case .field(let field, let candidates):
            return candidates.compactMap { candidate in
                guard let words = savedWords(candidate.value, of: field), isReadable(words) else {
                    return nil
                }
                return .save(words)
            }
        case .editedAfterPurge(let kept): return decisions(kept, isShown: false)
        }
    }

    static func isReadable(_ words: [String]) -> Bool {
        (try? SavedViewChange(words)) != nil
    }

    /// The words that give a field of a view a value; nil for the name, which no words change.
    static func savedWords(_ value: Value, of field: Field) -> [String]? {
        let text = value.text
        return switch field {
        case .number(Number.words): SavedView.savedWords(ofFilter: SavedView.words(text))
        case .number(Number.columns): [SavedView.columnsKey + (text ?? "")]
        case .number(Number.sort): [SavedView.sortKey + (text ?? "")]
        case .number(Number.grouping): [SavedView.groupKey + (text ?? "")]
        default: nil
        }
    }
}
