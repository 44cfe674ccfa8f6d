#if PostgreSQL
    import Storage

    /// The tables of relays in a database, by numbered steps; the table `format` says how many were taken.
    ///
    /// They are in a schema of their own, `tandem_relay`. All but those of one row, and what processes share besides
    /// spaces (`PostgreSQLSharedTables`), are hash-partitioned by space, so that vacuuming, and moving a part to another database, never has to do with all spaces at once. Versions and
    /// summary rows, of which there may be millions, are not kept under the space but under the id that it has in its
    /// generation (`relay`): a new generation begins at once, and what it left behind is dropped later (`leftover`,
    /// `PostgreSQLSweep`). Nothing refers to anything: `examine` finds what belongs to no space. Bodies are sealed and
    /// so not compressed.
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
                // The ids of generations that are over, whose rows are to be dropped.
                "CREATE TABLE leftover(relay uuid PRIMARY KEY)",
                // The devices that the operator has put out.
                """
                CREATE TABLE put_out(space uuid NOT NULL, generation bigint NOT NULL,
                    fingerprint bytea NOT NULL, PRIMARY KEY (space, fingerprint))
                """,
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
                    PRIMARY KEY (relay, sequence)
                    """, by: "relay")
                + [
                    "ALTER TABLE version ALTER COLUMN body SET STORAGE EXTERNAL",
                    "CREATE INDEX version_id ON version(relay, id, sequence)",
                    """
                    CREATE UNIQUE INDEX version_unreadable ON version(relay, unreadable)
                        WHERE unreadable IS NOT NULL
                    """,
                ]
                // `about` is empty for a device's digests.
                + table(
                    "summary_row",
                    """
                    sequence bigint NOT NULL, number bigint NOT NULL, replica uuid NOT NULL,
                    about bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (relay, replica, about)
                    """, by: "relay")
                + ["CREATE UNIQUE INDEX summary_row_sequence ON summary_row(relay, sequence)"]
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
            PostgreSQLRelayKey.step,
        ]

        /// The tables with rows of spaces, by the column that says of which: its name, or its id in a generation.
        static let tables: [(name: String, key: String)] = [
            ("version", "relay"), ("summary_row", "relay"), ("uploaded", "space"),
            ("epoch", "space"), ("rekey_message", "space"), ("device", "space"),
        ]

        /// The names of all parts of tables.
        static var partNames: [String] {
            (["space"] + tables.map(\.name)).flatMap { name in
                (0..<partitionCount).map { "\(name)_\($0)" }
            }
        }

        /// Makes a table that is split by space, and its parts.
        private static func table(
            _ name: String, _ columns: String, by key: String = "space",
            with storage: String? = nil
        ) -> [String] {
            let whole = """
                CREATE TABLE \(name)(\(key) uuid NOT NULL, \(columns)) PARTITION BY HASH (\(key))
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
        /// The format of the earliest programs that can go on beside this one.
        ///
        /// A step that changes what they use raises it. While processes are upgraded one after the other the earlier ones run on tables of the later format.
        static let oldestFormat = 3

        // MARK: Bringing up to date

        /// Sets a connection up, and makes the tables or brings them up to date.
        ///
        /// It fails with `newerStore` if a newer program has changed what this one uses of the tables, with `notAStore` for a schema of that name that
        /// is none of a relay, and with `unreachable` if there are no tables and none are to be made.
        ///
        /// - Parameter isMaking: whether tables may be made; a process that runs already makes none, as somebody may be
        ///   about to read a dump in where they were.
        static func preparing(_ server: String, isMaking: Bool) -> PostgreSQLStep<Void> {
            .asking(settings.map { once($0, "setting up")() }) { _ throws(StoreFault) in
                format(server).then { found throws(StoreFault) in
                    if let found {
                        try found.check()
                        if found.number >= formatMax { return .done(()) }
                    }
                    guard isMaking else {
                        throw .unreachable(
                            server: server,
                            detail: found == nil
                                ? "its tables are gone; read them in again, or start the relay anew"
                                : "its tables are those of an earlier program; start the relay anew"
                        )
                    }
                    return making(server)
                }
            }
        }

        private static func making(_ server: String) -> PostgreSQLStep<Void> {
            let name = "making the tables"
            let patience = PostgreSQLPatience.migrationMilliseconds
            let beginning = [
                PostgreSQLTransactionKind.writing.begin(),
                once("SET LOCAL lock_timeout = \(patience)", name)(),
                once("SET LOCAL statement_timeout = \(patience)", name)(),
                once("SELECT pg_advisory_xact_lock(\(lockNumber))", name)(),
                once("CREATE SCHEMA IF NOT EXISTS tandem_relay", name)(),
            ]
            return .asking(beginning, patience: patience) { _ throws(StoreFault) in
                // Another process may have been first.
                format(server).then { found throws(StoreFault) in
                    try found?.check()
                    let number = min(found?.number ?? 0, formatMax)
                    var queries = steps[number...].joined().map { once($0, name)() }
                    if number == 0 {
                        let table = "CREATE TABLE format(one boolean PRIMARY KEY, number bigint)"
                        queries.append(once(table, name)())
                        queries.append(once("INSERT INTO format VALUES (true, 0)", name)())
                    }
                    if number < formatMax {
                        let column = "ALTER TABLE format ADD COLUMN IF NOT EXISTS oldest bigint"
                        queries.append(once(column, name)())
                        let ended = """
                            UPDATE format SET number = \(formatMax), oldest = \(oldestFormat)
                            """
                        queries.append(once(ended, name)())
                    }
                    queries.append(PostgreSQLTransactionKind.commit())
                    return .asking(queries, patience: patience) { _ throws(StoreFault) in
                        .done(())
                    }
                }
            }
        }

        /// The format of tables.
        private struct Format {
            let number: Int
            /// The format of the earliest programs that can use them.
            let oldest: Int

            func check() throws(StoreFault) {
                guard oldest <= formatMax else {
                    throw .newerStore(found: number, supported: formatMax)
                }
            }
        }

        /// The format that the tables have; nil if there are none.
        private static func format(_ server: String) -> PostgreSQLStep<Format?> {
            let name = "reading the format"
            let exists = once("SELECT to_regclass('tandem_relay.format') IS NOT NULL", name)
            return .asking([exists()]) { answers throws(StoreFault) in
                if answers[0].flag(0, 0) {
                    // The column came with the third format.
                    let row = once(
                        """
                        SELECT number, coalesce((to_jsonb(format) ->> 'oldest')::bigint, number)
                        FROM format
                        """, name)
                    return .asking([row()]) { answers throws(StoreFault) in
                        let rows = answers[0]
                        guard rows.count == 1 else { return .done(nil) }
                        return .done(
                            Format(
                                number: Int(rows.number(0, 0)), oldest: Int(rows.number(0, 1))))
                    }
                }
                let others = once(
                    """
                    SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = 'tandem_relay'
                    """, name)
                return .asking([others()]) { answers throws(StoreFault) in
                    guard answers[0].number(0, 0) == 0 else {
                        throw .notAStore(path: "the schema tandem_relay of \(server)")
                    }
                    return .done(nil)
                }
            }
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
