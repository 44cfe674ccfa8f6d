import Core
import Crypto
import Devices
import Glibc
import Session
import Storage
import Transport

/// A replica that calls a peer on loopback, and times what happens.
final class Caller {
    /// Bytes carried both ways so far.
    var byteCount = 0
    /// From the open connection to the end of the session.
    private(set) var sessionSeconds = 0.0

    private let store: Store
    private let loop: EventLoop
    private let runner: ReplicaRunner
    private let hostAndPort: HostAndPort
    private let name: String
    private let security: SecureContext?

    /// - Parameter isSecure: whether over TLS, accepting any key.
    init(folder: String, port: UInt16?, isSecure: Bool = false) throws {
        guard let port else { throw BenchError.failed("the peer does not listen") }
        store = try Benchmarks.open(folder)
        loop = try EventLoop()
        runner = try ReplicaRunner(store: store, on: loop)
        name = "127.0.0.1:\(port)"
        hostAndPort = try HostAndPort(parsing: name)
        security = try isSecure ? Peer.anybody() : nil
    }

    func close() {
        runner.stop()
        store.close()
    }

    /// One whole session.
    func sync() throws {
        var outcome: (SessionEnd, TransportError?)?
        try call(isLive: false, report: { _ in }) { [unowned self] end, error in
            outcome = (end, error)
            loop.stop()
        }
        try loop.run()
        guard case (.finished, nil)? = outcome else {
            throw BenchError.failed("the sync ended with \(String(describing: outcome))")
        }
    }

    private func call(
        isLive: Bool, report: @escaping (SessionReport) -> Void,
        ended: @escaping (SessionEnd, TransportError?) -> Void
    ) throws {
        let guess = try store.replica(at: name)
        var start = 0.0
        Dialer(
            on: loop, to: hostAndPort, security: security, options: LinkOptions.session
        ) { [unowned self] result in
            switch result {
            case .failure(let error): ended(.lost, error)
            case .success(let link):
                start = Cost.wall
                runner.converse(
                    over: link, as: .initiator, isLive: isLive, guess: guess,
                    listener: ReplicaRunner.Listener(
                        report: { [unowned self] found in
                            if let peer = found.peer, peer != guess {
                                try? store.remember(peer, at: name)
                            }
                            report(found)
                        },
                        ended: { [unowned self] end, error in
                            sessionSeconds = Cost.wall - start
                            byteCount += link.byteCount
                            ended(end, error)
                        }))
            }
        }
    }

    /// How long an edit took; seconds.
    struct LiveEdit {
        /// Until it was committed and visible at the peer; it was on the disk here before it left.
        var visible: Double
        /// Until this side had heard so, and both knew that nothing is left.
        var acknowledged: Double
    }

    /// Edits here, and times until the edit is at the peer.
    func timeLiveEdits(_ count: Int, editing id: RecordID, at peer: Peer) throws -> [LiveEdit] {
        var times: [LiveEdit] = []
        var sentAt = 0.0
        var last = 0
        var isPlanned = false
        try call(isLive: true) { [unowned self] report in
            // Caught up again after an edit: its batch was integrated there and acknowledged.
            guard report.isCaughtUp else { return }
            if sentAt > 0, report.sentCount > last {
                let arrivedAt = peer.arrivedAt
                guard arrivedAt > sentAt else { return loop.stop() }
                times.append(
                    LiveEdit(visible: arrivedAt - sentAt, acknowledged: Cost.wall - sentAt))
                last = report.sentCount
                sentAt = 0
            }
            guard times.count < count else { return loop.stop() }
            if sentAt == 0, !isPlanned {
                isPlanned = true
                loop.schedule(after: .milliseconds(1)) { [unowned self] in
                    isPlanned = false
                    sentAt = Cost.wall
                    do {
                        try store.write {
                            try $0.update(
                                RecordName(.number(1), id),
                                [Assignment(.number(2), .text("live \(times.count) \(sentAt)"))]
                            )
                        }
                    } catch {
                        loop.stop()
                    }
                    runner.noticeChanges()
                }
            }
        } ended: { [unowned self] _, _ in
            loop.stop()
        }
        loop.schedule(after: .seconds(60)) { [unowned self] in loop.stop() }
        try loop.run()
        return times
    }
}
