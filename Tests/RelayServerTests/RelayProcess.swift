import DeviceTestSupport
import Glibc
import Transport

/// A relay that is a process of its own, so that it can be killed.
final class RelayProcess {
    /// The program, beside the tests' own.
    static var program: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
        let folder = path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)]
        return String(decoding: folder, as: UTF8.self) + "/tandem"
    }

    /// Where devices come to.
    let address: RelayAddress
    private let process: pid_t

    /// Starts it; returns once it listens.
    init(in folder: String, portFile: String, port: UInt16) throws {
        unlink(portFile)
        let words = [
            Self.program, "relay", "--listen", "127.0.0.1:\(port)", "--folder", folder,
            "--port-file", portFile, "--log-level", "error",
        ]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        let code = posix_spawn(&process, Self.program, &actions, nil, arguments, environ)
        guard code == 0 else { throw RuntimeTestError(what: "no relay: errno \(code)") }
        self.process = process
        var text = ""
        let hasBegun = waitUntil {
            guard let file = fopen(portFile, "r") else { return false }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = fread(&buffer, 1, buffer.count, file)
            text = String(decoding: buffer[..<count].prefix { $0 != 0x0a }, as: UTF8.self)
            return count > 0
        }
        guard hasBegun else {
            Glibc.kill(process, SIGKILL)
            throw RuntimeTestError(what: "the relay does not listen")
        }
        address = try RelayAddress(parsing: text)
    }

    /// Kills it, as a crash would, and waits until it is gone.
    func kill() {
        Glibc.kill(process, SIGKILL)
        var status: CInt = 0
        waitpid(process, &status, 0)
    }
}
