#if PostgreSQL
    import Core
    import Storage

    /// Statements that go out together and whose answers come together.
    struct PostgreSQLExchange {
        /// The statements, in order; after the first that fails none is run.
        let queries: [PostgreSQLQuery]
        /// The longest wait for the answers, in milliseconds.
        var patience = PostgreSQLPatience.answerMilliseconds
        /// Whether a commit of what was written is among them: if the connection breaks nobody knows whether it happened.
        var mayCommit = false
    }

    /// A piece of work on a connection: one exchange after another, and what comes of them.
    ///
    /// It says nothing of how an answer is waited for: `PostgreSQLConnection` does that, with the program's loop or
    /// without.
    indirect enum PostgreSQLStep<Value> {
        /// It is over.
        case done(Value)
        /// It has failed.
        case failed(StoreFault)
        /// The next exchange, and what follows from its answers: the rows of each statement.
        case ask(
            PostgreSQLExchange, then: ([PostgreSQLRows]) throws(StoreFault) -> PostgreSQLStep)

        /// An exchange of these statements.
        static func asking(
            _ queries: [PostgreSQLQuery], patience: Int64 = PostgreSQLPatience.answerMilliseconds,
            _ then: @escaping ([PostgreSQLRows]) throws(StoreFault) -> PostgreSQLStep
        ) -> PostgreSQLStep {
            .ask(PostgreSQLExchange(queries: queries, patience: patience), then: then)
        }

        /// Goes on with what this gives.
        func then<Next>(
            _ next: @escaping (Value) throws(StoreFault) -> PostgreSQLStep<Next>
        ) -> PostgreSQLStep<Next> {
            switch self {
            case .failed(let fault): return .failed(fault)
            case .done(let value):
                do throws(StoreFault) {
                    return try next(value)
                } catch {
                    return .failed(error)
                }
            case .ask(let exchange, let body):
                return .ask(exchange) { answers throws(StoreFault) in
                    try body(answers).then(next)
                }
            }
        }

        /// A transaction: the first statements go out with its beginning, the last ones with its commit.
        ///
        /// If it fails what was changed is undone, but if the connection breaks during the commit nobody knows.
        ///
        /// - Parameters:
        ///   - first: what is run at its start.
        ///   - patience: the longest wait for that, in milliseconds.
        ///   - body: takes the answers, and gives what is run at its end and a result.
        static func transaction(
            _ kind: PostgreSQLTransactionKind, _ first: [PostgreSQLQuery],
            patience: Int64 = PostgreSQLPatience.answerMilliseconds,
            _ body:
                @escaping ([PostgreSQLRows]) throws(StoreFault) -> PostgreSQLStep<
                    (last: [PostgreSQLQuery], value: Value)
                >
        ) -> PostgreSQLStep {
            .asking([kind.begin()] + first, patience: patience) { answers throws(StoreFault) in
                try body(Array(answers.dropFirst())).then { end throws(StoreFault) in
                    let commit = PostgreSQLExchange(
                        queries: end.last + [PostgreSQLTransactionKind.commit()],
                        mayCommit: kind.writes)
                    return .ask(commit) { _ throws(StoreFault) in .done(end.value) }
                }
            }
        }

        /// A transaction that writes nothing.
        static func reading(
            _ first: [PostgreSQLQuery], patience: Int64 = PostgreSQLPatience.answerMilliseconds,
            _ body: @escaping ([PostgreSQLRows]) throws(StoreFault) -> PostgreSQLStep
        ) -> PostgreSQLStep {
            .transaction(.reading, first, patience: patience) { answers throws(StoreFault) in
                try body(answers).then { value throws(StoreFault) in .done((last: [], value: value))
                }
            }
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

    /// Work for one connection of several.
    struct PostgreSQLWork<Value> {
        /// The space whose row it locks: of one space one such work is under way at most, as the others would keep
        /// connections waiting for it; nil if it locks none.
        let locked: SpaceID?
        /// Its steps on a connection.
        let steps: (PostgreSQLOpened) -> PostgreSQLStep<Value>

        /// Work that locks the row of a space, or none.
        init(
            locking space: SpaceID? = nil,
            _ steps: @escaping (PostgreSQLOpened) -> PostgreSQLStep<Value>
        ) {
            locked = space
            self.steps = steps
        }

        /// Reads as of one moment.
        static func reading(
            _ first: [PostgreSQLQuery], patience: Int64 = PostgreSQLPatience.answerMilliseconds,
            _ body:
                @escaping (PostgreSQLOpened, [PostgreSQLRows]) throws(StoreFault) ->
                PostgreSQLStep<Value>
        ) -> PostgreSQLWork {
            PostgreSQLWork { opened in
                .reading(first, patience: patience) { answers throws(StoreFault) in
                    try body(opened, answers)
                }
            }
        }

        /// Writes in one transaction.
        static func writing(
            locking space: SpaceID?, _ first: [PostgreSQLQuery],
            _ body:
                @escaping (PostgreSQLOpened, [PostgreSQLRows]) throws(StoreFault) ->
                PostgreSQLStep<(last: [PostgreSQLQuery], value: Value)>
        ) -> PostgreSQLWork {
            PostgreSQLWork(locking: space) { opened in
                .transaction(.writing, first) { answers throws(StoreFault) in
                    try body(opened, answers)
                }
            }
        }
    }

    /// A connection and the server at its other end.
    struct PostgreSQLOpened {
        let connection: PostgreSQLConnection
        let origin: PostgreSQLOrigin
        /// Which of the address's hosts it is.
        let hostIndex: Int

        /// The database, for people.
        var server: String { connection.server }
    }

    /// Has work done on connections; it is answered inside of the call or later.
    protocol PostgreSQLWorkers: AnyObject {
        func run<Value>(
            _ work: PostgreSQLWork<Value>,
            then: @escaping (Result<Value, StoreFault>) -> Void)
    }
#endif
