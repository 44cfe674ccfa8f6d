import Core

/// A store that no program has open: replaced by a copy where it cannot be used any more, or taken away.
extension Store {
    /// Puts a copy in the place of a store that is damaged, or gone; whoever opens it next takes a new replica id.
    ///
    /// The damaged files are moved to a folder beside them, with the identity file that speaks for them: nothing that
    /// was written under the old id is known to the copy, so that it must not go on under it. If the program
    /// ends on the way, it can be done once more.
    /// - Parameter path: a snapshot's file, or a store's folder; it has been looked through, see `openCopy`.
    /// - Returns: the folder with what was moved.
    /// - Throws: `inUse` if any program has the store open; `noStore`, `notAStore`, `corrupt` if the copy is no
    ///   whole one. Nothing was moved then.
    package static func startOver(
        folder: String, from path: String, environment: StoreEnvironment
    ) throws(StoreFault) -> String {
        let disk = environment.disk
        let paths = StorePaths(folder: folder)
        let aside = try whileClosed(paths, on: disk) { () throws(StoreFault) in
            try replace(paths, by: path, environment)
        }
        guard let aside else {
            throw .inUse(by: .processes(disk.opener(ofLockFile: paths.lockFile)))
        }
        return aside
    }

    /// Runs `body` while no program has a store open, and none can open it; nil if one has.
    static func whileClosed<Result>(
        _ paths: StorePaths, on disk: any StoreDisk, _ body: () throws(StoreFault) -> Result
    ) throws(StoreFault) -> Result? {
        let lock = try disk.openLockFile(paths.lockFile)
        defer {
            lock.unlock()
            lock.close()
        }
        return lock.tryExclusiveLock() ? try body() : nil
    }

    /// Puts a copy in the place of a store that no program has open.
    ///
    /// - Returns: the folder with what was moved.
    static func replace(
        _ paths: StorePaths, by path: String, _ environment: StoreEnvironment
    ) throws(StoreFault) -> String {
        let disk = environment.disk
        let fresh = paths.replacement
        StorePaths.removeDatabase(at: fresh, on: disk)
        do throws(StoreFault) {
            try copyWhole(path, to: fresh, on: disk)
        } catch {
            StorePaths.removeDatabase(at: fresh, on: disk)
            throw error
        }
        try disk.flushFolder(of: fresh)
        let aside = paths.aside(at: environment.wallMilliseconds())
        try disk.makeFolder(aside.folder)
        try disk.flushFolder(of: aside.folder)
        for (file, target) in zip(paths.files, aside.files) where disk.exists(file) {
            try disk.move(file, to: target)
            // A log must never lie beside another database.
            try disk.flushFolder(of: paths.database)
        }
        try disk.flushFolder(of: aside.identityFile)
        try disk.move(fresh, to: paths.database)
        try disk.flushFolder(of: paths.database)
        return aside.folder
    }

    /// Does what is left where a program ended while it put a whole store in the place of a damaged one: that was
    /// moved aside, and the whole one is not in place yet.
    ///
    /// - Returns: false if nothing was left to do.
    /// - Throws: `inUse` if any program has the store open; `corrupt` if what was left is not whole.
    package static func finishReplacing(
        folder: String, environment: StoreEnvironment
    ) throws(StoreFault) -> Bool {
        let disk = environment.disk
        let paths = StorePaths(folder: folder)
        let fresh = paths.replacement
        guard !disk.exists(paths.database), disk.exists(fresh) else { return false }
        let isDone = try whileClosed(paths, on: disk) { () throws(StoreFault) in
            try checkWhole(fresh, on: disk)
            let aside = paths.aside(at: environment.wallMilliseconds())
            for (file, target) in zip(paths.files, aside.files) where disk.exists(file) {
                try disk.makeFolder(aside.folder)
                try disk.move(file, to: target)
            }
            try disk.flushFolder(of: paths.database)
            try disk.move(fresh, to: paths.database)
            try disk.flushFolder(of: paths.database)
            return true
        }
        if let isDone { return isDone }
        throw .inUse(by: .processes(disk.opener(ofLockFile: paths.lockFile)))
    }

    /// Copies a copy, all or nothing; on the disk when done.
    private static func copyWhole(
        _ path: String, to fresh: String, on disk: any StoreDisk
    ) throws(StoreFault) {
        let file = try openFile(of: path, on: disk)
        defer { file.connection.close() }
        try file.connection.backup(toFile: fresh, on: disk)
        do throws(StoreFault) {
            try checkWhole(fresh, on: disk)
        } catch .corrupt(_, let detail) {
            throw .corrupt(path: file.path, detail: detail)
        }
    }

    /// Checks a database that nobody else has open, and folds its log into it.
    private static func checkWhole(
        _ path: String, on disk: any StoreDisk
    ) throws(StoreFault) {
        let copy = try Connection(path: path, on: disk, creates: false, busyMilliseconds: 0)
        defer { copy.close() }
        try Migrations.check(copy, path: path)
        let finding = try copy.text("PRAGMA quick_check(1)")
        if finding != "ok" { throw .corrupt(path: path, detail: finding) }
        if try copy.number("SELECT count(*) FROM state") != 1 {
            throw .corrupt(path: path, detail: "it has lost what it says of itself")
        }
        try copy.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
