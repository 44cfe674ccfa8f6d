import Devices
import Glibc
import Terminal
import ToDo

/// Installs and removes the daemon as a service of the login, and says so.
enum LoginServiceOutput {
    // MARK: Doing it

    static func install(_ context: CommandContext, _ arguments: Arguments) throws -> ExitCode {
        // Whatever would keep the daemon from starting is told now, and not in a log at the next login.
        _ = try DaemonCommand.prepare(
            context, arguments, waitsForOthers: DaemonCommand.ports(arguments).serves)
        let service = try service(arguments)
        let daemon = DaemonStatus.ask(in: context.device.folder)
        let old = daemon.map { "\($0.process)" }
        let outcome = try told { () throws(LoginService.Fault) in try service.install() }
        switch outcome {
        case .complete:
            Screen.line("Installed \(service.path.shownInLine)")
            if let old, DaemonStatus.ask(in: context.device.folder)?.process == daemon?.process,
                daemon.map({ LoginService.isService($0.process) }) == false
            {
                Screen.paragraph(
                    "A daemon that was started in another way runs already, as process \(old). The service takes "
                        + "over when that has ended, within \(LoginService.restartSeconds) seconds: kill \(old)",
                    hanging: 0)
            } else {
                Screen.line(
                    "The daemon runs now, and is started at each login. Next: \(AdvisedLine.program) status"
                )
            }
            Screen.line(Screen.faint("Also while you are not logged in: loginctl enable-linger"))
            return .ok
        case .unanswered(let commands):
            Screen.line("Wrote \(service.path.shownInLine)")
            Screen.line(
                "systemd does not answer here. To start the daemon, now and at each login, type:")
            write(commands)
            return .incomplete
        case .noSystemd, .notInstalled:
            throw CommandFailure(
                .unavailable,
                """
                there is no systemctl on this machine, so nothing was installed. To start the daemon with the machine, \
                type `crontab -e` and add this line:
                @reboot \(cron(service.command))
                Or have your desktop start this at login:
                \(shell(service.command))
                """)
        }
    }

    static func uninstall(_ arguments: Arguments) throws -> ExitCode {
        let service = try service(arguments)
        switch try told({ () throws(LoginService.Fault) in try service.uninstall() }) {
        case .complete:
            Screen.line("Removed \(service.path.shownInLine); the daemon is not started any more")
            return .ok
        case .unanswered(let commands):
            Screen.line("Removed \(service.path.shownInLine)")
            Screen.line("systemd does not answer here. If the daemon still runs, type:")
            write(commands)
            return .incomplete
        case .noSystemd, .notInstalled:
            Screen.line("No service is installed: there is no \(service.path.shownInLine)")
            return .ok
        }
    }

    private static func told(
        _ body: () throws(LoginService.Fault) -> LoginService.Outcome
    ) throws(CommandFailure) -> LoginService.Outcome {
        do throws(LoginService.Fault) {
            return try body()
        } catch {
            throw CommandFailure(error)
        }
    }

    // MARK: The service

    /// The service of the store that the options name, with the other options given here.
    private static func service(_ arguments: Arguments) throws -> LoginService {
        let store = real(try CommandContext.folder(arguments))
        var command = [try program(), DaemonCommand.name]
        // systemd starts it without the variables of this terminal.
        if store != real(try defaultStore()) { command += ["--store", store] }
        for option in DaemonCommand.values {
            if let value = arguments[option] { command += ["--\(option)", value] }
        }
        if arguments["notify"] == nil, let words = CommandContext.environment("TANDEM_NOTIFY"),
            !words.isEmpty
        {
            command += ["--notify", words]
        }
        if arguments.has("insecure") { command.append("--insecure") }
        return LoginService(
            command: command, store: store, configuration: try configuration())
    }

    /// The path without links and `..`, which may lead elsewhere by the next login; as it is if nothing is there.
    private static func real(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// The store of a program that was given neither option nor variable.
    private static func defaultStore() throws -> String {
        try home() + "/.local/share/tandem"
    }

    private static func home() throws -> String {
        guard let home = CommandContext.environment("HOME"), home.hasPrefix("/") else {
            throw CommandFailure(.configuration, "HOME is not set, so there is no place for a unit")
        }
        return home
    }

    private static func configuration() throws -> String {
        // The base directories must be absolute; others are to be ignored.
        if let folder = CommandContext.environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
            return folder
        }
        return try home() + "/.config"
    }

    private static func program() throws -> String {
        guard let path = SiblingProgram.ownPath else {
            throw CommandFailure(
                .configuration, "/proc/self/exe does not say where this program is")
        }
        return path
    }

    // MARK: Commands to type

    private static func write(_ commands: [[String]]) {
        for command in commands { Screen.line("  \(shell(command))") }
    }

    private static func shell(_ command: [String]) -> String {
        command.map(\.shellQuoted).joined(separator: " ")
    }

    /// A command in a crontab, where `%` ends it unless a backslash stands before (crontab(5)).
    private static func cron(_ command: [String]) -> String {
        shell(command).replacing("%", with: "\\%")
    }
}

extension CommandFailure {
    /// Why the daemon cannot be started at login, or not be kept from it.
    fileprivate init(_ fault: LoginService.Fault) {
        switch fault {
        case .foreignUnit(let path):
            self.init(
                .refused,
                "\(path.shownInLine) is not a unit that tandem wrote, so it stays as it is; move it away first"
            )
        case .otherStore(let path, let store):
            self.init(
                .refused,
                "\(path.shownInLine) is for another store, \(store.shownInLine); remove it first: "
                    + "tandem daemon --uninstall --store \(store.shellQuoted.shownInLine)")
        case .failedCall(let path, let errno):
            self.init(
                .cannotCreate, "\(path.shownInLine): \(String(cString: strerror(errno)))")
        case .unusablePath(let path):
            self.init(
                .usage,
                "\(path.shownInLine) has characters that systemd does not take there: bytes that are no UTF-8, or in the "
                    + "path of a program quotes or backslashes; move it, then try again"
            )
        }
    }
}
