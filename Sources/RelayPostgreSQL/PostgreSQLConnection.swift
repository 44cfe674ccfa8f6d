#if PostgreSQL
    import CPQ
    import Glibc
    import Relay
    import Storage

    /// A connection to a database, in pipeline mode: what is run together goes out together and comes back together.
    ///
    /// It never waits by itself. It goes on in `proceed` when its descriptor is ready, which the program's loop calls, or
    /// `wait` where there is none. A connection that did not answer in time is of no more use.
    final class PostgreSQLConnection {
        let handle: OpaquePointer
        /// The database, for people: without a password.
        let server: String
        /// Statements that were prepared.
        var prepared: Set<String> = []
        /// Whether it is known not to answer any more.
        private var isGivenUp = false
        /// Whether a COMMIT went out whose answer did not come: nobody knows whether it happened.
        var mayHaveCommitted = false
        /// Is called when something comes that was not asked for: a notice, or the end of the connection.
        var onUnasked: (() -> Void)?

        private enum Activity {
            case none
            case connecting(PostgresPollingStatusType, then: (StoreFault?) -> Void)
            case exchanging(PostgreSQLAnswers)
        }
        private var activity = Activity.none
        private var deadline = Int64.max
        private var isFlushed = true

        private weak var loop: (any RelayStoreLoop)?
        private var watched: (descriptor: CInt, isWriting: Bool, cancel: RelayStoreLoop.Cancel)?
        private var timer: RelayStoreLoop.Cancel?

        /// Begins to connect to one host of an address.
        ///
        /// - Parameter loop: calls `proceed`; nil if `wait` does.
        init(
            _ host: PostgreSQLAddress.Host, of address: PostgreSQLAddress,
            on loop: (any RelayStoreLoop)?
        ) throws(StoreFault) {
            server = address.server
            self.loop = loop
            let made = Self.withPointers(host.options.map(\.keyword)) { keywords in
                Self.withPointers(host.options.map(\.value)) {
                    PQconnectStartParams(keywords, $0, 0)
                }
            }
            guard let made else { throw .unreachable(server: server, detail: "no memory") }
            handle = made
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
            // From here on a failure leaves the handle to `deinit`.
            if PQstatus(handle) == CONNECTION_BAD { throw broken() }
        }

        deinit {
            watched?.cancel()
            timer?()
            PQfinish(handle)
        }

        private static func withPointers<T>(
            _ words: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T?
        ) -> T? {
            let copies = words.map { strdup($0) } + [nil]
            defer { for copy in copies { free(copy) } }
            return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { pointers in
                pointers.baseAddress.flatMap(body)
            }
        }

        /// Whether it may be used for a next call.
        var isUsable: Bool { !isGivenUp && PQstatus(handle) == CONNECTION_OK }

        /// Whether an answer is awaited.
        var isBusy: Bool { if case .none = activity { false } else { true } }

        /// The number of the server's process at its other end.
        var serverProcess: CInt { PQbackendPID(handle) }

        /// Milliseconds of a clock that nobody sets.
        static var now: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        }

        // MARK: Activities

        /// Connects, within `PostgreSQLPatience.connectMilliseconds`.
        func connect(_ then: @escaping (StoreFault?) -> Void) {
            begin(
                .connecting(PGRES_POLLING_WRITING, then: then),
                patience: PostgreSQLPatience.connectMilliseconds)
            watch()
        }

        /// Runs statements, in one exchange with the server; after the first that fails none is run.
        ///
        /// - Parameter then: takes the rows of each.
        func exchange(
            _ exchange: PostgreSQLExchange,
            then: @escaping (Result<[PostgreSQLRows], StoreFault>) -> Void
        ) {
            precondition(!isBusy, "one exchange at a time")
            var answers = PostgreSQLAnswers(server: server, then: then)
            guard isUsable, answers.send(exchange.queries, on: self) else {
                return then(.failure(broken()))
            }
            isFlushed = false
            begin(.exchanging(answers), patience: exchange.patience)
            goOn()
        }

        private func begin(_ next: Activity, patience: Int64) {
            activity = next
            deadline = Self.now + patience
        }

        /// Ends what is under way; the connection is of no more use.
        func giveUp(_ fault: StoreFault) {
            isGivenUp = true
            let before = end()
            switch before {
            case .none: onUnasked?()
            case .connecting(_, let then): then(fault)
            case .exchanging(let answers): answers.then(.failure(fault))
            }
        }

        private func end() -> Activity {
            let before = activity
            (activity, deadline) = (.none, .max)
            watch()
            return before
        }

        /// The fault of a connection that broke.
        func broken() -> StoreFault {
            isGivenUp = true
            return PostgreSQLFault.fault(
                code: nil, message: String(cString: PQerrorMessage(handle)), statement: "",
                server: server)
        }

        // MARK: Going on

        /// Goes on as far as is possible without waiting: the descriptor is ready.
        func proceed() {
            switch activity {
            case .connecting(_, let then): proceedConnecting(then)
            case .none:
                if PQconsumeInput(handle) != 1 { isGivenUp = true }
                watch()
                onUnasked?()
            case .exchanging:
                guard PQconsumeInput(handle) == 1 else { return giveUp(broken()) }
                goOn()
            }
        }

        /// Gives up if the time is over.
        func look(at now: Int64) {
            guard isBusy, now >= deadline else { return }
            giveUp(.unreachable(server: server, detail: "it did not answer in time"))
        }

        private func proceedConnecting(_ then: @escaping (StoreFault?) -> Void) {
            // Inside of the call the descriptor may become another one.
            unwatch()
            let state = PQconnectPoll(handle)
            if state == PGRES_POLLING_FAILED { return giveUp(broken()) }
            activity = .connecting(state, then: then)
            guard state == PGRES_POLLING_OK else { return watch() }
            guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
                return giveUp(broken())
            }
            _ = end()
            then(nil)
        }

        /// Sends what is left, and takes the results that are there.
        private func goOn() {
            guard case .exchanging(var answers) = activity else { return }
            if !isFlushed {
                let left = PQflush(handle)
                guard left >= 0 else { return giveUp(broken()) }
                isFlushed = left == 0
            }
            // Without a second reference it is changed in place.
            activity = .none
            let outcome = answers.take(from: handle)
            activity = .exchanging(answers)
            switch outcome {
            case .waiting: watch()
            case .broken(let fault): giveUp(fault ?? broken())
            case .ended(let result):
                prepared.subtract(answers.unprepared)
                _ = end()
                answers.then(result)
            }
        }

        // MARK: Waiting

        /// Has a loop call `proceed` from now on.
        func attach(to loop: any RelayStoreLoop) {
            self.loop = loop
            watch()
        }

        private var wantsToWrite: Bool {
            switch activity {
            case .none: false
            case .connecting(let state, _): state == PGRES_POLLING_WRITING
            case .exchanging: !isFlushed
            }
        }

        private func unwatch() {
            watched?.cancel()
            watched = nil
        }

        /// Has the loop watch the descriptor and the time.
        private func watch() {
            guard let loop else { return }
            let (descriptor, isWriting) = (PQsocket(handle), wantsToWrite)
            guard !isGivenUp, descriptor >= 0 else { return unwatch() }
            if watched?.descriptor != descriptor || watched?.isWriting != isWriting {
                unwatch()
                let cancel = loop.watch(descriptor, isWriting: isWriting) { [weak self] in
                    self?.proceed()
                }
                // Without it the deadline ends what is under way.
                if let cancel { watched = (descriptor, isWriting, cancel) }
            }
            if isBusy, timer == nil { plan(on: loop) }
        }

        /// One timer for many exchanges: one that comes too early is made anew.
        private func plan(on loop: any RelayStoreLoop) {
            timer = loop.call(afterMilliseconds: max(1, deadline - Self.now)) { [weak self] in
                guard let self else { return }
                timer = nil
                look(at: Self.now)
                if isBusy { watch() }
            }
        }

        /// The descriptor and the events that are waited for, for `poll`.
        var awaited: pollfd {
            var events = POLLIN
            if case .connecting(PGRES_POLLING_WRITING, _) = activity { events = 0 }
            return pollfd(
                fd: PQsocket(handle), events: Int16(events | (wantsToWrite ? POLLOUT : 0)),
                revents: 0)
        }

        /// Waits until nothing is under way, on no loop.
        func wait() {
            while isBusy {
                var waited = awaited
                let left = max(0, min(deadline - Self.now, 60_000))
                let found = poll(&waited, 1, CInt(left))
                if found > 0 { proceed() } else if found < 0, errno != EINTR { giveUp(broken()) }
                look(at: Self.now)
            }
        }
    }
#endif
