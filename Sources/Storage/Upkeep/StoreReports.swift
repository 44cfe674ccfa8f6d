import Core

/// The facts of a store, for reports.
package struct StoreSummary: Hashable, Sendable {
    /// A device that this one synced with.
    package struct Peer: Hashable, Sendable {
        /// The device's replica.
        package let replica: ReplicaID
        /// When it was last in sync, by this device's clock; milliseconds since 1970-01-01 UTC.
        package let lastContact: Int64
        /// Whether it stated something that it did not send.
        package let isSuspect: Bool
    }

    /// The space.
    package let space: SpaceID
    /// The space's rule.
    package let policy: DeletePolicy
    /// This replica.
    package let replica: ReplicaID
    /// The name of this device on the others.
    package let deviceName: String
    /// How many writes this replica made.
    package let counter: UInt64
    /// The last arrival number.
    package let sequence: UInt64
    /// The counters up to which writes are integrated or deferred.
    package let knowledge: VersionVector
    /// The devices that this one synced with, the latest first.
    package let peers: [Peer]
    /// The sum of the hashes of all records.
    package let digest: UInt128
    /// How many changes are deferred.
    package let deferredCount: Int
}

/// A sign of damage that the examination of a store found.
public enum StoreFinding: Hashable, Sendable, CustomStringConvertible {
    /// SQLite found that indexes do not fit their tables, and nothing else; its words.
    case indexes(detail: String)
    /// SQLite found pages or rows that do not fit; its words.
    case pages(detail: String)
    /// A table, index or view is not described as it was made.
    case misdescribed(kind: String, name: String)
    /// A record breaks the rules of its form.
    case malformedRecord(RecordName)
    /// The sum of the hashes of all records does not fit these.
    case digest
    /// A replica is in clocks of records, and not in the table of replicas.
    case missingReplica(ReplicaID)
    /// The share of deferred changes in a replica's checksum does not fit these.
    case deferredChecksum(ReplicaID)
    /// The checksum of a replica does not fit the records.
    case checksum(ReplicaID)
    /// The numbers of a collection's records by how they stand do not fit these.
    case counts(collection: String)
    /// The index of a collection's words does not fit the records.
    case search(collection: String)

    /// The finding in the answer of SQLite's `integrity_check`, a line each.
    init(integrityCheck lines: String) {
        let isOfIndexes = lines.split(separator: "\n").allSatisfy {
            SQLiteMessage.ofIndex.occurs(in: $0)
        }
        self = isOfIndexes ? .indexes(detail: lines) : .pages(detail: lines)
    }

    /// A way to make anew from the records what a finding is about.
    package enum Repair: Hashable, Sendable {
        /// `rebuildIndexes`.
        case indexes
        /// `recount`.
        case sums
    }

    /// The repair that ends the finding; nil if there is none.
    package var repair: Repair? {
        switch self {
        case .indexes, .search: .indexes
        case .digest, .missingReplica, .deferredChecksum, .checksum, .counts: .sums
        case .pages, .misdescribed, .malformedRecord: nil
        }
    }

    /// The code of the finding, for programs.
    public var code: String {
        switch self {
        case .indexes: "indexes"
        case .pages: "pages"
        case .misdescribed: "misdescribed"
        case .malformedRecord: "malformed-record"
        case .digest: "digest"
        case .missingReplica: "missing-replica"
        case .deferredChecksum: "deferred-checksum"
        case .checksum: "checksum"
        case .counts: "counts"
        case .search: "search"
        }
    }

    /// The finding in words.
    public var description: String {
        switch self {
        case .indexes(let detail), .pages(let detail): "pages: \(detail)"
        case .misdescribed(let kind, let name):
            "the \(kind) \(name) is not described as it was made"
        case .malformedRecord(let name): "record \(name) is malformed"
        case .digest: "the digest does not fit the records"
        case .missingReplica(let id): "replica \(id) is missing in the table of replicas"
        case .deferredChecksum(let id): "the checksum of deferred changes of \(id) does not fit"
        case .checksum(let id): "the checksum of replica \(id) does not fit the records"
        case .counts(let collection): "the counts of \(collection) do not fit the records"
        case .search(let collection): "the index of words of \(collection) does not fit the records"
        }
    }
}

/// The sums that a store keeps along with its records, counted anew from these.
struct RecordSums {
    /// Over the contents of what is integrated.
    var digest: UInt128 = 0
    /// Over the clocks of what is integrated or deferred, for each replica id.
    var checksums: ReplicaTable
}
