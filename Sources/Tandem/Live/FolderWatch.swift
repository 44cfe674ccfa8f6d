import Devices
import Synchronization
import Transport

/// Tells, from a thread of its own, that another process or thread may have committed to a store.
final class FolderWatch: Sendable {
    private struct State {
        var mailbox: LoopMailbox?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Watches a store's folder.
    ///
    /// - Parameter notice: called on the watch's thread.
    init(_ folder: String, notice: @escaping @Sendable () -> Void) throws(TandemError) {
        let code = DetachedThread.start { [self] in
            guard let loop = try? EventLoop(),
                let watch = try? StoreWatch(folder: folder, on: loop, notice: notice)
            else { return }
            let isWanted = state.withLock { state in
                state.mailbox = loop.mailbox
                return !state.isStopped
            }
            // Reports commits from before the watch began.
            notice()
            if isWanted { try? loop.run() }
            watch.stop()
        }
        if let code { throw TandemError(.failedCall(.createThread, errno: code, about: folder)) }
    }

    func stop() {
        let mailbox = state.withLock { state in
            state.isStopped = true
            return state.mailbox
        }
        mailbox?.stop()
    }
}
