#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// The statements that read the rows of spaces, and what their answers say.
    enum PostgreSQLReading {
        // MARK: What uploads meet

        /// Versions of records, without their bodies.
        static let versions = PostgreSQLStatement(
            name: "reading what uploads meet",
            text: """
                SELECT id, sequence, clock, octet_length(body), hash, aside,
                    coalesce(unreadable, 0)
                FROM version WHERE relay = $1::uuid AND id = ANY($2::uuid[]) ORDER BY sequence
                """)

        static let bodies = PostgreSQLStatement(
            name: "reading bodies to compare",
            text: """
                SELECT sequence, body FROM version
                WHERE relay = $1::uuid AND sequence = ANY($2::bigint[])
                """)

        /// Summary rows by pairs of a device and the replica id that it speaks of.
        static let rowsOfKeys = PostgreSQLStatement(
            name: "reading summary rows that uploads meet",
            text: """
                SELECT \(rowColumns.split(separator: ", ").map { "found." + $0 }.joined(separator: ", "))
                FROM unnest($2::uuid[], $3::bytea[]) AS key(replica, about),
                    LATERAL (SELECT \(rowColumns) FROM summary_row WHERE relay = $1::uuid
                        AND replica = key.replica AND about = key.about) AS found
                """)

        static let rekeyMessages = PostgreSQLStatement(
            name: "reading the marks of rekey messages",
            text: """
                SELECT number, verifier, generation, hash, octet_length(bytes)
                FROM rekey_message WHERE space = $1::uuid ORDER BY number
                """)

        static let rekeyMessage = PostgreSQLStatement(
            name: "reading a rekey message",
            text: """
                SELECT generation, bytes FROM rekey_message
                WHERE space = $1::uuid AND verifier = $2::bytea
                """)

        // MARK: Pages

        static let versionColumns = "sequence, id, clock, body, aside, hash"

        /// Versions in some stretches, as many as go into a number of bytes of bodies; the first one at any rate.
        ///
        /// Each stretch is read no further than a page is long.
        static let page = PostgreSQLStatement(
            name: "reading versions",
            text: """
                SELECT \(versionColumns) FROM (
                    SELECT *, sum(octet_length(body)) OVER (
                        ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS passed
                    FROM (
                        SELECT found.* FROM unnest($2::bigint[], $3::bigint[]) AS gap(low, high),
                            LATERAL (SELECT \(versionColumns) FROM version
                                WHERE relay = $1::uuid AND sequence BETWEEN gap.low AND gap.high
                                ORDER BY sequence LIMIT $4::bigint) AS found
                        ORDER BY sequence LIMIT $4::bigint) AS found) AS page
                WHERE coalesce(passed, 0) <= $5::bigint ORDER BY sequence
                """)

        /// Versions that were said to be unreadable under numbers in some stretches.
        static let unreadable = PostgreSQLStatement(
            name: "reading unreadable versions",
            text: """
                SELECT found.id, found.hash, found.unreadable
                FROM unnest($2::bigint[], $3::bigint[]) AS gap(low, high),
                    LATERAL (SELECT id, hash, unreadable FROM version
                        WHERE relay = $1::uuid AND unreadable BETWEEN gap.low AND gap.high
                        ORDER BY unreadable LIMIT $4::bigint) AS found
                ORDER BY found.unreadable LIMIT $4::bigint
                """)

        /// Summary rows behind a number.
        static let rows = PostgreSQLStatement(
            name: "reading summary rows",
            text: """
                SELECT \(rowColumns) FROM summary_row
                WHERE relay = $1::uuid AND sequence > $2::bigint
                ORDER BY sequence LIMIT $3::bigint
                """)

        static let rowColumns = "sequence, replica, about, number, bytes"

        // MARK: Devices

        static let uploaded = PostgreSQLStatement(
            name: "reading how far a device has uploaded",
            text: """
                SELECT epoch, sequence FROM uploaded
                WHERE space = $1::uuid AND replica = $2::uuid
                """)

        static let device = PostgreSQLStatement(
            name: "reading a device",
            text: "SELECT last_day FROM device WHERE space = $1::uuid AND fingerprint = $2::bytea")

        static let devices = PostgreSQLStatement(
            name: "reading devices",
            text: """
                SELECT fingerprint, first_day, last_day FROM device
                WHERE space = $1::uuid ORDER BY fingerprint
                """)

        static let total = PostgreSQLStatement(
            name: "reading the number of spaces",
            text: "SELECT spaces, \(PostgreSQLOrigin.table) FROM total")

        // MARK: A look from outside

        static let totals = PostgreSQLStatement(
            name: "summing up",
            text: """
                SELECT count(*), coalesce(sum(bytes), 0)::bigint,
                    coalesce(sum(versions), 0)::bigint, coalesce(sum(records), 0)::bigint
                FROM space
                """)

        static let versionsOfRecord = PostgreSQLStatement(
            name: "reading the versions of a record",
            text: """
                SELECT \(versionColumns) FROM version
                WHERE relay = (SELECT relay FROM space WHERE space = $1::uuid)
                    AND id = $2::uuid ORDER BY sequence
                """)

        static let rowsOfReplica = PostgreSQLStatement(
            name: "reading the summary rows of a device",
            text: """
                SELECT \(rowColumns) FROM summary_row
                WHERE relay = (SELECT relay FROM space WHERE space = $1::uuid)
                    AND replica = $2::uuid ORDER BY about
                """)

        // MARK: Answers

        /// Digests, which are about no replica id, have an empty one in the table: NULLs would not be unique.
        static func bytes(of about: ReplicaID?) -> [UInt8] {
            guard let about else { return [] }
            return withUnsafeBytes(of: about.value.bigEndian) { [UInt8]($0) }
        }

        /// A version out of `versionColumns`.
        static func change(
            _ rows: PostgreSQLRows, _ row: Int, server: String
        ) throws(StoreFault) -> Change {
            guard let id = rows.identifier(row, 1),
                let clock = rows.withBytes(row, 2, { RelayClock.clock($0) })
            else { throw damaged("the id or clock of a version", server) }
            return Change(
                RecordName(.relayed, RecordID(value: id)), clock: clock, body: rows.bytes(row, 3),
                isDeferred: rows.flag(row, 4))
        }

        /// A summary row with its number out of `rowColumns`.
        static func row(
            _ rows: PostgreSQLRows, _ row: Int, server: String
        ) throws(StoreFault) -> RelayRows.Numbered {
            guard let replica = rows.identifier(row, 1) else {
                throw damaged("the replica of a summary row", server)
            }
            let about = rows.identifier(row, 2).map { ReplicaID(value: $0) }
            return RelayRows.Numbered(
                sequence: rows.unsigned(row, 0),
                row: SummaryRow(
                    SummaryRow.Key(ReplicaID(value: replica), about: about),
                    number: rows.unsigned(row, 3), bytes: rows.bytes(row, 4)))
        }

        static func damaged(_ what: String, _ server: String) -> StoreFault {
            .corrupt(path: "the database \(server)", detail: "\(what) is damaged")
        }
    }
#endif
