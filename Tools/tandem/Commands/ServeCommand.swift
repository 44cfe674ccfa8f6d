import Devices
import Glibc
import Terminal
import ToDo

/// Answers other devices.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "Accept connections from other devices"
    static let help = """
          tandem serve
          tandem serve --listen 0.0.0.0:7717
          tandem serve --listen 127.0.0.1:0 --port-file /run/user/1000/tandem.port
          tandem serve --stdio

        By default, accepts only programs of your own account, by a socket: the address
        unix:. A port accepts devices that are trusted here, over TLS, also on this
        machine. Changes by other commands are sent at once to devices that stay
        connected. SIGTERM or Ctrl-C ends it after the running sessions, a second one at
        once.

        --listen ADDRESS    listen there: HOST:PORT (port 0: any free one), unix: or
                            unix:/path (default unix:)
        --port-file FILE    write the address to a file once it listens
        --insecure          allow plain TCP from other machines (spaces made with
                            --plain only)
        --stdio             serve one device on standard input and output, for ssh
        """
    static let values = ["listen", "port-file"]
    static let flags = ["stdio", "insecure"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.open(arguments)
        let endpoint = try endpoint(arguments)
        // The one peer hears only messages on the output.
        let isQuiet = endpoint.servesOne
        let access = endpoint.provesKeys ? try context.device.access() : nil
        let security = access?.security
        let plain = try access?.plain(leavingThisMachine: arguments.has("insecure")) ?? .nowhere
        let portFile = arguments["port-file"]
        let server = try context.device.server(
            SyncServer.Log(
                listening: { address in
                    if let portFile { write(address, to: portFile) }
                    let fingerprint = security?.certificate.fingerprint.description ?? ""
                    tell(
                        [
                            "event": "listening", "address": address,
                            "fingerprint": fingerprint,
                        ], arguments
                    ) {
                        let device = fingerprint.isEmpty ? "" : ", this device is \(fingerprint)"
                        return "listening on \(address)\(device)"
                    }
                },
                connected: { _ in },
                fault: { peer, fault in
                    Screen.error("tandem: \(peer): \(fault.words.shownInLine)\n")
                },
                refused: { peer, error in
                    tell(["event": "refused", "address": peer, "result": error.words], arguments) {
                        error.words
                    }
                },
                rejected: { peer, refusal in
                    tell(
                        ["event": "rejected", "address": peer, "result": refusal.message],
                        arguments
                    ) {
                        "\(peer): refused: \(refusal.message)"
                    }
                },
                ended: { peer, report, end, error in
                    if isQuiet, isInOrder(report, end) { return }
                    let words = describe(report, end, error)
                    tell(["event": "ended", "address": peer, "result": words], arguments) {
                        "\(peer): \(words)"
                    }
                },
                leftOut: { count in
                    tell(["event": "left-out", "count": "\(count)"], arguments) {
                        "\(count) more lines about strangers were left out"
                    }
                }))
        do throws(TransportError) {
            try server.listen(at: endpoint, security: security, plain: plain)
        } catch {
            guard error.isAddressInUse, ControlClient.isAnswered(in: context.device.folder) else {
                throw error
            }
            throw CommandFailure(
                .unavailable,
                "\(endpoint): something listens there already, and a daemon runs for this store, which can answer "
                    + "other devices itself (\(AdvisedLine.program) status; \(AdvisedLine.program) daemon --listen ADDRESS)"
            )
        }
        return .ok
    }

    private static func endpoint(_ arguments: Arguments) throws(TransportError) -> Endpoint {
        if arguments.has("stdio") { return .standardStreams }
        return try Endpoint(parsing: arguments["listen"] ?? "unix:")
    }

    /// Tells what happened: a line of JSON if that was asked for, else beside the results.
    private static func tell(
        _ members: KeyValuePairs<String, String>, _ arguments: Arguments, _ words: () -> String
    ) {
        guard arguments.has("json"), !arguments.has("stdio") else {
            return Screen.error("tandem: \(words().shownInLine)\n")
        }
        Screen.line(JSONOutput.object(members.map { ($0.key, JSONOutput.text($0.value)) }))
        Screen.flush()
    }

    /// Whether a session ended with all exchanged, or with nothing to exchange.
    private static func isInOrder(_ report: SessionReport, _ end: SessionEnd) -> Bool {
        end == .finished && (report.isCaughtUp || report.isQuestion || report.peer == nil)
    }

    private static func describe(
        _ report: SessionReport, _ end: SessionEnd, _ error: TransportError?
    ) -> String {
        if report.isQuestion, end == .finished { return "a new device asked which space this is" }
        let counts = "\(report.receivedAppRecordCount) received, \(report.sentAppRecordCount) sent"
        let why =
            switch end {
            case .finished where isInOrder(report, end): "ended"
            case .finished: "ended before everything was exchanged"
            case .lost: "lost"
            case .failed(let error, .ours): "failed here: \(error.words)"
            case .failed(let error, .theirs): "failed there: \(error.words)"
            case .failed(let error, .both): "failed: \(error.words)"
            }
        return "\(why); \(counts)" + (error.map { "; \($0.words)" } ?? "")
    }

    /// Writes the address so that a reader sees all of it or nothing.
    private static func write(_ address: String, to path: String) {
        let temporary = path + ".new"
        // A link that another account may have put there is not followed.
        unlink(temporary)
        guard let file = fopen(temporary, "wxe") else {
            Screen.error("tandem: \(path) cannot be written\n")
            return
        }
        fputs(address + "\n", file)
        fclose(file)
        rename(temporary, path)
    }
}
