import CLinux
import Glibc

/// One thread's wait for descriptors, timers, signals and posts from other threads.
///
/// Everything but `mailbox` belongs to the thread that calls `run`; before the first `run` it
/// may be set up by any one thread. Handlers run one after the other on that thread and may
/// call every method here except `run`.
package final class EventLoop {
    /// Called with the operations the descriptor is ready for.
    package typealias Handler = (Readiness) -> Void

    /// Names one watched descriptor; never given twice.
    package struct Registration: Hashable, Sendable {
        fileprivate let slot: UInt32
        fileprivate let generation: UInt32

        fileprivate var word: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

        fileprivate init(slot: UInt32, generation: UInt32) {
            self.slot = slot
            self.generation = generation
        }

        fileprivate init(word: UInt64) {
            slot = UInt32(truncatingIfNeeded: word)
            generation = UInt32(truncatingIfNeeded: word >> 32)
        }
    }

    /// The door for other threads.
    package let mailbox: LoopMailbox

    /// One buffer for all reads of all links: idle links need none of their own.
    let readBuffer: UnsafeMutableRawBufferPointer
    /// One for what links over TLS have opened; larger, since the rest of a record may come along.
    var openedBuffer: UnsafeMutableRawBufferPointer {
        if let ownOpenedBuffer { return ownOpenedBuffer }
        let made = UnsafeMutableRawBufferPointer.allocate(
            byteCount: readBuffer.count + (20 << 10), alignment: 64)
        ownOpenedBuffer = made
        return made
    }
    private var ownOpenedBuffer: UnsafeMutableRawBufferPointer?

    private struct Slot {
        var generation: UInt32 = 0
        var descriptor: CInt = -1
        var interest: Readiness = []
        /// Whether epoll knows the descriptor; not while nothing is waited for.
        var isAttached = false
        /// Regular files: epoll refuses them because they are always ready.
        var isAlwaysReady = false
        var handler: Handler?
    }

    private let queue: Descriptor
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    private var alwaysReady: [Registration] = []
    private var timers = TimerQueue()
    private var turnEnds: [any TurnEndObserver] = []
    /// The links that read and write, for `closeLinks`.
    private var links: [ObjectIdentifier: Link] = [:]
    private var signalDescriptor: Descriptor?
    private var thread: pthread_t?
    private var isStopping = false
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// Makes a loop that watches nothing yet; from now on the process ignores SIGPIPE.
    ///
    /// - Throws: `failedCall` if the system has no descriptors or memory left.
    package init() throws(TransportError) {
        // A peer that went away must be an error of one write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let number = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard number >= 0 else {
            throw .failedCall(.epollCreate, errno: errno, about: "the event loop")
        }
        queue = Descriptor(owning: number)
        mailbox = try LoopMailbox()
        readBuffer = .allocate(byteCount: 128 << 10, alignment: 64)
        events = .allocate(capacity: 256)
        let mailbox = mailbox
        // The mailbox is emptied each turn anyway, so its handler has nothing to do.
        _ = try add(mailbox.wakeUp.number, .readable) { _ in }
    }

    deinit {
        readBuffer.deallocate()
        ownOpenedBuffer?.deallocate()
        events.deallocate()
    }
}

// MARK: - Running

extension EventLoop {
    /// Serves until `stop`; can be called again after it returned.
    ///
    /// - Throws: `failedCall` of `epoll_wait`, which means a bug or a broken system.
    package func run() throws(TransportError) {
        precondition(thread == nil, "a loop runs once at a time")
        thread = pthread_self()
        defer { thread = nil }
        isStopping = false
        while true {
            runPosted()
            runTimers()
            finishTurn()
            if isStopping { return }
            try wait()
        }
    }

    /// Makes `run` return at the end of this turn.
    package func stop() {
        checkThread()
        isStopping = true
    }

    /// Has `action` run on the loop's thread; the same as `mailbox.post`.
    package func post(_ action: @escaping LoopMailbox.Action) {
        mailbox.post(action)
    }

    /// Closes every link that is open, after what the system takes of their waiting bytes at once; delegates are not told.
    ///
    /// For whoever does not run the loop again: nobody reads a link that stayed open, and its peer would wait for an answer.
    package func closeLinks() {
        finishTurn()
        for link in links.values { link.close() }
        turnEnds = []
    }

    /// Notes a link that begins to read.
    func keep(_ link: Link) { links[ObjectIdentifier(link)] = link }

    /// Forgets a link that is closed.
    func forget(_ link: Link) { links[ObjectIdentifier(link)] = nil }

    /// Traps if called on another thread while the loop runs.
    func checkThread() {
        guard let thread else { return }
        precondition(pthread_equal(thread, pthread_self()) != 0, "not on the loop's thread")
    }

    /// Has the observer called once, when this turn has handled its events.
    package func atTurnEnd(_ observer: any TurnEndObserver) {
        checkThread()
        turnEnds.append(observer)
    }

    private func runPosted() {
        let (actions, isStopRequested) = mailbox.drain()
        if isStopRequested { isStopping = true }
        for action in actions { action(self) }
    }

    private func runTimers() {
        let now = MonotonicTime.now
        let horizon = timers.horizon
        while let action = timers.popDue(by: now, before: horizon) { action() }
    }

    private func finishTurn() {
        // Observers that were added meanwhile get the next turn, which does not wait.
        let observers = turnEnds
        turnEnds.removeAll(keepingCapacity: true)
        for observer in observers { observer.turnEnded() }
    }

    private func wait() throws(TransportError) {
        let count = epoll_wait(queue.number, events.baseAddress, CInt(events.count), patience())
        guard count >= 0 else {
            let code = errno
            if code == EINTR { return }
            throw .failedCall(.epollWait, errno: code, about: "the event loop")
        }
        for index in 0..<Int(count) {
            let event = events[index]
            dispatch(
                Registration(word: event.data.u64), Readiness(rawValue: event.events))
        }
        if !alwaysReady.isEmpty {
            for registration in alwaysReady { dispatch(registration, [.readable, .writable]) }
        }
    }

    /// Milliseconds `epoll_wait` may sleep; -1 without end.
    private func patience() -> CInt {
        if !turnEnds.isEmpty || alwaysReady.contains(where: isWanted) { return 0 }
        guard let deadline = timers.nextDeadline() else { return -1 }
        let now = MonotonicTime.now
        guard deadline > now else { return 0 }
        // Rounded up: waking early would mean spinning until the deadline.
        let milliseconds = (deadline.nanoseconds - now.nanoseconds + 999_999) / 1_000_000
        return CInt(min(milliseconds, 3_600_000))
    }

    private func dispatch(_ registration: Registration, _ readiness: Readiness) {
        // An earlier handler of this turn may have removed or changed it.
        let index = Int(registration.slot)
        guard index < slots.count, slots[index].generation == registration.generation else {
            return
        }
        let slot = slots[index]
        let unasked = readiness.intersection([.failed, .hungUp])
        if slot.interest.isEmpty, !unasked.isEmpty {
            // epoll would repeat it for ever to somebody who does not want to act on it yet.
            detach(index)
        }
        let told = readiness.intersection(slot.interest).union(unasked)
        if !told.isEmpty { slot.handler?(told) }
    }
}

// MARK: - Descriptors

extension EventLoop {
    /// Watches a descriptor, which must stay open until `remove`.
    ///
    /// The handler is kept, with all it captures, until `remove`. Regular files are always
    /// ready for what they are watched for.
    /// - Throws: `failedCall` of `epoll_ctl`.
    package func add(
        _ descriptor: CInt, _ interest: Readiness, handler: @escaping Handler
    ) throws(TransportError) -> Registration {
        checkThread()
        let index: Int
        if let free = freeSlots.popLast() {
            index = Int(free)
        } else {
            index = slots.count
            slots.append(Slot())
        }
        slots[index].descriptor = descriptor
        slots[index].interest = interest
        slots[index].handler = handler
        let registration = Registration(
            slot: UInt32(index), generation: slots[index].generation)
        do {
            try attach(registration)
        } catch {
            remove(registration)
            throw error
        }
        return registration
    }

    /// Changes the events waited for; empty means none, errors are then reported once.
    ///
    /// - Throws: `failedCall` of `epoll_ctl`.
    package func modify(
        _ registration: Registration, _ interest: Readiness
    ) throws(TransportError) {
        checkThread()
        let index = Int(registration.slot)
        precondition(
            slots[index].generation == registration.generation, "the registration is removed")
        guard slots[index].interest != interest || !slots[index].isAttached else { return }
        slots[index].interest = interest
        guard !slots[index].isAlwaysReady else { return }
        guard slots[index].isAttached else {
            if interest.isEmpty { return }
            return try attach(registration)
        }
        try control(EPOLL_CTL_MOD, registration)
    }

    /// Stops watching and calling the handler; to be called before the descriptor is closed.
    package func remove(_ registration: Registration) {
        checkThread()
        let index = Int(registration.slot)
        guard slots[index].generation == registration.generation else { return }
        if slots[index].isAlwaysReady { alwaysReady.removeAll { $0 == registration } }
        detach(index)
        // Let go of the handler last: what it captures may call back while it is destroyed.
        let slot = slots[index]
        slots[index] = Slot(generation: slot.generation &+ 1)
        freeSlots.append(UInt32(index))
    }

    private func isWanted(_ registration: Registration) -> Bool {
        !slots[Int(registration.slot)].interest.isEmpty
    }

    private func attach(_ registration: Registration) throws(TransportError) {
        let index = Int(registration.slot)
        do {
            try control(EPOLL_CTL_ADD, registration)
            slots[index].isAttached = true
        } catch .failedCall(_, errno: EPERM, _) {
            slots[index].isAlwaysReady = true
            slots[index].isAttached = true
            alwaysReady.append(registration)
        }
    }

    private func detach(_ index: Int) {
        guard slots[index].isAttached, !slots[index].isAlwaysReady else { return }
        var event = epoll_event()
        _ = epoll_ctl(queue.number, EPOLL_CTL_DEL, slots[index].descriptor, &event)
        slots[index].isAttached = false
    }

    private func control(
        _ operation: CInt, _ registration: Registration
    ) throws(TransportError) {
        let slot = slots[Int(registration.slot)]
        var event = epoll_event()
        event.events = slot.interest.rawValue
        event.data.u64 = registration.word
        guard epoll_ctl(queue.number, operation, slot.descriptor, &event) == 0 else {
            throw .failedCall(
                .epollControl, errno: errno, about: "descriptor \(slot.descriptor)")
        }
    }
}

// MARK: - Timers

extension EventLoop {
    /// Has `action` run once at the deadline, up to a millisecond later; a past one runs soon.
    @discardableResult
    package func schedule(
        at deadline: MonotonicTime, _ action: @escaping () -> Void
    ) -> TimerID {
        checkThread()
        return timers.schedule(at: deadline, action)
    }

    /// Has `action` run once after the given time.
    @discardableResult
    package func schedule(after time: Duration, _ action: @escaping () -> Void) -> TimerID {
        schedule(at: MonotonicTime.now + time, action)
    }

    /// Calls a timer off; one that has run is ignored.
    package func cancel(_ timer: TimerID) {
        checkThread()
        timers.cancel(timer)
    }
}

// MARK: - Signals

extension EventLoop {
    /// Has `handler` called on the loop's thread for each of these signals, in place of what
    /// they do otherwise.
    ///
    /// Call it once, before any other thread is started: the signals are blocked for this thread
    /// and those it starts, and a thread that does not block them could be ended by one.
    /// - Throws: `failedCall` of `pthread_sigmask` or `signalfd`.
    package func watchSignals(
        _ signals: [CInt] = [SIGTERM, SIGINT, SIGHUP], handler: @escaping (CInt) -> Void
    ) throws(TransportError) {
        checkThread()
        precondition(signalDescriptor == nil, "signals are watched once")
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        let code = pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw .failedCall(.signalMask, errno: code, about: "signals") }
        let number = signalfd(-1, &set, CInt(SFD_NONBLOCK) | CInt(SFD_CLOEXEC))
        guard number >= 0 else {
            throw .failedCall(.signalDescriptor, errno: errno, about: "signals")
        }
        signalDescriptor = Descriptor(owning: number)
        _ = try add(number, .readable) { _ in
            var info = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            while read(number, &info, size) == size { handler(CInt(info.ssi_signo)) }
        }
    }
}

/// The operations a descriptor is ready for, or that its owner waits for.
package struct Readiness: OptionSet, Sendable {
    /// The bits of `epoll_event.events`.
    package let rawValue: UInt32

    /// Wraps bits of `epoll_event.events`.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A read would not wait; the end of the stream counts as readable.
    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// A write would not wait.
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// The other end sends no more.
    package static let ending = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Told without being asked for: the descriptor has an error to fetch.
    package static let failed = Readiness(rawValue: EPOLLERR.rawValue)
    /// Told without being asked for: both directions are at their end.
    package static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
}

/// Somebody with work to do once per turn of the loop, however many events asked for it.
package protocol TurnEndObserver: AnyObject {
    /// The turn's events, posts and timers have been handled.
    func turnEnded()
}
