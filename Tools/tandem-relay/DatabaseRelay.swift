#if PostgreSQL
    import Devices
    import Glibc
    import JSON
    import Relay
    import RelayPostgreSQL
    import RelayServer

    /// The operations of `tandem-relay` on a database.
    enum DatabaseRelay {
        static func run(_ operation: String, _ words: RelayWords) -> Never {
            signal(SIGPIPE, SIG_IGN)
            do {
                switch operation {
                case "move": exit(try DatabaseUpkeep.move(words))
                case "examine": exit(try DatabaseUpkeep.examine(words))
                case "devices": exit(try DatabaseDevices.list(words))
                case "put-out": exit(try DatabaseDevices.putOut(words))
                default:
                    try serve(words)
                    exit(0)
                }
            } catch let fault as StoreFault {
                TandemRelay.say("\(fault)")
                exit(code(fault))
            } catch let error as TransportError {
                TandemRelay.say("\(error)")
                exit(EX_UNAVAILABLE)
            } catch {
                TandemRelay.say("\(error)")
                exit(EX_CONFIG)
            }
        }

        /// The store of the database that the settings name.
        static func store(
            _ setup: RelaySetup, _ address: PostgreSQLAddress
        ) throws -> PostgreSQLRelayStore {
            try PostgreSQLRelayStore(
                address, limits: setup.settings.relayOptions(token: nil).limits,
                drawBits: SystemEnvironment.random)
        }

        /// The address of the database that the settings name.
        static func address(_ setup: RelaySetup) throws -> PostgreSQLAddress {
            guard let database = setup.database else {
                TandemRelay.say(
                    "no database is named; run: tandem relay --store postgresql://HOST/NAME")
                exit(EX_USAGE)
            }
            return try PostgreSQLAddress(database)
        }

        /// A relay, until a signal ends it.
        private static func serve(_ words: RelayWords) throws {
            let setup = try words.setup()
            let address = try address(setup)
            let log = RelayLog(level: setup.settings.logLevel) {
                TandemRelay.write($0, to: STDERR_FILENO)
            }
            let certificate = try DeviceAccess.certificate(making: setup.folder)
            let store = try store(setup, address)
            if let certificate { try refuseAnotherKey(certificate.fingerprint, in: store, setup) }
            let shared = SharedRelayStore(
                store, notices: PostgreSQLNotices(address),
                sharing: PostgreSQLSharing(address))
            let server = try RelayServer(
                try setup.serverOptions(certificate: certificate), shared: shared, log: log.write)
            log.write(LogLine(.info, "database", ["address": address.server]))
            try server.run(
                setup, log: log, read: { try words.setup() }, words: { "\($0)" },
                tell: { try tell($0, words) })
        }

        /// Ends the program if the other processes on the database have another key: devices would take this one for a
        /// stranger.
        private static func refuseAnotherKey(
            _ own: Fingerprint, in store: PostgreSQLRelayStore, _ setup: RelaySetup
        ) throws {
            let found = try PostgreSQLRelayKey(of: store).claim(own.bytes)
            if found == own.bytes { return }
            let theirs = Fingerprint(bytes: found).map { "\($0)" } ?? "nobody can read"
            TandemRelay.say(
                "the key in \(setup.folder) is \(own), and that of the relays on this database \(theirs): devices "
                    + "would take this one for a stranger. Copy device.key from a folder of theirs; or, to change the key "
                    + "of all, end them and run in the database: DELETE FROM tandem_relay.relay_key"
            )
            exit(EX_CONFIG)
        }

        /// Writes its address, as a device has to be told it.
        private static func tell(_ server: RelayServer, _ words: RelayWords) throws {
            if let path = words.portFile { try server.writeAddress(to: path) }
            TandemRelay.tell(
                server.announcement.map { JSONMember($0.name, .text($0.text)) },
                isJSON: words.isJSON, lines: server.announcementLines)
        }

        private static func code(_ fault: StoreFault) -> CInt {
            switch fault {
            case .newerStore, .notAStore: EX_CONFIG
            case .corrupt: EX_DATAERR
            case .diskFull, .readOnly, .inputOutput: EX_IOERR
            default: EX_TEMPFAIL
            }
        }
    }

    /// The words that `tandem relay` hands on: `name=value` each.
    struct RelayWords {
        /// The file to which the address is written; nil for none.
        let portFile: String?
        /// The folder of files from which spaces are moved; nil for none.
        let source: String?
        /// The device that is put out, by its name; nil for none.
        let device: String?
        /// Whether the answer is in JSON.
        let isJSON: Bool
        private let options: [String: String]
        private let file: String?

        init(_ words: [String]) {
            var options: [String: String] = [:]
            for word in words {
                let parts = word.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                options[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
            }
            file = options.removeValue(forKey: "config")
            portFile = options.removeValue(forKey: "port-file")
            source = options.removeValue(forKey: "from")
            device = options.removeValue(forKey: "device")
            isJSON = options.removeValue(forKey: "json") != nil
            self.options = options
        }

        /// Reads the settings, the file and the environment anew.
        func setup() throws -> RelaySetup {
            var variables: [String: String] = [:]
            var next = environ
            while let entry = next.pointee {
                let text = String(cString: entry)
                if let mark = text.firstIndex(of: "=") {
                    variables[String(text[..<mark])] = String(text[text.index(after: mark)...])
                }
                next += 1
            }
            return try RelaySetup(
                options: options, file: file, environment: variables, guess: { _, _ in nil })
        }
    }
#endif
