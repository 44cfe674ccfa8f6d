import CLinux
import Glibc

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
    consuming func takeReadEnd() -> Descriptor { readEnd }

    /// Keeps one end and closes the other.
    consuming func takeWriteEnd() -> Descriptor { writeEnd }
}
