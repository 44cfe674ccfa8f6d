import Core

/// Taking back the making of a store.
extension Store {
    /// Takes a store away that this program has made and closed, unless anybody has used it since.
    ///
    /// - Parameters:
    ///   - replica: the id that it was closed with.
    ///   - counter: how many writes it had made by then.
    /// - Returns: false if it stays: a program has it open, or there is more in it.
    package static func unmake(
        folder: String, replica: ReplicaID, counter: UInt64, environment: StoreEnvironment
    ) throws(StoreFault) -> Bool {
        let disk = environment.disk
        let paths = StorePaths(folder: folder)
        // Until the files are gone nobody opens them in between.
        let isUnmade = try whileClosed(paths, on: disk) { () throws(StoreFault) in
            guard disk.exists(paths.database),
                try hasWritten(counter, replica, at: paths.database, on: disk)
            else { return false }
            paths.removeStore(on: disk)
            return true
        }
        return isUnmade ?? false
    }

    private static func hasWritten(
        _ counter: UInt64, _ replica: ReplicaID, at path: String, on disk: any StoreDisk
    ) throws(StoreFault) -> Bool {
        let file = try Connection(path: path, on: disk, creates: false, busyMilliseconds: 0)
        defer { file.close() }
        let row = try file.statement(
            "SELECT id, counter FROM replica WHERE number = (SELECT replica FROM state)")
        defer { row.reset() }
        guard try row.step() else { return false }
        return row.identifier(0) == replica.value && row.unsigned(1) == counter
    }
}
