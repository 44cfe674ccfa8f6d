import Simulation
import Testing

@Suite("The program simulate")
struct SimulateProgramTests {
    private static let torn = """
        devices laptop and phone
        laptop creates milk title "Buy milk"
        laptop syncs with phone
        laptop retitles milk "Oat milk"
        phone retitles milk "Soy milk"
        laptop syncs with phone

        """

    private static func run(
        _ words: [String], _ scenario: String = ""
    ) throws -> (code: Int32, output: String, errors: String) {
        try SimulateProgram.run(words, input: Array(scenario.utf8))
    }

    @Test("a scenario without devices is a bad scenario, and one that claims nothing is none")
    func noDevices() throws {
        let nothing = try Self.run(["run", "-"])
        #expect(nothing.code == 65)
        #expect(
            nothing.output == """
                -:1:1: the scenario has no devices
                  hint: begin with the names of some: `devices laptop and phone`

                """)
        #expect(try Self.run(["run", "-"], "devices laptop\nlaptop creates milk").code == 0)
    }

    @Test("what is no text is refused in two lines without control characters")
    func binary() throws {
        let bytes: [UInt8] = Array("devices laptop\n\u{1B}[31m".utf8) + [0xFF, 0x00, 0x1B, 0x07]
        let refused = try SimulateProgram.run(["run", "-"], input: bytes)
        #expect(refused.code == 65)
        #expect(
            refused.output == """
                -:2:6: this is no text: the byte 0xff stands here
                  hint: a scenario is a text in UTF-8, one step a line

                """)
        let zero = try SimulateProgram.run(["run", "-"], input: Array("devices a1\0".utf8))
        #expect(zero.output.hasPrefix("-:1:11: this is no text: the byte 0x00 stands here\n"))
        let text = try Self.run(
            ["run", "-"], "devices laptop\nlaptop edits \u{1B}[2J\u{7} \"\u{1}\"")
        #expect(text.code == 65)
        #expect(
            !(text.output + text.errors).unicodeScalars.contains { $0 != "\n" && $0.value < 32 })
    }

    @Test(
        "a step that is planted is carried out before its line, and one that does not fit is refused"
    )
    func planted() throws {
        #expect(try Self.run(["run", "-"], Self.torn).code == 0)
        let crash = "3: phone is backed up as monday"
        #expect(try Self.run(["run", "-", "--plant", crash], Self.torn).code == 0)
        let wrong = try Self.run(
            ["run", "-", "--plant", "3: expect laptop has milk deleted", "--json"], Self.torn)
        #expect(wrong.code == 1)
        #expect(wrong.output.contains("\"line\":3"))
        #expect(wrong.output.contains("\"failures\":[{"))
        for text in ["laptop crashes", "0: laptop crashes", "99: laptop crashes", "3 laptop"] {
            #expect(try Self.run(["run", "-", "--plant", text], Self.torn).code == 64)
        }
    }

    @Test(
        "another seed draws otherwise, the file's own draws the same, and one that is none is refused"
    )
    func seeds() throws {
        let delayed = """
            devices laptop and phone
            laptop creates milk
            messages from laptop to phone take 5 ms to 2 seconds
            laptop syncs with phone
            """
        func trace(_ words: [String]) throws -> String {
            try Self.run(["run", "-", "--trace"] + words, delayed).output
        }
        #expect(try trace(["--seed", "7"]) == trace(["--seed", "7"]))
        #expect(try trace(["--seed", "7"]) != trace(["--seed", "8"]))
        #expect(try Self.run(["run", "-", "--seed", "seven"], delayed).code == 64)
    }

    @Test("an ending as JSON says at which line, which step and after how much it was")
    func json() throws {
        let scenario = Self.torn + "\nexpect everyone has no conflicts\n"
        let ending = try Self.run(["run", "-", "--json"], scenario)
        #expect(ending.code == 1)
        for member in [
            #""verdict":"expectation failed""#, #""exitCode":1"#, #""line":8"#, #""stepNumber":6"#,
            #""stepText":"expect everyone has no conflicts""#, #""stepsCarriedOut":5"#,
            #""eventsProcessed":"#, #"has 1 conflict (title: "#,
        ] { #expect(ending.output.contains(member), "\(member): \(ending.output)") }
        let passed = try Self.run(["run", "-", "--json"], Self.torn)
        #expect(passed.output.contains(#""line":null,"stepNumber":null,"stepText":null,"#))
        #expect(passed.output.contains(#""stepsCarriedOut":5,"#))
        let bad = try Self.run(["run", "-", "--json"], "devices laptop\nlaptop syncs with laptop")
        #expect(bad.code == 65)
        #expect(bad.output.contains(#""exitCode":65,"faults":[{"line":2,"column":19,"message":"#))
    }

    @Test("a summary says what stands in brackets, and why of several values one is shown")
    func summary() throws {
        let ending = try Self.run(
            ["run", "-"], Self.torn + "expect phone shows milk title \"Water\"\n")
        #expect(ending.output.contains("(its first write is the device's own name)"))
        #expect(ending.output.contains("[phone: 2, laptop: 3]"))
        #expect(
            ending.output.contains(
                "; a conflict is open between \"Oat milk\" and \"Soy milk\": shown"))
        #expect(ending.output.contains("`wait` between the edits decides which that is"))
        let plain = try Self.run(
            ["run", "-"],
            "devices a1\na1 creates milk title \"Milk\"\nexpect a1 shows milk title \"Oat\"\n")
        #expect(plain.output.contains("a1 shows milk title \"Milk\", not \"Oat\"\n"))
    }

    @Test("the help lists every number that the program ends with")
    func exitCodes() throws {
        let codes = SimulatorEnding.table.map(\.code)
        for page in ["exit", "run"] {
            let help = try Self.run(["help", page]).output
            let listed = help.split(separator: "\n").compactMap { line in
                line.split(separator: " ").first.flatMap { Int32($0) }
            }
            #expect(listed == codes, "\(page)")
        }
        #expect(Set(codes).isSuperset(of: Verdict.allCases.map(\.rawValue)))
        #expect(Set(codes).count == codes.count && codes == codes.sorted())
        #expect(try Self.run(["run"]).code == 64)
        #expect(try Self.run(["run", "/nowhere"]).code == 66)
        #expect(
            try Self.run(["run", "-", "--diagram", "/nowhere/x.html"], Self.torn).code
                == 73)
    }

    @Test("the help on the language lists all tables beside the forms")
    func language() throws {
        let help = try Self.run(["help", "language"]).output
        #expect(ScenarioWords.tables.count == 6)
        for (title, rows) in ScenarioWords.tables {
            #expect(help.contains("\n\(title)\n"))
            for row in rows {
                #expect(help.contains("\n  \(row.words)\n      \(row.meaning)\n"), "\(row.words)")
            }
        }
        for known in ["title", "whatever the reason", "@milk", "newer 5", "weeks, week"] {
            #expect(help.contains("\n  \(known)\n"), "\(known)")
        }
    }

    @Test("what is counted once is in the singular")
    func plurals() throws {
        let texts: [(claim: String, words: String)] = [
            ("has no conflicts", "has 1 conflict (title"), ("lists 2 items", "has 1 item listed"),
            ("has no items in the trash", "has 1 item in the trash, not 0"),
            ("has had 2 identities", "has 1 identity, not 2"),
        ]
        let scenario = Self.torn + "phone creates egg\nphone deletes egg\n"
        for (claim, words) in texts {
            let output = try Self.run(["run", "-"], scenario + "expect phone \(claim)").output
            #expect(output.contains(words), "\(output)")
        }
        let one = try Self.run(["explore", "--count", "1", "--steps", "3", "--faults", "none"])
        #expect(one.output.hasPrefix("1 scenario from seed 1 on"))
        #expect(one.output.contains(": 3 steps, "))
        for (number, words) in [
            (0, "0 steps"), (1, "1 step"), (2, "2 steps"), (1_000, "1000 steps"),
        ] {
            #expect(Counted.words(number, "step") == words)
        }
        #expect(
            Counted.words(1_234_567, "scenario", "scenarios", isGrouped: true)
                == "1,234,567 scenarios")
        #expect(Counted.words(-123, "byte", isGrouped: true) == "-123 bytes")
    }
}
