import Core
import Crypto
import Devices
import Testing
import Transport

/// A code for a place.
private func sample(_ host: String = "relay.example.org", port: UInt16 = 7718) throws -> PairingCode
{
    try #require(
        PairingCode(
            meeting: HostAndPort(host: host, port: port), key: (100..<116).map { UInt8($0) },
            pin: (200..<210).map { UInt8($0) }))
}

private func problem(_ text: String) -> PairingProblem? {
    do throws(PairingProblem) {
        _ = try PairingCode(parsing: text)
        return nil
    } catch {
        return error
    }
}

@Suite("Pairing codes")
struct PairingCodeTests {
    @Test(
        "a code says the same after being written and read, drawn, in small letters and look-alikes",
        arguments: ["relay.example.org", "192.168.1.20", "fe80::1", "Desk"])
    func codesAreReadAgain(host: String) throws {
        let code = try sample(host)
        #expect(try PairingCode(parsing: code.text) == code)
        #expect(try PairingCode(parsing: code.drawnText) == code)
        #expect(try PairingCode(parsing: " \(code.text.lowercased())\n") == code)
        let text = code.text
        let slash = try #require(text.lastIndex(of: "/"))
        let characters = text[slash...].replacing("-", with: " \n")
            .replacing("1", with: "l").replacing("0", with: "o")
        #expect(try PairingCode(parsing: String(text[..<slash]) + String(characters)) == code)
    }

    @Test("a code is its place and 44 characters, of which none tells anything of the space")
    func codesAreShort() throws {
        let text = try sample("r", port: 1).text
        #expect(text.filter { $0 != "-" }.count == "r:1/".count + 44)
        #expect(QRCode(try sample().drawnText).map { $0.size <= 33 } == true)
    }

    @Test("every single wrong character is noticed, in the place as well")
    func typingErrorsAreNoticed() throws {
        let text = Array(try sample().text)
        for index in text.indices {
            var wrong = text
            wrong[index] = wrong[index] == "7" ? "8" : "7"
            #expect(problem(String(wrong)) != nil || wrong[index] == "-", "place \(index)")
        }
    }

    @Test("two neighbours that changed places are noticed, in the place as well")
    func swapsAreNoticed() throws {
        let text = Array(try sample().text)
        for index in text.indices.dropLast()
        where text[index] != text[index + 1] && text[index] != "-" && text[index + 1] != "-" {
            var wrong = text
            wrong.swapAt(index, index + 1)
            #expect(problem(String(wrong)) != nil, "place \(index)")
        }
    }

    @Test("a code that is cut off anywhere is refused by that name")
    func cutCodesAreRefused() throws {
        let text = try sample().text
        let slash = try #require(text.firstIndex(of: "/"))
        for index in text.indices where index > slash {
            #expect(problem(String(text[..<index])) == .cutOff)
        }
        #expect(problem(String(text[..<slash])) == .noMeeting)
    }

    @Test("strange characters, places that are none, and endless texts are told by name")
    func strangeTextsAreNamed() throws {
        #expect(problem("r:1/ABC!") == .strayCharacter("!"))
        #expect(problem("r:1/ABCU") == .strayCharacter("U"))
        #expect(problem("r:1/Ü") == .strayCharacter("Ü"))
        #expect(problem("r:1/" + String(repeating: "0", count: 45)) == .tooLong)
        #expect(problem(String(repeating: "0", count: 5000)) == .tooLong)
        for text in [
            "", "/", "r/ABCD", ":1/ABCD", "r:0/ABCD", "r:70000/ABCD", "r r:x/A", "a@b:1/A",
        ] {
            #expect(problem(text) == .noMeeting, "\(text)")
        }
    }

    @Test("a code has one form: bits behind the last byte are zero")
    func codesHaveOneForm() throws {
        // The last character before the check holds three bits of the last byte, and two that fill it.
        let text = try sample("r", port: 1).text.filter { $0 != "-" }
        for character in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" {
            var other = Array(text)
            other[other.count - 3] = character
            let found = try? PairingCode(parsing: String(other))
            #expect(found == nil || String(other) == text)
        }
    }

    @Test("any bytes and any text are refused without a crash")
    func garbageIsRefused() throws {
        var random = SystemRandomNumberGenerator()
        let good = Array(try sample().text)
        for round in 0..<3000 {
            var mutated = good
            for _ in 0...(round % 5) {
                let index = Int.random(in: 0..<mutated.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: mutated[index] = Character(UnicodeScalar(UInt8.random(in: 32...126)))
                case 1: mutated.remove(at: index)
                default: mutated.insert("0", at: index)
                }
            }
            _ = problem(String(mutated))
        }
    }

    @Test("a QR code is made up to its limit, and only of its characters")
    func codesAreDrawn() throws {
        let code = try #require(QRCode(try sample().drawnText))
        let lines = try #require(QRDrawing.lines(code, columnMax: 80, isColoured: false))
        #expect(lines.allSatisfy { $0.count == code.size + 8 })
        #expect(lines.count == (code.size + 9) / 2)
        #expect(QRDrawing.lines(code, columnMax: 30, isColoured: false) == nil)
        #expect(QRCode("abc") == nil)
        #expect(QRCode(String(repeating: "A", count: 970))?.size == 97)
        #expect(QRCode(String(repeating: "A", count: 971)) == nil)
        #expect(QRCode("")?.size == 21)
    }
}
