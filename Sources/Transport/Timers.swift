import CLinux
import Glibc

/// A point on this machine's monotonic clock; means nothing on another machine or after a restart.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since an unspecified start.
    package let nanoseconds: UInt64

    /// A point at the given number of nanoseconds after the clock's start.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The current time; a setting of the wall clock does not move it.
    package static var now: MonotonicTime {
        var time = timespec()
        let result = clock_gettime(CLOCK_MONOTONIC, &time)
        precondition(result == 0, "every Linux has a monotonic clock")
        return MonotonicTime(
            nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// The point `duration` later; stays within the clock's range instead of wrapping.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        // Three hundred years: longer than any timer means, far from the end of UInt64.
        let bounded = min(max(seconds, -9_000_000_000), 9_000_000_000)
        let step = bounded * 1_000_000_000 + attoseconds / 1_000_000_000
        guard step < 0 else {
            let (sum, overflow) = time.nanoseconds.addingReportingOverflow(UInt64(step))
            return MonotonicTime(nanoseconds: overflow ? .max : sum)
        }
        let back = step.magnitude
        return MonotonicTime(nanoseconds: time.nanoseconds > back ? time.nanoseconds - back : 0)
    }

    /// How much later `self` is than `other`; negative if it is earlier.
    package static func - (time: MonotonicTime, other: MonotonicTime) -> Duration {
        let distance = time.nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return .nanoseconds(Int64(bitPattern: distance.partialValue))
    }

    /// True if `a` comes before `b`.
    package static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
        a.nanoseconds < b.nanoseconds
    }
}

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
