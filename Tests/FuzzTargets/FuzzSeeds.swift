import Core

/// An input that is made, for lines to which no run of a fuzzer came.
package struct FuzzSeed: Sendable {
    /// The target that it is for.
    package let target: String
    /// Its content in a word; the name of its file.
    package let name: String
    /// The input.
    package let bytes: [UInt8]

    init(_ target: String, _ name: String, _ bytes: [UInt8]) {
        (self.target, self.name, self.bytes) = (target, name, bytes)
    }

    init(_ target: String, _ name: String, _ text: String) {
        self.init(target, name, Array(text.utf8))
    }
}

/// The inputs that are made: `./Tools/fuzz --seeds` writes them, and FuzzTests compares.
package enum FuzzSeeds {
    /// All of them, each with a name of its own.
    package static let all: [FuzzSeed] =
        messages + summaries + relayTalks + replicaTalks + deviceRecords + damages + texts + phrases
        + web + LineSeeds.all + ValueSeeds.all + MailboxSeeds.all

    /// How the name of a file begins that is written from here.
    package static let prefix = "seed-"

    private static let one = ReplicaID(value: 1)
    private static let two = ReplicaID(value: 2)
    private static let through = Checkpoint(epoch: EpochID(value: 5), sequence: 1)

    private static func cbor(_ write: (inout CanonicalWriter) -> Void) -> [UInt8] {
        var writer = CanonicalWriter()
        write(&writer)
        return writer.bytes
    }

    /// A message of a kind with one key behind those of another message.
    private static func message(
        _ kind: UInt64, _ key: UInt64, _ write: (inout CanonicalWriter) -> Void
    ) -> [UInt8] {
        cbor { writer in
            writer.map(2)
            writer.unsigned(0)
            writer.unsigned(kind)
            writer.unsigned(key)
            write(&writer)
        }
    }

    // MARK: Messages

    private static let messages: [FuzzSeed] =
        peerCheckpoints + rows + pages + marks + BatchSeeds.all

    /// `[whom, epoch, sequence, counter, epoch of the counter, …]`: a summary sequence behind them needs an epoch, its
    /// own only if that is another one.
    private static let peerCheckpoints: [FuzzSeed] = [
        ("summary-without-checkpoint", [0, 0, 0], [1]),
        ("summary-of-other-epoch", [5, 1, 0], [6, 2]),
        ("summary-of-no-epoch", [5, 1, 0], [0, 2]),
        ("summary-of-same-epoch", [5, 1, 0], [5, 2]),
    ].map { (name: String, numbers: [UInt64], summary: [UInt64]) in
        FuzzSeed(
            "messages", name,
            message(PeerCheckpoint.kind, 1) { writer in
                writer.array(5 + summary.count)
                writer.null()
                for number in numbers { writer.unsigned(number) }
                writer.null()
                for number in summary { writer.unsigned(number) }
            })
    }

    /// Entries are sorted by id; what was seen stands in one only if it is more than the counter.
    private static let pages: [FuzzSeed] = [
        ("page-empty", []), ("page-not-sorted", [[2, 1, 5], [1, 1, 5]]),
        ("page-twice", [[1, 1, 5], [1, 1, 5]]), ("page-of-short-entry", [[1, 1]]),
        ("page-of-equal-counters", [[1, 3, 5, 3]]), ("page-of-more-seen", [[1, 3, 5, 4]]),
    ].map { (name: String, entries: [[UInt64]]) in
        FuzzSeed(
            "messages", name,
            message(Message.summaryPage(SummaryPage([])).kind, 1) { writer in
                writer.array(entries.count)
                for entry in entries {
                    writer.array(entry.count)
                    for (index, number) in entry.enumerated() {
                        if index % 2 == 0 && index < 3 {
                            writer.identifier(UInt128(number))
                        } else {
                            writer.unsigned(number)
                        }
                    }
                }
            })
    }

    /// Marks are of 32 bytes each, sorted.
    private static let marks: [FuzzSeed] = [
        ("marks-none", []), ("marks-cut", [UInt8](repeating: 1, count: 31)),
        ("marks-not-sorted", [2, 1].flatMap { [UInt8](repeating: $0, count: 32) }),
        ("marks-two", [1, 2].flatMap { [UInt8](repeating: $0, count: 32) }),
    ].map { (name: String, bytes: [UInt8]) in
        FuzzSeed(
            "messages", name, message(UnreadableVersions.kind, 1) { $0.byteString(bytes) })
    }

    private static func row(_ replica: ReplicaID, about: ReplicaID?) -> SummaryRow {
        SummaryRow(SummaryRow.Key(replica, about: about), number: 1, bytes: [1])
    }

    /// Rows are sorted by who states them, digests before entries.
    private static let rows: [FuzzSeed] = [
        ("rows", [row(one, about: nil), row(one, about: one), row(one, about: two)]),
        ("rows-of-two", [row(one, about: one), row(two, about: nil), row(two, about: one)]),
        ("rows-digests-last", [row(one, about: one), row(one, about: nil)]),
        ("rows-not-sorted", [row(one, about: two), row(one, about: one)]),
        ("rows-twice", [row(one, about: nil), row(one, about: nil)]),
        ("no-rows", []),
    ].flatMap { (name: String, rows: [SummaryRow]) in
        [
            FuzzSeed(
                "messages", "upload-\(name)",
                Message.encode(.uploadDone(UploadDone(through: through, rows: rows)))),
            FuzzSeed(
                "messages", "download-\(name)",
                Message.encode(
                    .downloadDone(
                        DownloadDone(
                            through: through, rows: rows, rowSum: rows.count == 3 ? 7 : nil)))),
        ]
    }

    // MARK: Talks with a relay

    /// Three links of one address, each of a device of the space without encryption.
    ///
    /// - Parameter limits: the bits of `RelayEngineTalk` that choose them.
    static func relayTalk(
        _ name: String, limits: UInt8 = 0, greets: Bool = true, isNarrow: Bool = false,
        _ steps: [[UInt8]]
    ) -> FuzzSeed {
        var bytes: [UInt8] = [0, limits, isNarrow ? 1 : 0, 0x21, 0x22, 0x23]
        if greets { bytes += [0, 0, 4, 1, 0, 4, 2, 0, 4] }
        return FuzzSeed("relays", name, bytes + Array(steps.joined()))
    }

    /// A version of a record by a writer of its own.
    private static func version(
        _ device: UInt8, by writer: UInt8, isDeferred: Bool = false
    ) -> [UInt8] {
        [device, 247, 0, writer, 30, isDeferred ? 1 : 0]
    }

    private static let relayTalks: [FuzzSeed] = [
        held("held-grows", [20, 22, 24]), held("held-shrinks", [24, 22, 20]),
        held("held-equal", [22, 22, 22]), held("held-last-first", [22, 22, 24], from: 2),
        relayTalk(
            "stored-versions", limits: 8,
            [
                version(0, by: 1), [0, 10], [1, 248, 1], [1, 10], version(0, by: 2), [0, 10],
                version(0, by: 3, isDeferred: true), [0, 10], [1, 248, 1], [1, 10],
                version(0, by: 4), [0, 10], version(0, by: 5, isDeferred: true), [0, 10],
            ]),
        relayTalk(
            "versions", limits: 8, [version(0, by: 1), [0, 10], version(0, by: 2), [0, 10]]),
        relayTalk(
            "acknowledged",
            [version(0, by: 1), [0, 10], [1, 240], [1, 240], [2, 240], [1, 5, 7, 200]]),
        relayTalk(
            "many-rows",
            [
                [0, 254, 0, 1], [1, 254, 0, 1], [0, 10], [2, 240], [2, 12, 1],
                [2, 12, 200], [2, 240], [0, 10],
            ]),
        relayTalk(
            "mailbox", greets: false,
            [
                [0, 243, 1, 1], [0, 244, 2, 7, 7], [1, 243, 1, 0], [1, 244, 2, 8, 8],
                [0, 5, 14, 3], [1, 5, 16, 1], [2, 243, 1, 0],
            ]),
    ]

    /// The beginnings of long bodies, one on each link.
    private static func held(
        _ name: String, _ byteCounts: [UInt8], from first: UInt8 = 0
    ) -> FuzzSeed {
        var steps: [[UInt8]] = []
        for (index, byteCount) in byteCounts.enumerated() {
            let device = (UInt8(index) + first) % 3
            steps.append([device, 246, 1, 0, 1, 2, 1, 1, byteCount - 1])
        }
        return relayTalk(name, limits: 16, steps)
    }

    // MARK: Talks with a store behind

    /// A session of a store with a relay in a space without encryption, welcomed.
    ///
    /// - Parameters:
    ///   - manner: the bits of `RelayReplicaTalk` beside that.
    ///   - count: how many records the other device has.
    private static func replicaTalk(
        _ name: String, manner: UInt8 = 0, count: UInt8 = 0, _ steps: [[UInt8]]
    ) -> FuzzSeed {
        let bytes: [UInt8] = [manner | 2, count, 0, 0, 1, 0]
        return FuzzSeed("relay-replicas", name, bytes + Array(steps.joined()))
    }

    /// A version of record 1 that cannot be read, with one entry in its clock.
    private static func unreadable(_ counter: UInt8, _ replica: [UInt8], _ byte: UInt8) -> [UInt8] {
        [4, 1, 1, 0, counter] + replica + [7, 1, byte, 0]
    }

    private static let replicaTalks: [FuzzSeed] = [
        replicaTalk(
            "deferred",
            [
                unreadable(5, [2], 0xff), unreadable(4, [2], 0xff), unreadable(5, [2], 0xff),
                unreadable(5, [2], 0xfe), unreadable(1, [4, 3], 0xff),
                [4, 1, 1, 0, 6, 2, 0, 7, 1],
            ]),
        replicaTalk(
            "purged-and-edited",
            [
                [4, 1, 2, 1, 1, 4, 77, 5, 2, 97, 1, 1], [4, 1, 2, 0, 1, 4, 3, 0, 7, 1],
                [4, 1, 2, 2, 1, 4, 3, 6, 2, 1, 4, 77, 97, 1, 1],
            ]),
        replicaTalk(
            "same-contents", manner: 16, count: 3,
            [[2, 0, 0], [8], [5, 0], [8], [2, 0, 0], [5, 0]]),
        replicaTalk(
            "same-contents-but-deferred", count: 3,
            [[2, 0, 0], [8], [5, 0], [8], [2, 0, 0], [5, 0]]),
        replicaTalk(
            "aside-accepted", manner: 9, count: 9,
            [
                [2, 0, 0], [13, 19, 0], [2, 0, 0], [12, 3], [13, 19, 0], [2, 0, 0], [5, 0],
                [15, 1], [12, 3], [13, 19, 1], [2, 0, 0], [5, 0],
            ]),
        replicaTalk(
            "aside-refused", manner: 9, count: 9,
            [
                [2, 0, 0], [13, 19, 0], [2, 0, 0], [5, 0], [15, 0], [12, 3], [13, 19, 0],
                [2, 0, 0], [13, 19, 1], [2, 0, 0], [5, 0],
            ]),
        replicaTalk("aside-come-another-way", [[23, 1], [2, 0, 0], [5, 0], [20]]),
        FuzzSeed(
            "replicas", "aside-come-another-way",
            [0, 0, 0, 1, 1, 255, 240, 240, 14, 50, 240, 240] as [UInt8]),
        FuzzSeed(
            "sessions", "hello-without-digests",
            [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 0, 1, 1, 1] as [UInt8]),
    ]

    // MARK: Damaged stores

    /// Bytes of a store's file, or of the log beside it, are changed by exclusive or.
    private static func damage(
        _ name: String, manner: UInt8 = 1, _ changes: [(index: UInt16, value: UInt8)]
    ) -> FuzzSeed {
        let bytes = changes.flatMap { change -> [UInt8] in
            let place = change.index * 2 + 1
            return [UInt8(place >> 8), UInt8(place & 255), change.value]
        }
        return FuzzSeed("damaged-stores", name, [manner] + bytes)
    }

    /// Offsets in the head of the file: 16 the size of a page, 20 the bytes left free in each, 32 the first free page.
    private static let damages: [FuzzSeed] = [
        damage("greatest-page", [(16, 0x10), (17, 1)]),
        damage("small-page-with-rest", [(16, 0x12), (20, 255)]),
        damage("free-pages", [(35, 3)]), damage("free-pages-of-text", [(35, 9)]),
        damage("log-of-other-order", manner: 13, [(3, 1)]),
    ]

    // MARK: Contents of rows

    private static let summaries: [FuzzSeed] = [
        FuzzSeed(
            "summaries", "entry",
            content(.entry(entry, nil))),
        FuzzSeed(
            "summaries", "entry-with-incarnation",
            content(.entry(entry, Incarnation(epoch: EpochID(value: 5), counter: 2)))),
        FuzzSeed("summaries", "digests", content(.digests(sum: 7, Digest(contents: 8)))),
        FuzzSeed(
            "summaries", "digests-with-clocks",
            content(.digests(sum: 7, Digest(contents: 8, clocks: 9)))),
        FuzzSeed(
            "summaries", "entry-cut",
            cbor { writer in
                writer.array(2)
                writer.unsigned(1)
                writer.identifier(9)
            }),
        FuzzSeed(
            "summaries", "entry-of-fewer-seen",
            cbor { writer in
                writer.array(3)
                writer.unsigned(5)
                writer.identifier(9)
                writer.unsigned(2)
            }),
        FuzzSeed(
            "summaries", "entry-of-nothing",
            cbor { writer in
                writer.array(3)
                writer.unsigned(0)
                writer.identifier(9)
                writer.unsigned(0)
            }),
        FuzzSeed("summaries", "entry-asked-for", content(.entry(entry, nil, request: 2))),
        FuzzSeed(
            "summaries", "entry-asked-for-with-incarnation",
            content(.entry(entry, Incarnation(epoch: EpochID(value: 5), counter: 2), request: 3))),
        FuzzSeed("summaries", "entry-asked-for-by-none", content(.entry(entry, nil, request: 0))),
        FuzzSeed("summaries", "entry-and-more", content(.entry(entry, nil)) + [0]),
    ]

    private static let entry = StateSummaryEntry(replica: one, counter: 3, checksum: 9, seen: 5)

    private static func content(_ content: SummaryRowContent) -> [UInt8] { content.bytes }

    // MARK: Texts

    private static let texts: [FuzzSeed] = [
        FuzzSeed("import-vtodo", "bare", "BEGIN:VTODO\r\nSUMMARY:x\r\nEND:VTODO\r\n"),
        FuzzSeed(
            "import-vtodo", "bare-twice",
            "BEGIN:VTODO\r\nSUMMARY:x\r\nEND:VTODO\r\nBEGIN:VTODO\r\nSUMMARY:y\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
        ),
        FuzzSeed("import-vtodo", "left-out", todo("EXDATE;VALUE=DATE:20261225,20270101,x")),
        FuzzSeed(
            "import-vtodo", "left-out-times",
            todo("EXDATE:20261225T080000Z\r\nX-TANDEM-EXCEPT:2026-12-25")),
        FuzzSeed(
            "import-vtodo", "left-out-elsewhere",
            todo("DTSTART:20261203T080000Z\r\nEXDATE;TZID=Europe/Berlin:20261225T003000")),
        FuzzSeed("import-vtodo", "month-days", todo("RRULE:FREQ=MONTHLY;BYDAY=1MO,-1FR")),
        FuzzSeed(
            "import-vtodo", "month-workdays",
            todo("RRULE:FREQ=YEARLY;BYMONTH=12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1")),
        FuzzSeed(
            "import-vtodo", "dates-with-hyphens",
            todo("DTSTART:2026-12-01\r\nCREATED:2026-12-01T08:00:00Z\r\nLAST-MODIFIED:2026x12-01")),
        FuzzSeed("import-vtodo", "month-no-day", todo("RRULE:FREQ=MONTHLY;BYDAY=1XX")),
        FuzzSeed("import-vtodo", "week-no-day", todo("RRULE:FREQ=WEEKLY;BYDAY=XX")),
        FuzzSeed("import-vtodo", "month-set", todo("RRULE:FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1")),
        FuzzSeed(
            "import-vtodo", "no-month-days", todo("RRULE:FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=9")),
        FuzzSeed("import-vtodo", "bare-and-open", "BEGIN:VTODO\r\nSUMMARY:x\r\n"),
        FuzzSeed("import-todoist", "every-in-short", todoist("ev! 3 days")),
        FuzzSeed("import-todoist", "year-too-late", todoist("9999999-01-01")),
        FuzzSeed("import-todoist", "ordinal", todoist("every the 3rd at 9am")),
        FuzzSeed("scenarios", "deleted-is-no-field", scenario("laptop edits milk deleted true")),
        FuzzSeed("scenarios", "purged-is-no-field", scenario("laptop edits milk purged true")),
        FuzzSeed("scenarios", "constants", scenario("laptop edits milk done false other true")),
        FuzzSeed("scenarios", "element-twice", scenario("expect laptop shows milk tags a and a")),
        FuzzSeed(
            "scenarios", "deleted-is-not-shown", scenario("expect laptop shows milk deleted 1")),
        FuzzSeed("scenarios", "nothing-shown", scenario("expect laptop shows milk unheard none")),
        FuzzSeed("scenarios", "title-without-quotes", "title Two\n"),
        FuzzSeed("scenarios", "both-ends", scenario("laptop syncs with laptop")),
        FuzzSeed("scenarios", "set-twice", scenario("laptop edits milk notes none notes none")),
        FuzzSeed("scenarios", "no-set", scenario("laptop edits milk title +x")),
        FuzzSeed("scenarios", "item-cut", scenario("laptop edits milk other @")),
        FuzzSeed("scenarios", "elsewhere", scenario("another program on laptop syncs with phone")),
        FuzzSeed(
            "scenarios", "claim-refused", scenario("expect everyone agrees but is refused: missing")
        ),
        FuzzSeed(
            "scenarios", "more-after-refusal",
            scenario("laptop edits milk title \"a\" but is refused: conflict and more")),
        FuzzSeed("scenarios", "text-missing", scenario("laptop retitles milk Oat")),
        FuzzSeed(
            "pairing-codes", "too-long", tooLong),
        FuzzSeed("clientfile", "steps-0", [0, 1, 6, 0, 12, 13]),
        FuzzSeed("clientfile", "steps-1", [2, 3, 3]),
        FuzzSeed("clientfile", "steps-2", [3, 2, 3]),
        FuzzSeed("clientfile", "steps-3", [5, 3]),
        FuzzSeed("clientfile", "steps-4", [7]),
        FuzzSeed("clientfile", "steps-5", [8, 2]),
        FuzzSeed("clientfile", "steps-6", [9, 9, 4, 9]),
        FuzzSeed("clientfile", "steps-7", [10, 0, 12, 11]),
        FuzzSeed("clientfile", "steps-8", [11, 1, 0]),
        FuzzSeed("clientfile", "steps-9", [4, 0, 1, 12]),
        FuzzSeed("clientfile", "steps-10", [6, 4, 13, 66]),
        FuzzSeed("clientfile", "steps-11", [12, 0, 1, 2, 9, 3]),
        FuzzSeed("clientfile", "steps-12", [7, 79, 133, 205]),
        FuzzSeed("clientfile", "steps-13", [8, 80, 206]),
        FuzzSeed("clientfile", "steps-14", [2, 79, 134, 7]),
        FuzzSeed("clientfile", "steps-15", [5, 79]),
        FuzzSeed("clientfile", "steps-16", [66, 12, 66]),
        FuzzSeed("clientfile", "steps-17", [65, 0, 11, 1]),
        FuzzSeed("clientfile", "steps-18", [2, 75]),
        FuzzSeed("clientfile", "steps-19", [3, 5, 3, 2, 3]),
        FuzzSeed("clientfile", "steps-20", [9, 79, 9, 1, 3]),
        FuzzSeed("clientfile", "steps-21", [14, 0, 14, 10, 14]),
        FuzzSeed("clientfile", "steps-22", [15, 2, 15]),
        FuzzSeed("clientfile", "steps-23", [16, 0, 14, 12]),
        FuzzSeed("clientfile", "steps-24", [17, 7, 79, 80, 9]),
        FuzzSeed("clientfile", "steps-25", [71, 9, 0, 79, 2, 3]),
        FuzzSeed("clientfile", "steps-26", [0, 1, 66, 13, 12]),
        FuzzSeed("clientfile", "steps-27", [10, 0, 1, 12, 14, 0]),
        FuzzSeed("clientfile", "steps-28", [0, 4, 13, 12, 1, 66]),
        FuzzSeed("clientfile", "steps-29", [65, 0, 0, 13, 11, 0, 1]),
    ]

    /// A byte more than a code may have, behind the byte that says how it comes.
    private static let tooLong = [0] + [UInt8](repeating: 0x61, count: 1025)

    private static func todoist(_ date: String) -> String {
        "TYPE,CONTENT,PRIORITY,INDENT,DATE,DATE_LANG\ntask,Milk,4,1,\(date),en\n"
    }

    private static func todo(_ lines: String) -> String {
        "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nDUE:20261204T080000Z\r\n\(lines)\r\nRRULE:FREQ=WEEKLY\r\n"
            + "END:VTODO\r\nEND:VCALENDAR\r\n"
    }

    private static func scenario(_ line: String) -> String {
        "devices laptop and phone\nlaptop creates milk title \"Milk\"\n\(line)\n"
    }
}

/// Words of a command line: phrases that no run of a fuzzer is likely to spell.
extension FuzzSeeds {
    fileprivate static let phrases =
        filterPhrases + wordPhrases + datePhrases + settingFiles + ownFiles

    private static let filterPhrases = [
        "(a or b) -c", "not\nmilk\nand\n+errand,x", "or", "not", "(", "a )", "( a", "()", "a\nor",
        "x.size.above:3\nsize.below:5.5", "cost.above:1\ncost.below:9.5", "x.note.above:a",
        "x.note.below:a",
        "x.when.above:now", "a$.above:3", "a\n)", "not\n+a", "tags.none:", "repeat.none:",
        "parent.none:", "repeat:", "parent:", "due.none:", "priority.above:high",
        "priority.below:none", "parent:x", "repeat:x",
        "when.after:2026-11-01", "when.before:2027-11-01", "when.above:friday",
        "size.above:fri 17:00",
        "size.above:true", "size.above:", "(f(x) and g)", "((a)) or ((b c))", "--\n(", "notes+:x",
        ".above:3", "milk\nand", "is:blocked", "is:blocking", "is:unblocked",
        "+BLOCKED\nor\n+READY",
        "is:nothing", "is:", "is://x", "not\n(depends:3\nor\nparent:x)", "depends:",
        "depends:00000000-0000-0000-0000-000000000009", "depends:last\n+REMINDING",
        "depends.above:3",
        "depends.none:", "remind.none:", "remind:", "remind:9am", "due:5/6", "a\nand\n+b",
        "(\n+SUBTASK\nor\n+BLOCKED\n)", "not\n+INBOX\n+ACTIVE", "a\nor\n(b\nand\nnot\nc)",
        "status:done or a", "a\nor\nstatus:completed", "people.none:",
        "location.none:\nnotes.none:\ndepends.none:", "not\nstatus:cancelled",
        String(repeating: "(", count: 33) + "a" + String(repeating: ")", count: 33),
        "wait.after:due-2d", "due:scheduled", "due.not:wait+1d", "due.by:until",
        "due.before:wait-1h",
        "due:due", "due.above:wait", "due.on:wait", "project:Home or +a", "not +a", "not a",
        "title:a or b",
        "title:a +b", "title:a +b or +c", "is:overdue +a", "+a don't",
        "depends:3\n-parent:Paint", "depends.not:x", "parent:Paint", "size:XL", "cost.by:3",
        "http://x", "parent:00000000-0000-7000-8000-000000000005", "-a.b:c", "parent:",
        "(\nparent:Paint\nor\ndepends:x\n)", "due:none", "due:1..2", "due:..", "due.by:3..",
    ].enumerated().map { FuzzSeed("filters", "phrase-\($0.offset)", $0.element) }

    private static let wordPhrases = [
        "\u{1}/milk/bread/", "\u{1}/Buy\nmilk/x/g", "\u{1}/a/b/\n/c/d/",
        "\u{1}/two/2/\nnotes+:more\nwords",
        "\u{1}/etc/hosts", "\u{1}/a\n--\nb/c/", "\u{1}/a\\/b\\c/d/", "\u{1}//a/",
        "\u{1}/a/b/\ntitle",
        "\u{1}done", "\u{1}append\nx", "\u{1}monday", "\u{1}due:due+1d", "\u{1}wait:scheduled-2h",
        "\u{1}due:until+1d", "\u{1}due:due+9999y", "\u{1}due:scheduled", "\u{1}due:due+x",
        "\u{0}Buy\ntomorrow\n5pm", "\u{0}a\nnotes+:b\nc", "\u{40}and\nbread\n+x\n-errand",
        "\u{41}soon",
        "\u{1}notes+:", "\u{1}title+:x", "\u{1}notes+:\nmore", "\u{1}Due:", "\u{1}prio:",
        "\u{0}due:end of month\nrepeat:monthly", "\u{0}+2027-q1",
        "\u{0}+0999-q1", "\u{1}remind:9am,\ntomorrow\n9am", "\u{1}remind:-1h,-30m",
        "\u{1}remind:-2d\nbefore\nscheduled",
        "\u{1}remind:", "\u{1}remind:x", "\u{1}depends:3,last", "\u{1}depends+:1-2\ndepends-:3",
        "\u{1}dep:-1,2",
        "\u{1}depends:Buy\nmilk", "\u{1}depends:", "\u{1}blocks:3", "\u{1}parent:",
        "\u{0}repeat:daily\nremind:due",
        "\u{2}remind: tomorrow 9am, -1h\nparent: x\ndepends: 3\nrepeat: weekly\nnotes:\nmore\n",
        "\u{1}except:2026-12-24, 31 dec", "\u{1}except+:24 dec", "\u{1}except-:2026-12-01",
        "\u{0}due:fri\nrepeat:every fri except 25 dec", "\u{1}repeat:weekly but not x",
        "\u{1}except:soon", "\u{1}repeat:",
        "\u{2}title: other\nx.mine: 3\nx.gone:\ndue: scheduled+1d\nnotes:more\n",
        "\u{6}due: until+1d\n", "\u{6}nonsense: a\n", "\u{2}parent: 3\n", "\u{2}created: today\n",
        "\u{2}title:\n", "\u{2}repeat: x\n", "\u{2}except+: 24 dec\n", "\u{2}except-: 24 dec\n",
        "\u{2}no colon\n--- notes below ---\nnotes\n", "\u{2}# left out\n \n",
        "\u{a}status: done\nnotes+: a\n",
        "\u{12}remind: 9am\nrepeat:\npeople: a, b\nlocation: c\ntags: d\n", "\u{2}+tag: x\n",
        "\u{1}annotate:x", "\u{1}start:due\nfinish:start+1h", "\u{1}wait:x+1d", "\u{1}due:due+",
        "\u{1}due:due-1w",
        "\u{1}/milk", "\u{1}rc.bulk=0", "\u{1}rc.a:b\nx", "\u{1}rc.none", "\u{1}@home",
        "\u{1}due!=fri", "\u{1}due=fri", "\u{1}due!=\nfri", "\u{1}priority\nhigh", "\u{1}x=1",
        "\u{1}due", "\u{1}tomorow", "\u{1}-p\nhigh", "\u{1}plain\nx=", "\u{0}Buy\nmilk\ntomorrow",
        "\u{0}Pay\n2026-12-01\nnow", "\u{1}a\nb\nc",
        "\u{0}Foo\nrepeat:weekly\n5\ntimes", "\u{0}Foo\nrepeat:weekly\nuntil\n2026-12-31",
        "\u{0}Foo\nrepeat:weekly\neggs",
        "\u{0}due:fri\ndue:sat", "\u{0}-t\nfoo", "\u{0}a\ndepends:1\ndepends:2",
        "\u{1}high", "\u{1}last", "\u{1}completed", "\u{1}weekly", "\u{1}every\nmonday",
        "\u{1}+1", "\u{1}s/a/b/", "\u{1}1,2", "\u{1}!", "\u{1} ", "\u{1}25.12.", "\u{1}each\nx",
        "\u{0}pay\n25.12.", "\u{0}a\ntomorrow\nat\n5", "\u{0}a\ntomorrow\nat\n15",
        "\u{0}a\nweekly", "\u{0}a\nevery\nmonday", "\u{0}fri\na", "\u{0}next\nfriday\na",
        "\u{0}on\n3\nmay\na", "\u{0}2026-12-24\na", "\u{40}tomorrow", "\u{40}every\nweek",
        "\u{41}tomorrow", "\u{0}a\nweekly\nrepeat:daily", "\u{0}+2fa\na", "\u{1}+😀",
        "\u{0}a\ndue:fri\nat\n9:30", "\u{0}a\ndue:fri\nat\n9", "\u{0}a\ndue:fri\nat\n9\nb",
        "\u{0}a\ndue:fri\nat\n9\n+b", "\u{0}a\ndue:fri\nat\n9\nam", "\u{0}a\ndue:fri\n9\nb\nc",
        "\u{0}a\nwait:fri\nat\n9", "\u{0}a\nremind:fri\nat\nnoon", "\u{0}a\np:b", "\u{0}a\nq:b",
        "\u{0}a\nrec:+2w", "\u{0}a\nrec:weekdays", "\u{0}a\nrec:x", "\u{0}a\nrec:1w!",
    ].enumerated().map { FuzzSeed("words", "phrase-\($0.offset)", $0.element) }

    private static let settingFiles = [
        """
        # a file of one's own
        week-start = sunday
        date-order = month-day
        command = today
        list.filter = +work or due:today
        list.by = project
        list.limit = 0
        colour = on
        colour.heading = bold red
        colour.urgent = none
        alias.w = list +work
        alias.v = w -later
        alias.a = b
        alias.b = a
        ---
        TANDEM_WEEK_START monday
        NO_COLOR 1
        """,
        "week-start = x\ndate-order = x\nlist.limit = -1\nlist.limit = 5\ncolour.faint = loud\nnothing",
        "list.filter = due:nonsense\ncommand = 'open\nalias.! = x\nalias.c =\nlisd.by = none\ncolour = x",
        "list.limit = 40\nweek-start = tu\n---\nTANDEM_WEEK_START noday",
        "list.limit = 99999999999999999999\ncolour.heading =",
        "  week-start=monday  # why\r\nlist.by = day",
        "a =", "week-start = ", "alias.x = 'open\nlist.by = manual   # why",
        "colour = off\nlist.limit = 0",
    ].enumerated().map { FuzzSeed("settings", "file-\($0.offset)", $0.element) }

    /// Dependencies and reminders in files.
    private static let ownFiles =
        [
            #""depends": ["00000000-0000-7000-8000-000000000005"], "remind": ["due", "due-PT30M"]"#,
            #""depends": ["x"]"#, #""depends": 3"#, #""depends": []"#, #""remind": ["soon"]"#,
            #""remind": 3"#, #""remind": ["2026-12-01T09:00:00Z"]"#, #""parent": "x""#,
            #""work": 3"#, #""work": [3]"#,
            #""work": [{"start": "2026-12-01T09:00:00Z", "end": "2026-12-01T08:00:00Z"}]"#,
            #""except": ["2026-12-24", "2026-12-31"]"#, #""except": ["x"]"#, #""except": 3"#,
        ].enumerated().map {
            FuzzSeed(
                "import-jsonl", "own-\($0.offset)",
                #"{"tandem": 1, "id": "00000000-0000-7000-8000-000000000004", "title": "A", "#
                    + $0.element + "}\n")
        }
        + [
            "Paint dep:00000000-0000-7000-8000-000000000005,sand\nSand id:sand\n",
            "Paint dep:nobody,,\nSand id:sand id:sand2\nGlue id:sand\n", "a dep: id:\n",
            "Paint dep:sand dep:glue id:paint\n",
        ].enumerated().map { FuzzSeed("import-todotxt", "own-\($0.offset)", $0.element) }
        + [
            "weekdays", "every mon,fri", "monthly on day 31", "every 2 weeks until 2026-12-31",
            "daily 5 times", "every day from completion", "yearly, on day 29",
            "weekly from completion 3 times", "last friday of the month",
            "every 2nd tuesday of every other month", "1st and 3rd mon, last fri in each month",
            "first working day", "last business days of the month! 5 times",
            "every 80 years on the 5th sun", "every second month on the first monday",
            "every second tuesday", "first mon, last workday", "last working",
            "2nd tue of the year",
        ].enumerated().map { FuzzSeed("repetitions", "own-\($0.offset)", $0.element) }

    private static let datePhrases =
        [
            "tonight", "this night", "weekend", "this weekend", "next weekend", "last weekend",
            "this morning",
            "tomorrow evening", "in 3 working days", "2 workdays ago", "a working day",
            "working days",
            "3 long days", "99999 workdays", "25.12.2026", "25.12.", "1.2.27", "1.2.126",
            "25/12/2026",
            "12/25",
            "2026/12/25", "5/6", "3/3", "13/13", "0/5", "1/2/3/4", "a/b", "1/", "12345/1",
            "31.2.2026",
            "in days",
            "this week", "this month", "this quarter", "this year", "this afternoon", "tonight",
            "tomorrow night", "night", "12/25/26", "25/12/26", "123/4/5", "12/25/2026", "5/13",
            "2026-12-03t14:00-15:00", "2026-12-03t14:00+14:00", "2026-12-03t14:00-12:60",
        ].enumerated().map { FuzzSeed("dates", "phrase-\($0.offset)", "\u{0}" + $0.element) }
        + (0..<7).map {
            // One of these days is a Sunday.
            FuzzSeed("dates", "weekend-\($0)", [UInt8($0)] + "next weekend".utf8)
        } + (0..<7).map { FuzzSeed("dates", "this-weekend-\($0)", [UInt8($0)] + "weekend".utf8) }
}
