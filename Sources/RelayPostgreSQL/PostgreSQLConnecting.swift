#if PostgreSQL
    import Relay
    import Storage

    /// One attempt to connect to a database: its hosts one after the other, each for as long as one may take.
    final class PostgreSQLConnecting {
        private let address: PostgreSQLAddress
        private let loop: (any RelayStoreLoop)?
        private let names: PostgreSQLNames?
        /// Whether tables may be made: only as a program starts.
        private let isMaking: Bool
        private var left: ArraySlice<Int>
        private var faults: [(host: String, fault: StoreFault)] = []
        /// The connection that is being made.
        private(set) var connection: PostgreSQLConnection?
        /// The host whose addresses are waited for, and what ends its time; nil if none are.
        private var looked: (index: Int, endTimer: RelayStoreLoop.Cancel)?
        private var then: ((Result<PostgreSQLOpened, StoreFault>) -> Void)?

        /// An attempt that begins with the host that was right last.
        ///
        /// - Parameters:
        ///   - loop: drives it; nil if `wait` does.
        ///   - names: looks up the names of hosts; without it libpq does, and whoever drives the attempt waits for that.
        init(
            _ address: PostgreSQLAddress, first: Int = 0, isMaking: Bool = false,
            on loop: (any RelayStoreLoop)? = nil, names: PostgreSQLNames? = nil
        ) {
            self.address = address
            self.isMaking = isMaking
            self.loop = loop
            self.names = names
            let others = address.hosts.indices.filter { $0 != first }
            left = (address.hosts.indices.contains(first) ? [first] + others : others)[...]
        }

        /// Connects, and looks at the tables; makes them or brings them up to date, if it may.
        func begin(_ then: @escaping (Result<PostgreSQLOpened, StoreFault>) -> Void) {
            self.then = then
            next()
        }

        /// Connects, and waits for it.
        static func connect(
            _ address: PostgreSQLAddress, first: Int = 0, isMaking: Bool = false
        ) throws(StoreFault) -> PostgreSQLOpened {
            var result: Result<PostgreSQLOpened, StoreFault>?
            let connecting = PostgreSQLConnecting(address, first: first, isMaking: isMaking)
            connecting.begin { result = $0 }
            while result == nil, let connection = connecting.connection { connection.wait() }
            guard let result else {
                throw .unreachable(server: address.server, detail: "no host is named")
            }
            return try result.get()
        }

        /// Ends the attempt.
        func giveUp(_ fault: StoreFault) {
            if let connection { connection.giveUp(fault) } else { end(.failure(fault)) }
        }

        /// Waits for a name no longer as others go on: whoever drives the attempt from here on may wait for libpq.
        func hurry() {
            guard let index = looked?.index else { return }
            endLooking()
            connect(to: address.hosts[index], index)
        }

        private func end(_ result: Result<PostgreSQLOpened, StoreFault>) {
            let then = then
            endLooking()
            (self.then, connection) = (nil, nil)
            then?(result)
        }

        private func endLooking() {
            looked?.endTimer()
            looked = nil
        }

        private func next() {
            guard let index = left.popFirst() else { return end(.failure(fault)) }
            let host = address.hosts[index]
            guard let loop, let names, let name = host.lookupName else {
                return connect(to: host, index)
            }
            let endTimer = loop.call(afterMilliseconds: PostgreSQLPatience.connectMilliseconds) {
                [weak self] in self?.found([], "its name was not looked up in time", index)
            }
            looked = (index, endTimer)
            names.find(name, on: loop) { [weak self] numbers in
                self?.found(numbers, "its name has no address", index)
            }
        }

        /// - Parameter detail: the fault if there are none.
        private func found(_ numbers: [String], _ detail: String, _ index: Int) {
            // What comes too late is for the next attempt: another host may have its turn.
            guard looked?.index == index else { return }
            endLooking()
            guard numbers.isEmpty else {
                return connect(to: address.hosts[index].at(numbers), index)
            }
            failed(index, .unreachable(server: address.server, detail: detail))
        }

        private func connect(to host: PostgreSQLAddress.Host, _ index: Int) {
            do throws(StoreFault) {
                let connection = try PostgreSQLConnection(host, of: address, on: loop)
                self.connection = connection
                connection.connect { [self] fault in
                    if let fault { return failed(index, fault) }
                    prepare(connection, index)
                }
            } catch {
                failed(index, error)
            }
        }

        private func prepare(_ connection: PostgreSQLConnection, _ index: Int) {
            let server = connection.server
            let steps = PostgreSQLSchema.preparing(server, isMaking: isMaking).then {
                _ throws(StoreFault) in PostgreSQLOrigin.asking(server)
            }
            connection.perform(steps) { [self] result in
                switch result {
                case .success(let origin):
                    end(
                        .success(
                            PostgreSQLOpened(
                                connection: connection, origin: origin, hostIndex: index)))
                case .failure(let fault): failed(index, fault)
                }
            }
        }

        private func failed(_ index: Int, _ fault: StoreFault) {
            let host = address.hosts[index]
            connection = nil
            if let name = host.lookupName { names?.forget(name) }
            // Another host may be the one that can be written, or is there at all.
            guard fault.leavesReading else { return end(.failure(fault)) }
            faults.append((host.name, fault))
            next()
        }

        /// The fault of all hosts together.
        private var fault: StoreFault {
            guard faults.count != 1 else { return faults[0].fault }
            let details = faults.map { host, fault in
                if case .unreachable(_, let detail) = fault { return "\(host): \(detail)" }
                return "\(host): \(fault)"
            }
            return .unreachable(
                server: address.server, detail: details.joined(separator: "; "))
        }
    }

    /// The outcomes of attempts to connect: which host was right last, and whether it is too soon for another attempt.
    struct PostgreSQLAttempts {
        /// The host that was right last: the next attempt begins with it.
        private(set) var hostIndex = 0
        private var lastFailure: (fault: StoreFault, at: Int64)?

        /// The fault of an attempt a moment ago, in place of another one; nil if one may be made.
        var recentFault: StoreFault? {
            guard let lastFailure,
                PostgreSQLConnection.now < lastFailure.at + PostgreSQLPatience.retryMilliseconds
            else { return nil }
            return lastFailure.fault
        }

        mutating func noteSuccess(_ opened: PostgreSQLOpened) {
            (hostIndex, lastFailure) = (opened.hostIndex, nil)
        }

        mutating func noteFailure(_ fault: StoreFault) {
            lastFailure = (fault, PostgreSQLConnection.now)
        }
    }

    /// One connection for a caller that waits: for the conformance suite, moves, looks from outside, and each store that is
    /// on no loop.
    final class PostgreSQLWaiting: PostgreSQLWorkers {
        private let address: PostgreSQLAddress
        private(set) var open: PostgreSQLOpened?
        private var isClosed = false
        private var attempts = PostgreSQLAttempts()

        init(_ address: PostgreSQLAddress, _ open: PostgreSQLOpened) {
            self.address = address
            self.open = open
            attempts.noteSuccess(open)
        }

        /// Lets go of the connection; the next call makes another one.
        func disconnect() { open = nil }

        /// Takes the connection away, for somebody else.
        func handOver() -> PostgreSQLOpened? {
            defer { open = nil }
            return open
        }

        func close() {
            isClosed = true
            open = nil
        }

        func run<Value>(
            _ work: PostgreSQLWork<Value>, then: @escaping (Result<Value, StoreFault>) -> Void
        ) {
            then(Result { () throws(StoreFault) in try run(work) })
        }

        /// Runs, and waits.
        ///
        /// If the connection turns out to be broken, as the server was started again since, it is made anew and all is
        /// run once more, unless a commit may have happened.
        func run<Value>(_ work: PostgreSQLWork<Value>) throws(StoreFault) -> Value {
            if let open, open.connection.isUsable {
                do throws(StoreFault) {
                    return try open.connection.run(work.steps(open))
                } catch {
                    guard case .unreachable = error, !open.connection.mayHaveCommitted else {
                        throw error
                    }
                }
            }
            let opened = try reconnected()
            return try opened.connection.run(work.steps(opened))
        }

        private func reconnected() throws(StoreFault) -> PostgreSQLOpened {
            guard !isClosed else { throw .closed }
            open = nil
            if let fault = attempts.recentFault { throw fault }
            do throws(StoreFault) {
                let opened = try PostgreSQLConnecting.connect(address, first: attempts.hostIndex)
                attempts.noteSuccess(opened)
                open = opened
                return opened
            } catch {
                attempts.noteFailure(error)
                throw error
            }
        }
    }
#endif
