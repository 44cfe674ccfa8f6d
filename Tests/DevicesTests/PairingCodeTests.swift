import Core
import Crypto
import Devices
import Testing
import Transport

/// A code with two addresses.
private func sample() throws -> PairingCode {
    let relay = try #require(Fingerprint(bytes: (0..<32).map { UInt8($0) }))
    let device = try #require(Fingerprint(bytes: (0..<32).map { UInt8($0 * 7) }))
    return PairingCode(
        space: SpaceID(value: 0x0123_4567_89ab_cdef_0011_2233_4455_6677), policy: .editsWin,
        secret: SpaceSecret(bytes: (100..<132).map { UInt8($0) }, generation: 3),
        invite: (50..<66).map { UInt8($0) }, expiry: 1_800_000_000,
        addresses: [
            PairingCode.Address(.relay, HostAndPort(host: "relay.example.org", port: 7718), relay),
            PairingCode.Address(.device, HostAndPort(host: "fe80::1", port: 7717), device),
        ])
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
        "a code says the same after being written and read, in lines, small letters and look-alikes"
    )
    func codesAreReadAgain() throws {
        let code = try sample()
        #expect(try PairingCode(parsing: code.text) == code)
        let lines = CodeText.lines(code.text)
        #expect(lines.allSatisfy { $0.utf8.count <= 41 })
        let typed = lines.joined(separator: " \n").lowercased()
            .replacing("1", with: "l").replacing("0", with: "o")
        #expect(try PairingCode(parsing: typed) == code)
        var plain = code
        plain.secret = nil
        plain.addresses = []
        #expect(try PairingCode(parsing: plain.text) == plain)
    }

    @Test("every single wrong character is noticed, and its line is named")
    func typingErrorsAreNoticed() throws {
        let text = Array(try sample().text)
        for index in text.indices {
            var wrong = text
            wrong[index] = wrong[index] == "7" ? "8" : "7"
            let line = index / 35 + 1
            switch problem(String(wrong)) {
            case .mistyped(let found), .wrongEnd(let found): #expect(found == line)
            case let other: Issue.record("place \(index): \(String(describing: other))")
            }
        }
    }

    @Test("two neighbours that changed places are noticed")
    func swapsAreNoticed() throws {
        let text = Array(try sample().text)
        for index in text.indices.dropLast() where text[index] != text[index + 1] {
            var wrong = text
            wrong.swapAt(index, index + 1)
            #expect(problem(String(wrong)) != nil, "place \(index)")
        }
    }

    @Test("a code that is cut off anywhere is refused, mostly by that name")
    func cutCodesAreRefused() throws {
        let text = try sample().text
        var cutOffCount = 0
        for count in 0..<text.count {
            let found = problem(String(text.prefix(count)))
            #expect(found != nil, "\(count) characters")
            if found == .cutOff { cutOffCount += 1 }
        }
        #expect(cutOffCount > text.count * 4 / 5)
    }

    @Test("lines in another order, doubled or left out are refused")
    func linesBelongTogether() throws {
        let lines = CodeText.lines(try sample().text)
        var swapped = lines
        swapped.swapAt(1, 2)
        #expect(problem(swapped.joined()) == .wrongLines)
        #expect(problem((lines[..<2] + lines[1...]).joined()) != nil)
        #expect(problem((lines[..<1] + lines[2...]).joined()) == .cutOff)
    }

    @Test("strange characters, other versions and endless texts are told by name")
    func strangeTextsAreNamed() throws {
        #expect(problem("ABC!") == .strayCharacter("!"))
        #expect(problem("ABCU") == .strayCharacter("U"))
        #expect(problem("Überfall") == .strayCharacter("Ü"))
        #expect(problem(String(repeating: "0", count: 5000)) == .tooLong)
        #expect(problem("") == .cutOff)
        #expect(
            problem(CodeText.encode([9, 0, 12] + [UInt8](repeating: 1, count: 9)))
                == .newer(version: 9))
    }

    @Test("any bytes and any text are refused without a crash")
    func garbageIsRefused() throws {
        var random = SystemRandomNumberGenerator()
        let good = Array(try sample().text)
        for round in 0..<3000 {
            let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // The version is right, so that more of it is read.
            #expect(
                problem(CodeText.encode([1, 0, UInt8(min(bytes.count + 3, 255))] + bytes)) != nil)
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

    @Test("a code runs out at its second")
    func codesRunOut() throws {
        let code = try sample()
        try code.check(now: 1_799_999_999_999)
        #expect(throws: PairingProblem.expired(seconds: 1)) {
            try code.check(now: 1_800_000_000_000)
        }
        #expect("\(PairingProblem.expired(seconds: 600))".contains("10 minutes"))
    }

    @Test("a QR code is made up to its limit, and only of its characters")
    func codesAreDrawn() throws {
        let code = try #require(QRCode(try sample().text))
        #expect(code.size <= 73)
        let lines = try #require(QRDrawing.lines(code, columnMax: 80, isColoured: false))
        #expect(lines.allSatisfy { $0.count == code.size + 8 })
        #expect(lines.count == (code.size + 9) / 2)
        #expect(QRDrawing.lines(code, columnMax: 40, isColoured: false) == nil)
        #expect(QRCode("abc") == nil)
        #expect(QRCode(String(repeating: "A", count: 970))?.size == 97)
        #expect(QRCode(String(repeating: "A", count: 971)) == nil)
        #expect(QRCode("")?.size == 21)
    }
}
