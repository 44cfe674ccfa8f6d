import Testing
import ToDo

@Suite("Local time zone")
struct LocalTimeZoneTests {
    @Test(
        "system zones give the offsets of their laws",
        arguments: [
            ("Europe/Berlin", Int64(1_795_239_247), 3_600, "CET"),
            ("Europe/Berlin", 1_780_000_000, 7_200, "CEST"),
            ("Europe/Berlin", -800_000_000, 7_200, "CEST"),
            ("Europe/Berlin", 4_086_000_000, 7_200, "CEST"),
            ("America/New_York", 1_795_239_247, -18_000, "EST"),
            ("America/New_York", 1_780_000_000, -14_400, "EDT"),
            ("America/New_York", -3_000_000_000, -17_762, "LMT"),
            ("Asia/Kolkata", 1_795_239_247, 19_800, "IST"),
            ("UTC", 1_795_239_247, 0, "UTC"),
        ])
    func systemZones(name: String, second: Int64, offset: Int, abbreviation: String) throws {
        let zone = try Fixed.zone(name)
        #expect(zone.secondsEast(at: second * 1_000) == offset)
        #expect(zone.abbreviation(at: second * 1_000) == abbreviation)
    }

    @Test("a rule alone agrees with the file for the years the file leaves to it")
    func ruleAgreesWithFile() throws {
        let file = try Fixed.zone("Europe/Berlin")
        let rule = try Fixed.berlin()
        for hour in stride(from: Int64(1_800_000_000), to: 2_500_000_000, by: 3_600 * 17) {
            let instant = hour * 1_000
            #expect(file.localTime(at: instant) == rule.localTime(at: instant))
        }
    }

    @Test("a time in the gap of spring moves later by the gap")
    func gap() throws {
        let zone = try Fixed.berlin()
        let instant = Fixed.instant("2026-03-29", 2, 30, in: zone)
        let shown = zone.localTime(at: instant)
        #expect((shown.hour, shown.minute) == (3, 30))
        #expect(instant == 1_774_747_800_000)
    }

    @Test("a time in the overlap of autumn is the first of the two")
    func overlap() throws {
        let zone = try Fixed.berlin()
        let instant = Fixed.instant("2026-10-25", 2, 30, in: zone)
        #expect(zone.abbreviation(at: instant) == "CEST")
        #expect(zone.localTime(at: instant + 3_600_000) == zone.localTime(at: instant))
    }

    @Test("a day whose midnight is skipped begins with its first instant")
    func skippedMidnight() throws {
        let zone = try LocalTimeZone(rule: "<-03>3<-02>,M11.1.0/0,M2.3.0/0")
        let date = try #require(Fixed.date("2026-11-01"))
        let start = zone.startOfDay(date.day)
        #expect(zone.localTime(at: start).hour == 1)
        #expect(zone.localTime(at: start - 1).day == date.day - 1)
    }

    @Test("a version 1 file keeps its last offset for ever")
    func versionOne() throws {
        var builder = ZoneFileBuilder(
            periods: [(3_600, false, 0), (7_200, true, 4)], names: "ONE\0TWO\0")
        builder.transitions = [(1_000, 1), (2_000, 0)]
        let zone = try LocalTimeZone(name: "x", file: builder.bytes)
        #expect(
            [999, 1_000, 1_999, 2_000, 9_999_999_999].map { zone.abbreviation(at: $0 * 1_000) }
                == ["ONE", "TWO", "TWO", "ONE", "ONE"])
    }

    @Test("a version 2 file follows its footer after the last transition")
    func versionTwo() throws {
        var builder = ZoneFileBuilder(periods: [(0, false, 0)], names: "OLD\0")
        builder.transitions = [(1_700_000_000, 0)]
        builder.footer = "CET-1CEST,M3.5.0,M10.5.0/3"
        let zone = try LocalTimeZone(name: "x", file: builder.bytes)
        #expect(zone.abbreviation(at: 1_600_000_000_000) == "OLD")
        #expect(zone.abbreviation(at: 1_780_000_000_000) == "CEST")
    }

    @Test(
        "rules in every form are read",
        arguments: [
            ("UTC0", 0), ("EST5EDT", -14_400), ("<+0330>-3:30", 12_600),
            ("XXX3EDT4,0/0,J365/23", -14_400),
            ("IST-2IDT,M3.4.4/26,M10.5.0", 10_800), ("AAA+1:02:03", -3_723),
            ("CET-1CEST,J60,J300", 7_200), ("WGT3WGST,M3.5.0/-2,M10.5.0/-1", -7_200),
        ])
    func rules(text: String, julyOffset: Int) throws {
        let zone = try LocalTimeZone(rule: text)
        #expect(zone.secondsEast(at: 1_783_000_000_000) == julyOffset)
    }

    @Test(
        "broken rules are refused",
        arguments: [
            "", "C", "CET", "CET-25", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
            "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1",
            "CET-1CEST,M3.5.0,M10.5.0/168", "<CET-1", "CET-1 ", "CET-1CEST,M3.5.0,M10.5.0,",
        ])
    func brokenRules(text: String) {
        #expect(throws: TimeZoneFault.badRule(text)) { try LocalTimeZone(rule: text) }
    }

    @Test("every cut and every changed byte of a file is refused or read, never a trap")
    func hostileFiles() throws {
        var builder = ZoneFileBuilder(periods: [(0, false, 0), (3_600, true, 0)], names: "OLD\0")
        builder.transitions = [(1_000, 1), (2_000, 0)]
        builder.footer = "CET-1CEST,M3.5.0,M10.5.0/3"
        let bytes = builder.bytes
        for count in 0..<bytes.count {
            #expect(throws: TimeZoneFault.self) {
                try LocalTimeZone(name: "x", file: Array(bytes.prefix(count)))
            }
        }
        for index in bytes.indices {
            for value in [UInt8(0), 1, 0x7f, 0x80, 0xff] {
                var changed = bytes
                changed[index] = value
                guard let zone = try? LocalTimeZone(name: "x", file: changed) else { continue }
                for instant in [Int64.min, 0, 1_500_000, Fixed.now, .max] {
                    _ = zone.instant(of: zone.localTime(at: instant))
                }
            }
        }
    }

    @Test("what a zone file may not say has its own fault")
    func faults() {
        #expect(throws: TimeZoneFault.notZoneData) {
            try LocalTimeZone(name: "x", file: Array("hello, this is no zone".utf8))
        }
        var builder = ZoneFileBuilder(periods: [(0, false, 0)], names: "A\0", leapSeconds: 1)
        #expect(throws: TimeZoneFault.countsLeapSeconds) {
            try LocalTimeZone(name: "x", file: builder.bytes)
        }
        builder.leapSeconds = 0
        builder.transitions = [(5, 0), (5, 0)]
        #expect(throws: TimeZoneFault.inconsistent(.transitionOrder)) {
            try LocalTimeZone(name: "x", file: builder.bytes)
        }
    }

    @Test("the TZ variable is understood as the C library does")
    func loader() throws {
        let file = ZoneFileBuilder(periods: [(3_600, false, 0)], names: "ONE\0").bytes
        let known = ["/etc/localtime", "/zones/Town/Hall", "/tmp/own"]
        let loader = TimeZoneLoader { known.contains($0) ? file : nil }
        let bare = TimeZoneLoader { _ in nil }
        func east(_ variable: String?) throws -> Int {
            try loader.zone(variable: variable, directory: "/zones").secondsEast(at: 0)
        }
        #expect(try east(nil) == 3_600)
        #expect(try east("Town/Hall") == 3_600)
        #expect(try east(":Town/Hall") == 3_600)
        #expect(try east("/tmp/own") == 3_600)
        #expect(try east("EST5") == -18_000)
        #expect(try east("") == 0)
        #expect(try bare.zone(variable: nil) == .utc)
        // These need no files: small systems have none.
        for name in ["UTC", ":UTC", "Etc/UTC", "UCT", "Zulu", "GMT", "Etc/GMT", "Universal"] {
            let zone = try bare.zone(variable: name)
            #expect(zone.secondsEast(at: 0) == 0 && zone.secondsEast(at: 1_800_000_000_000) == 0)
        }
        #expect(throws: TimeZoneFault.unknownZone("Town/Halle")) { try east("Town/Halle") }
        #expect(throws: TimeZoneFault.unknownZone("../etc/localtime")) {
            try east("../etc/localtime")
        }
    }
}
