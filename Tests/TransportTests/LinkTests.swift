import CLinux
import Glibc
import Testing
import Transport

@Suite("Link", .timeLimit(.minutes(30)))
struct LinkTests {
    @Test("what is sent in one turn arrives whole and in order, with one write")
    func coalescing() throws {
        let loop = try EventLoop()
        let (here, there) = try linkPair(on: loop)
        let (sender, receiver) = (Recorder(), Recorder())
        here.start(sender)
        there.start(receiver)
        var expected: [UInt8] = []
        for index in 0..<200 {
            let piece = pattern(index * 13, seed: UInt64(index))
            expected += piece
            here.send(piece)
        }
        #expect(here.pendingByteCount == expected.count)
        sender.onDrained = { $0.endSending() }
        receiver.onClosed = { _ in loop.stop() }
        try serve(loop)
        #expect(receiver.bytes == expected)
        #expect(receiver.endings == [.endOfStream])
        #expect(here.pendingByteCount == 0)
        here.close()
        try serve(loop, for: .zero)
    }

    @Test("a loop that runs no more sends what waits, closes its links, and tells nobody")
    func closedLinks() throws {
        let (loop, other) = (try EventLoop(), try EventLoop())
        let numbers = try localSockets()
        let here = try Link(socket: Descriptor(owning: numbers.0), on: loop)
        let there = try Link(socket: Descriptor(owning: numbers.1), on: other)
        let (sender, receiver) = (Recorder(), Recorder())
        here.start(sender)
        there.start(receiver)
        try serve(loop, for: .zero)
        here.send(pattern(1000))
        loop.closeLinks()
        receiver.onClosed = { _ in other.stop() }
        try serve(other)
        #expect(receiver.bytes == pattern(1000) && receiver.endings == [.endOfStream])
        #expect(sender.endings.isEmpty && !here.isSendable)
        try serve(loop, for: .zero)
        #expect(sender.endings.isEmpty)
    }

    @Test("64 MiB both ways at once stay whole, and little waits in memory")
    func largeTransfers() throws {
        let loop = try EventLoop()
        let (left, right) = try connectedPair(on: loop)
        let total = 64 << 20
        let piece = pattern(100_003)
        var ended = 0
        var mostPending = 0
        let recorders = [left, right].map { link in
            let recorder = Recorder()
            recorder.keepsBytes = false
            var sent = 0
            func feed(_ link: Link) {
                while sent < total, link.pendingByteCount < 1 << 20 {
                    let count = min(piece.count, total - sent)
                    link.send(count == piece.count ? piece : Array(piece[..<count]))
                    sent += count
                    mostPending = max(mostPending, link.pendingByteCount)
                }
                if sent == total { link.endSending() }
            }
            recorder.onDrained = feed
            var offset = 0
            recorder.onReceived = { _, bytes in
                // One spot of each read tells a shift; comparing all would take a debug build
                // minutes.
                let isRight = bytes[0] == piece[offset % piece.count]
                #expect(isRight)
                offset += bytes.count
            }
            recorder.onClosed = { _ in
                ended += 1
                if ended == 2 { loop.stop() }
            }
            link.start(recorder)
            feed(link)
            return recorder
        }
        try serve(loop, limit: .seconds(90))
        for recorder in recorders {
            #expect(recorder.receivedByteCount == total)
            #expect(recorder.endings == [.endOfStream])
        }
        #expect(mostPending <= (1 << 20) + piece.count)
    }

    @Test("a receiver that pauses slows the sender, which never exceeds its bound")
    func backpressure() throws {
        var options = LinkOptions()
        options.sendQueueByteCountMax = 256 << 10
        let loop = try EventLoop()
        let (here, there) = try connectedPair(on: loop, options: options)
        let (sender, receiver) = (Recorder(), Recorder())
        receiver.keepsBytes = false
        let piece = pattern(16 << 10)
        let total = 24 << 20
        var sent = 0
        func feed(_ link: Link) {
            while sent < total, link.pendingByteCount + piece.count <= 256 << 10 {
                link.send(piece)
                sent += piece.count
            }
            if sent == total { link.endSending() }
        }
        sender.onDrained = feed
        there.start(receiver)
        there.pauseReading()
        here.start(sender)
        feed(here)
        try serve(loop, for: .milliseconds(200))
        let stuckAt = sent
        #expect(stuckAt < total)
        #expect(receiver.receivedByteCount == 0)
        try serve(loop, for: .milliseconds(100))
        #expect(sent == stuckAt)
        there.resumeReading()
        receiver.onClosed = { _ in loop.stop() }
        try serve(loop)
        #expect(receiver.receivedByteCount == total)
        here.close()
        try serve(loop, for: .zero)
    }

    @Test("pausing inside a delivery holds back what follows until reading is resumed")
    func pauseInsideDelivery() throws {
        let loop = try EventLoop()
        let (here, there) = try linkPair(on: loop)
        let (sender, receiver) = (Recorder(), Recorder())
        receiver.onReceived = { link, _ in
            link.pauseReading()
            loop.schedule(after: .milliseconds(1)) { link.resumeReading() }
        }
        receiver.onClosed = { _ in loop.stop() }
        there.start(receiver)
        here.start(sender)
        let bytes = pattern(1 << 20)
        here.send(bytes)
        here.closeAfterSending()
        try serve(loop)
        #expect(receiver.bytes == bytes)
        #expect(receiver.endings == [.endOfStream])
        try serve(loop, for: .milliseconds(5))
        #expect(sender.endings == [.closedHere])
    }

    @Test("more than may wait ends the link with a fault that says so")
    func queueFull() throws {
        var options = LinkOptions()
        options.sendQueueByteCountMax = 1000
        let loop = try EventLoop()
        let (here, there) = try linkPair(on: loop, options: options)
        let recorder = Recorder()
        recorder.onClosed = { _ in loop.stop() }
        here.start(recorder)
        here.send(pattern(2000))
        #expect(here.isSendable, "one larger piece is allowed on an empty queue")
        here.send([1])
        #expect(!here.isSendable)
        #expect(recorder.endings.isEmpty, "the delegate is never called from inside a call")
        try serve(loop)
        #expect(
            recorder.endings
                == [.failed(.sendQueueFull(byteCount: 2001, byteCountMax: 1000))])
        there.close()
    }

    @Test("after the peer's end of stream, what waits is still sent")
    func halfClose() throws {
        let loop = try EventLoop()
        let (here, there) = try connectedPair(on: loop)
        let (client, server) = (Recorder(), Recorder())
        server.onReceived = { link, bytes in
            link.send(Array(bytes))
            if link.pendingByteCount > 1 << 20 { link.pauseReading() }
        }
        server.onDrained = { $0.resumeReading() }
        client.onClosed = { _ in loop.stop() }
        here.start(client)
        there.start(server)
        let bytes = pattern(3 << 20)
        here.send(bytes)
        here.endSending()
        here.send([1, 2, 3])
        try serve(loop)
        #expect(client.bytes == bytes)
        #expect(client.endings == [.endOfStream])
        #expect(server.endings == [.endOfStream])
    }

    @Test("the last words of a peer that goes away at once are received")
    func lastWords() throws {
        let loop = try EventLoop()
        let (here, there) = try connectedPair(on: loop)
        let (client, server) = (Recorder(), Recorder())
        here.start(client)
        there.start(server)
        // The client keeps talking, so the server's close meets unread bytes and resets.
        client.onDrained = { $0.send(pattern(60_000)) }
        here.send(pattern(60_000))
        there.pauseReading()
        client.onClosed = { _ in loop.stop() }
        loop.schedule(after: .milliseconds(50)) {
            there.send(Array("too much".utf8))
            loop.schedule(after: .milliseconds(20)) { there.close() }
        }
        try serve(loop)
        #expect(client.bytes == Array("too much".utf8))
        guard case .failed(.failedCall(_, let code, _)) = client.endings.first else {
            Issue.record("ended with \(client.endings)")
            return
        }
        #expect(code == ECONNRESET || code == EPIPE)
        #expect(server.endings == [.closedHere])
    }

    @Test("closing after sending delivers everything to a slow reader")
    func closeAfterSending() throws {
        let loop = try EventLoop()
        let (here, there) = try connectedPair(on: loop)
        let (sender, receiver) = (Recorder(), Recorder())
        receiver.keepsBytes = false
        here.start(sender)
        there.start(receiver)
        there.pauseReading()
        // The other side talks, too, and is not read: a plain close would reset the connection.
        there.send(pattern(200_000))
        for _ in 0..<30 { here.send(pattern(100_000)) }
        here.closeAfterSending()
        loop.schedule(after: .milliseconds(50)) { there.resumeReading() }
        receiver.onClosed = { _ in loop.stop() }
        try serve(loop)
        try serve(loop, for: .milliseconds(5))
        #expect(receiver.receivedByteCount == 3_000_000)
        #expect(receiver.endings == [.endOfStream])
        #expect(sender.endings == [.closedHere])
        #expect(sender.bytes.isEmpty)
    }

    @Test("closing after sending gives up on a peer that takes nothing, and says what is lost")
    func closingGrace() throws {
        var options = LinkOptions()
        options.closingGrace = .milliseconds(50)
        let loop = try EventLoop()
        let (here, there) = try linkPair(on: loop, options: options)
        let recorder = Recorder()
        recorder.onClosed = { _ in loop.stop() }
        here.start(recorder)
        here.send(pattern(3 << 20))
        here.closeAfterSending()
        try serve(loop)
        guard case .failed(.unsentBytes(let count)) = recorder.endings.first else {
            Issue.record("ended with \(recorder.endings)")
            return
        }
        #expect((1..<(3 << 20)).contains(count))
        there.close()
    }

    @Test("closing inside a delivery ends it there, and the end is told once")
    func closeInsideDelivery() throws {
        let loop = try EventLoop()
        let (here, there) = try linkPair(on: loop)
        let (sender, receiver) = (Recorder(), Recorder())
        receiver.onReceived = { link, _ in
            link.close()
            link.close()
            link.send([1])
            link.closeAfterSending()
        }
        here.start(sender)
        there.start(receiver)
        sender.onClosed = { _ in loop.stop() }
        here.send(pattern(1 << 20))
        try serve(loop)
        try serve(loop, for: .milliseconds(5))
        #expect(receiver.endings == [.closedHere])
        #expect(sender.endings.count == 1)
    }

    @Test("a link whose delegate is gone closes at the next bytes")
    func delegateGone() throws {
        let loop = try EventLoop()
        let (here, there) = try linkPair(on: loop)
        let sender = Recorder()
        sender.onClosed = { _ in loop.stop() }
        here.start(sender)
        there.start(Recorder())
        here.send([1])
        try serve(loop)
        #expect(sender.endings.count == 1)
    }

    @Test("a paused link whose peer resets the connection ends")
    func resetWhilePaused() throws {
        let loop = try EventLoop()
        let (here, there) = try connectedPair(on: loop)
        let (client, server) = (Recorder(), Recorder())
        here.start(client)
        here.pauseReading()
        there.start(server)
        there.pauseReading()
        here.send([1])
        client.onClosed = { _ in loop.stop() }
        loop.schedule(after: .milliseconds(20)) { there.close() }
        try serve(loop)
        guard case .failed(let error) = client.endings.first else {
            Issue.record("ended with \(client.endings)")
            return
        }
        #expect(error.side == .peer)
    }

    @Test("an unstarted link closes its socket silently")
    func unstarted() throws {
        let loop = try EventLoop()
        let (here, there) = try linkPair(on: loop)
        let recorder = Recorder()
        recorder.onClosed = { _ in loop.stop() }
        there.start(recorder)
        here.close()
        try serve(loop)
        #expect(recorder.endings == [.endOfStream])
    }
}
