/// An invitation as the page shows it: its code, and what has happened.
package struct PageInvitation: Sendable {
    /// An event, in the words of a program.
    package struct Event: Sendable {
        /// Its kind, as the command line names it for programs.
        package let kind: String
        /// The device that it is about; nil for none.
        package let device: String?
        /// The first digits of the device's fingerprint.
        package let fingerprint: String?

        /// Something that happened.
        package init(kind: String, device: String?, fingerprint: String?) {
            self.kind = kind
            self.device = device
            self.fingerprint = fingerprint
        }
    }

    /// The code; nil before it is there, and after it was used or has ended.
    package var code: String?
    /// The events, in order.
    package var events: [Event] = []
    /// Whether it waits no more.
    package var isOver = false
    /// Why it could not be made; nil if it could.
    package var fault: String?

    /// An invitation that is being made.
    package init() {}
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
