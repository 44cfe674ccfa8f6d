/// A port for monitoring: `tandem-web`, a child of this program, serves HTTP there and asks this program for the pages.
///
/// The child ends with this program; when it ends by itself it is started again. The port stays this program's, so that
/// meanwhile nobody is refused.
package final class MonitorPort {
    /// An end of the child, which is started again after a time.
    package typealias Fault = KeptProgram.Fault

    /// The time in which the child's program says whether it can serve, in seconds.
    private static let checkSecondsMax = 10

    /// Where it listens; with the port that was given if 0 was asked for.
    package let address: SocketAddress

    private let page: (String) -> MonitorPage?
    private var frames = MonitorFrames(byteCountMax: MonitorExchange.questionByteCountMax)
    private var program: KeptProgram?

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
        let socket = Descriptor(owning: listening.number)
        address = listening.address
        self.page = page
        guard let program, Self.serves(program) else {
            throw .noWebProgram(address: address.description)
        }
        self.program = KeptProgram(
            [program, "monitor"], on: loop, at: socket,
            started: { [unowned self] child in
                frames = MonitorFrames(byteCountMax: MonitorExchange.questionByteCountMax)
                child.link.start(self)
            }, log: log)
    }

    /// Whether the program that serves HTTP was installed with this one.
    package static var isInstalled: Bool { SiblingProgram.path(SiblingProgram.web) != nil }

    /// Whether a program that serves HTTP was built to do so.
    package static func serves(_ program: String) -> Bool {
        HelperProgram.run([program, "check"], secondsMax: checkSecondsMax) == .exited(0)
    }

    /// The number of the child's process; nil while none runs.
    package var childIdentifier: Int32? { program?.childIdentifier }

    /// Stops listening, and ends the child.
    package func close() {
        program?.close()
        program = nil
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
        program?.end(link)
    }
}
