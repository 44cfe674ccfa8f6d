import Core

/// Counts that do not go by every record that they are of.
extension Store {
    /// The first number of records that is counted one by one.
    private static let firstCountMax = 1_000

    /// How many live records of a collection have nothing in a field.
    ///
    /// Without a stored number, which could come to be wrong: the table's own length, which costs a page for
    /// many records, less all others, if the others are fewer. Fast with an index that begins with the state and
    /// the field.
    /// - Parameter number: of a field with a column; with any other all live records are counted.
    /// - Complexity: O(the smaller of both parts + pages of the table).
    package func count(
        lacking number: UInt32, in collection: CollectionID
    ) throws(StoreFault) -> Int {
        let schema = collections[place(of: collection)]
        let column = schema.field(number)?.quoted ?? "NULL"
        let lacking = "state = \(RowState.live) AND \(column) IS NULL"
        let having = "state = \(RowState.live) AND \(column) IS NOT NULL"
        // No state is negative.
        let hidden = "state > \(RowState.live)"
        return try reading { () throws(StoreFault) in
            var limit = Self.firstCountMax
            while true {
                let count = try self.count(schema.table, where: lacking, limit)
                if count < limit { return count }
                let rest = try self.count(schema.table, where: having, limit)
                let others = try rest + self.count(schema.table, where: hidden, limit)
                if others < limit {
                    let all = try connection.number("SELECT count(*) FROM \(schema.table)")
                    return Int(all) - others
                }
                limit *= 8
            }
        }
    }

    private func count(
        _ table: String, where condition: String, _ limit: Int
    ) throws(StoreFault) -> Int {
        Int(
            try connection.number(
                "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(condition) LIMIT \(limit))"))
    }
}
