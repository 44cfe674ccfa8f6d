import CSQLite

/// The way that SQLite takes to the rows of a statement, as it tells by itself.
///
/// For tests and benchmarks: whether an index serves cannot be seen in a result.
package struct StatementPlan: Sendable {
    /// The statement.
    package let sql: String
    /// The lines of `EXPLAIN QUERY PLAN`, as `SEARCH t USING INDEX i (state=?)`.
    package let steps: [String]

    /// The steps that read a whole table or index.
    package var scans: [String] { steps.filter { $0.hasPrefix("SCAN ") } }
}

extension Connection {
    /// The plans of all statements that were compiled and are kept.
    package func plans() throws(StoreFault) -> [StatementPlan] {
        var found: [StatementPlan] = []
        for sql in statements.texts.sorted() { found.append(try plan(of: sql)) }
        return found.filter { !$0.steps.isEmpty }
    }

    fileprivate func plan(of sql: String) throws(StoreFault) -> StatementPlan {
        let rows = try unkept("EXPLAIN QUERY PLAN " + sql)
        var steps: [String] = []
        while try rows.step() { steps.append(rows.text(3)) }
        return StatementPlan(sql: sql, steps: steps)
    }

    /// How many operations SQLite's machine has done for the statements that are kept: the same on every machine.
    package var operationCount: Int { statements.operationCount }
}

extension Store {
    /// The plans of all statements that were compiled and are kept.
    package func plans() throws(StoreFault) -> [StatementPlan] { try database.connection.plans() }

    /// The plan of a statement that another program may run.
    package func plan(of sql: String) throws(StoreFault) -> StatementPlan {
        try database.connection.plan(of: sql)
    }

    /// How many operations SQLite's machine has done for the statements that are kept.
    package var operationCount: Int { database.connection.operationCount }
}
