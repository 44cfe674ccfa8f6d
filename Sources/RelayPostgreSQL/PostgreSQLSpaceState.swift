#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// The row of a space.
    struct PostgreSQLSpaceState: Hashable {
        /// The space.
        let space: SpaceID
        /// The id of the store of this space and generation.
        var relay: ReplicaID
        /// The generation of the space's secret; 0 without encryption.
        var generation: UInt32
        /// The key that devices prove to have; empty without encryption.
        var verifier: [UInt8]
        /// The last arrival number given.
        var sequence: UInt64 = 0
        /// The bytes of all versions, summary rows and rekey messages.
        var byteCount = 0
        /// How many records there are.
        var recordCount = 0
        /// How many versions there are.
        var versionCount = 0
        /// The sum of the hashes of all summary rows, modulo 2^128.
        var rowSum: UInt128 = 0
        /// The last epoch.
        var epoch = EpochID(value: 3)
        /// Which opening of a store began it.
        var opening: Int64 = 0
        /// The origin of the database at that time.
        var origin: Int64 = 0
        /// The number of the table of spaces.
        let table: UInt64

        /// A new state of a space, without an epoch.
        init(
            space: SpaceID, relay: ReplicaID, generation: UInt32, verifier: [UInt8], table: UInt64
        ) {
            self.space = space
            self.table = table
            self.relay = relay
            self.generation = generation
            self.verifier = verifier
        }

        /// The name of the state, for conversations.
        func key(_ origin: PostgreSQLOrigin) -> RelaySpaceKey {
            RelaySpaceKey(space: space, relay: relay, history: Int(origin.number(ofTable: table)))
        }

        /// The space without its contents.
        func head(
            _ origin: PostgreSQLOrigin, _ rekeyMessages: [RekeyMessage.Mark]
        ) -> RelaySpaceHead {
            RelaySpaceHead(
                key: key(origin), generation: generation, verifier: verifier, epoch: epoch,
                sequence: sequence, byteCount: byteCount, recordCount: recordCount,
                versionCount: versionCount, rekeyMessageMarks: rekeyMessages)
        }

        // MARK: The row

        private static let columns = """
            space, relay, generation, verifier, sequence, bytes, records, versions, row_sum, epoch,
            opening, origin
            """
        private static let readColumns = "\(columns), \(PostgreSQLOrigin.table)"

        /// Reads the row.
        static let reading = PostgreSQLStatement(
            name: "reading a space", text: "SELECT \(readColumns) FROM space WHERE space = $1::uuid"
        )

        /// Reads the row, and locks it until the end of the transaction: for all that changes the space.
        static let locking = PostgreSQLStatement(
            name: "locking a space",
            text: "SELECT \(readColumns) FROM space WHERE space = $1::uuid FOR NO KEY UPDATE")

        /// Out of the answer to `reading` or `locking`; nil if there is no such space.
        init?(_ rows: PostgreSQLRows, server: String) throws(StoreFault) {
            guard rows.count > 0 else { return nil }
            guard let space = rows.identifier(0, 0), let relay = rows.identifier(0, 1),
                let generation = UInt32(exactly: rows.number(0, 2)), rows.number(0, 4) >= 0,
                let rowSum = rows.identifier(0, 8)
            else {
                throw .corrupt(
                    path: "the database \(server)", detail: "the row of a space is damaged")
            }
            self.space = SpaceID(value: space)
            self.relay = ReplicaID(value: relay)
            self.generation = generation
            verifier = rows.bytes(0, 3)
            sequence = rows.unsigned(0, 4)
            byteCount = Int(rows.number(0, 5))
            recordCount = Int(rows.number(0, 6))
            versionCount = Int(rows.number(0, 7))
            self.rowSum = rowSum
            epoch = EpochID(value: rows.unsigned(0, 9))
            opening = rows.number(0, 10)
            origin = rows.number(0, 11)
            table = rows.unsigned(0, 12)
        }

        private static let update = PostgreSQLStatement(
            name: "saving a space",
            text: """
                UPDATE space SET relay = $2::uuid, generation = $3::bigint, verifier = $4::bytea,
                    sequence = $5::bigint, bytes = $6::bigint, records = $7::bigint,
                    versions = $8::bigint, row_sum = $9::uuid, epoch = $10::bigint,
                    opening = $11::bigint, origin = $12::bigint
                WHERE space = $1::uuid RETURNING sequence
                """)

        private static let insert = PostgreSQLStatement(
            name: "making a space",
            text: """
                INSERT INTO space(\(columns)) VALUES ($1::uuid, $2::uuid, $3::bigint, $4::bytea,
                    $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::uuid, $10::bigint,
                    $11::bigint, $12::bigint)
                """)

        private var values: [PostgreSQLValue] {
            [
                .identifier(space.value), .identifier(relay.value), .number(Int64(generation)),
                .bytes(verifier), .unsigned(sequence), .number(Int64(byteCount)),
                .number(Int64(recordCount)), .number(Int64(versionCount)), .identifier(rowSum),
                .unsigned(epoch.value), .number(opening), .number(origin),
            ]
        }

        /// Saves the row, which the transaction has locked.
        var saving: PostgreSQLQuery { PostgreSQLQuery(statement: Self.update, parameters: values) }

        /// Makes the row.
        var making: PostgreSQLQuery { PostgreSQLQuery(statement: Self.insert, parameters: values) }

        // MARK: Epochs

        /// Adds an epoch behind the others.
        static let insertEpoch = PostgreSQLStatement(
            name: "beginning an epoch",
            text: """
                INSERT INTO epoch(space, number, id, first_sequence) VALUES ($1::uuid,
                    coalesce((SELECT max(number) + 1 FROM epoch WHERE space = $1::uuid), 1),
                    $2::bigint, $3::bigint)
                """)

        private static let dropEpochs = PostgreSQLStatement(
            name: "forgetting epochs",
            text: """
                DELETE FROM epoch WHERE space = $1::uuid AND number <=
                    (SELECT max(number) - $2::bigint FROM epoch WHERE space = $1::uuid)
                """)

        /// Reads the epochs, oldest first.
        static let readingEpochs = PostgreSQLStatement(
            name: "reading epochs",
            text: "SELECT id, first_sequence FROM epoch WHERE space = $1::uuid ORDER BY number")

        /// The epochs out of the answer to `readingEpochs`.
        static func epochs(_ rows: PostgreSQLRows) -> [RelayEpoch] {
            (0..<rows.count).map {
                RelayEpoch(
                    id: EpochID(value: rows.unsigned($0, 0)), firstSequence: rows.unsigned($0, 1))
            }
        }

        /// Begins an epoch, if the last one is not of this opening or a later one, in the same origin.
        ///
        /// - Returns: what is to be run at the transaction's end; empty if none is begun.
        mutating func beginEpochIfDue(
            _ opening: Int64, _ origin: PostgreSQLOrigin, drawBits: () -> UInt64
        ) -> [PostgreSQLQuery] {
            let origin = origin.number(ofTable: table)
            if self.opening >= opening, self.origin == origin { return [] }
            let begun = RelayEpoch(bits: drawBits(), firstSequence: sequence)
            epoch = begun.id
            self.opening = opening
            self.origin = origin
            let space = PostgreSQLValue.identifier(space.value)
            return [
                Self.insertEpoch(space, .unsigned(epoch.value), .unsigned(begun.firstSequence)),
                Self.dropEpochs(space, .number(Int64(RelayEpoch.countMax))),
            ]
        }
    }
#endif
