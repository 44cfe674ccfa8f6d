import CLinux
import Glibc
import Storage

/// A copy of a store that cannot be written, made in a folder for scratch, so that its to-dos can be shown.
package struct ReadableCopy {
    /// The device, with the copy for its store; whatever changes in it is lost.
    package let device: Device
    /// The folder of the copy; whoever opened it takes it away.
    package let folder: String

    /// Copies the store in a folder and opens the copy under the same replica id.
    ///
    /// Keys, snapshots and the daemon's socket stay where they are.
    /// - Parameter parent: where the folder of the copy is made, for its owner alone.
    package init(of folder: String, in parent: String, schema: [CollectionSchema]) throws {
        let database = StorePaths(folder: folder).database
        self.folder = try Self.makeFolder(in: parent)
        do {
            try Self.copyDatabase(database, to: StorePaths(folder: self.folder).database)
            var options = StoreOptions()
            options.keepsReplica = true
            device = Device(
                copy: try Store.open(
                    folder: self.folder, schema: schema,
                    environment: SystemEnvironment.environment(), options: options), of: folder)
        } catch StoreFault.corrupt(_, let detail) {
            StoreScratch.remove(self.folder)
            throw StoreFault.corrupt(path: database, detail: detail)
        } catch {
            StoreScratch.remove(self.folder)
            throw error
        }
    }

    private static func makeFolder(in parent: String) throws(StoreFault) -> String {
        var template = Array("\(parent)/tandem-read-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .readOnly(path: parent, .folderPermissions) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// How often a copy is begun anew that another process wrote into meanwhile.
    private static let tryCountMax = 5

    /// Copies a database and its log as they are at one moment.
    private static func copyDatabase(_ path: String, to target: String) throws(StoreFault) {
        for _ in 0..<tryCountMax {
            let before = marks(of: path)
            try copy(path, to: target)
            if access(path + "-wal", F_OK) == 0 { try copy(path + "-wal", to: target + "-wal") }
            if marks(of: path) == before { return }
            unlink(target + "-wal")
        }
        throw .busy(holder: "another process", waitedMilliseconds: 0)
    }

    /// The lengths of the files, and when they were changed.
    private static func marks(of path: String) -> [Int] {
        [path, path + "-wal"].flatMap { file in
            var status = stat()
            guard stat(file, &status) == 0 else { return [-1] }
            return [
                Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec),
            ]
        }
    }

    private static func copy(_ path: String, to target: String) throws(StoreFault) {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw failure("open", path) }
        defer { close(source) }
        let copy = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure("open", target) }
        defer { close(copy) }
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return }
            try write(piece[..<count], to: copy, target)
        }
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>, to descriptor: Int32, _ path: String
    ) throws(StoreFault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(_ call: String, _ path: String) -> StoreFault {
        errno == ENOSPC
            ? .diskFull(path: path)
            : .inputOutput(call: call, path: path, detail: String(cString: strerror(errno)))
    }
}
