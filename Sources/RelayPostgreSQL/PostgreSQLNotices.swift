#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// How processes on one database tell each other that something came into a space, so that each wakes its own
    /// subscribers: LISTEN and NOTIFY, on a connection of its own.
    ///
    /// Never in a transaction that writes: there a NOTIFY has all commits of the database wait for each other. So a
    /// notice may be lost, with its process or with the connection, and nothing may depend on it. What it was for is found
    /// when the spaces with subscribers are looked at, each second.
    ///
    /// Nothing here waits: what is to be told or looked at while the server has not answered goes out behind that.
    package final class PostgreSQLNotices: RelayNotices {
        /// Called when another process has put something into a mailbox.
        package var mailboxesChange: (() -> Void)?

        private let address: PostgreSQLAddress
        private var loop: (any RelayStoreLoop)?
        private var found: (Set<SpaceID>) -> Void = { _ in }
        private var open: PostgreSQLOpened?
        private var connecting: PostgreSQLConnecting?
        private var attempts = PostgreSQLAttempts()
        private let names = PostgreSQLNames()
        private var isClosed = false
        /// Spaces of which the others are to be told.
        private var touched: Set<SpaceID> = []
        /// Spaces that are to be looked at; nil if none are.
        private var sought: [SpaceID]?
        /// The last look at each space.
        private var known: [SpaceID: Known] = [:]
        private var knownOrigin: PostgreSQLOrigin?

        /// The last number, and the epoch in which it was given.
        ///
        /// A new generation may come to the same number. The table is another one after a dump was read in.
        private struct Known: Equatable {
            var sequence: UInt64
            let epoch: UInt64
            let table: UInt64
        }

        /// The most spaces that one notice names: a payload has less than 8000 bytes.
        private static let noticeSpaceCountMax = 200
        /// The longest wait for the server at these calls, in milliseconds: what is lost is found later.
        private static let patience: Int64 = 1000

        private static let listen = PostgreSQLStatement(
            name: "listening", text: "LISTEN tandem_relay", isPrepared: false)
        private static let notify = PostgreSQLStatement(
            name: "notifying", text: "SELECT pg_notify('tandem_relay', $1::text)")
        private static let look = PostgreSQLStatement(
            name: "looking at spaces",
            text: """
                SELECT space, sequence, epoch, \(PostgreSQLOrigin.table)
                FROM space WHERE space = ANY($1::uuid[])
                """)

        /// Notices through a database.
        package init(_ address: PostgreSQLAddress) {
            self.address = address
        }

        /// Connects; a server that is away is tried again with each look.
        package func begin(
            on loop: any RelayStoreLoop, _ found: @escaping (Set<SpaceID>) -> Void
        ) {
            self.loop = loop
            self.found = found
            connect()
        }

        /// Closes the connection.
        package func close() {
            isClosed = true
            connecting?.giveUp(.closed)
            disconnect()
        }

        // MARK: The connection

        private func connect() {
            guard let loop, open == nil, connecting == nil, !isClosed else { return }
            if attempts.recentFault != nil { return }
            let attempt = PostgreSQLConnecting(
                address, first: attempts.hostIndex, on: loop, names: names)
            connecting = attempt
            attempt.begin { [weak self] result in
                guard let self else { return }
                connecting = nil
                switch result {
                case .success(let opened): if !isClosed { listen(opened) }
                case .failure(let fault): attempts.noteFailure(fault)
                }
            }
        }

        private func listen(_ opened: PostgreSQLOpened) {
            attempts.noteSuccess(opened)
            open = opened
            opened.connection.onUnasked = { [weak self] in self?.receive() }
            let listening = PostgreSQLStep<Void>.asking([Self.listen()], patience: Self.patience) {
                _ throws(StoreFault) in .done(())
            }
            perform(listening) { _ in }
        }

        /// The next look connects anew.
        private func disconnect() {
            open = nil
            attempts.noteFailure(.closed)
        }

        /// Runs steps; what came meanwhile, and what waits, follows.
        private func perform<Value>(
            _ step: PostgreSQLStep<Value>, _ then: @escaping (Value) -> Void
        ) {
            guard let connection = open?.connection else { return }
            connection.perform(step) { [weak self] result in
                guard let self else { return }
                if case .success(let value) = result { then(value) }
                receive()
                goOn()
            }
        }

        private func goOn() {
            guard let connection = open?.connection else {
                // The others find it by looking.
                touched = []
                return connect()
            }
            if connection.isBusy { return }
            if !touched.isEmpty { return tell() }
            if let spaces = sought { look(spaces) }
        }

        // MARK: Telling

        /// Tells the other processes of spaces into which something came here.
        package func send(_ spaces: [RelayTouch]) {
            for touch in spaces {
                // Nothing that its own subscribers were told is found anew by looking.
                if known[touch.space]?.sequence == touch.start {
                    known[touch.space]?.sequence = touch.through
                }
                touched.insert(touch.space)
            }
            goOn()
        }

        private func tell() {
            var left = touched.sorted()[...]
            touched = []
            var queries: [PostgreSQLQuery] = []
            while !left.isEmpty {
                let names = left.prefix(Self.noticeSpaceCountMax).map(\.hexadecimal)
                queries.append(Self.notify(.text(names.joined(separator: " "))))
                left = left.dropFirst(Self.noticeSpaceCountMax)
            }
            let telling = PostgreSQLStep<Void>.asking(queries, patience: Self.patience) {
                _ throws(StoreFault) in .done(())
            }
            perform(telling) { _ in }
        }

        // MARK: Hearing

        /// Takes the notices that have come.
        private func receive() {
            guard let connection = open?.connection else { return }
            guard connection.isUsable else { return disconnect() }
            var spaces: Set<SpaceID> = []
            for notice in connection.notifications()
            where notice.process != connection.serverProcess {
                if notice.payload == PostgreSQLSharedTables.mailboxNotice {
                    mailboxesChange?()
                    continue
                }
                for name in notice.payload.split(separator: " ") {
                    if let space = SpaceID(uuidText: name) { spaces.insert(space) }
                }
            }
            if !spaces.isEmpty { found(spaces) }
        }

        /// Looks which of some spaces have another last number or epoch than at the last look; all of them after the
        /// server was started again or replaced.
        package func look(at spaces: [SpaceID]) {
            sought = spaces
            goOn()
        }

        private func look(_ spaces: [SpaceID]) {
            sought = nil
            guard let origin = open?.origin else { return }
            let looking = PostgreSQLStep<[SpaceID: Known]>.asking(
                [Self.look(.identifiers(spaces.map(\.value)))], patience: Self.patience
            ) { answers throws(StoreFault) in
                var next: [SpaceID: Known] = [:]
                for row in 0..<answers[0].count {
                    guard let space = answers[0].identifier(row, 0) else { continue }
                    next[SpaceID(value: space)] = Known(
                        sequence: answers[0].unsigned(row, 1), epoch: answers[0].unsigned(row, 2),
                        table: answers[0].unsigned(row, 3))
                }
                return .done(next)
            }
            perform(looking) { [weak self] next in self?.compare(spaces, next, origin) }
        }

        private func compare(
            _ spaces: [SpaceID], _ next: [SpaceID: Known], _ origin: PostgreSQLOrigin
        ) {
            let isOther = knownOrigin.map { $0 != origin } ?? false
            knownOrigin = origin
            let changed = spaces.filter { isOther || next[$0] != known[$0] }
            known = next
            if !changed.isEmpty { found(Set(changed)) }
        }
    }
#endif
