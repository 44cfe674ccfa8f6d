import Glibc

/// Why a folder cannot be kept in step; a code, from which whoever shows it makes words.
package enum ToDoFolderFault: Error, Hashable, Sendable {
    /// It cannot be opened or read.
    case unopenable(path: String, errno: CInt)
    /// Another process works on it.
    case inUse(path: String)
    /// A file in it cannot be written.
    case unwritable(path: String, errno: CInt)
    /// It cannot be made.
    case notMade(path: String, errno: CInt)
    /// It is gone, and so many to-dos had files in it.
    case gone(path: String, fileCount: Int)
    /// Another store keeps it, that of a device of this name.
    case ofOtherStore(path: String, device: String)
}

/// A folder with one file for each to-do, on the disk.
///
/// Files are written beside their place and renamed, so that nobody ever sees half of one; those that
/// are hidden or end otherwise than `.ics` are not looked at.
final class ToDoFolder {
    /// The folder, without links in its path.
    let path: String
    private let descriptor: CInt

    /// So long after a change a revision is not trusted yet, as another may follow within the clock's grain.
    private static let grainSeconds = 2
    private static let temporaryPrefix = ".tandem-"
    private static let temporarySuffix = ".tmp"

    /// Opens a folder, for this program alone.
    init(_ path: String) throws(ToDoFolderFault) {
        guard let real = realpath(path, nil) else {
            throw Self.failure(path, errno)
        }
        self.path = String(cString: real)
        free(real)
        descriptor = open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw ToDoFolderFault.inUse(path: path)
        }
        removeLeftovers()
    }

    deinit { close(descriptor) }

    private static func failure(_ path: String, _ code: CInt) -> ToDoFolderFault {
        .unopenable(path: path, errno: code)
    }

    private static func text(_ code: CInt) -> String { String(cString: strerror(code)) }

    // MARK: Reading

    private func names() throws(ToDoFolderFault) -> [String] {
        guard let stream = opendir(path) else { throw Self.failure(path, errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            // The entry may end with its name, before the end of the type.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
            let start = UnsafeRawPointer(entry) + offset
            let length = strlen(start.assumingMemoryBound(to: CChar.self))
            let bytes = UnsafeRawBufferPointer(start: start, count: length)
            // A name that is not UTF-8 cannot be stored, nor shown in a message.
            if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
        }
        // A folder that was read in part would look like one whose files are gone.
        if errno != 0 { throw Self.failure(path, errno) }
        return names
    }

    private static func isOurs(_ name: String) -> Bool {
        !name.hasPrefix(".") && name.hasSuffix(".ics")
    }

    private func status(_ name: String) -> stat? {
        var status = stat()
        return lstat(path + "/" + name, &status) == 0 ? status : nil
    }

    private static func revision(_ status: stat) -> String {
        "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) "
            + "\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
    }

    private static func lastingRevision(_ status: stat) -> String? {
        let age = time(nil) - max(status.st_ctim.tv_sec, status.st_mtim.tv_sec)
        return age > grainSeconds ? revision(status) : nil
    }

    /// Returns a fingerprint that changes with any file in the folder.
    func fingerprint() throws(ToDoFolderFault) -> Set<String> {
        var found: Set<String> = []
        for name in try names() where Self.isOurs(name) {
            if let status = status(name) { found.insert("\(name) \(Self.revision(status))") }
        }
        return found
    }

    /// The files.
    ///
    /// - Parameter known: the revisions of those that need not be read if they are as they were.
    func files(known: [String: String?]) throws(ToDoFolderFault) -> [FolderFile] {
        var files: [FolderFile] = []
        var readByteCount = 0
        for name in try names() where Self.isOurs(name) {
            guard let status = status(name) else { continue }
            let isFile = status.st_mode & S_IFMT == S_IFREG
            guard isFile else {
                // Links and the like are no files of ours, unless one was.
                if known.keys.contains(name) {
                    files.append(FolderFile(name: name, content: .unreadable("it is no file")))
                }
                continue
            }
            let revision = Self.lastingRevision(status)
            if let revision, known[name] == .some(revision) {
                files.append(FolderFile(name: name, content: .asBefore, revision: revision))
                continue
            }
            guard readByteCount <= ICalendarLimits.folderByteCountMax else {
                let limit = ICalendarLimits.folderByteCountMax
                let content = FolderFile.Content.unreadable(
                    "the files before it have more than \(limit) bytes, which is the most for one look"
                )
                files.append(FolderFile(name: name, content: content))
                continue
            }
            let content = content(name, status)
            if case .bytes(let bytes) = content { readByteCount += bytes.count }
            files.append(FolderFile(name: name, content: content, revision: revision))
        }
        return files
    }

    private func content(_ name: String, _ status: stat) -> FolderFile.Content {
        let limit = ICalendarLimits.folderFileByteCountMax
        guard status.st_size <= limit else {
            return .unreadable("it has more than \(limit) bytes")
        }
        do throws(ReadingFailure) {
            return .bytes(try read(name))
        } catch {
            return .unreadable("it cannot be read: \(Self.text(error.code))")
        }
    }

    private struct ReadingFailure: Error {
        var code: CInt
    }

    private func read(_ name: String) throws(ReadingFailure) -> [UInt8] {
        let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw ReadingFailure(code: errno) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        // One byte more than is allowed, so that it is noticed.
        while bytes.count <= ICalendarLimits.folderFileByteCountMax {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ReadingFailure(code: errno) }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// The content of a hidden file; nil if there is none, or none that can be read.
    func hidden(_ name: String, byteCountMax: Int) -> [UInt8]? {
        (try? read(name)).map { Array($0.prefix(byteCountMax)) }
    }

    // MARK: Writing

    /// Makes or replaces a hidden file.
    func writeHidden(_ name: String, _ bytes: [UInt8]) throws(ToDoFolderFault) {
        let temporary = temporaryName
        defer { unlinkat(descriptor, temporary, 0) }
        let code =
            write(bytes, to: temporary, mode: 0o600)
            ?? (renameat(descriptor, temporary, descriptor, name) == 0 ? nil : errno)
        if let code {
            throw ToDoFolderFault.unwritable(path: "\(path)/\(name)", errno: code)
        }
    }

    /// A name for a file that will get another one.
    private var temporaryName: String {
        "\(Self.temporaryPrefix)\(getpid())-\(UInt32.random(in: 0 ... .max))\(Self.temporarySuffix)"
    }

    /// Does steps, each if its file is still as it was read.
    func perform(_ steps: [FolderStep]) -> [(step: FolderStep, outcome: FolderStep.Outcome)] {
        if steps.isEmpty { return [] }
        let outcomes = steps.map { ($0, perform($0)) }
        // The names, too, have to be on the disk.
        fsync(descriptor)
        return outcomes
    }

    private func perform(_ step: FolderStep) -> FolderStep.Outcome {
        let before = status(step.name)
        if let old = step.old {
            guard before != nil, (try? read(step.name)) == old else { return .changedMeanwhile }
        } else if before != nil {
            return .changedMeanwhile
        }
        guard let new = step.new else {
            guard isAsBefore(step.name, before) else { return .changedMeanwhile }
            return unlinkat(descriptor, step.name, 0) == 0
                ? .done(revision: nil) : .failed("it cannot be removed: \(Self.text(errno))")
        }
        let temporary = temporaryName
        defer { unlinkat(descriptor, temporary, 0) }
        if let code = write(new, to: temporary, mode: before.map { $0.st_mode & 0o777 } ?? 0o600) {
            return .failed("it cannot be written: \(Self.text(code))")
        }
        guard isAsBefore(step.name, before) else { return .changedMeanwhile }
        // A link is never made over a file that came meanwhile; a rename would.
        let result =
            before == nil
            ? linkat(descriptor, temporary, descriptor, step.name, 0)
            : renameat(descriptor, temporary, descriptor, step.name)
        if result != 0 {
            return errno == EEXIST
                ? .changedMeanwhile : .failed("it cannot be written: \(Self.text(errno))")
        }
        return .done(revision: nil)
    }

    private func isAsBefore(_ name: String, _ before: stat?) -> Bool {
        status(name).map(Self.revision) == before.map(Self.revision)
    }

    /// - Returns: the error, if there was one.
    private func write(_ bytes: [UInt8], to name: String, mode: mode_t) -> CInt? {
        let file = openat(
            descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard file >= 0 else { return errno }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        fchmod(file, mode)
        return fsync(file) == 0 ? nil : errno
    }

    /// Removes what an interrupted write left behind; nobody else writes here now.
    private func removeLeftovers() {
        for name in (try? names()) ?? []
        where name.hasPrefix(Self.temporaryPrefix) && name.hasSuffix(Self.temporarySuffix) {
            unlinkat(descriptor, name, 0)
        }
    }

    // MARK: A folder that is not there yet

    /// Whether there is something at a path, or it cannot be told.
    static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// Makes a folder for its owner alone, and opens it.
    static func make(_ path: String) throws(ToDoFolderFault) -> ToDoFolder {
        guard mkdir(path, 0o700) == 0 else { throw .notMade(path: path, errno: errno) }
        return try ToDoFolder(path)
    }

    /// Returns the path that a folder will have, without links, once it is made.
    static func future(_ path: String) -> String {
        var parts = path.split(separator: "/").map { String($0) }
        let last = parts.popLast() ?? ""
        let parent = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
        guard let real = realpath(parent.isEmpty ? "." : parent, nil) else { return path }
        defer { free(real) }
        let folder = String(cString: real)
        return (folder == "/" ? "" : folder) + "/" + last
    }
}
