import Glibc
import Transport

/// The port of the local page, or of the gateway for calendars, in a daemon: `tandem-web`, a child of the daemon, serves
/// it there.
///
/// The child ends with the daemon; when it ends by itself it is started again. A port that another program has is tried
/// again now and then: sync goes on without the page.
package final class PagePort {
    /// After so long a port that was taken is tried again.
    static let portRetryTime = Duration.seconds(20)
    /// The exit code by which the child says that another process serves the page of this store (EX_TEMPFAIL).
    package static let servedElsewhereCode: CInt = 75
    /// The line by which the child says that it serves.
    package static let readyLine = "ready\n"

    /// How it goes.
    private(set) var state = DaemonStatus.Page.State.starting
    /// The port that was asked for.
    let port: UInt16

    private let loop: EventLoop
    private let command: [String]
    private let log: (KeptProgram.Fault) -> Void
    private var program: KeptProgram?
    private var timer: TimerID?
    private var isClosed = false

    /// Listens as soon as it can.
    ///
    /// - Parameters:
    ///   - command: the path of `tandem-web` and its words.
    ///   - log: told each time the child has ended by itself.
    init(
        on loop: EventLoop, port: UInt16, command: [String],
        log: @escaping (KeptProgram.Fault) -> Void
    ) {
        self.loop = loop
        self.port = port
        self.command = command
        self.log = log
        listen()
    }

    /// The state for a status.
    var status: DaemonStatus.Page { DaemonStatus.Page(port: port, state: state) }

    /// The number of the child's process; nil while none runs.
    var childIdentifier: Int32? { program?.childIdentifier }

    /// Stops listening, and ends the child.
    func close() {
        isClosed = true
        if let timer { loop.cancel(timer) }
        timer = nil
        program?.close()
        program = nil
    }

    private func listen() {
        timer = nil
        let address = HostAndPort(host: "127.0.0.1", port: port)
        guard let found = try? Listener.plainSocket(at: address.resolved()) else {
            state = .portTaken
            timer = loop.schedule(after: Self.portRetryTime) { [weak self] in self?.listen() }
            return
        }
        state = .starting
        program = KeptProgram(
            command, on: loop, at: Descriptor(owning: found.number),
            started: { [unowned self] child in
                state = .starting
                child.link.start(self)
            },
            log: { [unowned self] fault in
                state =
                    fault.ending == .exited(code: Self.servedElsewhereCode)
                    ? .servedElsewhere : .failing
                log(fault)
            })
    }
}

extension PagePort: LinkDelegate {
    /// Takes note that the child serves.
    package func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        if bytes.contains(UInt8(ascii: "\n")) { state = .serving }
    }

    /// Does nothing: the child is sent nothing.
    package func linkDrained(_ link: Link) {}

    /// Makes the child end, whose output has ended.
    package func linkClosed(_ link: Link, _ reason: Link.Ending) { program?.end(link) }
}

/// The daemon's page.
extension Daemon {
    /// Serves the local page on a port of this machine, until `end`.
    ///
    /// - Parameters:
    ///   - command: the path of `tandem-web` and its words.
    ///   - log: told each time the program that serves it has ended by itself.
    package func servePage(
        port: UInt16, command: [String], log: @escaping (KeptProgram.Fault) -> Void
    ) {
        pagePort = PagePort(on: loop, port: port, command: command, log: log)
    }

    /// Serves calendars on a port of this machine, until `end`.
    ///
    /// - Parameters:
    ///   - command: the path of `tandem-web` and its words.
    ///   - log: told each time the program that serves them has ended by itself.
    package func serveCalendars(
        port: UInt16, command: [String], log: @escaping (KeptProgram.Fault) -> Void
    ) {
        gatewayPort = PagePort(on: loop, port: port, command: command, log: log)
    }
}
