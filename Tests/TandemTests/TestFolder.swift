import Glibc
import Tandem

/// A folder that goes away with its owner, and stores in it.
final class TestFolder {
    let path: String

    init() {
        var template = Array("/tmp/tandem-embed-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/tmp" }
            return String(cString: made)
        }
    }

    deinit {
        run("rm", "-rf", path)
    }

    /// Opens a store in a folder of that name, or makes it.
    func store(_ name: String, _ schema: Schema) throws -> Store {
        try Store.open(at: "\(path)/\(name)", schema: schema, deviceName: name)
    }

    /// Runs a program to its end; gives its exit code.
    @discardableResult
    func run(_ words: String...) -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        var status: Int32 = -1
        guard posix_spawnp(&pid, words[0], nil, nil, &arguments, environ) == 0 else { return -1 }
        waitpid(pid, &status, 0)
        return status >> 8 & 0xff
    }
}
