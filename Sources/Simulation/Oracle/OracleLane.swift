import Core
import Storage

/// What the oracle knows of one device.
final class OracleLane {
    /// An edit during which the device's program died.
    struct DeadEdit {
        let record: RecordID
        let kind: History.Kind
        let past: VersionVector
    }

    /// The writes of its space; nil until its store was seen.
    var history: History?
    /// What it was seen to hold.
    var holdings = Holdings()
    /// What of that must survive a power cut.
    var left = Holdings()
    /// What it stated to know: that must survive a power cut, too.
    var stated = VersionVector()
    /// What must be left of the records that it holds.
    var views: [RecordID: RecordView] = [:]
    /// The records as they were last seen in its store.
    var records: [RecordID: Record] = [:]
    /// How far its store was looked at.
    var sequence: UInt64 = 0
    /// Up to where its knowledge was found to be sound.
    var knowledge = VersionVector()
    /// Edits that may or may not have been saved.
    var deadEdits: [DeadEdit] = []
    /// The store that was looked at last: another one is looked at from the beginning.
    weak var store: Store?
    /// Queries that are kept up with the store.
    var queries: [WatchedQuery] = []
    /// How many stores of it were seen.
    var openCount = 0
    /// How many times something new was found on it while queries were kept up.
    var newsCount = 0
    /// How many times everything was looked at.
    var lookCount = 0
    /// How many times writes that it held may have been taken from it.
    var lossCount = 0

    /// Forgets what was seen in the files, as others are there now.
    func forgetFiles() {
        views = [:]
        records = [:]
        sequence = 0
        knowledge = VersionVector()
        store = nil
        queries = []
    }
}
