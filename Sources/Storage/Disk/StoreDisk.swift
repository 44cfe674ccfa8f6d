/// The file system of a store.
///
/// The machine's own disk is a `SystemDisk`; a made-up one can fail at any moment that one chooses.
package protocol StoreDisk: AnyObject {
    /// The name of SQLite's way to the files, its VFS; nil for the system's.
    var databaseSystem: String? { get }

    /// Whether the call that failed last did so for want of space.
    var isOutOfSpace: Bool { get }

    /// Whether there is a file or folder.
    func exists(_ path: String) -> Bool

    /// Makes a folder and those above it, readable by their owner alone.
    func makeFolder(_ path: String) throws(StoreFault)

    /// Makes an empty file for its owner alone (mode 600, whatever the umask), unless there is one; SQLite fills it,
    /// and gives the files beside it the same mode.
    func makePrivateFile(_ path: String) throws(StoreFault)

    /// Refuses files that another account may have put there, links among them; those that are not there are fine.
    func refuseUntrusted(_ paths: [String]) throws(StoreFault)

    /// The names of the files in a folder, in no order; none if it cannot be read.
    func fileNames(in folder: String) -> [String]

    /// How long a file is, in bytes; 0 if there is none.
    func byteCount(of path: String) -> Int

    /// The bytes of a small file; nil if it cannot be read.
    func read(_ path: String) -> [UInt8]?

    /// Puts a small file in place whole: a reader sees the old bytes or the new ones, also after a power
    /// cut, and the new ones once this has returned.
    func replace(_ path: String, with bytes: [UInt8]) throws(StoreFault)

    /// Puts a small file in place whole, but flushes nothing: after a power cut there are the old bytes, the new ones,
    /// or a part of the new ones.
    func replaceUnflushed(_ path: String, with bytes: [UInt8]) throws(StoreFault)

    /// Gives a file another name in the same folder, in one step; one that had it is gone.
    func move(_ path: String, to other: String) throws(StoreFault)

    /// Makes the names in a file's folder survive a power cut.
    func flushFolder(of path: String) throws(StoreFault)

    /// Takes a file away, if it is there.
    func remove(_ path: String)

    /// Which file it is, and when it was changed.
    func identify(_ path: String) throws(StoreFault) -> FileIdentity

    /// Opens the file that processes lock to tell each other that they have a store open; makes it if
    /// there is none.
    func openLockFile(_ path: String) throws(StoreFault) -> any LockFile

    /// Finds what keeps this process from writing the database at `path`: its folder, it, or a file beside it; nil if
    /// nothing does.
    func writeObstacle(ofDatabase path: String) -> StoreFault?

    /// The process that writes the database at `path`, in words.
    func holder(ofDatabase path: String) -> String

    /// The processes that hold the lock of the lock file at `path`, but for this one; none where no names are kept.
    func opener(ofLockFile path: String) -> [LockHolder]

    /// Lets other processes run for a while.
    func pause(microseconds: UInt32)
}

/// The open file beside a store on which processes tell each other that they have it open.
///
/// The lock belongs to the open file: each opening has its own, in one process as well.
package protocol LockFile: AnyObject {
    /// Takes the lock for itself alone, in place of a shared one; false if another opening holds it.
    func tryExclusiveLock() -> Bool

    /// Takes the lock together with others; false if another opening has it for itself alone.
    func trySharedLock() throws(StoreFault) -> Bool

    /// Makes an exclusive lock a shared one.
    func share()

    /// Gives the lock up.
    func unlock()

    /// Up to `count` bytes from `offset` on, as many as there are.
    func read(at offset: Int, count: Int) -> [UInt8]

    /// Writes with one call, so that nobody sees half of it.
    func write(_ bytes: [UInt8], at offset: Int) throws(StoreFault)

    /// Lets go of the file and the lock.
    func close()
}

extension StoreDisk {
    /// Flushes it nevertheless.
    package func replaceUnflushed(_ path: String, with bytes: [UInt8]) throws(StoreFault) {
        try replace(path, with: bytes)
    }

    /// Refuses nothing: a disk without accounts.
    package func refuseUntrusted(_ paths: [String]) throws(StoreFault) {}

    /// Finds nothing: a disk without permissions.
    package func writeObstacle(ofDatabase path: String) -> StoreFault? { nil }
}
