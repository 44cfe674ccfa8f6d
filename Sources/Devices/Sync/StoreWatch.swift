import CLinux
import Glibc
import Transport

/// Tells when another process may have committed to a store.
///
/// The kernel tells of writes to the log; the commit shows to readers a moment later, so `notice` is
/// called at once and again shortly after. Source: inotify(7).
package final class StoreWatch {
    private let loop: EventLoop
    private let descriptor: CInt
    private var registration: EventLoop.Registration?
    private let notice: () -> Void
    private var isAwaitingRetry = false

    /// Watches a store's folder.
    ///
    /// - Parameter notice: called on the loop's thread when something may be new.
    package init(
        folder: String, on loop: EventLoop, notice: @escaping () -> Void
    ) throws(TransportError) {
        self.loop = loop
        self.notice = notice
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0,
            inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY | IN_CREATE | IN_DELETE)) >= 0
        else { throw .failedCall(.open, errno: errno, about: "the watch on \(folder)") }
        registration = try loop.add(descriptor, .readable) { [unowned self] _ in changed() }
    }

    deinit {
        close(descriptor)
    }

    /// Stops watching.
    package func stop() {
        if let registration { loop.remove(registration) }
        registration = nil
    }

    private func changed() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        notice()
        if isAwaitingRetry { return }
        isAwaitingRetry = true
        loop.schedule(after: .milliseconds(2)) { [weak self] in
            guard let self else { return }
            isAwaitingRetry = false
            notice()
        }
    }
}
