import Core
import Storage

/// The to-dos that a person means: shown with numbers, and named by them, by ids or by words of their titles.
package final class ToDoNaming {
    /// Which to-dos are looked for by words of a title: of the first kind that has any.
    package enum Scope: Hashable, Sendable {
        /// Pending ones.
        case pending
        /// Finished ones, then pending ones.
        case finished
        /// Pending ones, then finished ones.
        case alive
        /// Those in the trash, then pending and finished ones, of which the command can say that they are not there.
        case trash
        /// The same, and of a range each that has a number: the command is for all of them.
        case trashFirst
        /// Pending ones, then finished ones, then those in the trash; of a range each that has a number.
        case any
    }

    /// The most to-dos that are named when words may mean several.
    package static let candidateCountMax = 8
    /// How many to-dos that have the words in their titles are looked at for the closest.
    package static let titleLookCount = 1_000
    /// The most to-dos that one range names.
    package static let rangeCountMax = 1_000

    let todos: ToDoStore
    private let reader: String
    private let began: Int64?
    private let keepsNumbers: Bool
    private lazy var numbers = Self.numbers(of: todos.store, keepsNumbers)

    /// The to-dos of a store, for one reader.
    ///
    /// - Parameters:
    ///   - reader: tells one terminal or window from others: what it was shown is remembered.
    ///   - began: when the reader began, before which it was shown nothing; milliseconds since 1970, nil if that is not known.
    ///   - keepsNumbers: whether the store's folder stays; else to-dos are named by their ids.
    package init(
        _ todos: ToDoStore, reader: String, began: Int64? = nil, keepsNumbers: Bool = true
    ) {
        self.todos = todos
        self.reader = reader
        self.began = began
        self.keepsNumbers = keepsNumbers
    }

    /// The numbers of a store, or why there are none.
    ///
    /// No `Result`: the runtime would look first whether its fault is an error.
    private enum Numbers {
        case here(ToDoNumbers)
        case missing(ToDoNameFault)
    }

    private static func numbers(of store: Store, _ keepsNumbers: Bool) -> Numbers {
        let folder = store.paths.folder
        // A number that nobody keeps would name another to-do, or none, in the next command.
        guard keepsNumbers else { return .missing(.noNumbers) }
        do throws(StoreFault) {
            return .here(
                try ToDoNumbers(folder: folder, on: store.disk, boot: store.boot) {
                    () throws(StoreFault) in
                    // Only one that was copied, restored or forked has another id than it was made with.
                    try !store.identityChanges().isEmpty
                })
        } catch {
            return .missing(.unavailable(error))
        }
    }

    // MARK: Showing

    /// The numbers of to-dos that are shown now, in the same order; nil where there is none.
    ///
    /// Numbers that cannot be had, as on a disk that is full or must not be written, cost the numbers and not the list.
    ///
    /// - Parameter latest: the one among them that was just made or changed, which is remembered.
    package func show(_ records: [Record], latest: RecordID? = nil) -> [Int?] {
        guard case .here(let numbers) = numbers else { return records.map { _ in nil } }
        let shown = records.map { ToDoNumbers.Shown($0.id, isPending: Self.isPending($0)) }
        do throws(StoreFault) {
            return try numbers.show(shown, to: reader, at: todos.now, latest: latest) {
                id throws(StoreFault) in
                try todos.stored(id).map(Self.isPending) ?? false
            }
        } catch {
            if let latest { setLatest(latest) }
            return records.map { _ in nil }
        }
    }

    /// The words that name a to-do in this reader's commands: its number, else the end of its id.
    ///
    /// - Parameter isLatest: whether it was just made or changed, which is remembered.
    package func name(of record: Record, isLatest: Bool = false) -> String {
        names(of: [record], latest: isLatest ? record.id : nil)[0]
    }

    /// The words that name to-dos in this reader's commands, in the same order.
    package func names(of records: [Record]) -> [String] { names(of: records, latest: nil) }

    private func names(of records: [Record], latest: RecordID?) -> [String] {
        let numbers = show(records, latest: latest)
        let unnumbered = zip(records, numbers).filter { $1 == nil }.map { $0.0.id }
        var ends = todos.ends(of: unnumbered)[...]
        return numbers.map { $0.map(String.init) ?? ends.removeFirst() }
    }

    /// Remembers which to-do was made or changed last.
    package func setLatest(_ id: RecordID) {
        guard case .here(let numbers) = numbers else { return }
        // Without it `last` is not known; what was done stands.
        try? numbers.setLatest(id, of: reader, at: todos.now)
    }

    /// Whether a person reads, at a terminal.
    package var isTerminal: Bool { NumberReaders.isTerminal(reader) }

    /// Remembers the changes that this reader is shown with numbers from 1.
    ///
    /// - Returns: whether the numbers can be used; else an older list may still be remembered.
    package func showChanges(_ changes: [LocalChange]) -> Bool {
        guard case .here(let numbers) = numbers else { return false }
        do throws(StoreFault) {
            try numbers.showChanges(changes.map(\.timestamp), to: reader, at: todos.now)
            return true
        } catch {
            return false
        }
    }

    /// The changes that this reader was shown last; nil if it was shown none.
    package func shownChanges() throws(ToDoNameFault) -> ListedChanges? {
        try asking { numbers throws(StoreFault) in try numbers.changes(shownTo: reader) }
    }

    /// How long the numbers of a list of changes may be used, once other edits were made; milliseconds.
    package static let changeListMilliseconds: Int64 = 3_600_000

    /// The change that a number means in the list that this reader was shown last, whatever was changed since.
    ///
    /// A list that is older than ``changeListMilliseconds`` is used only while it still begins with the latest change.
    ///
    /// - Parameter number: from 1.
    package func change(numbered number: Int) throws -> NumberedChange {
        guard let shown = try shownChanges() else { return .noList }
        if todos.now - shown.time > Self.changeListMilliseconds,
            try shown.changes.first != todos.localChanges(limit: 1).first?.timestamp
        {
            return .outdated(shown: shown.time)
        }
        guard shown.changes.indices.contains(number - 1) else {
            return .beyond(count: shown.changes.count)
        }
        return try todos.localChange(at: shown.changes[number - 1]).map { .found($0) } ?? .forgotten
    }

    private static func isPending(_ record: Record) -> Bool {
        record.standing == .live && ToDoMapping.status(of: record) == .pending
    }

    private static func isOf(_ kind: Scope.Kind, _ record: Record) -> Bool {
        switch kind {
        case .pending: isPending(record)
        case .finished: record.standing == .live && !isPending(record)
        case .trash: record.standing != .live && !record.standing.isPurged
        case .kept: record.standing == .editedAfterPurge
        }
    }

    // MARK: Naming

    /// The pending to-do whose whole title a text is; nil if there is none, or there are several.
    package func pending(exactlyTitled text: String) throws(ToDoNameFault) -> Record? {
        let words = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        if words.isEmpty { return nil }
        let found = try reading { () throws(StoreFault) in
            try todos.stored(titled: words, .pending, limit: Self.titleLookCount)
        }
        let exact = found.filter { TitleMatch(of: words, in: ToDoMapping.item($0).title) == .exact }
        return exact.count == 1 ? exact[0] : nil
    }

    /// The to-dos that words name; none twice.
    ///
    /// Where numbers or ids stand beside other words, all of them are words of one title, or name nothing.
    package func find(_ words: [String], in scope: Scope) throws(ToDoNameFault) -> [Record] {
        if let record = try titledDespiteNames(words, in: scope) { return [record] }
        var found: [Record] = []
        var seen: Set<RecordID> = []
        if let number = ToDoName.numberBehindLatest(words) { throw .latestOrCount(number) }
        let names = ToDoName.read(words)
        if names.contains(.empty) { throw .empty }
        for name in names {
            for record in try find(name, in: scope) where seen.insert(record.id).inserted {
                found.append(record)
            }
        }
        return found
    }

    /// The to-do that a number, or an id or its beginning or end, names: for programs, which nobody could ask about
    /// words of a title.
    package func find(numberOrID word: String) throws(ToDoNameFault) -> Record {
        let names = ToDoName.read([word])
        switch names.count == 1 ? names[0] : nil {
        case .numbers(let ranges)? where ranges.count == 1 && ranges[0].count == 1:
            return try owner(of: ranges[0].lowerBound)
        case .digits(let digits, _)?:
            let found = try ids(digits)
            if found.isEmpty { throw .nothing(word) }
            return try only(found, digits)
        case .noNumber(let digits)?: throw .noNumber(digits)
        default: throw .nothing(word)
        }
    }

    func find(_ name: ToDoName, in scope: Scope) throws(ToDoNameFault) -> [Record] {
        switch name {
        case .numbers(let ranges):
            var found: [Record] = []
            for range in ranges {
                found +=
                    range.count == 1
                    ? [try owner(of: range.lowerBound)] : try owners(of: range, in: scope)
            }
            return found
        case .latest:
            let latest = try asking { numbers throws(StoreFault) in try numbers.latest(of: reader) }
            guard let latest, let record = try stored(latest) else { throw .noLatest }
            return [record]
        case .digits(let digits, let typed):
            let found = try ids(digits)
            if !found.isEmpty {
                return [try only(found + titled(besides: found, typed, in: scope), typed)]
            }
            if ToDoName.isNumeric(typed) { throw .noNumber(typed) }
            return [try titled([typed], in: scope)]
        case .title(let words): return [try titled(words, in: scope)]
        case .noNumber(let digits): throw .noNumber(digits)
        case .incomplete(let word): throw .incomplete(word)
        case .empty: throw .empty
        }
    }

    private func owner(of number: Int) throws(ToDoNameFault) -> Record {
        let owner = try asking { numbers throws(StoreFault) in
            try numbers.owner(of: number, for: reader, since: began)
        }
        switch owner {
        case .nobody:
            // As many digits may be those of an id.
            let digits = String(number)
            guard digits.utf8.count >= ToDoName.digitCountMin else { throw .noNumber(digits) }
            let found = try ids(digits)
            guard found.count == 1 else { throw .noNumber(digits) }
            return found[0]
        case .todo(let id):
            guard let record = try stored(id) else { throw .gone(number) }
            return record
        case .changed(let shown, let now):
            throw .changed(
                number, shown: try shown.flatMap { id throws(ToDoNameFault) in try stored(id) },
                now: try now.flatMap { id throws(ToDoNameFault) in try stored(id) })
        }
    }

    /// The to-dos that have a number of a range: pending ones, or those of the first kind that a scope looks at and that has
    /// any; in any scope each that has one.
    ///
    /// Of a range, somebody sees only those that this reader was shown: one between them that was not is not meant, and
    /// must not be passed over in silence either. Where a reader was shown none of them, each is meant, as it would be
    /// if its number were given alone.
    private func owners(
        of range: ClosedRange<Int>, in scope: Scope
    ) throws(ToDoNameFault) -> [Record] {
        let isOfPending = scope == .pending || scope == .alive
        let held = try asking { numbers throws(StoreFault) in
            try numbers.held(range, resting: !isOfPending, limit: Self.rangeCountMax + 1)
        }
        if held.count > Self.rangeCountMax { throw .tooMany(range, max: Self.rangeCountMax) }
        // The number of one that was finished rests; it may be pending again.
        let shown = try asking { numbers throws(StoreFault) in
            try numbers.shown(in: range, to: reader)
        }
        var all: [(number: Int, record: Record)] = []
        for number in Set(held + shown).sorted() {
            do throws(ToDoNameFault) {
                all.append((number, try owner(of: number)))
            } catch .gone where !isOfPending {
                // The number of a purged one rests too.
                continue
            }
        }
        // One may have been finished elsewhere since it was last shown.
        let kinds = isOfPending ? [.pending] : scope.kinds
        let isAny = scope == .any || scope == .trashFirst
        let kind = kinds.first { kind in all.contains { Self.isOf(kind, $0.record) } }
        let meant = all.filter { todo in
            isAny
                ? kinds.contains { Self.isOf($0, todo.record) }
                : kind.map { Self.isOf($0, todo.record) } ?? false
        }
        let isShown = { (number: Int) in shown.isEmpty || shown.contains(number) }
        let found = meant.filter { isShown($0.number) }.map(\.record)
        let unshown = meant.filter { todo in
            !isShown(todo.number) && (!isAny || Self.isPending(todo.record))
        }
        if !unshown.isEmpty {
            throw .notShown(
                range, Array(unshown.prefix(Self.candidateCountMax)),
                hasMore: unshown.count > Self.candidateCountMax)
        }
        if found.isEmpty { throw .noneInRange(range, isOfPending: isOfPending) }
        return found
    }

    func ids(_ digits: String) throws(ToDoNameFault) -> [Record] {
        try reading { () throws(StoreFault) in
            let limit = Self.candidateCountMax + 1
            let begun = try todos.stored(idPrefix: digits, limit: limit)
            // Of a whole id nothing else is the end. Fewer digits than are shown name an end if they begin none.
            if digits.utf8.count >= RecordID.digitCount { return begun }
            if !begun.isEmpty, digits.utf8.count < RecordID.tailDigitCount { return begun }
            let known = Set(begun.map(\.id))
            return try begun
                + todos.stored(idSuffix: digits, limit: limit).filter { !known.contains($0.id) }
        }
    }

    /// The to-do in whose title all the words stand; of several the one in which they stand closest.
    ///
    /// - Throws: `insideWord` if a word stands only inside another there: `done all` is hardly about "Call mother".
    func titled(_ words: [String], in scope: Scope) throws(ToDoNameFault) -> Record {
        let text = words.map(TitleMatch.spaced).joined(separator: " ")
        guard let closest = try closest(words, in: scope, atLeast: .inside) else {
            return try only(untitled(text, in: scope), text)
        }
        let named = closest.found
        if closest.match > .inside { return try only(named, text) }
        throw .insideWord(
            text, Array(named.prefix(Self.candidateCountMax)),
            hasMore: named.count > Self.candidateCountMax)
    }

    /// The to-dos of the first kind that has any in whose titles all words stand at least so close: those in which they stand
    /// closest; nil if there are none.
    ///
    /// `isCut` says that there are too many titles with these words to look at.
    func closest(
        _ words: [String], in scope: Scope, atLeast least: TitleMatch
    ) throws(ToDoNameFault) -> (found: [Record], match: TitleMatch, isCut: Bool)? {
        // A list shows a tab, or several blanks, as it shows one: a phrase goes over them.
        let phrases = words.map(TitleMatch.spaced)
        let parts = phrases.flatMap { $0.split(separator: " ").map { String($0) } }
        for kind in scope.titleKinds {
            let all = try reading { () throws(StoreFault) in
                try todos.stored(titled: parts, kind, limit: Self.titleLookCount)
            }
            let found =
                parts.count == phrases.count
                ? all : all.filter { TitleMatch.has(phrases, in: ToDoMapping.item($0).title) }
            let matches = found.map { TitleMatch(of: phrases, in: ToDoMapping.item($0).title) }
            guard let closest = matches.max(), closest >= least else { continue }
            let named = zip(found, matches).filter { $0.1 == closest }.map(\.0)
            return (named, closest, all.count == Self.titleLookCount)
        }
        return nil
    }

    /// The to-dos without a title, of the first kind that has any, where a text is what lists show in place of one.
    ///
    /// - Throws: `nothing` if the text is another one, or no to-do is without a title.
    private func untitled(_ text: String, in scope: Scope) throws(ToDoNameFault) -> [Record] {
        guard text == ToDoItem.untitled else { throw .nothing(text) }
        for kind in scope.kinds {
            let found = try reading { () throws(StoreFault) in
                try todos.untitled(kind, limit: Self.candidateCountMax + 1)
            }
            if !found.isEmpty { return found }
        }
        throw .nothing(text)
    }

    func only(_ found: [Record], _ text: String) throws(ToDoNameFault) -> Record {
        if found.count == 1 { return found[0] }
        throw .several(
            text, Array(found.prefix(Self.candidateCountMax)),
            hasMore: found.count > Self.candidateCountMax)
    }

    private func stored(_ id: RecordID) throws(ToDoNameFault) -> Record? {
        try reading { () throws(StoreFault) in try todos.stored(id) }
    }

    func reading<T>(_ body: () throws(StoreFault) -> T) throws(ToDoNameFault) -> T {
        do throws(StoreFault) { return try body() } catch { throw .unreadable(error) }
    }

    private func asking<T>(
        _ body: (ToDoNumbers) throws(StoreFault) -> T
    ) throws(ToDoNameFault) -> T {
        switch numbers {
        case .missing(let fault): throw fault
        case .here(let numbers):
            do throws(StoreFault) { return try body(numbers) } catch { throw .unavailable(error) }
        }
    }
}

extension ToDoNaming.Scope {
    /// To-dos by how they stand.
    enum Kind {
        case pending, finished, trash
        /// Purged ones with what others wrote meanwhile: `tandem conflicts` shows their titles.
        case kept
    }

    /// The kinds that are looked at, until one has something.
    var kinds: [Kind] {
        switch self {
        case .pending: [.pending]
        case .finished: [.finished, .pending]
        case .alive: [.pending, .finished]
        case .trash, .trashFirst: [.trash, .pending, .finished]
        case .any: [.pending, .finished, .trash]
        }
    }

    /// The kinds whose titles are looked at, until one has the words.
    var titleKinds: [Kind] { kinds.contains(.trash) ? kinds + [.kept] : kinds }
}

extension ToDoStore {
    /// The to-dos whose id ends with these hexadecimal digits, deleted ones too.
    ///
    /// Ids made in one minute begin alike; their ends are random. There is no index of ends: all ids are read.
    func stored(idSuffix digits: String, limit: Int) throws(StoreFault) -> [Record] {
        try store.fetch(
            FetchRequest(ToDoSchema.collection, scope: .all, where: .idSuffix(digits), limit: limit)
        )
    }

    /// The to-dos of a kind in whose title all words stand.
    func stored(
        titled words: [String], _ kind: ToDoNaming.Scope.Kind, limit: Int
    ) throws(StoreFault) -> [Record] {
        if kind == .kept { return try kept(titled: words, limit: limit) }
        return try stored(
            where: .and(words.map { .contains(.field(ToDoSchema.Number.title), $0) }), kind,
            limit: limit)
    }

    /// The purged to-dos with kept edits in whose title all words stand; no column has that.
    private func kept(titled words: [String], limit: Int) throws(StoreFault) -> [Record] {
        let found = try store.fetch(FetchRequest(ToDoSchema.collection, scope: .conflicted))
        return Array(
            found.filter { stored in
                stored.standing == .editedAfterPurge
                    && TitleMatch.has(words, in: ToDoMapping.item(stored).title)
            }.prefix(limit))
    }

    /// The to-dos of a kind that have no title.
    func untitled(
        _ kind: ToDoNaming.Scope.Kind, limit: Int
    ) throws(StoreFault) -> [Record] {
        let title = FieldPath.field(ToDoSchema.Number.title)
        return try stored(
            where: .or([.absent(title), .compare(title, .equal, .text(""))]), kind, limit: limit)
    }

    private func stored(
        where title: FetchPredicate, _ kind: ToDoNaming.Scope.Kind, limit: Int
    ) throws(StoreFault) -> [Record] {
        let request =
            switch kind {
            case .pending:
                FetchRequest(
                    ToDoSchema.collection, where: .and([Self.pending, title]), sort: Self.order,
                    limit: limit)
            case .finished:
                FetchRequest(
                    ToDoSchema.collection, where: .and([.not(Self.pending), title]), limit: limit)
            case .trash:
                FetchRequest(ToDoSchema.collection, scope: .trash, where: title, limit: limit)
            case .kept:
                FetchRequest(ToDoSchema.collection, scope: .conflicted, where: title, limit: limit)
            }
        return try store.fetch(request)
    }
}

extension ToDoStore {
    /// The ends of ids, in order, each as long as it must be to name no other to-do, deleted ones among them.
    ///
    /// Of more to-dos than `SimilarIDs.recordCountMax`: no other one of these. Where the store cannot be read, the ends are as short as they may be.
    package func ends(of ids: [RecordID]) -> [String] {
        guard !ids.isEmpty, let others = try? store.similarIDs(to: ids, in: ToDoSchema.collection)
        else { return ids.map(\.tail) }
        return zip(ids, others).map { id, others in
            others.isEmpty ? id.tail : longerEnd(of: id, besides: others)
        }
    }

    /// The end of an id, as long as it must be to name no other to-do.
    package func end(of id: RecordID) -> String { ends(of: [id])[0] }

    /// The shortest end of an id that is longer than `tail`, with which no other id ends or begins.
    private func longerEnd(of id: RecordID, besides others: [RecordID]) -> String {
        let (own, others) = (id.hexadecimal, others.map(\.hexadecimal))
        for count in (RecordID.tailDigitCount + 1)..<RecordID.digitCount {
            let end = String(own.suffix(count))
            if others.contains(where: { $0.hasSuffix(end) }) { continue }
            // Others begin with more digits than begin with the last eight.
            let begun = (try? stored(idPrefix: end, limit: 2)) ?? []
            if begun.allSatisfy({ $0.id == id }) { return end }
        }
        return own
    }
}

extension RecordID {
    /// The digits of a whole id.
    static let digitCount = 32
    /// The fewest digits of an id that are shown.
    package static let tailDigitCount = 2 * SimilarIDs.endByteCount

    /// The last digits of the id: what differs between ids that were made one after another.
    package var tail: String { String(hexadecimal.suffix(Self.tailDigitCount)) }
}
