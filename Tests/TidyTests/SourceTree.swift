import FoundationEssentials
import Synchronization

/// The package as it lies on disk.
///
/// A file is read and split once, however many rules look at it: splitting the tree takes longer than all rules
/// together, and tests with a time limit wait behind it.
final class SourceTree: Sendable {
    /// The tree that all rules share.
    static let shared = SourceTree()

    /// The package root.
    let root: URL
    /// Every file below the root from the root, sorted, without build products and version control.
    let paths: [String]
    /// The files read so far, by their paths.
    private let files = Mutex<[String: SourceFile]>([:])

    private init() {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        self.root = root
        paths = Self.files(in: root, under: "").sorted()
    }

    /// Every Swift file below one of the folders.
    func swiftFiles(under folders: String...) -> [SourceFile] {
        paths.filter { path in
            path.hasSuffix(".swift") && folders.contains { path.hasPrefix($0 + "/") }
        }.compactMap { file($0) }
    }

    /// The file at a path from the root, or nil if it is missing or no text.
    func file(_ path: String) -> SourceFile? {
        files.withLock { files in
            if files[path] == nil { files[path] = read(path) }
            return files[path]
        }
    }

    private func read(_ path: String) -> SourceFile? {
        guard let data = try? Data(contentsOf: root.appending(path: path)),
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        return SourceFile(path: path, text: text)
    }

    /// Whether a file or folder stands at the path from the root.
    func exists(_ path: String) -> Bool {
        let folder = path.hasSuffix("/") ? path : path + "/"
        return paths.contains { $0 == path || $0.hasPrefix(folder) }
    }

    /// Whether the file at the path from the root may be run.
    func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: root.appending(path: path).path)
    }

    private static func files(in root: URL, under folder: String) -> [String] {
        let names =
            (try? FileManager.default.contentsOfDirectory(
                atPath: root.appending(path: folder).path)) ?? []
        var found: [String] = []
        for name in names where !isLeftOut(name) {
            let path = folder.isEmpty ? name : folder + "/" + name
            var isFolder = false
            let absolute = root.appending(path: path).path
            guard FileManager.default.fileExists(atPath: absolute, isDirectory: &isFolder) else {
                continue
            }
            found += isFolder ? files(in: root, under: path) : [path]
        }
        return found
    }

    private static func isLeftOut(_ name: String) -> Bool {
        name == ".git" || name.hasPrefix(".build") || name == "__pycache__"
            || name.hasSuffix(".profraw")
    }
}
