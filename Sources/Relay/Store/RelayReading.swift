import Core

/// A request for the next items for a device.
package struct RelayReadRequest: Hashable, Sendable {
    /// Versions after this arrival number.
    package var start: UInt64
    /// Statements after this one.
    package var noticesAfter: UInt64
    /// Stretches that came over the same connection, in order; their versions are passed over.
    package var own: [ClosedRange<UInt64>]
    /// The number of the statement that came over the same connection, which is passed over.
    package var ownNotice: UInt64?
    /// The last arrival number up to which these statements are known already: they are left out if that is still
    /// the last one.
    package var noticesKnownThrough: UInt64?

    /// A request.
    package init(
        start: UInt64, noticesAfter: UInt64 = 0, own: [ClosedRange<UInt64>] = [],
        ownNotice: UInt64? = nil
    ) {
        self.start = start
        self.noticesAfter = noticesAfter
        self.own = own
        self.ownNotice = ownNotice
    }
}

/// The result of one reading of a space, consistent as of one moment.
package struct RelayReading: Hashable, Sendable {
    /// The epoch in which it was read.
    package var epoch: EpochID
    /// Versions in order of arrival.
    package var changes: [Change] = []
    /// The versions of which a device said in this stretch that it could not open them; no more than
    /// `WireLimits.unreadableCountMax`.
    package var unreadable: [VersionMark] = []
    /// Everything up to this arrival number was looked at.
    package var through: UInt64
    /// Whether nothing is left behind it.
    package var isEnd = false
    /// Statements, if nothing is left and they are not known.
    package var notices: RelayNotices?

    /// A reading of nothing yet.
    package init(epoch: EpochID, through: UInt64, isEnd: Bool = false) {
        self.epoch = epoch
        self.through = through
        self.isEnd = isEnd
    }
}

/// Statements of devices in order of arrival, no more bytes than `WireLimits.partByteCountMax` unless a single
/// one is longer.
package struct RelayNotices: Hashable, Sendable {
    /// A statement of a device with its arrival number.
    package struct Numbered: Hashable, Sendable {
        /// The arrival number.
        package let sequence: UInt64
        /// The statement.
        package let notice: DownloadDone.Notice

        /// A statement.
        package init(sequence: UInt64, notice: DownloadDone.Notice) {
            self.sequence = sequence
            self.notice = notice
        }
    }

    /// The statements.
    package var notices: [Numbered] = []
    /// Whether these are all.
    package var isComplete = true

    /// No statements.
    package init() {}

    /// Takes one more if there is room for it; false if there is not.
    package mutating func add(_ numbered: Numbered, byteCount: inout Int) -> Bool {
        byteCount += numbered.notice.bytes.count + 32
        if !notices.isEmpty, byteCount > WireLimits.partByteCountMax {
            isComplete = false
            return false
        }
        notices.append(numbered)
        return true
    }
}

/// The bound of a reading: how much of a space fits into one batch.
package struct RelayBatchBound {
    private let byteCountMax: Int
    private var byteCount = 0
    private var replicas: Set<ReplicaID> = []
    private var changeCount = 0

    /// The most bytes of bodies in one batch; a single longer one is read alone.
    package init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// Whether the batch may have no further version.
    package var isFull: Bool { changeCount == WireLimits.changesPerBatchMax }

    /// Takes one more if there is room for it; false if there is not.
    package mutating func add(_ change: Change) -> Bool {
        for entry in change.clock.entries where replicas.insert(entry.replica).inserted {
            byteCount += 16
        }
        byteCount += change.body.count + change.clock.entries.count * 8 + 32
        if changeCount > 0, byteCount > byteCountMax { return false }
        changeCount += 1
        return true
    }
}
