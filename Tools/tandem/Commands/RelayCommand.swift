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

        A relay stores encrypted changes and passes them on; it cannot read them. It has
        no accounts: a device proves that it knows the secret of its space. At its start
        the relay prints the address for devices. SIGTERM ends it after the running
        sessions, a second SIGTERM at once. SIGHUP reads the settings again.

        --config FILE     read settings from lines of name = value; # begins a comment
        --print-config    show the settings and where each was set, then exit
        --port-file FILE  write the relay's address to a file once it listens
        --devices         list the devices of each space, then exit
        --put-out SPACE/FINGERPRINT
                          end a device's connections within a second and refuse it from
                          then on, and all new devices of the space until its secret is
                          changed (tandem revoke); the file put-out in the folder lists
                          them, and a line that is deleted there lets one in again

        Each setting is also a variable TANDEM_RELAY_NAME. Options override variables,
        and variables override the file:

        \(settings)
        """
    static let values = RelayConfiguration.values + ["config", "port-file", "put-out"]
    static let flags = RelayConfiguration.flags + ["print-config", "devices"]

    private static var settings: String {
        RelaySetting.all.map { setting in
            let name =
                switch setting.kind {
                case .secret: "\(setting.name) (no option)"
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
        try arguments.refuseWords()
        let setup = try RelayConfiguration.read(arguments)
        if arguments.has("print-config") {
            Screen.write(setup.settings.listing)
            return .ok
        }
        if arguments.has("devices") { return try listDevices(setup.folder, arguments) }
        if let named = arguments["put-out"] { return try putOut(named, setup.folder) }
        let log = RelayLog(level: setup.settings.logLevel)
        let certificate = try DeviceAccess.certificate(making: setup.folder)
        let server = try RelayServer(
            setup.serverOptions(certificate: certificate), log: log.write)
        try server.listen()
        var current = setup.settings
        try server.watchSignals { server in
            do {
                let next = try RelayConfiguration.read(arguments)
                // A warning is written at the level that was set when it arose.
                server.warnOfRestart(next, startedWith: setup.settings)
                log.level = next.settings.logLevel
                server.reload(next, after: current)
                current = next.settings
            } catch {
                for line in CommandFailure(error).message.split(separator: "\n") {
                    log.write(LogLine(.error, "not-reloaded", ["message": String(line)]))
                }
            }
        }
        server.logStart()
        try tell(server, certificate?.fingerprint, arguments)
        try server.serve()
        return .ok
    }

    // MARK: Devices

    private static func listDevices(
        _ folder: String, _ arguments: Arguments
    ) throws -> ExitCode {
        let entries = try RelayDeviceList(in: folder).entries()
        for entry in entries {
            let fingerprint = entry.fingerprint.description
            let (first, last) = (date(entry.days.lowerBound), date(entry.days.upperBound))
            if arguments.has("json") {
                Screen.line(
                    JSONOutput.object([
                        ("space", JSONOutput.text(entry.space.uuidText)),
                        ("fingerprint", JSONOutput.text(fingerprint)),
                        ("first", JSONOutput.text(first)), ("last", JSONOutput.text(last)),
                        ("putOut", .bool(entry.isPutOut)),
                    ]))
            } else {
                let out = entry.isPutOut ? ", put out" : ""
                Screen.line("\(entry.space.uuidText)/\(fingerprint)")
                Screen.line("  from \(first) to \(last)\(out)")
            }
        }
        return entries.isEmpty ? .nothing : .ok
    }

    private static func putOut(_ named: String, _ folder: String) throws -> ExitCode {
        let parts = named.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let space = SpaceID(uuidText: parts[0]),
            let fingerprint = try? Fingerprint(parsing: String(parts[1]))
        else {
            throw CommandFailure(
                .usage, "write SPACE/FINGERPRINT, as `tandem relay --devices` shows them")
        }
        do {
            try RelayDeviceList(in: folder).putOut(fingerprint, of: space)
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

    /// A day as ISO 8601 writes it.
    private static func date(_ day: Int64) -> String {
        var seconds = time_t(day * 86_400)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
    }

    /// Writes its address, as a device has to be told it.
    private static func tell(
        _ server: RelayServer, _ fingerprint: Fingerprint?, _ arguments: Arguments
    ) throws {
        guard let address = server.address, let relay = server.relayAddress else { return }
        if let path = arguments["port-file"] { try write("\(relay)\n", to: path) }
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("event", JSONOutput.text("listening")),
                    ("address", JSONOutput.text("\(address)")),
                    ("fingerprint", JSONOutput.text(fingerprint.map { "\($0)" } ?? "")),
                    ("relay", JSONOutput.text("\(relay)")),
                    ("metrics", JSONOutput.text(server.metricsAddress.map { "\($0)" } ?? "")),
                ]))
        } else {
            if let fingerprint { Screen.line("This relay is \(fingerprint)") }
            Screen.line("\(relay)")
        }
        Screen.flush()
    }

    /// Writes so that a reader sees all of it or nothing.
    private static func write(_ text: String, to path: String) throws {
        let temporary = path + ".new"
        guard let file = fopen(temporary, "w") else {
            throw CommandFailure(
                .cannotCreate, "\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        fputs(text, file)
        fclose(file)
        rename(temporary, path)
    }
}
