import Core

/// The records that can be read of a damaged store.
struct SalvagedRecords {
    /// Whether a row is what the record was last.
    enum Age: Int {
        case older
        case unknown
        case newest
    }

    /// Those that can be read, as changes; one that is there twice is twice among them.
    private(set) var changes: [Change] = []
    /// Changes that the store had set aside, as they came.
    var parked: [Change] = []
    /// Whether it is known how many there were.
    var isCountExact = true
    /// Those that can be read as they were last, names of devices among them.
    private(set) var newest: [RecordID: Change] = [:]
    /// Those that can be read, but for the names of devices, and whether as they were last.
    private var ages: [RecordID: Age] = [:]
    /// All that there were, as far as is known, but for the names of devices.
    private var knownIDs: Set<RecordID> = []
    private var deviceIDs: Set<RecordID> = []
    /// How many rows fit one rule of a space only.
    private var votes: [DeletePolicy: Int] = [:]

    /// Those that can be read, but for the names of devices.
    var readIDs: Set<RecordID> { Set(ages.keys) }

    /// Those that can be read of which all that can is known to be of that age, or not known.
    func ids(_ age: Age) -> Set<RecordID> { Set(ages.filter { $0.value == age }.keys) }

    /// Those that were there and cannot be read.
    var lostIDs: Set<RecordID> { knownIDs.subtracting(readIDs) }
    /// Whether a device's record cannot be read as it was last: then the store's sum tells nothing of to-dos.
    var lacksDevices: Bool { deviceIDs.contains { newest[$0] == nil } }

    /// The rule that the rows were written by; the usual one if they do not tell.
    var likelyPolicy: DeletePolicy {
        votes[.editsWin, default: 0] > votes[.deletesWin, default: 0] ? .editsWin : .deletesWin
    }

    /// Takes note of a record that was there.
    mutating func note(_ id: RecordID, in collection: CollectionID) {
        if collection == .devices { deviceIDs.insert(id) } else { knownIDs.insert(id) }
    }

    /// Takes a record that can be read.
    mutating func add(_ change: Change, _ age: Age, in collection: CollectionID) {
        changes.append(change)
        if age == .newest { newest[change.id] = change }
        guard collection != .devices else { return }
        let best = max(age.rawValue, ages[change.id]?.rawValue ?? 0)
        ages[change.id] = Age(rawValue: best)
    }

    /// Compares what each rule makes of a record with what its row says.
    mutating func weigh(_ record: Record, rowState: Int64) {
        let isDeleted = rowState != Store.RowState.live
        let byDeletes = DeletionRule(.deletesWin).verdict(on: record).isDeleted
        let byEdits = DeletionRule(.editsWin).verdict(on: record).isDeleted
        if byDeletes != byEdits {
            votes[byDeletes == isDeleted ? .deletesWin : .editsWin, default: 0] += 1
        }
    }
}
