import CLinux
import Glibc
import Storage

/// A copy of a store that cannot be written, made in a folder for scratch, so that its to-dos can be shown.
package struct ReadableCopy {
    /// The device, with the copy for its store; whatever changes in it is lost.
    package let device: Device
    /// The folder of the copy; whoever opened it takes it away.
    package let folder: String
    /// The files of the store as they were when they were copied.
    package let marks: Marks

    /// The lengths of a store's files and when they were changed: others, once a program has written there.
    package struct Marks: Equatable, Sendable {
        private let values: [Int]

        /// Reads the marks of the store in a folder, as they are now.
        package init(of folder: String) {
            let database = StorePaths(folder: folder).database
            values = [database, database + "-wal"].flatMap { file in
                var status = stat()
                guard stat(file, &status) == 0 else { return [-1] }
                return [
                    Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec),
                ]
            }
        }
    }

    /// Copies the store in a folder and opens the copy under the same replica id.
    ///
    /// Keys, snapshots and the daemon's socket stay where they are.
    /// - Parameter parent: where the folder of the copy is made, for its owner alone.
    package init(of folder: String, in parent: String, schema: [CollectionSchema]) throws {
        let database = StorePaths(folder: folder).database
        self.folder = try Self.makeFolder(in: parent)
        do {
            marks = try Self.copyDatabase(
                of: folder, to: StorePaths(folder: self.folder).database)
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

    /// Closes the copy, and takes it away.
    package func close() {
        device.close()
        StoreScratch.remove(folder)
    }

    private static func makeFolder(in parent: String) throws(StoreFault) -> String {
        var template = Array("\(parent)/tandem-read-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .readOnly(path: parent, .folderPermissions) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// How often a copy is begun anew that another process wrote into meanwhile.
    private static let tryCountMax = 5

    /// Copies a database and its log as they are at one moment.
    ///
    /// - Returns: the marks of that moment.
    private static func copyDatabase(
        of folder: String, to target: String
    ) throws(StoreFault) -> Marks {
        let path = StorePaths(folder: folder).database
        for _ in 0..<tryCountMax {
            let before = Marks(of: folder)
            try copy(path, to: target)
            if access(path + "-wal", F_OK) == 0 { try copy(path + "-wal", to: target + "-wal") }
            if Marks(of: folder) == before { return before }
            unlink(target + "-wal")
        }
        throw .busy(holder: "another process", waitedMilliseconds: 0)
    }

    private static func copy(_ path: String, to target: String) throws(StoreFault) {
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { throw failure("open", path) }
        defer { Glibc.close(source) }
        let copy = FileTrust.make(target)
        guard copy >= 0 else { throw failure("open", target) }
        defer { Glibc.close(copy) }
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
        switch errno {
        case ENOSPC: .diskFull(path: path)
        case EACCES:
            .inputOutput(
                call: call, path: path,
                detail: "permission denied: only the account that owns the store may read it; "
                    + "run this as that account")
        case let code:
            .inputOutput(call: call, path: path, detail: String(cString: strerror(code)))
        }
    }
}
