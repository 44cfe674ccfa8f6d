import Glibc

/// A folder on the machine's disk that goes with this object.
final class RealFolder {
    /// The files could not be written.
    struct Failure: Error {}

    let path: String
    private var names: [String] = ["store.db-wal", "store.db-shm", "identity.new"]

    init() throws {
        var template = Array("/tmp/tandem-disk-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unlink(path + "/" + name) }
        rmdir(path)
    }

    /// Writes a file.
    func put(_ bytes: [UInt8], in name: String) throws {
        names.append(name)
        guard let file = fopen(path + "/" + name, "w") else { throw Failure() }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failure() }
    }
}
