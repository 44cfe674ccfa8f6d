import TestSupport
import Testing
import ToDo

@Suite("Hostile files in every format")
struct HostileFormatTests {
    /// The accepted results of reading a file: problems only in reported entries, or a refusal as a
    /// whole.
    private enum Answer: Equatable {
        /// Bad entries among good ones, or refused; either way nothing may be imported unasked.
        case bad
        /// Read without a fault.
        case read
    }

    private static func answer(_ format: FormatSamples, _ bytes: [UInt8]) -> Answer {
        do throws(FormatFault) {
            let reading = try format.decode(bytes)
            for fault in reading.faults {
                #expect(!fault.reason.isEmpty)
                #expect(fault.entry != nil || fault.line != nil)
                #expect(fault.line != nil || format == .chronoListBinary, "\(fault)")
            }
            return reading.faults.isEmpty ? .read : .bad
        } catch {
            #expect(!error.reason.isEmpty)
            #expect("\(error)".utf8.count < 500, "a message is for people: \(error)")
            return .bad
        }
    }

    /// One entry with a title, a due date and notes as the format writes them, in its own escapes.
    private static func file(
        _ format: FormatSamples, title: String = "t", due: String? = nil, tail: String = ""
    ) -> [UInt8] {
        let text =
            switch format {
            case .taskwarrior:
                #"[{"description":"\#(title)""# + (due.map { #","due":"\#($0)""# } ?? "") + "}]"
            case .jsonLines:
                #"{"tandem":1,"title":"\#(title)""# + (due.map { #","due":"\#($0)""# } ?? "") + "}"
            case .chronoListXML, .chronoListBinary:
                #"<plist version="1.0"><array><dict><key>title</key><string>\#(title)</string>"#
                    + (due.map { "<key>dueDate</key><date>\($0)</date>" } ?? "")
                    + "</dict></array></plist>"
            case .csv: "title,due\r\n\(title),\(due ?? "")\r\n"
            case .todoist: "TYPE,CONTENT,DATE\r\ntask,\(title),\(due ?? "")\r\n"
            case .vtodo:
                "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VTODO\r\nUID:a\r\nSUMMARY:\(title)\r\n"
                    + (due.map { "DUE:\($0)\r\n" } ?? "") + "END:VTODO\r\nEND:VCALENDAR\r\n"
            case .todoText: title + (due.map { " due:\($0)" } ?? "") + "\n"
            }
        return Array((text + tail).utf8)
    }

    @Test(
        "a title of a megabyte is bad; one that just fits is read",
        arguments: FormatSamples.allCases)
    func longTitle(_ format: FormatSamples) throws {
        let max = FormatLimits.textByteCountMax
        #expect(
            Self.answer(format, Self.file(format, title: String(repeating: "a", count: max)))
                == .read)
        let over = Self.file(format, title: String(repeating: "a", count: max + 1))
        #expect(Self.answer(format, over) == .bad)
        let reading: FormatReading = try format.decode(over)
        #expect(reading.faults.map(\.reason) == ["has 262145 bytes; 262135 fit"])
        #expect(
            Self.answer(format, Self.file(format, title: String(repeating: "a", count: 1 << 20)))
                == .bad)
    }

    @Test(
        "dates that nobody means are told, and no date is made up",
        arguments: FormatSamples.allCases,
        [
            "2026-02-30", "999999-01-01", "-1", "2026-13-01", "2026-12-32T10:00:00Z",
            "2026-12-01T25:00:00Z", "9999999999999999999999", "+999999999-12-31",
            "+012345-12-31T00:00:00Z", "0000-00-00",
            "2026-12-01T10:00:00+99:00", "soon-ish",
        ])
    func absurdDates(_ format: FormatSamples, _ date: String) throws {
        let reading: FormatReading = try format.decode(Self.file(format, due: date))
        switch format {
        case .todoist:
            // A phrase that is not understood is kept as text, and told.
            #expect(reading.items.first?.due == nil)
            #expect(reading.losses.map(\.field) == ["DATE"])
        case .chronoListXML where date.hasPrefix("+0"),
            .chronoListBinary where date.hasPrefix("+0"),
            .todoText where date.hasPrefix("+0"):
            // A date that is well formed, in a year that nobody plans for.
            #expect(reading.items.first?.due == nil && reading.faults.isEmpty)
            #expect(reading.losses.map(\.field) == ["due"])
        case .todoText:
            #expect(reading.items.first?.due == nil)
            #expect(reading.items.first?.custom["due"] != nil)
            #expect(reading.remarks.map(\.field) == ["due"])
        case .csv, .jsonLines:
            // These may name any year, with a sign and six digits.
            if date.hasPrefix("+0") { return #expect(reading.items.first?.due != nil) }
            #expect(reading.faults.first?.key == "due")
        default:
            #expect(reading.items.isEmpty)
            #expect(reading.faults.count == 1)
            #expect(reading.faults.first?.key?.lowercased().hasPrefix("due") == true)
        }
    }

    @Test(
        "NUL, control characters and bytes that are no UTF-8 do no harm",
        arguments: FormatSamples.allCases)
    func oddBytes(_ format: FormatSamples) throws {
        for title in ["a\u{0}b", "\u{1}\u{7f}x", "a\u{202e}b", "x\u{feff}", "e\u{301}"] {
            let reading: FormatReading? = try? format.decode(Self.file(format, title: title))
            // A line of iCalendar has no control characters; its reader leaves them out.
            let kept = format == .vtodo ? title.filter { !"\u{0}\u{1}\u{7f}".contains($0) } : title
            if let item = reading?.items.first { #expect(item.title == kept) }
        }
        for bad in [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80]]
            as [[UInt8]]
        {
            var bytes = Self.file(format, title: "aZb")
            let index = try #require(bytes.firstIndex(of: UInt8(ascii: "Z")))
            bytes.replaceSubrange(index...index, with: bad)
            #expect(Self.answer(format, bytes) == .bad, "\(bad)")
        }
    }

    @Test(
        "every cut of a valid file is read as far as it goes or refused",
        arguments: FormatSamples.allCases)
    func truncated(_ format: FormatSamples) throws {
        let bytes = try format.sample()
        #expect(Self.answer(format, bytes) == .read)
        for count in 0..<bytes.count { _ = Self.answer(format, Array(bytes.prefix(count))) }
        // In these a half is always noticed.
        if [.taskwarrior, .chronoListXML, .chronoListBinary].contains(format) {
            for count in 3..<bytes.count - 2 {
                #expect(Self.answer(format, Array(bytes.prefix(count))) == .bad, "\(count)")
            }
        }
    }

    @Test(
        "a file of another format, or of nothing, imports nothing",
        arguments: FormatSamples.allCases)
    func foreign(_ format: FormatSamples) throws {
        for other in FormatSamples.allCases where other != format {
            // Any line is a to-do in todo.txt.
            if format == .todoText || (format.rawValue.prefix(6) == other.rawValue.prefix(6)) {
                continue
            }
            let reading: FormatReading? = try? format.decode(try other.sample())
            #expect(reading?.items.isEmpty != false, "\(other)")
        }
        for empty in ["", "\n", "\u{feff}"] {
            let reading: FormatReading? = try? format.decode(Array(empty.utf8))
            #expect(reading?.items.isEmpty != false)
        }
        let noise = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
        #expect(Self.answer(format, noise) == .bad)
    }

    @Test(
        "random changes of valid files are read or refused, in bounded time",
        arguments: FormatSamples.allCases)
    func mutations(_ format: FormatSamples) throws {
        var chance = SplitMix64(seed: UInt64(TestSettings.number("TANDEM_SEED") ?? 1))
        let sample = try format.sample()
        let rounds = TestSettings.number("TANDEM_FORMAT_ROUNDS") ?? 1_500
        var readCount = 0
        for _ in 0..<rounds {
            var bytes = sample
            for _ in 0...chance.below(4) where !bytes.isEmpty {
                let index = chance.below(bytes.count)
                switch chance.below(6) {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: chance.next())
                case 1: bytes[index] ^= 1 << UInt8(chance.below(8))
                case 2: bytes.remove(at: index)
                case 3:
                    bytes.insert(chance.pick(Array("\"{}[],:<>&;\\\r\n\0 x(A)+@9".utf8)), at: index)
                case 4:
                    let end = min(index + chance.below(40), bytes.count)
                    bytes.insert(contentsOf: bytes[index..<end], at: chance.below(bytes.count))
                default: bytes.removeSubrange(index..<min(index + chance.below(40), bytes.count))
                }
            }
            if Self.answer(format, bytes) == .read { readCount += 1 }
        }
        // Neither side may be so seldom that nothing is tested.
        #expect(readCount < rounds)
    }
}
