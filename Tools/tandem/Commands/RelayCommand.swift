import Devices
import Glibc
import JSON
import RelayServer
import Terminal

/// Runs a relay.
enum RelayCommand: Command {
    static let name = "relay"
    static let summary = "Run a relay for devices that are never online together"
    static let help = """
          tandem relay
          tandem relay --listen 0.0.0.0:7718 --metrics 127.0.0.1:9717
          tandem relay --config /etc/tandem-relay.conf
          tandem relay --config /etc/tandem-relay.conf --print-config
          tandem relay --devices
          tandem relay --put-out SPACE/FINGERPRINT
          tandem relay --store postgresql://HOST/NAME
          tandem relay move --from FOLDER --to postgresql://HOST/NAME
          tandem relay check --store postgresql://HOST/NAME

        A relay stores encrypted changes and passes them on; it cannot read them. It has
        no accounts: a device proves that it knows the secret of its space. At its start
        the relay prints the address for devices. SIGTERM ends it after the running
        sessions, a second SIGTERM at once. SIGHUP reads the settings again.

        With --store postgresql://HOST/NAME the spaces are in a database that any number
        of relays share, all with the same key (the folder's). A password is better kept
        in the file that PGPASSFILE names than in the address. move copies the spaces of
        a relay on files and leaves the files there: end that relay then, and move what
        came meanwhile. check looks whether everything in the database fits together.

        --from FOLDER     the folder of the relay whose spaces move copies
        --to ADDRESS      the database that they are copied to
        --config FILE     read settings from lines of name = value; # begins a comment
        --print-config    show the settings and where each was set, then exit
        --port-file FILE  write the relay's address to a file once it listens
        --devices         list the devices of each space, then exit
        --put-out SPACE/FINGERPRINT
                          end a device's connections within a second and refuse it from
                          then on, and all new devices of the space until its secret is
                          changed (tandem revoke); the file put-out in the folder, or
                          the table put_out, lists them: who is deleted there may come

        Each setting is also a variable TANDEM_RELAY_NAME. Options override variables,
        and variables override the file:

        \(settings)
        """
    static let values =
        RelayConfiguration.values + ["config", "port-file", "put-out", "from", "to"]
    static let flags = RelayConfiguration.flags + ["print-config", "devices"]

    private static var settings: String {
        RelaySetting.all.map { setting in
            let name =
                switch setting.kind {
                case .secret: "\(setting.name) (no option)"
                case .database: "--\(setting.name) postgresql://…"
                case .flag: "--\(setting.name)"
                default: "--\(setting.name) \(setting.valueWord)"
                }
            let text =
                setting.standard.isEmpty
                ? setting.summary : "\(setting.summary) (default \(setting.standard))"
            // A long name has a line of its own.
            let lines = Cells.wrapped(text, first: 52, rest: 52)
            let margin = "\n" + String(repeating: " ", count: 28)
            return (name.count > 26 ? name + margin : Cells.padded(name, to: 28))
                + lines.joined(separator: margin)
        }.joined(separator: "\n")
    }

    static func run(_ arguments: Arguments) throws -> ExitCode {
        switch arguments.words {
        case []: break
        case ["move"]: return try move(arguments)
        case ["check"]: return try check(arguments)
        default: try arguments.refuseWords()
        }
        let setup = try RelayConfiguration.read(arguments)
        if arguments.has("print-config") {
            Screen.write(setup.settings.listing)
            return .ok
        }
        if arguments.has("devices") {
            if setup.database != nil {
                try RelayProgram.run(
                    "devices", RelayConfiguration.words(arguments), arguments["store"])
            }
            return try listDevices(setup.folder, arguments)
        }
        if let named = arguments["put-out"] {
            return try putOut(named, setup, arguments)
        }
        if setup.database != nil {
            try RelayProgram.run("serve", RelayConfiguration.words(arguments), arguments["store"])
        }
        let log = RelayLog(level: setup.settings.logLevel) { Screen.error($0) }
        let certificate = try DeviceAccess.certificate(making: setup.folder)
        let server = try RelayServer(
            setup.serverOptions(certificate: certificate), log: log.write)
        try server.run(
            setup, log: log, read: { try RelayConfiguration.read(arguments) },
            words: { CommandFailure($0).message }, tell: { try tell($0, arguments) })
        return .ok
    }

    // MARK: A database

    /// Copies the spaces of files into a database.
    private static func move(_ arguments: Arguments) throws -> ExitCode {
        guard let folder = arguments["from"], let database = arguments["to"],
            RelaySettings.isDatabase(database)
        else {
            throw CommandFailure(
                .usage, "write: tandem relay move --from FOLDER --to postgresql://HOST/NAME")
        }
        let words = ["from=\(folder)"] + (arguments.has("json") ? ["json=yes"] : [])
        try RelayProgram.run("move", words, database)
    }

    /// Looks at everything in a database.
    private static func check(_ arguments: Arguments) throws -> ExitCode {
        guard try RelayConfiguration.read(arguments).database != nil else {
            throw CommandFailure(
                .usage, "write: tandem relay check --store postgresql://HOST/NAME")
        }
        let words = RelayConfiguration.words(arguments)
        try RelayProgram.run("examine", words, arguments["store"])
    }

    // MARK: Devices

    private static func listDevices(
        _ folder: String, _ arguments: Arguments
    ) throws -> ExitCode {
        let entries = try RelayDeviceList(in: folder).entries()
        for entry in entries {
            if arguments.has("json") {
                Screen.line(
                    JSONOutput.object([
                        ("space", JSONOutput.text(entry.space.uuidText)),
                        ("fingerprint", JSONOutput.text(entry.fingerprint.description)),
                        ("first", JSONOutput.text(entry.firstDate)),
                        ("last", JSONOutput.text(entry.lastDate)),
                        ("putOut", .bool(entry.isPutOut)),
                    ]))
            } else {
                for line in entry.lines { Screen.line(line) }
            }
        }
        return entries.isEmpty ? .nothing : .ok
    }

    private static func putOut(
        _ named: String, _ setup: RelaySetup, _ arguments: Arguments
    ) throws -> ExitCode {
        guard let device = RelayDeviceList.device(named: named) else {
            throw CommandFailure(
                .usage, "write SPACE/FINGERPRINT, as `tandem relay --devices` shows them")
        }
        if setup.database != nil {
            try RelayProgram.run(
                "put-out", RelayConfiguration.words(arguments) + ["device=\(named)"],
                arguments["store"])
        }
        do {
            try RelayDeviceList(in: setup.folder).putOut(device.fingerprint, of: device.space)
        } catch let fault as RelayPutOutFault {
            switch fault {
            case .unknownSpace, .unknownDevice:
                throw CommandFailure(.nothing, "\(fault); see: tandem relay --devices")
            default: throw CommandFailure(.cannotCreate, "\(fault)")
            }
        }
        Screen.line("Put out. Have a member run `tandem revoke`: the device still has the secret.")
        return .ok
    }

    /// Writes its address, as a device has to be told it.
    private static func tell(_ server: RelayServer, _ arguments: Arguments) throws {
        if let path = arguments["port-file"] { try server.writeAddress(to: path) }
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object(
                    server.announcement.map { ($0.name, JSONOutput.text($0.text)) }))
        } else {
            for line in server.announcementLines { Screen.line(line) }
        }
        Screen.flush()
    }
}
