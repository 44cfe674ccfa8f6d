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
    private(set) var sessions: [RelaySessionID] = []
    /// The uploads that wait for the next commit.
    var queue: [RelayUpload] = []

    /// The last readings, for subscribers that read the same.
    private var shared: [Shared] = []
    private static let sharedCountMax = 8
    private var sharedStanding: (after: UInt64, through: UInt64, standing: RelayStanding)?

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
    func add(_ session: RelaySessionID) {
        sessions.append(session)
    }

    /// Forgets a conversation; its uploads still wait for the commit.
    func remove(_ session: RelaySessionID) {
        sessions.removeAll { $0 == session }
        if sessions.isEmpty { forgetShared() }
    }

    // MARK: Readings for many

    /// Whether readings are kept for others.
    var isSharing: Bool { !shared.isEmpty || sharedStanding != nil }

    /// Lets go of readings that end at `sequence`, as something came behind: whoever reads from further back is to
    /// have that in the same batch.
    func forgetShared(reaching sequence: UInt64) {
        shared.removeAll { $0.through == sequence }
        sharedStanding = nil
    }

    /// Drops the readings kept for many devices.
    func forgetShared() {
        shared = []
        sharedStanding = nil
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
        // A statement counts by its number: the known ones are all as long as no number was given since.
        let isForAll = (request.ownNotice ?? 0) <= request.noticesAfter
        let known = sharedStanding.flatMap {
            isForAll && $0.after == request.noticesAfter ? $0 : nil
        }
        request.noticesKnownThrough = known?.through
        let start = request.start
        let found = request.own.isEmpty ? shared.first { $0.start == start } : nil
        if let found {
            guard found.isEnd else {
                return RelayDelivery(
                    parcels: found.parcels, through: found.through, standing: nil)
            }
            if let known, known.through == found.through {
                return RelayDelivery(
                    parcels: found.parcels, through: found.through, standing: known.standing)
            }
            request.start = found.through
        }
        let reading = try store.read(request, of: key)
        if let found {
            // Another process wrote meanwhile: the next reading goes on from here.
            guard reading.isEnd, reading.through == found.through else {
                return RelayDelivery(
                    parcels: found.parcels, through: found.through, standing: nil)
            }
            return RelayDelivery(
                parcels: found.parcels, through: found.through,
                standing: standing(request, reading, isForAll: isForAll))
        }
        let isNothing = reading.changes.isEmpty && start >= reading.through
        let parcels = isNothing ? [] : Self.pack(reading, after: start)
        if request.own.isEmpty, !isNothing { share(parcels, after: start, reading) }
        return RelayDelivery(
            parcels: parcels, through: reading.through,
            standing: reading.isEnd ? standing(request, reading, isForAll: isForAll) : nil)
    }

    private static func pack(_ reading: RelayReading, after start: UInt64) -> [RelayParcel] {
        let parcels = Parcel.pack(
            reading.changes, from: RelayEpoch.middle(reading.epoch, start),
            through: RelayEpoch.middle(reading.epoch, reading.through), openings: [])
        return parcels.map {
            RelayParcel($0.messages, byteCount: $0.byteCount, changeCount: $0.recordCount)
        }
    }

    /// The message that ends a run.
    private func standing(
        _ request: RelayReadRequest, _ reading: RelayReading, isForAll: Bool
    ) -> RelayStanding? {
        let through = reading.through
        guard let found = reading.notices else {
            // Left out, as they are known.
            return sharedStanding?.standing
        }
        let place =
            found.isComplete
            ? RelayEpoch.end(reading.epoch, through) : RelayEpoch.middle(reading.epoch, through)
        let message = Message.standing(
            Standing(
                through: place,
                notices: found.notices.map(\.notice).sorted { $0.replica < $1.replica }))
        let standing = RelayStanding(
            parcel: RelayParcel([message]),
            noticesThrough: found.isComplete
                ? through : found.notices.last?.sequence ?? through,
            isComplete: found.isComplete, hasNotices: !found.notices.isEmpty)
        if isForAll { sharedStanding = (request.noticesAfter, through, standing) }
        return standing
    }
}
