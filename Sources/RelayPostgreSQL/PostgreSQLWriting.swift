#if PostgreSQL
    /// The statements that write the rows of a space, whose own row is locked.
    ///
    /// For versions and summary rows they take the id that the space has in its generation, else the space.
    enum PostgreSQLWriting {
        static let insert = PostgreSQLStatement(
            name: "keeping a version",
            text: """
                INSERT INTO version(relay, sequence, unreadable, aside, id, hash, clock, body)
                VALUES ($1::uuid, $2::bigint, $3::bigint, $4::boolean, $5::uuid, $6::uuid,
                    $7::bytea, $8::bytea)
                """)

        static let drop = PostgreSQLStatement(
            name: "dropping versions",
            text: "DELETE FROM version WHERE relay = $1::uuid AND sequence = ANY($2::bigint[])")

        static let note = PostgreSQLStatement(
            name: "noting unreadable versions",
            text: """
                UPDATE version SET unreadable = noted.number
                FROM unnest($2::bigint[], $3::bigint[]) AS noted(sequence, number)
                WHERE version.relay = $1::uuid AND version.sequence = noted.sequence
                """)

        /// Under the mark that a damaged version has now nobody was told of it.
        static let noteDamage = PostgreSQLStatement(
            name: "noting damaged versions",
            text: """
                UPDATE version SET hash = noted.hash, unreadable = -abs(unreadable)
                FROM unnest($2::bigint[], $3::uuid[]) AS noted(sequence, hash)
                WHERE version.relay = $1::uuid AND version.sequence = noted.sequence
                """)

        static let insertRow = PostgreSQLStatement(
            name: "keeping a summary row",
            text: """
                INSERT INTO summary_row(relay, sequence, number, replica, about, bytes)
                VALUES ($1::uuid, $2::bigint, $3::bigint, $4::uuid, $5::bytea, $6::bytea)
                ON CONFLICT (relay, replica, about) DO UPDATE SET sequence = excluded.sequence,
                    number = excluded.number, bytes = excluded.bytes
                """)

        static let noteUploaded = PostgreSQLStatement(
            name: "noting how far a device has uploaded",
            text: """
                INSERT INTO uploaded(space, epoch, sequence, arrival, replica)
                VALUES ($1::uuid, $2::bigint, $3::bigint, $4::bigint, $5::uuid)
                ON CONFLICT (space, replica) DO UPDATE SET epoch = excluded.epoch,
                    sequence = excluded.sequence, arrival = excluded.arrival
                """)

        static let forgetUploaded = PostgreSQLStatement(
            name: "forgetting how far devices have uploaded",
            text: """
                DELETE FROM uploaded WHERE space = $1::uuid AND replica IN (
                    SELECT replica FROM uploaded WHERE space = $1::uuid
                    ORDER BY arrival DESC, replica DESC OFFSET $2::bigint)
                """)

        static let insertRekeyMessage = PostgreSQLStatement(
            name: "keeping a rekey message",
            text: """
                INSERT INTO rekey_message(space, number, generation, hash, verifier, bytes)
                VALUES ($1::uuid, $2::bigint, $3::bigint, $4::uuid, $5::bytea, $6::bytea)
                """)

        static let dropRekeyMessage = PostgreSQLStatement(
            name: "dropping a rekey message",
            text: "DELETE FROM rekey_message WHERE space = $1::uuid AND verifier = $2::bytea")

        static let dropRekeyMessages = PostgreSQLStatement(
            name: "dropping all rekey messages",
            text: "DELETE FROM rekey_message WHERE space = $1::uuid")

        /// The day is no later than the database's: a process whose clock is ahead keeps no space for ever.
        static let remember = PostgreSQLStatement(
            name: "remembering a device",
            text: """
                INSERT INTO device(space, fingerprint, first_day, last_day)
                SELECT $1::uuid, $2::bytea, day, day
                FROM (SELECT least($3::bigint, \(PostgreSQLExpiry.today)) AS day) AS today
                ON CONFLICT (space, fingerprint) DO UPDATE
                    SET last_day = greatest(device.last_day, excluded.last_day)
                """)

        static let putDevice = PostgreSQLStatement(
            name: "putting a device",
            text: """
                INSERT INTO device(space, fingerprint, first_day, last_day)
                VALUES ($1::uuid, $2::bytea, $3::bigint, $4::bigint)
                """)

        /// Of the devices but one those are forgotten that were here longest ago.
        static let forgetDevices = PostgreSQLStatement(
            name: "forgetting devices",
            text: """
                DELETE FROM device WHERE space = $1::uuid AND fingerprint IN (
                    SELECT fingerprint FROM device
                    WHERE space = $1::uuid AND fingerprint <> $2::bytea
                    ORDER BY last_day DESC, fingerprint DESC OFFSET $3::bigint)
                """)

        static let lockTotal = PostgreSQLStatement(
            name: "locking the number of spaces",
            text: "SELECT spaces, \(PostgreSQLOrigin.table) FROM total FOR UPDATE")

        static let raiseTotal = PostgreSQLStatement(
            name: "counting a space", text: "UPDATE total SET spaces = spaces + 1")

        /// The statements by which a new generation drops, by table.
        ///
        /// All that is kept under the space goes but rekey messages; each table has a limit of rows for a space.
        static let dropAll = ["uploaded", "epoch", "device"].map {
            PostgreSQLStatement(
                name: "dropping all of \($0)", text: "DELETE FROM \($0) WHERE space = $1::uuid")
        }

        /// Leaves the rows of a generation that is over to be dropped.
        static let leave = PostgreSQLStatement(
            name: "leaving a generation", text: "INSERT INTO leftover(relay) VALUES ($1::uuid)")
    }
#endif
