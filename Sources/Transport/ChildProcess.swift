import CLinux
import Glibc

/// A program started by this one, with a link over its standard input and output.
///
/// The loop holds it until it has ended and was reaped.
package final class ChildProcess {
    /// How a program ended.
    package enum Ending: Equatable, Sendable {
        /// By itself; 0 means well.
        case exited(code: CInt)
        /// By a signal.
        case signalled(CInt)
        /// Another owner has reaped the process, so its status is unknown.
        case unknown
    }

    /// The bytes it reads and writes; to be started by the owner.
    package let link: Link
    /// Its number; another program may have it once `ending` is set.
    package let identifier: pid_t
    /// Nil while it runs.
    package private(set) var ending: Ending?

    private let loop: EventLoop
    private var onEnd: ((Ending) -> Void)?
    private var watch: CInt?
    private var registration: EventLoop.Registration?
    private var pollTimer: TimerID?
    private var killTimer: TimerID?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, looked for in PATH unless it has a slash, and its arguments. No
    ///     shell is involved.
    ///   - errors: its standard error; by default this one's.
    ///   - passing: descriptors that it has as well, from number 3 on.
    ///   - onEnd: called once, from the loop, when it has ended.
    /// - Throws: `failedCall` of `pipe2`, `posix_spawnp` or `fcntl`.
    package init(
        _ command: [String], on loop: EventLoop, options: LinkOptions = LinkOptions(),
        errors: CInt? = nil, passing descriptors: [CInt] = [], onEnd: @escaping (Ending) -> Void
    ) throws(TransportError) {
        guard let program = command.first else {
            preconditionFailure("a command names a program")
        }
        let toChild = try Pipe(about: program)
        let fromChild = try Pipe(about: program)
        identifier = try Self.spawn(
            command, input: toChild.readEnd.number, output: fromChild.writeEnd.number,
            errors: errors, passing: descriptors)
        self.loop = loop
        self.onEnd = onEnd
        let input = fromChild.detachReadEnd()
        let output = toChild.detachWriteEnd()
        do {
            link = try Link(
                input: input, output: output, name: program, on: loop, options: options)
        } catch {
            // Nobody could talk to it; its input has ended already.
            _ = kill(identifier, SIGKILL)
            _ = waitpid(identifier, nil, 0)
            throw error
        }
        watchForEnd()
    }

    /// Closes the link, and ends the program if it does not end by itself.
    ///
    /// - Parameter grace: how long it may take after its input has ended; then it is asked to
    ///   end (SIGTERM), and after as long again it is ended (SIGKILL).
    package func close(grace: Duration = .seconds(3)) {
        link.close()
        guard ending == nil, killTimer == nil else { return }
        killTimer = loop.schedule(after: grace) {
            self.signal(SIGTERM)
            self.killTimer = self.loop.schedule(after: grace) { self.signal(SIGKILL) }
        }
    }
}

// MARK: - Ending

extension ChildProcess {
    private static let pollTime = Duration.milliseconds(50)

    /// Sends it a signal; none once it has ended.
    package func signal(_ signal: CInt) {
        // Not reaped yet, so the number is still this program's.
        if ending == nil { _ = kill(identifier, signal) }
    }

    private func watchForEnd() {
        let number = tandem_pidfd_open(identifier)
        guard number >= 0 else { return poll() }
        watch = number
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        do {
            registration = try loop.add(number, .readable) { _ in _ = self.reap() }
        } catch {
            poll()
        }
    }

    /// For systems that cannot tell: asks now and then.
    private func poll() {
        pollTimer = loop.schedule(after: Self.pollTime) { if !self.reap() { self.poll() } }
    }

    /// Whether it had ended.
    private func reap() -> Bool {
        var status: CInt = 0
        let result = waitpid(identifier, &status, WNOHANG)
        if result == 0 || (result < 0 && errno == EINTR) { return false }
        ended(result == identifier ? Self.ending(of: status) : .unknown)
        return true
    }

    private func ended(_ ending: Ending) {
        self.ending = ending
        if let registration { loop.remove(registration) }
        registration = nil
        if let watch { _ = Glibc.close(watch) }
        watch = nil
        if let killTimer { loop.cancel(killTimer) }
        killTimer = nil
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?(ending)
    }

    static func ending(of status: CInt) -> Ending {
        // The layout of wait(2): the low seven bits are the signal, the next byte the code.
        let signal = status & 0x7f
        return signal == 0 ? .exited(code: (status >> 8) & 0xff) : .signalled(signal)
    }
}

// MARK: - Starting

extension ChildProcess {
    /// Starts a program with these descriptors for its own.
    ///
    /// - Parameters:
    ///   - errors: its standard error; by default this one's.
    ///   - descriptors: what it has as well, from number 3 on.
    static func spawn(
        _ command: [String], input: CInt, output: CInt, errors: CInt? = nil,
        passing descriptors: [CInt] = []
    ) throws(TransportError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The copies stay open in the program; the originals close as it starts.
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        for (index, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, STDERR_FILENO + 1 + CInt(index))
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Ignored and blocked signals are inherited: without this the program would not notice
        // a closed pipe, nor end when asked to.
        var all = sigset_t()
        sigfillset(&all)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var identifier = pid_t()
        let code = posix_spawnp(
            &identifier, command[0], &actions, &attributes, arguments, environ)
        guard code == 0 else {
            throw .failedCall(.spawn, errno: code, about: command[0])
        }
        return identifier
    }
}
