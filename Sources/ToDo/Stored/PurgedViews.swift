import Core
import Storage

/// Views that were purged while another device changed them: its values are kept until they are saved anew or let go.
extension ToDoStore {
    private typealias Number = ToDoSchema.ViewNumber

    /// The values that are kept of a purged view; nil if there are none.
    ///
    /// - Parameter word: the view's name; or its record's id, as no device may know the name any more.
    package func keptView(named word: String) throws(StoreFault) -> SavedView? {
        try keptViews(named: word).first.map { view($0, named: SavedView.key(word)) }
    }

    /// Lets go of the values that are kept of a purged view, on every device and for good.
    ///
    /// - Parameter word: the view's name, or its record's id.
    /// - Returns: whether there were any.
    package func letGo(ofView word: String) throws(StoreFault) -> Bool {
        let kept = try keptViews(named: word)
        if kept.isEmpty { return false }
        try store.edit { transaction throws(StoreFault) in
            for record in kept { try transaction.purge(record.name, isForced: true) }
        }
        return true
    }

    /// The purged records of a name, or of an id, with kept values.
    func keptViews(named word: String) throws(StoreFault) -> [Record] {
        if try viewConflictCount() == 0 { return [] }
        let key = SavedView.key(word)
        var found: [Record] = []
        for record in try store.fetch(FetchRequest(ToDoSchema.views, scope: .conflicted))
        where record.standing == .editedAfterPurge {
            let name = try keptName(of: record, among: [key])
            if name == key || record.id.uuidText == key { found.append(record) }
        }
        return found
    }

    /// The name of a purged view: the one that is kept with its values, else one of `names` from which its id is derived.
    func keptName(
        of record: Record, among names: [String]
    ) throws(StoreFault) -> String? {
        if let name = record[Number.name]?.text, SavedView.isName(name) { return name }
        for name in names where SavedView.isName(name) {
            if try isDerived(record, from: name) { return name }
        }
        return nil
    }

    /// The names that views have or had, as far as their records tell.
    func namesOfViews() throws(StoreFault) -> [String] {
        let all = try store.fetch(FetchRequest(ToDoSchema.views, scope: .all))
        return Set(all.compactMap { $0[Number.name]?.text }).sorted()
    }

    /// Whether a record is the view of a name, or was until it was purged.
    private func isDerived(_ record: Record, from name: String) throws(StoreFault) -> Bool {
        let first = RecordName(
            ToDoSchema.views, Store.derivedID(ToDoSchema.views, key: name))
        for number in 0...Store.standInCountMax {
            let next = first.successor(number)
            if next == record.name { return true }
            guard let known = try store.record(next), known.record.visible(.purged) != nil else {
                return false
            }
        }
        return false
    }

    /// The decisions on the kept values of a purged view.
    ///
    /// - Parameter isShown: whether there is a view of the name again.
    static func decisions(
        _ kept: [ToDoConflict.KeptField], isShown: Bool
    ) -> [SavedViewConflict.Decision] {
        // In front of the filter, which may have `--` in it.
        let ordered =
            kept.filter { $0.field != .number(Number.words) }
            + kept.filter { $0.field == .number(Number.words) }
        let values = ordered.map { kept in
            kept.values.compactMap { savedWords($0.value, of: kept.field) }
        }.filter { !$0.isEmpty }
        var all: [[String]] = []
        if !values.isEmpty { all.append(values.flatMap { $0[0] }) }
        for (position, others) in values.enumerated() {
            for other in others.dropFirst() {
                all.append(
                    values.enumerated().flatMap { $0.offset == position ? other : $0.element[0] })
            }
        }
        return all.filter(isReadable).map { .save($0) } + [isShown ? .save([]) : .remove]
    }
}

extension SavedViewChange {
    /// Whether it decides on all values that are kept of a purged view: it names each of their fields, or none at all.
    func decides(on kept: RecordState) -> Bool {
        typealias Number = ToDoSchema.ViewNumber
        var named: Set<Field> = []
        if words != nil { named.insert(.number(Number.words)) }
        if columns != nil { named.insert(.number(Number.columns)) }
        if sort != nil { named.insert(.number(Number.sort)) }
        if grouping != nil { named.insert(.number(Number.grouping)) }
        return named.isEmpty
            || kept.fields.allSatisfy { $0 == .number(Number.name) || named.contains($0) }
    }
}
