import Glibc

/// `tandem`: the same to-dos on all of a person's machines.
@main
struct Tandem {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        do {
            let code = try CommandTable.run(words)
            Terminal.flush()
            exit(code.rawValue)
        } catch {
            Terminal.flush()
            let failure = CommandFailure(error)
            Terminal.error("tandem: \(failure.message)\n")
            exit(failure.code.rawValue)
        }
    }
}
