import Crypto
import Devices
import Testing

/// The words of faults of keys and codes; everywhere else tests compare codes.
@Suite("Words of keys and codes")
struct DeviceWordsTests {
    @Test("a key that others can read is refused with the command that ends it")
    func exposedKey() {
        let fault = CertificateFault.exposed(path: "/a/device.key", mode: 0o640)
        #expect("\(fault)".contains("mode 640). Next: chmod 600 /a/device.key"))
    }

    @Test("a code that ran out says when, and who makes a new one")
    func expiredCode() {
        let words = "\(PairingProblem.expired(seconds: 600))"
        #expect(words.contains("10 minutes ago; make a new one on the other device"))
    }
}
