#if PostgreSQL
    import Glibc

    /// A standby that follows a server asynchronously, in the same folder.
    final class StandbyDatabase {
        private let primary: TestDatabase
        private let folder: String
        private var data: String { folder + "/standby" }
        private var socketFolder: String { folder + "/s" }

        /// Copies the server, and starts the standby.
        init(of primary: TestDatabase) throws {
            self.primary = primary
            folder = primary.folder
            try run(
                "pg_basebackup",
                ["-h", folder, "-U", "relay", "-D", data, "-R", "-c", "fast", "-X", "stream", "-N"])
            guard mkdir(socketFolder, 0o777) == 0, chmod(socketFolder, 0o777) == 0 else {
                throw DatabaseFailure(words: "no folder for a socket")
            }
            try run(
                "pg_ctl",
                ["-D", data, "-s", "-w", "-o", options, "-l", folder + "/log-standby", "start"])
        }

        deinit { try? run("pg_ctl", ["-D", data, "-s", "-w", "-m", "immediate", "stop"]) }

        private var options: String { "-c listen_addresses='' -c fsync=off -k \(socketFolder)" }

        private func run(_ program: String, _ words: [String]) throws {
            let ended = try TestDatabase.run(program, words)
            guard ended == 0 else { throw DatabaseFailure(words: "\(program) ended with \(ended)") }
        }

        /// The address of both: that one is taken which can be written.
        var url: String {
            "postgresql://relay@/postgres?host=\(folder),\(socketFolder)"
        }

        /// Waits until the standby has all that the server has.
        func waitForStandby() throws {
            try primary.run(
                """
                DO $$ BEGIN FOR i IN 1..100 LOOP
                    IF EXISTS (SELECT FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn())
                    THEN RETURN; END IF;
                    PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.05);
                END LOOP; RAISE 'the standby does not follow'; END $$
                """)
        }

        /// From now on the standby hears nothing more.
        func cutOff() throws {
            let path = data + "/postgresql.auto.conf"
            guard let file = fopen(path, "a") else { throw DatabaseFailure(words: path) }
            fputs("primary_conninfo = ''\n", file)
            fclose(file)
            try run("pg_ctl", ["-D", data, "-s", "reload"])
            try primary.run(
                """
                DO $$ BEGIN FOR i IN 1..100 LOOP
                    IF NOT EXISTS (SELECT FROM pg_stat_replication) THEN RETURN; END IF;
                    PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.05);
                END LOOP; RAISE 'the standby still follows'; END $$
                """)
        }

        /// Makes it the server that is written.
        func promote() throws { try run("pg_ctl", ["-D", data, "-s", "-w", "promote"]) }
    }
#endif
