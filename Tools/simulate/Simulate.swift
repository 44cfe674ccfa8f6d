import Glibc
import Simulation

/// `simulate`: the sync engine in made-up worlds, from scenarios, from seeds, or all small ones.
@main
struct Simulate {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        DatabaseSystem.settleMemory()
        do {
            let code = try CommandTable.run(Array(CommandLine.arguments.dropFirst()))
            Terminal.flush()
            exit(code)
        } catch {
            Terminal.flush()
            let failure = error as? CommandFailure ?? CommandFailure(ExitCode.software, "\(error)")
            Terminal.error("simulate: \(failure.message)\n")
            exit(failure.code)
        }
    }
}
