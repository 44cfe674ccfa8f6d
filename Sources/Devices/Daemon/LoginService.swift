import Glibc
import Transport

/// The daemon of one store as a service that starts when its user logs in: a unit of systemd.
///
/// Source: systemd.unit(5), systemd.service(5), systemd.exec(5), systemd.syntax(7).
package struct LoginService {
    /// The unit's file name.
    package static let unitName = "tandem.service"
    /// After a failure the service is started again so much later; seconds.
    package static let restartSeconds = 10
    /// How long `systemctl` may take for one call; seconds.
    package static let callSecondsMax = 30

    /// Why the service cannot be installed or removed.
    package enum Fault: Error, Equatable {
        /// The unit's file is not one that this program wrote.
        case foreignUnit(path: String)
        /// The unit is that of another store.
        case otherStore(path: String, store: String)
        /// A file or folder cannot be read, written or removed.
        case failedCall(path: String, errno: CInt)
        /// A path has a character that no unit can hold, or not there.
        case unusablePath(String)
    }

    /// How far an installation or a removal came.
    package enum Outcome: Equatable, Sendable {
        /// The unit is written or removed, and systemd acts on it.
        case complete
        /// The unit is written or removed; these calls of `systemctl`, in this order, are left to the user.
        case unanswered(commands: [[String]])
        /// This machine has no systemd; nothing was written.
        case noSystemd
        /// There was nothing to remove.
        case notInstalled
    }

    /// The command that the service runs: this program and its words.
    package let command: [String]
    /// The folder of the store.
    package let store: String
    /// Where the unit is written.
    package let path: String

    private var folder: String { String(path.dropLast(Self.unitName.count + 1)) }

    /// The service for a store.
    ///
    /// - Parameters:
    ///   - command: an absolute path and words.
    ///   - configuration: the user's folder of configuration, as of the XDG base directories.
    package init(command: [String], store: String, configuration: String) {
        self.command = command
        self.store = store
        path = "\(configuration)/systemd/user/\(Self.unitName)"
    }

    /// Whether a process was started as the service, by its control group: systemd names the unit in it.
    ///
    /// - Parameter processes: the folder where the system shows its processes.
    package static func isService(_ process: Int32, in processes: String = "/proc") -> Bool {
        guard let file = fopen("\(processes)/\(process)/cgroup", "re") else { return false }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = fread(&buffer, 1, buffer.count, file)
        let units = buffer[..<count].split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\n") }
        return units.contains { $0.elementsEqual(unitName.utf8) }
    }

    // MARK: The unit

    private static let mark =
        "# Written by Tandem, which replaces this file when it is installed again."

    private var storeLine: String { "# Store: \(Self.quoted(store))" }

    /// The text of the unit.
    package var unit: String {
        """
        \(Self.mark)
        \(storeLine)
        [Unit]
        Description=Tandem, keeping to-dos in sync
        Documentation=man:tandem-daemon(1)

        [Service]
        Type=exec
        ExecStart=\(Self.execStart(command))
        \(Self.rules)

        [Install]
        WantedBy=default.target

        """
    }

    /// The lines of the service that hold for every store: also those of the package's unit.
    ///
    /// The daemon starts other programs (ssh, the one that shows reminders), so memory that is both written and
    /// executed is not denied: theirs may need it. 64 to 66 and 78: usage, bad data, no store, configuration. Starting
    /// again changes none of these.
    package static let rules = """
        Restart=on-failure
        RestartSec=\(restartSeconds)
        RestartPreventExitStatus=64 65 66 78
        TimeoutStopSec=30
        KillMode=mixed
        UMask=0077
        NoNewPrivileges=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        LockPersonality=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallErrorNumber=EPERM
        """

    /// The words of a command as systemd reads them: quoted, with `%` doubled, and `$` as well behind the first.
    ///
    /// systemd replaces variables in the words of a command, and not in the path of its program.
    static func execStart(_ command: [String]) -> String {
        command.enumerated().map { index, word in
            let plain = quoted(word).replacing("%", with: "%%")
            return index == 0 ? plain : plain.replacing("$", with: "$$")
        }.joined(separator: " ")
    }

    /// A word in double quotes, with the escapes of C.
    private static func quoted(_ word: String) -> String {
        var result = "\""
        for scalar in word.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\u{0}"..<" ", "\u{7f}":
                let digits = String(scalar.value, radix: 16)
                result += "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The store of a unit that this program wrote; nil of any other file.
    private static func storeLine(of text: String) -> Substring? {
        let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count > 2, lines[0] == mark, lines[1].hasPrefix("# Store: ") else { return nil }
        return lines[1]
    }

    // MARK: Installing

    /// Writes the unit, and has systemd start it now and at each login.
    ///
    /// Doing it again changes nothing, and starts a service that was stopped.
    /// - Parameter run: runs a command, and says whether it went well; nil if there is no such program.
    package func install(
        run: ([String]) -> Bool? = Self.call
    ) throws(Fault) -> Outcome {
        // A replaced letter would name another file than the one meant.
        for word in command + [store] where word.unicodeScalars.contains("\u{fffd}") {
            throw .unusablePath(word)
        }
        // systemd takes no program with one of these in its path, however it is written.
        if let program = command.first,
            program.unicodeScalars.contains(where: {
                $0 < " " || "\"'\\\u{7f}".unicodeScalars.contains($0)
            })
        {
            throw .unusablePath(program)
        }
        guard let isAnswered = run(Self.systemctl("daemon-reload")) else { return .noSystemd }
        let old = try read()
        if let old {
            guard let line = Self.storeLine(of: old) else { throw .foreignUnit(path: path) }
            guard line == storeLine else {
                throw .otherStore(path: path, store: String(line.dropFirst("# Store: ".count)))
            }
        }
        if old != unit { try write() }
        let starting = [
            Self.systemctl("daemon-reload"), Self.systemctl("enable", Self.unitName),
            // A service that runs goes on as the new unit says.
            Self.systemctl(old == unit ? "start" : "restart", Self.unitName),
        ]
        guard isAnswered else { return .unanswered(commands: starting) }
        return try finish(starting, run)
    }

    /// Stops the service, and removes the unit.
    package func uninstall(
        run: ([String]) -> Bool? = Self.call
    ) throws(Fault) -> Outcome {
        guard let old = try read() else { return .notInstalled }
        guard let line = Self.storeLine(of: old) else { throw .foreignUnit(path: path) }
        guard line == storeLine else {
            throw .otherStore(path: path, store: String(line.dropFirst("# Store: ".count)))
        }
        // While the unit is there: systemd stops and disables by what is in it.
        let stopping = Self.systemctl("disable", "--now", Self.unitName)
        let wasStopped = run(stopping) ?? true
        if unlink(path) != 0, errno != ENOENT { throw .failedCall(path: path, errno: errno) }
        // The link by which it is started at login, if systemd did not take it away.
        let link = "\(folder)/default.target.wants/\(Self.unitName)"
        var status = stat()
        if lstat(link, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { unlink(link) }
        let reload = Self.systemctl("daemon-reload")
        if wasStopped { return try finish([reload], run) }
        return .unanswered(commands: [Self.systemctl("stop", Self.unitName), reload])
    }

    private func finish(
        _ commands: [[String]], _ run: ([String]) -> Bool?
    ) throws(Fault) -> Outcome {
        for (index, command) in commands.enumerated() where run(command) == false {
            return .unanswered(commands: Array(commands[index...]))
        }
        return .complete
    }

    private static func systemctl(_ words: String...) -> [String] {
        ["systemctl", "--user"] + words
    }

    /// Runs a program to its end.
    package static func call(_ command: [String]) -> Bool? {
        switch HelperProgram.run(command, secondsMax: callSecondsMax) {
        case .exited(0): true
        case .noProgram: nil
        case .exited, .ended: false
        }
    }

    // MARK: The file

    /// The unit that is there, if any; a link, a folder or a long file is none that this program wrote.
    private func read() throws(Fault) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .failedCall(path: path, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .foreignUnit(path: path) }
        do throws(PrivateFile.Problem) {
            return String(
                decoding: try PrivateFile.read(path, isSecret: false, isOwn: false), as: UTF8.self)
        } catch .failedCall(let errno) {
            throw .failedCall(path: path, errno: errno)
        } catch {
            throw .foreignUnit(path: path)
        }
    }

    private func write() throws(Fault) {
        var end = path.startIndex
        while let slash = path[path.index(after: end)...].firstIndex(of: "/") {
            end = slash
            let made = String(path[..<end])
            if mkdir(made, 0o700) != 0, errno != EEXIST {
                throw .failedCall(path: made, errno: errno)
            }
        }
        do throws(PrivateFile.Problem) {
            try PrivateFile.write(Array(unit.utf8), to: path, replaces: true, isDurable: true)
        } catch .failedCall(let errno) {
            throw .failedCall(path: path, errno: errno)
        } catch {
            throw .failedCall(path: path, errno: EEXIST)
        }
    }
}
