import Devices
import Glibc
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

        A relay stores encrypted changes and passes them on; it cannot read them. It has
        no accounts: a device proves that it knows the secret of its space. At its start
        the relay prints the address for devices. SIGTERM ends it after the running
        sessions, a second SIGTERM at once. SIGHUP reads the settings again.

        --config FILE     read settings from lines of name = value; # begins a comment
        --print-config    show the settings and where each was set, then exit
        --port-file FILE  write the relay's address to a file once it listens

        Each setting is also a variable TANDEM_RELAY_NAME. Options override variables,
        and variables override the file:

        \(settings)
        """
    static let values = RelayConfiguration.values + ["config", "port-file"]
    static let flags = RelayConfiguration.flags + ["print-config"]

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
