import Simulation
import Terminal

/// The trace of a world, one line an entry.
enum TraceText {
    static func text(of trace: Trace) -> String {
        trace.entries.map { entry in
            let deviceIndex = entry.deviceIndex.map { trace.devices[$0] } ?? "-"
            return "\(entry.time) ms  \(deviceIndex)  \(words(entry.event, trace))\n"
        }.joined()
    }

    private static func words(_ event: TraceEvent, _ trace: Trace) -> String {
        func name(_ deviceIndex: Int) -> String {
            trace.devices.indices.contains(deviceIndex) ? trace.devices[deviceIndex] : "a stranger"
        }
        switch event {
        case .step(let words): return Screen.bold("> " + words)
        case .wrote(let item, let words, let glimpse):
            return "\(item): \(words) -> \(Ending.words(glimpse))"
        case .refused(let why): return "refused: \(why)"
        case .sent(let message, let to, let kind, let count):
            return "#\(message) \(kind) to \(name(to)), \(Number.counted(count, "byte"))"
        case .received(let message): return "#\(message) arrives"
        case .lost(let message, let why): return "#\(message) is lost: \(why)"
        case .merged(let item, let glimpse): return "\(item) merged -> \(Ending.words(glimpse))"
        case .sessionEnded(let deviceIndex, let how, _):
            return "session with \(name(deviceIndex)): \(how)"
        case .opened(let identity):
            return identity.map { "opens with a new replica id: \($0)" } ?? "opens"
        case .closed: return "closes"
        case .crashed: return "crashes"
        case .lostPower: return "loses power"
        case .befell(let what): return what
        case .checked(let what, let isTrue): return "\(isTrue ? "true" : "false"): \(what)"
        case .violated(let what): return Screen.urgent("violated: \(what)")
        }
    }
}
