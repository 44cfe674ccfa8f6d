import Relay

/// Events that are due, in order of time, and of the number given at scheduling where times are equal.
///
/// A binary heap: the order of events depends on nothing else.
struct EventQueue<Event> {
    private struct Entry {
        let time: Int64
        let number: Int
        let event: Event

        func comes(before other: Entry) -> Bool {
            time != other.time ? time < other.time : number < other.number
        }
    }

    private var heap: [Entry] = []
    private var lastNumber = 0

    /// When the next event is due; nil if there is none.
    var nextTime: Int64? { heap.first?.time }

    /// Has something happen at a time.
    mutating func schedule(_ event: Event, at time: Int64) {
        lastNumber += 1
        heap.append(Entry(time: time, number: lastNumber, event: event))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].comes(before: heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the next event out.
    mutating func next() -> (time: Int64, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if heap.isEmpty { return (first.time, first.event) }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].comes(before: heap[least]) {
                least = child
            }
            if least == parent { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.time, first.event)
    }
}

/// Something that is due in a world.
enum WorldEvent {
    /// Bytes arrive at one end of a link.
    case arrival(link: Int, side: Int, Packet)
    /// One end of a link hears that the link is closed.
    case hangUp(link: Int, side: Int)
    /// A relay commits its waiting records.
    case commit(deviceIndex: Int, life: Int)
    /// A database goes on with what it was asked for.
    case work(() -> Void)
    /// A relay takes what its database has answered.
    case answers(deviceIndex: Int, life: Int)
    /// A relay hears of what another one has committed to the database that they share.
    case notice(deviceIndex: Int, life: Int, [RelayTouch])
    /// A relay looks at its spaces in the database that it shares.
    case look(deviceIndex: Int, life: Int)
    /// A session wakes; void if it has asked for another time since.
    case wake(link: Int, side: Int, token: Int)
}
