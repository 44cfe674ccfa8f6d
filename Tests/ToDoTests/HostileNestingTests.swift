import Testing
import ToDo

@Suite("Hostile files: nesting, entities, tables, limits")
struct HostileNestingTests {
    private func refusal(_ format: FormatSamples, _ text: String) -> FormatFault? {
        refusal(format, Array(text.utf8))
    }

    /// Returns the fault for which the whole file is refused; nil if it is not refused.
    private func refusal(_ format: FormatSamples, _ bytes: [UInt8]) -> FormatFault? {
        do throws(FormatFault) {
            _ = try format.decode(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func nested(_ open: String, _ inner: String, _ close: String, _ count: Int) -> String {
        String(repeating: open, count: count) + inner + String(repeating: close, count: count)
    }

    @Test("values nested to the limit are read, deeper ones are refused at once")
    func nesting() throws {
        let max = FormatLimits.depthMax
        func json(_ count: Int) -> String {
            #"{"tandem":1,"title":"a","description":"a","x":"# + nested("[", "1", "]", count) + "}"
        }
        func xml(_ count: Int) -> String {
            "<plist><array><dict><key>title</key><string>a</string><key>x</key>"
                + nested("<array>", "<true/>", "</array>", count) + "</dict></array></plist>"
        }
        #expect(refusal(.taskwarrior, json(max - 2)) == nil)
        #expect(refusal(.jsonLines, json(max - 2)) == nil)
        #expect(refusal(.chronoListXML, xml(max - 3)) == nil)
        for count in [max, 100_000] {
            // The words of these faults, and of those below: FormatFaultWordsTests.
            #expect(refusal(.taskwarrior, json(count))?.line == 1)
            #expect(refusal(.jsonLines, json(count))?.line == 1)
            #expect(refusal(.chronoListXML, xml(count))?.format == "ChronoList")
        }
    }

    @Test(
        "XML that defines or fetches anything is refused before it does",
        arguments: [
            #"<!DOCTYPE plist [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>"#,
            #"<!DOCTYPE plist [<!ENTITY x SYSTEM "file:///etc/passwd">]>"#,
            #"<!DOCTYPE plist SYSTEM "x" [<!ENTITY % p SYSTEM "http://localhost/"> %p;]>"#,
        ])
    func entities(_ type: String) {
        let text =
            #"<?xml version="1.0"?>"# + type
            + "<plist><array><dict><key>title</key><string>&b;&x;</string></dict></array></plist>"
        #expect(refusal(.chronoListXML, text)?.entry == nil)
        #expect(refusal(.chronoListXML, text) != nil)
        let undeclared = text.replacing(type, with: "")
        #expect(refusal(.chronoListXML, undeclared)?.reason.contains("'&b;'") == true)
    }

    @Test("characters by name and number, CDATA and comments are read as XML says")
    func references() throws {
        let text = """
            <plist version="1.0"><!-- c --><array><dict><key>title</key>
            <string>&lt;&amp;&gt;&quot;&apos;&#233;&#x1F389;<![CDATA[<b>&amp;]]><!-- x --></string>
            </dict></array></plist>
            """
        let reading: FormatReading = try FormatSamples.chronoListXML.decode(Array(text.utf8))
        #expect(reading.items.map(\.title) == ["<&>\"'é🎉<b>&amp;"])
    }

    // MARK: Binary property lists

    /// A binary list of these objects, the first of which is the outermost.
    private func binary(_ objects: [[UInt8]], referenceWidth: UInt8 = 1) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += (0..<4).map { UInt8(offset >> (24 - 8 * $0) & 255) } }
        bytes += [0, 0, 0, 0, 0, 0, 4, referenceWidth]
        for number in [objects.count, 0, table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        return bytes
    }

    @Test("a binary list that names itself, or one value ever again, is refused")
    func sharing() {
        #expect(refusal(.chronoListBinary, binary([[0xa1, 0]])) != nil)
        // Each array holds the next one fifteen times: 15^20 values in some hundred bytes.
        var bomb: [[UInt8]] = [[0xa1, 1]]
        for number in 2..<22 {
            bomb.append([0xae] + [UInt8](repeating: UInt8(number), count: 14))
        }
        bomb.append([0x09])
        #expect(refusal(.chronoListBinary, binary(bomb)) != nil)
    }

    @Test("one large value that a million entries name is refused before it is copied so often")
    func largeShared() {
        let large: [UInt8] = [0x4f, 0x12, 0, 2, 0, 0] + [UInt8](repeating: 7, count: 0x20000)
        let count = 100_000
        let entries: [UInt8] =
            [0xaf, 0x12, 0, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
            + [UInt8](repeating: 1, count: count)
        #expect(refusal(.chronoListBinary, binary([entries, large])) != nil)
    }

    @Test(
        "an entry that is longer than any may be is refused, in every format that nests or has lines"
    )
    func entryBytes() throws {
        let max = FormatLimits.entryByteCountMax
        let text = String(repeating: "a", count: max)
        let json = "[{\"description\":\"a\",\"x\":[\"\(text)\",1]}]"
        #expect(refusal(.taskwarrior, json)?.reason.contains(" \(max) ") == true)
        let xml = "<plist><array><array><string>\(text)</string><true/></array></array></plist>"
        #expect(refusal(.chronoListXML, xml)?.reason.contains(" \(max) ") == true)
        let line = [UInt8](repeating: UInt8(ascii: "a"), count: max + 1)
        let reading: FormatReading = try FormatSamples.todoText.decode(line)
        #expect(reading.faults.count == 1 && reading.faults[0].reason.contains(" \(max) "))
    }

    @Test("a task with a hundred thousand fields is bad at once")
    func manyFields() throws {
        let fields = (0..<100_000).map { ",\"k\($0)\":1" }.joined()
        let reading: FormatReading = try FormatSamples.taskwarrior.decode(
            Array("[{\"description\":\"a\"\(fields)}]".utf8))
        #expect(
            reading.faults.allSatisfy { $0.reason.contains("100001") } && reading.faults.count == 1)
    }

    @Test("a field without a name is told as lost")
    func nameless() throws {
        let reading: FormatReading = try FormatSamples.jsonLines.decode(
            Array(#"{"tandem":1,"title":"a","custom":{"":5,"b":1}}"#.utf8))
        #expect(reading.items[0].custom == ["b": .int(1)])
        #expect(reading.losses.map { $0.code as? CommonReason } == [.leftOutWithoutName("5")])
    }

    @Test("offsets, counts and references that lead out of a binary list are refused")
    func outside() throws {
        let good = binary([[0xa1, 1], [0xd1, 2, 3], [0x55] + Array("title".utf8), [0x51, 0x61]])
        #expect(try FormatSamples.chronoListBinary.decode(good).items.map(\.title) == ["a"])
        for index in good.indices {
            for byte in [0, 1, 0x0f, 0x5f, 0x7f, 0xaf, 0xdf, 0xff] as [UInt8] {
                var changed = good
                changed[index] = byte
                _ = try? FormatSamples.chronoListBinary.decode(changed)
            }
        }
        let far = binary(
            [[0xa1] + [0x7f] + [UInt8](repeating: 0xff, count: 7)], referenceWidth: 8)
        #expect(refusal(.chronoListBinary, far) != nil)
        let long = binary([[0xaf, 0x13, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]])
        #expect(refusal(.chronoListBinary, long) != nil)
    }

    // MARK: Tables

    @Test("a table with a million columns, and a quote that is never closed, are refused by line")
    func tables() throws {
        let max = FormatLimits.columnCountMax
        let wide = "title" + (1..<max).map { ",c\($0)" }.joined()
        for format in [FormatSamples.csv, .todoist] {
            do throws(FormatFault) {
                _ = try format.decode(
                    Array(("title" + String(repeating: ",", count: 1_000_000)).utf8))
                Issue.record("was read")
            } catch {
                #expect(error.reason.contains("4096"))
                #expect(error.line == 1)
            }
        }
        #expect(refusal(.csv, wide + "\n") == nil)
        #expect(refusal(.csv, wide + ",x\n")?.reason.contains("4096") == true)
        do throws(FormatFault) {
            _ = try FormatSamples.csv.decode(Array("title,due\r\nx,\r\n\"y\r\nz,,,\r\n".utf8))
            Issue.record("was read")
        } catch {
            #expect(error.entry == nil)
            #expect(error.line == 3)
        }
    }

    @Test(
        "a row with too many cells is bad, one with too few is told, each by its line behind quoted ends of lines"
    )
    func rows() throws {
        let text = "title,notes\r\n\"a\r\nb\",\"x\n\ny\"\r\nshort\r\nc,d,e\r\n\r\ngood,\r\n"
        let reading: FormatReading = try FormatSamples.csv.decode(Array(text.utf8))
        #expect(reading.items.map(\.title) == ["a\r\nb", "short", "good"])
        #expect(reading.items[0].notes == "x\n\ny")
        #expect(reading.faults.map(\.line) == [7])
        #expect(reading.faults.map(\.reason) == ["has 3 cells, the header 2"])
        #expect(
            reading.remarks.map(\.reason) == [
                "line 6 has 1 of 2 cells; the others are read as empty"
            ])
    }

    // MARK: Limits

    @Test("too many fields, too long names and too much in all are bad; as much as fits is read")
    func itemLimits() throws {
        func line(_ tags: Int) -> [UInt8] {
            let list = (0..<tags).map { "\"t\($0)\"" }.joined(separator: ",")
            return Array(#"{"tandem":1,"title":"a","tags":[\#(list)]}"#.utf8)
        }
        let max = FormatLimits.fieldCountMax
        #expect(try JSONLinesFormat.decode(line(max - 1)).faults.isEmpty)
        let many = try JSONLinesFormat.decode(line(max))
        #expect(many.faults.allSatisfy { $0.reason.contains("4097") } && many.faults.count == 1)

        func named(_ count: Int) -> [UInt8] {
            let name = String(repeating: "n", count: count)
            return Array(#"{"tandem":1,"title":"a","custom":{"\#(name)":1}}"#.utf8)
        }
        #expect(try JSONLinesFormat.decode(named(FormatLimits.nameByteCountMax)).faults.isEmpty)
        let long = try JSONLinesFormat.decode(named(FormatLimits.nameByteCountMax + 1))
        #expect(long.faults.allSatisfy { $0.reason.contains("257") } && long.faults.count == 1)

        func large(_ count: Int) -> [UInt8] {
            let text = String(repeating: "n", count: 200_000)
            let members = (0..<count).map { "\"n\($0)\":\"\(text)\"" }.joined(separator: ",")
            return Array(#"{"tandem":1,"title":"a","custom":{\#(members)}}"#.utf8)
        }
        #expect(try JSONLinesFormat.decode(large(19)).faults.isEmpty)
        #expect(try JSONLinesFormat.decode(large(20)).faults.map(\.key) == [nil])
    }

    @Test("more than a million entries are refused")
    func entryCount() {
        let line = Array("x\n".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count * (FormatLimits.entryCountMax + 1))
        for _ in 0...FormatLimits.entryCountMax { bytes += line }
        #expect(refusal(.jsonLines, bytes)?.reason.contains(" 1000000 ") == true)
    }
}
