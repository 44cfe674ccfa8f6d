import Glibc

/// Paths of folders that are not there yet.
enum FolderPath {
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
