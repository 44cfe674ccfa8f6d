/// Time since a moment.
struct Stopwatch {
    private let start = ContinuousClock.now

    /// Since it was started.
    var seconds: Double {
        let passed = ContinuousClock.now - start
        return Double(passed.components.seconds) + Double(passed.components.attoseconds) / 1e18
    }
}
