#if PostgreSQL
    import CPQ
    import Glibc
    import Storage

    /// A connection to a database, in pipeline mode: what is run together goes out together and comes back together.
    ///
    /// Each call waits, but no longer than its patience; a connection that did not answer by then is of no more use.
    final class PostgreSQLConnection {
        private let handle: OpaquePointer
        /// The database, for people: without a password.
        let server: String
        private var prepared: Set<String> = []
        /// Whether it is known not to answer any more.
        private var isGivenUp = false
        /// Whether a COMMIT went out whose answer did not come: nobody knows whether it happened.
        private(set) var mayHaveCommitted = false

        /// Connects, within `PostgreSQLPatience.connectMilliseconds`.
        init(_ address: PostgreSQLAddress) throws(StoreFault) {
            server = address.server
            let made = Self.withPointers(address.parameters.map(\.keyword)) { keywords in
                Self.withPointers(address.parameters.map(\.value)) {
                    PQconnectStartParams(keywords, $0, 1)
                }
            }
            guard let made else { throw .unreachable(server: server, detail: "no memory") }
            handle = made
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
            // From here on a failure leaves the handle to `deinit`.
            if PQstatus(handle) == CONNECTION_BAD { throw broken() }
            try connect(until: Self.now + PostgreSQLPatience.connectMilliseconds)
            guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
                throw broken()
            }
        }

        deinit { PQfinish(handle) }

        /// Whether it may be used for a next call.
        var isUsable: Bool { !isGivenUp && PQstatus(handle) == CONNECTION_OK }

        /// The descriptor, to wait for what the server says unasked.
        var descriptor: CInt { PQsocket(handle) }

        /// The number of the server's process at its other end.
        var serverProcess: CInt { PQbackendPID(handle) }

        private static func withPointers<T>(
            _ words: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T?
        ) -> T? {
            let copies = words.map { strdup($0) } + [nil]
            defer { for copy in copies { free(copy) } }
            return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { pointers in
                pointers.baseAddress.flatMap(body)
            }
        }

        private func connect(until deadline: Int64) throws(StoreFault) {
            var state = PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                if state == PGRES_POLLING_FAILED { throw broken() }
                try wait(
                    for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
                state = PQconnectPoll(handle)
            }
        }

        // MARK: Waiting

        /// Milliseconds of a clock that nobody sets.
        static var now: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        }

        private func wait(for events: CInt, until deadline: Int64) throws(StoreFault) {
            while true {
                let left = deadline - Self.now
                guard left > 0 else {
                    isGivenUp = true
                    throw .unreachable(server: server, detail: "it did not answer in time")
                }
                var waited = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
                let found = poll(&waited, 1, CInt(left))
                if found > 0 { return }
                if found < 0, errno != EINTR { throw broken() }
            }
        }

        private func broken() -> StoreFault {
            isGivenUp = true
            return PostgreSQLFault.fault(
                code: nil, message: String(cString: PQerrorMessage(handle)), statement: "",
                server: server)
        }

        // MARK: Statements

        /// Runs one statement.
        func run(_ query: PostgreSQLQuery) throws(StoreFault) -> PostgreSQLRows {
            let results = try run([query])
            guard let rows = results.first else { throw broken() }
            return rows
        }

        /// Runs statements, in one exchange with the server; after the first that fails none is run.
        ///
        /// - Returns: the rows of each.
        func run(
            _ queries: [PostgreSQLQuery],
            patience: Int64 = PostgreSQLPatience.answerMilliseconds
        ) throws(StoreFault) -> [PostgreSQLRows] {
            let deadline = Self.now + patience
            var answers: [(query: PostgreSQLQuery, isPreparing: Bool)] = []
            for query in queries {
                let statement = query.statement
                if statement.isPrepared, prepared.insert(statement.name).inserted {
                    guard PQsendPrepare(handle, statement.name, statement.text, 0, nil) == 1 else {
                        throw broken()
                    }
                    answers.append((query, true))
                }
                guard send(query) else { throw broken() }
                answers.append((query, false))
            }
            guard PQpipelineSync(handle) == 1 else { throw broken() }
            var found: [PostgreSQLRows] = []
            var fault: StoreFault?
            for (query, isPreparing) in answers {
                let rows = try take(query, until: deadline, &fault)
                if fault != nil, isPreparing { prepared.remove(query.statement.name) }
                if !isPreparing, let rows { found.append(rows) }
            }
            guard let end = try nextResult(until: deadline) else { throw broken() }
            defer { PQclear(end) }
            guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw broken() }
            if let fault { throw fault }
            return found
        }

        private func send(_ query: PostgreSQLQuery) -> Bool {
            var bytes: [UInt8] = []
            var offsets: [Int?] = []
            var lengths: [CInt] = []
            for parameter in query.parameters {
                let start = bytes.count
                offsets.append(parameter.append(to: &bytes) ? start : nil)
                lengths.append(CInt(bytes.count - start))
            }
            // A parameter of no bytes has an address all the same: without one it would be NULL.
            bytes.append(0)
            let formats = [CInt](repeating: 1, count: lengths.count)
            let count = CInt(lengths.count)
            let statement = query.statement
            return bytes.withUnsafeBytes { buffer in
                let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                let pointers = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
                if statement.isPrepared {
                    return PQsendQueryPrepared(
                        handle, statement.name, count, pointers, lengths, formats, 1) == 1
                }
                return PQsendQueryParams(
                    handle, statement.text, count, nil, pointers, lengths, formats, 1) == 1
            }
        }

        /// Takes the answer to one statement; nil if it failed, or none was run after one that did.
        private func take(
            _ query: PostgreSQLQuery, until deadline: Int64, _ fault: inout StoreFault?
        ) throws(StoreFault) -> PostgreSQLRows? {
            var rows: PostgreSQLRows?
            while let result = try nextResult(until: deadline) {
                let status = PQresultStatus(result)
                switch status {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows = PostgreSQLRows(result)
                case PGRES_PIPELINE_ABORTED: PQclear(result)
                default:
                    defer { PQclear(result) }
                    let code = PQresultErrorField(result, CInt(UInt8(ascii: "C")))
                    let said = PostgreSQLFault.fault(
                        code: code.map { String(cString: $0) },
                        message: String(cString: PQresultErrorMessage(result)),
                        statement: query.statement.name, server: server)
                    fault = fault ?? said
                    // The server ends such a connection, at once or soon.
                    if case .unreachable = said {
                        isGivenUp = true
                        throw said
                    }
                }
            }
            if rows == nil, fault == nil { throw broken() }
            return rows
        }

        /// The next result; nil behind the last one of a statement.
        private func nextResult(until deadline: Int64) throws(StoreFault) -> OpaquePointer? {
            var isFlushed = false
            while true {
                if !isFlushed {
                    let left = PQflush(handle)
                    guard left >= 0 else { throw broken() }
                    isFlushed = left == 0
                }
                if PQisBusy(handle) == 0 { return PQgetResult(handle) }
                try wait(for: isFlushed ? POLLIN : POLLIN | POLLOUT, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw broken() }
            }
        }

        // MARK: Transactions

        /// Runs a transaction: the first statements go out with its beginning, the last ones with its commit.
        ///
        /// - Parameters:
        ///   - first: what is run at its start.
        ///   - body: takes the answers, and gives what is run at its end and a result.
        /// - Throws: what was changed is undone, but if the connection broke during the commit nobody knows.
        func transact<T>(
            _ kind: PostgreSQLTransactionKind, _ first: [PostgreSQLQuery],
            _ body: ([PostgreSQLRows]) throws(StoreFault) -> (last: [PostgreSQLQuery], T)
        ) throws(StoreFault) -> T {
            mayHaveCommitted = false
            do throws(StoreFault) {
                let answers = try run([kind.begin()] + first)
                let (last, result) = try body(Array(answers.dropFirst()))
                mayHaveCommitted = kind.writes
                _ = try run(last + [PostgreSQLTransactionKind.commit()])
                mayHaveCommitted = false
                return result
            } catch {
                if isUsable, PQtransactionStatus(handle) != PQTRANS_IDLE {
                    _ = try? run(PostgreSQLTransactionKind.rollback())
                    // The server said that it failed, so it did not commit.
                    mayHaveCommitted = false
                }
                throw error
            }
        }

        // MARK: Notices

        /// The notices of the server since the last call: payloads, and the server's process that sent each.
        ///
        /// - Returns: nil if the connection broke.
        func notifications() -> [(payload: String, process: CInt)]? {
            guard isUsable, PQconsumeInput(handle) == 1 else {
                isGivenUp = true
                return nil
            }
            var found: [(String, CInt)] = []
            while let notice = PQnotifies(handle) {
                found.append((String(cString: notice.pointee.extra), notice.pointee.be_pid))
                PQfreemem(notice)
            }
            return found
        }
    }

    /// The kinds of transactions.
    enum PostgreSQLTransactionKind {
        /// Reads all as of one moment.
        case reading
        /// Writes; each statement sees what was committed before it began, so that what is read behind the lock of a
        /// space's row is what the one before has left.
        case writing

        static let commit = PostgreSQLStatement(name: "commit", text: "COMMIT")
        /// Undoes all; a commit behind it does nothing.
        static let rollback = PostgreSQLStatement(name: "rollback", text: "ROLLBACK")
        private static let beginReading = PostgreSQLStatement(
            name: "begin reading", text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        private static let beginWriting = PostgreSQLStatement(
            name: "begin writing", text: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")

        var begin: PostgreSQLStatement {
            switch self {
            case .reading: Self.beginReading
            case .writing: Self.beginWriting
            }
        }

        var writes: Bool {
            switch self {
            case .reading: false
            case .writing: true
            }
        }
    }
#endif
