import Core

/// A selection of records, their order, and a limit.
///
/// ```swift
/// FetchRequest(
///     "photos", where: .contains("title", "dune") && .equals("photographer.name", "Ansel"),
///     section: .ascending("photographer.name"), sort: [.descending("taken")], limit: 50)
/// ```
public struct FetchRequest: Hashable, Sendable {
    /// By what to sort.
    public struct SortDescriptor: Hashable, Sendable {
        /// The field.
        public var path: FieldPath
        /// Whether the smallest comes first; records without a value come last in either case.
        public var isAscending: Bool

        /// An order.
        public init(_ path: FieldPath, isAscending: Bool = true) {
            self.path = path
            self.isAscending = isAscending
        }
    }

    /// Which records by their state.
    public enum Scope: Hashable, Sendable {
        /// Live records.
        case live
        /// Records in the trash, not purged.
        case trash
        /// Records with an open conflict, live or in the trash.
        case conflicted
        /// All of them, tombstones included.
        case all
    }

    /// The collection.
    public var collection: CollectionID
    /// Which records by their state.
    public var scope: Scope = .live
    /// Which records.
    public var predicate: FetchPredicate
    /// By what the records are parted into sections; these come before everything else in the order.
    public var section: SortDescriptor?
    /// The order, within a section if there are any; at the end by id, so that it is total.
    public var sort: [SortDescriptor]
    /// The most records to give; nil for no limit.
    public var limit: Int?
    /// How many to pass over.
    public var offset = 0

    /// A request.
    public init(
        _ collection: CollectionID, scope: Scope = .live, where predicate: FetchPredicate = .all,
        section: SortDescriptor? = nil, sort: [SortDescriptor] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.collection = collection
        self.scope = scope
        self.predicate = predicate
        self.section = section
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    /// By what the records are sorted, sections first; without the id at the end.
    var order: [SortDescriptor] { (section.map { [$0] } ?? []) + sort }

    /// Every field that is looked at.
    var paths: [FieldPath] { order.map(\.path) + predicate.paths }
}

/// Which records a fetch is about.
public indirect enum FetchPredicate: Hashable, Sendable {
    /// How a field is compared.
    public enum Comparison: String, Hashable, Sendable {
        /// The same value.
        case equal = "="
        /// Another value.
        case notEqual = "<>"
        /// A smaller value.
        case less = "<"
        /// A smaller value or the same.
        case lessOrEqual = "<="
        /// A greater value.
        case greater = ">"
        /// A greater value or the same.
        case greaterOrEqual = ">="
    }

    /// Every record.
    case all
    /// The field has a value that compares so; a field without a value does not, save for `notEqual`.
    case compare(FieldPath, Comparison, Value)
    /// The field has no value.
    case absent(FieldPath)
    /// The text in the field contains the given one, whatever the case of letters and their accents.
    case contains(FieldPath, String)
    /// The text in the field begins with the given one, byte for byte.
    case hasPrefix(FieldPath, String)
    /// The set in the field has the text as an element.
    case hasElement(FieldPath, String)
    /// The record's id begins with these hexadecimal digits.
    case idPrefix(String)
    /// The record's id ends with these hexadecimal digits, in lower case; all ids are read for that.
    case idSuffix(String)
    /// The record is one of these.
    case oneOf([RecordID])
    /// All of these hold.
    case and([FetchPredicate])
    /// One of these holds.
    case or([FetchPredicate])
    /// This does not hold.
    case not(FetchPredicate)
    /// One of the records that refer to this one is as described.
    case any(Related)

    /// The set in the field has the text as an element.
    package static func has(_ number: UInt32, _ text: String) -> FetchPredicate {
        .hasElement(.field(number), text)
    }

    /// The fields that are looked at, also inside of descriptions of related records.
    var paths: [FieldPath] {
        switch self {
        case .compare(let path, _, _), .absent(let path), .contains(let path, _),
            .hasPrefix(let path, _), .hasElement(let path, _):
            [path]
        case .and(let parts), .or(let parts): parts.flatMap(\.paths)
        case .not(let part): part.paths
        case .any(let related): [FieldPath(target: .count(related))]
        case .all, .idPrefix, .idSuffix, .oneOf: []
        }
    }
}

/// A field of a record, or of the record that references lead to.
public struct FieldPath: Hashable, Sendable {
    /// The references to follow first, one after the other.
    package let references: [FieldName]
    /// The part of that record.
    package let target: Target

    /// A part of a record.
    public indirect enum Target: Hashable, Sendable {
        /// A field, with a column or without.
        case field(FieldName)
        /// The record's id.
        case id
        /// The arrival number of the record's last change here.
        case sequence
        /// How many records refer to it.
        case count(Related)
        /// The greatest value that a field has in the records that refer to it.
        case greatest(FieldName, Related)
        /// The smallest value that a field has in the records that refer to it.
        case least(FieldName, Related)
    }

    /// Something of the record to which references lead; of the record itself if there are none.
    package init(through references: [FieldName] = [], target: Target) {
        self.references = references
        self.target = target
    }

    /// A built-in field of the record itself.
    package static func field(_ number: UInt32) -> FieldPath {
        FieldPath(target: .field(.number(number)))
    }

    /// A field with a name of the record itself.
    package static func custom(_ name: String) -> FieldPath {
        FieldPath(target: .field(.text(name.inFormC)))
    }

    /// A field of the record that the reference in field `reference` leads to.
    package static func through(_ reference: UInt32, _ number: UInt32) -> FieldPath {
        FieldPath(through: [.number(reference)], target: .field(.number(number)))
    }

    /// The record's id.
    public static let id = FieldPath(target: .id)
    /// The arrival number of the record's last change here.
    public static let sequence = FieldPath(target: .sequence)
}

/// The records that refer to a record: the other side of a reference, read by its index.
public struct Related: Hashable, Sendable {
    /// The collection of those that refer.
    package var collection: CollectionID
    /// Their field that holds the reference.
    package var reference: FieldName
    /// Which of them; deleted ones never count.
    package var predicate: FetchPredicate

    /// The records of `collection` whose field `reference` leads to the record.
    package init(
        _ collection: CollectionID, by reference: FieldName, where predicate: FetchPredicate = .all
    ) {
        self.collection = collection
        self.reference = reference
        self.predicate = predicate
    }
}

/// The part of a store that answers fetch requests, from the tables of records.
final class RecordQueries {
    private let records: Records
    private let database: Database
    private let search: SearchIndex

    init(_ database: Database, _ records: Records, _ search: SearchIndex) {
        self.database = database
        self.records = records
        self.search = search
    }

    /// Reads the records that a request is about.
    func fetch(_ request: FetchRequest) throws(StoreFault) -> [Record] {
        let index = records.index(of: request.collection)
        let columns = database.collections[index].statements.columnsOfT
        let words = try search.prepare(for: request, in: index)
        return try database.reading { () throws(StoreFault) in
            let rows = try run(request, in: index, among: words, columns: columns)
            defer { rows.reset() }
            var found: [Record] = []
            while try rows.step() { found.append(try records.stored(rows, index)) }
            return found
        }
    }

    /// Reads the texts of columns, and nothing else, of the records that a request is about.
    func texts(
        of numbers: [UInt32], in request: FetchRequest, _ body: (RecordID, [String?]) -> Void
    ) throws(StoreFault) {
        let index = records.index(of: request.collection)
        let columns = numbers.map { number in
            database.collections[index].field(number).map { "t.\($0.quoted)" } ?? "NULL"
        }
        let words = try search.prepare(for: request, in: index)
        try database.reading { () throws(StoreFault) in
            let rows = try run(
                request, in: index, among: words,
                columns: (["t.id"] + columns).joined(separator: ", "))
            defer { rows.reset() }
            while try rows.step() {
                guard let id = rows.identifier(0) else { continue }
                var texts: [String?] = []
                texts.reserveCapacity(numbers.count)
                for column in 1...Int32(max(1, numbers.count)) {
                    texts.append(rows.isNull(column) ? nil : rows.text(column))
                }
                body(RecordID(value: id), texts)
            }
        }
    }

    /// Counts the records that a request is about, whatever its limit.
    func count(_ request: FetchRequest) throws(StoreFault) -> Int {
        var request = request
        request.limit = nil
        request.offset = 0
        request.sort = []
        request.section = nil
        let index = records.index(of: request.collection)
        let words = try search.prepare(for: request, in: index)
        return try database.reading { () throws(StoreFault) in
            if let count = records.counts.count(request, in: index) { return count }
            let rows = try run(request, in: index, among: words, columns: "count(*)")
            defer { rows.reset() }
            return try rows.step() ? Int(rows.int(0)) : 0
        }
    }

    /// The compiled statement of a request, with everything bound.
    ///
    /// - Parameter words: what the index of words could be asked; nil for nothing.
    private func run(
        _ request: FetchRequest, in index: Int, among words: SearchIndex.Candidates?,
        columns: String, hasKeys: Bool = false, only ids: [RecordID]? = nil
    ) throws(StoreFault) -> PreparedStatement {
        var compiler = FetchCompiler(collections: database.collections, index: index)
        let sql = compiler.sql(
            request, columns: columns, hasKeys: hasKeys, only: ids,
            among: try search.candidates(words, for: request, in: index))
        let rows = try database.connection.statement(sql.text)
        for (index, parameter) in sql.parameters.enumerated() {
            rows.bind(Int32(index + 1), cell: parameter)
        }
        return rows
    }

    // MARK: Live results

    /// Reads the rows of a request with the keys by which they are sorted.
    ///
    /// - Parameter ids: if given, only these records are looked at.
    func liveRows(
        _ request: FetchRequest, only ids: [RecordID]? = nil
    ) throws(StoreFault) -> [LiveRow] {
        if ids?.isEmpty == true { return [] }
        let index = records.index(of: request.collection)
        let schema = database.collections[index]
        let words = ids == nil ? search.candidates(of: request, in: index) : nil
        let rows = try run(
            request, in: index, among: words, columns: schema.statements.columnsOfT, hasKeys: true,
            only: ids)
        defer { rows.reset() }
        let first = schema.fixedColumnCount + schema.fields.count
        let keyCount = request.order.count
        var found: [LiveRow] = []
        while try rows.step() {
            let keys = (0..<keyCount).map { rows.cell(Int32(first + $0)) }
            found.append(LiveRow(record: try records.stored(rows, index), keys: keys))
        }
        return found
    }

    /// The arrival number of each table's newest record; it grows with every change of the table.
    func newestSequences(of indexes: [Int]) throws(StoreFault) -> [UInt64] {
        var found: [UInt64] = []
        for index in indexes {
            let row = try database.connection.statement(
                "SELECT max(sequence) FROM \(database.collections[index].table)")
            defer { row.reset() }
            found.append(try row.step() ? row.unsigned(0) : 0)
        }
        return found
    }

    /// The kind of a path's column; nil if it has none.
    func kind(
        of path: FieldPath?, in collection: CollectionID
    ) -> ColumnKind? {
        guard let path, case .field(let name) = path.target else { return nil }
        var schema = database.collections[records.index(of: collection)]
        for reference in path.references {
            guard case .reference(let target)? = schema.field(reference)?.kind else { return nil }
            schema = database.collections[records.index(of: target)]
        }
        return schema.field(name)?.kind
    }
}

/// Fetches through the store's door.
extension Store {
    /// Reads a record, whatever its state; nil if there is none of that name.
    package func record(_ name: RecordName) throws(StoreFault) -> Record? {
        try database.reading { () throws(StoreFault) in try records.find(name) }
    }

    /// Reads the records that a request is about.
    package func fetch(_ request: FetchRequest) throws(StoreFault) -> [Record] {
        try queries.fetch(request)
    }

    /// Gives the texts of columns, and nothing else, of the records that a request is about, one record after the other.
    ///
    /// Texts, moments and sets are kept as texts; nil stands for an absent value and for any other kind.
    /// - Parameter numbers: the numbers of fields with columns.
    package func texts(
        of numbers: [UInt32], in request: FetchRequest, _ body: (RecordID, [String?]) -> Void
    ) throws(StoreFault) {
        try queries.texts(of: numbers, in: request, body)
    }

    /// Reads the same at once.
    package func texts(
        of numbers: [UInt32], in request: FetchRequest
    ) throws(StoreFault) -> [(id: RecordID, texts: [String?])] {
        var found: [(id: RecordID, texts: [String?])] = []
        try queries.texts(of: numbers, in: request) { found.append(($0, $1)) }
        return found
    }

    /// Counts the records that a request is about, whatever its limit.
    package func count(_ request: FetchRequest) throws(StoreFault) -> Int {
        try queries.count(request)
    }
}
