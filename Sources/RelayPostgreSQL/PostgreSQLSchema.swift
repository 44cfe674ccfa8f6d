#if PostgreSQL
    import Storage

    /// The tables of relays in a database, by numbered steps; the table `format` says how many were taken.
    ///
    /// They are in a schema of their own, `tandem_relay`. All but the three of one row, and what processes share besides
    /// spaces (`PostgreSQLSharedTables`), are hash-partitioned by space, so
    /// that vacuuming, and moving a part to another database, never has to do with all spaces at once. Nothing refers to
    /// anything: `examine` finds what belongs to no space. Bodies are sealed and so not compressed.
    ///
    /// Several processes may start at once: one takes the steps, under an advisory lock that ends with its transaction.
    enum PostgreSQLSchema {
        /// Into how many parts each table is split.
        static let partitionCount = 8

        /// Names the lock under which steps are taken: "TNDR", "PGSQ".
        private static let lockNumber: Int64 = 0x544e_4452_5047_5351

        /// Step n makes format n + 1 out of format n.
        private static let steps: [[String]] = [
            [
                // How many spaces there are; its lock is for making one.
                "CREATE TABLE total(one boolean PRIMARY KEY CHECK (one), spaces bigint NOT NULL)",
                "INSERT INTO total VALUES (true, 0)",
                // How many stores were opened so far.
                "CREATE TABLE opening(one boolean PRIMARY KEY CHECK (one), number bigint NOT NULL)",
                "INSERT INTO opening VALUES (true, 0)",
            ]
                // The last epoch, with the opening and the origin in which it began, stands in the row that each commit
                // locks. Room is left for the row's next states beside it, which then touch no index.
                + table(
                    "space",
                    """
                    relay uuid NOT NULL, generation bigint NOT NULL, verifier bytea NOT NULL,
                    sequence bigint NOT NULL, bytes bigint NOT NULL, records bigint NOT NULL,
                    versions bigint NOT NULL, row_sum uuid NOT NULL, epoch bigint NOT NULL,
                    opening bigint NOT NULL, origin bigint NOT NULL, PRIMARY KEY (space)
                    """, with: "fillfactor = 50")
                + table(
                    "version",
                    """
                    sequence bigint NOT NULL, unreadable bigint, aside boolean NOT NULL,
                    id uuid NOT NULL, hash uuid NOT NULL, clock bytea NOT NULL, body bytea NOT NULL,
                    PRIMARY KEY (space, sequence)
                    """)
                + [
                    "ALTER TABLE version ALTER COLUMN body SET STORAGE EXTERNAL",
                    "CREATE INDEX version_id ON version(space, id, sequence)",
                    """
                    CREATE UNIQUE INDEX version_unreadable ON version(space, unreadable)
                        WHERE unreadable IS NOT NULL
                    """,
                ]
                // `about` is empty for a device's digests.
                + table(
                    "summary_row",
                    """
                    sequence bigint NOT NULL, number bigint NOT NULL, replica uuid NOT NULL,
                    about bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (space, replica, about)
                    """)
                + ["CREATE UNIQUE INDEX summary_row_sequence ON summary_row(space, sequence)"]
                + table(
                    "uploaded",
                    """
                    epoch bigint NOT NULL, sequence bigint NOT NULL, arrival bigint NOT NULL,
                    replica uuid NOT NULL, PRIMARY KEY (space, replica)
                    """, with: "fillfactor = 70")
                + table(
                    "epoch",
                    """
                    number bigint NOT NULL, id bigint NOT NULL, first_sequence bigint NOT NULL,
                    PRIMARY KEY (space, number)
                    """)
                + table(
                    "rekey_message",
                    """
                    number bigint NOT NULL, generation bigint NOT NULL, hash uuid NOT NULL,
                    verifier bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (space, verifier)
                    """)
                + table(
                    "device",
                    """
                    first_day bigint NOT NULL, last_day bigint NOT NULL, fingerprint bytea NOT NULL,
                    PRIMARY KEY (space, fingerprint)
                    """),
            PostgreSQLSharedTables.step,
        ]

        /// The tables with rows of spaces.
        static let tables = [
            "version", "summary_row", "uploaded", "epoch", "rekey_message", "device",
        ]

        /// Makes a table that is split by space, and its parts.
        private static func table(
            _ name: String, _ columns: String, with storage: String? = nil
        ) -> [String] {
            let whole = """
                CREATE TABLE \(name)(space uuid NOT NULL, \(columns)) PARTITION BY HASH (space)
                """
            let parts = (0..<partitionCount).map { part in
                """
                CREATE TABLE \(name)_\(part) PARTITION OF \(name)
                    FOR VALUES WITH (MODULUS \(partitionCount), REMAINDER \(part))
                    \(storage.map { "WITH (\($0))" } ?? "")
                """
            }
            return [whole] + parts
        }

        /// The format that this program writes.
        static var formatMax: Int { steps.count }

        // MARK: Bringing up to date

        /// Makes the tables, or brings them up to date.
        ///
        /// - Throws: `newerStore` if a newer program has the tables; `notAStore` for a schema of that name that is none
        ///   of a relay.
        static func prepare(_ connection: PostgreSQLConnection) throws(StoreFault) {
            _ = try connection.run(settings.map { once($0, "setting up")() })
            if let found = try format(connection) {
                try check(found)
                if found == formatMax { return }
            }
            let name = "making the tables"
            let patience = PostgreSQLPatience.migrationMilliseconds
            let beginning = [
                PostgreSQLTransactionKind.writing.begin(),
                once("SET LOCAL lock_timeout = \(patience)", name)(),
                once("SET LOCAL statement_timeout = \(patience)", name)(),
                once("SELECT pg_advisory_xact_lock(\(lockNumber))", name)(),
                once("CREATE SCHEMA IF NOT EXISTS tandem_relay", name)(),
            ]
            do throws(StoreFault) {
                _ = try connection.run(beginning, patience: patience)
                // Another process may have been first.
                let found = try format(connection) ?? 0
                try check(found)
                var queries = steps[found...].joined().map { once($0, name)() }
                if found == 0 {
                    let table = "CREATE TABLE format(one boolean PRIMARY KEY, number bigint)"
                    queries.append(once(table, name)())
                    queries.append(once("INSERT INTO format VALUES (true, 0)", name)())
                }
                queries.append(once("UPDATE format SET number = \(formatMax)", name)())
                queries.append(PostgreSQLTransactionKind.commit())
                _ = try connection.run(queries, patience: patience)
            } catch {
                if connection.isUsable { _ = try? connection.run(once("ROLLBACK", name)()) }
                throw error
            }
        }

        private static func check(_ found: Int) throws(StoreFault) {
            guard found <= formatMax else {
                throw .newerStore(found: found, supported: formatMax)
            }
        }

        /// The format that the tables have; nil if there are none.
        static func format(_ connection: PostgreSQLConnection) throws(StoreFault) -> Int? {
            let name = "reading the format"
            let exists = try connection.run(
                once("SELECT to_regclass('tandem_relay.format') IS NOT NULL", name)())
            guard exists.flag(0, 0) else {
                let others = try connection.run(
                    once(
                        """
                        SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = 'tandem_relay'
                        """, name)())
                guard others.number(0, 0) == 0 else {
                    throw .notAStore(path: "the schema tandem_relay of \(connection.server)")
                }
                return nil
            }
            let rows = try connection.run(once("SELECT number FROM format", name)())
            return rows.count == 1 ? Int(rows.number(0, 0)) : nil
        }

        private static func once(_ text: String, _ name: String) -> PostgreSQLStatement {
            PostgreSQLStatement(name: name, text: text, isPrepared: false)
        }

        /// The settings of a connection.
        ///
        /// A commit is on the disk when it returns, whatever the server's own setting is.
        /// Everything is found by a key, so one plan of a prepared statement is right for all spaces, also one that was made
        /// while the tables were empty: to plan each time costs a small commit half of its speed.
        private static let settings = [
            "SET search_path = tandem_relay", "SET client_encoding = 'UTF8'",
            "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off", "SET jit = off",
            "SET lock_timeout = \(PostgreSQLPatience.lockMilliseconds)",
            "SET statement_timeout = \(PostgreSQLPatience.statementMilliseconds)",
            """
            SET idle_in_transaction_session_timeout = \(PostgreSQLPatience.standstillMilliseconds)
            """,
            """
            SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off'
            """,
        ]
    }
#endif
