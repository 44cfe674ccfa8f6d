import Core

/// The part of a store that knows the devices of its space and the addresses at which they answered.
///
/// Owns the table `address`; the records of devices are in the first collection.
final class SpaceMembers {
    private let database: Database
    private let knowledge: Knowledge
    private let records: Records

    init(_ database: Database, _ knowledge: Knowledge, _ records: Records) {
        self.database = database
        self.knowledge = knowledge
        self.records = records
    }

    // MARK: Devices

    /// The last arrival number in the reserved collection of devices: another one means that a record there
    /// has changed.
    func deviceSequence() throws(StoreFault) -> UInt64 {
        let row = try database.connection.statement(
            "SELECT coalesce(max(sequence), 0) FROM \(database.collections[0].table)")
        defer { row.reset() }
        return try row.step() ? row.unsigned(0) : 0
    }

    /// Every record of the reserved collection of devices, whatever its state.
    func deviceRecords() throws(StoreFault) -> [Record] {
        try database.reading { () throws(StoreFault) in
            var found: [Record] = []
            try records.forEachRecord(in: 0) { stored throws(StoreFault) in found.append(stored) }
            return found
        }
    }

    /// The name of a device; nil if it has none here yet.
    func deviceName(of replica: ReplicaID) throws(StoreFault) -> String? {
        let id = RecordID(value: replica.value)
        let record = try database.reading { () throws(StoreFault) in try records.find(id, in: 0) }
        guard case .text(let name)? = record?[2] else { return nil }
        return name
    }

    /// Records of devices as changes, whole, in the order of their ids.
    static func changes(of devices: [Record]) -> [Change] {
        devices.sorted { $0.id < $1.id }.map { Change($0, known: nil) }
    }

    /// The changes among several that are records of devices.
    static func deviceChanges(in changes: [Change]) -> [Change] {
        changes.filter { change in
            let found = try? BodyCodec.decode(change.body, clock: change.clock)
            return found?.collection == .devices
        }
    }

    // MARK: Addresses

    /// Remembers the replica that answers at an address, for the next greeting.
    func remember(_ replica: ReplicaID, at address: String) throws(StoreFault) {
        if try self.replica(at: address) == replica { return }
        try database.changing { () throws(StoreFault) in
            let row = try database.connection.statement(
                "INSERT OR REPLACE INTO address VALUES (?, ?)")
            row.bind(1, address)
            row.bind(2, Int64(knowledge.number(of: replica)))
            try row.run()
        }
    }

    /// The replica that answered at an address last time.
    func replica(at address: String) throws(StoreFault) -> ReplicaID? {
        let row = try database.connection.statement(
            "SELECT replica FROM address WHERE address = ?")
        row.bind(1, address)
        defer { row.reset() }
        return try row.step() ? knowledge.replica(numbered: row.int(0)) : nil
    }

    /// All addresses at which a replica has answered, each with the last one.
    func knownAddresses() throws(StoreFault) -> [(address: String, replica: ReplicaID)] {
        let row = try database.connection.statement(
            "SELECT address, replica FROM address ORDER BY address")
        defer { row.reset() }
        var found: [(address: String, replica: ReplicaID)] = []
        while try row.step() {
            guard let replica = knowledge.replica(numbered: row.int(1)) else { continue }
            found.append((row.text(0), replica))
        }
        return found
    }

    /// Forgets all addresses.
    func forgetAddresses() throws(StoreFault) {
        try database.connection.execute("DELETE FROM address")
    }
}
