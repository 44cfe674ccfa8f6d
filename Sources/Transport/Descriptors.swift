import CLinux
import Glibc

/// A file descriptor with one owner, closed when the owner lets go of it.
package struct Descriptor: ~Copyable {
    /// The number the kernel knows it by; -1 never.
    package let number: CInt

    /// Takes over an open descriptor.
    package init(owning number: CInt) {
        precondition(number >= 0, "an open descriptor is not negative")
        self.number = number
    }

    deinit {
        // A second call after EINTR could hit a descriptor another thread has just opened.
        _ = Glibc.close(number)
    }

    /// Makes reads and writes return EAGAIN instead of waiting.
    ///
    /// - Returns: the flags before, to be restored on a file that other processes share.
    /// - Throws: `failedCall` of `fcntl`.
    @discardableResult
    func makeNonBlocking(about name: String) throws(TransportError) -> CInt {
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) >= 0 else {
            throw .failedCall(.descriptorFlags, errno: errno, about: name)
        }
        return flags
    }
}

/// Both ends of a new pipe, for this process only.
struct Pipe: ~Copyable {
    let readEnd: Descriptor
    let writeEnd: Descriptor

    init(about name: String) throws(TransportError) {
        var numbers: [CInt] = [-1, -1]
        guard tandem_pipe2(&numbers, O_CLOEXEC) == 0 else {
            throw .failedCall(.pipe, errno: errno, about: name)
        }
        readEnd = Descriptor(owning: numbers[0])
        writeEnd = Descriptor(owning: numbers[1])
    }

    /// Keeps one end and closes the other.
    consuming func detachReadEnd() -> Descriptor { readEnd }

    /// Keeps one end and closes the other.
    consuming func detachWriteEnd() -> Descriptor { writeEnd }
}
