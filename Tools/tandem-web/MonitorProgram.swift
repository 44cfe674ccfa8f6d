import Glibc
import HTTP
import Transport

/// Runs `tandem-web monitor`: serves another program's pages for monitoring on a socket that the program opened, and
/// ends with it.
enum MonitorProgram {
    static func run(_ words: [String]) {
        // The other program says when to end: what ends it as well, such as a key, must not end this one before.
        for number in [SIGTERM, SIGINT, SIGHUP] { signal(number, SIG_IGN) }
        do throws(TransportError) {
            let loop = try EventLoop()
            // The questions go to standard output, the answers come from standard input.
            let pages = try MonitorPages(on: loop, input: STDIN_FILENO, output: STDOUT_FILENO)
            let server = try HTTPServer(
                on: loop, listening: KeptProgram.socketNumber, limits: MonitorPages.limits,
                service: pages)
            try loop.run()
            server.close()
        } catch {
            ErrorOutput.write("\(error)")
            exit(69)
        }
        exit(0)
    }
}
