import Core
import Storage

/// The files of a relay as they are at one moment, whether it runs or not.
package struct SQLiteRelayFolder {
    private let folder: String
    private let environment: StoreEnvironment

    /// The folder of a relay.
    package init(_ folder: String, environment: StoreEnvironment) {
        self.folder = folder
        self.environment = environment
    }

    /// The spaces that have a file, in order.
    package var spaces: [SpaceID] {
        SQLiteRelaySpace.spaces(in: folder, environment: environment)
    }

    /// Whether a relay has the folder now, so that the files may change.
    ///
    /// - Throws: a fault if the lock file cannot be opened.
    package func isServed() throws(StoreFault) -> Bool {
        let lock = try environment.disk.openLockFile(folder + "/relay.lock")
        defer { lock.close() }
        return !lock.tryExclusiveLock()
    }

    /// Reads the file of a space in one transaction: all that `body` reads is as of one moment.
    ///
    /// - Returns: nil if there is no such space, or its making was cut off.
    package func reading<T>(
        _ space: SpaceID, _ body: (SQLiteRelaySpace) throws(StoreFault) -> T
    ) throws(StoreFault) -> T? {
        guard
            let file = try SQLiteRelaySpace.open(space, in: folder, environment: environment)
        else { return nil }
        defer { file.close() }
        return try file.asOfNow(body)
    }
}
