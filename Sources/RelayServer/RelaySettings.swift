import Relay
import Settings
import Transport

/// The settings of a relay and their origins.
///
/// Command-line options override the environment, which overrides the file, which overrides the
/// defaults.
package struct RelaySettings: Sendable {
    /// Where a setting comes from.
    package enum Origin: Hashable, Sendable, CustomStringConvertible {
        /// Nobody said anything.
        case standard
        /// A line of the file.
        case file(String, line: Int)
        /// A variable of the environment.
        case environment(String)
        /// An option of the command line.
        case option(String)

        /// In words.
        package var description: String {
            switch self {
            case .standard: "default"
            case .file(let path, let line): "\(path):\(line)"
            case .environment(let name): name
            case .option(let name): "--\(name)"
            }
        }
    }

    /// A text and where it comes from.
    package struct Entry: Hashable, Sendable {
        /// As it was written.
        package let text: String
        /// Where.
        package let origin: Origin
    }

    /// The longest file; bytes.
    package static let fileByteCountMax = 64 * 1024

    /// The effective entries, by the setting's name; every setting has one.
    package private(set) var entries: [String: Entry] = [:]

    /// Takes what was said, each later source over the ones before; everything wrong is told at once.
    ///
    /// - Parameters:
    ///   - file: path and text of the file.
    ///   - environment: all variables.
    ///   - options: those of the command line, by name.
    ///   - standardFolder: where the spaces are kept if nobody says.
    ///   - guess: the known name that an unknown one is most like.
    package init(
        file: (path: String, text: String)?, environment: [String: String],
        options: [String: String], standardFolder: String,
        guess: (String, [String]) -> String? = { _, _ in nil }
    ) throws(RelaySettingProblems) {
        var problems: [RelaySettingProblem] = []
        for setting in RelaySetting.all {
            let text = setting.name == "folder" ? standardFolder : setting.standard
            entries[setting.name] = Entry(text: text, origin: .standard)
        }
        if let file { readFile(file.path, file.text, guess, &problems) }
        for (variable, text) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix(RelaySetting.variablePrefix) {
            // Names the file itself.
            if variable == RelaySetting.variablePrefix + "CONFIG" { continue }
            guard let setting = RelaySetting.all.first(where: { $0.variable == variable }) else {
                let near = guess(variable, RelaySetting.all.map(\.variable))
                problems.append(Self.unknown(variable, near))
                continue
            }
            entries[setting.name] = Entry(text: text, origin: .environment(variable))
        }
        for (name, text) in options {
            entries[name] = Entry(text: text, origin: .option(name))
        }
        for setting in RelaySetting.all {
            guard let entry = entries[setting.name] else { continue }
            if let problem = Self.check(entry, setting) { problems.append(problem) }
        }
        if !problems.isEmpty { throw RelaySettingProblems(problems: problems) }
    }

    // MARK: What holds

    /// The text of a setting; empty if it has none.
    package func text(_ name: String) -> String { entries[name]?.text ?? "" }

    /// Whether a flag is set.
    package func isSet(_ name: String) -> Bool { text(name) == "yes" }

    /// A number, of bytes or of anything else.
    package func number(_ name: String) -> Int {
        switch RelaySetting.named(name)?.kind {
        case .bytes: Self.byteCount(text(name)) ?? 0
        default: Int(text(name)) ?? 0
        }
    }

    /// Which lines of the log are written.
    package var logLevel: LogLine.Level {
        LogLine.Level.allCases.first { "\($0)" == text("log-level") } ?? .info
    }

    /// Where devices come to.
    package func hostAndPort() throws(TransportError) -> HostAndPort {
        try Self.hostAndPort(text("listen"))
    }

    /// The address at which metrics are served; nil for none.
    package func metricsAddress() throws(TransportError) -> HostAndPort? {
        let text = text("metrics")
        return text == "off" ? nil : try Self.hostAndPort(text)
    }

    /// The relay's folder, token and limits.
    ///
    /// - Parameter token: the token, also if it stands in a file.
    package func relayOptions(token: String?) -> RelayOptions {
        var options = RelayOptions(folder: text("folder"))
        options.token = token
        options.allowsPlainSpaces = isSet("plain-spaces")
        options.expiryDays = number("expire-days") == 0 ? nil : number("expire-days")
        options.limits.spaceByteCountMax = number("space-bytes")
        options.limits.spaceRecordCountMax = number("space-records")
        options.limits.spaceSessionCountMax = number("space-connections")
        options.limits.deviceSessionCountMax = number("device-connections")
        options.limits.deviceByteCountMax = number("device-bytes")
        options.limits.recordVersionCountMax = number("record-versions")
        options.limits.spaceCountMax = number("spaces")
        options.limits.openSpaceCountMax = number("open-spaces")
        options.limits.storeConnectionCountMax = number("store-connections")
        options.limits.sessionCountMax = number("connections")
        options.limits.heldByteCountMax = number("held-bytes")
        options.limits.failedProofsPerMinuteMax = number("failed-proofs-per-minute")
        options.limits.silenceTimeoutMilliseconds = Int64(number("silence-seconds")) * 1000
        options.limits.slowConsumerMilliseconds = Int64(number("slow-seconds")) * 1000
        return options
    }

    /// All settings as a file could hold them, each with where it comes from; a token and a database are not shown.
    package var listing: String {
        let lines = RelaySetting.all.map { setting in
            let entry = entries[setting.name]
            var text = entry?.text ?? ""
            switch setting.kind {
            case .secret, .database: if !text.isEmpty { text = "(set)" }
            default: break
            }
            let line = text.isEmpty ? "# \(setting.name) =" : "\(setting.name) = \(text)"
            let padding = String(repeating: " ", count: max(1, 40 - line.count))
            return "\(line)\(padding)# \(entry?.origin ?? .standard)"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: Reading

    private mutating func readFile(
        _ path: String, _ text: String, _ guess: (String, [String]) -> String?,
        _ problems: inout [RelaySettingProblem]
    ) {
        var seen: [String: Int] = [:]
        let (lines, stray) = SettingText(text).contents
        for line in stray {
            problems.append(
                RelaySettingProblem(
                    "\(path):\(line)", "there is no '='",
                    advice: "write: name = value, or # for a remark"))
        }
        for line in lines {
            let origin = "\(path):\(line.line)"
            guard RelaySetting.named(line.name) != nil else {
                let near = guess(line.name, RelaySetting.all.map(\.name))
                problems.append(Self.unknown("\(origin): \(line.name)", near))
                continue
            }
            if let first = seen[line.name] {
                problems.append(
                    RelaySettingProblem(
                        origin, "\(line.name) is set a second time",
                        advice: "line \(first) sets it; delete one of the two"))
            }
            seen[line.name] = line.line
            entries[line.name] = Entry(text: line.value, origin: .file(path, line: line.line))
        }
    }

    private static func unknown(_ origin: String, _ near: String?) -> RelaySettingProblem {
        RelaySettingProblem(
            origin, "there is no such setting",
            advice: near.map { "did you mean \($0)?" } ?? "look at the list of settings",
            isUnknown: near == nil)
    }
}

/// Checks of the texts of settings.
extension RelaySettings {
    /// Returns the problem with a text; nil if there is none.
    static func check(_ entry: Entry, _ setting: RelaySetting) -> RelaySettingProblem? {
        let origin =
            switch entry.origin {
            case .file: "\(entry.origin): \(setting.name)"
            default: "\(entry.origin)"
            }
        func problem(_ advice: String) -> RelaySettingProblem {
            RelaySettingProblem(origin, "\"\(entry.text)\" cannot be used", advice: advice)
        }
        switch setting.kind {
        case .address:
            do {
                _ = try Self.hostAndPort(entry.text)
            } catch {
                return problem("\(error.summary)")
            }
        case .optionalAddress:
            if entry.text == "off" { return nil }
            guard !entry.text.isEmpty, (try? Self.hostAndPort(entry.text)) != nil else {
                return problem("write off, or an address of this machine, such as 127.0.0.1:9717")
            }
        case .flag:
            guard ["yes", "no"].contains(entry.text) else { return problem("write yes or no") }
        case .level:
            guard LogLine.Level.allCases.contains(where: { "\($0)" == entry.text }) else {
                return problem("write debug, info, warning or error")
            }
        case .number(let range):
            guard entry.text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(entry.text),
                range.contains(number)
            else {
                return problem(
                    "write a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
        case .bytes(let range):
            guard let count = byteCount(entry.text), range.contains(count) else {
                return problem("write a number of bytes, such as 500M or 2G, of 1K at least")
            }
        case .database:
            guard entry.text.isEmpty || isDatabase(entry.text) else {
                let folder =
                    if case .option = entry.origin { "--folder FOLDER" } else {
                        "the setting folder"
                    }
                // Without the text, in which a password may stand.
                return RelaySettingProblem(
                    origin, "it is no address of a database",
                    advice: "write postgresql://HOST/NAME; for a folder: \(folder)")
            }
        case .networks:
            guard AddressRange.list(parsing: entry.text) != nil else {
                return problem("write addresses or networks, such as 192.0.2.7, fd00::/8")
            }
        case .path, .secret: break
        }
        return nil
    }

    /// Reads a number of bytes, with K, M, G or T for powers of 1024.
    static func byteCount(_ text: String) -> Int? {
        let units: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
        let shift = text.last.flatMap { units[$0] }
        let digits = shift == nil ? Substring(text) : text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let number = Int(digits)
        else { return nil }
        let (count, overflow) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
        return overflow ? nil : count
    }

    /// Whether a text is the address of a PostgreSQL database.
    package static func isDatabase(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Reads host and port; a relay's own default port.
    static func hostAndPort(_ text: String) throws(TransportError) -> HostAndPort {
        try RelayAddress(parsing: "relay://" + text).hostAndPort
    }
}

/// The problem with a setting: where it was made, what is wrong, and what to do.
package struct RelaySettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// File and line, variable, or option.
    package let origin: String
    /// The problem, in words.
    package let what: String
    /// The next step for the operator.
    package let advice: String
    /// Whether there is no such setting, nor one of a similar name: the list of settings helps.
    package let isUnknown: Bool

    /// A problem.
    package init(_ origin: String, _ what: String, advice: String, isUnknown: Bool = false) {
        self.origin = origin
        self.what = what
        self.advice = advice
        self.isUnknown = isUnknown
    }

    /// In a line.
    package var description: String { "\(origin): \(what); \(advice)" }
}

/// All that is wrong with the settings of a relay.
package struct RelaySettingProblems: Error, Sendable, CustomStringConvertible {
    /// One or more.
    package let problems: [RelaySettingProblem]

    /// A line for each.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
