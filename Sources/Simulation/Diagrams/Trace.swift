/// The events of a world, entry by entry, for a person to look at.
package struct Trace: Hashable, Sendable {
    /// The subject of the scenario.
    package var title: String
    /// The devices, in the order in which they came into the world.
    package var devices: [String]
    /// The entries, in order.
    package var entries: [TraceEntry]
    /// How it ended.
    package var outcome: Outcome?

    /// A trace of nothing yet.
    package init(title: String = "", devices: [String] = [], entries: [TraceEntry] = []) {
        self.title = title
        self.devices = devices
        self.entries = entries
    }
}

/// One thing that happened on one device, or to all.
package struct TraceEntry: Hashable, Sendable {
    /// When: milliseconds since the scenario began, of no device's clock.
    package var time: Int64
    /// Of which device; nil if it concerns the whole world.
    package var deviceIndex: Int?
    /// The step of the scenario that was being carried out; counts from 0.
    package var step: Int?
    /// The event.
    package var event: TraceEvent

    /// An entry.
    package init(time: Int64, deviceIndex: Int?, step: Int?, _ event: TraceEvent) {
        self.time = time
        self.deviceIndex = deviceIndex
        self.step = step
        self.event = event
    }
}

/// The event of an entry of a trace.
package enum TraceEvent: Hashable, Sendable {
    /// A step of the scenario begins; its words.
    case step(String)
    /// An edit was committed: what was done, and the record after it.
    case wrote(item: String, words: String, RecordGlimpse)
    /// An event was refused; why.
    case refused(String)
    /// A message left for another device; messages are counted through the whole world.
    case sent(message: Int, to: Int, kind: String, byteCount: Int)
    /// A message arrived whole.
    case received(message: Int)
    /// A message was lost on the way; why.
    case lost(message: Int, String)
    /// An arrival changed a record: the version that the device holds now.
    case merged(item: String, RecordGlimpse)
    /// A session with another device ended; how, and whether it was in order.
    case sessionEnded(with: Int, String, isWell: Bool)
    /// The program started; whether the store took a new replica id, and why.
    case opened(newIdentity: String?)
    /// The program ended in order.
    case closed
    /// The program was killed.
    case crashed
    /// The machine lost power.
    case lostPower
    /// Something else befell the device, in words: a copy, a backup, a clock, a disk, the network.
    case befell(String)
    /// An expectation was looked at.
    case checked(String, isTrue: Bool)
    /// A promise was broken.
    case violated(String)
}

/// A record as a device holds it at one entry, in words.
package struct RecordGlimpse: Hashable, Sendable {
    /// Its clock: for each replica id, named after its device, the highest counter.
    package var clock: [String]
    /// Field and shown value, in order of the fields.
    package var values: [String]
    /// Each open conflict with the values that compete.
    package var conflicts: [String]
    /// Whether it is listed, deleted or purged.
    package var state: ItemState

    /// A record in words.
    package init(clock: [String], values: [String], conflicts: [String], state: ItemState) {
        self.clock = clock
        self.values = values
        self.conflicts = conflicts
        self.state = state
    }
}
