import Glibc

/// A temporary folder that goes away with its owner.
///
/// It is in memory where the system has such a place, as
/// flushing costs nothing there.
final class ScratchFolder {
    /// Its path.
    let path: String

    init() {
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/tandem-replication-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return parent }
            return String(cString: made)
        }
    }

    deinit {
        for folder in Self.names(in: path) {
            for file in Self.names(in: path + "/" + folder) { unlink("\(path)/\(folder)/\(file)") }
            rmdir(path + "/" + folder)
        }
        rmdir(path)
    }

    private static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
