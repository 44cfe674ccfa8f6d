import Core
import Replica
import Session

/// A relay as the protocol's page has it, in the plainest words; and one that lies, if told to.
final class NaiveRelay {
    /// How it lies.
    enum Lie: CaseIterable {
        /// Keeps changes to itself.
        case withholds
        /// Sends everything twice, the newest first.
        case repeats
        /// Changes a byte of bodies.
        case tampers
        /// Sends a body under another record's id.
        case swapsRecords
        /// Sends a body under a later clock.
        case raisesClocks
        /// Forwards the first statement that a device ever made, for ever.
        case replaysStatements
        /// Forwards a device's statement as another's.
        case swapsStatements
        /// Says that it has all that the device ever wrote.
        case claimsUploads
        /// Says that the device has read all there is.
        case claimsReads
    }

    private struct Version {
        var change: Change
        let sequence: UInt64
        /// The number under which a device said that it cannot open it.
        var unreadable: UInt64?
    }

    private struct Notice {
        var bytes: [UInt8]
        var first: [UInt8]
        var sequence: UInt64
    }

    private var id = ReplicaID(value: 0xfeed << 100)
    private var epoch = EpochID(value: 40)
    private var sequence: UInt64 = 0
    private var versions: [Version] = []
    private var notices: [ReplicaID: Notice] = [:]
    private var uploads: [ReplicaID: Checkpoint] = [:]
    /// How it lies now.
    var lie: Lie?
    /// How many changes came.
    private(set) var receivedCount = 0
    /// How many changes left.
    private(set) var sentCount = 0

    /// The length of the longest sealed summary.
    var longestNoticeByteCount: Int { notices.values.map(\.bytes.count).max() ?? 0 }
    /// How many versions are kept.
    var versionCount: Int { versions.count }
    /// All that it has, one after the other.
    var bytes: [UInt8] { versions.flatMap(\.change.body) + notices.values.flatMap(\.bytes) }

    /// Loses everything.
    func wipe() {
        id = ReplicaID(value: id.value + 1)
        (versions, notices, uploads, sequence) = ([], [:], [:], 0)
    }

    /// Another bit stands in the middle of each version's body.
    func damage(_ count: Int = .max) {
        for index in versions.indices.prefix(count) {
            let change = versions[index].change
            var body = change.body
            body[body.count / 2] ^= 1
            versions[index].change = Change(change.name, clock: change.clock, body: body)
        }
    }

    /// A member of the space uploads a version of each record that nobody can open.
    ///
    /// - Parameter isLater: whether its clock includes that of the version there.
    func forge(isLater: Bool) {
        for version in versions {
            var clock = version.change.clock
            if isLater { clock.set(9, of: ReplicaID(value: 0xbad)) }
            _ = put(
                Change(version.change.name, clock: clock, body: [UInt8](repeating: 0xff, count: 40))
            )
        }
    }

    /// Has all that came, and no longer knows how much of it came from whom.
    func forgetUploads() { uploads = [:] }

    /// Becomes what it was before a device said that it cannot open something, and does not know of it.
    func forgetWords() {
        for index in versions.indices { versions[index].unreadable = nil }
        sequence = versions.map(\.sequence).max() ?? 0
        (notices, uploads) = ([:], [:])
    }

    /// Becomes what it was when it had so many versions, and does not know of it.
    func setBack(toVersions count: Int) {
        versions.removeLast(versions.count - count)
        sequence = versions.last?.sequence ?? 0
        (notices, uploads) = ([:], [:])
    }

    /// One session with a device.
    final class Visit {
        private let relay: NaiveRelay
        private var replica = ReplicaID(value: 0)
        private var cursor: UInt64 = 0
        private var acknowledgedCount: UInt64 = 0
        private var own: Set<UInt64> = []
        private var hasStood = false
        /// The pieces of the device's sealed summary so far.
        private var pieces: [UInt8] = []

        init(_ relay: NaiveRelay) {
            self.relay = relay
        }

        /// Answers one message.
        func answer(_ message: Message) -> [Message] {
            switch message {
            case .relayHello(let relayHello):
                replica = relayHello.replica
                if let read = relayHello.read, read.relay == relay.id,
                    read.checkpoint.epoch == relay.epoch
                {
                    cursor = min(read.checkpoint.sequence, relay.sequence)
                }
                if relay.lie == .claimsReads { cursor = relay.sequence }
                var uploaded = relay.uploads[replica]
                if relay.lie == .claimsUploads, let known = uploaded {
                    uploaded = Checkpoint(epoch: known.epoch, sequence: known.sequence + 1000)
                }
                return [
                    .relayHelloReply(
                        RelayHelloReply(
                            relay: relay.id,
                            start: Checkpoint(epoch: relay.epoch, sequence: cursor),
                            reached: relay.sequence, uploaded: uploaded))
                ] + deliver()
            case .changes(let batch):
                for change in batch.changes { if let new = relay.put(change) { own.insert(new) } }
                if let through = batch.through { relay.uploads[replica] = through }
                acknowledgedCount += 1
                return [.acknowledge(acknowledgedCount)] + deliver()
            case .sealedSummaryPart(let part):
                pieces += part.bytes
                return []
            case .uploadDone(var upload):
                upload.statement = pieces + upload.statement
                pieces = []
                relay.sequence += 1
                let first = relay.notices[replica]?.first ?? upload.statement
                relay.notices[replica] = Notice(
                    bytes: upload.statement, first: first, sequence: relay.sequence)
                relay.uploads[replica] = upload.through
                acknowledgedCount += 1
                return [.acknowledge(acknowledgedCount)] + deliver()
            case .unreadable(let versions):
                let (kept, unknown) = relay.note(versions.marks, &own)
                acknowledgedCount += 1
                return [
                    .unreadable(UnreadableVersions(kept, unknown: unknown)),
                    .acknowledge(acknowledgedCount),
                ] + deliver()
            default: return []
            }
        }

        /// Returns the changes that this device lacks, at most four in a batch.
        private func deliver() -> [Message] {
            let start = cursor
            cursor = relay.sequence
            if hasStood, cursor == start { return [] }
            hasStood = true
            let said = relay.versions.filter { version in
                version.unreadable.map { $0 > start && !own.contains($0) } ?? false
            }
            var fresh = relay.versions.filter { $0.sequence > start && !own.contains($0.sequence) }
            var told = relay.notices.filter { $0.value.sequence > start && $0.key != replica }
            relay.falsify(&fresh, &told)
            relay.sentCount += fresh.count
            var messages: [Message] = UnreadableVersions.messages(
                said.map { VersionMark(of: $0.change) }
            ).map { .unreadable($0) }
            for index in stride(from: 0, to: fresh.count, by: 4) {
                let part = fresh[index..<min(index + 4, fresh.count)]
                let reached = part.last?.sequence ?? start
                messages.append(
                    .changes(
                        ChangeBatch(
                            changes: part.map(\.change),
                            through: Checkpoint(epoch: relay.epoch, sequence: reached))))
            }
            let notices = told.keys.sorted().map { replica in
                let bytes =
                    relay.lie == .replaysStatements
                    ? told[replica]?.first ?? [] : told[replica]?.bytes ?? []
                let (parts, last) = SealedSummaryPart.cut(bytes, of: replica)
                messages += parts.map { .sealedSummaryPart($0) }
                return DownloadDone.Notice(replica: replica, bytes: last)
            }
            messages.append(
                .downloadDone(
                    DownloadDone(
                        through: Checkpoint(epoch: relay.epoch, sequence: cursor), notices: notices)
                ))
            return messages
        }
    }

    /// Takes note of versions that a device cannot open; gives those that are here, and those that are not.
    private func note(
        _ marks: [VersionMark], _ own: inout Set<UInt64>
    ) -> (kept: [VersionMark], unknown: [VersionMark]) {
        var (kept, unknown): ([VersionMark], [VersionMark]) = ([], [])
        for mark in marks {
            guard let index = versions.firstIndex(where: { VersionMark(of: $0.change) == mark })
            else {
                unknown.append(mark)
                continue
            }
            kept.append(mark)
            if versions[index].unreadable != nil { continue }
            sequence += 1
            versions[index].unreadable = sequence
            own.insert(sequence)
        }
        return (kept, unknown)
    }

    private func put(_ change: Change) -> UInt64? {
        receivedCount += 1
        let others = versions.filter { $0.change.name == change.name }
        let isHere = others.contains {
            $0.change == change
                || $0.unreadable == nil && $0.change.clock != change.clock
                    && $0.change.clock.covers(change.clock)
        }
        if isHere { return nil }
        versions.removeAll {
            $0.change.name == change.name && change.clock != $0.change.clock
                && change.clock.covers($0.change.clock)
        }
        sequence += 1
        versions.append(Version(change: change, sequence: sequence))
        return sequence
    }

    private func falsify(_ fresh: inout [Version], _ told: inout [ReplicaID: Notice]) {
        func changed(_ body: (Change) -> Change) {
            fresh = fresh.map { Version(change: body($0.change), sequence: $0.sequence) }
        }
        switch lie {
        case .withholds: fresh = fresh.filter { $0.sequence % 2 == 0 }
        case .repeats: fresh = versions.reversed() + fresh
        case .tampers:
            changed { change in
                var body = change.body
                body[body.count / 2] ^= 1
                return Change(change.name, clock: change.clock, body: body)
            }
        case .swapsRecords:
            let names = fresh.map(\.change.name)
            fresh = fresh.enumerated().map { index, version in
                Version(
                    change: Change(
                        names[(index + 1) % names.count], clock: version.change.clock,
                        body: version.change.body), sequence: version.sequence)
            }
        case .raisesClocks:
            changed { change in
                var clock = change.clock
                for entry in clock.entries { clock.set(entry.counter + 5, of: entry.replica) }
                return Change(change.name, clock: clock, body: change.body)
            }
        case .swapsStatements:
            let bytes = told.keys.sorted().compactMap { told[$0]?.bytes }
            for (index, replica) in told.keys.sorted().enumerated() {
                told[replica]?.bytes = bytes[(index + 1) % bytes.count]
            }
        case .replaysStatements, .claimsUploads, .claimsReads, nil: return
        }
    }
}
