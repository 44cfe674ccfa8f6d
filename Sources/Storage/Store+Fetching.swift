import Core

/// Records for people.
extension Store {
    /// The records that a request is about.
    package func fetch(_ request: FetchRequest) throws(StoreFault) -> [StoredRecord] {
        let place = place(of: request.collection)
        let schema = collections[place]
        return try reading { () throws(StoreFault) in
            let rows = try run(request, in: place, columns: schema.statements.columnsOfT)
            defer { rows.reset() }
            var found: [StoredRecord] = []
            while try rows.step() { found.append(try stored(rows, place)) }
            return found
        }
    }

    /// The texts that columns hold of the records that a request is about; reads nothing else of them.
    ///
    /// Texts, moments and sets are kept as texts; nil for what has no value or is no text.
    /// - Parameter numbers: the numbers of fields with columns.
    package func texts(
        of numbers: [UInt32], in request: FetchRequest
    ) throws(StoreFault) -> [(id: RecordID, texts: [String?])] {
        let place = place(of: request.collection)
        let columns = numbers.map { number in
            collections[place].field(number).map { "t.\($0.quoted)" } ?? "NULL"
        }
        return try reading { () throws(StoreFault) in
            let rows = try run(
                request, in: place, columns: (["t.id"] + columns).joined(separator: ", "))
            defer { rows.reset() }
            var found: [(id: RecordID, texts: [String?])] = []
            while try rows.step() {
                guard let id = rows.identifier(0) else { continue }
                var texts: [String?] = []
                texts.reserveCapacity(numbers.count)
                for column in 1...Int32(max(1, numbers.count)) {
                    texts.append(rows.isNull(column) ? nil : rows.text(column))
                }
                found.append((RecordID(value: id), texts))
            }
            return found
        }
    }

    /// How many records a request is about, whatever its limit.
    package func count(_ request: FetchRequest) throws(StoreFault) -> Int {
        var request = request
        request.limit = nil
        request.offset = 0
        request.sort = []
        request.section = nil
        let place = place(of: request.collection)
        return try reading { () throws(StoreFault) in
            let rows = try run(request, in: place, columns: "count(*)")
            defer { rows.reset() }
            return try rows.step() ? Int(rows.int(0)) : 0
        }
    }

    private func run(
        _ request: FetchRequest, in place: Int, columns: String
    )
        throws(StoreFault) -> PreparedStatement
    {
        var compiler = FetchCompiler(collections: collections, place: place)
        return try statement(compiler.sql(request, columns: columns))
    }

    /// A statement with everything bound.
    func statement(_ sql: SQLText) throws(StoreFault) -> PreparedStatement {
        let rows = try connection.statement(sql.text)
        for (index, parameter) in sql.parameters.enumerated() {
            rows.bind(Int32(index + 1), cell: parameter)
        }
        return rows
    }

    /// A record by its id, whatever its state.
    package func record(_ id: RecordID) throws(StoreFault) -> StoredRecord? {
        try reading { () throws(StoreFault) in try find(id) }
    }

    /// The name of a device; nil if it has none here yet.
    package func deviceName(of replica: ReplicaID) throws(StoreFault) -> String? {
        let id = RecordID(value: replica.value)
        let record = try reading { () throws(StoreFault) in try find(id, in: 0) }
        guard case .text(let name)? = record?[2] else { return nil }
        return name
    }

    /// What is known of the store, for people.
    package func summary() throws(StoreFault) -> StoreSummary {
        try reading { () throws(StoreFault) in try currentSummary() }
    }

    private func currentSummary() throws(StoreFault) -> StoreSummary {
        var peers: [StoreSummary.Peer] = []
        let rows = try connection.statement(
            "SELECT replica, last_contact, mismatches FROM checkpoint ORDER BY last_contact DESC")
        while try rows.step() {
            guard state.replicas.entries.indices.contains(Int(rows.int(0))) else { continue }
            let entry = state.replicas[Int(rows.int(0))]
            peers.append(
                StoreSummary.Peer(
                    replica: entry.replica, lastContact: rows.int(1), isSuspect: rows.int(2) > 0))
        }
        return StoreSummary(
            space: state.space, policy: state.policy, replica: state.replica,
            deviceName: state.deviceName, counter: state.counter, sequence: state.sequence,
            knowledge: state.replicas.knowledge, peers: peers, digest: state.digest,
            parkedCount: try Int(connection.number("SELECT count(*) FROM parked")))
    }
}
