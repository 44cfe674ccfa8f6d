import Core
import TestSupport

/// One replica with one record, for examples and random programs.
struct Device {
    let index: Int
    var record = RecordState()
    var counter: UInt64 = 0
    var timestamp: HybridTimestamp
    let policy: DeletePolicy

    init(_ index: Int, _ policy: DeletePolicy = .deletesWin, at milliseconds: Int64 = 1) {
        self.index = index
        self.policy = policy
        timestamp = HybridTimestamp(milliseconds: milliseconds)
    }

    var replica: ReplicaID { SmallWorld.replica(index) }

    var verdict: DeletionRule.Verdict { DeletionRule(policy).verdict(on: record) }

    private var edit: LocalEdit { LocalEdit(policy: policy, timestamp: timestamp) }

    private typealias Edit = (inout LocalEdit.DotSource) throws(LocalEdit.Refusal) -> RecordState?

    /// Runs an edit; whether it wrote anything.
    private mutating func run(_ body: Edit) throws(LocalEdit.Refusal) -> Bool {
        var dots = LocalEdit.DotSource(replica: replica, counter: counter)
        guard let after = try body(&dots) else { return false }
        record = after
        counter = dots.counter
        return true
    }

    @discardableResult
    mutating func save(
        _ field: Field, _ value: Value, resolves: Bool = false
    )
        throws(LocalEdit.Refusal) -> Bool
    {
        try save([Assignment(field, value)], resolves: resolves)
    }

    @discardableResult
    mutating func save(
        _ assignments: [Assignment], resolves: Bool = false
    )
        throws(LocalEdit.Refusal) -> Bool
    {
        let (edit, record) = (edit, record)
        return try run { dots throws(LocalEdit.Refusal) in
            try edit.save(assignments, to: record, resolves: resolves, dots: &dots)
        }
    }

    /// Takes its deletes back as if nobody had heard of them.
    @discardableResult
    mutating func takeBackDelete() throws(LocalEdit.Refusal) -> Bool {
        let (edit, record, replica) = (edit, record, replica)
        return try run { dots throws(LocalEdit.Refusal) in
            edit.takeBackDelete(record, isUnheard: { $0.replica == replica }, dots: &dots)
        }
    }

    @discardableResult
    mutating func delete() throws(LocalEdit.Refusal) -> Bool {
        let (edit, record) = (edit, record)
        return try run { dots throws(LocalEdit.Refusal) in try edit.delete(record, dots: &dots) }
    }

    @discardableResult
    mutating func restore() throws(LocalEdit.Refusal) -> Bool {
        let (edit, record) = (edit, record)
        return try run { dots throws(LocalEdit.Refusal) in try edit.restore(record, dots: &dots) }
    }

    @discardableResult
    mutating func purge(isForced: Bool = false) throws(LocalEdit.Refusal) -> Bool {
        let (edit, record) = (edit, record)
        return try run { dots throws(LocalEdit.Refusal) in
            try edit.purge(record, isForced: isForced, dots: &dots)
        }
    }

    /// Merges what another device has.
    mutating func take(_ other: Device) {
        record = RecordMerge.merged(record, other.record)
    }

    /// Lets all devices have what all have.
    static func meet(_ devices: inout [Device]) {
        let all = devices.reduce(RecordState()) { RecordMerge.merged($0, $1.record) }
        for index in devices.indices { devices[index].record = all }
    }
}
