#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import Storage

    /// A few connections on the program's loop, which many calls share.
    ///
    /// A call takes a connection for all of its exchanges. One that finds none waits in order, but passes those that wait
    /// for the row of a space that another call has locked. Of attempts to connect one is under way at a time; while the
    /// database is away each call fails at once, for `PostgreSQLPatience.retryMilliseconds` after such an attempt.
    final class PostgreSQLPool: PostgreSQLWorkers {
        private let address: PostgreSQLAddress
        private let loop: any RelayStoreLoop
        private let connectionCountMax: Int
        private let waitingCountMax: Int

        private var idle: [PostgreSQLOpened] = []
        private var busy: [ObjectIdentifier: PostgreSQLOpened] = [:]
        private var connecting: PostgreSQLConnecting?
        private var attempts = PostgreSQLAttempts()
        private let names = PostgreSQLNames()
        /// Whether the loop turns; else `wait` drives everything.
        private var isTurning = true

        private var waiting: [Call] = []
        private var locked: Set<SpaceID> = []
        private var timer: RelayStoreLoop.Cancel?
        private var isClosed = false

        /// A call that waits for a connection, or has one.
        private final class Call {
            let space: SpaceID?
            var deadline: Int64
            /// Whether its first connection was broken.
            var isRepeated = false
            let fail: (StoreFault) -> Void
            let start: (Call, PostgreSQLOpened) -> Void

            init(
                _ space: SpaceID?, deadline: Int64, fail: @escaping (StoreFault) -> Void,
                start: @escaping (Call, PostgreSQLOpened) -> Void
            ) {
                self.space = space
                self.deadline = deadline
                self.fail = fail
                self.start = start
            }
        }

        /// Connections on a loop.
        ///
        /// - Parameters:
        ///   - connectionCountMax: the most connections at a time.
        ///   - waitingCountMax: the most calls that wait for one; more are refused as the store is busy.
        init(
            _ address: PostgreSQLAddress, on loop: any RelayStoreLoop, connectionCountMax: Int,
            waitingCountMax: Int
        ) {
            self.address = address
            self.loop = loop
            self.connectionCountMax = max(1, connectionCountMax)
            self.waitingCountMax = waitingCountMax
        }

        /// How many connections there are.
        var connectionCount: Int { idle.count + busy.count }

        /// How many calls wait for a connection.
        var waitingCount: Int { waiting.count }

        private func isBusy(since milliseconds: Int64) -> StoreFault {
            .busy(
                holder: "the database \(address.server)", waitedMilliseconds: Int(milliseconds))
        }

        private static var deadline: Int64 {
            PostgreSQLConnection.now + PostgreSQLPatience.queueMilliseconds
        }

        // MARK: Calls

        func run<Value>(
            _ work: PostgreSQLWork<Value>, then: @escaping (Result<Value, StoreFault>) -> Void
        ) {
            if isClosed { return then(.failure(.closed)) }
            guard waiting.count < waitingCountMax else { return then(.failure(isBusy(since: 0))) }
            let call = Call(
                work.locked, deadline: Self.deadline, fail: { then(.failure($0)) },
                start: { [unowned self] call, opened in
                    take(opened, for: call)
                    opened.connection.perform(work.steps(opened)) { [weak self] result in
                        guard let self else { return then(result) }
                        let isOver = giveBack(opened, from: call, result.fault)
                        if isOver { then(result) }
                        serve()
                    }
                })
            waiting.append(call)
            serve()
            planTimer()
        }

        private func take(_ opened: PostgreSQLOpened, for call: Call) {
            busy[ObjectIdentifier(opened.connection)] = opened
            if let space = call.space { locked.insert(space) }
        }

        /// Takes a connection back; false if the call is to be made once more.
        private func giveBack(
            _ opened: PostgreSQLOpened, from call: Call, _ fault: StoreFault?
        ) -> Bool {
            let connection = opened.connection
            busy[ObjectIdentifier(connection)] = nil
            if let space = call.space { locked.remove(space) }
            if connection.isUsable, !isClosed {
                idle.append(opened)
                return true
            }
            // The server was started again since: no other connection is of use either.
            guard case .unreachable = fault, !connection.mayHaveCommitted, !call.isRepeated,
                !isClosed
            else { return true }
            call.isRepeated = true
            call.deadline = Self.deadline
            dropIdle()
            waiting.insert(call, at: 0)
            return false
        }

        /// Gives connections to those who wait.
        private func serve() {
            while let index = waiting.firstIndex(where: { mayStart($0) }) {
                while let last = idle.last, !last.connection.isUsable { idle.removeLast() }
                guard let opened = idle.popLast() else { return connect() }
                let call = waiting.remove(at: index)
                call.start(call, opened)
            }
        }

        private func mayStart(_ call: Call) -> Bool {
            call.space.map { !locked.contains($0) } ?? true
        }

        private func planTimer() {
            guard timer == nil, let first = waiting.map(\.deadline).min() else { return }
            let delay = max(1, first - PostgreSQLConnection.now)
            timer = loop.call(afterMilliseconds: delay) { [weak self] in
                self?.timer = nil
                self?.endOverdue()
                self?.planTimer()
            }
        }

        private func endOverdue() {
            let now = PostgreSQLConnection.now
            let overdue = waiting.filter { $0.deadline <= now }
            waiting.removeAll { $0.deadline <= now }
            for call in overdue { call.fail(isBusy(since: PostgreSQLPatience.queueMilliseconds)) }
        }

        private func failAll(_ fault: StoreFault) {
            let calls = waiting
            waiting = []
            for call in calls { call.fail(fault) }
        }

        // MARK: Connections

        /// Takes a connection over that somebody else has made.
        func add(_ opened: PostgreSQLOpened) {
            attempts.noteSuccess(opened)
            let connection = opened.connection
            connection.attach(to: loop)
            connection.onUnasked = { [weak self, weak connection] in
                // It was idle, and its server has ended it.
                guard let self, let connection, !connection.isUsable else { return }
                idle.removeAll { $0.connection === connection }
            }
            idle.append(opened)
            serve()
        }

        /// Lets go of connections that nobody uses; the next calls make others.
        func dropIdle() { idle = [] }

        private func connect() {
            guard connecting == nil, connectionCount < connectionCountMax else { return }
            if let fault = attempts.recentFault {
                if busy.isEmpty { failAll(fault) }
                return
            }
            let attempt = PostgreSQLConnecting(
                address, first: attempts.hostIndex, on: loop, names: isTurning ? names : nil)
            connecting = attempt
            attempt.begin { [weak self] result in
                guard let self else { return }
                connecting = nil
                switch result {
                case .success(let opened): if !isClosed { add(opened) }
                case .failure(let fault):
                    attempts.noteFailure(fault)
                    // Calls that have a connection still may be answered, and those that wait behind them.
                    if busy.isEmpty { failAll(fault) }
                }
            }
        }

        // MARK: The end

        /// Waits, on no loop, until every call is answered, no longer than so many milliseconds.
        func wait(milliseconds: Int64) {
            let deadline = PostgreSQLConnection.now + milliseconds
            isTurning = false
            defer { isTurning = true }
            connecting?.hurry()
            while !busy.isEmpty || !waiting.isEmpty {
                let now = PostgreSQLConnection.now
                guard now < deadline else { return }
                var connections = busy.values.map(\.connection)
                if let connection = connecting?.connection { connections.append(connection) }
                var waited = connections.map(\.awaited)
                // A short while, as times are looked at here alone.
                if poll(&waited, nfds_t(waited.count), 50) > 0 {
                    for (connection, found) in zip(connections, waited)
                    where found.revents != 0 && connection.isBusy {
                        connection.proceed()
                    }
                }
                for connection in connections { connection.look(at: PostgreSQLConnection.now) }
                endOverdue()
                serve()
            }
        }

        /// Ends all calls, and lets go of all connections.
        func close() {
            isClosed = true
            failAll(.closed)
            for opened in busy.values { opened.connection.giveUp(.closed) }
            connecting?.giveUp(.closed)
            dropIdle()
            timer?()
            timer = nil
        }
    }

    extension Result {
        /// The failure; nil if it succeeded.
        fileprivate var fault: Failure? {
            if case .failure(let fault) = self { fault } else { nil }
        }
    }
#endif
