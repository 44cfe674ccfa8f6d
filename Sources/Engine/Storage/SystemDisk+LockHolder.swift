import Glibc

/// Which process holds a store's write lock.
extension SystemDisk {
    /// SQLite locks ranges of the shared-memory file beside the database; the kernel lists them with
    /// their process ids in /proc/locks (proc(5)).
    func holder(ofDatabase path: String) -> String {
        guard let locks = read("/proc/locks") else { return "another process" }
        var inodes: [String] = []
        for suffix in ["-shm", ""] {
            var status = stat()
            if stat(path + suffix, &status) == 0 { inodes.append(":\(status.st_ino)") }
        }
        let own = String(getpid())
        for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, words[3] == "WRITE", words[4] != own,
                inodes.contains(where: { words[5].hasSuffix($0) })
            else { continue }
            let name = read("/proc/\(words[4])/comm") ?? []
            let program = String(decoding: name, as: UTF8.self).filter { $0 != "\n" }
            return "process \(words[4]) (\(program.isEmpty ? "unknown" : program))"
        }
        return "another process"
    }
}
