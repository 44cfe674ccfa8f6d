/// Other to-dos behind `depends:`, as they were typed, and what becomes of them.
package struct DependencyWord: Sendable, Equatable {
    /// The effect on the to-dos that are named.
    package enum Change: Sendable {
        /// It waits for these and no others.
        case replace
        /// It waits for these, too.
        case add
        /// It waits for these no more.
        case remove
    }

    /// The effect on them.
    package let change: Change
    /// The names, in one text each: `3`, `1-3`, an id, words of a title; none takes all away.
    package let names: [String]

    /// To-dos by their names.
    package init(_ change: Change, _ names: [String]) {
        self.change = change
        self.names = names
    }

    /// The meaning of a key and its value.
    ///
    /// `depends:3,-4`, as Taskwarrior has it, adds the one and takes the other away.
    static func all(_ word: KeyedWord) -> [DependencyWord] {
        switch word.change {
        case .addition: return [DependencyWord(.add, names(word))]
        case .removal: return [DependencyWord(.remove, names(word))]
        case nil: break
        }
        let removed = word.list.filter(isRemoval).map { String($0.dropFirst()) }
        if removed.isEmpty { return [DependencyWord(.replace, names(word))] }
        let added = word.list.filter { !isRemoval($0) }
        let removal = DependencyWord(.remove, removed)
        return added.isEmpty ? [removal] : [DependencyWord(.add, added), removal]
    }

    private static func isRemoval(_ part: String) -> Bool {
        part.first == "-" && part.dropFirst().first?.isHexDigit == true
    }

    /// The parts between commas; numbers stay together, as they are one name.
    private static func names(_ word: KeyedWord) -> [String] {
        ToDoName.isNumberOrLast(word.value) ? [word.value] : word.list
    }
}
