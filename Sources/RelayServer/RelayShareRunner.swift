import Relay
import Storage
import Transport

/// Exchanges counts and mailboxes with the other processes of a relay: once a second, and soon for who waits.
///
/// Each exchange runs on a thread of its own, one at a time, so a database that is slow holds up no conversation.
final class RelayShareRunner {
    private let sharing: any RelaySharing
    private unowned let loop: EventLoop
    private let request: () -> RelayShareRequest
    private let take: (RelayShareRequest, Result<RelayShareAnswer, StoreFault>) -> Void
    private var isUnderWay = false
    /// Whether the next exchange follows at once.
    private var isWanted = false
    private var isClosed = false
    private var answeredAt = MonotonicTime.now
    private var hasFailed = false

    /// How often there is one.
    static let period = Duration.seconds(1)
    /// A database that has given no answer for so long is away.
    static let awayMax = Duration.seconds(10)

    /// Prepares exchanges.
    ///
    /// - Parameters:
    ///   - request: what is exchanged now; each is followed by `take`.
    ///   - take: takes the outcome.
    init(
        _ sharing: any RelaySharing, on loop: EventLoop, request: @escaping () -> RelayShareRequest,
        take: @escaping (RelayShareRequest, Result<RelayShareAnswer, StoreFault>) -> Void
    ) {
        self.sharing = sharing
        self.loop = loop
        self.request = request
        self.take = take
    }

    /// Whether the database gives no answers.
    var isAway: Bool { hasFailed || MonotonicTime.now > answeredAt + Self.awayMax }

    /// Begins; there is an exchange at once.
    func start() {
        soon()
        loop.schedule(after: Self.period) { [weak self] in
            guard let self, !isClosed else { return }
            start()
        }
    }

    /// Somebody waits: there is an exchange at once, or as soon as the present one is over.
    func soon() {
        if isClosed { return }
        isWanted = true
        // With all that this turn of the loop brings.
        loop.schedule(after: .zero) { [weak self] in self?.beginIfWanted() }
    }

    private func beginIfWanted() {
        guard isWanted, !isUnderWay, !isClosed else { return }
        isWanted = false
        isUnderWay = true
        let (sharing, mailbox) = (sharing, loop.mailbox)
        let request = request()
        let runner = LoopBound(self, on: loop)
        let errorNumber = DetachedThread.start {
            let result = Result { () throws(StoreFault) in try sharing.exchange(request) }
            mailbox.post { loop in runner.value(on: loop).finish(request, result) }
        }
        if let errorNumber {
            finish(
                request,
                .failure(.inputOutput(call: "pthread_create", path: "", detail: "\(errorNumber)")))
        }
    }

    private func finish(
        _ request: RelayShareRequest, _ result: Result<RelayShareAnswer, StoreFault>
    ) {
        isUnderWay = false
        if isClosed { return }
        switch result {
        case .success:
            answeredAt = MonotonicTime.now
            hasFailed = false
        // Another process has a row or a lock: it is there, and soon gives an answer.
        case .failure(.busy): break
        case .failure: hasFailed = true
        }
        take(request, result)
        beginIfWanted()
    }

    /// Ends it; an exchange that goes on is not waited for.
    func close() { isClosed = true }
}
