/// A length of time as people read it.
enum Duration {
    /// `1:05` for an hour and five minutes.
    static func clock(_ milliseconds: Int64) -> String {
        let minutes = (milliseconds + 30_000) / 60_000
        let rest = minutes % 60
        return "\(minutes / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
