import Core
import Devices
import Glibc
import RelayServer
import Terminal
import ToDo
import Transport

/// The settings of a relay as this process finds them: options, environment, file.
struct RelayConfiguration {
    let settings: RelaySettings
    /// The token that a device must show to make a space; nil if none is needed.
    let token: String?

    /// Options that are settings of a relay and take a value.
    static let values = RelaySetting.all.filter { !isFlag($0) && !isSecret($0) }.map(\.name)
    /// Options that are settings of a relay and take none.
    static let flags = RelaySetting.all.filter { isFlag($0) }.map(\.name)

    /// Reads all of them, the file anew.
    init(_ arguments: Arguments) throws {
        var options: [String: String] = [:]
        for name in Self.values { options[name] = arguments[name] }
        for name in Self.flags where arguments.has(name) { options[name] = "yes" }
        let variables = Self.environment()
        let path = arguments["config"] ?? variables[RelaySetting.variablePrefix + "CONFIG"]
        do {
            settings = try RelaySettings(
                file: try path.map { ($0, try Self.text(of: $0)) }, environment: variables,
                options: options, standardFolder: Self.standardFolder(variables),
                guess: { Spelling.suggestion(for: $0, among: $1) })
        } catch let problems as RelaySettingProblems {
            throw CommandFailure(
                .configuration, problems.problems.map(Self.words).joined(separator: "\n"))
        }
        token = try Self.token(settings)
        guard !settings.text("folder").isEmpty else {
            throw CommandFailure(
                .configuration, "there is neither HOME nor a folder; say --folder FOLDER")
        }
    }

    private static func words(_ problem: RelaySettingProblem) -> String {
        let advice = problem.isUnknown ? "see: tandem relay --print-config" : problem.advice
        return "\(problem.place): \(problem.what); \(advice)"
    }

    private static func isFlag(_ setting: RelaySetting) -> Bool {
        if case .flag = setting.kind { true } else { false }
    }

    /// A secret on a command line could be read by everybody on the machine.
    private static func isSecret(_ setting: RelaySetting) -> Bool {
        if case .secret = setting.kind { true } else { false }
    }

    private static func token(_ settings: RelaySettings) throws -> String? {
        let (token, path) = (settings.text("token"), settings.text("token-file"))
        guard token.isEmpty || path.isEmpty else {
            throw CommandFailure(
                .configuration, "token and token-file are both set; delete one of the two")
        }
        var found = token
        if !path.isEmpty {
            let text = try text(of: path)
            found = String(text.prefix { $0 != "\n" && $0 != "\r\n" })
            guard !found.isEmpty else {
                throw CommandFailure(
                    .configuration, "\(path): its first line is empty; write the token there")
            }
        }
        guard found.utf8.count <= WireLimits.tokenByteCountMax else {
            throw CommandFailure(
                .configuration,
                "the token is longer than \(WireLimits.tokenByteCountMax) bytes; take a shorter one"
            )
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

    private static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let mark = text.firstIndex(of: "=") {
                variables[String(text[..<mark])] = String(text[text.index(after: mark)...])
            }
            next += 1
        }
        return variables
    }

    private static func text(of path: String) throws -> String {
        guard let file = fopen(path, "r") else {
            throw CommandFailure(
                .noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: RelaySettings.fileByteCountMax + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count <= RelaySettings.fileByteCountMax else {
            throw CommandFailure(
                .badData,
                "\(path) is longer than \(RelaySettings.fileByteCountMax) bytes; is it the right file?"
            )
        }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw CommandFailure(.badData, "\(path) is not text in UTF-8; is it the right file?")
        }
        return text
    }
}
