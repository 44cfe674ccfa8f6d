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
        /// The items that were given back, and are due again a little later; once each.
        private(set) var retried: Set<String> = []
        /// How many claims fail first.
        var claimFailureCount = 0
        /// How many times what failed cannot be given back first.
        var releaseFailureCount = 0
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

        func claim(_ items: [String]) throws(StoreFault) -> [String] {
            if claimFailureCount > 0 {
                claimFailureCount -= 1
                throw .readOnly(path: "")
            }
            let new = items.filter { !claimed.contains($0) }
            claimed += new
            return new
        }

        func release(_ items: [String]) throws(StoreFault) {
            if releaseFailureCount > 0 {
                releaseFailureCount -= 1
                throw .readOnly(path: "")
            }
            for item in items where retried.insert(item).inserted {
                claimed.removeAll { $0 == item }
                open.removeAll { $0.title == item }
                open.append((SystemEnvironment.wallMilliseconds() + 200, item))
            }
        }

        func notice(_ items: [String]) -> Notice {
            items.count == 1
                ? Notice(title: items[0], text: "text of \(items[0])")
                : Notice(title: "\(items.count)", text: items.joined(separator: ","))
        }

        func noteTold(_ items: [String]) throws(StoreFault) {
            told += items
            noted()
        }
    }

    /// A program that writes its words into a file, one in a line, and fails for the title `bad`.
    private func program(_ name: String = "tell") throws -> String {
        let path = "\(folder.path)/\(name)"
        let script = """
            #!/bin/sh
            for word in "$@"; do printf '%s\\n' "$word" >>'\(folder.path)/told'; done
            [ "$3" != bad ] && [ "$2" != bad ] || exit 1
            [ "$3" != killed ] && [ "$2" != killed ] || kill -9 $$
            # A notice that fails the first time alone.
            case "$2$3" in
            *once*) [ -e '\(folder.path)/again' ] || { touch '\(folder.path)/again'; exit 1; } ;;
            esac
            """
        try PrivateFile.write(Array(script.utf8), to: path, replaces: true)
        chmod(path, 0o700)
        return path
    }

    private var lines: [String] {
        let bytes = (try? PrivateFile.read("\(folder.path)/told", isSecret: false)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    @Test("what is due is told with its text behind two hyphens; what is told is not told twice")
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
        #expect(source.retried == ["bad"])
        #expect(try notifier.tellAll(of: source).told.isEmpty)
        #expect(!Notifier(command: ["\(folder.path)/none"]).isThere)
        #expect(!Notifier(command: ["no-such-program"]).isThere)
    }

    @Test(
        "the text for notify-send has no marks that it or a desktop would read, also where it is named by its path"
    )
    func marks() throws {
        let path = try program("notify-send")
        let old = getenv("PATH").map { String(cString: $0) } ?? ""
        setenv("PATH", "\(folder.path):\(old)", 1)
        defer { setenv("PATH", old, 1) }
        let source = Source([(0, #"<b>\n & co"#)])
        #expect(try Notifier().tellAll(of: source).told.count == 1)
        #expect(
            lines == [
                "--app-name=Tandem", "--", #"<b>\n & co"#, #"text of &lt;b&gt;\\n &amp; co"#,
            ])
        let named = Notifier(command: [path])
        #expect(try named.tellAll(of: Source([(0, "<i>")])).told.count == 1)
        #expect(lines.suffix(3) == ["--", "<i>", "text of &lt;i&gt;"])
        let other = Notifier(command: [try program("notify-sender")])
        #expect(try other.tellAll(of: Source([(0, "<i>")])).told.count == 1)
        #expect(lines.suffix(3) == ["--", "<i>", "text of <i>"])
    }

    @Test("up to a limit notices are told one by one, above it as one, and a long one is cut")
    func together() throws {
        let notifier = Notifier(command: [try program()])
        let few = (1...Notifier.singleCountMax).map { (time: Int64(0), title: "\($0)") }
        #expect(try notifier.tellAll(of: Source(few)).told.count == few.count)
        #expect(lines.count == 3 * few.count)
        let source = Source(few + [(0, "one more")])
        #expect(try notifier.tellAll(of: source).told.count == few.count + 1)
        #expect(lines.suffix(3) == ["--", "6", "1,2,3,4,5,one more"])
        // The kernel takes no word of so many bytes.
        let long = String(repeating: "x", count: 200_000)
        #expect(try notifier.tellAll(of: Source([(0, long)])).told == [long])
        #expect(lines.suffix(2).first?.count == Notifier.characterCountMax + 1)
    }

    @Test("what may have been shown is not given back, what was not is")
    func unseen() throws {
        let source = Source([(0, "killed"), (0, "bad")])
        let failed = try Notifier(command: [try program()]).tellAll(of: source).failed
        #expect(failed == ["killed", "bad"] && source.retried == ["bad"])
        let missing = Source([(0, "a")])
        let none = Notifier(command: ["\(folder.path)/none"])
        #expect(try none.tellAll(of: missing).failed == ["a"] && missing.retried == ["a"])
    }

    /// Runs a runner until so many were told, or 20 seconds.
    private func run(
        _ source: Source, _ command: [String], until count: Int, failed: (String) -> Void = { _ in }
    ) throws {
        try withoutActuallyEscaping(failed) { failed in
            let loop = try EventLoop()
            let runner = try NoticeRunner(
                source, notifier: Notifier(command: command), on: loop,
                retryTime: .milliseconds(100), failed: failed)
            source.noted = { if source.told.count == count { loop.stop() } }
            runner.look()
            loop.schedule(after: .seconds(20)) { loop.stop() }
            try loop.run()
            runner.end()
        }
    }

    @Test(
        "a runner tells later what failed once, also where the store could not note that at first")
    func failsOnce() throws {
        let source = Source([(0, "once")])
        source.releaseFailureCount = 2
        var failed: [String] = []
        try run(source, [try program()], until: 1) { failed.append($0) }
        #expect(source.told == ["once"] && failed == ["once"])
    }

    @Test("a runner whose program comes later tells then what it could not")
    func programComes() throws {
        let source = Source([(0, "a"), (0, "b")])
        var failed: [String] = []
        try run(source, ["\(folder.path)/later"], until: 2) { title in
            failed.append(title)
            if failed.count == 2 { _ = try? program("later") }
        }
        #expect(source.told == ["a", "b"] && failed == ["a", "b"])
    }

    @Test("a runner whose claim fails looks again")
    func claimFails() throws {
        let source = Source([(0, "a"), (0, "b")])
        source.claimFailureCount = 3
        try run(source, [try program()], until: 2)
        #expect(source.told == ["a", "b"] && source.claimFailureCount == 0)
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
        #expect(source.told == ["in time", "new"] && failed.first == "bad")
        #expect(source.claimed.contains("in time") && source.claimed.contains("new"))
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
        loop.schedule(after: .milliseconds(500)) { timer.set(.max) }
        loop.schedule(after: .milliseconds(700)) { loop.stop() }
        try loop.run()
        timer.close()
        #expect(times.count == 2, "\(times.map { $0 - start })")
        #expect((times.first ?? 0) >= start + 100)
    }
}
