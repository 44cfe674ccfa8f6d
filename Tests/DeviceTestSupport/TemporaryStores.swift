import Core
import Devices
import Glibc
import Storage
import Transport

/// Real stores in a temporary folder that goes away with its owner.
package final class TemporaryStores: Sendable {
    /// The one collection.
    package static let todo = CollectionID.number(1)
    /// The schema with that collection.
    package static let schema = [
        CollectionSchema(
            todo, "todo", fields: [FieldSchema(2, "title", .text), FieldSchema(3, "notes", .text)])
    ]

    private let folder: String

    /// Makes the folder.
    package init() {
        var template = Array("/tmp/tandem-runtime-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/tmp" }
            return String(cString: made)
        }
    }

    deinit {
        for name in ["a", "b"] {
            for file in ["store.db", "store.db-wal", "store.db-shm", "identity", "lock"] {
                unlink("\(folder)/\(name)/\(file)")
            }
            rmdir("\(folder)/\(name)")
        }
        rmdir(folder)
    }

    /// Where a store is.
    package func path(_ name: String) -> String { folder + "/" + name }

    /// Makes a store of the one space of the tests.
    package func create(_ name: String) throws -> Store {
        try Store.create(
            folder: path(name), schema: Self.schema, space: SpaceID(value: 7), deviceName: name,
            environment: SystemEnvironment.environment())
    }

    /// Opens a store, as another process would.
    package func open(_ name: String, _ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.open(
            folder: path(name), schema: Self.schema, environment: SystemEnvironment.environment(),
            options: options)
    }

    /// Makes a to-do in a store.
    @discardableResult
    package static func add(_ title: String, to store: Store) throws -> RecordID {
        try store.write { edit in
            try edit.insert([Assignment(.number(2), .text(title))], into: todo)
        }
    }

    /// The titles in a store, sorted.
    package static func titles(_ store: Store) throws -> [String] {
        try store.fetch(FetchRequest(todo)).compactMap { stored in
            if case .text(let title)? = stored[2] { title } else { nil }
        }.sorted()
    }
}
