import Core
import Devices
import Glibc
import Storage
import ToDo
import Transport

/// A backup or a snapshot, opened to be looked at; the files themselves are not touched.
struct CopyReader {
    /// Where it is.
    let path: String
    /// It, as another store, in a folder for scratch.
    let store: Store
    private let scratch: String

    /// Opens what a user named: a folder, a file, `latest`, or the number of a snapshot.
    init(_ word: String, of place: Workplace) throws {
        try self.init(word, in: place.store.paths.folder, of: place.store.space)
    }

    /// The same for a store that need not be open, nor be there.
    ///
    /// - Parameter space: which space the copy has to be of; nil if that is not known.
    init(_ word: String, in folder: String, of space: SpaceID?) throws {
        path = try Self.path(word, in: folder)
        scratch = StoreScratch.path(in: folder)
        StoreScratch.remove(scratch)
        do {
            store = try Store.openCopy(
                of: path, in: scratch, schema: ToDoSchema.collections,
                environment: SystemWorld.environment())
        } catch {
            StoreScratch.remove(scratch)
            if case .noStore = error { throw Self.isNone(path) }
            throw error
        }
        guard space == nil || store.space == space else {
            close()
            throw CommandFailure(
                .refused,
                "\(path) belongs to another space (\(store.space)); to look into it: "
                    + "tandem --store FOLDER list, with a copy of it; to go on from it, let the copy "
                    + "take the place of this store (tandem help backup)")
        }
    }

    /// Looks for damage in it.
    func check() throws {
        let findings = try store.examine()
        if findings.isEmpty { return }
        throw CommandFailure(
            .badData, "\(path) is damaged: " + findings.map(\.description).joined(separator: "; "))
    }

    /// Lets go of it, and of the scratch.
    func close() {
        store.close()
        StoreScratch.remove(scratch)
    }

    private static func path(_ word: String, in folder: String) throws -> String {
        let paths = StorePaths(folder: folder)
        let snapshots = Store.snapshots(of: paths, on: SystemWorld.environment())
        if word == "latest" {
            guard let last = snapshots.last else {
                throw CommandFailure(.noInput, "there is no snapshot yet")
            }
            return paths.path(of: last)
        }
        guard word.allSatisfy(\.isNumber), let number = Int(word) else {
            try checkKind(of: word)
            return word
        }
        guard let found = snapshots.last(where: { $0.number == number }) else {
            throw CommandFailure(
                .noInput, "there is no snapshot \(number); see: tandem restore --list")
        }
        return paths.path(of: found)
    }

    /// Whether a path may be a copy at all: nothing else is opened, as a pipe would have one wait.
    private static func checkKind(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { throw isNone(path) }
            throw CommandFailure(
                .noInput,
                "there is no backup to be read in \(path): \(String(cString: strerror(errno)))")
        }
        var kind = status.st_mode & S_IFMT
        if kind == S_IFDIR {
            let database = StorePaths(folder: path).database
            guard stat(database, &status) == 0 else {
                throw CommandFailure(
                    .noInput, "there is no backup in \(path): a backup's folder has a file store.db"
                )
            }
            kind = status.st_mode & S_IFMT
        }
        if kind != S_IFREG {
            throw CommandFailure(
                .noInput, "\(path) is no file, so there is no backup or snapshot in it")
        }
    }

    private static func isNone(_ path: String) -> CommandFailure {
        CommandFailure(.noInput, "there is no backup in \(path)")
    }
}
