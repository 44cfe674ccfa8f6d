import Simulation
import Testing

@Suite("Limits of scenarios")
struct ScenarioLimitTests {
    /// The first fault of a text; nil if there is none.
    private static func fault(_ text: String) -> ScenarioFault? {
        ScenarioFaultTests.faults(text)?.faults.first
    }

    @Test(
        "numbers are read up to their limits",
        arguments: [
            ("laptop crashes after", ScenarioLimits.countMax, "disk writes"),
            ("laptop loses power after", ScenarioLimits.countMax, "disk writes"),
            ("expect laptop lists", ScenarioLimits.countMax, "items"),
            ("expect laptop has", ScenarioLimits.countMax, "conflicts"),
            ("the disk of laptop has", ScenarioLimits.byteCountMax, "bytes left"),
            ("the link of laptop and phone breaks after", ScenarioLimits.byteCountMax, "bytes"),
            (
                "expect laptop exchanged at most", ScenarioLimits.byteCountMax,
                "bytes in the last session"
            ),
            ("the clock of laptop drifts by", ScenarioLimits.driftMax, "ppm"),
            ("wait", ScenarioLimits.spanMax, "ms"),
            ("the clock of laptop jumps by", ScenarioLimits.spanMax, "ms"),
            ("messages from laptop to phone take 1 ms to", ScenarioLimits.spanMax, "ms"),
            ("laptop edits milk colour newer", 255, ""),
            ("laptop edits milk colour", Int64.max, ""),
        ])
    func numbers(before: String, most: Int64, after: String) {
        let beginning = ScenarioFormTests.beginning
        #expect(Self.fault(beginning + "\(before) \(most) \(after)") == nil)
        let over = most == .max ? "9223372036854775808" : String(most + 1)
        let fault = Self.fault(beginning + "\(before) \(over) \(after)")
        #expect(fault?.position == Position(line: 4, column: before.count + 2))
        #expect(fault?.message.hasSuffix("is out of range") ?? false)
        #expect(fault?.hint?.hasPrefix("from ") ?? false)
    }

    @Test("numbers that may be negative are read down to their limits")
    func negative() {
        for (before, least, after) in [
            ("the clock of laptop drifts by", -ScenarioLimits.driftMax, "ppm"),
            ("the clock of laptop jumps by", -ScenarioLimits.spanMax, "ms"),
        ] {
            let beginning = ScenarioFormTests.beginning
            #expect(Self.fault(beginning + "\(before) \(least) \(after)") == nil)
            #expect(Self.fault(beginning + "\(before) \(least - 1) \(after)") != nil)
        }
    }

    @Test("a seed has 64 bits")
    func seeds() throws {
        #expect(try ScenarioReader.read("device a1\nseed 18446744073709551615").seed == .max)
        #expect(Self.fault("seed 18446744073709551616")?.message.hasSuffix("out of range") ?? false)
    }

    @Test("a line has at most so many characters")
    func lines() {
        let most = ScenarioLimits.lineLengthMax
        let text = "title \"" + String(repeating: "é", count: most - 8) + "\""
        #expect(Self.fault(text + "\ndevice a1") == nil)
        #expect(Self.fault(text + "\nlenient\ndevice a1") == nil)
        let fault = Self.fault(text + " ")
        #expect(fault?.message == "the line is too long")
        #expect(fault?.position == Position(line: 1, column: most + 1))
        #expect(fault?.hint == "a line has at most \(most) characters")
        #expect(Self.fault(String(repeating: "#", count: 2 * most) + "\nlenient") != nil)
    }

    @Test("a name has at most so many letters")
    func names() {
        let name = String(repeating: "x", count: ScenarioLimits.nameLengthMax)
        #expect(Self.fault("devices \(name)\n\(name) creates \(name) \(name) 1") == nil)
        for text in ["devices \(name)x", "devices a1\na1 creates \(name)x"] {
            #expect(Self.fault(text)?.message == "the name is too long")
        }
        #expect(
            Self.fault("devices a1\na1 creates b1 \(name)x 5")?.message == "the name is too long")
    }

    @Test("a scenario has at most so many devices, copies included")
    func devices() {
        let most = ScenarioLimits.deviceCountMax
        let names = (1..<most).map { "d\($0)" }.joined(separator: ", ")
        let full = "devices \(names)\nd1 is copied to twin"
        #expect(Self.fault(full) == nil)
        #expect(Self.fault("devices \(names), x1, x2")?.message == "there are too many devices")
        let fault = Self.fault(full + "\nd2 is copied to twin2")
        #expect(fault?.message == "there are too many devices")
        #expect(fault?.position == Position(line: 3, column: 17))
        #expect(fault?.hint == "a scenario has at most \(most), copies included")
    }

    @Test("a list has at most so many members")
    func lists() {
        let most = ScenarioLimits.listCountMax
        let beginning = ScenarioFormTests.beginning
        func settings(_ count: Int) -> String {
            "laptop edits milk " + (0..<count).map { "x\($0) 1" }.joined(separator: " ")
        }
        func elements(_ count: Int) -> String {
            "laptop tags milk " + (0..<count).map { "x\($0)" }.joined(separator: ",")
        }
        for list in [settings, elements] {
            #expect(Self.fault(beginning + list(most)) == nil)
            let fault = Self.fault(beginning + list(most + 1))
            #expect(fault?.message == "the list is too long")
            #expect(fault?.hint == "a list has at most \(most) members")
        }
    }

    @Test("a scenario has at most so many steps, and as many are read soon")
    func steps() throws {
        let most = ScenarioLimits.stepCountMax
        let text = "devices laptop\n" + (0..<most).map { "laptop creates x\($0)\n" }.joined()
        #expect(try ScenarioReader.read(text).steps.count == most)
        let faults = try #require(ScenarioFaultTests.faults(text + "laptop opens\nx\nx"))
        #expect(faults.isCutShort)
        #expect(faults.faults.map(\.message) == ["the scenario is too long"])
        #expect(faults.faults[0].position == Position(line: most + 2, column: 1))
        #expect(faults.faults[0].hint == "a scenario has at most \(most) steps")
    }

    @Test("a text has at most so many bytes")
    func texts() {
        let text = String(repeating: "\n", count: ScenarioLimits.textByteCountMax + 1)
        let fault = Self.fault(text)
        #expect(fault?.message == "the text is too long")
        #expect(fault?.position == Position(line: 1, column: 1))
    }
}
