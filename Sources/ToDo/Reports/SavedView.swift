import Core
import Storage

/// A field of to-dos that a list may have as a column or be sorted by.
package enum ToDoColumn: Hashable, Sendable {
    case title
    case notes
    case project
    case location
    case people
    case tags
    case status
    case priority
    case date(ToDoDateAttribute)
    /// A field that the user added.
    case custom(String)

    /// Reads the name of a field, as filters have it; nil if lists have no such column.
    package init?(_ word: String) {
        if word.hasPrefix("x."), word.utf8.count > 2 {
            self = .custom(String(word.dropFirst(2)))
            return
        }
        switch ToDoKey.named(word[...], orAbbreviated: true) {
        case .title?: self = .title
        case .notes?: self = .notes
        case .project?: self = .project
        case .location?: self = .location
        case .people?: self = .people
        case .tags?: self = .tags
        case .status?: self = .status
        case .priority?: self = .priority
        case .date(let attribute)?: self = .date(attribute)
        case .repeats?, .exceptions?, .reminders?, .parent?, .depends?, .custom?, nil: return nil
        }
    }

    /// Its name.
    package var word: String {
        switch self {
        case .title: "title"
        case .notes: "notes"
        case .project: "project"
        case .location: "location"
        case .people: "people"
        case .tags: "tags"
        case .status: "status"
        case .priority: "priority"
        case .date(let attribute): attribute.rawValue
        case .custom(let name): "x." + name
        }
    }

    /// The names of all columns but those of fields that users added.
    package static let words =
        ["title", "notes", "project", "location", "people", "tags", "status", "priority"]
        + ToDoDateAttribute.allCases.map(\.rawValue)

    /// The text of a to-do in it; empty for none, and for dates, which are shown by their length.
    package func text(_ item: ToDoItem) -> String {
        switch self {
        case .title: item.title
        case .notes: item.notes
        case .project: item.project
        case .location: item.location
        case .people: item.people.joined(separator: ", ")
        case .tags: item.tags.map { "+" + $0 }.joined(separator: " ")
        case .status: item.status.rawValue
        case .priority: item.priority == .none ? "" : item.priority.word
        case .date: ""
        case .custom(let name): item.custom[name]?.displayText ?? ""
        }
    }
}

/// A column that a list is sorted by.
package struct ToDoSort: Hashable, Sendable {
    /// The column.
    package let column: ToDoColumn
    /// Whether the greatest comes first.
    package let isDescending: Bool

    /// Reads `due`, or `-priority` for the greatest first; nil if there is no such column.
    package init?(_ word: String) {
        isDescending = word.hasPrefix("-")
        guard let column = ToDoColumn(isDescending ? String(word.dropFirst()) : word) else {
            return nil
        }
        self.column = column
    }

    /// Its word.
    package var word: String { (isDescending ? "-" : "") + column.word }

    private enum Key {
        case number(Double)
        case text(String)
    }

    private func key(_ item: ToDoItem, _ zone: LocalTimeZone) -> Key? {
        switch column {
        case .date(let attribute):
            return item.date(attribute).map { .number(Double($0.start(in: zone))) }
        case .priority:
            return item.priority == .none ? nil : .number(Double(item.priority.rawValue))
        case .custom(let name):
            switch item.custom[name] {
            case .int(let number)?: return .number(Double(number))
            case .double(let number)?: return .number(number)
            default: break
            }
        default: break
        }
        let text = column.text(item).lowercased()
        return text.isEmpty ? nil : .text(text)
    }

    /// The places of items in their new order; what has no value in a column comes last, and equal ones keep their order.
    package static func order(
        _ items: [ToDoItem], by sorts: [ToDoSort], zone: LocalTimeZone
    ) -> [Int] {
        let keys = items.map { item in sorts.map { $0.key(item, zone) } }
        return items.indices.sorted { one, other in
            for (index, sort) in sorts.enumerated() {
                let isAscending: Bool
                switch (keys[one][index], keys[other][index]) {
                case (nil, nil): continue
                case (nil, _?): return false
                case (_?, nil): return true
                case (.number(let left)?, .number(let right)?):
                    if left == right || left.isNaN || right.isNaN { continue }
                    isAscending = left < right
                case (.text(let left)?, .text(let right)?):
                    if left == right { continue }
                    isAscending = left < right
                case (.number?, .text?): return true
                case (.text?, .number?): return false
                }
                return isAscending != sort.isDescending
            }
            return one < other
        }
    }
}

/// A list of a person's own: a filter, columns, an order and parts under a name; it syncs.
package struct SavedView: Sendable, Equatable {
    /// The longest name; bytes.
    package static let nameByteCountMax = 64
    /// The longest filter with its line breaks; bytes.
    package static let filterByteCountMax = 4096
    /// The most columns, and the most that a list is sorted by.
    package static let columnCountMax = 12
    /// The beginning of the first line of a filter that an older program cannot read: the number of its grammar.
    package static let grammarKey = "grammar:"
    /// The key of the columns, among the words that are saved.
    static let columnsKey = "columns:"
    /// The key of what a view is sorted by.
    static let sortKey = "sort:"
    /// The key of how it is parted.
    static let groupKey = "group:"
    /// The key that clears the filter.
    static let filterKey = "filter:"

    /// Its name: `isName` holds.
    package let name: String
    /// The words of the filter; none for all to-dos.
    package let words: [String]
    /// The names of the columns; none for those of every list.
    package let columns: [String]
    /// The names of what it is sorted by.
    package let sort: [String]
    /// How it is parted; nil for as every list.
    package let grouping: String?
    /// The filters that other devices gave it at the same time, beside the one that counts.
    package let otherFilters: [[String]]
    /// Whether devices disagree on any field.
    package let isInConflict: Bool
    /// Whether one device removed it while another changed it.
    package let isContested: Bool

    init(
        name: String, words: [String] = [], columns: [String] = [], sort: [String] = [],
        grouping: String? = nil, otherFilters: [[String]] = [], isInConflict: Bool = false,
        isContested: Bool = false
    ) {
        self.name = name
        self.words = words
        self.columns = columns
        self.sort = sort
        self.grouping = grouping
        self.otherFilters = otherFilters
        self.isInConflict = isInConflict
        self.isContested = isContested
    }

    /// The one name for what people type: in lower case, and in form C.
    package static func key(_ name: String) -> String { name.inFormC.lowercased().inFormC }

    /// Whether a view may have the name: letters, digits, `-` and `_`, the first a letter or digit; not `none`.
    package static func isName(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first.isNumber, name == key(name) else {
            return false
        }
        return name != "none" && name.utf8.count <= nameByteCountMax
            && !name.allSatisfy(\.isNumber)
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }

    /// Reads the filter.
    ///
    /// - Throws: `newer` or `unreadable` if this program cannot; another one wrote it.
    package func filter(
        now: Int64, zone: LocalTimeZone, weekStart: Weekday
    ) throws(SavedViewFault) -> ToDoFilter {
        try Self.check(words)
        do throws(ToDoWordsError) {
            // Without an order of dates: the words mean the same on every device.
            let filter = try ToDoFilter.parse(words, now: now, zone: zone, weekStart: weekStart)
            try Self.refuseNames(in: filter)
            return filter
        } catch {
            throw .unreadable(name, error)
        }
    }

    /// Refuses a filter with to-dos that are called by a number or a title: on another device, or later, that is none or
    /// another one.
    fileprivate static func refuseNames(in filter: ToDoFilter) throws(ToDoWordsError) {
        guard let (key, name) = filter.unnamedReference else { return }
        throw .badValue(
            key: key, value: name,
            hint: "a view takes a whole id, as numbers and titles are not the same on every device")
    }

    private static func check(_ words: [String]) throws(SavedViewFault) {
        if let first = words.first, first.hasPrefix(grammarKey) { throw .newer }
        guard SavedView.text(words).utf8.count <= filterByteCountMax else {
            throw .longFilter
        }
    }

    /// The columns, the order and the parts that this program knows, and the words of those that it does not.
    package var layout: Layout {
        var layout = Layout()
        for word in columns.prefix(Self.columnCountMax) {
            if let column = ToDoColumn(word) {
                layout.columns.append(column)
            } else {
                layout.unknown.append(word)
            }
        }
        for word in sort.prefix(Self.columnCountMax) {
            if let sort = ToDoSort(word) {
                layout.sort.append(sort)
            } else {
                layout.unknown.append(word)
            }
        }
        if let grouping {
            layout.grouping = ToDoGrouping(rawValue: grouping)
            if layout.grouping == nil { layout.unknown.append(grouping) }
        }
        return layout
    }

    /// How a view is shown.
    package struct Layout: Sendable, Equatable {
        /// The columns beside the title; none for those of every list.
        package var columns: [ToDoColumn] = []
        /// The columns that it is sorted by; none for by urgency.
        package var sort: [ToDoSort] = []
        /// How it is parted; nil for as every list.
        package var grouping: ToDoGrouping?
        /// Words that only a newer program knows.
        package var unknown: [String] = []

        /// The layout of every list.
        package init() {}

        /// Takes the words of a layout, as in `sort:due`, out of typed words: they hold for one showing.
        package mutating func take(from words: inout [String]) throws(SavedViewFault) {
            let (change, rest) = try SavedViewChange.layout(words)
            words = rest
            columns = change.columns ?? columns
            sort = change.sort ?? sort
            if let grouping = change.grouping { self.grouping = grouping }
        }
    }

    // MARK: Stored texts

    /// The text of a filter: a word a line.
    static func text(_ words: [String]) -> String { words.joined(separator: "\n") }

    static func words(_ text: String?) -> [String] {
        (text ?? "").unicodeScalars.split(separator: "\n").map { String($0) }
    }

    static func list(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { String($0) }
    }
}

/// A change of a view as it is typed: nil leaves a part as it is.
package struct SavedViewChange: Sendable, Equatable {
    /// The words of the filter.
    package var words: [String]?
    /// The columns.
    package var columns: [ToDoColumn]?
    /// The columns that it is sorted by.
    package var sort: [ToDoSort]?
    /// How it is parted.
    package var grouping: ToDoGrouping??

    /// Reads the words behind the name.
    ///
    /// They are `columns:due,tags`, `sort:-priority,due`, `group:project`, and those of a filter. Without a value a
    /// key clears its part, as `filter:` does for the filter.
    package init(_ typed: [String]) throws(SavedViewFault) {
        var filter: [String] = []
        try takeLayout(typed, rest: &filter)
        let literal = filter.firstIndex(of: "--") ?? filter.endIndex
        if filter[..<literal].contains(SavedView.filterKey) {
            words = []
            filter =
                filter[..<literal].filter { $0 != SavedView.filterKey } + filter[literal...]
        }
        if !filter.isEmpty {
            if let word = filter.first(where: { $0.unicodeScalars.contains("\n") }) {
                throw .lineBreak(word)
            }
            guard SavedView.text(filter).utf8.count <= SavedView.filterByteCountMax else {
                throw .longFilter
            }
            do throws(ToDoWordsError) {
                try SavedView.refuseNames(in: ToDoFilter.parse(filter, now: 0, zone: .utc))
            } catch {
                throw .badFilter(error)
            }
            words = filter
        }
    }

    private init() {}

    /// The layout that is among typed words, and the other words.
    fileprivate static func layout(
        _ typed: [String]
    ) throws(SavedViewFault) -> (layout: Self, rest: [String]) {
        var (layout, rest) = (Self(), [String]())
        try layout.takeLayout(typed, rest: &rest)
        return (layout, rest)
    }

    /// Reads the words of a layout; adds the others to the rest, and all behind `--`.
    private mutating func takeLayout(
        _ typed: [String], rest: inout [String]
    ) throws(SavedViewFault) {
        var isLiteral = false
        for word in typed {
            if isLiteral {
                rest.append(word)
            } else if let value = Self.value(of: SavedView.columnsKey, word) {
                columns = try Self.columns(value) { ToDoColumn($0) }
            } else if let value = Self.value(of: SavedView.sortKey, word) {
                sort = try Self.columns(value) { ToDoSort($0) }
            } else if let value = Self.value(of: SavedView.groupKey, word) {
                let grouping = ToDoGrouping(rawValue: value)
                if grouping == nil, !value.isEmpty { throw .unknownGrouping(value) }
                self.grouping = .some(grouping)
            } else {
                isLiteral = word == "--"
                rest.append(word)
            }
        }
    }

    private static func value(of key: String, _ word: String) -> String? {
        word.hasPrefix(key) ? String(word.dropFirst(key.count)) : nil
    }

    private static func columns<Column>(
        _ text: String, _ read: (String) -> Column?
    ) throws(SavedViewFault) -> [Column] {
        let words = text.split(separator: ",").map { String($0) }
        guard words.count <= SavedView.columnCountMax else { throw .manyColumns }
        var columns: [Column] = []
        for word in words {
            guard let column = read(word) else { throw .unknownColumn(word) }
            columns.append(column)
        }
        return columns
    }
}

/// Why a view cannot be saved or shown; a code, from which the program makes words.
package enum SavedViewFault: Error, Sendable, Equatable {
    /// A view cannot have the name.
    case badName(String)
    /// There is no such column.
    case unknownColumn(String)
    /// Views are not parted so.
    case unknownGrouping(String)
    /// More columns than `SavedView.columnCountMax`.
    case manyColumns
    /// The filter cannot be read.
    case badFilter(ToDoWordsError)
    /// The filter is longer than `SavedView.filterByteCountMax`.
    case longFilter
    /// A word of the filter has a line break.
    case lineBreak(String)
    /// A newer program wrote the filter.
    case newer
    /// The view of that name has a filter that another program wrote and this one cannot read.
    case unreadable(String, ToDoWordsError)
    /// There is no view of the name.
    case missing(String)
}

/// Why a view was not saved.
package enum SavedViewSavingFault: Error {
    /// It cannot be.
    case view(SavedViewFault)
    /// The store did not take it.
    case store(StoreFault)
}
