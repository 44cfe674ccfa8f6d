import Simulation

/// What happened in a world, one line a moment.
enum Trace {
    static func text(of chronicle: Chronicle) -> String {
        chronicle.moments.map { moment in
            let lane = moment.lane.map { chronicle.lanes[$0] } ?? "-"
            return "\(moment.time) ms  \(lane)  \(words(moment.happening, chronicle))\n"
        }.joined()
    }

    private static func words(_ happening: Happening, _ chronicle: Chronicle) -> String {
        func name(_ lane: Int) -> String {
            chronicle.lanes.indices.contains(lane) ? chronicle.lanes[lane] : "a stranger"
        }
        switch happening {
        case .step(let words): return Terminal.bold("> " + words)
        case .wrote(let item, let words, let glimpse):
            return "\(item): \(words) -> \(Ending.words(glimpse))"
        case .refused(let why): return "refused: \(why)"
        case .sent(let message, let to, let kind, let count):
            return "#\(message) \(kind) to \(name(to)), \(Number.counted(count, "byte"))"
        case .received(let message): return "#\(message) arrives"
        case .lost(let message, let why): return "#\(message) is lost: \(why)"
        case .merged(let item, let glimpse): return "\(item) merged -> \(Ending.words(glimpse))"
        case .sessionEnded(let lane, let how, _): return "session with \(name(lane)): \(how)"
        case .opened(let identity):
            return identity.map { "opens with a new replica id: \($0)" } ?? "opens"
        case .closed: return "closes"
        case .crashed: return "crashes"
        case .lostPower: return "loses power"
        case .befell(let what): return what
        case .checked(let what, let isTrue): return "\(isTrue ? "true" : "false"): \(what)"
        case .violated(let what): return Terminal.urgent("violated: \(what)")
        }
    }
}
