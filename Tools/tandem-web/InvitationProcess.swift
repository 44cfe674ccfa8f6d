import Glibc
import Page
import Transport

/// An invitation in a process of its own, `tandem invite --json`: it waits and calls relays while the page answers.
final class InvitationProcess: PageInviter {
    private let program: String
    private let folder: String
    private let loop: EventLoop
    private let changed: () -> Void
    private(set) var invitation: PageInvitation?
    private var child: ChildProcess?
    private var output = Lines()
    private var errors = Lines()
    private var errorLines: [String] = []
    private var errorInput: (descriptor: CInt, registration: EventLoop.Registration)?

    /// Nobody is invited yet.
    ///
    /// - Parameters:
    ///   - program: the path of the command line.
    ///   - changed: called when something has happened.
    init(_ program: String, folder: String, on loop: EventLoop, changed: @escaping () -> Void) {
        self.program = program
        self.folder = folder
        self.loop = loop
        self.changed = changed
    }

    func begin(relay: String?, address: String?) {
        var words = [program, "--store", folder, "invite", "--json"]
        if let relay { words += ["--relay", relay] }
        if let address { words += ["--address", address] }
        invitation = PageInvitation()
        (output, errors, errorLines) = (Lines(), Lines(), [])
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return end("no process can be started") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        guard listen(toErrorsAt: ends[0]) else {
            close(ends[0])
            return end("no process can be listened to")
        }
        do throws(TransportError) {
            let child = try ChildProcess(words, on: loop, errors: ends[1]) { [weak self] _ in
                self?.endIfOver()
            }
            self.child = child
            child.link.start(self)
        } catch {
            finishErrors()
            end(Self.words(error, program))
        }
    }

    func enter(digits: String) { child?.link.send(Array((digits + "\n").utf8)) }

    func stop() {
        if invitation?.isOver == false { child?.signal(SIGTERM) }
    }

    private static func words(_ error: TransportError, _ program: String) -> String {
        guard case .failedCall(_, let code, _) = error else { return error.summary }
        return "\(program) cannot be run: \(String(cString: strerror(code)))"
    }

    // MARK: Its end

    /// Whether it has ended, and all that it wrote was read.
    private var isOver: Bool {
        errorInput == nil && output.hasEnded && child?.ending != nil
    }

    private func endIfOver() {
        if isOver { end(nil) }
    }

    private func end(_ fault: String?) {
        child = nil
        invitation?.end(fault ?? (errorLines.isEmpty ? nil : errorLines.joined(separator: " ")))
        changed()
    }

    // MARK: Its standard error

    /// The most lines of the standard error that are kept.
    private static let errorLineCountMax = 20

    private func listen(toErrorsAt descriptor: CInt) -> Bool {
        let registration = try? loop.add(descriptor, .readable) { [weak self] _ in
            self?.readErrors(descriptor)
        }
        guard let registration else { return false }
        errorInput = (descriptor, registration)
        return true
    }

    private func readErrors(_ descriptor: CInt) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0, let lines = errors.take(buffer[..<count]) else {
            finishErrors()
            return endIfOver()
        }
        errorLines += lines.prefix(Self.errorLineCountMax - errorLines.count)
    }

    private func finishErrors() {
        guard let (descriptor, registration) = errorInput else { return }
        errorInput = nil
        loop.remove(registration)
        close(descriptor)
    }
}

extension InvitationProcess: LinkDelegate {
    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        guard let lines = output.take(bytes) else { return link.close() }
        for line in lines { invitation?.take(line) }
        changed()
    }

    /// Does nothing: digits are sent whole.
    func linkDrained(_ link: Link) {}

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        output.hasEnded = true
        endIfOver()
    }
}

/// Lines out of bytes that come in whatever pieces.
private struct Lines {
    /// The most bytes of a line that is waited for.
    private static let byteCountMax = 1 << 16

    private var bytes: [UInt8] = []
    /// Whether none follows.
    var hasEnded = false

    /// Takes the next bytes.
    ///
    /// - Returns: the lines that are whole by then; nil if one is too long.
    mutating func take(_ piece: some Sequence<UInt8>) -> [String]? {
        guard bytes.count < Self.byteCountMax else { return nil }
        bytes += piece
        var lines: [String] = []
        while let feed = bytes.firstIndex(of: 10) {
            lines.append(String(decoding: bytes[..<feed], as: UTF8.self))
            bytes.removeFirst(feed + 1)
        }
        return lines
    }
}
