#if PostgreSQL
    import CPQ
    import Glibc
    import Storage

    /// Which database a store is in: a `postgresql://` address as libpq reads it.
    ///
    /// Several hosts may stand in it, which are tried one after the other. Of a server and its standbys the one is taken
    /// that can be written (`target_session_attrs`), unless the address says otherwise. The password may stand in it, but
    /// is better kept in the file that the variable PGPASSFILE names, or in the variable PGPASSWORD.
    ///
    /// A server on another machine has to show a certificate for its name (`sslmode=verify-full`), unless the address or
    /// the variable PGSSLMODE says otherwise: libpq alone would take any server, and plain text as well.
    package struct PostgreSQLAddress {
        /// One of the servers that it names.
        package struct Host {
            /// The host and its port, for people.
            let name: String
            /// All options of a connection to it.
            package let options: [(keyword: String, value: String)]
            /// The name whose addresses are to be looked up before; nil if it has a number or a socket.
            package let lookupName: String?

            init(_ name: String, _ options: [String: String]) {
                self.name = name
                self.options = options.filter { !$0.value.isEmpty }
                    .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
                let host = options["host"] ?? ""
                // libpq takes the number of the environment for any name.
                let isName =
                    getenv("PGHOSTADDR") == nil && (options["hostaddr"] ?? "").isEmpty
                    && !host.isEmpty && !host.hasPrefix("/")
                    && !host.hasPrefix("@") && !PostgreSQLAddress.isNumber(host)
                lookupName = isName ? host : nil
            }

            /// The same with the addresses of its name, which stays what its certificate has to show.
            package func at(_ numbers: [String]) -> Host {
                guard let lookupName, !numbers.isEmpty else { return self }
                var found = Dictionary(
                    options.map { ($0.keyword, $0.value) }, uniquingKeysWith: { $1 })
                found["host"] = numbers.map { _ in lookupName }.joined(separator: ",")
                found["hostaddr"] = numbers.joined(separator: ",")
                return Host(name, found)
            }
        }

        /// The servers, in order.
        package let hosts: [Host]
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
            if found["target_session_attrs"] == nil { found["target_session_attrs"] = "read-write" }
            found["fallback_application_name"] = "tandem-relay"
            let isLocal = Self.isOnThisMachine(names: found["host"], numbers: found["hostaddr"])
            if found["sslmode"] == nil, getenv("PGSSLMODE") == nil, !isLocal {
                found["sslmode"] = "verify-full"
            }
            self.hosts = named.enumerated().map {
                Self.host($0.offset, $0.element, of: named.count, found)
            }
        }

        /// A server with its own part of the options that name several.
        private static func host(
            _ index: Int, _ name: String, of count: Int, _ options: [String: String]
        ) -> Host {
            var own = options
            for keyword in ["host", "hostaddr", "port"] where count > 1 {
                guard let all = options[keyword].map({ parts($0) }) else { continue }
                // One port may stand for all.
                own[keyword] = all.count == 1 ? all[0] : index < all.count ? all[index] : ""
            }
            return Host(name, own)
        }

        /// Whether all servers are on this machine: sockets in the file system, or loopback addresses.
        private static func isOnThisMachine(names: String?, numbers: String?) -> Bool {
            // A number stands for its name, where both are given; without either it is the local socket, unless the
            // environment names a host.
            let told =
                numbers ?? names ?? getenv("PGHOSTADDR").map { String(cString: $0) }
                ?? getenv("PGHOST").map { String(cString: $0) } ?? ""
            return parts(told).allSatisfy { host in
                host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost"
                    || host == "::1" || isLoopback(host)
            }
        }

        /// Whether it is an IPv4 or IPv6 address.
        private static func isNumber(_ host: String) -> Bool {
            var (short, long) = (in_addr(), in6_addr())
            return inet_pton(AF_INET, host, &short) == 1 || inet_pton(AF_INET6, host, &long) == 1
        }

        /// Whether it is an address of 127.0.0.0/8, and not a name that only begins like one.
        private static func isLoopback(_ host: String) -> Bool {
            var address = in_addr()
            guard inet_pton(AF_INET, host, &address) == 1 else { return false }
            return UInt32(bigEndian: address.s_addr) >> 24 == 127
        }

        private static func parts(_ text: String) -> [String] {
            text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }

        /// Whether it is an address, and not a list of words such as `host=…`, which libpq would read as well.
        private static func isAddress(_ text: String) -> Bool { text.contains("://") }
    }
#endif
