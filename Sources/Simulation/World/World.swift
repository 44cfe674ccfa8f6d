import Core
import Replica
import Session
import Storage

/// A made-up world in which a scenario takes place: real stores on simulated disks, real sessions over a
/// simulated network, made-up clocks, seeded chance.
///
/// One thread, one queue of events; whatever is not said by the scenario is drawn from named streams of
/// its seed, so that the same scenario gives the same events in every process and build.
package final class World {
    /// The scenario.
    package let scenario: Scenario
    /// The trace of events; filled if the options ask for it.
    package internal(set) var trace: Trace

    let options: WorldOptions
    var devices: [SimulatedDevice] = []
    var links: [Int: SimulatedLink] = [:]
    /// The databases that relays share, by their names.
    var databases: [String: SimulatedDatabase] = [:]
    var network = Network()
    /// Whether the secret of the space was ever changed.
    var hasChangedSecret = false
    /// Every secret that was made after the first.
    var madeSecrets: Set<KeyedSecret> = []
    /// Whether a device ever changed the secret unaware of what others did.
    var hasRivalSecrets = false
    /// Which secret each replica has ever stated, if not the first.
    var statedSecrets: [ReplicaID: KeyedSecret] = [:]
    var queue = EventQueue<WorldEvent>()
    /// Milliseconds since the scenario began.
    var now: Int64 = 0
    var eventCount = 0
    var stepCount = 0
    /// The step that is being carried out.
    var step: Int?
    var traceHash: UInt64
    private var lastLink = 0
    private var lastMessage = 0
    /// The judge of the devices of the scenario's space.
    let oracle: Oracle
    /// Whether what no program can notice has happened: then sessions may end with more errors.
    var allowsForks = false {
        didSet { oracle.allowsForks = allowsForks }
    }
    /// The item name for each record.
    var itemNames: [RecordName: String]
    /// The copies that clients of devices have of items.
    var clients: [SimulatedClient.Key: SimulatedClient] = [:]
    /// The number of the last text that a client got.
    var serving = 0
    /// The copies of purged items' values, by the names that the scenario gives them.
    var copies: [String: RecordName] = [:]
    /// Counts openings of stores, so that each draws bits of its own.
    var opens = 0
    /// Whether power may fail in this scenario: then what leaves a device is taken down.
    let mayLosePower: Bool
    /// The knowledge of each replica when it last uploaded its state summary to a relay.
    var declared: [ReplicaID: VersionVector] = [:]
    /// Every replica id that a device of the scenario ever had.
    var replicaIDs: Set<ReplicaID> = []
    /// Whether strangers called, who may have any effect on who devices take themselves for.
    var hasStrangers = false
    /// Whether somebody has said of deletes, anywhere, that they are meant: then many may go through at once.
    var hasAnsweredDeletes = false
    /// Whether every fault was ended: from now on sessions have no excuse.
    var isHealing = false
    /// Packets on their way, of all links.
    var pendingCount = 0
    /// Packets on their way that are signs of life and nothing else.
    var pendingSignCount = 0
    var networkChance: [Network.Road: Chance] = [:]
    /// Counts what happened, for whoever explores.
    package internal(set) var counts: [String: Int] = [:]
    /// The steps that were refused, in order; count from 0.
    package private(set) var refused: [Int] = []
    /// The expectations that were not met so far.
    private var failures: [FailedExpectation] = []

    /// When scenarios begin: 2027-01-15 08:00 UTC, in milliseconds since 1970-01-01 UTC.
    static let wallStart: Int64 = 1_800_000_000_000
    /// The space of a scenario.
    static let space = SpaceID(value: 7)

    /// A world with the scenario's devices, each with an empty store.
    package init(_ scenario: Scenario, options: WorldOptions = WorldOptions()) {
        self.scenario = scenario
        self.options = options
        trace = Trace(title: scenario.title)
        oracle = Oracle(policy: scenario.policy)
        traceHash = Chance.mixed(scenario.seed)
        var names: [RecordName: String] = [:]
        for item in scenario.items { names[Vocabulary.record(item)] = item }
        itemNames = names
        mayLosePower = scenario.steps.contains { step in
            if case .machine(let event) = step.event { event.losesPower } else { false }
        }
    }

    // MARK: Running

    /// Carries out every step, has all devices meet, and judges.
    ///
    /// After an expectation that is not met the steps go on, so that all such are told; the first one is the ending,
    /// whatever comes later.
    /// - Parameter look: called after the last step, before everyone meets.
    package func run(beforeHealing look: () throws -> Void = {}) -> Outcome {
        do {
            for traits in scenario.devices { try create(traits) }
            for (number, next) in scenario.steps.enumerated() {
                step = number
                try carryOut(next)
                if failures.isEmpty { stepCount += 1 }
            }
            if !failures.isEmpty { return finish(.expectationFailed, "") }
            step = nil
            try look()
            if options.healsAtEnd { try heal() }
            return finish(.passed, "")
        } catch let violation as Violation {
            let words = named(violation.description)
            tell(nil, .violated(words))
            return finish(violation.verdict, words)
        } catch {
            tell(nil, .violated("\(error)"))
            return finish(.crashed, "\(error)")
        }
    }

    /// Takes note of an expectation that is not met.
    func fail(_ difference: String) {
        let words = named(difference)
        tell(nil, .violated(words))
        failures.append(FailedExpectation(step: step ?? 0, detail: words))
    }

    /// Puts the scenario's names into words about device indices and records.
    private func named(_ words: String) -> String {
        var words = words
        for device in devices.reversed() {
            words = words.replacing("device \(device.index),", with: "\(device.name),")
                .replacing("device \(device.index) ", with: "\(device.name) ")
        }
        for (id, item) in itemNames.sorted(by: { $0.value < $1.value }) {
            words = words.replacing("record \(id)", with: item)
        }
        return words
    }

    private func finish(_ verdict: Verdict, _ detail: String) -> Outcome {
        let first = failures.first
        var outcome = Outcome(
            first == nil ? verdict : .expectationFailed, detail: first?.detail ?? detail,
            step: first?.step ?? step, stepCount: stepCount,
            eventCount: eventCount, traceHash: traceHash)
        outcome.failures = failures
        trace.outcome = outcome
        return outcome
    }

    /// Carries out one step, and looks whether it ended as it was meant to.
    private func carryOut(_ next: Step) throws {
        if options.keepsTrace {
            tell(nil, .step(ScenarioWriter.text(of: next, among: scenario.relays)))
        }
        mix(UInt64(stepCount))
        eventCount += 1
        let deviceIndex = next.event.family.subject.flatMap { self.deviceIndex(named: $0) }
        if let deviceIndex, let store = devices[deviceIndex].store {
            // A store that cannot be read has no counter to compare with.
            devices[deviceIndex].counterBefore = (try? store.summary()).map {
                ($0.replica, $0.counter)
            }
        }
        do {
            try performOnDamage(next, deviceIndex)
            try reviewDisks()
        } catch let refused as Refused {
            try reviewDisks()
            if let deviceIndex { tell(deviceIndex, .refused(refused.description)) }
            count("refused: \(refused.reason.rawValue)")
            if let step { self.refused.append(step) }
            if scenario.isLenient { return }
            guard let foreseen = next.refusal else {
                throw Violation(.expectationFailed, "refused: \(refused.description)")
            }
            guard foreseen == .anyReason || foreseen == refused.reason else {
                throw Violation(
                    .expectationFailed,
                    "refused for another reason than '\(foreseen.rawValue)': "
                        + refused.description)
            }
            return
        }
        if let foreseen = next.refusal, !scenario.isLenient {
            throw Violation(
                .expectationFailed,
                "was meant to be refused (\(foreseen.rawValue)) and was not")
        }
    }

    /// Carries out a step; what a store with a wrong bit says of that is a refusal like others.
    private func performOnDamage(_ next: Step, _ deviceIndex: Int?) throws {
        do {
            try next.event.family.apply(to: self, isElsewhere: next.isElsewhere)
        } catch let fault as StoreFault {
            guard let deviceIndex, devices[deviceIndex].hasWrongBit else { throw fault }
            throw try damaged(devices[deviceIndex], fault)
        }
    }

    // MARK: Telling

    /// Takes down what happens, if anyone wants to know.
    func tell(_ deviceIndex: Int?, _ event: @autoclosure () -> TraceEvent) {
        guard options.keepsTrace else { return }
        trace.entries.append(
            TraceEntry(time: now, deviceIndex: deviceIndex, step: step, event()))
    }

    func count(_ what: String) {
        counts[what, default: 0] += 1
    }

    /// Makes a number part of what tells this run from others.
    func mix(_ number: UInt64) {
        traceHash = Chance.mixed(traceHash ^ number) &+ 0x9e37_79b9_7f4a_7c15
    }

    /// The number of the next message.
    func nextMessage() -> Int {
        lastMessage += 1
        return lastMessage
    }

    /// The number of the next link.
    func nextLink() -> Int {
        lastLink += 1
        return lastLink
    }

    // MARK: Devices

    /// The device's number; nil if there is none of that name.
    func deviceIndex(named name: String) -> Int? {
        devices.firstIndex { $0.name == name }
    }

    func device(_ name: String) throws -> SimulatedDevice {
        guard let deviceIndex = deviceIndex(named: name) else {
            throw Refused(.missing, "there is no device \(name)")
        }
        return devices[deviceIndex]
    }

    /// The running store of a device.
    func store(_ device: SimulatedDevice) throws -> Store {
        guard let store = device.store else {
            throw Refused(.unreachable, "\(device.name) is not running")
        }
        return store
    }

    func replica(_ device: SimulatedDevice) throws -> Replica {
        guard let replica = device.replica else {
            throw Refused(.unreachable, "\(device.name) is not running")
        }
        return replica
    }

    /// The name of the device that has or had a replica id.
    func name(of replica: ReplicaID) -> String {
        for device in devices {
            guard let store = device.store else { continue }
            if let name = try? store.deviceName(of: replica) { return name }
        }
        return String(replica.hexadecimal.prefix(6))
    }

    /// The time as sessions know it.
    var instant: Instant { Instant(milliseconds: now + 1_000) }
}

/// How long a world goes on before it is called stuck.
package enum WorldLimits {
    /// The most events that one step may bring about.
    package static let eventsPerStepMax = 50_000
    /// The longest time that a session which is waited for may take; milliseconds of the world.
    package static let sessionMillisecondsMax: Int64 = 30 * 60_000
    /// The most rounds of meetings, everyone with everyone, until nothing is left to say; for each relay as many.
    package static let healingRoundsMax = 14
    /// The most further rounds for each damaged or forged version.
    package static let roundsPerDamageMax = 4
    /// Over a longer wait machines sleep: open links break; milliseconds.
    package static let wakefulMillisecondsMax: Int64 = 3_600_000
    /// The most devices of a world, copies included.
    package static let deviceCountMax = 64
}

/// How a world is run.
package struct WorldOptions: Hashable, Sendable {
    /// Whether all that happens is written down for a picture.
    package var keepsTrace = false
    /// Whether all devices meet at the end until they rest, and are judged then.
    package var healsAtEnd = true
    /// Whether devices are judged after each event, and not at the end alone.
    package var looksAfterEachEvent = true

    /// The usual way.
    package init() {}
}
