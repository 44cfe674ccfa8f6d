/// A port for monitoring: `tandem-web`, a child of this program, serves HTTP there and asks this program for the pages.
///
/// The child ends with this program; when it ends by itself it is started again. The port stays this program's, so that
/// meanwhile nobody is refused.
package final class MonitorPort {
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
    /// The time in which the child's program says whether it can serve, in seconds.
    private static let checkSecondsMax = 10

    /// Where it listens; with the port that was given if 0 was asked for.
    package let address: SocketAddress

    private let loop: EventLoop
    private let program: String
    private let page: (String) -> MonitorPage?
    private let log: (Fault) -> Void
    private var socket: Descriptor?
    private var child: ChildProcess?
    private var frames = MonitorFrames(byteCountMax: MonitorExchange.questionByteCountMax)
    private var pauseSeconds = MonitorPort.pauseSeconds.first
    private var startedAt = MonotonicTime.now
    private var timer: TimerID?

    /// Listens, and starts the child.
    ///
    /// - Parameters:
    ///   - program: the path of `tandem-web`; by default the one that was installed with this program.
    ///   - page: returns the page at a path; nil if there is none.
    ///   - log: told each time the child has ended by itself.
    /// - Throws: `insecureListen` if other machines could reach it; `noWebProgram`.
    package init(
        on loop: EventLoop, at hostAndPort: HostAndPort,
        program: String? = SiblingProgram.path(SiblingProgram.web),
        page: @escaping (String) -> MonitorPage?, log: @escaping (Fault) -> Void
    ) throws(TransportError) {
        let listening = try Listener.plainSocket(at: hostAndPort.resolved())
        socket = Descriptor(owning: listening.number)
        address = listening.address
        guard let program,
            HelperProgram.run([program, "check"], secondsMax: Self.checkSecondsMax) == .exited(0)
        else { throw .noWebProgram(address: address.description) }
        self.loop = loop
        self.program = program
        self.page = page
        self.log = log
        start()
    }

    /// Whether the program that serves HTTP was installed with this one.
    package static var isInstalled: Bool { SiblingProgram.path(SiblingProgram.web) != nil }

    /// The number of the child's process; nil while none runs.
    package var childIdentifier: Int32? { child?.ending == nil ? child?.identifier : nil }

    /// Stops listening, and ends the child.
    package func close() {
        socket = nil
        if let timer { loop.cancel(timer) }
        timer = nil
        child?.close(grace: .seconds(1))
        child = nil
    }

    private func start() {
        guard let number = socket?.number else { return }
        frames = MonitorFrames(byteCountMax: MonitorExchange.questionByteCountMax)
        startedAt = .now
        do throws(TransportError) {
            let child = try ChildProcess([program, "monitor"], on: loop, passing: [number]) {
                [weak self] ending in self?.restart(ending, nil)
            }
            self.child = child
            child.link.start(self)
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

extension MonitorPort: LinkDelegate {
    /// Answers the child's questions.
    package func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        frames.receive(bytes)
        while let frame = frames.next() {
            guard let question = MonitorExchange.Question(frame) else { return link.close() }
            let answer = MonitorExchange.Answer(number: question.number, page: page(question.path))
            // A page that is too long is as good as none.
            let none = MonitorExchange.Answer(number: question.number, page: nil)
            link.send(answer.frame ?? none.frame ?? [])
        }
        if frames.isBroken { link.close() }
    }

    /// Does nothing: answers are sent whole.
    package func linkDrained(_ link: Link) {}

    /// Makes the child end, which cannot ask any more.
    package func linkClosed(_ link: Link, _ reason: Link.Ending) {
        // It ends as its input does, or is made to.
        if child?.link === link { child?.close(grace: .seconds(1)) }
    }
}
