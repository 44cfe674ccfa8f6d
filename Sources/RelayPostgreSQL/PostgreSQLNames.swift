#if PostgreSQL
    import Relay

    /// The addresses of database servers by their names, looked up beside the loop.
    ///
    /// libpq itself would hold up the loop until the name server has answered. An answer that comes too late for one
    /// attempt to connect is there for the next: a slow name server makes connecting slow, and not impossible.
    final class PostgreSQLNames {
        /// After so many milliseconds a name is looked up anew.
        private static let lifeMilliseconds: Int64 = 60_000

        private var known: [String: (numbers: [String], at: Int64)] = [:]
        private var waiting: [String: [([String]) -> Void]] = [:]

        /// Finds the addresses of a name.
        ///
        /// - Parameter found: called once, at once if they are known, else later on the loop, however late; with none if
        ///   there are none.
        func find(
            _ name: String, on loop: any RelayStoreLoop, _ found: @escaping ([String]) -> Void
        ) {
            if let entry = known[name],
                PostgreSQLConnection.now < entry.at + Self.lifeMilliseconds
            {
                return found(entry.numbers)
            }
            let isUnderWay = waiting[name] != nil
            waiting[name, default: []].append(found)
            if isUnderWay { return }
            loop.lookUp(name) { [weak self] numbers in self?.answer(name, numbers) }
        }

        private func answer(_ name: String, _ numbers: [String]) {
            known[name] = numbers.isEmpty ? nil : (numbers, PostgreSQLConnection.now)
            let waits = waiting.removeValue(forKey: name) ?? []
            for found in waits { found(numbers) }
        }

        /// Nobody answers there: the server may have another address by now.
        func forget(_ name: String) { known[name] = nil }
    }
#endif
