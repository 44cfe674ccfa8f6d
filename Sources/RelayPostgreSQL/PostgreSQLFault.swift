#if PostgreSQL
    import CPQ
    import Storage

    /// Makes faults of what a server says, by the codes of its errors (PostgreSQL's Appendix A), never by their words.
    ///
    /// The words of the server stand in the relay's own log at most. A device is told the kind of fault alone, by
    /// `RelayRefusal.store`: no text of a statement and no message of the server ever goes to one.
    package enum PostgreSQLFault {
        /// The fault of a statement.
        ///
        /// - Parameters:
        ///   - code: five characters, the first two of which are the class; nil if the connection itself broke.
        ///   - message: the server's or libpq's words, of which the first line is kept.
        ///   - statement: what was to be done.
        ///   - server: the database, without a password.
        package static func fault(
            code: String?, message: String, statement: String, server: String
        ) -> StoreFault {
            guard let code else { return .unreachable(server: server, detail: line(message)) }
            let name = "the database \(server)"
            switch code {
            case "53100": return .diskFull(path: name)
            case "53200", "53300", "53400", "55P03", "57014", "40001", "40P01", "25P03", "55006":
                return .busy(
                    holder: name, waitedMilliseconds: PostgreSQLPatience.lockMilliseconds)
            case "25006", "42501": return .readOnly(path: name, .permissions)
            case "XX001", "XX002":
                return .corrupt(path: name, detail: "\(statement): \(line(message))")
            default: break
            }
            switch code.prefix(2) {
            // The connection; who may enter, and where; the server stops or starts.
            case "08", "28", "3D", "57": return .unreachable(server: server, detail: line(message))
            case "53": return .busy(holder: name, waitedMilliseconds: 0)
            default:
                return .inputOutput(
                    call: statement, path: name, detail: "\(line(message)) (\(code))")
            }
        }

        /// The first line of what libpq says, which ends with a line feed.
        static func line(_ message: String) -> String {
            let first = message.split(whereSeparator: { $0.isNewline }).first ?? "no reason given"
            return String(first.prefix(300))
        }
    }

    /// How long the store waits for a database: what a device bears that waits for an acknowledgement.
    package enum PostgreSQLPatience {
        /// The longest wait for another transaction that has a row, in milliseconds.
        static let lockMilliseconds = 2000
        /// The longest time of one statement, in milliseconds.
        static let statementMilliseconds = 8000
        /// The longest wait for an answer, in milliseconds; the connection is given up then.
        static let answerMilliseconds: Int64 = 10_000
        /// The longest that a call waits for one of the connections, in milliseconds; it is refused then.
        static let queueMilliseconds: Int64 = 10_000
        /// The longest that a relay which ends waits for the calls that are under way, in milliseconds.
        static let endMilliseconds: Int64 = 5000
        /// The totals are asked for no more often, in milliseconds.
        static let totalsMilliseconds: Int64 = 1000
        /// The longest wait for a connection to one host, in milliseconds.
        static let connectMilliseconds: Int64 = 2000
        /// No further attempt to connect is made so soon after one that failed, in milliseconds.
        package static let retryMilliseconds: Int64 = 500
        /// The longest that making or bringing up to date the tables may take, in milliseconds.
        static let migrationMilliseconds: Int64 = 600_000
        /// The longest that a look at all rows of the tables may take, in milliseconds.
        static let checkMilliseconds: Int64 = 3_600_000
        /// The server ends a transaction whose process has stood still for so long, in milliseconds, and gives its row
        /// to the other processes.
        static let standstillMilliseconds = 5000
    }
#endif
