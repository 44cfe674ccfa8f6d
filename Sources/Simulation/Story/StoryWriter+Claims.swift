/// The words of each expectation.
extension StoryWriter {
    /// The line of an expectation.
    package static func words(of expectation: Expectation) -> String {
        let isOne = expectation.devices.map { $0.count == 1 } ?? true
        let who = expectation.devices.map { list($0) } ?? "everyone"
        return "expect \(who) " + words(of: expectation.claim, isOne: isOne)
    }

    private static func words(of claim: Claim, isOne: Bool) -> String {
        let has = isOne ? "has" : "have"
        switch claim {
        case .shows(let item, let field, let literal):
            return "\(isOne ? "shows" : "show") \(item) \(field) \(value(literal))"
        case .showsSet(let item, let field, let elements):
            let shown = self.elements(elements, isSet: StoryField.isSet(field))
            return "\(isOne ? "shows" : "show") \(item) \(field) \(shown)"
        case .holds(let item, let state): return "\(has) \(item) \(state.rawValue)"
        case .conflict(let item, let field, nil): return "\(has) a conflict on \(item) \(field)"
        case .conflict(let item, let field, let values?):
            return "\(has) a conflict on \(item) \(field) between " + list(values.map { value($0) })
        case .noConflict(let item): return "\(has) no conflict on \(item)"
        case .conflictCount(0): return "\(has) no conflicts"
        case .conflictCount(let number):
            return "\(has) " + Counted.words(number, "conflict")
        case .itemCount(let number):
            return "\(isOne ? "lists" : "list") " + Counted.words(number, "item")
        case .trashCount(let number):
            return "\(has) " + Counted.words(number, "item") + " in the trash"
        case .parkedCount(let number):
            return "\(has) " + Counted.words(number, "change") + " set aside"
        case .identityCount(let number):
            return "\(has) had " + Counted.words(number, "identity", "identities")
        case .versionCount(let item, let number):
            return "\(isOne ? "holds" : "hold") " + Counted.words(number, "version")
                + " of \(item)"
        case .deletesHeld(let areHeld): return "\(has) \(areHeld ? "" : "no ")deletes held"
        case .agrees: return isOne ? "agrees" : "agree"
        case .knows(let device): return "\(isOne ? "knows" : "know") all of \(device)"
        case .lastSessionChangeCount(let number):
            return "sent " + Counted.words(number, "change") + " in the last session"
        case .lastSessionByteCountMax(let number):
            return "exchanged at most " + Counted.words(number, "byte") + " in the last session"
        }
    }

    /// `+` tells an element in quotes from a text where the field does not.
    private static func elements(_ elements: [String], isSet: Bool) -> String {
        guard let first = elements.first else { return "empty" }
        let sign = isSet || StoryText.isElement(first) ? "" : "+"
        return sign + elements.map { element($0) }.joined(separator: ", ")
    }
}
