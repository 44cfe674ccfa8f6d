import Devices

/// An invitation as the page shows it: its code, and what has happened.
package struct PageInvitation: Sendable {
    /// An event of the invitation.
    package struct Event: Sendable {
        /// Its kind.
        package let kind: InvitationEvent
        /// The device that it is about; nil for none.
        package let device: PairingApplicant?
    }

    /// The most events that are kept.
    private static let eventCountMax = 200

    /// The code; nil before it is there, and after it was used or has ended.
    package private(set) var code: PairingCode?
    /// The events, in order.
    package private(set) var events: [Event] = []
    /// Whether it waits no more.
    package private(set) var isOver = false
    /// Why it could not be made, or what else went wrong, in words for people.
    package private(set) var faults: [String] = []

    /// An invitation that is being made.
    package init() {}

    /// Takes the next news of it.
    package mutating func take(_ news: InvitationThread.News) {
        switch news {
        case .made(let made):
            code = made.code
            faults += made.unmet.filter { $0.relay != made.code.meeting }.map { relay, why in
                "The code is good, but the relay \(relay) was not reached just now: "
                    + PageFaultWords.words(why)
            }
        case .notice(let notice):
            add(InvitationEvent(notice), notice.applicant)
        case .ended(.success(let result)):
            if case .joined(let applicant) = result { add(.joined, applicant) }
            end()
        case .ended(.failure(let error)): fail(error)
        }
    }

    /// Ends it, as it cannot be made or go on.
    package mutating func fail(_ error: any Error) {
        faults.append(PageFaultWords.words(error))
        end()
    }

    private mutating func add(_ kind: InvitationEvent, _ device: PairingApplicant?) {
        if events.count < Self.eventCountMax { events.append(Event(kind: kind, device: device)) }
        if kind.isEnd { code = nil }
    }

    private mutating func end() {
        isOver = true
        code = nil
    }
}

/// Runs one invitation at a time beside the page, which must not wait for it.
package protocol PageInviter: AnyObject {
    /// The invitation that waits, or the last one; nil if there was none.
    var invitation: PageInvitation? { get }

    /// Makes a code and waits with it.
    ///
    /// - Parameters:
    ///   - relay: the relay where both meet; nil for none but those that are known.
    ///   - address: the address of this device; nil if a relay is known.
    func begin(relay: String?, address: String?)

    /// Takes the digits that the other device shows.
    func enter(digits: String)

    /// Waits no longer.
    func stop()
}
