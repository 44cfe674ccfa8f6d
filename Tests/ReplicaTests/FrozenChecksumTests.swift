import Core
import JSON
import Storage
import Testing
import VectorFiles

/// A real store beside the frozen checksums, whose answers the vectors' own code works out.
@Suite("Frozen checksums")
struct FrozenChecksumTests {
    private static let author = ReplicaID(value: 1 << 100)
    private static let zeroKey = String(repeating: "0", count: 32)

    /// The cases under the key that stores have.
    private static let cases: [JSON] = VectorKind.checksums.questions
        .filter { $0["key"]?.asText == zeroKey }.compactMap { VectorKind.checksums.answered($0) }

    private static func hex(_ value: UInt128) -> JSON {
        .text(Hexadecimal.text(RecordID(value: value).bytes))
    }

    private static func vector(_ json: JSON?) -> VersionVector? {
        (json?.asList).map { items in
            VersionVector(
                unsorted: items.compactMap { item in
                    guard let pair = item.asList, let counter = pair[1].asNumber,
                        let replica = pair[0].asText.flatMap({ ReplicaID(uuidText: $0) })
                    else { return nil }
                    return VersionVector.Entry(replica: replica, counter: counter)
                })
        }
    }

    /// The changes of a case: integrated ones, and ones with a body that no version reads.
    private static func changes(in items: [JSON]) throws -> [Change] {
        try items.flatMap { item in
            let id = try #require(item["id"]?.asText.flatMap { RecordID(uuidText: $0) })
            let number = item["collection"]?.asNumber.map { CollectionID.number(UInt32($0)) }
            let name = RecordName(number ?? .text(item["collection"]?.asText ?? ""), id)
            let body = item["hex"]?.asText.flatMap { Hexadecimal.bytes($0) } ?? []
            let integrated = vector(item["clock"]).map { Change(name, clock: $0, body: body) }
            let deferred = (item["deferred"]?.asList ?? []).compactMap { vector($0) }
                .map { Change(name, clock: $0, body: [0xff, 0x00]) }
            return (integrated.map { [$0] } ?? []) + deferred
        }
    }

    private func stateSummary(of store: Store) throws -> StateSummary {
        try #require(try store.read(from: .sequence(0), peerHas: PeerHoldings()).stateSummary)
    }

    @Test("a store counts records and deferred changes as the vectors do", arguments: cases)
    func counts(example: JSON) throws {
        let world = SyncWorld(seed: 21)
        let store = try world.store(try world.makeDevice())
        let before = try stateSummary(of: store)
        let items = try #require(example["records"]?.asList)
        for change in try Self.changes(in: items) {
            _ = try store.integrate([change], from: Self.author, checkpoint: nil)
        }
        let after = try stateSummary(of: store)
        let (seen, own) = (Self.vector(example["seen"]), before.entries.map(\.replica))
        var expected: [JSON] = []
        for entry in after.entries where !own.contains(entry.replica) {
            expected.append(
                .list([Self.hex(entry.replica.value), Self.hex(entry.checksum)]))
            if let seen { #expect(entry.seen == seen.counter(of: entry.replica)) }
        }
        #expect(example["checksums"] == .list(expected))
        let digest = after.digest.contents &- before.digest.contents
        #expect(example["digest"] == Self.hex(digest))
        #expect((after.digest.clocks != nil) == (seen != nil))
        #expect(
            try store.allDeferred().count
                == items.reduce(0) { $0 + ($1["deferred"]?.asList?.count ?? 0) })
    }
}
