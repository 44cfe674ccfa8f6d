import Causality
import Runtime
import Session
import Storage
import ToDo
import Transport
import Wire

/// Exchanges what this device and another missed of each other.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "exchanges what this device and another missed"
    static let help = """
          tandem sync ssh://desk
          tandem sync ssh://me@desk:2222/home/me/todos
          tandem sync localhost:7717
          tandem sync localhost --live
          tandem sync desk:7717
          tandem sync desk:7717#5f0c-…

        The other device must serve (`tandem serve`), or have tandem for ssh to start.
        Other machines are spoken to over TLS: with the device of that fingerprint, or
        else with any that is trusted here.

        --live            stay, and carry changes both ways as they are made
        --insecure        allow plain TCP to another machine
        --exit-code       end with 3 if conflicts await a decision
        """
    static let flags = ["live", "insecure", "exit-code"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let address = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say with whom: tandem sync ssh://desk")
        }
        let endpoint = try Endpoint(parsing: address)
        let place = try Workplace.open(arguments)
        let client = try SyncClient(
            store: place.store, endpoint: endpoint, isLive: arguments.has("live"),
            security: try endpoint.isTCP ? place.security() : nil,
            allowInsecure: arguments.has("insecure"))
        var last = SessionReport()
        let end = try client.run { report in
            last = report
            if Terminal.showsProgress, (report.sentCount + report.receivedCount) % 1000 < 64 {
                Terminal.error("\r\(report.receivedCount) received, \(report.sentCount) sent ")
            }
        } waiting: { why, seconds in
            Terminal.error("tandem: \(why); trying again in \(seconds) s\n")
        }
        if Terminal.showsProgress { Terminal.error("\r\u{1b}[K") }
        if let fault = client.fault { throw fault }
        return try tell(end, last, address, arguments, place)
    }

    private static func tell(
        _ end: SessionEnd, _ report: SessionReport, _ address: String, _ arguments: Arguments,
        _ place: Workplace
    ) throws -> ExitCode {
        switch end {
        case .finished: break
        case .lost:
            throw CommandFailure(
                .unavailable,
                "the connection to \(address) broke; what arrived is kept, sync again for the rest")
        case .failed(let error, let side):
            let whose =
                switch side {
                case .ours: "this device"
                case .theirs: "the other device"
                case .both: "both devices"
                }
            let code: ExitCode =
                switch error.known {
                case .foreignSpace, .rulesDiffer, .sameReplica, .refused, .incompatible: .refused
                case .store, .busy, .newIdentity, .timeout: .retryLater
                default: .unavailable
                }
            throw CommandFailure(
                code, "\(address): \(error.message); to be mended on \(whose): \(error.advice)")
        }
        let peer = try report.peer.flatMap { try place.store.deviceName(of: $0) } ?? address
        let conflicted = try place.todos.counts().conflicted
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("peer", JSONOutput.text(report.peer?.uuidText ?? "")),
                    ("device", JSONOutput.text(peer)), ("received", String(report.receivedCount)),
                    ("sent", String(report.sentCount)), ("changed", String(report.changedCount)),
                    ("parked", String(report.parkedCount)), ("conflicts", String(conflicted)),
                    ("withheld", report.isWithheld ? "true" : "false"),
                    ("repaired", report.isRepaired ? "true" : "false"),
                ]))
        } else {
            Terminal.line(
                "In sync with \(peer): \(report.receivedCount) received, \(report.sentCount) sent")
            if report.parkedCount > 0 {
                Terminal.line("  \(report.parkedCount) set aside as unreadable: tandem doctor")
            }
            if report.isWithheld {
                Terminal.line(
                    "  \(peer) says it has writes that it does not send: tandem doctor there")
            }
            if report.isRepaired { Terminal.line("  contents differed and were repaired") }
            if conflicted > 0 {
                Terminal.line("  \(conflicted) in conflict: tandem conflicts")
            }
        }
        return arguments.has("exit-code") && conflicted > 0 ? .conflictsAwait : .ok
    }
}
