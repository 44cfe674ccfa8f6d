import Core
import Relay
import RelayTestSupport
import Session
import Testing

/// A relay with made-up devices at the other ends of its links.
final class RelayDesk {
    let world: RelayWorld
    let node: RelayEngine
    /// The messages that each conversation was sent.
    private var heard: [RelayServerSessionID: [Message]] = [:]
    /// The same, as the arrays that the relay gave.
    var buffers: [RelayServerSessionID: [[UInt8]]] = [:]
    private(set) var ends: [RelayServerSessionID: SessionEnd] = [:]
    private(set) var wakes: [RelayServerSessionID: Instant] = [:]
    private(set) var log: [RelayLogEvent] = []
    private var decoders: [RelayServerSessionID: FrameDecoder] = [:]
    /// Whether what is sent is only kept as bytes.
    var isDeaf = false

    init(
        _ world: RelayWorld = RelayWorld(), _ change: (inout RelayOptions) -> Void = { _ in }
    ) throws {
        self.world = world
        node = try world.node(change)
    }

    /// A desk with a relay on another store than the world's.
    init(_ world: RelayWorld, _ node: RelayEngine) {
        self.world = world
        self.node = node
    }

    func take(_ outputs: [RelayEngine.Output]) {
        for (id, effect) in outputs {
            switch effect {
            case .log(let event): log.append(event)
            case .send(let bytes):
                guard let id else { continue }
                #expect(ends[id] == nil, "nothing is sent after the end")
                buffers[id, default: []].append(bytes)
                if !isDeaf { hear(bytes, id) }
            case .wake(let time): if let id { wakes[id] = time }
            case .close(let end): if let id { ends[id] = end }
            }
        }
    }

    private func hear(_ bytes: [UInt8], _ id: RelayServerSessionID) {
        decoders[id, default: FrameDecoder()].append(bytes)
        do {
            while let message = try decoders[id]?.next() { heard[id, default: []].append(message) }
        } catch {
            Issue.record("the relay sent bytes that are no message: \(error)")
        }
    }

    // MARK: Devices

    /// Opens a link.
    func open(
        _ address: String = "10.0.0.1", binding: [UInt8]? = nil, device: UInt8? = nil
    ) -> RelayServerSessionID {
        let visitor = device.map {
            RelayVisitor(fingerprint: [UInt8](repeating: $0, count: 32), day: 20_000)
        }
        let (id, outputs) = node.open(
            RelayChannel(address: address, binding: binding, visitor: visitor), now: world.now)
        take(outputs)
        return id
    }

    /// Opens a link and approaches.
    func relayHello(
        _ replica: UInt128, space: SpaceID = RelayWorld.space, isLive: Bool = true,
        read: RelayHello.Bookmark? = nil, address: String = "10.0.0.1", device: UInt8? = nil,
        _ change: (inout RelayHello) -> Void = { _ in }
    ) -> RelayServerSessionID {
        let id = open(address, device: device)
        var relayHello = RelayHello(
            space: space, replica: ReplicaID(value: replica), features: isLive ? .live : [],
            generation: 0, read: read)
        change(&relayHello)
        say(id, .relayHello(relayHello))
        return id
    }

    func say(_ id: RelayServerSessionID, _ messages: Message...) {
        for message in messages {
            take(node.receive(id, Frame.encode(message), now: world.now))
        }
    }

    func commit() { take(node.commit(now: world.now)) }

    func run(_ id: RelayServerSessionID, _ event: RelayEvent) {
        take(node.run(id, event, now: world.now))
    }

    /// Advances the time and wakes the conversations that requested it.
    func pass(milliseconds: Int64) {
        world.now = world.now.advanced(byMilliseconds: milliseconds)
        for (id, time) in wakes.sorted(by: { $0.key < $1.key })
        where time <= world.now && ends[id] == nil {
            wakes[id] = nil
            run(id, .wake)
        }
    }

    /// Returns the messages that a conversation was sent since the last call.
    func heard(by id: RelayServerSessionID) -> [Message] {
        defer { heard[id] = [] }
        return heard[id] ?? []
    }

    /// The changes that a conversation was sent since it was last asked.
    func changes(_ id: RelayServerSessionID) -> [Change] {
        heard(by: id).flatMap { (message) -> [Change] in
            if case .changes(let batch) = message { batch.changes } else { [] }
        }
    }

    /// The error that ended a conversation.
    func error(_ id: RelayServerSessionID) -> PeerError? {
        if case .failed(let error, _)? = ends[id] { error } else { nil }
    }

    // MARK: Words

    static func clock(_ replica: UInt128, _ counter: UInt64) -> VersionVector {
        RelaySamples.clock(replica, counter)
    }

    static func change(
        _ id: UInt128, _ replica: UInt128, _ counter: UInt64, _ byteCount: Int = 3
    ) -> Change {
        RelaySamples.change(id, replica, counter, byteCount)
    }

    static func batch(_ changes: [Change], through sequence: UInt64) -> Message {
        .changes(
            ChangeBatch(
                changes: changes,
                through: Checkpoint(epoch: EpochID(value: 99), sequence: sequence)))
    }

    /// The end of an upload, with the digests of a device.
    static func uploadDone(
        _ sequence: UInt64, _ bytes: [UInt8], by replica: UInt128 = 1, number: UInt64 = 1
    ) -> Message {
        .uploadDone(
            UploadDone(
                through: Checkpoint(epoch: EpochID(value: 99), sequence: sequence),
                rows: [row(replica, number: number, bytes)]))
    }

    /// A row of a device.
    static func row(
        _ replica: UInt128, about: UInt128? = nil, number: UInt64 = 1, _ bytes: [UInt8]
    ) -> SummaryRow {
        RelaySamples.row(replica, about: about, number: number, bytes)
    }
}

extension [Message] {
    /// The kinds, in order.
    var kinds: [UInt64] { map(\.kind) }

    /// The first relay hello reply.
    var relayHelloReply: RelayHelloReply? {
        for case .relayHelloReply(let relayHelloReply) in self { return relayHelloReply }
        return nil
    }

    /// The last standing.
    var downloadDone: DownloadDone? {
        var last: DownloadDone?
        for case .downloadDone(let downloadDone) in self { last = downloadDone }
        return last
    }

    /// The last acknowledgement.
    var acknowledged: UInt64? {
        var last: UInt64?
        for case .acknowledge(let count) in self { last = count }
        return last
    }
}
