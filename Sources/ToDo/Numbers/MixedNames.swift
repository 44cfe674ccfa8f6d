import Storage

/// Numbers or ids beside words of a title, none of which has all of the words; and what each of them may mean.
package struct MixedNames: Sendable {
    /// All the words.
    package let words: [String]
    /// The range that was meant by `1 to 3`; nil if none was.
    package let range: ClosedRange<Int>?
    /// The to-dos that the numbers and ids name; at most ``ToDoNaming/candidateCountMax``.
    package let numbered: [Record]
    /// The other words.
    package let titleWords: [String]
    /// The to-dos in whose titles these stand; at most ``ToDoNaming/candidateCountMax``.
    package let titled: [Record]
    /// Whether there are more of those.
    package let hasMore: Bool

    /// Whether the other words only join the numbers, as in `1 and 3`.
    package var isList: Bool { titleWords.allSatisfy(ToDoName.isJoint) }
}

extension ToDoNaming {
    /// The to-do whose title has all the words, where numbers or ids are among them; nil where there is nothing to part.
    ///
    /// - Throws: `several` if more titles have them; `mixed` if none has: part by part they would name to-dos that nobody meant.
    func titledDespiteNames(
        _ words: [String], in scope: Scope
    ) throws(ToDoNameFault) -> Record? {
        let parts = ToDoName.parts(words)
        let range = ToDoName.rangeMeant(by: words)
        if range == nil, try !mayBeTitle(parts, in: scope) { return nil }
        let all = parts.map(\.word)
        let text = all.map(TitleMatch.spaced).joined(separator: " ")
        // Three words that may be a range are a title only if it has no others.
        let least = range != nil && words.count > 1 ? TitleMatch.exact : .whole
        if let closest = try closest(all, in: scope, atLeast: least) {
            if closest.isCut, closest.match < .exact {
                throw .several(
                    text, Array(closest.found.prefix(Self.candidateCountMax)), hasMore: true)
            }
            return try only(closest.found, text)
        }
        var title: [String] = []
        var names: [ToDoName] = []
        for part in parts {
            if try isOfTitle(part, in: scope) {
                title.append(part.word)
            } else {
                names += part.names
            }
        }
        if names.isEmpty, range == nil { return try titled(all, in: scope) }
        let meant = range == nil ? try candidates(title, in: scope) : ([], false)
        throw .mixed(
            MixedNames(
                words: all, range: range, numbered: named(names), titleWords: title,
                titled: meant.0, hasMore: meant.1))
    }

    /// Whether some of the parts, and not all, are surely words of a title.
    private func mayBeTitle(
        _ parts: [(word: String, names: [ToDoName])], in scope: Scope
    ) throws(ToDoNameFault) -> Bool {
        if parts.count < 2 || parts.contains(where: { $0.names.contains(.empty) }) { return false }
        let plain = parts.filter(\.names.isEmpty).map(\.word)
        if plain.count == parts.count { return false }
        if !plain.isEmpty { return !ToDoName.areSigns(plain) }
        for part in parts where try isOfTitle(part, in: scope) { return true }
        return false
    }

    /// Whether a word is one of a title: it is nothing else, or digits of no id, or digits with which a word of a title begins.
    private func isOfTitle(
        _ part: (word: String, names: [ToDoName]), in scope: Scope
    ) throws(ToDoNameFault) -> Bool {
        if part.names.isEmpty { return true }
        guard case .digits(let digits, let typed) = part.names[0], ToDoName.mayBeWord(typed) else {
            return false
        }
        if try ids(digits).isEmpty { return true }
        return try closest([typed], in: scope, atLeast: .beginning) != nil
    }

    /// The to-dos whose titles have a word that digits of an id may be as well, besides those with such an id.
    func titled(
        besides found: [Record], _ typed: String, in scope: Scope
    ) throws(ToDoNameFault) -> [Record] {
        guard ToDoName.mayBeWord(typed),
            let closest = try closest([typed], in: scope, atLeast: .beginning)
        else { return [] }
        let known = Set(found.map(\.id))
        return closest.found.filter { !known.contains($0.id) }
    }

    /// The to-dos that numbers and ids name, of which some may name none.
    private func named(_ names: [ToDoName]) -> [Record] {
        var found: [Record] = []
        for name in names where found.count < Self.candidateCountMax {
            for record in (try? find(name, in: .any)) ?? []
            where !found.contains(where: { $0.id == record.id }) {
                found.append(record)
            }
        }
        return Array(found.prefix(Self.candidateCountMax))
    }

    /// The to-dos that words of a title may mean, and whether there are more.
    private func candidates(
        _ words: [String], in scope: Scope
    ) throws(ToDoNameFault) -> ([Record], Bool) {
        if words.allSatisfy(ToDoName.isJoint) { return ([], false) }
        do throws(ToDoNameFault) {
            return ([try titled(words, in: scope)], false)
        } catch .several(_, let found, let hasMore) {
            return (found, hasMore)
        } catch .insideWord(_, let found, let hasMore) {
            return (found, hasMore)
        } catch .nothing {
            return ([], false)
        }
    }
}
