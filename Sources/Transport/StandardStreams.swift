import CLinux
import Glibc

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
