import Storage
import Synchronization
import Transport

/// A code that waits on a thread of its own, for a program that must not wait for relays and disks meanwhile.
package final class InvitationThread: Sendable {
    /// The wishes of whoever invites.
    package struct Settings: Sendable {
        /// The folder of the store, which the thread opens for itself.
        package var folder: String
        /// The collections of the store.
        package var schema: [CollectionSchema]
        /// How the store is opened.
        package var options = StoreOptions()
        /// Where the other device finds the space; the first one is the meeting point.
        package var addresses: [DevicePairing.Address] = []
        /// The password that the relays among these ask for before they take a new space.
        package var token: String?
        /// How long the code is good.
        package var seconds = WaitingInvitation.secondsStandard
        /// Whether whoever comes first with the code is admitted, and nobody types digits.
        package var admitsFirst = false

        /// The wishes that most have: what is known already is the meeting point.
        package init(folder: String, schema: [CollectionSchema]) {
            self.folder = folder
            self.schema = schema
        }
    }

    /// The facts that are known once the code can be used.
    package struct Made: Sendable {
        /// The code for the other device; its key is wiped once it was used or has ended.
        package let code: PairingCode
        /// How long it is good.
        package let seconds: Int
        /// The relays that are handed over and were not reached just now, and why.
        package let unmet: [(relay: HostAndPort, why: any Error)]

        /// The facts.
        package init(
            code: PairingCode, seconds: Int, unmet: [(relay: HostAndPort, why: any Error)]
        ) {
            self.code = code
            self.seconds = seconds
            self.unmet = unmet
        }
    }

    /// News of an invitation, in this order: it is made, then notices, then it has ended.
    package enum News: Sendable {
        /// The code can be used.
        case made(Made)
        /// Something happened.
        case notice(PairingNotice)
        /// It waits no more; after a failure before `made` there is no code.
        case ended(Result<WaitingInvitation.Result, any Error>)
    }

    /// An invitation, for closures that run on its loop's thread.
    ///
    /// Unchecked: it is made on that thread, and every use is posted to its mailbox.
    private struct Running: @unchecked Sendable {
        let invitation: WaitingInvitation
    }

    private struct State {
        var running: Running?
        var isStopWanted = false
    }

    private let state = Mutex(State())
    private let settings: Settings
    private let told: @Sendable (News) -> Void

    /// An invitation that is not begun.
    ///
    /// - Parameter told: called on the thread with all news.
    package init(_ settings: Settings, told: @escaping @Sendable (News) -> Void) {
        self.settings = settings
        self.told = told
    }

    /// Begins; it goes on without whoever holds this object.
    ///
    /// - Throws: `failedCall` if the system makes no thread; nothing is told then.
    package func start() throws(TransportError) {
        if let code = DetachedThread.start({ self.run() }) {
            throw .failedCall(.createThread, errno: code, about: settings.folder)
        }
    }

    /// Takes the digits that the other device shows.
    package func enter(digits: String) {
        guard let running = state.withLock({ $0.running }) else { return }
        post(running) { _ = $0.enter(digits: digits) }
    }

    /// Waits no longer, also if the code is still being made; a device that was admitted stays so.
    package func stop() {
        let running = state.withLock { state in
            state.isStopWanted = true
            return state.running
        }
        if let running { post(running) { $0.stop() } }
    }

    private func post(
        _ running: Running, _ body: @escaping @Sendable (WaitingInvitation) -> Void
    ) {
        running.invitation.loop.post { _ in body(running.invitation) }
    }

    // MARK: On the thread

    private func run() {
        let result = Result { try invite() }
        state.withLock { $0.running = nil }
        told(.ended(result))
    }

    private func invite() throws -> WaitingInvitation.Result {
        let device = try Device.open(
            in: settings.folder, schema: settings.schema, options: settings.options)
        defer { device.close() }
        let invitation = try device.pairing.invite(
            at: settings.addresses, token: settings.token, seconds: settings.seconds,
            admitsFirst: settings.admitsFirst)
        invitation.notice = { [told] in told(.notice($0)) }
        try invitation.open()
        let isStopWanted = state.withLock { state in
            state.running = Running(invitation: invitation)
            return state.isStopWanted
        }
        told(
            .made(
                Made(
                    code: invitation.code, seconds: invitation.seconds, unmet: invitation.unmet)))
        if isStopWanted { invitation.stop() }
        return try invitation.run()
    }
}
