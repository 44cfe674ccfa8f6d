#if PostgreSQL
    import Glibc

    /// A socket at a port of this machine that was free; whoever connects to it is never answered.
    final class LoopbackSocket {
        let port: UInt16
        private let descriptor: CInt

        /// - Parameter isListening: whether connections are taken; else the port is only found, and free again afterwards.
        init(isListening: Bool) throws {
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0
                        && (!isListening || listen(descriptor, 16) == 0)
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            guard isBound else { throw DatabaseFailure(words: "no port") }
        }

        deinit { close(descriptor) }
    }
#endif
