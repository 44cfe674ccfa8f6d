import CLinux
import Glibc
import Testing
import Transport

@Suite("Child process", .timeLimit(.minutes(30)))
struct ChildProcessTests {
    @Test("a program gets what is sent, answers, and ends when its input ends")
    func cat() throws {
        let loop = try EventLoop()
        let bytes = pattern(2 << 20)
        let (recorder, ending) = try run(["cat"], on: loop) { child in
            child.link.send(bytes)
            child.link.endSending()
        }
        #expect(recorder.bytes == bytes)
        #expect(recorder.endings == [.endOfStream])
        #expect(ending == .exited(code: 0))
    }

    @Test("arguments reach the program unchanged, since no shell sees them")
    func arguments() throws {
        let loop = try EventLoop()
        let (recorder, ending) = try run(["printf", "%s|", "a b", "$HOME;'", ""], on: loop)
        #expect(String(decoding: recorder.bytes, as: UTF8.self) == "a b|$HOME;'||")
        #expect(ending == .exited(code: 0))
    }

    @Test("the program starts with no signal blocked or ignored")
    func signals() throws {
        let loop = try EventLoop()
        let (recorder, _) = try run(["grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"], on: loop)
        let lines = String(decoding: recorder.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            let mask = try #require(
                line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
            // Above the first 31 are two the C library keeps for itself.
            #expect(mask & 0x7fff_ffff == 0)
        }
    }

    @Test("an exit code is told")
    func exitCode() throws {
        let loop = try EventLoop()
        let (_, ending) = try run(["sh", "-c", "exit 3"], on: loop)
        #expect(ending == .exited(code: 3))
    }

    @Test("a missing program is an error that names it")
    func missing() throws {
        let loop = try EventLoop()
        let error = #expect(throws: TransportError.self) {
            try ChildProcess(["tandem-no-such-program"], on: loop) { _ in }
        }
        #expect(
            error == .failedCall(.spawn, errno: ENOENT, about: "tandem-no-such-program"))
    }

    @Test("a program that does not end is asked to")
    func asked() throws {
        let loop = try EventLoop()
        let (recorder, ending) = try run(["sleep", "1000"], on: loop) { child in
            child.close(grace: .milliseconds(20))
        }
        #expect(recorder.endings == [.closedHere])
        #expect(ending == .signalled(SIGTERM))
    }

    @Test("a program that does not listen is ended")
    func ended() throws {
        let loop = try EventLoop()
        let script = "trap '' TERM; echo ready; while :; do sleep 0.01; done 2>/dev/null"
        let (_, ending) = try run(["sh", "-c", script], on: loop) { child in
            // Not before it has set its trap.
            loop.schedule(after: .milliseconds(300)) { child.close(grace: .milliseconds(20)) }
        }
        #expect(ending == .signalled(SIGKILL))
    }

    /// Runs a program until it has ended and its link is closed.
    private func run(
        _ command: [String], on loop: EventLoop, then act: (ChildProcess) -> Void = { _ in }
    ) throws -> (Recorder, ChildProcess.Ending) {
        let recorder = Recorder()
        var ending: ChildProcess.Ending?
        func stopWhenOver() {
            if ending != nil, !recorder.endings.isEmpty { loop.stop() }
        }
        let child = try ChildProcess(command, on: loop) {
            ending = $0
            stopWhenOver()
        }
        recorder.onClosed = { _ in stopWhenOver() }
        child.link.start(recorder)
        act(child)
        try serve(loop)
        recorder.onClosed = { _ in }
        #expect(child.ending == ending)
        #expect(waitpid(child.identifier, nil, WNOHANG) == -1 && errno == ECHILD)
        return (recorder, try #require(ending))
    }
}
