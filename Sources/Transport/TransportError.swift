import Crypto
import Glibc

/// An error of the transport: the cause, the side at fault, and the next step.
package enum TransportError: Error, Equatable, Sendable {
    /// The text is no address; `problem` says which part is wrong.
    case invalidAddress(text: String, problem: String)
    /// The host name gave no address.
    case unresolvedHost(host: String, problem: String)
    /// Listening there without encryption would let the network read and change everything.
    case insecureListen(address: String)
    /// Dialling there without encryption would let the network read and change everything.
    case insecureDial(address: String)
    /// The space has keys, and only TLS proves them.
    case plainForbidden(address: String)
    /// Another account of this machine is at the other end of a local socket.
    case foreignAccount(address: String)
    /// Other accounts can reach the folder in which a socket is to be.
    case openFolder(path: String)
    /// Nothing answered in time; `address` is the last one tried.
    case noAnswer(address: String, after: Duration)
    /// More bytes waited for the peer than the link may hold.
    case sendQueueFull(byteCount: Int, byteCountMax: Int)
    /// The link was closed while this many bytes still waited for a peer that took none.
    case unsentBytes(byteCount: Int)
    /// There is no secure channel to the peer, or it broke.
    case security(SecurityError, peer: String)
    /// The peer did not prove its identity in time.
    case handshakeTimeout(peer: String, after: Duration)
    /// A peer that had not proved who it is had to make room for others.
    case crowded(address: String)
    /// A connection from a balancer did not begin with the header that says for whom it is.
    case noProxyHeader(balancer: String)
    /// The program that serves HTTP is missing, or was built without the trait `Web`.
    case noWebProgram(address: String)
    /// A system call failed; `about` names the address, program or stream.
    case failedCall(SystemCall, errno: CInt, about: String)

    /// The side that can do something about the error.
    package enum Side: String, Sendable {
        /// This machine: its settings, its limits, the command that was typed.
        case here = "this machine"
        /// The machine at the other end.
        case peer = "the peer"
        /// The network between the two machines.
        case network = "the network"
    }
}

extension TransportError {
    /// The side at fault, as far as this end can tell.
    package var side: Side {
        switch self {
        case .invalidAddress, .insecureListen, .insecureDial, .plainForbidden, .foreignAccount,
            .openFolder, .noWebProgram:
            .here
        case .unresolvedHost, .noAnswer, .handshakeTimeout: .network
        case .security(let error, _): Self.side(of: error)
        case .sendQueueFull, .unsentBytes, .crowded, .noProxyHeader: .peer
        case .failedCall(_, let code, _):
            switch code {
            case ECONNREFUSED, ECONNRESET, EPIPE, ECONNABORTED: .peer
            case ENETUNREACH, EHOSTUNREACH, ENETDOWN, ETIMEDOUT: .network
            default: .here
            }
        }
    }

    /// Whether it may pass without anybody's doing, so that trying again is worth while.
    package var mayPass: Bool {
        guard case .security(let error, _) = self else { return side != .here }
        switch error {
        case .cutHandshake, .truncated, .damaged: return true
        default: return false
        }
    }

    private static func side(of error: SecurityError) -> Side {
        switch error {
        case .notBuiltIn, .library, .untrustedPeer, .revokedPeer: .here
        case .cutHandshake, .truncated, .damaged: .network
        case .refusedByPeer, .noCertificate, .plainText, .peerWantsTLS, .versionTooOld,
            .noCommonProtocol, .alert:
            .peer
        }
    }

    /// The code of the error, for programs.
    package var code: String {
        switch self {
        case .invalidAddress: "invalid-address"
        case .unresolvedHost: "unresolved-host"
        case .insecureListen: "insecure-listen"
        case .insecureDial: "insecure-dial"
        case .plainForbidden: "plain-forbidden"
        case .foreignAccount: "foreign-account"
        case .openFolder: "open-folder"
        case .noAnswer: "no-answer"
        case .sendQueueFull: "send-queue-full"
        case .unsentBytes: "unsent-bytes"
        case .security: "security"
        case .handshakeTimeout: "handshake-timeout"
        case .crowded: "crowded"
        case .noProxyHeader: "no-proxy-header"
        case .noWebProgram: "no-web-program"
        case .failedCall: "failed-call"
        }
    }

    /// The error in words, without advice.
    package var summary: String {
        switch self {
        case .invalidAddress(let text, let problem):
            "\"\(text)\" is not an address: \(problem)"
        case .unresolvedHost(let host, let problem):
            "no address found for \"\(host)\": \(problem)"
        case .insecureListen(let address):
            "refused to listen on \(address): it can be reached from other machines, "
                + "and nothing would be encrypted"
        case .insecureDial(let address):
            "refused to connect to \(address): it is another machine, "
                + "and nothing would be encrypted"
        case .plainForbidden(let address):
            "refused plain TCP at \(address): the space has keys, and nothing would prove them"
        case .foreignAccount(let address):
            "\(address): another account of this machine is at the other end"
        case .openFolder(let path):
            "refused to listen in \(path): other accounts can reach the folder"
        case .noAnswer(let address, let time):
            "no answer from \(address) within \(Self.words(time))"
        case .sendQueueFull(let count, let max):
            "\(count) bytes wait to be sent and at most \(max) may"
        case .unsentBytes(let count):
            "closed with \(count) bytes unsent: the other end took none of them in time"
        case .security(let error, let peer): "\(peer): \(error.summary)"
        case .handshakeTimeout(let peer, let time):
            "\(peer): the other end has not proved who it is within \(Self.words(time))"
        case .crowded(let address):
            "\(address): dropped, as too many connections from there have not proved who they are"
        case .noProxyHeader(let balancer):
            "\(balancer): dropped, as this balancer did not say for whom it connects"
        case .noWebProgram(let address):
            "cannot serve HTTP at \(address): tandem-web, which would, is missing or was built without it"
        case .failedCall(let call, let code, let about):
            "\(about): \(String(cString: strerror(code))) (\(call.rawValue), errno \(code))"
        }
    }

    /// The next step for the user.
    package var advice: String {
        switch self {
        case .invalidAddress:
            "write \(Transports.forms)"
        case .unresolvedHost:
            "check the spelling and that this machine is online, or write the number instead"
        case .insecureListen:
            "listen on 127.0.0.1 or [::1], use ssh:// or encryption, "
                + "or allow plain TCP on a network that you trust"
        case .insecureDial:
            "use ssh:// or encryption, or allow plain TCP on a network that you trust"
        case .plainForbidden:
            "use unix: or ssh://, or name the relay with its fingerprint, as it prints it"
        case .foreignAccount: "use a socket of this account"
        case .openFolder: "take a folder of this account with mode 700"
        case .noAnswer:
            "check that the machine is on, the address is right and no firewall is in between"
        case .sendQueueFull, .unsentBytes:
            "the peer reads too slowly or hangs; sync again, what is missing is sent then"
        case .security(let error, _): error.advice
        case .handshakeTimeout:
            "check that Tandem with encryption answers there; sync again, nothing is lost"
        case .crowded: "look what connects from there; a device comes back by itself"
        case .noProxyHeader:
            "have it send the header of PROXY protocol 2 (send-proxy-v2 in haproxy), or take it out of the setting proxies"
        case .noWebProgram:
            "install tandem-web beside this program (the Debian package has it; the static program does not)"
        case .failedCall(let call, let code, _): Self.advice(for: call, code)
        }
    }

    private static func advice(for call: SystemCall, _ code: CInt) -> String {
        switch (call, code) {
        case (.connect, ECONNREFUSED): "nothing listens there; start it there or check the address"
        case (.bind, EADDRINUSE): "another program listens there; stop it or take another address"
        case (.lock, EWOULDBLOCK):
            "another program began to listen there and hangs; stop it and try again"
        case (.bind, EADDRNOTAVAIL): "this machine does not have that address; check it"
        case (.bind, EACCES): "ports below 1024 need permission; take a higher one"
        case (.spawn, ENOENT): "install that program or add its folder to PATH"
        case (.spawn, _): "check that the program can be run by this user"
        case (_, EMFILE), (_, ENFILE): "too many open files; raise the limit (ulimit -n)"
        case (_, ENOMEM), (_, ENOBUFS): "the machine is out of memory; free some and try again"
        case (_, ECONNRESET), (_, EPIPE), (_, ECONNABORTED):
            "the other end went away; sync again, nothing is lost"
        case (_, ETIMEDOUT), (_, ENETUNREACH), (_, EHOSTUNREACH), (_, ENETDOWN):
            "check the network; sync again, nothing is lost"
        default: "try again; if it stays, report it with this message"
        }
    }
}

extension TransportError {
    /// Whether another program listens at the address.
    package var isAddressInUse: Bool {
        if case .failedCall(.bind, EADDRINUSE, _) = self { true } else { false }
    }
}

extension TransportError {
    /// A time in words, without parts of a second where it is longer than one.
    fileprivate static func words(_ time: Duration) -> String {
        if time < .seconds(1) { return "\(time)" }
        let seconds = (time + .milliseconds(500)).components.seconds
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
}

extension TransportError: CustomStringConvertible {
    /// One sentence: the error, the side at fault, and the next step.
    package var description: String {
        "\(summary). Side: \(side.rawValue). Next: \(advice)."
    }
}

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
    case bind
    case listen
    case connect

    /// Bytes, on sockets, pipes and files.
    case read
    case write = "writev"
    case open
    case lock = "flock"
    case duplicate = "dup2"
    case descriptorFlags = "fcntl"

    /// The library that serves HTTP.
    case startHTTP = "MHD_start_daemon"

    /// Processes and threads.
    case pipe = "pipe2"
    case spawn = "posix_spawnp"
    case createThread = "pthread_create"
}
