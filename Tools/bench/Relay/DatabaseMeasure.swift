#if PostgreSQL
    import CPQ

    /// How much a database holds of relays, and how many transactions it has committed; asked by libpq.
    struct DatabaseMeasure {
        /// The bytes of all tables of relays with their indexes.
        let byteCount: Double
        /// Transactions so far; the server's count is up to a second late, so it is waited for that.
        let commitCount: Double

        init(url: String) throws {
            guard let connection = PQconnectdb(url), PQstatus(connection) == CONNECTION_OK else {
                throw BenchError.failed("no connection to the database")
            }
            defer { PQfinish(connection) }
            PQclear(PQexec(connection, "SELECT pg_sleep(1.5)"))
            byteCount = try Self.number(
                """
                SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'tandem_relay' AND c.relkind = 'r'
                """, connection)
            commitCount = try Self.number(
                "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()",
                connection)
        }

        private static func number(
            _ query: String, _ connection: OpaquePointer
        ) throws -> Double {
            let result = PQexec(connection, query)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK, let text = PQgetvalue(result, 0, 0),
                let number = Double(String(cString: text))
            else { throw BenchError.failed("the database does not answer") }
            return number
        }
    }
#endif
