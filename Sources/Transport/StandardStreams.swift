import CLinux
import Glibc

/// The streams that this process was started with: `stdio:`.
///
/// Whoever started it has decided who is at their other end: a shell, or ssh.
package struct StandardStreams: TransportAddress {
    /// The only form.
    package static let forms = ["stdio:"]
    /// The parent process vouches for the peer.
    package static let provesKeys = false
    /// There is one pair of streams.
    package static let servesOne = true

    /// The process's own streams.
    package init() {}

    /// Whether a text is `stdio:` or `stdio://`.
    package static func isMeant(by text: String) -> Bool {
        text == "stdio:" || text == "stdio://"
    }

    /// Reads the only form.
    package init(parsing text: String) throws(TransportError) {
        guard Self.isMeant(by: text) else {
            throw .invalidAddress(text: text, problem: "it is not stdio:")
        }
    }

    /// `stdio:`.
    package var description: String { "stdio:" }

    /// Takes the streams; there is nothing to wait for.
    package func dial(
        _ settings: TransportSettings, completion: @escaping Dialer.Completion
    ) throws(TransportError) {
        let link = try Link.standardStreams(on: settings.loop, options: settings.options)
        settings.loop.schedule(after: .zero) { completion(.success(link)) }
    }

    /// Takes the streams for the one peer.
    package func listen(
        _ settings: TransportSettings, refused: @escaping (String, TransportError) -> Void,
        accept: @escaping Listener.Accept
    ) throws(TransportError) -> (any PeerListener)? {
        let link = try Link.standardStreams(on: settings.loop, options: settings.options)
        settings.loop.schedule(after: .zero) { accept(link) }
        return nil
    }
}

extension Endpoint {
    /// The streams that this process was started with.
    package static var standardStreams: Endpoint { Endpoint(StandardStreams()) }
}

extension Link {
    /// A link over the streams this process was started with.
    ///
    /// The process keeps harmless ones in their place: its standard input is empty from now on,
    /// and whatever is printed goes to standard error, so no stray line gets between the
    /// messages.
    /// - Throws: `failedCall`.
    package static func standardStreams(
        on loop: EventLoop, options: LinkOptions = LinkOptions()
    ) throws(TransportError) -> Link {
        try takingOver(
            input: STDIN_FILENO, output: STDOUT_FILENO, diagnostics: STDERR_FILENO, on: loop,
            options: options)
    }

    /// The same for streams with other numbers.
    package static func takingOver(
        input: CInt, output: CInt, diagnostics: CInt, on loop: EventLoop,
        options: LinkOptions = LinkOptions()
    ) throws(TransportError) -> Link {
        let name = "the standard streams"
        let ownInput = try duplicate(input, about: "standard input")
        let ownOutput = try duplicate(output, about: "standard output")
        let number = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw .failedCall(.open, errno: errno, about: "/dev/null") }
        let nothing = Descriptor(owning: number)
        guard dup2(nothing.number, input) >= 0 else {
            throw .failedCall(.duplicate, errno: errno, about: name)
        }
        // A process may have been started without standard error.
        guard dup2(diagnostics, output) >= 0 || dup2(nothing.number, output) >= 0 else {
            throw .failedCall(.duplicate, errno: errno, about: name)
        }
        return try Link(
            input: ownInput, output: ownOutput, name: name, on: loop, restoresFlags: true,
            options: options)
    }

    private static func duplicate(
        _ number: CInt, about name: String
    ) throws(TransportError) -> Descriptor {
        // Above the standard numbers, and not for programs started by this one.
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .failedCall(.duplicate, errno: errno, about: name) }
        return Descriptor(owning: copy)
    }
}
