import Testing
import Transport

@Suite("Addresses")
struct AddressTests {
    @Test(
        "an address is read, and written back in one form",
        arguments: [
            ("localhost:9", "tcp://localhost:9"),
            ("box.example-1.org", "tcp://box.example-1.org:7717"),
            ("tcp://10.0.0.1:80", "tcp://10.0.0.1:80"),
            ("tcp://10.0.0.1:80/", "tcp://10.0.0.1:80"),
            ("[::1]:65535", "tcp://[::1]:65535"),
            ("[fe80::1%eth0]", "tcp://[fe80::1%eth0]:7717"),
            ("tcp://[::1]", "tcp://[::1]:7717"),
            ("127.0.0.1:0", "tcp://127.0.0.1:0"),
            ("stdio:", "stdio:"),
            ("stdio://", "stdio:"),
            ("unix:/run/user/1000/a b", "unix:/run/user/1000/a b"),
            ("unix:///socket", "unix:/socket"),
            ("ssh://box", "ssh://box"),
            ("ssh://ann@box:2222/srv/to%20do", "ssh://ann@box:2222/srv/to%20do"),
            ("ssh://box/", "ssh://box"),
            ("ssh://box/~/my/store", "ssh://box/~/my/store"),
            ("ssh://[::1]:22", "ssh://[::1]:22"),
            (
                "desk:1#" + String(repeating: "00Ff", count: 16),
                "tcp://desk:1#00ff" + String(repeating: "-00ff", count: 15)
            ),
        ])
    func wellFormed(text: String, written: String) throws {
        let endpoint = try Endpoint(parsing: text)
        #expect(endpoint.description == written)
        #expect(try Endpoint(parsing: written) == endpoint)
    }

    @Test(
        "a malformed address is refused as such",
        arguments: [
            "", ":80", "a:b", "a:",
            "a:70000", "a:-1", "a:+1", "::1",
            "[::1", "[::1]80", "[abc]:1",
            "a b:1", "-oProxy:1", "ü.example:1",
            String(repeating: "a", count: 254), "http://a",
            "ssh://", "ssh://-oProxyCommand=x", "ssh://-x",
            "ssh://-l@box", "ssh://@box", "ssh://a:secret@box",
            "ssh://box/%4", "ssh://box/%zz", "ssh://box/%ff",
            "ssh://box/a%00",
            "unix:7717", "unix:a/b", "unix:/a/", "unix:/", "unix://host/a",
            "unix:/" + String(repeating: "a", count: 65), "unix:/a\nb",
        ])
    func malformed(text: String) {
        let error = #expect(throws: TransportError.self) { try Endpoint(parsing: text) }
        guard case .invalidAddress(text, let problem) = error else {
            Issue.record("\(text) gave \(String(describing: error))")
            return
        }
        #expect(!problem.isEmpty)
        #expect(error?.side == .here)
    }

    @Test("each address is meant for one transport, the one that reads it")
    func transports() throws {
        for (text, transport) in [
            ("stdio:", "StandardStreams"), ("stdio:1", "TCPAddress"), ("ssh://box", "SSHAddress"),
            ("box", "TCPAddress"), ("tcp://box", "TCPAddress"), ("[::1]:1", "TCPAddress"),
            ("unix:", "UnixAddress"),
            ("tcp://unix:1", "TCPAddress"), ("unix", "TCPAddress"),
        ] {
            let found = Transports.all.first { $0.isMeant(by: text) }
            #expect(found.map { "\($0)" } == transport, "\(text)")
        }
        for transport in Transports.all {
            let isMeant = transport.forms.allSatisfy { transport.isMeant(by: $0) }
            #expect(isMeant)
        }
        let advice = TransportError.invalidAddress(text: "", problem: "").advice
        let isTold = Transports.all.allSatisfy { $0.forms.allSatisfy { advice.contains($0) } }
        #expect(isTold, "\(advice)")
    }

    @Test("addresses of different transports or fingerprints differ")
    func equality() throws {
        let digits = String(repeating: "00ff", count: 16)
        let texts = ["box", "box:1", "box#\(digits)", "ssh://box", "stdio:", "unix:/a", "unix:/b"]
        let endpoints = Set(try texts.map { try Endpoint(parsing: $0) })
        #expect(endpoints.count == texts.count)
        #expect(endpoints.contains(try Endpoint(parsing: "tcp://box:7717")))
    }

    @Test("the ssh command quotes each word for the shell at the other end")
    func sshCommand() throws {
        let endpoint = try Endpoint(parsing: "ssh://ann@box:2222/srv/it's%20$HOME")
        guard let address = endpoint.address as? SSHAddress else {
            Issue.record("read as \(endpoint)")
            return
        }
        let path = try #require(address.storePath)
        #expect(path == "/srv/it's $HOME")
        let command = address.command(running: ["tandem", "serve", "--stdio", path, ""])
        #expect(command.first == "ssh")
        #expect(
            command.suffix(8) == [
                "2222", "--", "ann@box", "tandem", "serve", "--stdio",
                "'/srv/it'\\''s $HOME'", "''",
            ])
    }

    @Test("a path below the home folder is relative there and never looks like an option")
    func sshHomePath() throws {
        let endpoint = try Endpoint(parsing: "ssh://box/~/-rf")
        let address = try #require(endpoint.address as? SSHAddress)
        #expect(address.storePath == "./-rf")
    }

    @Test(
        "loopback is told from every other address",
        arguments: [
            ("127.0.0.1", true), ("127.9.8.7", true), ("[::1]", true), ("localhost", true),
            ("[::ffff:127.0.0.1]", true), ("0.0.0.0", false), ("[::]", false),
            ("192.0.2.1", false), ("[2001:db8::1]", false), ("[::ffff:10.0.0.1]", false),
            ("[::2]", false), ("126.0.0.1", false), ("128.0.0.1", false),
        ])
    func loopback(text: String, isLoopback: Bool) throws {
        let addresses = try HostAndPort(parsing: text).resolved()
        #expect(addresses.allSatisfy { $0.isLoopback == isLoopback })
        #expect(addresses.allSatisfy { $0.port == HostAndPort.defaultPort })
    }

    @Test("a resolved address is written as a number that can be read again")
    func numeric() throws {
        for text in ["127.0.0.1:5", "[::1]:5", "[2001:db8::1]:7717"] {
            let hostAndPort = try HostAndPort(parsing: text)
            #expect(try hostAndPort.resolved().map(\.description) == [text])
        }
    }
}
