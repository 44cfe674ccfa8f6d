import Devices
import Synchronization
import Transport

/// A code that lets one more device into the space of a store, for as long as this object is held.
///
/// The code holds nothing of the space. The other device shows six digits, which are to be given to
/// ``enter(digits:)``: by them nobody else who has seen the code is admitted in its place.
public final class Invitation: Sendable {
    /// Something that happened while it waits.
    public enum Event: Hashable, Sendable {
        /// A device of that name asks to be let in.
        case asks(String)
        /// The digits fit no device that asks.
        case wrongDigits(leftCount: Int)
        /// A device of that name is admitted.
        case admitted(String)
        /// A device of that name is not admitted.
        case notAdmitted(String)
        /// A device of that name came with the code when it was used or over.
        case late(String)
        /// More devices asked than may.
        case tooMany
        /// A device of that name has joined; the last event.
        case joined(String)
        /// Nobody was admitted, and the code is worth nothing any more; the last event.
        case over
    }

    /// The code, for ``TandemStore/join(_:at:schema:deviceName:leavesSpace:options:shown:)``.
    ///
    /// Empty once it was used or is over, as its key is wiped then. Keep it no longer than it is shown: a `String` cannot
    /// be wiped.
    public var code: String { made.text }
    /// The same for a QR code: capitals, digits and a few signs.
    public var drawnCode: String { made.drawnText }
    /// How long it is good; seconds.
    public let seconds: Int
    /// The relays that the other device is told of and that were not reached just now.
    public let unreachedRelays: [String]

    private let core: InvitationCore
    private let made: PairingCode

    init(_ settings: InvitationThread.Settings) throws(TandemError) {
        core = InvitationCore()
        let made = try core.start(settings)
        self.made = made.code
        seconds = made.seconds
        unreachedRelays = made.unmet
    }

    deinit { core.stop() }

    /// The events, from the beginning on; the sequence ends when the code is over.
    public var events: AsyncStream<Event> { core.events() }

    /// Takes the digits that the other device shows; a text without six digits counts as no try.
    public func enter(digits: String) { core.enter(digits: digits) }

    /// Waits no longer: the code is worth nothing from then on, and a device that was admitted stays so.
    public func stop() { core.stop() }
}

/// The thread of an invitation, and what others may know of it.
final class InvitationCore: Sendable {
    /// The facts that are known once the code can be used.
    struct Made: Sendable {
        let code: PairingCode
        let seconds: Int
        let unmet: [String]
    }

    private struct State {
        var thread: InvitationThread?
        var made: Result<Made, TandemError>?
        var events: [Invitation.Event] = []
        var isOver = false
        var streams: [AsyncStream<Invitation.Event>.Continuation] = []
    }

    private let state = Mutex(State())

    /// Starts the thread, and waits until the code can be used.
    func start(_ settings: InvitationThread.Settings) throws(TandemError) -> Made {
        let ready = ThreadSignal()
        let thread = InvitationThread(settings) { self.tell($0, ready) }
        state.withLock { $0.thread = thread }
        do throws(TransportError) {
            try thread.start()
        } catch {
            state.withLock { $0.thread = nil }
            throw TandemError(error)
        }
        ready.wait()
        guard let made = state.withLock({ $0.made }) else {
            preconditionFailure("the thread tells how it began")
        }
        return try made.get()
    }

    func events() -> AsyncStream<Invitation.Event> {
        AsyncStream { continuation in
            state.withLock { state in
                for event in state.events { continuation.yield(event) }
                if state.isOver {
                    continuation.finish()
                } else {
                    state.streams.append(continuation)
                }
            }
        }
    }

    func enter(digits: String) { state.withLock { $0.thread }?.enter(digits: digits) }

    func stop() { state.withLock { $0.thread }?.stop() }

    // MARK: On the thread

    private func tell(_ news: InvitationThread.News, _ ready: ThreadSignal) {
        switch news {
        case .made(let made):
            let made = Made(
                code: made.code, seconds: made.seconds, unmet: made.unmet.map { "\($0.relay)" })
            state.withLock { $0.made = .success(made) }
            ready.signal()
        case .notice(let notice): tell(notice)
        case .ended(let result): end(result, ready)
        }
    }

    private func end(
        _ result: Result<WaitingInvitation.Result, any Error>, _ ready: ThreadSignal
    ) {
        if case .success(.joined(let applicant)) = result { add(.joined(applicant.name)) }
        if case .failure(let error) = result {
            let error = TandemError(any: error)
            let isFirst = state.withLock { state in
                defer { state.made = state.made ?? .failure(error) }
                return state.made == nil
            }
            if isFirst { ready.signal() }
        }
        let streams = state.withLock { state in
            state.thread = nil
            state.isOver = true
            defer { state.streams = [] }
            return state.streams
        }
        for stream in streams { stream.finish() }
    }

    private func tell(_ notice: PairingNotice) {
        switch notice {
        case .asks(let applicant): add(.asks(applicant.name))
        case .tooMany: add(.tooMany)
        case .wrongDigits(let count): add(.wrongDigits(leftCount: count))
        case .admitted(let applicant): add(.admitted(applicant.name))
        case .notAdmitted(let applicant, _): add(.notAdmitted(applicant.name))
        case .late(let applicant): add(.late(applicant.name))
        case .over: add(.over)
        }
    }

    private func add(_ event: Invitation.Event) {
        state.withLock { state in
            state.events.append(event)
            for stream in state.streams { stream.yield(event) }
        }
    }
}
