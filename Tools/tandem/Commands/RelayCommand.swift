import Crypto
import Devices
import Glibc
import Relay
import RelayServer
import Storage
import Terminal
import Transport

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
        let configuration = try RelayConfiguration(arguments)
        let settings = configuration.settings
        if arguments.has("print-config") {
            Screen.write(settings.listing)
            return .ok
        }
        let log = RelayLog(level: settings.logLevel)
        let folder = settings.text("folder")
        try SystemEnvironment.environment().disk.makeFolder(folder)
        var certificate: DeviceCertificate?
        do {
            certificate = try DeviceCertificate.kept(at: DeviceCertificate.path(in: folder))
        } catch CertificateFault.notBuiltIn {}
        var options = RelayServerOptions(
            place: try settings.place(), certificate: certificate,
            relay: settings.relayOptions(token: configuration.token))
        options.allowInsecure = settings.isSet("insecure")
        options.metricsPlace = try settings.metricsPlace()
        options.networkLinkCountMax = settings.number("connections-per-address")
        options.drainMax = .seconds(settings.number("drain-seconds"))
        let server = try RelayServer(options, log: log.write)
        try server.listen()
        var current = settings
        try server.watchSignals { server in
            do {
                let next = try RelayConfiguration(arguments)
                reload(next, after: current, startedWith: settings, server, log)
                current = next.settings
            } catch {
                for line in CommandFailure(error).message.split(separator: "\n") {
                    log.write(LogLine(.error, "not-reloaded", ["message": String(line)]))
                }
            }
        }
        try tell(server, options, arguments, log)
        try server.serve()
        return .ok
    }

    /// Says where it is and what a device has to be told.
    private static func tell(
        _ server: RelayServer, _ options: RelayServerOptions, _ arguments: Arguments,
        _ log: RelayLog
    ) throws {
        guard let address = server.address else { return }
        let fingerprint = options.certificate?.fingerprint
        // A device cannot come to "everywhere": the name of the machine is the best guess.
        let isEverywhere = ["0.0.0.0", "::"].contains(options.place.host)
        let host = isEverywhere ? SystemEnvironment.hostName : options.place.host
        let relay = RelayAddress(
            HostAndPort(host: host, port: address.port), fingerprint: fingerprint)
        log.write(
            LogLine(
                .info, "listening",
                [
                    "address": "\(address)", "fingerprint": fingerprint.map { "\($0)" },
                    "metrics": server.metricsAddress.map { "\($0)" },
                    "folder": options.relay.folder,
                ]))
        if options.relay.allowsPlainSpaces {
            log.write(
                LogLine(
                    .warning, "plain-spaces",
                    ["message": "who knows the id of a plain space can read and write it"]))
        }
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

    /// Takes over what can be, and says what cannot.
    private static func reload(
        _ next: RelayConfiguration, after current: RelaySettings,
        startedWith first: RelaySettings, _ server: RelayServer, _ log: RelayLog
    ) {
        for setting in RelaySetting.all
        where !setting.isReloadable
            && next.settings.text(setting.name) != first.text(setting.name)
        {
            log.write(
                LogLine(
                    .warning, "needs-restart",
                    [
                        "setting": setting.name,
                        "message": "it stays as it was until the relay is started again",
                    ]))
        }
        log.level = next.settings.logLevel
        server.change(
            next.settings.relayOptions(token: next.token),
            networkLinkCountMax: next.settings.number("connections-per-address"),
            drainMax: .seconds(next.settings.number("drain-seconds")))
        let changed = RelaySetting.all.filter {
            $0.isReloadable && next.settings.text($0.name) != current.text($0.name)
        }
        log.write(
            LogLine(
                .info, "reloaded", ["changed": changed.map(\.name).joined(separator: ",")]))
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
