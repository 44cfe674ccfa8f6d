/// A program that serves at a socket of this one, its child, and is started again when it has ended by itself.
///
/// The socket stays this program's: meanwhile nobody is refused, and no other program can take the port.
package final class KeptProgram {
    /// An end of the child, which is started again after a time.
    package struct Fault {
        /// How it ended; nil if it could not be started.
        package let ending: ChildProcess.Ending?
        /// Why it could not be started.
        package let error: TransportError?
        /// When it is started again.
        package let pause: Duration

        /// How it ended, in words.
        package var cause: String {
            switch ending {
            case .exited(let code): "exit code \(code)"
            case .signalled(let signal): "signal \(signal)"
            case .unknown, nil: error?.summary ?? "unknown"
            }
        }
    }

    /// The first and the longest wait before the child is started again, in seconds: each is twice the one before,
    /// and the first follows again once the child has run longer than the longest.
    package static let pauseSeconds = (first: 1, max: 60)
    /// How long the child may take to end after its input has ended, and after each signal.
    private static let grace = Duration.seconds(1)

    /// The descriptor of the child that listens.
    package static let socketNumber: CInt = 3

    private let loop: EventLoop
    private let command: [String]
    private let started: (ChildProcess) -> Void
    private let log: (Fault) -> Void
    private var socket: Descriptor?
    private var child: ChildProcess?
    private var pauseSeconds = KeptProgram.pauseSeconds.first
    private var startedAt = MonotonicTime.now
    private var timer: TimerID?

    /// Starts the child at the end of this turn.
    ///
    /// - Parameters:
    ///   - command: the path of the program and its words.
    ///   - socket: listens; it is the child's descriptor `socketNumber`.
    ///   - started: has to start the link of a child that was just started.
    ///   - log: told each time the child has ended by itself.
    package init(
        _ command: [String], on loop: EventLoop, at socket: consuming Descriptor,
        started: @escaping (ChildProcess) -> Void, log: @escaping (Fault) -> Void
    ) {
        self.loop = loop
        self.command = command
        self.started = started
        self.log = log
        self.socket = consume socket
        timer = loop.schedule(after: .zero) { [weak self] in self?.start() }
    }

    /// The number of the child's process; nil while none runs.
    package var childIdentifier: Int32? { child?.ending == nil ? child?.identifier : nil }

    /// Closes the socket, and ends the child.
    package func close() {
        socket = nil
        if let timer { loop.cancel(timer) }
        timer = nil
        child?.close(grace: Self.grace)
        child = nil
    }

    /// Ends the child whose link this is, so that another one is started.
    package func end(_ link: Link) {
        if child?.link === link { child?.close(grace: Self.grace) }
    }

    private func start() {
        timer = nil
        guard let number = socket?.number else { return }
        startedAt = .now
        do throws(TransportError) {
            let child = try ChildProcess(command, on: loop, passing: [number]) {
                [weak self] ending in self?.restart(ending, nil)
            }
            self.child = child
            started(child)
        } catch {
            restart(nil, error)
        }
    }

    private func restart(_ ending: ChildProcess.Ending?, _ error: TransportError?) {
        child = nil
        guard socket != nil else { return }
        if MonotonicTime.now - startedAt > .seconds(Self.pauseSeconds.max) {
            pauseSeconds = Self.pauseSeconds.first
        }
        let pause = Duration.seconds(pauseSeconds)
        pauseSeconds = min(pauseSeconds * 2, Self.pauseSeconds.max)
        log(Fault(ending: ending, error: error, pause: pause))
        timer = loop.schedule(after: pause) { [weak self] in self?.start() }
    }
}
