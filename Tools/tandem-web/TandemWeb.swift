import Glibc
import Transport

/// `tandem-web`: the servers of HTTP, each run by another program of this package; nobody runs it by hand.
@main
enum TandemWeb {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words.first {
        case "page": PageProgram.run(Array(words.dropFirst()))
        case "caldav": GatewayProgram.run(Array(words.dropFirst()))
        case "monitor": MonitorProgram.run(Array(words.dropFirst()))
        case "check": WebCheck.run()
        default:
            ErrorOutput.write("run by tandem, not by hand (try: tandem help)")
            exit(64)
        }
    }
}

/// Runs `tandem-web check`: says by the exit code whether it can serve HTTP.
enum WebCheck {
    static func run() -> Never {
        #if Web
            exit(0)
        #else
            exit(69)
        #endif
    }
}

/// When a server ends.
enum ServerEnd {
    /// Stops the loop at a signal; as a daemon's child at the end of its input, which is the daemon's end.
    static func await(on loop: EventLoop, isChild: Bool) throws {
        guard isChild else {
            return try loop.watchSignals { [loop] _ in loop.stop() }
        }
        // The keys of a terminal reach the daemon as well: it says when to end.
        for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_IGN) }
        _ = try loop.add(STDIN_FILENO, .readable) { [loop] _ in
            var buffer = [UInt8](repeating: 0, count: 256)
            if read(STDIN_FILENO, &buffer, buffer.count) == 0 { loop.stop() }
        }
    }
}

/// Lines for whoever runs the program.
enum ErrorOutput {
    /// Writes a line to standard error.
    static func write(_ line: String) {
        WebOutput.error("tandem-web: \(line)\n")
    }
}
