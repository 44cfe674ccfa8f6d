import Glibc

/// Which processes hold a store: the kernel lists locks with their process ids in /proc/locks (proc(5)).
extension SystemDisk {
    /// The most processes that are named.
    private static let namedCountMax = 3

    /// SQLite locks ranges of the shared-memory file beside the database for whoever writes.
    func holder(ofDatabase path: String) -> String {
        Self.words(processes(locking: [path + "-shm", path]) { $0 == "WRITE" }.prefix(1))
    }

    /// Whoever has a store open shares the lock of its witness file.
    func opener(ofWitness path: String) -> String {
        Self.words(processes(locking: [path]) { _ in true }.prefix(Self.namedCountMax))
    }

    private static func words(_ processes: ArraySlice<String>) -> String {
        processes.isEmpty ? "another process" : processes.joined(separator: " and ")
    }

    /// The processes that hold a lock of the wanted kind on one of the files, but for this one, in words.
    private func processes(locking paths: [String], _ isWanted: (Substring) -> Bool) -> [String] {
        guard let locks = read("/proc/locks") else { return [] }
        var names: Set<String> = []
        for path in paths {
            var status = stat()
            if stat(path, &status) == 0 { names.insert(Self.name(of: status)) }
        }
        let own = String(getpid())
        var found: [String] = []
        for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, isWanted(words[3]), words[4] != own,
                names.contains(String(words[5]))
            else { continue }
            let name = read("/proc/\(words[4])/comm") ?? []
            let program = String(decoding: name, as: UTF8.self).filter { $0 != "\n" }
            let process = "process \(words[4]) (\(program.isEmpty ? "unknown" : program))"
            if !found.contains(process) { found.append(process) }
        }
        return found
    }

    /// A file as the kernel lists it, `fe:00:123`: the device's numbers in hexadecimal digits and the inode, which
    /// alone is that of other files on other disks, too.
    private static func name(of status: stat) -> String {
        let device = UInt64(status.st_dev)
        let numbers = [
            device >> 8 & 0xfff | device >> 32 & ~0xfff, device & 0xff | device >> 12 & ~0xff,
        ]
        return numbers.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
            + ":\(status.st_ino)"
    }
}
