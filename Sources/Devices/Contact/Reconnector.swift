import Core
import Crypto
import Replica
import Session
import Storage
import Transport

/// Keeps a conversation with one contact: dials, converses, and tries again when it breaks.
///
/// All on the loop's thread.
package final class Reconnector {
    /// How long to wait for a connection.
    package static let dialTimeout = Duration.seconds(10)
    /// The first and the longest wait before a lost live connection is tried again; seconds.
    ///
    /// Up to a quarter is added by chance, so that many devices do not come back at one moment.
    package static let retrySeconds = (first: 1, max: 30)

    /// The contact that the sessions are with.
    package private(set) var contact: Contact
    private let runner: ReplicaRunner
    private let isLive: Bool
    private let security: SyncSecurity?
    private let plain: PlainTCP

    /// How things stand.
    package private(set) var state = ContactState.idle {
        didSet { changed() }
    }
    /// The last report of the present or the last session.
    package private(set) var report = SessionReport()
    /// When each side last had all that the other had; by the wall clock, milliseconds since 1970.
    package private(set) var lastComplete: Int64?
    /// The fault of this side's own store that ended the last session, if one did.
    package private(set) var fault: StoreFault?
    /// Asked before each connection: what a relay is shown changes with the space's secret.
    package var renewed: () -> Contact? = { nil }
    /// Called when the state or the report has changed.
    package var changed: () -> Void = {}
    /// Called when it is over: not live, or for a cause that does not pass.
    package var ended: (Result<SessionEnd, TransportError>) -> Void = { _ in }

    /// For which generation of the secret a relay was read under the one before, and whether it is now.
    private var lookedBackFor: UInt32?
    private var isLookingBack = false
    /// With which secret this device was let in.
    private var notedGeneration: UInt32?
    private var isStopping = false
    private var round: EndpointRound
    private var wait = Reconnector.retrySeconds.first
    private var timer: TimerID?

    /// Prepares to speak with a contact; `start` begins.
    ///
    /// - Parameters:
    ///   - isLive: whether to stay, and to begin anew what breaks.
    ///   - security: who this device is and whom it trusts. Without it at most plain TCP.
    ///   - plain: where plain TCP is allowed.
    package init(
        _ contact: Contact, of runner: ReplicaRunner, isLive: Bool,
        security: SyncSecurity? = nil, plain: PlainTCP = .nowhere
    ) {
        self.contact = contact
        round = EndpointRound(count: contact.endpointCount, chance: SystemEnvironment.random())
        self.runner = runner
        self.isLive = isLive
        self.security = security
        self.plain = plain
    }

    private var loop: EventLoop { runner.loop }
    private var store: Store { runner.replica.store }

    /// Whether a conversation is going on or being begun.
    package var isActive: Bool {
        switch state {
        case .dialing, .connected: true
        case .idle, .waiting, .finished, .failed: false
        }
    }

    /// Begins, if nothing is going on; what waits is tried at once.
    package func start() throws(TransportError) {
        if isActive { return }
        isStopping = false
        cancelTimer()
        if let renewed = renewed() { contact = renewed }
        try dial()
    }

    /// The same, where an error is a state like others.
    package func retry() {
        do throws(TransportError) {
            try start()
        } catch {
            over(.lost, error)
        }
    }

    /// Tries no more; what is going on is for the runner to drain.
    package func stop() {
        isStopping = true
        cancelTimer()
        if !isActive { state = .idle }
    }

    /// Takes note of another secret of the space, for the next connection with a relay.
    ///
    /// - Returns: whether it is another one. A connection that is going on with the one before is to end: all that
    ///   leaves by it can be read by whoever was taken out of the space.
    package func followSecret() -> Bool {
        guard case .relay(_, let shown) = contact, let renewed = renewed(),
            case .relay(_, let present) = renewed, present.verifier != shown.verifier
        else { return false }
        contact = renewed
        return true
    }

    private func cancelTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    // MARK: A session

    private func dial() throws(TransportError) {
        state = .dialing
        var settings = TransportSettings(
            on: loop, security: security, plain: plain, timeout: Self.dialTimeout)
        let endpoint: Endpoint
        switch contact {
        case .device(let found): endpoint = found
        case .relay(let relay, _):
            endpoint = relay.endpoint(at: round.index)
            if relay.fingerprint == nil { settings.security = nil }
        }
        try endpoint.dial(settings) { [unowned self] result in
            switch result {
            case .success(let link): isStopping ? link.close() : converse(over: link)
            case .failure(let error): over(.lost, error)
            }
            if isStopping, case .dialing = state { over(.finished, nil) }
        }
    }

    private func converse(over link: Link) {
        let address = contact.address
        var known = knownReplica
        fault = nil
        report = SessionReport()
        state = .connected
        let listener = ReplicaRunner.Listener(
            address: address,
            report: { [unowned self] found in
                if let peer = found.peer, peer != known {
                    known = peer
                    try? store.remember(peer, at: address)
                }
                receive(found)
            },
            fault: { [unowned self] in fault = $0 },
            ended: { [unowned self] end, error in over(end, error) })
        guard case .relay(_, let member) = contact else {
            runner.converse(
                over: link, as: .initiator, isLive: isLive, guess: known, listener: listener)
            return
        }
        let former = lookedBackFor == member.generation ? nil : member.former
        isLookingBack = former != nil
        do throws(SealFault) {
            try runner.converse(
                overRelay: link, as: former ?? member, isLive: isLive && former == nil,
                guess: known, listener: listener)
        } catch {
            link.close()
            fault = .cannotSeal(detail: "\(error)")
            over(.lost, nil)
        }
    }

    /// The replica that was met at this address, or at another one of the same relay.
    private var knownReplica: ReplicaID? {
        if let known = try? store.replica(at: contact.address) { return known }
        guard case .relay(let relay, _) = contact, relay.fingerprint != nil else { return nil }
        return (try? store.knownAddresses())?.last { address, _ in
            (try? RelayAddress(parsing: address))?.fingerprint == relay.fingerprint
        }?.replica
    }

    private func receive(_ found: SessionReport) {
        report = found
        if isLookingBack { return }
        if found.isCaughtUp {
            wait = Self.retrySeconds.first
            round.isWell()
            lastComplete = SystemEnvironment.wallMilliseconds()
            if case .relay(_, let member) = contact, let generation = member.generation,
                notedGeneration != generation
            {
                notedGeneration = generation
                // If the generation cannot be stored, the next contact reads under the previous
                // secret once more.
                try? GenerationNote.keep(generation, at: contact.address, in: store)
            }
        }
        changed()
    }

    /// Comes again with the present secret, once the relay was read under the one before.
    ///
    /// With the first message under the present secret, the relay drops its data under the previous
    /// one. A relay that already has the present secret has refused before.
    ///
    /// - Returns: false if what was there could not be taken in.
    private func hasLookedBack(_ end: SessionEnd, _ error: TransportError?) -> Bool {
        guard isLookingBack, error == nil, fault == nil, !isStopping,
            Self.endsLookingBack(end, isCaughtUp: report.isCaughtUp)
        else { return false }
        isLookingBack = false
        if let renewed = renewed() { contact = renewed }
        if case .relay(_, let member) = contact { lookedBackFor = member.generation }
        return true
    }

    /// Whether a relay's data under the previous secret was read to its end, or is gone.
    ///
    /// A relay may say goodbye earlier, as when it is restarted.
    package static func endsLookingBack(_ end: SessionEnd, isCaughtUp: Bool) -> Bool {
        switch end {
        case .finished: isCaughtUp
        case .failed(let error, _): error.known == .refused
        case .lost: false
        }
    }

    private func over(_ end: SessionEnd, _ error: TransportError?) {
        if hasLookedBack(end, error) {
            do throws(TransportError) {
                return try dial()
            } catch {
                return over(.lost, error)
            }
        }
        isLookingBack = false
        if !isStopping, fault == nil, round.goOn(after: end, error, now: SystemEnvironment.now()) {
            if let renewed = renewed() { contact = renewed }
            do throws(TransportError) {
                return try dial()
            } catch {
                return over(.lost, error)
            }
        }
        guard isLive, !isStopping, fault == nil, let cause = Self.passingCause(end, error)
        else {
            state = Self.state(after: end, error, fault)
            ended(error.map { .failure($0) } ?? .success(end))
            return
        }
        let seconds = wait + Int(SystemEnvironment.random() % UInt64(max(1, wait / 4 + 1)))
        state = .waiting(cause, seconds: seconds)
        timer = loop.schedule(after: .seconds(seconds)) { [unowned self] in
            timer = nil
            retry()
        }
        wait = min(wait * 2, Self.retrySeconds.max)
    }

    private static func state(
        after end: SessionEnd, _ error: TransportError?, _ fault: StoreFault?
    ) -> ContactState {
        if let fault { return .failed(ContactCause(fault)) }
        if let error { return .failed(ContactCause(error, hasAdvice: true)) }
        switch end {
        case .finished: return .finished
        case .lost: return .failed(.lost)
        case .failed(let error, _): return .failed(ContactCause(error, hasAdvice: true))
        }
    }

    /// Why a session ended, if that may pass without anybody's doing.
    private static func passingCause(
        _ end: SessionEnd, _ error: TransportError?
    ) -> ContactCause? {
        if let error { return error.mayPass ? ContactCause(error, hasAdvice: false) : nil }
        switch end {
        case .finished: return .ended
        case .lost: return .lost
        case .failed(let error, let side):
            switch error.known {
            case .timeout, .busy, .newIdentity: return ContactCause(error, hasAdvice: false)
            case .store where side != .ours: return ContactCause(error, hasAdvice: false)
            default: return nil
            }
        }
    }
}

/// Another store, or a relay, and how it is reached.
package enum Contact {
    /// A device.
    case device(Endpoint)
    /// A relay, and what this device shows it.
    case relay(RelayAddress, RelaySpaceMember)

    /// Its address, as a person writes it.
    package var address: String {
        switch self {
        case .device(let endpoint): endpoint.description
        case .relay(let address, _): address.description
        }
    }

    /// At how many places it is met.
    var endpointCount: Int {
        switch self {
        case .device: 1
        case .relay(let address, _): address.hostsAndPorts.count
        }
    }

    /// Whether it is a relay.
    package var isRelay: Bool {
        if case .relay = self { true } else { false }
    }
}

/// How things stand with a contact.
public enum ContactState: Hashable, Sendable {
    /// Nothing was tried yet, or this device was told to pause.
    case idle
    /// A connection is being made.
    case dialing
    /// A conversation is going on.
    case connected
    /// It will be tried again; why it ended, and after how many seconds.
    case waiting(ContactCause, seconds: Int)
    /// It ended in order, as it was meant to.
    case finished
    /// It ended for a cause that does not pass by itself.
    case failed(ContactCause)
}
