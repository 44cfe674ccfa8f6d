import Glibc

/// A descriptor a link owns, and its place in the loop.
struct WatchedDescriptor: ~Copyable {
    private let descriptor: Descriptor
    private let loop: EventLoop
    private let originalFlags: CInt?
    private var registration: EventLoop.Registration?

    /// - Parameter restoresFlags: for files that other processes share: `O_NONBLOCK` belongs to
    ///   the open file, so leaving it set would break the shell that started us.
    init(
        _ descriptor: consuming Descriptor, on loop: EventLoop, restoresFlags: Bool,
        about name: String
    ) throws(TransportError) {
        let flags = try descriptor.makeNonBlocking(about: name)
        originalFlags = restoresFlags ? flags : nil
        self.descriptor = descriptor
        self.loop = loop
    }

    deinit {
        if let registration { loop.remove(registration) }
        if let originalFlags { _ = fcntl(descriptor.number, F_SETFL, originalFlags) }
    }

    /// The number for system calls.
    var number: CInt { descriptor.number }

    /// Waits for `interest`, registering at the first need.
    mutating func await(
        _ interest: Readiness, handler: @escaping EventLoop.Handler
    ) throws(TransportError) {
        if let registration {
            try loop.modify(registration, interest)
        } else if !interest.isEmpty {
            registration = try loop.add(descriptor.number, interest, handler: handler)
        }
    }
}
