import Core
import Glibc
import Storage
import Terminal
import Testing
import ToDo
import tandem

/// All tests of commands in this process: the screen is one for all of them, so none runs beside another.
@Suite("Commands in this process", .serialized)
enum CommandTests {}

/// A folder for one store, and the commands that are run on it; it goes with this object.
final class CommandFolder {
    let path: String
    /// The first words of the lines that were run.
    private(set) var names: Set<String> = []
    private let results: Int32
    private let errors: Int32
    private let clock = Clock()

    private final class Clock {
        var now: Int64 = 0
        var bits: UInt64 = 1
    }

    /// Makes a store and closes it when it is filled.
    ///
    /// - Parameters:
    ///   - now: the wall clock of the store at first; milliseconds since 1970.
    ///   - fill: fills the store; the second argument sets its wall clock.
    init(now: Int64 = 0, _ fill: (Store, (Int64) -> Void) throws -> Void) throws {
        var template = Array("/tmp/tandem-command-XXXXXX".utf8CString)
        path = try #require(
            template.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
            })
        results = open(path + "/results", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        errors = open(path + "/errors", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        clock.now = now
        let store = try Store.create(
            folder: path + "/store", schema: ToDoSchema.collections, space: SpaceID(value: 7),
            deviceName: "laptop", environment: environment)
        defer { store.close() }
        try fill(store) { clock.now = $0 }
        Screen.descriptors = (results, errors)
    }

    deinit {
        Screen.flush()
        Screen.descriptors = (1, 2)
        close(results)
        close(errors)
        var pid = pid_t()
        let command: [String] = ["rm", "-rf", path]
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        words.append(nil)
        if posix_spawnp(&pid, "rm", nil, nil, &words, nil) == 0 { waitpid(pid, nil, 0) }
        for word in words { free(word) }
    }

    private var environment: StoreEnvironment {
        let clock = clock
        return StoreEnvironment(
            wallMilliseconds: { clock.now },
            drawBits: {
                clock.bits = clock.bits &* 6_364_136_223_846_793_005 &+ 1
                return clock.bits ^ clock.bits >> 29
            }, machine: "m", boot: "b")
    }

    /// Runs a command.
    ///
    /// - Returns: its exit code.
    func run(_ line: [String]) -> ExitCode {
        if let name = line.first { names.insert(name) }
        return runTandem(line + ["--store", path + "/store", "--yes", "--no-input"])
    }

    /// Runs a command.
    ///
    /// - Returns: its exit code, its results, and what it said beside them.
    func told(_ line: [String]) throws -> (code: ExitCode, results: String, errors: String) {
        Screen.flush()
        for file in [results, errors] {
            try #require(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0)
        }
        let code = run(line)
        Screen.flush()
        return (code, try Self.text(of: results), try Self.text(of: errors))
    }

    private static func text(of file: Int32) throws -> String {
        var bytes = [UInt8](repeating: 0, count: max(0, lseek(file, 0, SEEK_END)))
        let count = pread(file, &bytes, bytes.count, 0)
        try #require(count == bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a file beside the store.
    ///
    /// - Returns: its path.
    func write(_ text: String, to name: String) throws -> String {
        let file = try #require(fopen(path + "/" + name, "w"))
        defer { fclose(file) }
        let bytes = Array(text.utf8)
        try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        return path + "/" + name
    }
}
