import Transport

/// What texts of settings may be.
extension RelaySettings {
    /// What is wrong with a text; nil if nothing is.
    static func check(_ entry: Entry, _ setting: RelaySetting) -> RelaySettingProblem? {
        let place =
            switch entry.origin {
            case .file: "\(entry.origin): \(setting.name)"
            default: "\(entry.origin)"
            }
        func problem(_ advice: String) -> RelaySettingProblem {
            RelaySettingProblem(place, "\"\(entry.text)\" cannot be used", advice: advice)
        }
        switch setting.kind {
        case .place:
            do {
                _ = try Self.place(entry.text)
            } catch {
                return problem("\(error.summary)")
            }
        case .optionalPlace:
            if entry.text == "off" { return nil }
            guard let place = try? Self.place(entry.text), !entry.text.isEmpty else {
                return problem("write off, or a place of this machine such as 127.0.0.1:9717")
            }
            _ = place
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

    /// Reads host and port; a relay's own default port.
    static func place(_ text: String) throws(TransportError) -> HostAndPort {
        try RelayAddress(parsing: "relay://" + text).place
    }
}
