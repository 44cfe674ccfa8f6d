import Core
import Replica
import Session
import Storage

/// Visits of devices at a relay.
extension SyncWorld {
    /// The result of a visit.
    struct VisitResult {
        var end: SessionEnd?
        var report = SessionReport()
        /// The kinds of the device's messages.
        var sentKinds: [UInt64] = []
        /// How many messages of the relay came.
        var heardCount = 0
        var sentByteCount = 0
        var receivedByteCount = 0
        var byteCount: Int { sentByteCount + receivedByteCount }
    }

    /// One whole session of a device with a relay; cut after so many messages of the device, or of the relay, if told.
    @discardableResult
    func visit(
        _ deviceIndex: Int, _ relay: NaiveRelay, seal: (any SpaceSeal)? = nil, cutAfter: Int = .max,
        hearing: Int = .max, isReader: Bool = false
    ) throws -> VisitResult {
        let replica = try replica(deviceIndex)
        let address = "relay"
        let guess = try store(deviceIndex).replica(at: address)
        var result = VisitResult()
        let visit = NaiveRelay.Visit(relay)
        var decoder = FrameDecoder()
        now = now.advanced(byMilliseconds: 10)
        let (id, first) = replica.openRelay(
            RelayAccount(generation: seal == nil ? 0 : 1, isReader: isReader), seal: seal,
            isLive: false, guess: guess, now: now)
        var outputs = first
        for _ in 0..<20_000 {
            var answers: [Message] = []
            for (_, effect) in outputs {
                switch effect {
                case .send(let bytes):
                    result.sentByteCount += bytes.count
                    bytes.withUnsafeBytes { decoder.append($0) }
                    while let message = try decoder.next() {
                        result.sentKinds.append(message.kind)
                        if result.sentKinds.count > cutAfter { continue }
                        answers += visit.answer(message)
                    }
                case .report(let report): result.report = report
                case .close(let end): result.end = end
                case .fault(let fault): devices[deviceIndex].faults.append(fault)
                case .wake: break
                }
            }
            outputs = []
            if result.end != nil { break }
            if answers.isEmpty {
                outputs = replica.run(id, .lost, now: now)
                continue
            }
            for answer in answers {
                if result.heardCount == hearing {
                    outputs += replica.run(id, .lost, now: now)
                    break
                }
                result.heardCount += 1
                let frame = Frame.encode(answer)
                result.receivedByteCount += frame.count
                outputs += frame.withUnsafeBytes { replica.receive(id, $0, now: now) }
            }
        }
        if let peer = result.report.peer { try store(deviceIndex).remember(peer, at: address) }
        try look(at: deviceIndex)
        return result
    }
}
