import CLinux
import Glibc

/// A timer that runs by the wall clock, through sleeps of the machine and settings of the clock.
///
/// The kernel says so as well when the clock was set: the owner then looks at the time again. Source: timerfd_create(2).
package final class WallTimer {
    private let descriptor: CInt
    private let loop: EventLoop
    private var registration: EventLoop.Registration?

    /// A timer that is not set.
    ///
    /// - Parameter fired: called on the loop's thread at the time, and when the clock was set.
    package init(on loop: EventLoop, fired: @escaping () -> Void) throws(TransportError) {
        self.loop = loop
        descriptor = timerfd_create(
            CLOCK_REALTIME, CInt(TFD_NONBLOCK) | CInt(TFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw .failedCall(.open, errno: errno, about: "a timer of the wall clock")
        }
        do {
            registration = try loop.add(descriptor, .readable) { [unowned self] _ in
                var count: UInt64 = 0
                // It fails where the clock was set, which is told alike.
                _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
                fired()
            }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Sets it to a time, in milliseconds since 1970-01-01 UTC; nil for none.
    ///
    /// A time that has passed fires at once.
    package func set(_ time: Int64?) {
        guard registration != nil else { return }
        var value = itimerspec()
        if let time {
            // All zeros would mean none.
            let bounded = max(time, 1)
            value.it_value.tv_sec = time_t(bounded / 1000)
            value.it_value.tv_nsec = Int(bounded % 1000) * 1_000_000
        }
        timerfd_settime(
            descriptor, CInt(TFD_TIMER_ABSTIME) | CInt(TFD_TIMER_CANCEL_ON_SET), &value, nil)
    }

    /// Takes it down.
    package func close() {
        guard let registration else { return }
        loop.remove(registration)
        self.registration = nil
        Glibc.close(descriptor)
    }
}
