import Glibc

/// A folder for the stores of one run, removed at its end.
final class ScratchFolder {
    let path: String

    init(in parent: String) throws {
        var template = Array("\(parent)/tandem-bench-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw BenchError.failed("cannot make a folder in \(parent)") }
        path = made
    }

    deinit {
        var identifier = pid_t()
        let words = ["rm", "-rf", "--", path]
        var arguments = words.map { strdup($0) } + [nil]
        if posix_spawnp(&identifier, "rm", nil, nil, &arguments, environ) == 0 {
            waitpid(identifier, nil, 0)
        }
        for argument in arguments { free(argument) }
    }
}
