import CSQLite
import Core

/// How much an index of words is asked.
package enum SearchLimits {
    /// The most terms of FTS5 in one question, of which there are at most `SearchGrams.termCountMax` for a text.
    static let termCountMax = 64

    /// The most candidates that are looked at; with more of them it is quicker to go through the rows in order, until
    /// as many are found as are wanted.
    ///
    /// A candidate costs about as much as three rows: its row is looked up, and all that are found are sorted. Where
    /// c of n records are candidates, some `wanted` · n / c rows have to be gone through in order.
    package static func candidateCountMax(of count: Int, wanted: Int?) -> Int {
        let all = count / 3
        guard let wanted, wanted >= 0, wanted < count else { return all }
        return min(all, Int((Double(wanted) * Double(all)).squareRoot()))
    }
}

/// The part of a store that finds the records whose texts contain words, by an index of parts of these.
///
/// Owns the tables and triggers of `SearchTables`. An index is made at the first search of a collection with enough
/// records, so that a device which never searches has none; then triggers keep it. It takes records too many and never
/// one too few, and the statement that reads their rows looks into the texts themselves: whether there is an index
/// changes no answer. It may be taken away at any time, and is where the tables are made anew: it comes back with
/// the next search.
final class SearchIndex: StorePart {
    /// The records that an index offers for a predicate.
    struct Candidates {
        let tables: SearchTables
        /// The query, in the language of FTS5.
        let expression: String
    }

    private let database: Database
    private let counts: RecordCounts
    /// By the indexes of the collections; nil for one without an index.
    private let tables: [SearchTables?]
    /// The indexes of the collections in which the transaction purged records.
    private var purged: Set<Int> = []

    init(_ database: Database, _ counts: RecordCounts) {
        self.database = database
        self.counts = counts
        // Without FTS5 nothing can be made.
        let canMake = sqlite3_compileoption_used("ENABLE_FTS5") != 0
        tables = database.collections.map { canMake ? SearchTables($0) : nil }
    }

    // MARK: Searches

    /// The question to an index for a request; nil if only the rows can tell.
    func candidates(of request: FetchRequest, in index: Int) -> Candidates? {
        guard let tables = tables[index],
            let expression = expression(of: request.predicate, in: index)
        else { return nil }
        return Candidates(tables: tables, expression: expression)
    }

    /// Makes the index that a request could be answered by, unless it is there or would not pay.
    ///
    /// Done before a transaction begins. A search waits for nobody and writes nothing that it cannot: without an index
    /// it reads all rows.
    /// - Returns: the question to that index, for `candidates(_:for:in:)`.
    func prepare(for request: FetchRequest, in index: Int) throws(StoreFault) -> Candidates? {
        guard let found = candidates(of: request, in: index) else { return nil }
        if !database.connection.isInTransaction,
            counts.keptCount(in: index) >= database.options.searchedRecordCountMin,
            try !found.tables.isMade(on: database.connection)
        {
            try make(found.tables)
        }
        return found
    }

    private func make(_ tables: SearchTables) throws(StoreFault) {
        do throws(StoreFault) {
            try database.connection.execute("PRAGMA busy_timeout = 0")
            defer {
                try? database.connection.execute(
                    "PRAGMA busy_timeout = \(database.options.busyMilliseconds)")
            }
            try database.changingTables { () throws(StoreFault) in
                // Another process may have made it meanwhile.
                if try tables.isMade(on: database.connection) { return }
                try tables.make(on: database.connection)
            }
        } catch {
            switch error {
            case .busy, .readOnly, .diskFull: return
            default: throw error
            }
        }
    }

    /// The same candidates; nil if there is no index of them, or it is better to look at all records.
    func candidates(
        _ found: Candidates?, for request: FetchRequest, in index: Int
    ) throws(StoreFault) -> Candidates? {
        guard let found, try found.tables.isMade(on: database.connection) else { return nil }
        let tables = found.tables
        let countMax = SearchLimits.candidateCountMax(
            of: counts.keptCount(in: index),
            wanted: request.limit.map { max($0, 0).plus(request.offset) })
        let row = try database.connection.statement(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(tables.words)
                WHERE \(tables.words) MATCH ? LIMIT ?)
            """)
        row.bind(1, found.expression)
        row.bind(2, Int64(countMax + 1))
        defer { row.reset() }
        return try row.step() && row.int(0) <= countMax ? found : nil
    }

    private func expression(of predicate: FetchPredicate, in index: Int) -> String? {
        guard let found = expression(predicate, database.collections[index]),
            found.termCount <= SearchLimits.termCountMax
        else { return nil }
        return found.text
    }

    private struct Expression: Equatable {
        let text: String
        let termCount: Int

        /// Nil if there is none to join.
        init?(_ parts: [Expression], joinedBy word: String) {
            var different: [Expression] = []
            for part in parts where !different.contains(part) { different.append(part) }
            guard let first = different.first else { return nil }
            if different.count == 1 {
                self = first
            } else {
                text = "(" + different.map(\.text).joined(separator: " \(word) ") + ")"
                termCount = different.reduce(0) { $0 + $1.termCount }
            }
        }

        init(term: String) { (text, termCount) = (term, 1) }
    }

    /// An expression that takes whatever a predicate takes; nil if only the rows can tell.
    private func expression(
        _ predicate: FetchPredicate, _ schema: CollectionSchema
    ) -> Expression? {
        switch predicate {
        case .contains(let path, let text):
            guard path.references.isEmpty, case .field(let name) = path.target,
                let column = schema.field(name)?.column, schema.searchedColumns.contains(column)
            else { return nil }
            let terms = SearchGrams.terms(ofFolded: text.foldedForSearch)
            return Expression(terms.map { Expression(term: $0) }, joinedBy: "AND")
        case .and(let parts):
            return Expression(parts.compactMap { expression($0, schema) }, joinedBy: "AND")
        case .or(let parts):
            let found = parts.compactMap { expression($0, schema) }
            return found.count == parts.count ? Expression(found, joinedBy: "OR") : nil
        default: return nil
        }
    }

    // MARK: Purges

    /// Notes that a record has lost its content for good.
    func notePurge(in index: Int) {
        if tables[index] != nil { purged.insert(index) }
    }

    func begin() { purged = [] }

    func rollBack() { purged = [] }

    func end() { purged = [] }

    /// Merges the indexes in which records were purged: what was taken out of one stays in older parts of it till then.
    func save() throws(StoreFault) -> Bool {
        for index in purged.sorted() {
            guard let tables = tables[index], try tables.isMade(on: database.connection) else {
                continue
            }
            try database.connection.execute(tables.merging)
        }
        purged = []
        return false
    }

    // MARK: Upkeep

    /// Makes the indexes anew that are there; inside of a transaction.
    func remake() throws(StoreFault) {
        for tables in tables.compactMap(\.self) where try isPresent(tables) {
            try tables.make(on: database.connection)
        }
    }

    /// The names of the collections whose index does not fit the records.
    func deviations() throws(StoreFault) -> [String] {
        var found: [String] = []
        for (schema, tables) in zip(database.collections, tables) {
            guard let tables, try isPresent(tables) else { continue }
            if try !fits(tables) { found.append(schema.name) }
        }
        return found
    }

    /// Whether anything of an index is there, be it not all or not as this program makes it.
    private func isPresent(_ tables: SearchTables) throws(StoreFault) -> Bool {
        let row = try database.connection.statement(
            "SELECT count(*) FROM sqlite_schema WHERE name = ? OR name GLOB ?")
        row.bind(1, tables.words)
        row.bind(2, tables.words + "_*")
        defer { row.reset() }
        return try row.step() && row.int(0) > 0
    }

    /// Whether the index has the parts of words of all records, and nothing else.
    private func fits(_ tables: SearchTables) throws(StoreFault) -> Bool {
        // One of an earlier program is made anew by the next search.
        guard try tables.isMade(on: database.connection) else { return true }
        do throws(StoreFault) {
            try checkPages(tables)
            return try indexSum(tables) == rowSum(tables)
        } catch .corrupt {
            return false
        }
    }

    /// FTS5's own check, which searches rely on: the way to the pages of a word is right.
    ///
    /// It takes the place of a writer; where there is none to be had, the other check alone is made.
    private func checkPages(_ tables: SearchTables) throws(StoreFault) {
        do throws(StoreFault) {
            try database.connection.execute(tables.checking)
        } catch {
            switch error {
            case .busy, .readOnly: return
            default: throw error
            }
        }
    }

    private func rowSum(_ tables: SearchTables) throws(StoreFault) -> UInt64 {
        let rows = try database.connection.unkept(tables.rowGrams)
        var sum: UInt64 = 0
        while try rows.step() {
            let number = rows.unsigned(0)
            rows.withBytes(1) { bytes in
                var hashes: Set<UInt64> = []
                for gram in bytes.split(separator: UInt8(ascii: " ")) {
                    hashes.insert(Self.hash(UnsafeRawBufferPointer(rebasing: gram), number))
                }
                sum = hashes.reduce(sum, &+)
            }
        }
        return sum
    }

    private func indexSum(_ tables: SearchTables) throws(StoreFault) -> UInt64 {
        let connection = database.connection
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.\(tables.words)_terms;
            CREATE VIRTUAL TABLE temp.\(tables.words)_terms
                USING fts5vocab('main', '\(tables.words)', 'instance')
            """)
        var sum: UInt64 = 0
        do {
            let rows = try connection.unkept("SELECT doc, term FROM temp.\(tables.words)_terms")
            while try rows.step() {
                let number = rows.unsigned(0)
                sum &+= rows.withBytes(1) { Self.hash($0, number) }
            }
        }
        try connection.execute("DROP TABLE temp.\(tables.words)_terms")
        return sum
    }

    /// A hash of a part of a word and the number of a row that has it.
    private static func hash(_ gram: UnsafeRawBufferPointer, _ number: UInt64) -> UInt64 {
        var hash = number &* 0x9e37_79b9_7f4a_7c15 ^ 0xcbf2_9ce4_8422_2325
        for byte in gram { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return (hash ^ hash >> 29) &* 0xbf58_476d_1ce4_e5b9
    }
}
