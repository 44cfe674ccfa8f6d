/// What a program keeps beside the records on this device alone: never synced.
///
/// A memo has a name inside of a drawer. It is saved with the edits of its transaction or not at all, so
/// that whoever has to remember what was done in the same breath can. All are dropped when writes get
/// other dots, as a memo may speak of those.
extension Store {
    /// All memos in a drawer, by name.
    package func memos(in drawer: String) throws(StoreFault) -> [String: [UInt8]] {
        try reading { () throws(StoreFault) in
            let rows = try connection.statement(
                "SELECT name, content FROM memo_note WHERE drawer = ?")
            rows.bind(1, drawer)
            defer { rows.reset() }
            var found: [String: [UInt8]] = [:]
            while try rows.step() { found[rows.text(0)] = rows.bytes(1) }
            return found
        }
    }
}

extension Transaction {
    /// Keeps a memo, instead of the one of that name; nil drops it.
    package func setMemo(
        _ content: [UInt8]?, named name: String, in drawer: String
    ) throws(StoreFault) {
        guard let content else {
            let row = try store.connection.statement(
                "DELETE FROM memo_note WHERE drawer = ? AND name = ?")
            row.bind(1, drawer)
            row.bind(2, name)
            return try row.run()
        }
        let row = try store.connection.statement(
            "INSERT OR REPLACE INTO memo_note VALUES (?, ?, ?)")
        row.bind(1, drawer)
        row.bind(2, name)
        row.bind(3, content)
        try row.run()
    }
}
