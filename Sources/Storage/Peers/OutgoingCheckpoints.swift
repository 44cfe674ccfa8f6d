import Core

/// The part of a store that remembers how far others have it: relays, by their own word, and devices.
///
/// Owns the table `relay_mark`. How far this store was uploaded a relay remembers as well, but of a
/// replica id: of a machine that was set back unnoticed it knows the other past. What the store itself
/// remembers went back with it.
final class OutgoingCheckpoints {
    /// Up to an arrival number here a relay has all records but some.
    struct Fetched {
        /// The last arrival number.
        let through: Checkpoint
        /// The records that the relay lacks.
        let lacking: Set<RecordName>
    }

    /// The most stores of relays that are remembered; to others everything is uploaded once more.
    static let relayCountMax = 64
    /// The most differences that are remembered for which a relay was read anew: rows may come in
    /// several parts, each with another one.
    static let differenceCountMax = 8
    /// The most devices that are remembered.
    static let deviceCountMax = 64
    /// The namespace of the local metadata in which devices are remembered.
    private static let deviceNamespace = "sent"

    private let database: Database
    private let metadata: LocalMetadata
    /// The records fetched from relays that are not known to be with them by their own word.
    private var fetched: [ReplicaID: Fetched] = [:]

    init(_ database: Database, _ metadata: LocalMetadata) {
        self.database = database
        self.metadata = metadata
    }

    // MARK: Relays

    /// Remembers that a relay has everything up to a checkpoint of this store; inside of a transaction.
    func noteUploaded(through: Checkpoint, to relay: ReplicaID) throws(StoreFault) {
        let row = try database.connection.statement(
            """
            INSERT INTO relay_mark(id, epoch, sequence) VALUES (?1, ?2, ?3)
            ON CONFLICT(id) DO UPDATE SET epoch = ?2, sequence = ?3
            """)
        row.bind(1, identifier: relay.value)
        row.bind(2, through.epoch.value)
        row.bind(3, through.sequence)
        try row.run()
        try forgetRelays(but: relay)
    }

    /// How far this store was uploaded to a relay; nil if it remembers nothing.
    func uploadMark(at relay: ReplicaID) throws(StoreFault) -> Checkpoint? {
        try database.reading { () throws(StoreFault) in
            let row = try database.connection.statement(
                "SELECT epoch, sequence FROM relay_mark WHERE id = ? AND epoch <> 0")
            row.bind(1, identifier: relay.value)
            defer { row.reset() }
            guard try row.step() else { return nil }
            return Checkpoint(epoch: EpochID(value: row.unsigned(0)), sequence: row.unsigned(1))
        }
    }

    /// Has all be uploaded to a relay once more, as it lacks some of it; inside of a transaction.
    func forgetUploads(to relay: ReplicaID) throws(StoreFault) {
        fetched[relay] = nil
        let row = try database.connection.statement(
            "UPDATE relay_mark SET epoch = 0, sequence = 0 WHERE id = ?")
        row.bind(1, identifier: relay.value)
        try row.run()
    }

    /// Remembers which summary rows contents here differ from; inside of a transaction.
    ///
    /// If they are others than before the relay is to be read anew, as every version of these contents is there: read
    /// once more, they are united.
    /// The rows of a device that is no more stay at the relay: they cost one reading.
    ///
    /// - Parameter checkpoints: those of peers, where the relay is forgotten.
    /// - Returns: whether the relay is to be read anew.
    func noteDifferences(
        _ rows: [SummaryRowContent], at relay: ReplicaID, forgetting checkpoints: PeerCheckpoints
    ) throws(StoreFault) -> Bool {
        let all = rows.map { ($0.about?.bytes ?? []) + $0.bytes }
            .sorted { $0.lexicographicallyPrecedes($1) }
        let mark = String(SipHash().hash128(all.flatMap(\.self)), radix: 36)
        let known = try differences(at: relay)
        if known.contains(mark) { return false }
        let row = try database.connection.statement(
            """
            INSERT INTO relay_mark(id, differences) VALUES (?1, ?2)
            ON CONFLICT(id) DO UPDATE SET differences = ?2
            """)
        row.bind(1, identifier: relay.value)
        row.bind(2, ([mark] + known.prefix(Self.differenceCountMax - 1)).joined(separator: " "))
        try row.run()
        try forgetRelays(but: relay)
        try checkpoints.forget(relay)
        return true
    }

    private func differences(at relay: ReplicaID) throws(StoreFault) -> [String] {
        let row = try database.connection.statement(
            "SELECT differences FROM relay_mark WHERE id = ?")
        row.bind(1, identifier: relay.value)
        defer { row.reset() }
        return try row.step() ? row.text(0).split(separator: " ").map { String($0) } : []
    }

    /// Remembers, as long as the store is open, that a relay has all records up to a checkpoint but some, as
    /// it sent them itself to a store that had next to nothing.
    func noteFetched(through: Checkpoint, lacking: Set<RecordName>, from relay: ReplicaID) {
        if fetched[relay] == nil, fetched.count >= Self.relayCountMax { fetched = [:] }
        fetched[relay] = Fetched(through: through, lacking: lacking)
    }

    /// The records fetched from a relay; asked for once, as from then on the relay itself is told how far it has all.
    func dequeueFetched(from relay: ReplicaID) -> Fetched? {
        fetched.removeValue(forKey: relay)
    }

    /// Forgets relays, and what was fetched from them.
    func forgetRelays() throws(StoreFault) {
        fetched = [:]
        try database.connection.execute("DELETE FROM relay_mark")
    }

    /// Keeps to the limit.
    private func forgetRelays(but relay: ReplicaID) throws(StoreFault) {
        let excess = try database.connection.statement(
            """
            DELETE FROM relay_mark WHERE id IN (
                SELECT id FROM relay_mark WHERE id <> ?1
                ORDER BY sequence DESC, id LIMIT -1 OFFSET ?2)
            """)
        excess.bind(1, identifier: relay.value)
        excess.bind(2, Int64(Self.relayCountMax - 1))
        try excess.run()
    }

    // MARK: Devices

    /// Remembers that a device has everything up to an arrival number of this store; of relays that is
    /// remembered already.
    ///
    /// For reports alone: a session goes by what is agreed on there.
    func noteSent(through sequence: UInt64, to device: ReplicaID) throws(StoreFault) {
        if try uploadMark(at: device) != nil { return }
        let known = try metadata.all(in: Self.deviceNamespace)
        let content = Array(String(sequence).utf8)
        if known[device.uuidText] == content { return }
        let others = known.filter { $0.key != device.uuidText }.sorted {
            (Self.sequence(in: $1.value), $1.key) < (Self.sequence(in: $0.value), $0.key)
        }
        try database.changing { () throws(StoreFault) in
            for old in others.dropFirst(Self.deviceCountMax - 1) {
                try metadata.set(nil, named: old.key, in: Self.deviceNamespace)
            }
            try metadata.set(content, named: device.uuidText, in: Self.deviceNamespace)
        }
    }

    /// The arrival number of this store up to which a relay or a device has everything; nil if it is not known.
    func sentThrough(to peer: ReplicaID) throws(StoreFault) -> UInt64? {
        if let mark = try uploadMark(at: peer) { return mark.sequence }
        return try metadata.all(in: Self.deviceNamespace)[peer.uuidText].map(Self.sequence)
    }

    private static func sequence(in content: [UInt8]) -> UInt64 {
        UInt64(String(decoding: content, as: UTF8.self)) ?? 0
    }
}
