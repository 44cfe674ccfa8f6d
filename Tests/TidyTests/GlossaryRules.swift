/// The glossary: its types exist, and retired words do not come back.
enum GlossaryRules {
    static let page = "GLOSSARY.md"
    static let wordCountMax = 60

    /// One row of the page's table.
    struct Row: Equatable {
        let word: String
        let type: String
        let line: Int
    }

    /// Replaced words, each with its replacement.
    ///
    /// As identifiers they are refused in any camel-case part; in comments as words.
    static let retired: [String: String] = [
        "brake": "massDeleteGuard", "brakes": "massDeleteGuard", "parked": "deferred",
        "recollection": "peerCheckpoint", "recollections": "peerCheckpoints",
        "redotting": "forkRewrite", "tally": "checksum", "tallies": "checksums",
        "declaration": "summaryRow", "sealedSummary": "summaryRow", "letterbox": "rekeyMailbox",
        "letterboxes": "rekeyMailboxes",
        "memo": "localMetadata",
        "memos": "localMetadata", "drawer": "namespace", "welcome": "relayHelloReply",
        "approach": "relayHello", "poke": "notify", "chronicle": "trace", "happening": "event",
        "slip": "parseError", "deed": "operation", "liar": "byzantineRelay", "story": "scenario",
        "mendable": "repair", "mending": "repair", "workplace": "commandContext",
        "redot": "forkRewrite", "weigh": "check", "doubt": "cloneSuspicion",
        "stamp": "identityFile", "witness": "lockFile", "keeper": "reconnector",
        "place": "index, position or context", "places": "indexes", "mend": "repair",
        "mends": "repairs", "mended": "repaired",
    ]

    /// Retired words of the code that are plain English on a page.
    static let plain: Set<String> = ["approach", "declaration", "place", "slip", "story", "weigh"]
    /// Those that are plain English in a comment as well.
    static let plainInComments = plain.union(["deed", "places"])

    /// Words that are retired in some folders and have another meaning elsewhere.
    ///
    /// They are refused in every line there: as a part of an identifier, in comments and in texts.
    struct LocalWords {
        let words: Set<String>
        let replacement: String
        let folders: [String]
    }

    static let local = [
        // Elsewhere it is a statement of SQL.
        LocalWords(
            words: ["statement", "statements"], replacement: "state summary",
            folders: [
                "Sources/Core/", "Sources/Session/", "Sources/Replica/", "Sources/Devices/",
                "Sources/Relay/Engine/",
            ]),
        // Elsewhere a person's date may be doubtful.
        LocalWords(
            words: ["doubt", "doubts", "doubted", "doubtful"], replacement: "clone suspicion",
            folders: [
                "Sources/Core/", "Sources/Storage/", "Sources/Session/", "Sources/Replica/",
                "Sources/Devices/", "Sources/Simulation/",
            ]),
        // Elsewhere rows, folders and simulated worlds settle.
        LocalWords(
            words: ["settle", "settles", "settled", "settling"], replacement: "resolve",
            folders: ["Sources/Core/", "Sources/Session/Peer/", "Sources/Storage/Identity/"]),
        // Elsewhere it is the first words of a manual page.
        LocalWords(
            words: ["introduction", "introductions"], replacement: "pairing request",
            folders: ["Sources/Core/", "Sources/Session/", "Sources/Devices/"]),
        // Else it stands "in place of" something.
        LocalWords(
            words: ["places"], replacement: "endpoints, addresses or positions",
            folders: [
                "Sources/Devices/Contact/EndpointRound.swift", "Sources/Transport/RelayAddress",
            ]),
    ]

    /// The rows of the table, without its head.
    static func rows(of page: SourceFile) -> [Row] {
        page.lines.enumerated().compactMap { index, line in
            let cells = line.split(separator: "|").map { String($0).trimmed }
            guard line.hasPrefix("|"), cells.count == 3, cells[1].hasPrefix("`") else { return nil }
            return Row(
                word: cells[0], type: cells[1].filter { $0.isNamePart }, line: index)
        }
    }

    /// Rows that name no type of the tree, rows that repeat a word, and rows beyond the limit.
    static func findings(in page: SourceFile, types: Set<String>) -> [Finding] {
        let rows = rows(of: page)
        var findings: [Finding] = []
        var seen: Set<String> = []
        for row in rows {
            if !types.contains(row.type) {
                findings.append(page.finding(row.line, "there is no type '\(row.type)'"))
            }
            if !seen.insert(row.word).inserted {
                findings.append(page.finding(row.line, "'\(row.word)' stands there twice"))
            }
        }
        if rows.count > wordCountMax {
            let rule = "\(rows.count) words; the glossary has at most \(wordCountMax)"
            findings.append(Finding(path: page.path, line: 0, rule: rule))
        }
        return findings
    }

    /// Retired words in the identifiers and comments of a Swift file.
    static func retiredFindings(inCode file: SourceFile) -> [Finding] {
        let inIdentifiers = file.swift.code.enumerated().flatMap { index, line in
            line.names.flatMap { parts(of: $0) }.compactMap { part in
                retired[part].map { finding(part, $0, in: file, index) }
            }
        }
        let inComments = file.swift.comments.enumerated().flatMap { index, line in
            retiredWords(in: line, but: plainInComments)
                .map { finding($0.word, $0.replacement, in: file, index) }
        }
        return inIdentifiers + inComments + localFindings(in: file)
    }

    /// Retired words on a page.
    static func retiredFindings(onPage page: SourceFile) -> [Finding] {
        page.lines.enumerated().flatMap { index, line in
            retiredWords(in: line, but: plain)
                .map { finding($0.word, $0.replacement, in: page, index) }
        }
    }

    /// The words of a text that are retired and are not among the plain ones.
    private static func retiredWords(
        in text: String, but plain: Set<String>
    ) -> [(word: String, replacement: String)] {
        text.split { !$0.isLetter }.compactMap { word in
            let word = word.lowercased()
            return plain.contains(word) ? nil : retired[word].map { (word, $0) }
        }
    }

    /// Words that are retired in the folder of a file.
    private static func localFindings(in file: SourceFile) -> [Finding] {
        let rules = local.filter { $0.folders.contains { file.path.hasPrefix($0) } }
        if rules.isEmpty { return [] }
        return file.lines.enumerated().flatMap { index, line in
            let parts = line.split { !$0.isLetter }.flatMap { self.parts(of: String($0)) }
            return parts.flatMap { part in
                rules.filter { $0.words.contains(part) }
                    .map { finding(part, $0.replacement, in: file, index) }
            }
        }
    }

    private static func finding(
        _ word: String, _ replacement: String, in file: SourceFile, _ index: Int
    ) -> Finding {
        file.finding(index, "'\(word)' is retired: say '\(replacement)'")
    }

    /// The parts of a camel-case name, in lower case: `isTallyLost` as `is`, `tally`, `lost`.
    static func parts(of name: String) -> [String] {
        var parts: [String] = []
        var part = ""
        for character in name {
            if character.isUppercase || character == "_" || character.isNumber {
                if !part.isEmpty, part.last?.isUppercase != true || !character.isUppercase {
                    parts.append(part.lowercased())
                    part = ""
                }
            }
            if character.isLetter { part.append(character) }
        }
        if !part.isEmpty { parts.append(part.lowercased()) }
        return parts
    }
}
