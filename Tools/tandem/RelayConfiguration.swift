import Devices
import Glibc
import RelayServer
import Terminal
import ToDo

/// The settings of a relay on its command line, and in its environment.
enum RelayConfiguration {
    /// Options that are settings of a relay and take a value.
    static let values = RelaySetting.all.filter { !isFlag($0) && !isSecret($0) }.map(\.name)
    /// Options that are settings of a relay and take none.
    static let flags = RelaySetting.all.filter { isFlag($0) }.map(\.name)

    /// Reads all of them, the file anew.
    static func read(_ arguments: Arguments) throws -> RelaySetup {
        var options: [String: String] = [:]
        for name in values { options[name] = arguments[name] }
        for name in flags where arguments.has(name) { options[name] = "yes" }
        // With any other command this option names a folder, which is refused here: the relay would keep its spaces elsewhere.
        if let store = arguments["store"] { options["store"] = store }
        do {
            return try RelaySetup(
                options: options, file: arguments["config"], environment: environment(),
                guess: { Spelling.suggestion(for: $0, among: $1) })
        } catch let problems as RelaySettingProblems {
            throw CommandFailure(
                .configuration, problems.problems.map(words).joined(separator: "\n"))
        } catch let fault as RelaySetupFault {
            throw CommandFailure(fault)
        }
    }

    private static func words(_ problem: RelaySettingProblem) -> String {
        let advice = problem.isUnknown ? "see: tandem relay --print-config" : problem.advice
        return "\(problem.origin): \(problem.what); \(advice)"
    }

    private static func isFlag(_ setting: RelaySetting) -> Bool {
        if case .flag = setting.kind { true } else { false }
    }

    /// A secret on a command line could be read by everybody on the machine.
    private static func isSecret(_ setting: RelaySetting) -> Bool {
        switch setting.kind {
        case .secret, .database: true
        default: false
        }
    }

    /// The words by which `tandem-relay` reads the same settings; the database and its password are in no word, as
    /// everybody on the machine can read them.
    static func words(_ arguments: Arguments) -> [String] {
        let named = values + ["config", "port-file"]
        return named.compactMap { name in arguments[name].map { "\(name)=\($0)" } }
            + flags.filter { arguments.has($0) }.map { "\($0)=yes" }
            + (arguments.has("json") ? ["json=yes"] : [])
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
}

extension CommandFailure {
    /// A relay that cannot be set up.
    fileprivate init(_ fault: RelaySetupFault) {
        switch fault {
        case .twoTokens:
            self.init(
                .configuration, "token and token-file are both set; delete one of the two")
        case .emptyToken(let path):
            self.init(
                .configuration, "\(path): its first line is empty; write the token there")
        case .longToken:
            self.init(
                .configuration,
                "the token is longer than \(WireLimits.tokenByteCountMax) bytes; take a shorter one"
            )
        case .noFolder:
            self.init(.configuration, "there is neither HOME nor a folder; say --folder FOLDER")
        case .unreadable(let path, let code):
            self.init(.noInput, "\(path) cannot be read: \(String(cString: strerror(code)))")
        case .unwritable(let path, let code):
            self.init(
                .cannotCreate, "\(path) cannot be written: \(String(cString: strerror(code)))")
        case .tooLong(let path):
            self.init(
                .badData,
                "\(path) is longer than \(RelaySettings.fileByteCountMax) bytes; is it the right file?"
            )
        case .notText(let path):
            self.init(.badData, "\(path) is not text in UTF-8; is it the right file?")
        }
    }
}
