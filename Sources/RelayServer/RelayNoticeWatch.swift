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
        notices.begin(on: StoreEventLoop(loop), wake)
        planLook()
    }

    private func planLook() {
        loop.schedule(after: Self.lookPeriod) { [weak self] in
            guard let self else { return }
            let open = spaces()
            if !open.isEmpty { notices.look(at: open) }
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
    }

    /// Ends it.
    func close() {
        notices.close()
    }
}
