import Core
import Storage
import TestSupport

/// Searches of stores, and a look at their index, for the tests of both.
protocol SearchIndexTesting {}

extension SearchIndexTesting {
    static var title: FieldPath { .field(2) }
    static var notes: FieldPath { .field(3) }

    /// Every search of a text makes the index, however few records there are.
    static var always: StoreOptions {
        var options = StoreOptions()
        options.searchedRecordCountMin = 0
        return options
    }

    static func holding(_ text: String) -> FetchPredicate {
        .or([.contains(title, text), .contains(notes, text)])
    }

    static func request(
        _ text: String, scope: FetchRequest.Scope = .live, limit: Int? = nil
    ) -> FetchRequest {
        FetchRequest(StoreWorld.todo, scope: scope, where: holding(text), limit: limit)
    }

    /// The titles that a search finds, sorted.
    func titles(_ text: String, in store: Store) throws -> [String] {
        try store.fetch(Self.request(text)).compactMap { Self.text($0, 2) }.sorted()
    }

    static func text(_ record: Record, _ number: UInt32) -> String? {
        if case .text(let text)? = record[number] { text } else { nil }
    }

    /// The records that hold a text in a field, from all records, without any index.
    static func scan(
        _ text: String, _ request: FetchRequest, _ store: Store
    ) throws -> [RecordID] {
        var all = request
        all.predicate = .all
        all.limit = nil
        let part = text.foldedForSearch
        let found = try store.fetch(all).filter { record in
            [2, 3].contains { number in
                Self.text(record, number)?.contains(folded: part) ?? false
            }
        }
        return found.map(\.id).prefix(request.limit ?? .max).map(\.self)
    }

    /// Whether the last searches asked the index.
    func asksIndex(_ store: Store) throws -> Bool {
        try store.plans().contains { $0.sql.contains(" MATCH ") && $0.sql.contains("CROSS JOIN") }
    }

    /// A connection of another program to a store's file.
    static func connection(_ store: Store) throws -> Connection {
        try Connection(
            path: store.paths.database, on: StoreWorld().environment.disk, creates: false,
            busyMilliseconds: 0)
    }

    /// The names of the index's tables and triggers in a store's file.
    func parts(_ store: Store) throws -> [String] {
        let connection = try Self.connection(store)
        defer { connection.close() }
        let rows = try connection.statement(
            "SELECT name FROM sqlite_schema WHERE name GLOB 'todo_words*' ORDER BY name")
        var names: [String] = []
        while try rows.step() { names.append(String(decoding: rows.bytes(0), as: UTF8.self)) }
        return names
    }

    func execute(_ sql: String, in store: Store) throws {
        let connection = try Self.connection(store)
        defer { connection.close() }
        try connection.execute(sql)
    }
}
