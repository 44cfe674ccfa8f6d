import Glibc

/// The folder of a store.
enum StoreFolder {
    /// Makes a folder and those above it, readable by their owner alone.
    static func make(_ folder: String) throws(StoreFault) {
        var path = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw FileBytes.fault("mkdir", path) }
        }
    }

    /// Whether there is a store in the folder.
    static func holdsStore(_ folder: String) -> Bool {
        access(StorePaths(folder: folder).database, F_OK) == 0
    }
}
