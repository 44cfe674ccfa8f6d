import Core
import Session

/// A space with conversations, or with uploads that wait for a commit.
///
/// Holds nothing but conversations and what may be read again: the store decides what is true of the space.
final class RelaySpace {
    let id: SpaceID
    /// The state of the space that its conversations know; nil before the first.
    var key: RelaySpaceKey?
    /// The generation of the space's secret in that state.
    var generation: UInt32 = 0
    /// The devices on which the store decides now; a conversation may be gone by its answer.
    var admissions: [AdmissionRequest] = []
    /// The conversations about it, in the order in which they were let in.
    private(set) var sessions: [RelayServerSessionID] = []
    /// The uploads that wait for the next commit.
    var queue: [RelayUpload] = []
    /// Since when the first of them waits, by the clock of stages.
    var queuedAt: Int64 = 0
    /// The devices that sent them; a conversation may be gone by the commit.
    var uploaders: [RelayServerSessionID: DeviceUploads.Device] = [:]
    /// The commit that is under way: the next one waits for its answer.
    var committing: RelayCommitting?

    /// The last readings, for subscribers that read the same.
    private var shared: [Shared] = []
    private static let sharedCountMax = 8
    private var sharedDownloadDone:
        (after: UInt64, through: UInt64, downloadDone: RelayDownloadDone)?

    /// Counts what may have changed the space: a reading that was asked for before is not kept for others.
    private var changeCount = 0
    /// The last number that a device was told as it came.
    private var reached: UInt64 = 0
    /// The readings that are under way, with the conversations that wait for each.
    private var readings: [RelaySpaceReading.Name: RelaySpaceReading] = [:]

    /// A reading that was packed for all that come to the same number.
    struct Shared {
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

    /// Whether nobody is there, and nothing waits or is under way.
    var isIdle: Bool {
        sessions.isEmpty && queue.isEmpty && committing == nil && admissions.isEmpty
            && readings.isEmpty
    }

    /// Adds a conversation behind those that were let in before.
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
        changeCount += 1
        shared.removeAll { $0.through == sequence }
        sharedDownloadDone = nil
    }

    /// Lets go of readings that ended before `sequence`, as another process has written since: a device that has
    /// stated its rows there is to find them here.
    ///
    /// Nobody else waits for those under way, either.
    func forgetShared(before sequence: UInt64) {
        if sequence > reached {
            reached = sequence
            changeCount += 1
        }
        shared.removeAll { $0.isEnd && $0.through < sequence }
        if let known = sharedDownloadDone, known.through < sequence { sharedDownloadDone = nil }
    }

    /// Drops the readings kept for many devices.
    func forgetShared() {
        changeCount += 1
        reached = 0
        shared = []
        sharedDownloadDone = nil
    }

    /// Another process may have written: the end of a run is read anew.
    func noteChange() {
        changeCount += 1
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

    /// Plans a reading for one device; one that others would get as well is read and encoded once for all.
    ///
    /// - Returns: what is known already, or the reading that the conversation waits for; the one who asks the store is
    ///   the first that waits for it.
    func plan(
        _ request: RelayReadRequest, of key: RelaySpaceKey, for session: RelayServerSessionID
    ) -> RelaySpaceReading.Plan {
        var request = request
        // A row counts by its number: the known ones are all as long as no number was given since.
        let known = sharedDownloadDone.flatMap { $0.after == request.rowsAfter ? $0 : nil }
        request.rowsKnownThrough = known?.through
        let start = request.start
        let found = request.own.isEmpty ? shared.first { $0.start == start } : nil
        if let found {
            guard found.isEnd else {
                return .known(
                    RelayDelivery(
                        parcels: found.parcels, through: found.through, downloadDone: nil))
            }
            if let known, known.through == found.through {
                return .known(
                    RelayDelivery(
                        parcels: found.parcels, through: found.through,
                        downloadDone: known.downloadDone))
            }
            request.start = found.through
        }
        let name = RelaySpaceReading.Name(
            key: key, start: start, request: request, changeCount: changeCount)
        if let reading = readings[name] {
            reading.sessions.append(session)
            return .joined
        }
        let reading = RelaySpaceReading(
            name, for: session, found: found, known: known?.downloadDone)
        readings[name] = reading
        return .asked(reading)
    }

    /// A reading is no longer under way.
    func end(_ reading: RelaySpaceReading) {
        readings[reading.name] = nil
    }

    /// Packs what was read for all who wait for it, and keeps it for others unless something was committed meanwhile.
    func deliver(_ reading: RelayReading, to asked: RelaySpaceReading) -> RelayDelivery {
        let isFresh = asked.name.changeCount == changeCount
        if let found = asked.found {
            // Another process wrote meanwhile: the next reading goes on from here.
            guard reading.isEnd, reading.through == found.through else {
                return RelayDelivery(
                    parcels: found.parcels, through: found.through, downloadDone: nil)
            }
            return RelayDelivery(
                parcels: found.parcels, through: found.through,
                downloadDone: downloadDone(asked, reading, isFresh: isFresh))
        }
        let start = asked.name.start
        let isNothing = reading.changes.isEmpty && start >= reading.through
        let parcels = isNothing ? [] : Self.pack(reading, after: start)
        if asked.name.request.own.isEmpty, !isNothing, isFresh {
            share(parcels, after: start, reading)
        }
        return RelayDelivery(
            parcels: parcels, through: reading.through,
            downloadDone: reading.isEnd ? downloadDone(asked, reading, isFresh: isFresh) : nil)
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
        _ asked: RelaySpaceReading, _ reading: RelayReading, isFresh: Bool
    ) -> RelayDownloadDone? {
        let through = reading.through
        // Left out, as they are known.
        guard let found = reading.rows else { return asked.known }
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
        if isFresh {
            sharedDownloadDone = (asked.name.request.rowsAfter, through, downloadDone)
        }
        return downloadDone
    }
}
