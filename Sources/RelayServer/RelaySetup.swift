import Core
import Crypto
import Glibc
import Relay
import Transport

/// Why a relay cannot be set up; a code, from which the program makes words.
package enum RelaySetupFault: Error {
    /// The token and the file of the token are both set.
    case twoTokens
    /// The first line of the token's file is empty.
    case emptyToken(path: String)
    /// The token is longer than a message holds.
    case longToken
    /// Neither a setting nor the environment names a folder.
    case noFolder
    /// A file cannot be read.
    case unreadable(path: String, errno: CInt)
    /// A file cannot be written.
    case unwritable(path: String, errno: CInt)
    /// A file is too long to be one of settings or a token.
    case tooLong(path: String)
    /// A file is not text in UTF-8.
    case notText(path: String)
}

/// The settings of a relay as its process finds them: options, environment, file.
package struct RelaySetup {
    /// The settings and their origins.
    package let settings: RelaySettings
    /// The token that a device must show to make a space; nil if none is needed.
    package let token: String?

    /// Reads all of them, the file anew.
    ///
    /// - Parameters:
    ///   - options: those of the command line, by name.
    ///   - file: the path of the file of settings; nil for that which the environment names, if any.
    ///   - environment: all variables.
    ///   - guess: the known name that an unknown one is most like.
    /// - Throws: a `RelaySettingProblems` with all that is wrong; a `RelaySetupFault`.
    package init(
        options: [String: String], file: String?, environment: [String: String],
        guess: (String, [String]) -> String?
    ) throws {
        let path = file ?? environment[RelaySetting.variablePrefix + "CONFIG"]
        settings = try RelaySettings(
            file: try path.map { ($0, try Self.text(of: $0)) }, environment: environment,
            options: options, standardFolder: Self.standardFolder(environment), guess: guess)
        token = try Self.token(settings)
        guard !settings.text("folder").isEmpty else { throw RelaySetupFault.noFolder }
    }

    /// The options of a server; the key is made and kept by whoever runs it.
    package func serverOptions(
        certificate: DeviceCertificate?
    ) throws(TransportError) -> RelayServerOptions {
        var options = RelayServerOptions(
            hostAndPort: try settings.hostAndPort(), certificate: certificate,
            relay: settings.relayOptions(token: token))
        options.allowInsecure = settings.isSet("insecure")
        options.metricsAddress = try settings.metricsAddress()
        options.networkLinkCountMax = settings.number("connections-per-address")
        options.networkUnprovedCountMax = settings.number("unproved-per-address")
        options.proxies = AddressRange.list(parsing: settings.text("proxies")) ?? []
        options.drainMax = .seconds(settings.number("drain-seconds"))
        return options
    }

    /// The database in which spaces are kept; nil for files in the folder.
    package var database: String? {
        let text = settings.text("store")
        return text.isEmpty ? nil : text
    }

    /// The folder of the spaces and of the relay's key.
    package var folder: String { settings.text("folder") }

    private static func token(_ settings: RelaySettings) throws -> String? {
        let (token, path) = (settings.text("token"), settings.text("token-file"))
        guard token.isEmpty || path.isEmpty else { throw RelaySetupFault.twoTokens }
        var found = token
        if !path.isEmpty {
            found = String(try text(of: path).prefix { $0 != "\n" && $0 != "\r\n" })
            guard !found.isEmpty else { throw RelaySetupFault.emptyToken(path: path) }
        }
        guard found.utf8.count <= WireLimits.tokenByteCountMax else {
            throw RelaySetupFault.longToken
        }
        return found.isEmpty ? nil : found
    }

    private static func standardFolder(_ variables: [String: String]) -> String {
        // systemd names the folder that it made; there may be several.
        if let state = variables["STATE_DIRECTORY"]?.split(separator: ":").first {
            return String(state)
        }
        if let data = variables["XDG_DATA_HOME"], data.hasPrefix("/") {
            return data + "/tandem-relay"
        }
        guard let home = variables["HOME"], !home.isEmpty else { return "" }
        return home + "/.local/share/tandem-relay"
    }

    private static func text(of path: String) throws(RelaySetupFault) -> String {
        guard let file = fopen(path, "r") else { throw .unreadable(path: path, errno: errno) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: RelaySettings.fileByteCountMax + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count <= RelaySettings.fileByteCountMax else { throw .tooLong(path: path) }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw .notText(path: path)
        }
        return text
    }
}

/// The address, start and reloading of a relay.
extension RelayServer {
    /// The fingerprint of the relay's key; nil without encryption.
    package var fingerprint: Fingerprint? { options.certificate?.fingerprint }

    /// The address that a device is told; nil before `listen`.
    package var relayAddress: RelayAddress? {
        guard let address else { return nil }
        // A device cannot come to "everywhere": the name of the machine is the best guess.
        let isEverywhere = ["0.0.0.0", "::"].contains(options.hostAndPort.host)
        let host = isEverywhere ? SystemEnvironment.hostName : options.hostAndPort.host
        return RelayAddress(
            HostAndPort(host: host, port: address.port),
            fingerprint: options.certificate?.fingerprint)
    }

    /// Writes to the log where it listens, and what its settings make risky.
    package func logStart() {
        log(
            LogLine(
                .info, "listening",
                [
                    "address": address.map { "\($0)" },
                    "fingerprint": options.certificate.map { "\($0.fingerprint)" },
                    "metrics": metricsAddress.map { "\($0)" }, "folder": options.relay.folder,
                ]))
        if let startNotice { log(startNotice) }
        guard options.relay.allowsPlainSpaces else { return }
        log(
            LogLine(
                .warning, "plain-spaces",
                ["message": "who knows the id of a plain space can read and write it"]))
    }

    /// Warns of every setting that has another value now and takes effect when the relay is started again.
    package func warnOfRestart(_ next: RelaySetup, startedWith first: RelaySettings) {
        for setting in RelaySetting.all
        where !setting.isReloadable
            && next.settings.text(setting.name) != first.text(setting.name)
        {
            log(
                LogLine(
                    .warning, "needs-restart",
                    [
                        "setting": setting.name,
                        "message": "it stays as it was until the relay is started again",
                    ]))
        }
    }

    /// Takes over the settings that can change while it runs.
    ///
    /// - Parameter current: the settings that hold now.
    package func reload(_ next: RelaySetup, after current: RelaySettings) {
        change(
            next.settings.relayOptions(token: next.token),
            networkLinkCountMax: next.settings.number("connections-per-address"),
            drainMax: .seconds(next.settings.number("drain-seconds")))
        let changed = RelaySetting.all.filter {
            $0.isReloadable && next.settings.text($0.name) != current.text($0.name)
        }
        log(LogLine(.info, "reloaded", ["changed": changed.map(\.name).joined(separator: ",")]))
    }
}
