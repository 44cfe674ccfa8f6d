import CLinux
import Glibc
import Synchronization

/// Names one scheduled action, so that it can be called off.
package struct TimerID: Hashable, Sendable {
    let number: UInt64
}

/// Actions ordered by deadline, then by the order in which they were scheduled.
///
/// Shape: a binary heap of (deadline, number) beside the actions; calling one off only forgets
/// its action, and the heap is rebuilt once most of it is forgotten.
struct TimerQueue {
    typealias Action = () -> Void

    private struct Entry: Comparable {
        let deadline: MonotonicTime
        let number: UInt64

        static func < (a: Entry, b: Entry) -> Bool {
            (a.deadline, a.number) < (b.deadline, b.number)
        }
    }

    private var heap: [Entry] = []
    private var actions: [UInt64: Action] = [:]
    private var nextNumber: UInt64 = 0

    /// How many actions wait.
    var count: Int { actions.count }

    /// The number the next scheduled action will have; those below it were there before.
    var horizon: UInt64 { nextNumber }

    mutating func schedule(at deadline: MonotonicTime, _ action: @escaping Action) -> TimerID {
        let number = nextNumber
        nextNumber += 1
        actions[number] = action
        heap.append(Entry(deadline: deadline, number: number))
        siftUp(heap.count - 1)
        return TimerID(number: number)
    }

    /// Forgets an action; one that has run or was forgotten before is ignored.
    mutating func cancel(_ timer: TimerID) {
        guard actions.removeValue(forKey: timer.number) != nil else { return }
        guard heap.count > 64, heap.count > actions.count * 2 else { return }
        // A sorted array is a heap.
        heap = heap.filter { actions[$0.number] != nil }.sorted()
    }

    /// When the first action is due; nil if none waits.
    mutating func nextDeadline() -> MonotonicTime? {
        dropForgotten()
        return heap.first?.deadline
    }

    /// Takes the first action due by `now` among those scheduled before `horizon` was read.
    ///
    /// The horizon keeps an action that schedules itself for "now" from holding up the turn.
    mutating func popDue(by now: MonotonicTime, before horizon: UInt64) -> Action? {
        dropForgotten()
        guard let first = heap.first, first.deadline <= now, first.number < horizon else {
            return nil
        }
        removeFirst()
        return actions.removeValue(forKey: first.number)
    }

    private mutating func dropForgotten() {
        while let first = heap.first, actions[first.number] == nil { removeFirst() }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown()
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index] < heap[parent] else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            let left = index * 2 + 1
            guard left < heap.count else { return }
            let right = left + 1
            let child = right < heap.count && heap[right] < heap[left] ? right : left
            guard heap[child] < heap[index] else { return }
            heap.swapAt(index, child)
            index = child
        }
    }
}

/// The only part of an `EventLoop` that other threads may touch.
package final class LoopMailbox: Sendable {
    /// Work for the loop's thread; the loop is handed in, so nothing of it needs to be captured.
    package typealias Action = @Sendable (EventLoop) -> Void

    private struct Contents {
        var actions: [Action] = []
        var isStopRequested = false
        /// Whether the eventfd already holds a wake-up, so that many posts cost one write.
        var isWakeUpPending = false
    }

    private let contents = Mutex(Contents())
    /// Readable while something waits.
    let wakeUp: Descriptor

    init() throws(TransportError) {
        let number = eventfd(0, CInt(EFD_NONBLOCK) | CInt(EFD_CLOEXEC))
        guard number >= 0 else {
            throw .failedCall(.eventDescriptor, errno: errno, about: "the event loop")
        }
        wakeUp = Descriptor(owning: number)
    }

    /// Has `action` run on the loop's thread, after those posted before it.
    ///
    /// An action that is posted when the loop has stopped waits until it runs again.
    package func post(_ action: @escaping Action) {
        wake { $0.actions.append(action) }
    }

    /// Makes `run` return at the end of its turn.
    package func stop() {
        wake { $0.isStopRequested = true }
    }

    /// Empties the mailbox; called by the loop only.
    func drain() -> (actions: [Action], isStopRequested: Bool) {
        contents.withLock { contents in
            if contents.isWakeUpPending {
                contents.isWakeUpPending = false
                var count: UInt64 = 0
                _ = read(wakeUp.number, &count, MemoryLayout<UInt64>.size)
            }
            let taken = (contents.actions, contents.isStopRequested)
            contents.actions = []
            contents.isStopRequested = false
            return taken
        }
    }

    private func wake(_ change: (inout sending Contents) -> Void) {
        contents.withLock { contents in
            change(&contents)
            guard !contents.isWakeUpPending else { return }
            contents.isWakeUpPending = true
            var one: UInt64 = 1
            // Can only fail if the counter is full, and then the loop wakes anyway.
            _ = write(wakeUp.number, &one, MemoryLayout<UInt64>.size)
        }
    }
}

/// Carries a value of the loop's thread through other threads, which cannot look inside.
///
/// Unchecked: `value(on:)` is the only way in, and it traps on any thread but the loop's.
package final class LoopBound<Value>: @unchecked Sendable {
    private let value: Value
    private let mailbox: LoopMailbox

    /// Wraps a value; call it on the thread of `loop`.
    package init(_ value: Value, on loop: EventLoop) {
        loop.checkThread()
        self.value = value
        mailbox = loop.mailbox
    }

    /// The value, on the thread of the loop it was wrapped on and nowhere else.
    package func value(on loop: EventLoop) -> Value {
        precondition(loop.mailbox === mailbox, "the value belongs to another loop")
        loop.checkThread()
        return value
    }
}

/// A thread for one piece of work that would keep the loop waiting.
package enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts `body` on a new thread that is never joined.
    ///
    /// - Returns: the error number if no thread could be made, else nil.
    package static func start(_ body: @escaping @Sendable () -> Void) -> CInt? {
        let work = Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if code == 0 { return nil }
        work.release()
        return code
    }
}

/// A signal that one thread waits for and another one gives.
///
/// Unchecked: a semaphore is made for several threads (sem_overview(7)).
package final class ThreadSignal: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    /// A signal that was not given yet.
    package init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Waits until it is given.
    package func wait() {
        while sem_wait(semaphore) != 0 {}
    }

    /// Gives it, for one who waits.
    package func signal() { sem_post(semaphore) }
}
