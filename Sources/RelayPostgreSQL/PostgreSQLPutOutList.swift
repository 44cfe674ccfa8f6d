#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// The devices of spaces in a database, and those that the operator has put out of them: for all processes.
    package struct PostgreSQLPutOutList {
        /// A device of a space.
        package struct Entry: Hashable, Sendable {
            /// The space.
            package let space: SpaceID
            /// The device, as the space remembers it.
            package let device: RelayDevice
            /// Whether the operator has put it out.
            package let isPutOut: Bool
        }

        /// The outcome of an attempt to put a device out.
        package enum Outcome: Hashable, Sendable {
            /// It is out.
            case putOut
            /// There is no such space.
            case unknownSpace
            /// It was never let into the space in its present generation.
            case unknownDevice
        }

        private let store: PostgreSQLRelayStore

        /// How many devices are read at a time.
        package static let pageCount = 1000

        /// Reads all that are out.
        static let reading = PostgreSQLStatement(
            name: "reading who is put out",
            text: "SELECT space, generation, fingerprint FROM put_out")

        /// Reads those that are out of a space: a device is refused from then on by all processes.
        static let readingSpace = PostgreSQLStatement(
            name: "reading who is put out of a space",
            text: "SELECT space, generation, fingerprint FROM put_out WHERE space = $1::uuid")

        private static let page = PostgreSQLStatement(
            name: "listing devices",
            text: """
                SELECT space, fingerprint, first_day, last_day, EXISTS (
                    SELECT FROM put_out WHERE put_out.space = device.space
                        AND put_out.fingerprint = device.fingerprint)
                FROM device WHERE (space, fingerprint) > ($1::uuid, $2::bytea)
                ORDER BY space, fingerprint LIMIT $3::bigint
                """)

        private static let insert = PostgreSQLStatement(
            name: "putting a device out",
            text: """
                INSERT INTO put_out(space, generation, fingerprint)
                VALUES ($1::uuid, $2::bigint, $3::bytea)
                ON CONFLICT (space, fingerprint) DO UPDATE SET generation = excluded.generation
                """)

        /// The list in this store.
        package init(of store: PostgreSQLRelayStore) {
            self.store = store
        }

        /// Out of the answer to `reading`.
        static func devices(_ rows: PostgreSQLRows) -> Set<RelayPutOut> {
            var found: Set<RelayPutOut> = []
            for row in 0..<rows.count {
                guard let space = rows.identifier(row, 0),
                    let generation = UInt32(exactly: rows.number(row, 1))
                else { continue }
                found.insert(
                    RelayPutOut(
                        space: SpaceID(value: space), generation: generation,
                        fingerprint: rows.bytes(row, 2)))
            }
            return found
        }

        /// All that are out.
        package func devices() throws(StoreFault) -> Set<RelayPutOut> {
            try store.reading([Self.reading()]) { _, answers throws(StoreFault) in
                Self.devices(answers[0])
            }
        }

        /// The devices behind another one, by space and fingerprint, `pageCount` at most.
        ///
        /// - Parameter last: nil for the first ones.
        package func entries(after last: Entry?) throws(StoreFault) -> [Entry] {
            let query = Self.page(
                .identifier(last?.space.value ?? 0), .bytes(last?.device.fingerprint ?? []),
                .number(Int64(Self.pageCount)))
            return try store.reading([query]) { _, answers throws(StoreFault) in
                let rows = answers[0]
                return (0..<rows.count).compactMap { row in
                    rows.identifier(row, 0).map { space in
                        Entry(
                            space: SpaceID(value: space),
                            device: RelayDevice(
                                fingerprint: rows.bytes(row, 1), firstDay: rows.number(row, 2),
                                lastDay: rows.number(row, 3)),
                            isPutOut: rows.flag(row, 4))
                    }
                }
            }
        }

        private static let insertAll = PostgreSQLStatement(
            name: "taking over who is put out",
            text: """
                INSERT INTO put_out(space, generation, fingerprint)
                SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bytea[])
                ON CONFLICT (space, fingerprint) DO UPDATE
                    SET generation = greatest(put_out.generation, excluded.generation)
                """)

        /// Takes over the list of a relay on files, whose spaces are moved behind it.
        package func add(_ devices: Set<RelayPutOut>) throws(StoreFault) {
            if devices.isEmpty { return }
            let devices = Array(devices)
            let insert = Self.insertAll(
                .identifiers(devices.map(\.space.value)),
                .numbers(devices.map { Int64($0.generation) }),
                .byteStrings(devices.map(\.fingerprint)))
            try store.writing([]) { _, _ throws(StoreFault) in ([insert], ()) }
        }

        /// Puts a device out of a space: it is let in no more, and all processes end its conversations within a second or
        /// two.
        package func putOut(
            _ fingerprint: [UInt8], of space: SpaceID
        ) throws(StoreFault) -> Outcome {
            let id = PostgreSQLValue.identifier(space.value)
            let queries = [
                PostgreSQLSpaceState.locking(id), PostgreSQLReading.device(id, .bytes(fingerprint)),
            ]
            return try store.writing(queries) { opened, answers throws(StoreFault) in
                let state = try PostgreSQLSpaceState(
                    answers[0], server: opened.connection.server)
                guard let state else { return ([], .unknownSpace) }
                guard answers[1].count > 0 else { return ([], .unknownDevice) }
                let insert = Self.insert(
                    id, .number(Int64(state.generation)), .bytes(fingerprint))
                return ([insert], .putOut)
            }
        }
    }
#endif
