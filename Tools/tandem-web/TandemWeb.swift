import Glibc

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

/// Lines for whoever runs the program.
enum ErrorOutput {
    /// Writes a line to standard error.
    static func write(_ line: String) {
        WebOutput.error("tandem-web: \(line)\n")
    }
}
