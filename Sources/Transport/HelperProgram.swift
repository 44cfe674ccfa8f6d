import CLinux
import Glibc

/// A program that does one thing for this one, and says by its exit code whether it did.
///
/// It reads nothing, and what it prints goes nowhere. No shell is involved.
package final class HelperProgram {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        /// By itself; 0 means well.
        case exited(CInt)
        /// By a signal, or because it took too long.
        case ended
        /// There is no such program, or it cannot be started.
        case noProgram
    }

    private let identifier: pid_t
    private let deadline: MonotonicTime
    private var ending: Ending?

    /// Starts a program; nil if it cannot be started.
    ///
    /// - Parameters:
    ///   - command: the program, looked for in PATH unless it has a slash, and its words.
    ///   - secondsMax: after so long it is ended.
    ///   - showsErrors: whether its standard error is this one's; else it goes nowhere as well.
    package init?(_ command: [String], secondsMax: Int, showsErrors: Bool = false) {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return nil }
        defer { close(nothing) }
        guard
            let started = try? ChildProcess.spawn(
                command, input: nothing, output: nothing, errors: showsErrors ? nil : nothing)
        else { return nil }
        identifier = started
        deadline = MonotonicTime.now + .seconds(secondsMax)
    }

    /// Looks whether it has ended; nil while it runs and has time.
    package func poll() -> Ending? {
        if let ending { return ending }
        var status: CInt = 0
        switch waitpid(identifier, &status, WNOHANG) {
        case identifier:
            if case .exited(let code) = ChildProcess.ending(of: status) {
                ending = .exited(code)
            } else {
                ending = .ended
            }
        case 0:
            guard MonotonicTime.now >= deadline else { return nil }
            end()
        default:
            if errno == EINTR { return nil }
            ending = .ended
        }
        return ending
    }

    /// Ends it at once.
    package func end() {
        guard ending == nil else { return }
        // Not reaped yet, so the number is still this program's.
        _ = kill(identifier, SIGKILL)
        _ = waitpid(identifier, nil, 0)
        ending = .ended
    }

    /// Runs a program to its end.
    package static func run(
        _ command: [String], secondsMax: Int, showsErrors: Bool = false
    ) -> Ending {
        HelperProgram(command, secondsMax: secondsMax, showsErrors: showsErrors)?.waitForEnd()
            ?? .noProgram
    }

    /// Waits until it has ended; at most as long as it may take.
    package func waitForEnd() -> Ending {
        while true {
            if let ending = poll() { return ending }
            usleep(2_000)
        }
    }
}
