import Core

/// What people must see of a record, from what is left of its writes.
extension RecordHistory {
    /// What is to be known of a deletion.
    struct Judgement: Hashable {
        var isDeleted = false
        var isPurged = false
        var isContested = false
    }

    /// The write of a survivor.
    func write(of survivor: RecordView.Survivor) -> History.Entry {
        entries[survivor.entry].write
    }

    /// The field of a survivor.
    func field(of survivor: RecordView.Survivor) -> Field {
        registers[entries[survivor.entry].registers[survivor.assignment]]
    }

    /// The value of a survivor.
    func value(of survivor: RecordView.Survivor) -> Value {
        entries[survivor.entry].write.assignments[survivor.assignment].value
    }

    /// Whether the record is deleted, by what happened alone.
    func judgement(_ view: RecordView, _ policy: DeletePolicy) -> Judgement {
        var gone = view.purges
        for survivor in view.survivors
        where isDelete(survivor.entry) && field(of: survivor) == .deleted {
            gone.append(survivor.entry)
        }
        if gone.isEmpty { return Judgement() }
        let isPurged = !view.purges.isEmpty
        let isContested = view.survivors.contains { survivor in
            let write = entries[survivor.entry].write
            if isDelete(survivor.entry) || write.isRecovered { return false }
            if isPurged, write.kind != .restore { return false }
            return !gone.contains { entries[$0].write.past.covers(write.dot) }
        }
        return Judgement(
            isDeleted: policy == .deletesWin || !isContested, isPurged: isPurged,
            isContested: isContested)
    }

    private func isDelete(_ entry: Int) -> Bool {
        switch entries[entry].write.kind {
        case .delete, .purge: true
        case .edit, .restore: false
        }
    }

    /// The surviving assignments by field, of each field the shown one first; only of fields with as
    /// many of them at least.
    func rivals(_ view: RecordView, least: Int = 2) -> [[RecordView.Survivor]] {
        if view.survivors.count < least { return [] }
        var places = [Int](repeating: -1, count: registers.count)
        var groups: [[RecordView.Survivor]] = []
        for survivor in view.survivors {
            let register = entries[survivor.entry].registers[survivor.assignment]
            if places[register] < 0 {
                places[register] = groups.count
                groups.append([survivor])
            } else {
                groups[places[register]].append(survivor)
            }
        }
        return groups.filter { $0.count >= least }.map { group in
            group.count < 2 ? group : group.sorted { isShown($0, over: $1) }
        }
    }

    private func isShown(
        _ left: RecordView.Survivor, over right: RecordView.Survivor
    ) -> Bool {
        let (mine, theirs) = (entries[left.entry].write, entries[right.entry].write)
        if mine.timestamp != theirs.timestamp { return mine.timestamp > theirs.timestamp }
        return mine.dot > theirs.dot
    }

    /// The different values of a field's survivors, in their order.
    func values(of group: [RecordView.Survivor]) -> [Value] {
        var values: [Value] = []
        for survivor in group where !values.contains(value(of: survivor)) {
            values.append(value(of: survivor))
        }
        return values
    }

    /// The fields in conflict with their values: neither elements of sets nor deletes are.
    func conflicts(_ view: RecordView) -> [ExpectedRecord.Conflict] {
        conflicts(among: rivals(view))
    }

    /// The fields in conflict of those that several assignments are left of.
    func conflicts(among groups: [[RecordView.Survivor]]) -> [ExpectedRecord.Conflict] {
        var conflicts: [ExpectedRecord.Conflict] = []
        for group in groups where group.count > 1 {
            let field = field(of: group[0])
            if field.isElement || field == .deleted || field == .purged { continue }
            let values = values(of: group)
            if values.count > 1 {
                conflicts.append(ExpectedRecord.Conflict(field: field, values: values))
            }
        }
        return conflicts.sorted { $0.field < $1.field }
    }

    /// All that must be true of the record.
    func expected(_ view: RecordView, _ policy: DeletePolicy) -> ExpectedRecord {
        let judgement = judgement(view, policy)
        return ExpectedRecord(
            survivors: view.survivors.map { survivor in
                ExpectedRecord.Survivor(
                    field: field(of: survivor), value: value(of: survivor), dot: survivor.dot,
                    timestamp: write(of: survivor).timestamp)
            },
            visible: rivals(view, least: 1).map { group in
                Assignment(field(of: group[0]), value(of: group[0]))
            }.sorted { $0.field < $1.field },
            conflicts: conflicts(view), isDeleted: judgement.isDeleted,
            isContested: judgement.isContested, isPurged: judgement.isPurged)
    }
}
