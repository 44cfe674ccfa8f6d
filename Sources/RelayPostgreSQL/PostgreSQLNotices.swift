#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// How processes on one database tell each other that something came into a space, so that each wakes its own
    /// subscribers: LISTEN and NOTIFY, on a connection of its own.
    ///
    /// Never in a transaction that writes: there a NOTIFY has all commits of the database wait for each other. So a
    /// notice may be lost, with its process or with the connection, and nothing may depend on it. What it was for is found
    /// when the spaces with subscribers are looked at, each second.
    package final class PostgreSQLNotices: RelayNotices {
        /// Called before the descriptor is closed, or when there is a new one.
        package var descriptorChanges: (() -> Void)?
        /// Called when another process has put something into a mailbox.
        package var mailboxesChange: (() -> Void)?

        private let address: PostgreSQLAddress
        private var open: Opened?
        /// The last number known of each space that is looked at.
        private var known: [SpaceID: UInt64] = [:]
        private var knownOrigin: PostgreSQLOrigin?

        private struct Opened {
            let connection: PostgreSQLConnection
            let origin: PostgreSQLOrigin
        }

        /// The most spaces that one notice names: a payload has less than 8000 bytes.
        private static let noticeSpaceCountMax = 200
        /// The longest wait for the server at these calls, in milliseconds: what is lost is found later.
        private static let patience: Int64 = 1000

        private static let listen = PostgreSQLStatement(
            name: "listening", text: "LISTEN tandem_relay", isPrepared: false)
        private static let notify = PostgreSQLStatement(
            name: "notifying", text: "SELECT pg_notify('tandem_relay', $1::text)")
        private static let look = PostgreSQLStatement(
            name: "looking at spaces",
            text: "SELECT space, sequence FROM space WHERE space = ANY($1::uuid[])")

        /// Connects; a server that is away is tried again with each look.
        package init(_ address: PostgreSQLAddress) {
            self.address = address
            try? connect()
        }

        private func connect() throws(StoreFault) {
            let connection = try PostgreSQLConnection(address)
            try PostgreSQLSchema.prepare(connection)
            let origin = try PostgreSQLOrigin(connection)
            _ = try connection.run(Self.listen())
            open = Opened(connection: connection, origin: origin)
            descriptorChanges?()
        }

        private func disconnect() {
            guard let old = open else { return }
            open = nil
            descriptorChanges?()
            // Only now is the descriptor closed.
            _ = old
        }

        /// The descriptor on which notices come; nil while the server is away.
        package var descriptor: CInt? { open?.connection.descriptor }

        /// Closes the connection.
        package func close() { disconnect() }

        // MARK: Notices

        /// Tells the other processes of spaces into which something came here.
        package func send(_ spaces: [RelayTouch]) {
            for touch in spaces {
                // Nothing that its own subscribers were told is found anew by looking.
                if known[touch.space] == touch.start { known[touch.space] = touch.through }
            }
            guard let connection = open?.connection else { return }
            var left = spaces[...]
            var queries: [PostgreSQLQuery] = []
            while !left.isEmpty {
                let names = left.prefix(Self.noticeSpaceCountMax).map(\.space.hexadecimal)
                queries.append(Self.notify(.text(names.joined(separator: " "))))
                left = left.dropFirst(Self.noticeSpaceCountMax)
            }
            do throws(StoreFault) {
                _ = try connection.run(queries, patience: Self.patience)
            } catch {
                if !connection.isUsable { disconnect() }
            }
        }

        /// The spaces that other processes have told of since the last call.
        package func received() -> Set<SpaceID> {
            guard let connection = open?.connection else { return [] }
            guard let notices = connection.notifications() else {
                disconnect()
                return []
            }
            var found: Set<SpaceID> = []
            for notice in notices where notice.process != connection.serverProcess {
                if notice.payload == PostgreSQLSharedTables.mailboxNotice {
                    mailboxesChange?()
                    continue
                }
                for name in notice.payload.split(separator: " ") {
                    if let space = SpaceID(uuidText: name) { found.insert(space) }
                }
            }
            return found
        }

        /// Looks which of some spaces have another last number than at the last look; all of them after the server was
        /// started again or replaced.
        package func look(at spaces: [SpaceID]) -> Set<SpaceID> {
            do throws(StoreFault) {
                if open == nil { try connect() }
                guard let opened = open else { return [] }
                let rows = try opened.connection.run(
                    [Self.look(.identifiers(spaces.map(\.value)))], patience: Self.patience)
                let isOther = knownOrigin.map { $0 != opened.origin } ?? false
                knownOrigin = opened.origin
                var next: [SpaceID: UInt64] = [:]
                for row in 0..<rows[0].count {
                    guard let space = rows[0].identifier(row, 0) else { continue }
                    next[SpaceID(value: space)] = rows[0].unsigned(row, 1)
                }
                let found = spaces.filter { isOther || next[$0] != known[$0] }
                known = next
                return Set(found)
            } catch {
                if open?.connection.isUsable == false { disconnect() }
                return []
            }
        }
    }
#endif
