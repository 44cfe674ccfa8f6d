import Causality
import Runtime
import Storage
import ToDo

/// A backup or a snapshot, opened to be looked at; the files themselves are not touched.
struct CopyReader {
    /// Where it is.
    let path: String
    /// It, as another store, in a folder for scratch.
    let store: Store
    private let scratch: String

    /// Opens what a user named: a folder, a file, `latest`, or the number of a snapshot.
    init(_ word: String, of place: Workplace) throws {
        path = try Self.path(word, of: place.store)
        scratch = StoreScratch.path(in: place.store.paths.folder)
        StoreScratch.remove(scratch)
        do {
            store = try Store.openCopy(
                of: path, in: scratch, schema: ToDoSchema.collections,
                environment: SystemWorld.environment())
        } catch {
            StoreScratch.remove(scratch)
            if case .noStore = error {
                throw CommandFailure(.noInput, "there is no backup in \(path)")
            }
            throw error
        }
        guard store.space == place.store.space else {
            close()
            throw CommandFailure(
                .refused,
                "\(path) belongs to another space (\(store.space)); to look into it: "
                    + "tandem --store FOLDER list, with a copy of it")
        }
    }

    /// Lets go of it, and of the scratch.
    func close() {
        store.close()
        StoreScratch.remove(scratch)
    }

    private static func path(_ word: String, of store: Store) throws -> String {
        let snapshots = store.snapshots()
        if word == "latest" {
            guard let last = snapshots.last else {
                throw CommandFailure(.noInput, "there is no snapshot yet")
            }
            return store.path(of: last)
        }
        guard word.allSatisfy(\.isNumber), let number = Int(word) else { return word }
        guard let found = snapshots.first(where: { $0.number == number }) else {
            throw CommandFailure(
                .noInput, "there is no snapshot \(number); see: tandem restore --list")
        }
        return store.path(of: found)
    }
}
