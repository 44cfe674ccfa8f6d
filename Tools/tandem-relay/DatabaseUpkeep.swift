#if PostgreSQL
    import Devices
    import Glibc
    import JSON
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
            // Before the spaces: at no moment is a device let in again there.
            var putOut = RelayPutOutList(in: folder)
            try PostgreSQLPutOutList(of: store).add(putOut.read())
            let move = PostgreSQLMove(into: store)
            var (moved, there) = (0, 0)
            var left: [JSONValue] = []
            func leave(
                _ space: SpaceID, _ code: String, _ why: String, _ findings: [RelayFinding] = []
            ) {
                left.append(
                    .object([
                        JSONMember("space", .text(space.uuidText)), JSONMember("code", .text(code)),
                        JSONMember("why", .text(why)),
                        JSONMember("findings", .array(findings.map { json($0, of: space) })),
                    ]))
                TandemRelay.say("space \(space) was left alone: \(why)")
            }
            leaveKey(of: folder, in: store)
            for space in files.spaces {
                let outcome: PostgreSQLMove.Outcome?
                do throws(StoreFault) {
                    outcome = try files.reading(space) { file throws(StoreFault) in
                        try move.move(file)
                    }
                } catch {
                    // A file that cannot be read is one space's; what the database lacks, every space lacks.
                    guard PostgreSQLMove.isOfOneSpace(error) else { throw error }
                    leave(space, error.code, "\(error)")
                    continue
                }
                switch outcome {
                case nil: break
                case .moved, .renewed: moved += 1
                case .wasThere: there += 1
                case .isAnother:
                    leave(space, "other-space", "it is in the database already, begun anew")
                case .damaged(let findings):
                    let why = findings.map(\.description).joined(separator: "; ")
                    leave(space, "damaged", why, findings)
                }
            }
            var lines = [
                "spaces moved: \(moved), there before: \(there), left alone: \(left.count)"
            ]
            if isServed {
                lines.append(
                    "The relay on \(folder) runs: end it, run this again for what came meanwhile, "
                        + "then start the relay on the database.")
            }
            TandemRelay.tell(
                [
                    number("moved", moved), number("there", there),
                    JSONMember("left", .array(left)),
                    JSONMember("isServed", .bool(isServed)),
                ], isJSON: words.isJSON, lines: lines)
            return left.isEmpty ? 0 : EX_DATAERR
        }

        /// Leaves the key's fingerprint of the relay on files, whose address devices go on to use.
        private static func leaveKey(of folder: String, in store: PostgreSQLRelayStore) {
            guard let own = try? DeviceCertificate(contentsOf: DeviceCertificate.path(in: folder)),
                let found = try? PostgreSQLRelayKey(of: store).claim(own.fingerprint.bytes),
                found != own.fingerprint.bytes
            else { return }
            TandemRelay.say(
                "the relays on this database have another key than \(folder): devices take them for strangers until they "
                    + "are told the new address")
        }

        private static func number(_ name: String, _ number: Int) -> JSONMember {
            JSONMember(name, .number("\(number)"))
        }

        /// Of so many spaces people are told the size, the largest first; programs are told it of all.
        private static let sizeCountMax = 20
        /// Parts of tables below that are not told of, in bytes.
        private static let partByteCountMin = 1 << 20

        /// Looks at every space and at all tables, and says what does not fit.
        static func examine(_ words: RelayWords) throws -> CInt {
            let setup = try words.setup()
            let store = try DatabaseRelay.store(setup, DatabaseRelay.address(setup))
            let check = PostgreSQLCheck(of: store)
            var findings: [(space: SpaceID?, finding: RelayFinding)] = []
            findings += try check.findings().map { (nil, $0) }
            for space in try check.spaces() {
                findings += try store.examine(space).map { (space, $0) }
            }
            let parts = try check.parts().filter { $0.byteCount >= partByteCountMin }
            let sizes = try PostgreSQLSizes(of: store).largest(
                words.isJSON ? Int(Int32.max) : sizeCountMax)
            let totals = store.totals
            let lines =
                parts.map {
                    "\($0.name): \($0.byteCount >> 20) MiB, rows: about \(max(0, $0.rowCount))"
                }
                + sizes.map { size in
                    "space \(size.space): bytes: \(size.byteCount), records: \(size.recordCount), "
                        + "versions: \(size.versionCount)"
                        + (date(size.lastDay).map { ", last visit: \($0)" } ?? "")
                } + [
                    "all spaces: \(totals.spaceCount), records: \(totals.recordCount), "
                        + "versions: \(totals.versionCount), bytes: \(totals.byteCount)"
                ]
            TandemRelay.tell(
                [
                    number("spaces", totals.spaceCount), number("records", totals.recordCount),
                    number("versions", totals.versionCount), number("bytes", totals.byteCount),
                    JSONMember("sizes", .array(sizes.map(json))),
                    JSONMember(
                        "parts",
                        .array(
                            parts.map {
                                .object([
                                    JSONMember("name", .text($0.name)),
                                    number("bytes", $0.byteCount),
                                    number("rows", max(0, $0.rowCount)),
                                ])
                            })),
                    JSONMember("findings", .array(findings.map { json($0.finding, of: $0.space) })),
                ], isJSON: words.isJSON, lines: lines)
            for (space, finding) in findings {
                TandemRelay.say((space.map { "space \($0): " } ?? "") + "\(finding)")
            }
            return findings.isEmpty ? 0 : EX_DATAERR
        }

        /// A finding for programs: its code, its space, its words, and what the code is about.
        private static func json(_ finding: RelayFinding, of space: SpaceID?) -> JSONValue {
            var members = [
                JSONMember("code", .text(finding.code)),
                JSONMember("space", space.map { .text($0.uuidText) } ?? .null),
                JSONMember("words", .text("\(finding)")),
            ]
            switch finding {
            case .pages, .rowSum, .lastEpoch: break
            case .coveredVersion(let record), .alteredVersion(let record):
                members.append(JSONMember("record", .text(record.id.uuidText)))
            case .sharedNumber(let given):
                members.append(JSONMember("number", .number("\(given)")))
            case .numberBeyondLast(let given, let last), .epochBeyondLast(let given, let last):
                members.append(JSONMember("number", .number("\(given)")))
                members.append(JSONMember("last", .number("\(last)")))
            case .sums(let counted, let kept):
                members.append(JSONMember("counted", json(counted)))
                members.append(JSONMember("kept", json(kept)))
            case .rowsOfNoSpace(let table, let rowCount):
                members += [JSONMember("table", .text(table)), number("rows", rowCount)]
            case .spaceCount(let counted, let kept):
                members.append(number("counted", counted))
                members.append(kept.map { number("kept", $0) } ?? JSONMember("kept", .null))
            case .missingPart(let part): members.append(JSONMember("part", .text(part)))
            }
            return .object(members)
        }

        private static func json(_ sums: RelayFinding.Sums) -> JSONValue {
            .object([
                number("bytes", sums.byteCount), number("records", sums.recordCount),
                number("versions", sums.versionCount),
            ])
        }

        private static func json(_ size: PostgreSQLSizes.Size) -> JSONValue {
            .object([
                JSONMember("space", .text(size.space.uuidText)), number("bytes", size.byteCount),
                number("records", size.recordCount), number("versions", size.versionCount),
                JSONMember("last", date(size.lastDay).map { .text($0) } ?? .null),
            ])
        }

        private static func date(_ day: Int64?) -> String? {
            day.map { String(SystemEnvironment.timeText($0 * 86_400_000).prefix(10)) }
        }
    }
#endif
