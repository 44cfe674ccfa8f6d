/// The system calls whose failure Transport reports; the raw value is the name in the manual.
package enum SystemCall: String, Sendable {
    /// Making, feeding and awaiting the event queue.
    case epollCreate = "epoll_create1"
    case epollControl = "epoll_ctl"
    case epollWait = "epoll_wait"
    case eventDescriptor = "eventfd"
    case signalDescriptor = "signalfd"
    case signalMask = "pthread_sigmask"

    /// Sockets.
    case socket
    case setOption = "setsockopt"
    case bind
    case listen
    case socketName = "getsockname"
    case accept = "accept4"
    case connect
    case shutdown

    /// Bytes, on sockets, pipes and files.
    case read
    case write = "writev"
    case open
    case duplicate = "dup2"
    case descriptorFlags = "fcntl"

    /// Processes and threads.
    case pipe = "pipe2"
    case spawn = "posix_spawnp"
    case createThread = "pthread_create"
}
