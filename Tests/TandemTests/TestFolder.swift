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
    func store(_ name: String, _ schema: Schema) throws -> TandemStore {
        try TandemStore.open(at: "\(path)/\(name)", schema: schema, deviceName: name)
    }

    /// A program of this package, beside the one that runs the tests.
    static func program(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
        let folder = path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)]
        return String(decoding: folder, as: UTF8.self) + "/" + name
    }

    /// Whether there is nothing of that name.
    func lacks(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) != 0 }

    /// Runs a relay for as long as the body does, and gives its address; nil if it does not come up.
    func withRelay(_ body: (String?) throws -> Void) rethrows {
        let relay = startRelay()
        defer { endRelay() }
        try body(relay)
    }

    /// Starts a relay, and gives its address; nil if it does not come up.
    func startRelay() -> String? {
        let program = Self.program("tandem")
        run(
            "sh", "-c",
            "'\(program)' relay --json --listen 127.0.0.1:0 --folder '\(path)/spaces' "
                + "> '\(path)/told' & echo $! > '\(path)/process'")
        run(
            "sh", "-c",
            "for i in $(seq 300); do grep -q relay:// '\(path)/told' && exit; sleep 0.1; done")
        return text("told").split(separator: "\"").first { $0.hasPrefix("relay://") }.map {
            String($0)
        }
    }

    /// Ends that relay.
    func endRelay() { run("sh", "-c", "kill $(cat '\(path)/process')") }

    private func text(_ name: String) -> String {
        guard let file = fopen("\(path)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = fread(&buffer, 1, buffer.count, file)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Runs a program to its end; gives its exit code.
    @discardableResult
    func run(_ words: String...) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        for descriptor: Int32 in [1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        var status: Int32 = -1
        guard posix_spawnp(&pid, words[0], &actions, nil, &arguments, environ) == 0 else {
            return -1
        }
        waitpid(pid, &status, 0)
        return status >> 8 & 0xff
    }
}
