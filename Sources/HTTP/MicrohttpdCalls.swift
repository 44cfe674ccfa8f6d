#if Web
    import CMicrohttpd
    import Glibc
    import Transport

    /// The calls between the library and a server, in the types of C.
    enum MicrohttpdCalls {
        /// Starts the library on a socket that listens; it closes the socket when it is stopped.
        ///
        /// - Parameter context: the server, which has to outlive the library's daemon.
        /// - Returns: nil if the library has no memory or descriptors.
        static func start(
            listening socket: CInt, limits: HTTPLimits, _ context: UnsafeMutableRawPointer
        ) -> OpaquePointer? {
            // The library keeps a head and a response's head here, and what it knows of each field.
            let poolByteCount = 2 * limits.headByteCountMax + 128 * limits.fieldCountMax + (8 << 10)
            var options = [
                option(.LISTEN_SOCKET, Int(socket)),
                option(.CONNECTION_MEMORY_LIMIT, poolByteCount),
                option(.CONNECTION_LIMIT, limits.connectionCountMax),
                option(.PER_IP_CONNECTION_LIMIT, limits.addressConnectionCountMax),
                option(.CONNECTION_TIMEOUT, Int(limits.idleMax.components.seconds)),
                option(.STRICT_FOR_CLIENT, 1),
                option(.SIGPIPE_HANDLED_BY_APP, 1),
                option(.UNESCAPE_CALLBACK, unsafeBitCast(unescape, to: Int.self)),
                option(.URI_LOG_CALLBACK, unsafeBitCast(targeted, to: Int.self), context),
                option(.NOTIFY_CONNECTION, unsafeBitCast(connectionChanged, to: Int.self), context),
                option(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), context),
                option(.END, 0),
            ]
            let flags = MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            return tandem_http_start(flags, accepted, received, context, &options)
        }

        /// The fields of a request's head, and the length of the head in bytes.
        static func head(
            of connection: OpaquePointer
        ) -> (fields: [(name: [UInt8], value: [UInt8])], byteCount: Int) {
            var fields: [(name: [UInt8], value: [UInt8])] = []
            withUnsafeMutablePointer(to: &fields) {
                _ = MHD_get_connection_values_n(connection, .HEADER_KIND, fieldFound, $0)
            }
            return (fields, Int(tandem_http_head_size(connection)))
        }

        private static func option(
            _ name: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
        ) -> MHD_OptionItem {
            MHD_OptionItem(option: name, value: value, ptr_value: pointer)
        }

        private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
            context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
        }

        private typealias Unescape =
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
            ) -> Int
        /// Leaves escapes as they are: the target is read from its own bytes.
        private static let unescape: Unescape = { _, _, text in
            text.map { strlen($0) } ?? 0
        }

        private typealias Targeted =
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
            ) -> UnsafeMutableRawPointer?
        private static let targeted: Targeted = { context, target, connection in
            if let target, let connection { server(context)?.targeted(connection, target) }
            return nil
        }

        private static let accepted: MHD_AcceptPolicyCallback = { context, address, byteCount in
            guard let server = server(context) else { return .NO }
            let client = SocketAddress(copying: address, byteCount: byteCount)
            return server.admits(client?.port) ? .YES : .NO
        }

        private static let connectionChanged: MHD_NotifyConnectionCallback = {
            context, connection, _, code in
            guard let connection, let server = server(context) else { return }
            if code.rawValue == 0 { server.opened(connection) } else { server.closed(connection) }
        }

        private static let completed: MHD_RequestCompletedCallback = { context, connection, _, _ in
            if let connection { server(context)?.completed(connection) }
        }

        private static let received: MHD_AccessHandlerCallback = {
            context, connection, _, method, version, bytes, byteCount, _ in
            guard let server = server(context), let connection, let method, let version,
                let byteCount
            else { return .NO }
            let piece = UnsafeRawBufferPointer(start: bytes, count: byteCount.pointee)
            let stays = server.received(
                connection, method: String(cString: method), version: String(cString: version),
                piece)
            byteCount.pointee = 0
            return stays ? .YES : .NO
        }

        private static let fieldFound: MHD_KeyValueIteratorN = {
            context, _, name, nameByteCount, value, valueByteCount in
            context?.assumingMemoryBound(to: [(name: [UInt8], value: [UInt8])].self).pointee.append(
                (
                    Array(UnsafeRawBufferPointer(start: name, count: nameByteCount)),
                    Array(UnsafeRawBufferPointer(start: value, count: valueByteCount))
                ))
            return .YES
        }
    }
#endif
