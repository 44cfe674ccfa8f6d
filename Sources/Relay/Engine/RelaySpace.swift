import Core
import Session

/// A space with conversations, or with uploads that wait for a commit.
///
/// Holds nothing but conversations and what may be read again: the store decides what is true of the space.
final class RelaySpace {
    let id: SpaceID
    /// The state of the space that its conversations know; nil before the first.
    var key: RelaySpaceKey?
    /// The conversations about it, in order.
    private(set) var sessions: [RelayServerSessionID] = []
    /// The uploads that wait for the next commit.
    var queue: [RelayUpload] = []
    /// Since when the first of them waits, by the clock of stages.
    var queuedAt: Int64 = 0
    /// The devices that sent them; a conversation may be gone by the commit.
    var uploaders: [RelayServerSessionID: DeviceUploads.Device] = [:]

    /// The last readings, for subscribers that read the same.
    private var shared: [Shared] = []
    private static let sharedCountMax = 8
    private var sharedDownloadDone:
        (after: UInt64, through: UInt64, downloadDone: RelayDownloadDone)?

    /// A reading that was packed for all that come to the same number.
    private struct Shared {
        let start: UInt64
        let parcels: [RelayParcel]
        let through: UInt64
        /// Whether nothing was left behind it when it was read; forgotten with the next commit.
        let isEnd: Bool
    }

    init(_ id: SpaceID) {
        self.id = id
    }

    // MARK: Conversations

    /// Adds a conversation; numbers only grow, so the list stays in order.
    func add(_ session: RelayServerSessionID) {
        sessions.append(session)
    }

    /// Forgets a conversation; its uploads still wait for the commit.
    func remove(_ session: RelayServerSessionID) {
        sessions.removeAll { $0 == session }
        if sessions.isEmpty { forgetShared() }
    }

    // MARK: Readings for many

    /// Whether readings are kept for others.
    var isSharing: Bool { !shared.isEmpty || sharedDownloadDone != nil }

    /// Lets go of readings that end at `sequence`, as something came behind: whoever reads from further back is to
    /// have that in the same batch.
    func forgetShared(reaching sequence: UInt64) {
        shared.removeAll { $0.through == sequence }
        sharedDownloadDone = nil
    }

    /// Lets go of readings that ended before `sequence`, as another process has written since: a device that has
    /// stated its rows there is to find them here.
    func forgetShared(before sequence: UInt64) {
        shared.removeAll { $0.isEnd && $0.through < sequence }
        if let known = sharedDownloadDone, known.through < sequence { sharedDownloadDone = nil }
    }

    /// Drops the readings kept for many devices.
    func forgetShared() {
        shared = []
        sharedDownloadDone = nil
    }

    /// Keeps a reading for other devices that reach the same number.
    func share(_ reading: RelayReading, after start: UInt64) {
        share(Self.pack(reading, after: start), after: start, reading)
    }

    private func share(_ parcels: [RelayParcel], after start: UInt64, _ reading: RelayReading) {
        if shared.count >= Self.sharedCountMax { shared.removeFirst() }
        shared.append(
            Shared(
                start: start, parcels: parcels, through: reading.through, isEnd: reading.isEnd))
    }

    // MARK: Reading

    /// Reads for one device; a reading that others would get as well is encoded once for all.
    func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey, from store: any RelayStore
    ) throws(RelayStoreFault) -> RelayDelivery {
        var request = request
        // A row counts by its number: the known ones are all as long as no number was given since.
        let isForAll = (request.own.last?.upperBound ?? 0) <= request.rowsAfter
        let known = sharedDownloadDone.flatMap {
            isForAll && $0.after == request.rowsAfter ? $0 : nil
        }
        request.rowsKnownThrough = known?.through
        let start = request.start
        let found = request.own.isEmpty ? shared.first { $0.start == start } : nil
        if let found {
            guard found.isEnd else {
                return RelayDelivery(
                    parcels: found.parcels, through: found.through, downloadDone: nil)
            }
            if let known, known.through == found.through {
                return RelayDelivery(
                    parcels: found.parcels, through: found.through, downloadDone: known.downloadDone
                )
            }
            request.start = found.through
        }
        let reading = try store.read(request, of: key)
        if let found {
            // Another process wrote meanwhile: the next reading goes on from here.
            guard reading.isEnd, reading.through == found.through else {
                return RelayDelivery(
                    parcels: found.parcels, through: found.through, downloadDone: nil)
            }
            return RelayDelivery(
                parcels: found.parcels, through: found.through,
                downloadDone: downloadDone(request, reading, isForAll: isForAll))
        }
        let isNothing = reading.changes.isEmpty && start >= reading.through
        let parcels = isNothing ? [] : Self.pack(reading, after: start)
        if request.own.isEmpty, !isNothing { share(parcels, after: start, reading) }
        return RelayDelivery(
            parcels: parcels, through: reading.through,
            downloadDone: reading.isEnd ? downloadDone(request, reading, isForAll: isForAll) : nil)
    }

    private static func pack(_ reading: RelayReading, after start: UInt64) -> [RelayParcel] {
        let parcels = Parcel.pack(
            reading.changes, from: RelayEpoch.middle(reading.epoch, start),
            through: RelayEpoch.middle(reading.epoch, reading.through), incarnations: [])
        // Before the first batch: a device that has read that far has heard of these versions.
        var notices = UnreadableVersions.messages(reading.unreadable).map { Message.unreadable($0) }
        if parcels.isEmpty, !notices.isEmpty {
            let through = RelayEpoch.middle(reading.epoch, reading.through)
            notices.append(.changes(ChangeBatch(changes: [], through: through)))
            return [RelayParcel(notices)]
        }
        return parcels.map {
            defer { notices = [] }
            return RelayParcel(
                notices + $0.messages, byteCount: $0.byteCount, changeCount: $0.recordCount)
        }
    }

    /// The message that ends a run.
    private func downloadDone(
        _ request: RelayReadRequest, _ reading: RelayReading, isForAll: Bool
    ) -> RelayDownloadDone? {
        let through = reading.through
        guard let found = reading.rows else {
            // Left out, as they are known.
            return sharedDownloadDone?.downloadDone
        }
        let checkpoint =
            found.isComplete
            ? RelayEpoch.end(reading.epoch, through) : RelayEpoch.middle(reading.epoch, through)
        let message = Message.downloadDone(
            DownloadDone(
                through: checkpoint, rows: found.rows.map(\.row).sorted { $0.key < $1.key },
                rowSum: found.isComplete ? found.sum : nil))
        let downloadDone = RelayDownloadDone(
            parcel: RelayParcel([message]),
            rowsThrough: found.isComplete ? through : found.rows.last?.sequence ?? through,
            isComplete: found.isComplete, hasRows: !found.rows.isEmpty)
        if isForAll { sharedDownloadDone = (request.rowsAfter, through, downloadDone) }
        return downloadDone
    }
}
