import Core

/// The versions of the records to which a transaction has put any, so that those of one record are read once and not
/// for each change about it.
package struct SQLiteRelayVersions {
    /// The most that is kept, in entries of clocks and versions; a record for which there is no room is read again.
    package static let entryCountMax = 1_048_576

    private var versions: [RecordID: [RelayStoredVersion]] = [:]
    private var entryCount = 0
    /// How many versions were read from the file.
    var readCount = 0

    /// No version is known.
    package init() {}

    /// Takes out those of a record, to be kept anew; nil if they are not known.
    package mutating func take(_ id: RecordID) -> [RelayStoredVersion]? {
        guard let found = versions.removeValue(forKey: id) else { return nil }
        entryCount -= Self.entryCount(found)
        return found
    }

    /// Keeps those of a record, if there is room.
    package mutating func keep(_ found: [RelayStoredVersion], of id: RecordID) {
        let count = Self.entryCount(found)
        guard entryCount + count <= Self.entryCountMax else { return }
        versions[id] = found
        entryCount += count
    }

    /// Forgets those of a record, as one of them has changed.
    mutating func forget(_ id: RecordID) { _ = take(id) }

    /// Forgets all, as a transaction begins or ends.
    mutating func forgetAll() {
        versions = [:]
        entryCount = 0
    }

    private static func entryCount(_ versions: [RelayStoredVersion]) -> Int {
        versions.reduce(versions.count) { $0 + $1.clock.entries.count }
    }
}
