#if PostgreSQL
    import Relay
    import RelayPostgreSQL
    import Storage
    import Testing

    @Suite("Faults out of a database's codes")
    struct PostgreSQLFaultTests {
        private func fault(_ code: String?) -> StoreFault {
            PostgreSQLFault.fault(
                code: code, message: "ERROR:  secret\nDETAIL:  more\n",
                statement: "reading a space",
                server: "db.example.org/spaces")
        }

        @Test(
            "a full disk, a wait, a standby, a server that is away and damage are told apart",
            arguments: [
                ("53100", "full"), ("53300", "busy"), ("55P03", "busy"), ("57014", "busy"),
                ("40001", "busy"), ("40P01", "busy"), ("25006", "read-only"),
                ("42501", "read-only"),
                ("57P01", "away"), ("57P03", "away"), ("08006", "away"), ("28P01", "away"),
                ("3D000", "away"), ("XX001", "damaged"), ("42P01", "other"), ("XX000", "other"),
                ("23505", "other"),
            ])
        func kinds(code: String, kind: String) {
            let found =
                switch fault(code) {
                case .diskFull: "full"
                case .busy: "busy"
                case .readOnly: "read-only"
                case .unreachable: "away"
                case .corrupt: "damaged"
                case .inputOutput: "other"
                default: "none"
                }
            #expect(found == kind)
        }

        @Test("a connection that broke is a server that is away, and reading goes on after these")
        func goingOn() {
            guard case .unreachable(_, "ERROR:  secret") = fault(nil) else {
                Issue.record("another fault: \(fault(nil))")
                return
            }
            for code in [nil, "53100", "55P03", "25006"] { #expect(fault(code).leavesReading) }
            for code in ["XX001", "42P01"] { #expect(!fault(code).leavesReading) }
        }

        @Test("the password of an address is in no text of it for people")
        func addresses() throws {
            let address = try PostgreSQLAddress(
                "postgresql://me:sesame@one:5433,two/spaces?sslmode=require")
            #expect(address.server == "one:5433,two/spaces")
            let fault = #expect(throws: StoreFault.self) { try PostgreSQLAddress("me:sesame@one") }
            #expect(fault.map { !"\($0)".contains("sesame") } ?? false)
            let other = #expect(throws: StoreFault.self) {
                try PostgreSQLAddress("postgresql://me:sesame@one/spaces?nonsense=1")
            }
            #expect(other.map { !"\($0)".contains("sesame") } ?? false)
        }

        @Test(
            "a server on another machine has to show a certificate, unless the address says otherwise",
            arguments: [
                ("postgresql://db.example.org/spaces", "verify-full"),
                ("postgresql://127.example.org/spaces", "verify-full"),
                ("postgresql://%2Frun%2Fpostgresql,10.0.0.7/spaces", "verify-full"),
                ("postgresql://localhost/spaces?hostaddr=10.0.0.7", "verify-full"),
                ("postgresql://db.example.org/spaces?sslmode=disable", "disable"),
                ("postgresql://%2Frun%2Fpostgresql/spaces", nil),
                ("postgresql://localhost,127.0.0.2,[::1]/spaces", nil),
                ("postgresql:///spaces", nil),
            ] as [(String, String?)])
        func certificates(text: String, mode: String?) throws {
            let hosts = try PostgreSQLAddress(text).hosts
            let modes = hosts.map { $0.options.first { $0.keyword == "sslmode" }?.value }
            #expect(!modes.isEmpty && modes.allSatisfy { $0 == mode })
        }
    }
#endif
