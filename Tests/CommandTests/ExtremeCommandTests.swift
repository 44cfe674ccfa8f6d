import Core
import Glibc
import Storage
import Terminal
import Testing
import ToDo
import ToDoTestSupport
import tandem

/// The commands in this process, as the program runs them: a trap ends the tests.
@Suite("Every command on every extreme value", .serialized)
struct ExtremeCommandTests {
    /// A store with extreme records in a temporary folder, and what commands print thrown away.
    private final class Folder {
        let path: String
        let ids: [String]
        private let nothing: Int32

        init(every stride: Int) throws {
            var template = Array("/tmp/tandem-command-XXXXXX".utf8CString)
            path = try #require(
                template.withUnsafeMutableBufferPointer { buffer in
                    buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
                })
            let clock = Clock()
            let environment = StoreEnvironment(
                wallMilliseconds: { clock.now },
                drawBits: {
                    clock.bits = clock.bits &* 6_364_136_223_846_793_005 &+ 1
                    return clock.bits ^ clock.bits >> 29
                }, machine: "m", boot: "b")
            let store = try Store.create(
                folder: path + "/store", schema: ToDoSchema.collections,
                space: SpaceID(value: 7), deviceName: "laptop", environment: environment)
            let cases = try ExtremeRecords.write(to: store, every: stride) { clock.now = $0 }
            ids = cases.keys.sorted().map(\.hexadecimal)
            store.close()
            nothing = open("/dev/null", O_WRONLY)
            Screen.descriptors = (nothing, nothing)
        }

        deinit {
            Screen.flush()
            Screen.descriptors = (1, 2)
            close(nothing)
            var pid = pid_t()
            let command: [String] = ["rm", "-rf", path]
            var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
            words.append(nil)
            if posix_spawnp(&pid, "rm", nil, nil, &words, nil) == 0 { waitpid(pid, nil, 0) }
            for word in words { free(word) }
        }

        /// Runs a command.
        ///
        /// - Returns: its exit code.
        func run(_ line: [String]) -> ExitCode {
            runTandem(line + ["--store", path + "/store", "--yes", "--no-input"])
        }
    }

    private final class Clock {
        var now: Int64 = 0
        var bits: UInt64 = 1
    }

    /// Found something, or nothing.
    private static let isAnswered: Set<ExitCode> = [.ok, ExitCode(rawValue: 1)]

    @Test("commands that read answer for every record, for people and as JSON")
    func reading() throws {
        let folder = try Folder(every: ExtremeRecords.isWhole ? 3 : 39)
        var lines = ["urgency", "day", "project", "manual", "none"].map {
            ["list", "--by=\($0)", "--limit=0"]
        }
        lines += [["list", "+SUBTASK", "--limit=0"], ["list", "due.any:", "--all"]]
        lines += ToDoView.allCases.map { [$0.rawValue] }
        lines += [
            ["agenda"], ["calendar"], ["week"], ["times"], ["recent"], ["trash"], ["conflicts"],
            ["status"],
        ]
        lines += folder.ids.map { ["show", $0] }
        lines += folder.ids.prefix(50).flatMap { [["history", $0], ["why", $0]] }
        for line in lines {
            #expect(Self.isAnswered.contains(folder.run(line)), "\(line)")
            #expect(Self.isAnswered.contains(folder.run(line + ["--json"])), "\(line)")
        }
        for format in ToDoFormats.written {
            let line = ["export", "--format=\(format.profile.name)"]
            #expect(folder.run(line) == .ok, "\(line)")
            #expect(folder.run(line + ["--dry-run"]) == .ok, "\(line)")
        }
        #expect(folder.run(["export", "--all"]) == .ok)
    }

    @Test("commands that change take every record or refuse it")
    func changing() throws {
        let folder = try Folder(every: ExtremeRecords.isWhole ? 11 : 101)
        let files = ["vdir", folder.path + "/files"]
        #expect(folder.run(files) == .ok)
        for id in folder.ids {
            for line in [
                ["done", id], ["reopen", id], ["skip", id], ["reopen", id],
                ["edit", id, "due:+1w"],
                ["edit", id, "repeat:2w", "+tag"], ["edit", id, "parent:"], ["start", id], ["stop"],
                ["move", id, "--top"], ["cancel", id], ["delete", id], ["restore", id],
            ] {
                #expect(folder.run(line) != .software, "\(line)")
            }
        }
        for name in ["undo", "redo"] { #expect(folder.run([name]) != .software) }
        #expect(folder.run(files) == .ok)
    }
}
