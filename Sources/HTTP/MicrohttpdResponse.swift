#if Web
    import CMicrohttpd

    /// Makes the library's form of responses.
    enum MicrohttpdResponse {
        /// The most bytes that the library asks a stream for at once.
        private static let blockByteCount = 16 << 10

        /// The library's form of a response, to be destroyed by the caller.
        ///
        /// - Parameter reader: what a stream is read through.
        /// - Returns: nil if a field cannot be sent, such as one with a line feed, or memory is short.
        static func make(
            _ response: HTTPResponse, _ reader: () -> HTTPStreamReader?
        ) -> OpaquePointer? {
            let made: OpaquePointer?
            switch response.body {
            case .bytes(let bytes):
                made = bytes.withUnsafeBytes {
                    MHD_create_response_from_buffer(
                        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress),
                        .RESPMEM_MUST_COPY)
                }
            case .stream:
                guard let reader = reader() else { return nil }
                made = MHD_create_response_from_callback(
                    .max, blockByteCount, read, Unmanaged.passRetained(reader).toOpaque(), release)
            }
            guard let made else { return nil }
            var headers = response.headers
            if response.closes { headers.append(HTTPHeader("connection", "close")) }
            for header in headers
            where MHD_add_response_header(made, header.name, header.value) != .YES {
                MHD_destroy_response(made)
                return nil
            }
            return made
        }

        private static let read: MHD_ContentReaderCallback = { context, _, buffer, countMax in
            // The end of the stream, as the library's header has it.
            let end = -1
            guard let context else { return end }
            let reader = Unmanaged<HTTPStreamReader>.fromOpaque(context).takeUnretainedValue()
            return reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: countMax))
                ?? end
        }

        private static let release: MHD_ContentReaderFreeCallback = { context in
            guard let context else { return }
            Unmanaged<HTTPStreamReader>.fromOpaque(context).release()
        }
    }
#endif
