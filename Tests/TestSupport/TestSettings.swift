// The tests of every module read it.
import Glibc

/// The settings of the tests, read from the environment.
package enum TestSettings {
    /// The number in an environment variable; nil if it is not set or is no number.
    package static func number(_ name: String) -> Int? {
        guard let text = getenv(name) else { return nil }
        return Int(String(cString: text))
    }
}
