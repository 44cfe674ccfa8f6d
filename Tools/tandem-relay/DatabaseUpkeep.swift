#if PostgreSQL
    import Devices
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayServer

    /// Moving spaces into a database, and looking at it.
    enum DatabaseUpkeep {
        /// Moves the spaces of a relay on files; says what became of each that was not moved.
        ///
        /// - Returns: the exit code: whether all are there now.
        static func move(_ words: RelayWords) throws -> CInt {
            let setup = try words.setup()
            guard let folder = words.source else { return EX_USAGE }
            guard access(folder, F_OK) == 0 else {
                TandemRelay.say("there is no folder \(folder); say which with --from")
                return EX_NOINPUT
            }
            let store = try DatabaseRelay.store(setup, DatabaseRelay.address(setup))
            let files = SQLiteRelayFolder(folder, environment: SystemEnvironment.environment())
            let isServed = try files.isServed()
            let move = PostgreSQLMove(into: store)
            var (moved, there, left) = (0, 0, 0)
            for space in files.spaces {
                let outcome: PostgreSQLMove.Outcome?
                do throws(StoreFault) {
                    outcome = try files.reading(space) { file throws(StoreFault) in
                        try move.move(file)
                    }
                } catch {
                    // A file that cannot be read is one space's; what the database lacks, every space lacks.
                    guard PostgreSQLMove.isOfOneSpace(error) else { throw error }
                    outcome = .damaged(["\(error)"])
                }
                switch outcome {
                case nil: break
                case .moved, .renewed: moved += 1
                case .wasThere: there += 1
                case .isAnother:
                    left += 1
                    TandemRelay.say(
                        "space \(space) is in the database already, begun anew; left alone")
                case .damaged(let findings):
                    left += 1
                    let words = findings.joined(separator: "; ")
                    TandemRelay.say("space \(space) was left alone: \(words)")
                }
            }
            print("\(moved) spaces moved, \(there) were there, \(left) left alone")
            if isServed {
                print(
                    "The relay on \(folder) runs: end it, run this again for what came meanwhile, "
                        + "then start the relay on the database.")
            }
            return left == 0 ? 0 : EX_DATAERR
        }

        /// Of so many spaces the size is said, the largest first.
        private static let sizeCountMax = 20

        /// Looks at every space and at all tables, and says what does not fit.
        static func examine(_ words: RelayWords) throws -> CInt {
            let setup = try words.setup()
            let store = try DatabaseRelay.store(setup, DatabaseRelay.address(setup))
            let check = PostgreSQLCheck(of: store)
            var findings = try check.findings()
            let spaces = try check.spaces()
            for space in spaces {
                findings += try store.examine(space).map { "space \(space): \($0)" }
            }
            for part in try check.parts() where part.byteCount >= 1 << 20 {
                let rowCount = max(0, part.rowCount)
                print("\(part.name): \(part.byteCount >> 20) MiB, about \(rowCount) rows")
            }
            for size in try PostgreSQLSizes(of: store).largest(sizeCountMax) {
                let day = size.lastDay.map {
                    SystemEnvironment.timeText($0 * 86_400_000).prefix(10)
                }
                let visit = day.map { ", last visit \($0)" } ?? ""
                print(
                    "space \(size.space): \(size.byteCount) bytes, \(size.recordCount) records, "
                        + "\(size.versionCount) versions\(visit)")
            }
            let totals = store.totals
            print(
                "\(totals.spaceCount) spaces, \(totals.recordCount) records, \(totals.versionCount) versions, "
                    + "\(totals.byteCount) bytes")
            for finding in findings { TandemRelay.say(finding) }
            return findings.isEmpty ? 0 : EX_DATAERR
        }
    }
#endif
