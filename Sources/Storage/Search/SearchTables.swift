import CSQLite

/// The index of the words of one collection's texts, as tables and triggers of the database.
///
/// The first table is FTS5's, over the parts of words that `SearchGrams` makes, without the texts and without places
/// in them: whether a text really contains what is looked for, the row itself tells. Its rows have the number that a
/// record's row had when it came into the index. A row gets another number with each change of its record, and texts
/// change rarely: the second table has the numbers of the rows that moved. The triggers write both in the transaction
/// that writes the row, whoever does. Source: sqlite.org/fts5.html, sections 4.4 and 4.7.
struct SearchTables {
    private let records: String
    private let columns: [String]
    private let unmaking: String
    /// The table of FTS5.
    let words: String
    /// The table of the rows that have another number than in the index.
    let moved: String

    /// Nil if the collection has no texts that are searched by an index.
    init?(_ schema: CollectionSchema) {
        if schema.searchedColumns.isEmpty { return nil }
        records = schema.table
        columns = schema.searchedColumns.map { "\"\($0)\"" }
        words = Self.words(schema.name)
        moved = words + "_moved"
        unmaking = Self.unmaking(ofCollection: schema.name)
    }

    private static func words(_ collection: String) -> String { collection + "_words" }

    /// The statements that make the tables and triggers, as SQLite keeps them.
    var making: [String] {
        let isOther = columns.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR ")
        let newNumber =
            "ifnull((SELECT number FROM \(moved) WHERE sequence = new.sequence), new.sequence)"
        return [
            """
            CREATE VIRTUAL TABLE \(words) USING fts5(\
            grams, content='', columnsize=0, detail=none, tokenize='ascii')
            """,
            "CREATE TABLE \(moved)(number INTEGER PRIMARY KEY, sequence INTEGER NOT NULL UNIQUE)",
            """
            CREATE TRIGGER \(words)_insert AFTER INSERT ON \(records) BEGIN
                -- Parts of words by rules \(SearchGrams.rules).
                INSERT INTO \(words)(rowid, grams) VALUES (new.sequence, \(grams(of: "new.")));
            END
            """,
            """
            CREATE TRIGGER \(words)_update AFTER UPDATE ON \(records) BEGIN
                UPDATE \(moved) SET sequence = new.sequence WHERE sequence = old.sequence;
                INSERT INTO \(moved)(number, sequence) SELECT old.sequence, new.sequence
                    WHERE NOT EXISTS (SELECT 1 FROM \(moved) WHERE sequence = new.sequence);
                INSERT INTO \(words)(\(words), rowid, grams)
                    SELECT 'delete', \(newNumber), \(grams(of: "old.")) WHERE \(isOther);
                INSERT INTO \(words)(rowid, grams)
                    SELECT \(newNumber), \(grams(of: "new.")) WHERE \(isOther);
            END
            """,
            """
            CREATE TRIGGER \(words)_delete AFTER DELETE ON \(records) BEGIN
                INSERT INTO \(words)(\(words), rowid, grams) VALUES ('delete', ifnull((
                    SELECT number FROM \(moved) WHERE sequence = old.sequence), old.sequence),
                    \(grams(of: "old.")));
                DELETE FROM \(moved) WHERE sequence = old.sequence;
            END
            """,
        ]
    }

    /// The statement that brings all rows into the index.
    var filling: String {
        """
        INSERT INTO \(words)(rowid, grams) SELECT sequence, \(grams(of: "")) FROM \(records)
            WHERE coalesce(\((columns + ["NULL"]).joined(separator: ", "))) IS NOT NULL ORDER BY sequence
        """
    }

    /// The statements that take all of it away, if any of it is there.
    static func unmaking(ofCollection name: String) -> String {
        let words = words(name)
        return """
            DROP TRIGGER IF EXISTS \(words)_insert; DROP TRIGGER IF EXISTS \(words)_update;
            DROP TRIGGER IF EXISTS \(words)_delete;
            DROP TABLE IF EXISTS \(words); DROP TABLE IF EXISTS \(words)_moved;
            """
    }

    /// The statement that merges all parts of the index into one, so that nothing stays of what was taken out.
    var merging: String { "INSERT INTO \(words)(\(words)) VALUES ('optimize')" }

    /// The statement by which FTS5 looks for damage in what it keeps.
    var checking: String { "INSERT INTO \(words)(\(words)) VALUES ('integrity-check')" }

    /// The rows with their numbers in the index and their parts of words.
    var rowGrams: String {
        """
        SELECT ifnull(m.number, t.sequence), \(grams(of: "t.")) FROM \(records) AS t
            LEFT JOIN \(moved) AS m ON m.sequence = t.sequence
        """
    }

    private func grams(of row: String) -> String {
        "\(SearchFunctions.grams)(\(columns.map { row + $0 }.joined(separator: ", ")))"
    }
}

extension SearchTables {
    /// Whether the index is there, as this program makes it.
    func isMade(on connection: Connection) throws(StoreFault) -> Bool {
        let making = making
        let marks = making.map { _ in "?" }.joined(separator: ", ")
        let row = try connection.statement(
            "SELECT count(*) FROM sqlite_schema WHERE sql IN (\(marks))")
        for (number, text) in making.enumerated() { row.bind(Int32(number + 1), text) }
        defer { row.reset() }
        return try row.step() && row.int(0) == making.count
    }

    /// Makes the index anew from the rows; inside of a transaction.
    func make(on connection: Connection) throws(StoreFault) {
        try connection.execute(unmaking)
        for statement in making { try connection.execute(statement) }
        try connection.execute(filling)
    }
}
