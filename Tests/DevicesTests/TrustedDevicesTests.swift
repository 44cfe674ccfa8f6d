import Crypto
import Devices
import Glibc
import Testing

@Suite("Trusted devices")
struct TrustedDevicesTests {
    private let laptop = Fingerprint(bytes: [UInt8](repeating: 1, count: 32))
    private let phone = Fingerprint(bytes: [UInt8](repeating: 2, count: 32))

    /// A path that is free while `body` runs.
    private func withPath(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/tandem-trusted-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let folder = String(decoding: bytes, as: UTF8.self)
        let path = TrustedDevices.path(in: folder)
        defer {
            unlink(path)
            rmdir(folder)
        }
        try body(path)
    }

    @Test("what is written is read back; without a file nobody is trusted")
    func roundTrip() throws {
        let (laptop, phone) = (try #require(laptop), try #require(phone))
        try withPath { path in
            #expect(try TrustedDevices(contentsOf: path).devices.isEmpty)
            var devices = TrustedDevices()
            devices.trust(laptop, name: "Anna's laptop\n")
            devices.trust(phone, name: "")
            devices.trust(phone, name: "phone")
            try devices.write(to: path)
            let read = try TrustedDevices(contentsOf: path)
            #expect(read.devices.map { $0.name } == ["Anna's laptop", "phone"])
            #expect(read.contains(laptop) && read.contains(phone))
            devices.distrust(laptop)
            try devices.write(to: path)
            #expect(try !TrustedDevices(contentsOf: path).contains(laptop))
        }
    }

    @Test("a damaged line is named, and nobody is let in")
    func damaged() throws {
        let laptop = try #require(laptop)
        try withPath { path in
            let file = try #require(fopen(path, "w"))
            fputs("# mine\n\n  \(laptop) laptop\nnonsense\n", file)
            fclose(file)
            let fault = TrustedDevicesFault.damagedLine(
                path: path, line: 4, .strayCharacter("n"))
            #expect(throws: fault) { try TrustedDevices(contentsOf: path) }
        }
    }
}
