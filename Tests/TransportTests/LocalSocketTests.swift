import Glibc
import Synchronization
import Testing
import Transport

@Suite("Local sockets of one account", .timeLimit(.minutes(30)))
final class LocalSocketTests {
    private let folder: String
    private let name = "socket"
    private var path: String { folder + "/" + name }

    init() {
        var template = Array("/tmp/tandem-socket-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = mkdtemp(base) else { return "/tmp" }
            return String(cString: made)
        }
    }

    deinit {
        unlink(path)
        rmdir(folder)
    }

    /// Whether a program could begin to listen; it listens no more when this returns, and its file stays.
    private static func listens(_ name: String, _ folder: String) -> Bool {
        do throws(TransportError) {
            _ = try LocalSocket.listen(at: name, in: folder)
            // A program that another test starts has a copy of the socket until it runs.
            for _ in 0..<50_000 where !LocalSocket.isLeftBehind(name, in: folder) { usleep(100) }
            return true
        } catch {
            #expect(
                error == .failedCall(.bind, errno: EADDRINUSE, about: "\(folder)/\(name)"))
            return false
        }
    }

    @Test("a socket is its owner's alone, and one that was left behind is replaced")
    func replaced() throws {
        #expect(!LocalSocket.isLeftBehind(name, in: folder), "there is none")
        #expect(Self.listens(name, folder))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode == S_IFSOCK | 0o600)
        #expect(LocalSocket.isLeftBehind(name, in: folder))
        #expect(throws: TransportError.self) { _ = try LocalSocket.connect(to: name, in: folder) }
        #expect(Self.listens(name, folder))
    }

    @Test("a socket at which somebody listens stays, and whoever listens sees nobody come")
    func inUse() throws {
        let listening = try LocalSocket.listen(at: name, in: folder)
        #expect(!LocalSocket.isLeftBehind(name, in: folder))
        #expect(!Self.listens(name, folder))
        #expect(accept(listening.number, nil, nil) == -1 && errno == EAGAIN)
        _ = try LocalSocket.connect(to: name, in: folder)
        let peer = accept(listening.number, nil, nil)
        #expect(peer >= 0)
        close(peer)
    }

    @Test("a file that is no socket stays")
    func file() {
        close(open(path, O_WRONLY | O_CREAT, 0o600))
        #expect(!Self.listens(name, folder))
        #expect(access(path, F_OK) == 0)
    }

    @Test(
        "a lock on the folder, which other accounts could take, keeps nobody waiting; one of a program of this account does for a while"
    )
    func locked() throws {
        let held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(held) }
        #expect(flock(held, LOCK_EX) == 0)
        #expect(LocalSocket.lockTime == .seconds(5))
        // However slow the machine is: one that waited for the folder's lock would not begin before a minute is over.
        let (start, long) = (MonotonicTime.now, Duration.seconds(60))
        _ = try LocalSocket.listen(at: name, in: folder, lockTime: long)
        #expect(MonotonicTime.now - start < long)
        let lockPath = path + ".lock"
        #expect(access(lockPath, F_OK) != 0, "nothing is left beside the socket")

        let other = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(other) }
        #expect(flock(other, LOCK_EX) == 0)
        #expect(
            throws: TransportError.failedCall(.lock, errno: EWOULDBLOCK, about: lockPath)
        ) {
            _ = try LocalSocket.listen(at: name, in: folder, lockTime: .milliseconds(50))
        }
        // It was killed: its lock goes with it, and the file that it left is no hindrance.
        #expect(flock(other, LOCK_UN) == 0)
        #expect(Self.listens(name, folder))
        #expect(access(lockPath, F_OK) != 0)
    }

    @Test("of programs that begin at once at a socket that was left behind one listens")
    func atOnce() {
        for _ in 0..<300 {
            #expect(Self.listens(name, folder))
            let race = Race(name, folder)
            for _ in 0..<Race.count { #expect(DetachedThread.start { race.run() } == nil) }
            while race.doneCount < Race.count { usleep(100) }
            #expect(race.listenerCount == 1)
            unlink(path)
        }
    }
}

/// Threads that begin to listen at one moment, and go on until all have tried.
private final class Race: Sendable {
    static let count = 3

    private let name: String
    private let folder: String
    private let readyCount = Atomic(0)
    private let listening = Atomic(0)
    private let triedCount = Atomic(0)
    private let done = Atomic(0)

    init(_ name: String, _ folder: String) {
        self.name = name
        self.folder = folder
    }

    var listenerCount: Int { listening.load(ordering: .sequentiallyConsistent) }
    var doneCount: Int { done.load(ordering: .sequentiallyConsistent) }

    func run() {
        meet(at: readyCount)
        if let found = try? LocalSocket.listen(at: name, in: folder) {
            listening.add(1, ordering: .sequentiallyConsistent)
            meet(at: triedCount)
            _ = consume found
        } else {
            meet(at: triedCount)
        }
        done.add(1, ordering: .sequentiallyConsistent)
    }

    private func meet(at counter: borrowing Atomic<Int>) {
        counter.add(1, ordering: .sequentiallyConsistent)
        while counter.load(ordering: .sequentiallyConsistent) < Self.count { sched_yield() }
    }
}
