import Core
import Session
import TestSupport

/// Two sessions on two stores and the bytes between them.
///
/// Everything said goes through frames and back, cut at places drawn from a seed; every loop has a bound.
struct SessionPair {
    /// One side.
    struct End {
        var store: MemoryStore
        var session: SyncSession
        var decoder = FrameDecoder()
        /// Bytes on their way to this side.
        var incoming: [UInt8] = []
        var isOpen = false
        var end: SessionEnd?
        var report = SessionReport()
        var wake: Instant?
        /// The messages that this side sent.
        var said: [Message] = []
        /// The effects that this side requested of its store and its link, without the messages.
        var asked: [SessionEffect] = []
        /// The bytes that it sent.
        var sentByteCount = 0
    }

    var ends: [End]
    var now = Instant(milliseconds: 1_000)
    /// The link breaks once so many bytes, of both directions, have arrived.
    var byteCountMax = Int.max
    private(set) var arrivedByteCount = 0
    private var random: TestRandom
    /// The most bytes that arrive at once.
    var pieceMax = 5_000
    /// The side whose store answers only when `release` says so; nil for neither.
    var slowSide: Int?
    private var heldAnswers: [SessionEvent] = []
    /// Looks at each change of a batch on its way; false keeps it back.
    var letsPass: @Sendable (Change) -> Bool = { _ in true }

    init(
        _ first: MemoryStore, _ second: MemoryStore, isLive: Bool = false, guess: ReplicaID? = nil,
        limits: SessionLimits = SessionLimits(), seed: UInt64 = 1
    ) {
        ends = [
            End(
                store: first,
                session: SyncSession(
                    role: .initiator, isLive: isLive, limits: limits, guess: guess)),
            End(
                store: second,
                session: SyncSession(role: .responder, isLive: isLive, limits: limits)),
        ]
        random = TestRandom(seed: seed)
    }

    mutating func open() {
        for side in 0...1 {
            ends[side].isOpen = true
            tell(side, .opened)
        }
    }

    /// Feeds one event, runs the effects and feeds the store's answers.
    mutating func tell(_ side: Int, _ event: SessionEvent) {
        var events = [event]
        var count = 0
        while !events.isEmpty {
            count += 1
            precondition(count < 1_000_000, "a session that asks for ever")
            for effect in ends[side].session.step(events.removeFirst(), now: now) {
                guard let answer = run(effect, side) else { continue }
                switch answer {
                case .integrated where side == slowSide: heldAnswers.append(answer)
                default: events.append(answer)
                }
            }
        }
    }

    /// Gives the slow side its store's next answer; false if none is held.
    mutating func release() -> Bool {
        guard let side = slowSide, !heldAnswers.isEmpty else { return false }
        tell(side, heldAnswers.removeFirst())
        return true
    }

    private mutating func run(_ effect: SessionEffect, _ side: Int) -> SessionEvent? {
        if case .send(let message) = effect {
            ends[side].said.append(message)
            transmit(message, from: side)
            return nil
        }
        ends[side].asked.append(effect)
        switch effect {
        case .send: return nil
        case .judge, .recordUnreadable, .findDueRows, .noteUploaded, .noteFetched,
            .leaveRekeyMessages,
            .applyRekeyMessage:
            preconditionFailure("a peer is no relay")
        case .greet(let peer): return .greeting(ends[side].store.greeting(for: peer))
        case .examine(let found): return .examined(isSuspicious: ends[side].store.examine(found))
        case .listMoved(let summary): return .moved(ends[side].store.moved(since: summary))
        case .dropCheckpoints(let peer): ends[side].store.dropCheckpoints(of: peer)
        case .recallHistory(let peer): return .history(ends[side].store.history(of: peer))
        case .resolve(let history):
            return .examined(isSuspicious: ends[side].store.resolve(history))
        case .suspectIdentity: ends[side].store.adoptNewID()
        case .read(let request): return .read(ends[side].store.read(request))
        case .integrate(let request): return .integrated(ends[side].store.integrate(request))
        case .join(let request): return .joined(ends[side].store.join(request))
        case .wake(let time): ends[side].wake = time
        case .report(let report): ends[side].report = report
        case .close(let end):
            ends[side].end = end
            ends[side].isOpen = false
        }
        return nil
    }

    private mutating func transmit(_ message: Message, from side: Int) {
        var message = message
        if case .changes(var batch) = message {
            batch.changes = batch.changes.filter(letsPass)
            message = .changes(batch)
        }
        let bytes = Frame.encode(message)
        ends[side].sentByteCount += bytes.count
        ends[1 - side].incoming += bytes
    }

    /// Lets bytes arrive until none are left or both sides are closed.
    mutating func run(stepsMax: Int = 1_000_000) {
        var steps = 0
        while ends[0].end == nil || ends[1].end == nil {
            steps += 1
            precondition(steps < stepsMax, "a session that never rests")
            let waiting = (0...1).filter { !ends[$0].incoming.isEmpty && ends[$0].end == nil }
            guard let side = waiting.randomElement(using: &random) else {
                if !loseIfClosed() { return }
                continue
            }
            deliver(side, Int.random(in: 1...pieceMax, using: &random))
            if arrivedByteCount >= byteCountMax { lose() }
        }
    }

    /// A side whose peer has closed, and whose bytes have all arrived, loses the link.
    private mutating func loseIfClosed() -> Bool {
        for side in 0...1 where ends[side].end == nil && ends[1 - side].end != nil {
            tell(side, .lost)
            return true
        }
        return false
    }

    mutating func lose() {
        for side in 0...1 where ends[side].end == nil { tell(side, .lost) }
    }

    /// Lets the next bytes arrive at one side.
    mutating func deliver(_ side: Int, _ count: Int) {
        let piece = Array(
            ends[side].incoming.prefix(min(count, byteCountMax - arrivedByteCount)))
        ends[side].incoming.removeFirst(piece.count)
        arrivedByteCount += piece.count
        ends[side].decoder.append(piece)
        while ends[side].end == nil {
            do {
                guard let message = try ends[side].decoder.next() else { return }
                tell(side, .received(message))
            } catch {
                tell(side, .undecodable(error))
            }
        }
    }

    /// Lets time pass; sides wake when they asked for it, and what they say arrives at once.
    mutating func pass(milliseconds: Int64, isCut: Bool = false) {
        let end = now.advanced(byMilliseconds: milliseconds)
        for _ in 0..<10_000 {
            let due = (0...1).filter { ends[$0].end == nil && (ends[$0].wake ?? end) < end }
            guard let side = due.min(by: { wake($0) < wake($1) }) else { break }
            now = max(now, wake(side))
            ends[side].wake = nil
            tell(side, .wake)
            if !isCut { run() }
        }
        now = end
    }

    private func wake(_ side: Int) -> Instant { ends[side].wake ?? now }

    /// The numbers of the kinds of messages that one side said.
    func kinds(_ side: Int) -> [UInt64] { ends[side].said.map(\.kind) }

    /// The sum of both directions.
    var totalByteCount: Int { ends[0].sentByteCount + ends[1].sentByteCount }

    /// Whether both stores have the same records and know the same writes.
    var isEqual: Bool {
        ends[0].store.contents == ends[1].store.contents
            && ends[0].store.knowledge == ends[1].store.knowledge
    }

    /// One whole session between two stores.
    static func sync(
        _ first: inout MemoryStore, _ second: inout MemoryStore, guess: Bool = true,
        seed: UInt64 = 1
    ) -> SessionPair {
        var pair = SessionPair(first, second, guess: guess ? second.replica : nil, seed: seed)
        pair.open()
        pair.run()
        first = pair.ends[0].store
        second = pair.ends[1].store
        return pair
    }
}
