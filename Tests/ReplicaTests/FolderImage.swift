import Glibc

/// The contents of a store's files at one moment.
///
/// The shared memory beside the log is left out: it does not outlive the processes that use it.
struct FolderImage {
    /// How an image gets into a folder.
    enum Manner: CaseIterable {
        /// Over the old bytes, in the same files.
        case overwriting
        /// As new files with the old names.
        case replaced
    }

    private static let names = ["store.db", "store.db-wal", "identity", "lock"]
    private var files: [String: [UInt8]] = [:]

    /// Reads the files of a folder.
    init(of folder: String) {
        for name in Self.names { files[name] = Self.read(folder + "/" + name) }
    }

    /// Whether the identity file says that the store is open for writing.
    var saysOpen: Bool {
        String(decoding: files["identity"] ?? [], as: UTF8.self).contains("sealed no")
    }

    /// Puts the files into a folder whose store nobody has open.
    ///
    /// - Parameter keepsIdentityFile: whether the identity file and its lock file are left alone.
    func put(into folder: String, _ manner: Manner, keepsIdentityFile: Bool = false) {
        mkdir(folder, 0o700)
        unlink(folder + "/store.db-shm")
        for name in Self.names {
            if keepsIdentityFile, name == "identity" || name == "lock" { continue }
            let path = folder + "/" + name
            guard let bytes = files[name] else {
                unlink(path)
                continue
            }
            if manner == .replaced { unlink(path) }
            Self.write(bytes, to: path)
        }
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        let count = pread(descriptor, &bytes, size, 0)
        return count == size ? bytes : nil
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0, "cannot write \(path)")
        defer { close(descriptor) }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        precondition(count == bytes.count, "cannot write all of \(path)")
    }
}
