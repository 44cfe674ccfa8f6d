import Glibc
import Settings

/// The file of a person's settings on one machine.
package struct UserSettingsFile: Sendable {
    /// The longest file; bytes.
    package static let byteCountMax = 64 * 1024
    /// The variable of the environment that names the file.
    package static let variable = "TANDEM_CONFIG"

    /// Its path.
    package let path: String
    /// Whether the environment names the file itself, so that it has to be there.
    private let isNamed: Bool

    /// Finds the file: `TANDEM_CONFIG`, else `tandem/config` in the folder for settings of the XDG base directories.
    ///
    /// - Returns: nil if the environment names no folder.
    package init?(environment: (String) -> String?) {
        if let path = environment(Self.variable), !path.isEmpty {
            (self.path, isNamed) = (path, true)
        } else if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
            (path, isNamed) = (Self.path(in: folder), false)
        } else if let home = environment("HOME"), !home.isEmpty {
            (path, isNamed) = (Self.path(in: home + "/.config"), false)
        } else {
            return nil
        }
    }

    private static func path(in folder: String) -> String {
        let own = folder + "/tandem"
        return own + "/config"
    }

    /// Reads the text; nil if there is no file and needs to be none.
    package func text() throws(UserSettingsFault) -> String? {
        // A pipe without a writer must not hold up every command.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR {
                if isNamed { throw .missing(path: path) }
                return nil
            }
            throw .unreadable(path: path, errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        let isDevice = status.st_mode & S_IFMT == S_IFCHR
        guard isDevice || status.st_mode & S_IFMT == S_IFREG else { throw .notFile(path: path) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes[count...].withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if got < 0, errno == EINTR { continue }
            if got < 0 { throw .unreadable(path: path, errno: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.byteCountMax else { throw .tooLong(path: path) }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw .notText(path: path)
        }
        return text
    }

    /// Sets a setting, or removes it for nil; every other line stays as it was written.
    ///
    /// The file is replaced in one step, so a reader sees the old or the new one. If it is a link, the file that the
    /// link names is replaced.
    ///
    /// - Returns: whether the file was changed.
    package func set(
        _ name: String, to value: String?, split: (String) -> [String]?
    ) throws(UserSettingsFault) -> Bool {
        func refusal(_ cause: UserSettingProblem.Cause) -> UserSettingsFault {
            .problems([UserSettingProblem(.typed, name, cause)])
        }
        if let value {
            if let cause = UserSettings.check(name, value, split) { throw refusal(cause) }
            guard SettingText.canHold(value) else { throw refusal(.unwritable(value)) }
        }
        let target = Self.resolved(path)
        let folder = Self.folder(of: target)
        if value != nil { try Self.makeFolder(folder) }
        // Two commands that change the file at once do so one after the other.
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else {
            if value == nil, errno == ENOENT { return false }
            throw .unwritable(path: target, errno: errno)
        }
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            if errno != EINTR { throw .unwritable(path: target, errno: errno) }
        }
        let old = access(target, F_OK) == 0 ? try text() ?? "" : ""
        var lines = SettingText(old)
        if let value {
            lines.set(name, to: value)
        } else if !lines.remove(name) {
            return false
        }
        let new = lines.text
        if new == old { return false }
        guard new.utf8.count <= Self.byteCountMax else { throw .tooLong(path: path) }
        try Self.replace(target, with: Array(new.utf8))
        return true
    }

    /// The path behind links; a file that is not there yet keeps its path.
    private static func resolved(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func makeFolder(_ folder: String) throws(UserSettingsFault) {
        var made = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST {
                // A folder above that may not be written to may be there all the same.
                if access(made, F_OK) == 0 { continue }
                throw .unwritable(path: made, errno: errno)
            }
        }
    }

    /// Replaces a file in one step; its mode stays.
    private static func replace(_ path: String, with bytes: [UInt8]) throws(UserSettingsFault) {
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .unwritable(path: path, errno: errno) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        let isWritten = written == bytes.count && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten else {
            unlink(temporary)
            throw .unwritable(path: path, errno: code)
        }
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw .unwritable(path: path, errno: code)
        }
    }
}
