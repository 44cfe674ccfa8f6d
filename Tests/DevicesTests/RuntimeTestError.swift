import Glibc

/// What went wrong in a test's own machinery.
struct RuntimeTestError: Error {
    let what: String
}

/// Waits until something is so; false if it does not come.
func waitUntil(milliseconds: Int = 10_000, _ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<milliseconds {
        if try condition() { return true }
        usleep(1_000)
    }
    return try condition()
}
