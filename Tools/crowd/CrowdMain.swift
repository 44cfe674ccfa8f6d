import Glibc

/// `crowd`: many devices with durable stores in one process, which `./Tools/crush` starts; nobody runs it by hand.
@main
enum CrowdMain {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 5, let seed = UInt64(words[2]), let rate = Double(words[3]) else {
            say(
                """
                crowd FOLDER NAME SEED WRITES RELAY...

                Keeps the devices that FOLDER/plan-NAME lists (lines of: device, space, field) at the relays, and writes
                WRITES times a second. Each write is in FOLDER/written-NAME before it is begun and once it is acknowledged.
                Standard input: calm; round NUMBER; dump PATH DEVICE...; stats. It ends with its standard input.
                """)
            exit(64)
        }
        #if Encryption
            do {
                let crowd = try Crowd(
                    folder: words[0], name: words[1], seed: seed, writesPerSecond: rate,
                    relays: Array(words[4...]))
                try crowd.run()
                exit(0)
            } catch {
                say("crowd: \(error)")
                exit(70)
            }
        #else
            _ = (seed, rate)
            say("crowd: this program was built without encryption")
            exit(69)
        #endif
    }

    /// Writes a line to standard error.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
