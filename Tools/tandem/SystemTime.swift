import Devices
import Transport

/// The clock on the wall, for what runs longer than a moment.
enum SystemTime {
    /// Milliseconds since 1970.
    static var now: Int64 { SystemEnvironment.wallMilliseconds() }
}
