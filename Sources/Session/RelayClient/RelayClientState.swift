import Core

/// A message that a relay puts between its batches.
enum RelayNotice: Sendable {
    /// The end of a run.
    case end(DownloadDone)
    /// Its word on versions that a device could not open.
    case unreadable(UnreadableVersions)

    /// Whether it says nothing of how far the relay was read.
    var isDownloadDone: Bool {
        if case .unreadable = self { true } else { false }
    }
}

/// The receiving half of a session with a relay.
struct Download: Sendable {
    var queue = ReceiveQueue<RelayNotice>()
    /// Whether the relay's last `download-done` was judged and nothing came since.
    var hasStood = false
    /// Whether the `download-done` that was judged last was the end of its run: of many rows some come behind others.
    var isRunEnd = false
    /// Whether the next `download-done` is the first one of its run.
    var isRunStart = true
    /// Whether a device states writes that the relay has not sent, or the relay sent what it does not have: nothing counts
    /// as read from here on, so that the next session asks for it again.
    var isMismatched = false
    /// Whether the relay was set back since the last session.
    var isSetBack = false
    /// Whether all summary rows come anew in the run that is read.
    var startsOver = false
    /// Whether the run that is read began at the relay's start.
    var isFromStart = false
    /// Whether the relay's sum of its rows was compared: later ones may be from before rows of this device.
    var hasCompared = false
    /// How many summary rows could not be opened.
    var lostCount = 0
    /// Versions that could not be opened and of which the relay is to be told.
    var untold: [VersionMark] = []
    /// The versions of which it was told in this session.
    var told: Set<VersionMark> = []
}

/// The part of a session with a relay that states this device's summary.
struct Stating: Sendable {
    /// The end of the upload that was found, and is to be told.
    var awaited: Outbound.End?
    /// The end for which the store is asked what to state.
    var asked: Outbound.End?
    /// The end of which all rows were last told to the relay.
    var told: Outbound.End?
    /// The checkpoint of the last message to the relay.
    var toldThrough: Checkpoint?
    /// Messages that wait for room.
    var messages: [UploadDone] = []
    /// The rows of which the relay has not acknowledged all, or that the store does not know of yet.
    var rows: [DueSummaryRow] = []
    /// The end of the upload that the store was last told to remember.
    var noted: Checkpoint?
    /// The summary of which last all was stated, entries about others and digests as well, and when.
    var whole: (stateSummary: StateSummary, at: Instant)?

    /// Whether all is uploaded once more: an end from before says nothing of that.
    var isVoid = false

    /// Whether nothing is to be told, or waits for room.
    var isDone: Bool { awaited == nil && asked == nil && messages.isEmpty }

    /// The time at which rows are due that were left out; nil if none were, or others are on their way before them.
    func wholeDue(_ limits: SessionLimits) -> Instant? {
        guard awaited == nil, asked == nil, let whole, let told,
            told.stateSummary != whole.stateSummary
        else { return nil }
        return whole.at.advanced(byMilliseconds: limits.wholeStatingMilliseconds)
    }
}

/// What is uploaded once more, as other devices lack it although the relay was read from its start.
struct UploadingAgain: Sendable {
    /// The replicas whose writes are missing, with the counters above which they are.
    private(set) var counters: [ReplicaID: UInt64] = [:]
    /// The end of what had been uploaded: up to there only that is uploaded which is missing.
    private(set) var through: UInt64 = 0

    /// Adds replicas; `through` is how far all was uploaded, 0 if that is not known.
    mutating func add(_ wanted: [ReplicaID: UInt64], through: UInt64) {
        self.through = through
        counters.merge(wanted, uniquingKeysWith: min)
    }

    /// Whether a change that was read up to an arrival number is to be uploaded.
    func wants(_ change: Change, readThrough sequence: UInt64) -> Bool {
        sequence > through
            || change.clock.entries.contains { entry in
                counters[entry.replica].map { entry.counter > $0 } ?? false
            }
    }
}

/// The record versions that came from a relay in this session and have not been read from the own store since.
///
/// A record that is still as the relay sent it is not sent back. A version that is forgotten for want of
/// room is uploaded once more, and the relay drops it: it has just that. One with the same clock and another body
/// is not the same: one name was given to two writes.
struct Echoes: Sendable {
    private var marks: [RecordName: UInt128] = [:]
    private let countMax: Int

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Records a version that the relay has.
    mutating func note(_ change: Change) {
        if marks.count >= countMax, marks[change.name] == nil { marks = [:] }
        marks[change.name] = Self.mark(of: change, isDeferred: change.isDeferred)
    }

    /// Forgets a record; true if the relay has just this version of it.
    ///
    /// One that came deferred and can be read here is new to the relay: now it replaces others.
    mutating func remove(_ change: Change) -> Bool {
        guard let mark = marks.removeValue(forKey: change.name) else { return false }
        if mark == Self.mark(of: change, isDeferred: false) { return true }
        return change.isDeferred && mark == Self.mark(of: change, isDeferred: true)
    }

    private static func mark(of change: Change, isDeferred: Bool) -> UInt128 {
        SipHash().content(RecordID(value: isDeferred ? 1 : 0), change.clock, change.body)
    }
}
