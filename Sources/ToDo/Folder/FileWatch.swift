import Glibc

/// Waits for changes in a folder.
///
/// Source: inotify(7).
/// Where the system tells nothing (no more watches, a network drive that others write to), every so often
/// counts as a change.
final class FileWatch {
    private let descriptor: CInt
    private let isTold: Bool
    private var waited: UInt32 = 0
    /// Whether something may have changed since the last time that was asked.
    private var hasEvents = false

    /// So long at most nothing is looked at where the system tells of changes; milliseconds.
    private static let unseenMillisecondsMax: UInt32 = 15_000

    /// So long what changes may go on changing; milliseconds.
    private static let settlingMilliseconds: UInt32 = 50

    init(_ path: String) {
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        let events =
            IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        isTold =
            descriptor >= 0
            && inotify_add_watch(
                descriptor, path, UInt32(events | IN_DELETE_SELF | IN_MOVE_SELF)) >= 0
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Waits for so long, or until something changes.
    func wait(milliseconds: UInt32) {
        waited += milliseconds
        guard isTold else {
            usleep(milliseconds * 1_000)
            hasEvents = true
            return
        }
        if waited >= Self.unseenMillisecondsMax { hasEvents = true }
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, CInt(milliseconds)) > 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while read(descriptor, &buffer, buffer.count) > 0 { hasEvents = true }
    }

    /// Whether something may have changed since this was asked last.
    func dequeueChange() -> Bool {
        guard hasEvents else { return false }
        hasEvents = false
        waited = 0
        // Waits, so that files written one by one are read together.
        usleep(Self.settlingMilliseconds * 1_000)
        return true
    }
}
