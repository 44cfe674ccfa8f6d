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
    /// As identifiers they are refused in any camel-case part.
    static let retired: [String: String] = [
        "brake": "massDeleteGuard", "parked": "deferred", "recollection": "peerCheckpoint",
        "redotting": "forkRewrite", "tally": "checksum", "tallies": "checksums",
        "declaration": "summaryRow", "sealedSummary": "summaryRow", "letterbox": "rekeyMailbox",
        "memo": "localMetadata",
        "memos": "localMetadata", "drawer": "namespace", "welcome": "relayHelloReply",
        "approach": "relayHello", "poke": "notify", "chronicle": "trace", "happening": "event",
        "slip": "parseError", "deed": "operation", "liar": "byzantineRelay", "story": "scenario",
        "mendable": "repair", "mending": "repair", "workplace": "commandContext",
        "redot": "forkRewrite", "weigh": "check", "doubt": "cloneSuspicion",
        "stamp": "identityFile", "witness": "lockFile", "keeper": "reconnector",
        "place": "index, position or context", "places": "indexes", "mend": "repair",
    ]

    /// Retired words of the code that are plain English on a page.
    static let plain: Set<String> = ["approach", "declaration", "place", "slip", "story", "weigh"]

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

    /// Retired words in the identifiers of a Swift file.
    static func retiredFindings(inCode file: SourceFile) -> [Finding] {
        file.swift.code.enumerated().flatMap { index, line in
            line.names.flatMap { parts(of: $0) }.compactMap { part in
                retired[part].map {
                    file.finding(index, "'\(part)' is retired: say '\($0)'")
                }
            }
        }
    }

    /// Retired words on a page.
    static func retiredFindings(onPage page: SourceFile) -> [Finding] {
        page.lines.enumerated().flatMap { index, line in
            line.split { !$0.isLetter }.compactMap { word in
                let word = word.lowercased()
                return plain.contains(word)
                    ? nil
                    : retired[word].map {
                        page.finding(index, "'\(word)' is retired: say '\($0)'")
                    }
            }
        }
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
