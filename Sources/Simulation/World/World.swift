import Core
import Replica
import Session
import Storage

/// A made-up world in which a story takes place: real stores on simulated disks, real sessions over a
/// simulated network, made-up clocks, seeded chance.
///
/// One thread, one queue of events; whatever is not said by the story is drawn from named streams of
/// its seed, so that the same story gives the same events in every process and build.
package final class World {
    /// The story.
    package let story: Story
    /// What happened; filled if the options ask for it.
    package internal(set) var chronicle: Chronicle

    let options: WorldOptions
    var devices: [Device] = []
    var links: [Int: Link] = [:]
    var network = Network()
    /// Whether the secret of the space was ever changed.
    var hasChangedSecret = false
    /// Which generation of the secret each replica has ever stated, if not the first.
    var statedSecrets: [ReplicaID: UInt32] = [:]
    var queue = EventQueue<WorldEvent>()
    /// Milliseconds since the story began.
    var now: Int64 = 0
    var eventCount = 0
    var stepCount = 0
    /// The step that is being carried out.
    var step: Int?
    var trace: UInt64
    private var lastLink = 0
    private var lastMessage = 0
    /// Who judges the devices of the story's space.
    let oracle: Oracle
    /// Whether what no program can notice has happened: then sessions may end with more errors.
    var allowsForks = false {
        didSet { oracle.allowsForks = allowsForks }
    }
    /// Whose record each item's name stands for.
    let itemNames: [RecordID: String]
    /// Counts openings of stores, so that each draws bits of its own.
    var opens = 0
    /// Whether power may fail in this story: then what leaves a device is taken down.
    let mayLosePower: Bool
    /// What each replica ever had when it uploaded its statement to a relay.
    var declared: [ReplicaID: VersionVector] = [:]
    /// Every replica id that a device of the story ever had.
    var replicaIDs: Set<ReplicaID> = []
    /// Whether strangers called, who may have any effect on who devices take themselves for.
    var hasStrangers = false
    /// Whether somebody has said of deletes, anywhere, that they are meant: then many may go through at once.
    var hasAcceptedDeletes = false
    /// Whether every fault was ended: from now on sessions have no excuse.
    var isHealing = false
    /// Packets on their way, of all links.
    var pendingCount = 0
    /// Those of them that are signs of life and nothing else.
    var pendingSignCount = 0
    var networkChance: [Network.Road: Chance] = [:]
    /// Counts what happened, for whoever explores.
    package internal(set) var counts: [String: Int] = [:]
    /// The steps that were refused, in order; count from 0.
    package private(set) var refused: [Int] = []

    /// When stories begin: 2027-01-15 08:00 UTC, in milliseconds since 1970-01-01 UTC.
    static let wallStart: Int64 = 1_800_000_000_000
    /// The space of a story.
    static let space = SpaceID(value: 7)

    /// A world with the story's devices, each with an empty store.
    package init(_ story: Story, options: WorldOptions = WorldOptions()) {
        self.story = story
        self.options = options
        chronicle = Chronicle(title: story.title)
        oracle = Oracle(policy: story.policy)
        trace = Chance.mixed(story.seed)
        var names: [RecordID: String] = [:]
        for item in story.items { names[Vocabulary.record(item)] = item }
        itemNames = names
        mayLosePower = story.steps.contains { step in
            switch step.action {
            case .losePower, .losePowerAfter: true
            default: false
            }
        }
    }

    // MARK: Running

    /// Carries out every step, has all devices meet, and judges.
    ///
    /// - Parameter look: called after the last step, before everyone meets.
    package func run(beforeHealing look: () throws -> Void = {}) -> Outcome {
        do {
            for traits in story.devices { try create(traits) }
            for (number, next) in story.steps.enumerated() {
                step = number
                try carryOut(next)
                stepCount += 1
            }
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

    /// Puts the story's names into words about lanes and records.
    private func named(_ words: String) -> String {
        var words = words
        for device in devices.reversed() {
            words = words.replacing("device \(device.lane),", with: "\(device.name),")
                .replacing("device \(device.lane) ", with: "\(device.name) ")
        }
        for (id, item) in itemNames.sorted(by: { $0.value < $1.value }) {
            words = words.replacing("record \(id)", with: item)
        }
        return words
    }

    private func finish(_ verdict: Verdict, _ detail: String) -> Outcome {
        let outcome = Outcome(
            verdict, detail: detail, step: step, stepCount: stepCount,
            eventCount: eventCount, traceHash: trace)
        chronicle.outcome = outcome
        return outcome
    }

    /// Carries out one step, and looks whether it ended as it was meant to.
    private func carryOut(_ next: Step) throws {
        if options.keepsChronicle {
            tell(nil, .step(StoryWriter.text(of: next, among: story.relays)))
        }
        mix(UInt64(stepCount))
        eventCount += 1
        let lane = next.action.subject.flatMap { self.lane(named: $0) }
        do {
            try performOnDamage(next, lane)
            try reviewDisks()
        } catch let refused as Refused {
            try reviewDisks()
            if let lane { tell(lane, .refused(refused.description)) }
            count("refused: \(refused.reason.rawValue)")
            if let step { self.refused.append(step) }
            if story.isLenient { return }
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
        if let foreseen = next.refusal, !story.isLenient {
            throw Violation(
                .expectationFailed,
                "was meant to be refused (\(foreseen.rawValue)) and was not")
        }
    }

    /// Carries out a step; what a store with a wrong bit says of that is a refusal like others.
    private func performOnDamage(_ next: Step, _ lane: Int?) throws {
        do {
            try perform(next.action, isElsewhere: next.isElsewhere)
        } catch let fault as StoreFault {
            guard let lane, devices[lane].hasWrongBit else { throw fault }
            throw try damaged(devices[lane], fault)
        }
    }

    // MARK: Telling

    /// Takes down what happens, if anyone wants to know.
    func tell(_ lane: Int?, _ happening: @autoclosure () -> Happening) {
        guard options.keepsChronicle else { return }
        chronicle.moments.append(
            Moment(time: now, lane: lane, step: step, happening()))
    }

    func count(_ what: String) {
        counts[what, default: 0] += 1
    }

    /// Makes a number part of what tells this run from others.
    func mix(_ number: UInt64) {
        trace = Chance.mixed(trace ^ number) &+ 0x9e37_79b9_7f4a_7c15
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
    func lane(named name: String) -> Int? {
        devices.firstIndex { $0.name == name }
    }

    func device(_ name: String) throws -> Device {
        guard let lane = lane(named: name) else {
            throw Refused(.missing, "there is no device \(name)")
        }
        return devices[lane]
    }

    /// The running store of a device.
    func store(_ device: Device) throws -> Store {
        guard let store = device.store else {
            throw Refused(.unreachable, "\(device.name) is not running")
        }
        return store
    }

    func replica(_ device: Device) throws -> Replica {
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
