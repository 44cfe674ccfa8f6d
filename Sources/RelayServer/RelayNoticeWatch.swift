import Core
import Relay
import Transport

/// A store that other processes serve as well.
package struct SharedRelayStore {
    /// The store.
    package let store: any RelayStore
    /// How the processes tell each other of what came.
    package let notices: any RelayNotices
    /// How they share counts and mailboxes; nil if each has its own.
    package let sharing: (any RelaySharing)?

    /// A store with its notices.
    package init(
        _ store: any RelayStore, notices: any RelayNotices, sharing: (any RelaySharing)? = nil
    ) {
        self.store = store
        self.notices = notices
        self.sharing = sharing
    }
}

/// Has a relay wake its subscribers for what other processes have brought into their spaces, and tells those of what came
/// here.
final class RelayNoticeWatch {
    private let notices: any RelayNotices
    private unowned let loop: EventLoop
    private let spaces: () -> [SpaceID]
    private let wake: (Set<SpaceID>) -> Void
    private var registration: EventLoop.Registration?
    private var touched: [SpaceID: RelayTouch] = [:]
    private var isPlanned = false
    private var sentAt = MonotonicTime.now

    /// Notices go out no more often: those of this time go out together.
    static let sendPeriod = Duration.milliseconds(5)
    /// How often the spaces are looked at for notices that were lost.
    static let lookPeriod = Duration.seconds(1)

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - spaces: the spaces with subscribers here.
    ///   - wake: has the subscribers of these look.
    init(
        _ notices: any RelayNotices, on loop: EventLoop, spaces: @escaping () -> [SpaceID],
        wake: @escaping (Set<SpaceID>) -> Void
    ) {
        self.notices = notices
        self.loop = loop
        self.spaces = spaces
        self.wake = wake
        notices.descriptorChanges = { [unowned self] in watchDescriptor() }
        watchDescriptor()
        planLook()
    }

    private func watchDescriptor() {
        if let registration { loop.remove(registration) }
        registration = nil
        guard let descriptor = notices.descriptor else { return }
        // Without it the look of each second finds what comes.
        registration = try? loop.add(descriptor, .readable) { [unowned self] _ in receive() }
    }

    private func receive() {
        let found = notices.received()
        if !found.isEmpty { wake(found) }
    }

    private func planLook() {
        loop.schedule(after: Self.lookPeriod) { [weak self] in
            guard let self else { return }
            let open = spaces()
            let found = open.isEmpty ? [] : notices.look(at: open)
            // A notice that came with the answer does not make the descriptor readable again.
            receive()
            if !found.isEmpty { wake(found) }
            planLook()
        }
    }

    /// Something came into spaces here.
    func tell(_ touches: [RelayTouch]) {
        if touches.isEmpty { return }
        for touch in touches {
            let start = touched[touch.space]?.start ?? touch.start
            touched[touch.space] = RelayTouch(
                space: touch.space, start: start, through: touch.through)
        }
        guard !isPlanned else { return }
        let since = MonotonicTime.now - sentAt
        if since >= Self.sendPeriod { return send() }
        isPlanned = true
        loop.schedule(after: Self.sendPeriod - since) { [weak self] in
            self?.isPlanned = false
            self?.send()
        }
    }

    private func send() {
        sentAt = MonotonicTime.now
        let all = touched.values.sorted { $0.space < $1.space }
        touched = [:]
        notices.send(all)
        receive()
    }

    /// Ends it.
    func close() {
        notices.descriptorChanges = nil
        if let registration { loop.remove(registration) }
        registration = nil
        notices.close()
    }
}
