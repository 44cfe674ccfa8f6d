import CLinux
import Glibc
import Testing
import Transport

@Suite("Links over streams", .timeLimit(.minutes(30)))
struct StreamTests {
    /// Sends bytes to a link that sends back what it receives: they return whole, and both ends end well.
    private func expectEcho(of bytes: [UInt8], from here: Link, by there: Link) throws {
        let (client, server) = (Recorder(), Recorder())
        server.onReceived = { link, bytes in link.send(Array(bytes)) }
        client.onClosed = { $0.loop.stop() }
        here.start(client)
        there.start(server)
        here.send(bytes)
        here.endSending()
        try serve(here.loop)
        #expect(client.bytes == bytes)
        #expect(client.endings == [.endOfStream])
        #expect(server.endings == [.endOfStream])
    }

    @Test("two pipes make a link that works both ways")
    func pipes() throws {
        let loop = try EventLoop()
        let (first, second) = (try pipeEnds(), try pipeEnds())
        let here = try Link(
            input: Descriptor(owning: first.0), output: Descriptor(owning: second.1),
            name: "here", on: loop)
        let there = try Link(
            input: Descriptor(owning: second.0), output: Descriptor(owning: first.1),
            name: "there", on: loop)
        try expectEcho(of: pattern(2 << 20), from: here, by: there)
    }

    @Test("a byte stream without a descriptor carries a link, slowly and whole")
    func memory() throws {
        let loop = try EventLoop()
        let streams = MemoryStream.pair(on: loop)
        let (here, there) = (Link(streams.0, on: loop), Link(streams.1, on: loop))
        try expectEcho(of: pattern(1 << 20), from: here, by: there)
    }

    @Test("writing to a pipe nobody reads ends the link, not the process")
    func brokenPipe() throws {
        let loop = try EventLoop()
        let (first, second) = (try pipeEnds(), try pipeEnds())
        let link = try Link(
            input: Descriptor(owning: first.0), output: Descriptor(owning: second.1),
            name: "broken", on: loop)
        close(second.0)
        let recorder = Recorder()
        recorder.onClosed = { _ in loop.stop() }
        link.start(recorder)
        link.send([1])
        #expect(write(first.1, "bye", 3) == 3)
        close(first.1)
        try serve(loop)
        #expect(recorder.bytes == Array("bye".utf8))
        #expect(recorder.endings == [.failed(.failedCall(.write, errno: EPIPE, about: "broken"))])
    }

    @Test("regular files serve as input and output")
    func regularFiles() throws {
        let loop = try EventLoop()
        let bytes = pattern(300_000)
        let input = try temporaryFile(holding: bytes)
        let output = try temporaryFile(holding: [])
        let outputCopy = duplicate(output)
        let link = try Link(
            input: Descriptor(owning: input), output: Descriptor(owning: output),
            name: "files", on: loop)
        let recorder = Recorder()
        recorder.onReceived = { link, bytes in link.send(Array(bytes)) }
        recorder.onClosed = { _ in loop.stop() }
        link.start(recorder)
        try serve(loop)
        #expect(recorder.bytes == bytes)
        #expect(recorder.endings == [.endOfStream])
        #expect(lseek(outputCopy, 0, SEEK_END) == 300_000)
        close(outputCopy)
    }

    @Test("taken-over streams are replaced by harmless ones and get back their flags")
    func takingOver() throws {
        let loop = try EventLoop()
        // One socket as both streams, as a login server gives them; its flags are shared.
        let (ours, theirs) = try localSockets()
        let output = duplicate(ours)
        let diagnostics = try pipeEnds()
        let flags = fcntl(ours, F_GETFL)
        let copy = duplicate(ours)
        let link = try Link.takingOver(
            input: ours, output: output, diagnostics: diagnostics.1, on: loop)
        #expect(fcntl(copy, F_GETFL) == flags | O_NONBLOCK)
        let recorder = Recorder()
        link.start(recorder)
        // Stray prints and reads do not reach the peer.
        #expect(write(output, "stray", 5) == 5)
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(read(ours, &buffer, 100) == 0)
        #expect(read(diagnostics.0, &buffer, 100) == 5)
        #expect(write(theirs, "hello", 5) == 5)
        link.send([7])
        try serve(loop, for: .milliseconds(20))
        #expect(recorder.bytes == Array("hello".utf8))
        #expect(read(theirs, &buffer, 100) == 1)
        // The end of our stream reaches the peer although another name of the socket is open.
        link.closeAfterSending()
        try serve(loop, for: .milliseconds(20))
        #expect(read(theirs, &buffer, 100) == 0)
        close(theirs)
        recorder.onClosed = { _ in loop.stop() }
        try serve(loop)
        #expect(recorder.endings == [.closedHere])
        #expect(fcntl(copy, F_GETFL) == flags)
        for number in [ours, output, diagnostics.0, diagnostics.1, copy] { close(number) }
    }

    @Test("input that ended at once ends the link")
    func emptyInput() throws {
        let loop = try EventLoop()
        let nothing = open("/dev/null", O_RDONLY)
        let (readEnd, writeEnd) = try pipeEnds()
        let link = try Link(
            input: Descriptor(owning: nothing), output: Descriptor(owning: writeEnd),
            name: "nothing", on: loop)
        let recorder = Recorder()
        recorder.onClosed = { _ in loop.stop() }
        link.start(recorder)
        try serve(loop)
        #expect(recorder.endings == [.endOfStream])
        close(readEnd)
    }

    /// The number of a nameless file at its start.
    private func temporaryFile(holding bytes: [UInt8]) throws -> CInt {
        var name = Array("/tmp/tandem-XXXXXX".utf8CString)
        let number = mkstemp(&name)
        try #require(number >= 0)
        unlink(name)
        try #require(write(number, bytes, bytes.count) == bytes.count)
        lseek(number, 0, SEEK_SET)
        return number
    }
}
