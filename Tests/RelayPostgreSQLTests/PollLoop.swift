#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    /// A loop of a test: it turns while the test waits for something.
    final class PollLoop: RelayStoreLoop {
        private struct Watch {
            let number: Int
            let descriptor: CInt
            let isWriting: Bool
            let ready: () -> Void
        }

        private var watches: [Watch] = []
        private var timers: [(number: Int, at: Int64, action: () -> Void)] = []
        private var lastNumber = 0
        /// The names that this loop's name server knows, and how long it takes for each.
        var names: [String: (numbers: [String], milliseconds: Int64)] = [:]
        /// The names that it was asked for.
        private(set) var lookedUp: [String] = []

        private static var now: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        }

        func watch(
            _ descriptor: CInt, isWriting: Bool, _ ready: @escaping () -> Void
        ) -> Cancel? {
            lastNumber += 1
            let number = lastNumber
            watches.append(
                Watch(number: number, descriptor: descriptor, isWriting: isWriting, ready: ready))
            return { [weak self] in self?.watches.removeAll { $0.number == number } }
        }

        func lookUp(_ name: String, _ found: @escaping ([String]) -> Void) {
            lookedUp.append(name)
            guard let known = names[name] else {
                _ = call(afterMilliseconds: 0) { found([]) }
                return
            }
            _ = call(afterMilliseconds: known.milliseconds) { found(known.numbers) }
        }

        func call(afterMilliseconds milliseconds: Int64, _ action: @escaping () -> Void) -> Cancel {
            lastNumber += 1
            let number = lastNumber
            timers.append((number, Self.now + milliseconds, action))
            return { [weak self] in self?.timers.removeAll { $0.number == number } }
        }

        private func turn() {
            let all = watches
            var waited = all.map {
                pollfd(
                    fd: $0.descriptor, events: Int16($0.isWriting ? POLLIN | POLLOUT : POLLIN),
                    revents: 0)
            }
            _ = poll(&waited, nfds_t(waited.count), 10)
            for (watch, found) in zip(all, waited) where found.revents != 0 {
                // An earlier one of this turn may have ended it.
                if watches.contains(where: { $0.number == watch.number }) { watch.ready() }
            }
            let now = Self.now
            let due = timers.filter { $0.at <= now }
            timers.removeAll { $0.at <= now }
            for timer in due { timer.action() }
        }

        /// Turns until something holds; false if it does not for so long.
        @discardableResult
        func turn(milliseconds: Int64 = 20_000, until isOver: () -> Bool) -> Bool {
            let end = Self.now + milliseconds
            while !isOver() {
                if Self.now >= end { return false }
                turn()
            }
            return true
        }
    }

    /// A store on a loop, for callers that wait: so the laws are run on what answers later.
    final class LoopedStore: SynchronousRelayStore, WrappingRelayStore {
        let store: PostgreSQLRelayStore
        let loop: PollLoop

        init(
            _ store: PostgreSQLRelayStore, on loop: PollLoop = PollLoop(),
            connectionCountMax: Int = 2
        ) {
            self.store = store
            self.loop = loop
            store.limits.storeConnectionCountMax = connectionCountMax
            store.attach(to: loop)
        }

        private func waited<Value, Fault: Error>(
            _ call: (@escaping (Result<Value, Fault>) -> Void) -> Void
        ) throws(Fault) -> Value {
            var answer: Result<Value, Fault>?
            call { answer = $0 }
            loop.turn { answer != nil }
            guard let answer else { fatalError("each call is answered in time") }
            return try answer.get()
        }

        /// As they were a moment ago at the earliest.
        var totals: RelayStoreTotals {
            _ = store.totals
            loop.turn(milliseconds: 1200) { false }
            _ = store.totals
            loop.turn(milliseconds: 300) { false }
            return store.totals
        }

        func admit(
            _ relayHello: RelayHello, from visitor: RelayVisitor?,
            _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
        ) throws(StoreFault) -> RelayAdmission {
            let result = withoutActuallyEscaping(decide) { decide in
                Result { () throws(StoreFault) in
                    try waited { store.admit(relayHello, from: visitor, decide, then: $0) }
                }
            }
            return try result.get()
        }

        func commit(
            _ uploads: [RelayUpload], to key: RelaySpaceKey
        ) throws(RelayStoreFault) -> RelayCommit {
            try waited { store.commit(uploads, to: key, then: $0) }
        }

        func read(
            _ request: RelayReadRequest, of key: RelaySpaceKey
        ) throws(RelayStoreFault) -> RelayReading {
            try waited { store.read(request, of: key, then: $0) }
        }

        func settle() { store.settle() }
    }
#endif
