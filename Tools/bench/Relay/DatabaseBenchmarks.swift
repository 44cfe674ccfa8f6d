#if PostgreSQL
    import CPQ
    import Core
    import Glibc
    import Relay
    import RelayPostgreSQL
    import Transport

    /// Commits to a PostgreSQL database by the store of relays, beside a bare program of libpq that inserts the same rows.
    ///
    /// The database is one for this alone: what relays have there is dropped at the start.
    final class DatabaseBenchmarks {
        private let url: String
        /// How long each measurement runs, in seconds.
        private let seconds: Double
        private static let space = SpaceID(value: 0xbe9c)
        private static let bodyByteCount = 200

        init(url: String, isSmoke: Bool) {
            self.url = url
            seconds = isSmoke ? 0.2 : 3
        }

        /// Runs everything, and notes the figures.
        func run(_ note: (String, [(String, Double)]) -> Void) throws {
            let address = try PostgreSQLAddress(url)
            for count in [1, 50, 200] {
                let bare = try bareInserts(count)
                let store = try PostgreSQLRelayStore(
                    address, limits: RelayLimits(), drawBits: SystemEnvironment.random)
                let sizes = PostgreSQLSizes(of: store)
                let before = try sizes.disk()
                let (rate, times) = try commits(count, store)
                let after = try sizes.disk()
                store.close()
                let kept = Double(rate.count)
                note(
                    "relay_database_commits_of_\(count)",
                    [
                        ("versions_per_second", rate.perSecond), ("bare_rows_per_second", bare),
                        ("share_of_bare", rate.perSecond / bare),
                        (
                            "disk_bytes_per_version",
                            Double(after.versionByteCount - before.versionByteCount) / kept
                        ),
                        (
                            "log_bytes_per_version",
                            Double(after.loggedByteCount - before.loggedByteCount) / kept
                        ), ("p50_ms", times[times.count / 2] * 1000),
                        ("p99_ms", times[times.count * 99 / 100] * 1000),
                    ])
            }
        }

        private func commits(
            _ count: Int, _ store: PostgreSQLRelayStore
        ) throws -> (rate: (count: UInt64, perSecond: Double), times: [Double]) {
            let replica = ReplicaID(value: UInt128(SystemEnvironment.random()) + 1)
            let hello = RelayHello(
                space: Self.space, replica: replica, features: [], generation: 0, read: nil)
            let admission = try store.admit(hello, from: nil) { head, _ in
                head == nil ? .make(generation: 0, verifier: []) : .enter
            }
            guard case .entered(let entry) = admission else { throw BenchError.failed("refused") }
            var (times, counter): ([Double], UInt64) = ([], 0)
            let start = Cost.wall
            while Cost.wall - start < seconds {
                let changes = (0..<count).map { _ -> Change in
                    counter += 1
                    let id = UInt128(SystemEnvironment.random()) << 64 | UInt128(counter)
                    return Change(
                        RecordName(.relayed, RecordID(value: id)),
                        clock: VersionVector(Dot(replica: replica, counter: counter)),
                        body: [UInt8](
                            repeating: UInt8(truncatingIfNeeded: counter), count: Self.bodyByteCount
                        ))
                }
                let through = Checkpoint(epoch: EpochID(value: 9), sequence: counter)
                let upload = RelayUpload(
                    sender: RelayServerSessionID(number: 1), replica: replica,
                    item: .changes(ChangeBatch(changes: changes, through: through)))
                let before = Cost.wall
                _ = try store.commit([upload], to: entry.head.key)
                times.append(Cost.wall - before)
            }
            return ((counter, Double(counter) / (Cost.wall - start)), times.sorted())
        }

        /// Rows a second that libpq inserts in pipelines, some of them a transaction, by so many connections at once.
        func bareInserts(_ count: Int, connectionCount: Int = 1) throws -> Double {
            let connections = try (0..<connectionCount).map { _ in try bareConnection() }
            defer { for connection in connections { PQfinish(connection) } }
            let insertion = "INSERT INTO bench_bare VALUES ($1, $2::bigint, $3, $4, $5)"
            for (number, connection) in connections.enumerated() {
                if number == 0 { makeBareTable(connection) }
                PQclear(PQprepare(connection, "insert", insertion, 0, nil))
                guard PQenterPipelineMode(connection) == 1 else {
                    throw BenchError.failed("pipeline")
                }
            }
            var counter: UInt64 = 0
            let start = Cost.wall
            func send(_ connection: OpaquePointer) {
                for _ in 0..<count {
                    counter += 1
                    insert(connection, counter)
                }
                PQpipelineSync(connection)
            }
            for connection in connections { send(connection) }
            // Each has something to do while another is waited for.
            while Cost.wall - start < seconds {
                for connection in connections {
                    try awaitSync(connection)
                    send(connection)
                }
            }
            for connection in connections { try awaitSync(connection) }
            return Double(counter) / (Cost.wall - start)
        }

        private func bareConnection() throws -> OpaquePointer {
            guard let connection = PQconnectdb(url), PQstatus(connection) == CONNECTION_OK else {
                throw BenchError.failed("no connection to the database")
            }
            return connection
        }

        private func makeBareTable(_ connection: OpaquePointer) {
            for text in [
                "DROP TABLE IF EXISTS bench_bare",
                """
                CREATE TABLE bench_bare(space bytea, sequence bigint, id bytea, clock bytea, body bytea,
                    PRIMARY KEY (space, sequence))
                """,
                "CREATE INDEX ON bench_bare(space, id)",
            ] { PQclear(PQexec(connection, text)) }
        }

        private func awaitSync(_ connection: OpaquePointer) throws {
            var isDone = false
            while !isDone {
                guard let result = PQgetResult(connection) else { continue }
                let status = PQresultStatus(result)
                PQclear(result)
                isDone = status == PGRES_PIPELINE_SYNC
                guard isDone || status == PGRES_COMMAND_OK else {
                    throw BenchError.failed("a bare insert failed")
                }
            }
        }

        private func insert(_ connection: OpaquePointer, _ counter: UInt64) {
            var bytes: [UInt8] = [UInt8](repeating: 7, count: 16)
            withUnsafeBytes(of: counter.bigEndian) { bytes += $0 }
            withUnsafeBytes(of: SystemEnvironment.random()) { bytes += $0 }
            withUnsafeBytes(of: counter.bigEndian) { bytes += $0 }
            bytes += [UInt8](repeating: 3, count: 24 + Self.bodyByteCount)
            let lengths: [CInt] = [16, 8, 16, 24, CInt(Self.bodyByteCount)]
            bytes.withUnsafeBytes { buffer in
                let first = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                let pointers = [0, 16, 24, 40, 64].map { first?.advanced(by: $0) }
                _ = PQsendQueryPrepared(
                    connection, "insert", 5, pointers, lengths, [1, 1, 1, 1, 1], 1)
            }
        }
    }
#endif
