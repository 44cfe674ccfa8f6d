import Core
import Glibc
import Transport

/// A plain socket to a server, for saying whatever a test wants.
package final class RawConnection {
    private let descriptor: CInt

    /// Connects.
    package init(to hostAndPort: HostAndPort) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = hostAndPort.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw RuntimeTestError(what: "cannot connect: \(errno)") }
        var time = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends bytes.
    package func say(_ bytes: [UInt8]) {
        _ = send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Whether the other end has not closed it; what came is not read.
    package var isOpen: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT))
        return count > 0 || count < 0 && errno == EAGAIN
    }

    /// Reads messages until the other end closes; nil if it does not close in time.
    package func hearAll() -> [Message]? {
        var decoder = FrameDecoder()
        var messages: [Message] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { return messages }
            guard count > 0 else { return nil }
            buffer[..<count].withUnsafeBytes { decoder.append($0) }
            while let message = try? decoder.next() { messages.append(message) }
        }
    }
}
