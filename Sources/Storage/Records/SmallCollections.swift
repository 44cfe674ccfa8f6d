import Core

/// The ids in small collections, held in memory while nobody else writes: nearly every change that
/// arrives would have to look for its id in them, and find nothing.
struct SmallCollections {
    /// The most records of a collection whose ids are held.
    private static let recordCountMax = 512

    private enum Content {
        case unread
        case large
        case ids(Set<RecordID>)
    }

    private var contents: [Content]

    init(count: Int) {
        contents = Array(repeating: .unread, count: count)
    }

    /// The ids of a collection; nil if there are too many of them.
    mutating func ids(of place: Int, in database: Database) throws(StoreFault) -> Set<RecordID>? {
        switch contents[place] {
        case .large: return nil
        case .ids(let ids): return ids
        case .unread: break
        }
        let rows = try database.connection.statement(
            "SELECT id FROM \(database.collections[place].table) LIMIT \(Self.recordCountMax + 1)")
        defer { rows.reset() }
        var ids: Set<RecordID> = []
        while try rows.step() { if let id = rows.identifier(0) { ids.insert(RecordID(value: id)) } }
        contents[place] = ids.count > Self.recordCountMax ? .large : .ids(ids)
        return ids.count > Self.recordCountMax ? nil : ids
    }

    /// Takes note of a new record.
    mutating func insert(_ id: RecordID, into place: Int) {
        guard case .ids(var ids) = contents[place] else { return }
        contents[place] = .unread
        ids.insert(id)
        contents[place] = ids.count > Self.recordCountMax ? .large : .ids(ids)
    }

    /// Forgets everything, after others wrote or a transaction was undone.
    mutating func forget() {
        for place in contents.indices { contents[place] = .unread }
    }
}

/// The changes of a change set to the number of live records.
struct ArrivalCount {
    /// Records that were alive and are deleted now, less those that came back.
    var deleted = 0
    /// Live records that were not there before.
    var added = 0

    /// Counts a record's new state.
    ///
    /// - Parameter wasDeleted: nil if it was not there.
    mutating func note(wasDeleted: Bool?, isDeleted: Bool) {
        switch (wasDeleted, isDeleted) {
        case (nil, false): added += 1
        case (false, true): deleted += 1
        case (true, false): deleted -= 1
        case (nil, true), (true, true), (false, false): return
        }
    }
}
