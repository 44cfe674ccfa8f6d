import Core
import Storage

/// The devices that were let into a space since its present generation began.
extension SQLiteRelaySpace {
    /// One of them; nil if it was never let in.
    func device(_ fingerprint: [UInt8]) throws(StoreFault) -> RelayDevice? {
        let row = try connection.statement(
            "SELECT first_day, last_day FROM device WHERE fingerprint = ?")
        row.bind(1, fingerprint)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return RelayDevice(
            fingerprint: fingerprint, firstDay: row.int(0), lastDay: row.int(1))
    }

    /// All of them, by fingerprint.
    package func devices() throws(StoreFault) -> [RelayDevice] {
        try Self.devices(in: connection)
    }

    private static func devices(in connection: Connection) throws(StoreFault) -> [RelayDevice] {
        let rows = try connection.statement(
            "SELECT fingerprint, first_day, last_day FROM device ORDER BY fingerprint")
        defer { rows.reset() }
        var devices: [RelayDevice] = []
        while try rows.step() {
            devices.append(
                RelayDevice(
                    fingerprint: rows.bytes(0), firstDay: rows.int(1), lastDay: rows.int(2)))
        }
        return devices
    }

    /// Notes that a device was let in, never as earlier than before: a clock may have been wrong.
    ///
    /// Of more than `countMax` those are forgotten that were here longest ago.
    func remember(_ visitor: RelayVisitor, countMax: Int) throws(StoreFault) {
        try transact { () throws(StoreFault) in
            let row = try connection.statement(
                """
                INSERT INTO device VALUES (?1, ?2, ?2)
                    ON CONFLICT (fingerprint) DO UPDATE
                        SET last_day = max(last_day, excluded.last_day)
                """)
            row.bind(1, visitor.fingerprint)
            row.bind(2, visitor.day)
            try row.run()
            let surplus = try connection.number("SELECT count(*) FROM device") - Int64(countMax)
            guard surplus > 0 else { return }
            let old = try connection.statement(
                """
                DELETE FROM device WHERE fingerprint IN (
                    SELECT fingerprint FROM device WHERE fingerprint <> ?
                    ORDER BY last_day, fingerprint LIMIT ?)
                """)
            old.bind(1, visitor.fingerprint)
            old.bind(2, surplus)
            try old.run()
        }
    }

    /// Looks at the file of a space that a relay may have open, and changes nothing; nil if there is none.
    package static func look(
        at space: SpaceID, in folder: String, environment: StoreEnvironment
    ) throws(StoreFault) -> (generation: UInt32, devices: [RelayDevice])? {
        let path = path(of: space, in: folder)
        guard environment.disk.exists(path) else { return nil }
        let connection = try Connection(
            path: path, on: environment.disk, creates: false, busyMilliseconds: 2000)
        defer { connection.close() }
        guard try SQLiteRelayMigrations.check(connection, path: path) else { return nil }
        try connection.execute("PRAGMA query_only = ON")
        let generation = UInt32(
            clamping: try connection.number("SELECT generation FROM meta"))
        return (generation, try devices(in: connection))
    }

    /// The spaces whose files are in a folder.
    package static func spaces(in folder: String, environment: StoreEnvironment) -> [SpaceID] {
        environment.disk.fileNames(in: folder).compactMap { space(ofFile: $0) }.sorted()
    }
}
