// Alone, as it is one of the few files that a change of wording may touch.
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

    @Test("a code without its meeting point says what one looks like")
    func codeWithoutMeeting() {
        #expect("\(PairingProblem.noMeeting)".contains("like example.org:7718/; take all of it"))
    }
}
