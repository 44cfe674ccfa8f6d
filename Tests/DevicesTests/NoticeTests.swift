import DeviceTestSupport
import Devices
import Glibc
import Storage
import Testing
import Transport

@Suite("Notices through a program", .serialized)
struct NoticeTests {
    private let folder = TemporaryFolder()

    /// Notices at times of the clock, each of which is taken once.
    private final class Source: NoticeSource {
        var open: [(time: Int64, title: String)]
        private(set) var told: [String] = []
        private(set) var claimed: [String] = []
        /// Called after a notice was told.
        var noted: () -> Void = {}

        init(_ open: [(time: Int64, title: String)]) { self.open = open }

        func due() throws(StoreFault) -> (due: [String], next: Int64?) {
            let now = SystemEnvironment.wallMilliseconds()
            let rest = open.filter { !claimed.contains($0.title) }
            return (
                rest.filter { $0.time <= now }.map(\.title),
                rest.filter { $0.time > now }.map(\.time).min()
            )
        }

        func claim(_ item: String) throws(StoreFault) -> Bool {
            if claimed.contains(item) { return false }
            claimed.append(item)
            return true
        }

        func notice(_ item: String) -> Notice { Notice(title: item, text: "text of \(item)") }

        func noteTold(_ item: String) throws(StoreFault) {
            told.append(item)
            noted()
        }
    }

    /// A program that writes its words into a file, one in a line, and fails for the title `bad`.
    private func program(_ name: String = "tell") throws -> String {
        let path = "\(folder.path)/\(name)"
        let script = """
            #!/bin/sh
            for word in "$@"; do printf '%s\\n' "$word" >>'\(folder.path)/told'; done
            [ "$3" != bad ] && [ "$2" != bad ]
            """
        try PrivateFile.write(Array(script.utf8), to: path, replaces: true)
        chmod(path, 0o700)
        return path
    }

    private var lines: [String] {
        let bytes = (try? PrivateFile.read("\(folder.path)/told", isSecret: false)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    @Test("what is due is told with its text behind two hyphens, and never twice")
    func tellAll() throws {
        let source = Source([
            (0, "--help"), (0, "$(touch x) `x`; '\"\0"), (0, "bad"), (.max, "later"),
        ])
        let notifier = Notifier(command: [try program(), "-u"])
        #expect(notifier.isThere)
        let (told, failed) = try notifier.tellAll(of: source)
        #expect(told == ["--help", "$(touch x) `x`; '\"\0"] && failed == ["bad"])
        #expect(source.told == told)
        #expect(
            lines == [
                "-u", "--", "--help", "text of --help", "-u", "--", "$(touch x) `x`; '\"",
                "text of $(touch x) `x`; '\"", "-u", "--", "bad", "text of bad",
            ])
        #expect(try notifier.tellAll(of: source).told.isEmpty)
        #expect(!Notifier(command: ["\(folder.path)/none"]).isThere)
        #expect(!Notifier(command: ["no-such-program"]).isThere)
    }

    @Test("the text for notify-send has no marks that it or a desktop would read")
    func marks() throws {
        _ = try program("notify-send")
        let old = getenv("PATH").map { String(cString: $0) } ?? ""
        setenv("PATH", "\(folder.path):\(old)", 1)
        defer { setenv("PATH", old, 1) }
        let source = Source([(0, #"<b>\n & co"#)])
        #expect(try Notifier().tellAll(of: source).told.count == 1)
        #expect(
            lines == [
                "--app-name=Tandem", "--", #"<b>\n & co"#, #"text of &lt;b&gt;\\n &amp; co"#,
            ])
    }

    @Test(
        "a runner tells at the time, goes on behind a failure, and looks again when it is told to")
    func runner() throws {
        let loop = try EventLoop()
        let start = SystemEnvironment.wallMilliseconds()
        let source = Source([(0, "bad"), (start + 300, "in time")])
        var failed: [String] = []
        let runner = try NoticeRunner(
            source, notifier: Notifier(command: [try program()]), on: loop
        ) { failed.append($0) }
        source.noted = {
            if source.told.count == 2 { return loop.stop() }
            source.open.append((0, "new"))
            runner.look()
        }
        runner.look()
        loop.schedule(after: .seconds(20)) { loop.stop() }
        try loop.run()
        runner.end()
        #expect(source.told == ["in time", "new"] && failed == ["bad"])
        #expect(source.claimed == ["bad", "in time", "new"])
        #expect(SystemEnvironment.wallMilliseconds() >= start + 300)
    }

    @Test(
        "a timer of the wall clock fires at its time, at once for one that has passed, and not once it is taken back"
    )
    func timer() throws {
        let loop = try EventLoop()
        var times: [Int64] = []
        let start = SystemEnvironment.wallMilliseconds()
        let timer = try WallTimer(on: loop) { times.append(SystemEnvironment.wallMilliseconds()) }
        timer.set(start + 100)
        loop.schedule(after: .milliseconds(300)) { timer.set(start - 5000) }
        loop.schedule(after: .milliseconds(400)) { timer.set(start + 450) }
        loop.schedule(after: .milliseconds(410)) { timer.set(nil) }
        loop.schedule(after: .milliseconds(700)) { loop.stop() }
        try loop.run()
        timer.close()
        #expect(times.count == 2, "\(times.map { $0 - start })")
        #expect((times.first ?? 0) >= start + 100)
    }
}
