#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// Looks from outside, and work of other programs: who asks waits for the server.
    extension PostgreSQLRelayStore {
        /// Has work done, and waits for it.
        func run<Value>(_ work: PostgreSQLWork<Value>) throws(StoreFault) -> Value {
            try waiting.run(work)
        }

        /// Reads as of one moment.
        func reading<T>(
            _ first: [PostgreSQLQuery], patience: Int64 = PostgreSQLPatience.answerMilliseconds,
            _ body: (PostgreSQLOpened, [PostgreSQLRows]) throws(StoreFault) -> T
        ) throws(StoreFault) -> T {
            let result = withoutActuallyEscaping(body) { body in
                Result { () throws(StoreFault) in
                    try waiting.run(
                        .reading(first, patience: patience) {
                            opened, answers throws(StoreFault) in
                            .done(try body(opened, answers))
                        })
                }
            }
            return try result.get()
        }

        /// Writes in one transaction.
        func writing<T>(
            _ first: [PostgreSQLQuery],
            _ body: (PostgreSQLOpened, [PostgreSQLRows]) throws(StoreFault) -> (
                last: [PostgreSQLQuery], T
            )
        ) throws(StoreFault) -> T {
            let result = withoutActuallyEscaping(body) { body in
                Result { () throws(StoreFault) in
                    try waiting.run(
                        .writing(locking: nil, first) { opened, answers throws(StoreFault) in
                            let (last, value) = try body(opened, answers)
                            return .done((last: last, value: value))
                        })
                }
            }
            return try result.get()
        }

        /// A space as it is now; nil if there is none.
        package func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead? {
            let id = PostgreSQLValue.identifier(space.value)
            let queries = [PostgreSQLSpaceState.reading(id), PostgreSQLReading.rekeyMessages(id)]
            return try reading(queries) { opened, answers throws(StoreFault) in
                let server = opened.server
                let rekeyMessages = try PostgreSQLRekeyMessage.all(answers[1], server: server)
                return try PostgreSQLSpaceState(answers[0], server: server)?
                    .head(opened.origin, rekeyMessages.map(\.mark))
            }
        }

        /// The versions of one record, in order of arrival.
        package func versions(
            of record: RecordName, in space: SpaceID
        ) throws(StoreFault) -> [Change] {
            let query = PostgreSQLReading.versionsOfRecord(
                .identifier(space.value), .identifier(record.id.value))
            return try reading([query]) { opened, answers throws(StoreFault) in
                var found: [Change] = []
                for row in 0..<answers[0].count {
                    found.append(
                        try PostgreSQLReading.change(
                            answers[0], row, server: opened.server))
                }
                return found
            }
        }

        /// The summary rows of a device, sorted by key.
        package func rows(
            of replica: ReplicaID, in space: SpaceID
        ) throws(StoreFault) -> [SummaryRow] {
            let query = PostgreSQLReading.rowsOfReplica(
                .identifier(space.value), .identifier(replica.value))
            return try reading([query]) { opened, answers throws(StoreFault) in
                var found: [SummaryRow] = []
                for row in 0..<answers[0].count {
                    found.append(
                        try PostgreSQLReading.row(
                            answers[0], row, server: opened.server
                        ).row)
                }
                return found
            }
        }

        /// The devices that were let in since the present generation began, by fingerprint.
        package func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice] {
            try reading([PostgreSQLReading.devices(.identifier(space.value))]) {
                _, answers throws(StoreFault) in
                (0..<answers[0].count).map {
                    RelayDevice(
                        fingerprint: answers[0].bytes($0, 0), firstDay: answers[0].number($0, 1),
                        lastDay: answers[0].number($0, 2))
                }
            }
        }

        /// Looks whether all rows of a space fit together; gives the findings.
        package func examine(_ space: SpaceID) throws(StoreFault) -> [RelayFinding] {
            let examination = PostgreSQLExamination(of: space)
            return try reading(examination.queries) { opened, answers throws(StoreFault) in
                try examination.findings(answers, on: opened.connection)
            }
        }
    }
#endif
