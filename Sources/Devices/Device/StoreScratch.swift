import Glibc
import Storage
import Transport

/// Folders for scratch inside of a store's folder: what is in them is for the store's owner alone, and of no
/// use to anybody once the program that made them has ended.
package enum StoreScratch {
    /// How their names begin; the number of the process follows.
    package static let prefix = "scratch-"

    /// The one of this process.
    package static func path(in folder: String) -> String { "\(folder)/\(prefix)\(getpid())" }

    /// Takes a folder away, with the files in it.
    package static func remove(_ folder: String) {
        if let stream = opendir(folder) {
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                unlink(folder + "/" + name)
            }
            closedir(stream)
        }
        rmdir(folder)
    }
}

extension SystemEnvironment {
    /// Makes the store's environment from this machine.
    package static func environment() -> StoreEnvironment {
        StoreEnvironment(
            wallMilliseconds: wallMilliseconds, drawBits: random, machine: machine, boot: boot)
    }
}
