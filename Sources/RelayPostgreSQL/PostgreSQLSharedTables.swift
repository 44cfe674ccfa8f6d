#if PostgreSQL
    /// The tables of what processes share besides spaces.
    ///
    /// They are not logged: a crash of the server, and a standby that is promoted, has them empty, as a relay of one
    /// process has after each start. So no commit of theirs waits for a disk.
    enum PostgreSQLSharedTables {
        /// A step of `PostgreSQLSchema`.
        static let step = [
            // Proofs that failed; attempts to make a space are under the space 0.
            """
            CREATE UNLOGGED TABLE failed_proof(address bytea NOT NULL, space uuid NOT NULL,
                since timestamptz NOT NULL, changed timestamptz NOT NULL, count bigint NOT NULL,
                PRIMARY KEY (address, space)) WITH (fillfactor = 70)
            """,
            // Bytes that devices have uploaded.
            """
            CREATE UNLOGGED TABLE device_upload(space uuid NOT NULL, fingerprint bytea NOT NULL,
                since timestamptz NOT NULL, changed timestamptz NOT NULL, bytes bigint NOT NULL,
                PRIMARY KEY (space, fingerprint)) WITH (fillfactor = 70)
            """,
            // Mailboxes of pairing, and what is in them.
            """
            CREATE UNLOGGED TABLE mailbox(id uuid PRIMARY KEY, address bytea NOT NULL,
                made timestamptz NOT NULL, seen timestamptz NOT NULL, items bigint NOT NULL,
                bytes bigint NOT NULL)
            """,
            """
            CREATE UNLOGGED TABLE mailbox_item(mailbox uuid NOT NULL, number bigint NOT NULL,
                bytes bytea NOT NULL, PRIMARY KEY (mailbox, number))
            """,
        ]

        // MARK: Counts

        static let failedProofs = PostgreSQLCounts(
            "failed_proof", of: "failed proofs", by: [("address", "bytea"), ("space", "uuid")],
            count: "count")

        static let uploads = PostgreSQLCounts(
            "device_upload", of: "uploads of devices",
            by: [("space", "uuid"), ("fingerprint", "bytea")], count: "bytes")

        // MARK: Mailboxes

        /// Names the lock under which processes use mailboxes, one after the other: "TNDR", "MAIL".
        private static let mailboxLock: Int64 = 0x544e_4452_4d41_494c

        static let lockMailboxes = PostgreSQLStatement(
            name: "locking the mailboxes", text: "SELECT pg_advisory_xact_lock(\(mailboxLock))")

        /// After their longest life, and those that nobody has open.
        static let dropMailboxes = PostgreSQLStatement(
            name: "dropping mailboxes",
            text: """
                DELETE FROM mailbox
                WHERE made <= clock_timestamp() - $1::bigint * interval '1 millisecond'
                    OR seen <= clock_timestamp() - $2::bigint * interval '1 millisecond'
                """)

        static let dropItems = PostgreSQLStatement(
            name: "dropping items of mailboxes",
            text: """
                DELETE FROM mailbox_item
                WHERE NOT EXISTS (SELECT FROM mailbox WHERE id = mailbox_item.mailbox)
                """)

        /// 0 if it is there or was made; 1 if there is none, 2 for too many, 3 for too many of the address.
        static let openMailbox = PostgreSQLStatement(
            name: "opening a mailbox",
            text: """
                WITH made AS (
                    INSERT INTO mailbox(id, address, made, seen, items, bytes)
                    SELECT $1::uuid, $3::bytea, clock_timestamp(), clock_timestamp(), 0, 0
                    WHERE $2::boolean AND NOT EXISTS (SELECT FROM mailbox WHERE id = $1::uuid)
                        AND (SELECT count(*) FROM mailbox) < $4::bigint
                        AND (SELECT count(*) FROM mailbox WHERE address = $3::bytea) < $5::bigint
                    RETURNING id)
                SELECT CASE WHEN EXISTS (SELECT FROM mailbox WHERE id = $1::uuid)
                        OR EXISTS (SELECT FROM made) THEN 0
                    WHEN NOT $2::boolean THEN 1
                    WHEN (SELECT count(*) FROM mailbox) >= $4::bigint THEN 2 ELSE 3 END::bigint
                """)

        /// The number of the item, 0 if it was there before; -1 without a mailbox, -2 and -3 for one that is full.
        static let putItem = PostgreSQLStatement(
            name: "putting an item into a mailbox",
            text: """
                WITH put AS (
                    UPDATE mailbox SET items = items + 1, bytes = bytes + octet_length($2::bytea)
                    WHERE id = $1::uuid AND items < $3::bigint
                        AND bytes + octet_length($2::bytea) <= $4::bigint AND NOT EXISTS (
                            SELECT FROM mailbox_item
                            WHERE mailbox = $1::uuid AND mailbox_item.bytes = $2::bytea)
                    RETURNING items), item AS (
                    INSERT INTO mailbox_item(mailbox, number, bytes)
                    SELECT $1::uuid, items, $2::bytea FROM put)
                SELECT coalesce((SELECT items FROM put),
                    (SELECT CASE WHEN EXISTS (SELECT FROM mailbox_item
                            WHERE mailbox = $1::uuid AND mailbox_item.bytes = $2::bytea) THEN 0
                        WHEN items >= $3::bigint THEN -2 ELSE -3 END
                        FROM mailbox WHERE id = $1::uuid), -1)::bigint
                """)

        static let keepMailboxes = PostgreSQLStatement(
            name: "keeping mailboxes",
            text: """
                UPDATE mailbox SET seen = clock_timestamp() WHERE id = ANY($1::uuid[])
                    AND seen <= clock_timestamp() - $2::bigint * interval '1 millisecond'
                """)

        /// Of each a row without an item first.
        static let items = PostgreSQLStatement(
            name: "reading items of mailboxes",
            text: """
                SELECT id, 0::bigint AS number, ''::bytea FROM mailbox WHERE id = ANY($1::uuid[])
                UNION ALL
                SELECT item.mailbox, item.number, item.bytes
                FROM unnest($1::uuid[], $2::bigint[]) AS heard(mailbox, number)
                JOIN mailbox_item AS item
                    ON item.mailbox = heard.mailbox AND item.number > heard.number
                ORDER BY 1, 2
                """)

        static let mailboxCount = PostgreSQLStatement(
            name: "counting mailboxes", text: "SELECT count(*) FROM mailbox")

        /// Tells the other processes that something is in a mailbox: `PostgreSQLNotices`.
        static let tellMailboxes = PostgreSQLStatement(
            name: "telling of mailboxes",
            text: "SELECT pg_notify('tandem_relay', '\(mailboxNotice)')")

        /// The text of that notice, in the place of a space.
        static let mailboxNotice = "mailboxes"
    }
#endif
