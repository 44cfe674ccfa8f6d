#if PostgreSQL
    import Core
    import Storage

    /// The server that a connection speaks to, in the state in which it was started: how a database that was set back is
    /// noticed.
    ///
    /// An epoch promises that none of its numbers is given twice (`RelayStore`). A database breaks that promise when it
    /// goes on from an earlier state: a standby is promoted that lacks the last second, a backup is restored, the disk
    /// of the machine is set back to a snapshot, a dump is read in. All but the last of these happen under no running server:
    /// another server program begins to write, or the same one is started again. So one number is made of
    ///
    /// - the time at which the server was started (`pg_postmaster_start_time()`): a standby has another one than the
    ///   server it follows, and each restart is a new one. Alone it would suffice but for two clocks that agree to the
    ///   microsecond;
    /// - the timeline in which it writes (`pg_walfile_name(pg_current_wal_lsn())`, its first 8 digits): a promotion and a
    ///   recovery to a point in time begin one. `pg_control_checkpoint()` tells it only after the next checkpoint, so
    ///   that is not asked;
    /// - the database's system identifier (`pg_control_system()`), and its number;
    /// - the number of the table of spaces (its `oid`): a dump that is read in makes other tables, in the same server
    ///   too. It is read with each row of a space, as that may happen while a connection is open.
    ///
    /// Every role may ask for all of these. A connection has one server process, which never outlives its server, so it
    /// is asked once, when the connection is made. The row of a space names the origin in which its last epoch began,
    /// and a commit from another origin begins an epoch first. It is also part of what conversations know of a space
    /// (`RelaySpaceKey.history`): after a restart of the server their next word fails with `replaced`, they come anew,
    /// and hear at which number the relay is now. What the relay has lost they upload again, as they do with a relay whose
    /// file was set back.
    ///
    /// A server that is not told that another one was promoted goes on in an origin of its own. What devices leave there
    /// is lost to the relay when it is stopped, and not to the devices. A standby itself is never read: what it shows
    /// may be older than what was acknowledged. Rows that an operator puts into tables that stay, under a server that runs
    /// (`pg_restore --data-only`), are not noticed: restart the server after that.
    struct PostgreSQLOrigin: Hashable {
        /// The server, its start and timeline, and the database.
        private let server: UInt64

        private static let question = PostgreSQLStatement(
            name: "asking for the server",
            text: """
                SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
                    (SELECT oid FROM pg_database WHERE datname = current_database()),
                    extract(epoch FROM pg_postmaster_start_time()),
                    left(pg_walfile_name(pg_current_wal_lsn()), 8))
                WHERE NOT pg_is_in_recovery()
                """, isPrepared: false)

        /// Asks the server; fails with `readOnly` if it is a standby.
        static func asking(_ server: String) -> PostgreSQLStep<PostgreSQLOrigin> {
            .asking([question()]) { answers throws(StoreFault) in
                guard answers[0].count == 1 else {
                    throw .readOnly(path: "the database \(server)", .readOnlyDisk)
                }
                return .done(PostgreSQLOrigin(hashing: answers[0].bytes(0, 0)))
            }
        }

        private init(hashing text: [UInt8]) {
            server = SipHash().hash64(text)
        }

        /// The number of the table of spaces, as a column of a statement: a constant until that table is another.
        static let table = "'tandem_relay.space'::regclass::oid::bigint"

        /// The number of the origin, with that of the table of spaces; never 0.
        func number(ofTable table: UInt64) -> Int64 {
            let bytes = [server.littleEndian, table.littleEndian].flatMap { value in
                withUnsafeBytes(of: value) { [UInt8]($0) }
            }
            // Without its lowest bits it is positive in all of Swift's integers, and not 0.
            return Int64(SipHash().hash64(bytes) >> 2) + 1
        }
    }
#endif
