#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    /// Some promises no answer shows: the server's own log and counts do.
    @Suite("What a PostgreSQL server is asked to do", .serialized)
    struct ServerLogTests {
        private static let logging = "-c fsync=off -c log_statement=all -c log_line_prefix='%p '"

        @Test("notices go out behind the transactions that write, never in them")
        func notices() throws {
            let database = try TestDatabase(Self.logging)
            do {
                let first = try RelayProcess(on: database, name: "a")
                let second = try RelayProcess(on: database, name: "b")
                let space = SpaceID(value: 7)
                let writer = try PlainDevice(1, at: first, space: space)
                let reader = try PlainDevice(2, at: second, space: space)
                for counter: UInt64 in 1...20 {
                    let change = RelaySamples.change(UInt128(counter), 1, counter)
                    writer.upload(change, through: counter)
                    try reader.hear(record: change.name)
                }
            }
            var (inserted, told): (Int, Int) = (0, 0)
            var open: Set<String> = []
            for statement in try statements(database) {
                let text = statement.text
                if text.hasPrefix("BEGIN") { open.insert(statement.process) }
                if text.hasPrefix("COMMIT") || text.hasPrefix("ROLLBACK") {
                    open.remove(statement.process)
                }
                if text.hasPrefix("INSERT INTO version") {
                    inserted += 1
                    #expect(open.contains(statement.process))
                }
                if text.contains("pg_notify") || text.hasPrefix("NOTIFY") {
                    told += 1
                    #expect(!open.contains(statement.process), "a notice in a transaction")
                }
            }
            #expect(inserted == 20)
            #expect(told > 0)
        }

        @Test("versions that are covered are dropped by one statement of the commit")
        func covering() throws {
            let database = try TestDatabase(Self.logging)
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            let first = (1...50).map { RelaySamples.change(UInt128($0), 1, UInt64($0)) }
            let second = (1...50).map { RelaySamples.change(UInt128($0), 1, UInt64($0 + 50)) }
            try bench.commit(key, first)
            #expect(try bench.commit(key, second).kept.count == 50)
            #expect(try bench.head().versionCount == 50)
            bench.store.close()
            let texts = try statements(database).map(\.text)
            #expect(texts.count { $0.hasPrefix("INSERT INTO version") } == 100)
            #expect(texts.count { $0.hasPrefix("DELETE FROM version") } == 1)
        }

        @Test("the row of a space is changed in place, without a new entry of its index")
        func inPlace() throws {
            let database = try TestDatabase("-c fsync=off -c autovacuum=off")
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            for counter: UInt64 in 1...200 {
                try bench.commit(key, [RelaySamples.change(1, 1, counter)], through: counter)
            }
            bench.store.close()
            // The counts are the server's, which come in a moment after a connection has ended.
            for table in ["space", "uploaded"] {
                let parts = "FROM pg_stat_user_tables WHERE relname LIKE '\(table)\\_%'"
                try awaiting(database, "SELECT sum(n_tup_upd) >= 199 \(parts)")
                try awaiting(database, "SELECT sum(n_tup_hot_upd) >= 190 \(parts)")
            }
        }

        @Test(
            "a commit is on the disk when it is answered, also where the server's settings ask for less"
        )
        func durable() throws {
            let lazy = "-c fsync=off -c synchronous_commit=off -c wal_writer_delay=10s"
            let database = try TestDatabase(lazy)
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            for counter: UInt64 in 1...20 {
                try bench.commit(
                    key, [RelaySamples.change(UInt128(counter), 1, counter)], through: counter)
            }
            try database.killServer()
            try database.start(lazy)
            usleep(UInt32(PostgreSQLPatience.retryMilliseconds * 1000))
            _ = try? bench.enter()
            #expect(try bench.head().versionCount == 20)
            #expect(try bench.store.examine(RelayStoreBench.space) == [])
        }

        private struct Statement {
            /// The number of the server's process that ran it, one for each connection.
            let process: String
            let text: String
        }

        /// The statements in the server's log, in order.
        private func statements(_ database: TestDatabase) throws -> [Statement] {
            let file = try #require(fopen(database.folder + "/log", "r"))
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 24)
            let count = fread(&bytes, 1, bytes.count, file)
            try #require(count < bytes.count)
            let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
            return lines.compactMap { line in
                // "4711 LOG:  execute s3: INSERT …", "4711 LOG:  statement: BEGIN".
                let words = line.split(separator: " ", maxSplits: 2)
                guard words.count == 3, words[1] == "LOG:" else { return nil }
                let told = words[2].drop { $0 == " " }
                guard told.hasPrefix("execute ") || told.hasPrefix("statement: "),
                    let colon = told.firstIndex(of: ":")
                else { return nil }
                let text = told[told.index(after: colon)...].drop { $0 == " " }
                return Statement(process: String(words[0]), text: String(text))
            }
        }

        /// Waits until the answer to a question of the database is yes; for ten seconds at most.
        private func awaiting(_ database: TestDatabase, _ condition: String) throws {
            for _ in 0..<40 {
                let asked = """
                    DO $$ BEGIN IF NOT coalesce((\(condition)), false)
                    THEN RAISE EXCEPTION 'not yet'; END IF; END $$
                    """
                if (try? database.run(asked)) != nil { return }
                usleep(250_000)
            }
            Issue.record("it never came to hold: \(condition)")
        }
    }
#endif
