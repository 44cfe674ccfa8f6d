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
    /// The identity file: who the store was when it was last opened or closed.
    package var identityFile: String { folder + "/identity" }
    /// The folder of snapshots.
    package var snapshots: String { folder + "/snapshots" }
    /// Says of the identity file when it was last put in place; held by every process that has the store open.
    package var lockFile: String { folder + "/lock" }

    /// A whole database that is to take the place of the store's.
    package var replacement: String { database + Self.unfinishedSuffix }
    /// The end of the name of a file that is not whole yet.
    static let unfinishedSuffix = ".new"

    /// How the name of a folder begins in which a damaged store was put aside.
    package static let asidePrefix = "damaged-"

    /// Where the files go of a store that is put aside as damaged; milliseconds since 1970-01-01 UTC.
    func aside(at time: Int64) -> StorePaths {
        StorePaths(folder: "\(folder)/\(Self.asidePrefix)\(time)")
    }

    /// The identity file, and then the files of the database: what is a store, and what goes where it goes.
    ///
    /// The identity file first: a database that is left without it, if a program ends on the way, raises a suspicion.
    var files: [String] { [identityFile] + Self.files(ofDatabase: database) }

    /// A database and what SQLite keeps beside it.
    package static func files(ofDatabase path: String) -> [String] {
        ["", "-wal", "-shm", "-journal"].map { path + $0 }
    }

    /// Takes a database away that nobody has open, and the files that SQLite keeps beside it.
    static func removeDatabase(at path: String, on disk: any StoreDisk) {
        for file in files(ofDatabase: path) { disk.remove(file) }
    }

    /// Takes a store away that nobody has open.
    func removeStore(on disk: any StoreDisk) {
        for file in files + [lockFile] { disk.remove(file) }
    }

    /// The file of a snapshot.
    package func path(of snapshot: Store.Snapshot) -> String { snapshots + "/" + snapshot.name }
}
