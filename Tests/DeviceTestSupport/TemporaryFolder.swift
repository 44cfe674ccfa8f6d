import Glibc

/// A folder that goes away with its owner, and all that is in it.
package final class TemporaryFolder: Sendable {
    /// Its path.
    package let path: String

    /// Makes the folder.
    package init() {
        var template = Array("/tmp/tandem-relay-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "" }
            return String(cString: made)
        }
        precondition(!path.isEmpty, "no temporary folder")
    }

    deinit {
        empty()
        rmdir(path)
    }

    /// The names of the files in it.
    package var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes its files.
    package func empty() {
        for name in names { unlink(path + "/" + name) }
    }

    /// All bytes of its files.
    package var contents: [UInt8] {
        var bytes: [UInt8] = []
        for name in names {
            guard let file = fopen(path + "/" + name, "r") else { continue }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = fread(&buffer, 1, buffer.count, file)
                if count == 0 { break }
                bytes += buffer[..<count]
            }
        }
        return bytes
    }
}
