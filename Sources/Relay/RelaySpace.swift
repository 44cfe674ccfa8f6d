import Core
import Session
import Storage

/// A space with conversations or an open file.
final class RelaySpace {
    /// An item that waits for the next commit, and whose it is.
    struct Queued {
        let session: RelaySessionID
        let replica: ReplicaID
        let item: RelayUploadItem
    }

    let id: SpaceID
    /// Its file; nil while that is closed.
    private(set) var store: RelayStore?
    /// Where the file stood when it was closed.
    private(set) var mark: RelayMark?
    /// The conversations about it, in order.
    private(set) var sessions: [RelaySessionID] = []
    /// What waits for the next commit.
    var queue: [Queued] = []
    /// When it was last needed, counted in uses.
    var lastUse = 0

    /// The last readings, for subscribers that read the same.
    private var shared: [(start: UInt64, delivery: RelayDelivery)] = []
    private static let sharedCountMax = 8
    private var sharedStanding: (after: UInt64, through: UInt64, standing: RelayStanding)?

    init(_ id: SpaceID, mark: RelayMark? = nil) {
        self.id = id
        self.mark = mark
    }

    // MARK: Conversations

    /// Adds a conversation; numbers only grow, so the list stays in order.
    func add(_ session: RelaySessionID) {
        sessions.append(session)
    }

    /// Forgets a conversation; what it sent still waits for the commit.
    func remove(_ session: RelaySessionID) {
        sessions.removeAll { $0 == session }
        if sessions.isEmpty { forgetShared() }
    }

    // MARK: The file

    /// Takes a file that was opened, if it is the one that was closed.
    ///
    /// - Returns: false if another one was put in its place: what conversations know of it is void.
    func take(_ opened: RelayStore) -> Bool {
        let isSame = mark?.fits(opened.state) ?? true
        store = opened
        mark = nil
        return isSame
    }

    /// Closes the file; conversations may go on.
    func close() {
        mark = store?.mark
        store?.close()
        store = nil
        forgetShared()
    }

    /// Whatever is found in the file's place is taken from now on.
    func forget() {
        mark = nil
    }

    /// Something came behind `sequence`: who reads from further back is to have it in the same batch.
    func forgetShared(reaching sequence: UInt64) {
        shared.removeAll { $0.delivery.through == sequence }
        sharedStanding = nil
    }

    /// Lets go of what was read for many.
    func forgetShared() {
        shared = []
        sharedStanding = nil
    }

    // MARK: Reading

    /// Reads for one device; what others would be given alike is encoded once for all.
    func read(
        _ request: RelayReadRequest, from store: RelayStore, limits: RelayLimits
    ) throws(StoreFault) -> RelayDelivery {
        let delivery = try batches(request, from: store, limits: limits)
        guard delivery.through == store.sequence else { return delivery }
        let standing = try standing(request, from: store)
        return RelayDelivery(
            parcels: delivery.parcels, through: delivery.through, standing: standing)
    }

    private func batches(
        _ request: RelayReadRequest, from store: RelayStore, limits: RelayLimits
    ) throws(StoreFault) -> RelayDelivery {
        guard request.own.isEmpty else {
            let reading = try store.read(
                after: request.start, passing: request.own, byteCountMax: limits.batchByteCountMax)
            return pack(reading, after: request.start, epoch: store.epoch)
        }
        if request.start >= store.sequence {
            return RelayDelivery(parcels: [], through: store.sequence, standing: nil)
        }
        if let found = shared.first(where: { $0.start == request.start }) { return found.delivery }
        let reading = try store.read(
            after: request.start, byteCountMax: limits.batchByteCountMax)
        return share(reading, after: request.start, epoch: store.epoch)
    }

    /// Remembers what was read for others that come to the same place.
    @discardableResult
    func share(_ reading: RelayStore.Reading, after start: UInt64, epoch: EpochID) -> RelayDelivery
    {
        let delivery = pack(reading, after: start, epoch: epoch)
        if shared.count >= Self.sharedCountMax { shared.removeFirst() }
        shared.append((start, delivery))
        return delivery
    }

    private func pack(
        _ reading: RelayStore.Reading, after start: UInt64, epoch: EpochID
    ) -> RelayDelivery {
        let parcels = Parcel.pack(
            reading.changes, from: RelayEpoch.middle(epoch, start),
            through: RelayEpoch.middle(epoch, reading.through), openings: [])
        return RelayDelivery(
            parcels: parcels.map {
                RelayParcel($0.messages, byteCount: $0.byteCount, changeCount: $0.recordCount)
            }, through: reading.through, standing: nil)
    }

    /// The most bytes of statements in one message.
    private static let standingByteCountMax = WireLimits.noticeByteCountMax

    /// What ends a run.
    private func standing(
        _ request: RelayReadRequest, from store: RelayStore
    ) throws(StoreFault) -> RelayStanding {
        let through = store.sequence
        let isForAll = (request.ownNotice ?? 0) <= request.noticesAfter
        if isForAll, let found = sharedStanding, found.after == request.noticesAfter,
            found.through == through
        {
            return found.standing
        }
        let (notices, isEnd) = try store.notices(
            after: request.noticesAfter, except: request.ownNotice,
            byteCountMax: Self.standingByteCountMax)
        let place =
            isEnd
            ? RelayEpoch.end(store.epoch, through) : RelayEpoch.middle(store.epoch, through)
        let message = Message.standing(
            Standing(
                through: place,
                notices: notices.map(\.notice).sorted { $0.replica < $1.replica }))
        let standing = RelayStanding(
            parcel: RelayParcel([message]),
            noticesThrough: isEnd ? through : notices.last?.sequence ?? through,
            isComplete: isEnd, hasNotices: !notices.isEmpty)
        if isForAll { sharedStanding = (request.noticesAfter, through, standing) }
        return standing
    }
}
