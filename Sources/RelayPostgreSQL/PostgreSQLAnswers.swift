#if PostgreSQL
    import CPQ
    import Storage

    /// The answers of one exchange, as they come.
    struct PostgreSQLAnswers {
        /// The statements that were sent, and before some of them those that prepare them.
        private var asked: [(query: PostgreSQLQuery, isPreparing: Bool)] = []
        /// Which of these is answered next.
        private var next = 0
        /// The rows of that one, if they have come.
        private var rows: PostgreSQLRows?
        private var found: [PostgreSQLRows] = []
        private var fault: StoreFault?
        /// Statements that were to be prepared and are not, as they or earlier ones failed.
        private(set) var unprepared: Set<String> = []
        private let server: String
        /// Takes the rows of each statement.
        let then: (Result<[PostgreSQLRows], StoreFault>) -> Void

        /// How far it has come.
        enum Outcome {
            /// More is to come.
            case waiting
            /// All answers are there, or one of them is a fault.
            case ended(Result<[PostgreSQLRows], StoreFault>)
            /// The connection is of no more use; the fault that the server told before, if it did.
            case broken(StoreFault?)
        }

        init(server: String, then: @escaping (Result<[PostgreSQLRows], StoreFault>) -> Void) {
            self.server = server
            self.then = then
        }

        // MARK: Sending

        /// Hands the statements to a connection; false if it is broken.
        mutating func send(
            _ queries: [PostgreSQLQuery], on connection: PostgreSQLConnection
        ) -> Bool {
            let handle = connection.handle
            for query in queries {
                let statement = query.statement
                if statement.isPrepared, connection.prepared.insert(statement.name).inserted {
                    guard PQsendPrepare(handle, statement.name, statement.text, 0, nil) == 1 else {
                        return false
                    }
                    asked.append((query, true))
                }
                guard Self.send(query, handle) else { return false }
                asked.append((query, false))
            }
            return PQpipelineSync(handle) == 1
        }

        private static func send(_ query: PostgreSQLQuery, _ handle: OpaquePointer) -> Bool {
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

        // MARK: Taking

        /// Takes the results that are there.
        mutating func take(from handle: OpaquePointer) -> Outcome {
            while PQisBusy(handle) == 0 {
                guard let result = PQgetResult(handle) else {
                    // Nothing follows behind the last result of a statement.
                    guard next < asked.count, endStatement() else { return .broken(fault) }
                    continue
                }
                let status = PQresultStatus(result)
                switch status {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows = PostgreSQLRows(result)
                case PGRES_PIPELINE_ABORTED: PQclear(result)
                case PGRES_PIPELINE_SYNC:
                    PQclear(result)
                    guard next == asked.count else { return .broken(fault) }
                    return .ended(fault.map { .failure($0) } ?? .success(found))
                default:
                    defer { PQclear(result) }
                    guard next < asked.count else { return .broken(fault) }
                    let told = told(result)
                    fault = fault ?? told
                    // The server ends such a connection, at once or soon.
                    if case .unreachable = told { return .broken(told) }
                }
            }
            return .waiting
        }

        private func told(_ result: OpaquePointer) -> StoreFault {
            let code = PQresultErrorField(result, CInt(UInt8(ascii: "C")))
            return PostgreSQLFault.fault(
                code: code.map { String(cString: $0) },
                message: String(cString: PQresultErrorMessage(result)),
                statement: asked[next].query.statement.name, server: server)
        }

        /// Ends the answer to a statement; false if it had none.
        private mutating func endStatement() -> Bool {
            let (query, isPreparing) = asked[next]
            if rows == nil, fault == nil { return false }
            if fault != nil, isPreparing { unprepared.insert(query.statement.name) }
            if !isPreparing, let rows { found.append(rows) }
            rows = nil
            next += 1
            return true
        }
    }

    extension PostgreSQLConnection {
        // MARK: Steps

        /// Goes through steps; what a transaction of them has changed is undone if one fails.
        func perform<Value>(
            _ step: PostgreSQLStep<Value>, then: @escaping (Result<Value, StoreFault>) -> Void
        ) {
            mayHaveCommitted = false
            goOn(step, then)
        }

        private func goOn<Value>(
            _ step: PostgreSQLStep<Value>,
            _ then: @escaping (Result<Value, StoreFault>) -> Void
        ) {
            switch step {
            case .done(let value): then(.success(value))
            case .failed(let fault): undo { then(.failure(fault)) }
            case .ask(let asked, let next):
                mayHaveCommitted = asked.mayCommit
                exchange(asked) { [self] result in
                    switch result {
                    case .success(let rows):
                        mayHaveCommitted = false
                        let step = PostgreSQLStep<Void>.done(())
                        let following = step.then { _ throws(StoreFault) in try next(rows) }
                        goOn(following, then)
                    case .failure(let fault): undo { then(.failure(fault)) }
                    }
                }
            }
        }

        private func undo(_ then: @escaping () -> Void) {
            guard isUsable, PQtransactionStatus(handle) != PQTRANS_IDLE else { return then() }
            let rollback = PostgreSQLExchange(queries: [PostgreSQLTransactionKind.rollback()])
            exchange(rollback) { [self] _ in
                // The server said that it failed, so it did not commit.
                mayHaveCommitted = false
                then()
            }
        }

        /// Goes through steps, and waits for them.
        func run<Value>(_ step: PostgreSQLStep<Value>) throws(StoreFault) -> Value {
            var result: Result<Value, StoreFault>?
            perform(step) { result = $0 }
            wait()
            guard let result else { throw broken() }
            return try result.get()
        }

        /// Runs one statement, and waits for it.
        func run(_ query: PostgreSQLQuery) throws(StoreFault) -> PostgreSQLRows {
            let results = try run([query])
            guard let rows = results.first else { throw broken() }
            return rows
        }

        /// Runs statements in one exchange, and waits for it; inside of a transaction it stays open.
        ///
        /// - Returns: the rows of each.
        func run(_ queries: [PostgreSQLQuery]) throws(StoreFault) -> [PostgreSQLRows] {
            var result: Result<[PostgreSQLRows], StoreFault>?
            exchange(PostgreSQLExchange(queries: queries)) { result = $0 }
            wait()
            guard let result else { throw broken() }
            return try result.get()
        }

        // MARK: Notices

        /// The notices of the server since the last call: payloads, and the server's process that sent each.
        func notifications() -> [(payload: String, process: CInt)] {
            var found: [(String, CInt)] = []
            while let notice = PQnotifies(handle) {
                found.append((String(cString: notice.pointee.extra), notice.pointee.be_pid))
                PQfreemem(notice)
            }
            return found
        }
    }
#endif
