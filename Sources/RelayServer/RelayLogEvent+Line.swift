import Core
import Relay
import Session

extension RelayLogEvent {
    /// The event as a line of the log: no content, no secret, no token.
    ///
    /// - Parameter session: the number of the conversation.
    func line(session: Int?) -> LogLine {
        let number = session.map { "\($0)" }
        switch self {
        case .welcomed(let space, let replica, let address):
            return LogLine(
                .info, "welcomed",
                [
                    "session": number, "address": address, "space": "\(space)",
                    "replica": "\(replica)",
                ])
        case .refused(let reason, let space, let address, let message):
            return LogLine(
                .warning, "refused",
                [
                    "session": number, "address": address, "space": space.map { "\($0)" },
                    "reason": reason.rawValue, "message": message,
                ])
        case .ended(let space, let address, let end):
            var message: String?
            if case .failed(let error, _) = end { message = error.message }
            return LogLine(
                message == nil ? .info : .warning, "ended",
                [
                    "session": number, "address": address, "space": space.map { "\($0)" },
                    "how": Self.word(end), "message": message,
                ])
        case .spaceMade(let space, let generation):
            return LogLine(
                .info, "space-made", ["space": "\(space)", "generation": "\(generation)"])
        case .generationBegun(let space, let generation):
            return LogLine(
                .warning, "generation-begun", ["space": "\(space)", "generation": "\(generation)"])
        case .spaceFailed(let space, _):
            return LogLine(.error, "space-failed", ["space": "\(space)", "message": description])
        }
    }

    private static func word(_ end: SessionEnd) -> String {
        switch end {
        case .finished: "finished"
        case .lost: "lost"
        case .failed: "failed"
        }
    }
}
