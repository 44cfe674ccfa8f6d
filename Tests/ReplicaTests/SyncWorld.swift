import Core
import Replica
import Session
import Storage
import TestSupport

/// Devices with real stores, links of bytes between them, a made-up clock and seeded chance.
final class SyncWorld {
    static let todo = CollectionID.number(1)
    /// A collection that only a newer version knows.
    static let newer = CollectionID.number(77)
    static let schema = [
        CollectionSchema(
            todo, "todo",
            fields: [
                FieldSchema(2, "title", .text), FieldSchema(3, "notes", .text),
                FieldSchema(8, "tags", .set), FieldSchema(9, "parent", .reference(.number(1))),
            ], indexes: [["state", "title"]])
    ]

    let files = ScratchFolder()
    let policy: DeletePolicy
    var chance: SplitMix64
    private var bits: SplitMix64
    var now = Instant(milliseconds: 1_000)
    private var wall: Int64 = 1_800_000_000_000
    var devices: [SyncDevice] = []
    var links: [SyncLink] = []
    var history = WriteHistory()
    /// The events so far, for debugging.
    var trace: [String] = []
    /// Counts of what happened.
    var counts: [String: Int] = [:]
    /// Whether a store may be set back without noticing: then one dot may name two writes, and the
    /// history cannot tell what must be left.
    var allowsForks = false
    /// Whether stores may be set back: then a write may be gone of which later ones have arrived elsewhere,
    /// and nobody can ever vouch for all of that replica's.
    var allowsGaps = false
    /// Whether images are taken for power cuts.
    var takesImages = false
    var limits = SessionLimits()
    /// Hears each frame that leaves one end of a link.
    var overhear: ((_ device: Int, _ frame: [UInt8]) -> Void)?
    private var textCount = 0

    init(seed: UInt64, policy: DeletePolicy = .deletesWin) {
        self.policy = policy
        chance = SplitMix64(seed: seed)
        bits = SplitMix64(seed: seed ^ 0x5bd1_e995_7f4a_7c15)
    }

    /// Says what happens.
    func say(_ words: @autoclosure () -> String) {
        trace.append(words())
    }

    func count(_ what: String) {
        counts[what, default: 0] += 1
    }

    /// A text that no other write has.
    func freshText() -> String {
        textCount += 1
        return "v\(textCount)"
    }

    // MARK: Devices

    /// A device without a store.
    func addDevice() -> SyncDevice {
        let name = "\(devices.count)"
        let device = SyncDevice(name, folder: files.path + "/" + name) { [unowned self] device in
            StoreEnvironment(
                wallMilliseconds: { [unowned self, unowned device] in
                    wall += 1
                    return wall + device.wallOffset
                }, drawBits: { [unowned self] in bits.next() }, machine: "machine",
                boot: "boot \(device.boot)")
        }
        devices.append(device)
        return device
    }

    /// A device with a new store of the space.
    @discardableResult
    func makeDevice(
        _ options: StoreOptions = StoreOptions(), space: SpaceID = SpaceID(value: 7)
    ) throws -> Int {
        let device = addDevice()
        device.options = options
        try device.create(policy, space: space)
        try look(at: devices.count - 1)
        return devices.count - 1
    }

    func store(_ deviceIndex: Int) throws -> Store {
        guard let store = devices[deviceIndex].store else {
            throw Violation("device \(deviceIndex) has no open store")
        }
        return store
    }

    func replica(_ deviceIndex: Int) throws -> Replica {
        guard let replica = devices[deviceIndex].replica else {
            throw Violation("device \(deviceIndex) is not running")
        }
        return replica
    }

    /// Opens a device's store; whether it took a new id.
    @discardableResult
    func open(_ deviceIndex: Int) throws -> Bool {
        try devices[deviceIndex].open()
        try look(at: deviceIndex)
        return try store(deviceIndex).suspicion != nil
    }

    /// Ends every link of a device as its process ends; bytes already sent still arrive.
    func vanish(_ deviceIndex: Int) {
        for index in links.indices {
            for side in 0...1 where links[index].ends[side].device == deviceIndex {
                links[index].ends[side].end = links[index].ends[side].end ?? .lost
                links[index].ends[side].incoming = []
            }
        }
    }

    // MARK: Links

    /// Opens a link between two devices and a session at each end.
    ///
    /// - Parameter guess: the peer that the first expects to call.
    @discardableResult
    func connect(
        _ first: Int, _ second: Int, isLive: Bool = false, guess: ReplicaID? = nil
    )
        throws -> Int
    {
        let (caller, answerer) = (try replica(first), try replica(second))
        let (mine, outputs) = caller.open(
            .initiator, isLive: isLive, guess: guess, limits: limits, now: now)
        let (theirs, answers) = answerer.open(
            .responder, isLive: isLive, limits: limits, now: now)
        links.append(
            SyncLink(
                ends: [
                    SyncLink.End(device: first, conversation: mine),
                    SyncLink.End(device: second, conversation: theirs),
                ], isLive: isLive))
        try dispatch(outputs, of: first)
        try dispatch(answers, of: second)
        return links.count - 1
    }

    /// Lets bytes arrive at one end of a link, or the word that the other end has closed.
    func deliver(_ index: Int, _ side: Int, _ count: Int) throws {
        let end = links[index].ends[side]
        guard end.end == nil else { return }
        if end.incoming.isEmpty {
            if links[index].ends[1 - side].end != nil {
                try tell(index, side, .lost)
            }
            return
        }
        let piece = Array(end.incoming.prefix(count))
        links[index].ends[side].incoming.removeFirst(piece.count)
        let replica = try replica(end.device)
        let outputs = piece.withUnsafeBytes { replica.receive(end.conversation, $0, now: now) }
        try dispatch(outputs, of: end.device)
        try look(at: end.device)
    }

    /// Tells one end of a link something.
    func tell(_ index: Int, _ side: Int, _ event: SessionEvent) throws {
        let end = links[index].ends[side]
        guard end.end == nil else { return }
        let outputs = try replica(end.device).run(end.conversation, event, now: now)
        if case .lost = event, links[index].ends[side].end == nil {
            links[index].ends[side].incoming = []
        }
        try dispatch(outputs, of: end.device)
        try look(at: end.device)
    }

    /// Breaks a link; bytes on their way are lost.
    func cut(_ index: Int) throws {
        for side in 0...1 { links[index].ends[side].incoming = [] }
        for side in 0...1 { try tell(index, side, .lost) }
    }

    /// Runs the effects of a device's replica.
    func dispatch(_ outputs: [Replica.Output], of device: Int) throws {
        var hasLeft = false
        for (conversation, effect) in outputs {
            guard let (index, side) = find(conversation, of: device) else { continue }
            switch effect {
            case .send(let bytes):
                overhear?(device, bytes)
                links[index].ends[side].sentByteCount += bytes.count
                if links[index].ends[1 - side].end == nil {
                    links[index].ends[1 - side].incoming += bytes
                }
                hasLeft = hasLeft || Self.carriesState(bytes)
            case .wake(let time): links[index].ends[side].wake = time
            case .report(let report):
                let before = links[index].ends[side].report
                links[index].ends[side].report = report
                try judge(report, after: before)
            case .fault(let fault): devices[device].faults.append(fault)
            case .close(let end):
                links[index].ends[side].end = end
                links[index].ends[side].incoming = []
                try judge(end, of: index, side)
            }
        }
        if hasLeft, takesImages {
            try look(at: device)
            devices[device].flushed = (
                FolderImage(of: devices[device].folder), devices[device].holdings
            )
        }
    }

    /// Whether a frame claims writes that the sender holds: these must be on its disk.
    private static func carriesState(_ frame: [UInt8]) -> Bool {
        // Length, head of the map, key 0, the kind.
        guard frame.count > 6 else { return false }
        let sorts: [UInt8] = [1, 2, 4, 5, 13, 14]
        return sorts.contains(frame[6])
    }

    private func find(_ conversation: ConversationID, of device: Int) -> (Int, Int)? {
        for index in links.indices {
            for side in 0...1 {
                let end = links[index].ends[side]
                if end.device == device, end.conversation == conversation, end.end == nil {
                    return (index, side)
                }
            }
        }
        return nil
    }

    private func judge(_ report: SessionReport, after before: SessionReport) throws {
        if report.isDiverged, !before.isDiverged { count("diverged") }
        if report.isWithheld, !before.isWithheld { count("withheld") }
        if report.isDiverged, !allowsForks { throw Violation("diverged, falsely") }
        if report.isWithheld, !allowsForks { throw Violation("withheld, falsely") }
    }

    private func judge(_ end: SessionEnd, of index: Int, _ side: Int) throws {
        guard case .failed(let error, _) = end else { return }
        count("ended with error \(error.code)")
        let link = links[index]
        let isItself = link.ends[0].device == link.ends[1].device
        switch error.known {
        case .timeout: return
        case .malformed where link.isCorrupted: return
        case .sameReplica where isItself: return
        case .deletesHeld where link.ends.contains { $0.report.held != nil }: return
        case .newIdentity where allowsForks, .sameReplica where allowsForks,
            .store where allowsForks:
            return
        default: throw Violation("a session ended with error \(error.code): \(error)")
        }
    }

    // MARK: Time

    /// Lets time pass; sessions wake when they asked for it.
    func pass(milliseconds: Int64) throws {
        now = now.advanced(byMilliseconds: milliseconds)
        wall += milliseconds
        for index in links.indices {
            for side in 0...1 {
                guard let wake = links[index].ends[side].wake, wake <= now,
                    links[index].ends[side].end == nil
                else { continue }
                links[index].ends[side].wake = nil
                try tell(index, side, .wake)
            }
        }
    }
}
