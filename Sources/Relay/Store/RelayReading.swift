import Core

/// A request for the next items for a device.
package struct RelayReadRequest: Hashable, Sendable {
    /// Versions after this arrival number.
    package var start: UInt64
    /// Summary rows after this one.
    package var rowsAfter: UInt64
    /// Stretches that came over the same connection, in order; versions of their numbers are passed over.
    package var own: [ClosedRange<UInt64>]
    /// The last arrival number up to which these rows are known already: they are left out if that is still the last
    /// one.
    package var rowsKnownThrough: UInt64?

    /// A request.
    package init(start: UInt64, rowsAfter: UInt64 = 0, own: [ClosedRange<UInt64>] = []) {
        self.start = start
        self.rowsAfter = rowsAfter
        self.own = own
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
    /// Summary rows, if nothing is left and they are not known.
    package var rows: RelayRows?

    /// A reading of nothing yet.
    package init(epoch: EpochID, through: UInt64, isEnd: Bool = false) {
        self.epoch = epoch
        self.through = through
        self.isEnd = isEnd
    }
}

/// Summary rows in order of arrival, as many as go into one `download-done`.
package struct RelayRows: Hashable, Sendable {
    /// A row with its arrival number.
    package struct Numbered: Hashable, Sendable {
        /// The arrival number.
        package let sequence: UInt64
        /// The row.
        package let row: SummaryRow

        /// A row.
        package init(sequence: UInt64, row: SummaryRow) {
            self.sequence = sequence
            self.row = row
        }
    }

    /// The rows.
    package var rows: [Numbered] = []
    /// Whether these are all.
    package var isComplete = true
    /// The sum of the hashes of all rows of the space, modulo 2^128.
    package let sum: UInt128

    /// No rows.
    package init(sum: UInt128) {
        self.sum = sum
    }

    /// Takes one more if there is room for it; false if there is not.
    package mutating func add(_ numbered: Numbered) -> Bool {
        isComplete = rows.count < WireLimits.summaryRowCountMax
        if isComplete { rows.append(numbered) }
        return isComplete
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
