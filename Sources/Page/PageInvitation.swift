import Devices
import JSON

/// An invitation as the page shows it: its code, and what has happened.
package struct PageInvitation: Sendable {
    /// An event of the invitation.
    package struct Event: Sendable {
        /// Its kind; nil for one that this version does not know.
        package let kind: InvitationEvent?
        /// The device that it is about; nil for none.
        package let device: String?
        /// The first digits of the device's fingerprint.
        package let fingerprint: String?
    }

    /// The most events and faults that are kept.
    private static let countMax = 200

    /// The code; nil before it is there, and after it was used or has ended.
    package private(set) var code: String?
    /// The events, in order.
    package private(set) var events: [Event] = []
    /// Whether it waits no more.
    package private(set) var isOver = false
    /// Why it could not be made, or what else went wrong, in words for people.
    package private(set) var faults: [String] = []
    private var hasFailed = false

    /// An invitation that is being made.
    package init() {}

    /// Takes a line that `tandem invite --json` has written; others count for nothing.
    package mutating func take(_ line: String) {
        guard let value = JSONValue(compactText: line) else { return }
        if let code = value["code"]?.asText { self.code = code }
        for name in ["warning", "error"] {
            guard let message = value[name]?["message"]?.asText else { continue }
            if faults.count < Self.countMax { faults.append(message) }
            if name == "error" { hasFailed = true }
        }
        guard let name = value["event"]?.asText, events.count < Self.countMax else { return }
        let event = Event(
            kind: InvitationEvent(rawValue: name), device: value["device"]?.asText,
            fingerprint: value["fingerprint"]?.asText)
        events.append(event)
        if event.kind == .admitted { code = nil }
    }

    /// Ends it.
    ///
    /// - Parameter fault: why no program runs, or the words that it wrote for people; shown if it told no error and no
    ///   event by which an invitation ends.
    package mutating func end(_ fault: String?) {
        if let fault, !hasFailed, !events.contains(where: { $0.kind?.isEnd ?? false }) {
            faults.append(fault)
        }
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
