import Glibc

/// A failure of the test's own machinery.
package struct RuntimeTestError: Error {
    /// The failure in words.
    package let what: String

    /// A failure.
    package init(what: String) { self.what = what }
}

/// Waits until something is so; false if it does not come.
package func waitUntil(milliseconds: Int = 10_000, _ condition: () throws -> Bool) rethrows -> Bool
{
    for _ in 0..<milliseconds {
        if try condition() { return true }
        usleep(1_000)
    }
    return try condition()
}
