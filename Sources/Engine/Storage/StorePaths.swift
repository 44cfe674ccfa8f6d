/// The files of a store, all in one folder.
package struct StorePaths: Hashable, Sendable {
    /// The folder.
    package let folder: String

    /// The files in `folder`.
    package init(folder: String) {
        self.folder = folder
    }

    /// The database.
    package var database: String { folder + "/store.db" }
    /// Who the store was when it was last opened or closed.
    package var stamp: String { folder + "/stamp" }
    /// The folder of snapshots.
    package var snapshots: String { folder + "/snapshots" }
    /// Says of the stamp when it was last put in place; held by every process that has the store open.
    package var witness: String { folder + "/witness" }

    /// The stamp, and then the files of the database: what is a store, and what goes where it goes.
    ///
    /// The stamp first: what is left without it, if a program ends on the way, is in doubt.
    var files: [String] { [stamp] + Self.files(ofDatabase: database) }

    /// A database and what SQLite keeps beside it.
    static func files(ofDatabase path: String) -> [String] {
        ["", "-wal", "-shm", "-journal"].map { path + $0 }
    }

    /// The file of a snapshot.
    package func path(of snapshot: Store.Snapshot) -> String { snapshots + "/" + snapshot.name }
}
