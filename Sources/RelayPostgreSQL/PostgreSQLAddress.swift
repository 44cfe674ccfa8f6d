#if PostgreSQL
    import CPQ
    import Storage

    /// Which database a store is in: a `postgresql://` address as libpq reads it.
    ///
    /// Several hosts may stand in it. Of a server and its standbys the one is taken that can be written
    /// (`target_session_attrs`), unless the address says otherwise. The password may stand in it, but is better kept in
    /// the file that the variable PGPASSFILE names, or in the variable PGPASSWORD.
    package struct PostgreSQLAddress {
        /// The address with everything that was left out.
        let text: String
        /// The database for people, without user and password.
        package let server: String

        /// Reads an address.
        ///
        /// - Throws: `unreachable` if libpq cannot read it; the text itself is not repeated, as a password may be in it.
        package init(_ text: String) throws(StoreFault) {
            var message: UnsafeMutablePointer<CChar>?
            let parsed = Self.isAddress(text) ? PQconninfoParse(text, &message) : nil
            PQfreemem(message)
            guard let options = parsed else {
                throw .unreachable(
                    server: "the database",
                    detail: "its address is none like postgresql://host/name")
            }
            defer { PQconninfoFree(options) }
            var found: [String: String] = [:]
            var next = options
            while let keyword = next.pointee.keyword {
                if let value = next.pointee.val {
                    found[String(cString: keyword)] = String(cString: value)
                }
                next += 1
            }
            let hosts = Self.parts(found["host"] ?? found["hostaddr"] ?? "the local socket")
            let ports = Self.parts(found["port"] ?? "")
            let named = hosts.enumerated().map { index, host in
                let port = index < ports.count ? ports[index] : ""
                return port.isEmpty ? host : "\(host):\(port)"
            }
            server = named.joined(separator: ",") + "/" + (found["dbname"] ?? "")
            let isTold = found["target_session_attrs"] != nil
            self.text =
                isTold
                ? text
                : text + (text.contains("?") ? "&" : "?") + "target_session_attrs=read-write"
        }

        private static func parts(_ text: String) -> [String] {
            text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }

        /// Whether it is an address, and not a list of words such as `host=…`, which libpq would read as well.
        private static func isAddress(_ text: String) -> Bool { text.contains("://") }
    }
#endif
