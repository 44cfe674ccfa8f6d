import CLinux
import Glibc
import Testing
import Transport

@Suite("Event loop", .timeLimit(.minutes(30)))
struct EventLoopTests {
    @Test("timers run by deadline, then in the order they were scheduled")
    func timerOrder() throws {
        let loop = try EventLoop()
        let start = MonotonicTime.now
        var order: [Int] = []
        for (name, milliseconds) in [(3, 30), (1, 10), (4, 30), (2, 20), (5, 30)] {
            loop.schedule(at: start + .milliseconds(milliseconds)) { order.append(name) }
        }
        loop.schedule(at: start + .milliseconds(31)) { loop.stop() }
        try serve(loop)
        #expect(order == [1, 2, 3, 4, 5])
        #expect(MonotonicTime.now - start >= .milliseconds(31))
    }

    @Test("many timers, half of them called off, run in order and exactly once")
    func manyTimers() throws {
        let loop = try EventLoop()
        let start = MonotonicTime.now
        var ran: [Int] = []
        var timers: [(Int, TimerID)] = []
        for index in 0..<2000 {
            let position = index * 7919 % 2000
            let deadline = start + .microseconds(position * 10)
            timers.append((position, loop.schedule(at: deadline) { ran.append(position) }))
        }
        for (position, timer) in timers where !position.isMultiple(of: 2) { loop.cancel(timer) }
        for (position, timer) in timers where !position.isMultiple(of: 2) { loop.cancel(timer) }
        loop.schedule(at: start + .milliseconds(25)) { loop.stop() }
        try serve(loop)
        #expect(ran == (0..<1000).map { $0 * 2 })
        loop.cancel(timers[0].1)
    }

    @Test("a timer that schedules itself for now does not hold up the others")
    func selfScheduling() throws {
        let loop = try EventLoop()
        var count = 0
        var isStopped = false
        func again() {
            count += 1
            if !isStopped { loop.schedule(after: .zero, again) }
        }
        loop.schedule(after: .zero, again)
        loop.schedule(after: .milliseconds(2)) {
            isStopped = true
            loop.schedule(after: .milliseconds(1)) { loop.stop() }
        }
        try serve(loop)
        #expect(count > 1)
    }

    @Test("waiting costs no processor time")
    func idleWait() throws {
        let loop = try EventLoop()
        let (here, _) = try linkPair(on: loop)
        let recorder = Recorder()
        here.start(recorder)
        var before = timespec()
        var after = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before)
        try serve(loop, for: .milliseconds(300))
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after)
        let used =
            (after.tv_sec - before.tv_sec) * 1_000_000_000 + after.tv_nsec - before.tv_nsec
        #expect(used < 50_000_000)
        here.close()
        try serve(loop, for: .zero)
    }

    @Test("posts from other threads run on the loop's thread, each once and in order")
    func posts() throws {
        let loop = try EventLoop()
        let mailbox = loop.mailbox
        let counts = LoopBound(Checksum(), on: loop)
        let threads = try (0..<4).map { thread in
            try startThread {
                for index in 0..<1000 {
                    mailbox.post { loop in counts.value(on: loop).note(thread, index, loop) }
                }
            }
        }
        try serve(loop)
        for thread in threads { pthread_join(thread, nil) }
        #expect(counts.value(on: loop).next == [1000, 1000, 1000, 1000])
        #expect(counts.value(on: loop).isOrdered)
    }

    @Test("another thread can stop the loop, also before it runs")
    func stopFromOutside() throws {
        let loop = try EventLoop()
        loop.mailbox.stop()
        try serve(loop)
        let mailbox = loop.mailbox
        let thread = try startThread {
            usleep(20_000)
            mailbox.stop()
        }
        try serve(loop)
        pthread_join(thread, nil)
    }

    @Test("a handler that removes another of the same turn keeps it from being called")
    func removalWithinTurn() throws {
        let loop = try EventLoop()
        let pipes = try (0..<2).map { _ in try pipeEnds() }
        var registrations: [EventLoop.Registration] = []
        var calls = 0
        for (readEnd, writeEnd) in pipes {
            #expect(write(writeEnd, "x", 1) == 1)
            registrations.append(
                try loop.add(readEnd, .readable) { _ in
                    calls += 1
                    for registration in registrations { loop.remove(registration) }
                })
        }
        try serve(loop, for: .milliseconds(20))
        #expect(calls == 1)
        for (readEnd, writeEnd) in pipes {
            close(readEnd)
            close(writeEnd)
        }
    }

    @Test("a hang-up is told once to one who waits for nothing, and again when asked for")
    func hangUpWithoutInterest() throws {
        let loop = try EventLoop()
        let (readEnd, writeEnd) = try pipeEnds()
        var told: [Readiness] = []
        let registration = try loop.add(readEnd, .readable) { told.append($0) }
        try loop.modify(registration, [])
        close(writeEnd)
        try serve(loop, for: .milliseconds(30))
        #expect(told == [.hungUp])
        try loop.modify(registration, .readable)
        loop.schedule(after: .milliseconds(5)) { loop.remove(registration) }
        try serve(loop, for: .milliseconds(20))
        #expect(told.count > 1)
        close(readEnd)
    }

    @Test("signals reach the handler instead of ending the process")
    func signals() throws {
        // On a thread of its own, which alone blocks and gets them.
        let thread = try startThread {
            var seen: [CInt] = []
            do {
                let loop = try EventLoop()
                try loop.watchSignals { [unowned loop] signal in
                    seen.append(signal)
                    if seen.count == 3 { loop.stop() }
                }
                for signal in [SIGTERM, SIGINT, SIGHUP] {
                    loop.schedule(after: .zero) { pthread_kill(pthread_self(), signal) }
                }
                try serve(loop)
            } catch {
                Issue.record(error)
            }
            #expect(Set(seen) == [SIGTERM, SIGINT, SIGHUP])
        }
        pthread_join(thread, nil)
    }
}

/// Counts posts by thread, on the loop's thread.
private final class Checksum {
    var next = [0, 0, 0, 0]
    var isOrdered = true

    func note(_ thread: Int, _ index: Int, _ loop: EventLoop) {
        if next[thread] != index { isOrdered = false }
        next[thread] += 1
        if next.allSatisfy({ $0 == 1000 }) { loop.stop() }
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

/// A thread to be joined.
private func startThread(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(
        &thread, nil,
        { pointer in
            guard let pointer else { return nil }
            Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
            return nil
        }, work.toOpaque())
    try #require(code == 0)
    return thread
}
