import Core

/// A fetch request → SQL with parameters; names come from the schema alone, never from the request.
///
/// References are taken as they were assigned, cycles included; a path through one to a missing or deleted record
/// leads nowhere. `Store.followed` tells which of them read as absent.
struct FetchCompiler {
    private let collections: [CollectionSchema]
    private let index: Int
    /// The name of the table in the statement.
    private let alias: String
    /// The condition that leads to few records by itself, so that no other is to choose an index; nil if none does.
    private var narrowing: Narrowing?
    /// The tables to which references lead, by the names that they have in the statement.
    private var joins: [(alias: String, sql: String)] = []

    init(collections: [CollectionSchema], index: Int) {
        self.init(collections: collections, index: index, alias: "t")
    }

    private init(collections: [CollectionSchema], index: Int, alias: String) {
        self.collections = collections
        self.index = index
        self.alias = alias
    }

    private var schema: CollectionSchema { collections[index] }

    /// The statement.
    ///
    /// - Parameters:
    ///   - columns: what to select of the table, which is called `t`.
    ///   - hasKeys: whether to select, behind the columns, that by which the records are sorted.
    ///   - ids: if given, only these records are looked at.
    ///   - candidates: if given, only the records are looked at which an index of texts offers, unless another
    ///     condition leads to fewer.
    mutating func sql(
        _ request: FetchRequest, columns: String, hasKeys: Bool = false,
        only ids: [RecordID]? = nil, among candidates: SearchIndex.Candidates? = nil
    ) -> SQLText {
        narrowing = ids == nil ? narrowing(request.predicate, in: request.scope) : .id
        var candidates = candidates
        if let narrowing, narrowing.isOfFew { candidates = nil }
        if candidates != nil { narrowing = .id }
        var condition = condition(request.predicate)
        if let ids { condition = "\(Self.isOne(of: ids)) AND \(condition)" }
        if let candidates {
            condition =
                "w.\(raw: candidates.tables.words) MATCH \(bound: .text(candidates.expression)) AND \(condition)"
        }
        var keys: [SQLText] = []
        for sort in request.order { keys.append(column(sort.path)) }
        var order: [SQLText] = []
        for (sort, key) in zip(request.order, keys) {
            let word = sort.isAscending ? "ASC" : "DESC"
            // An id is never absent; where it is said that it might be, no index gives the order.
            let isID = sort.path == .id
            order.append(isID ? "t.id \(raw: word)" : "\(key) \(raw: word) NULLS LAST")
        }
        if !request.order.contains(where: { $0.path == .id }) { order.append("t.id") }
        // A term behind a plus sign chooses no index.
        let mark = narrowing == .id ? "+" : ""
        let scope =
            switch request.scope {
            case .live: "\(mark)t.state = 0"
            case .trash: "\(mark)t.state = 1"
            case .conflicted: "\(mark)t.conflicts > 0"
            case .all: "1"
            }
        var selected: SQLText = "\(raw: columns)"
        if hasKeys { selected = SQLText([selected] + keys, joinedBy: ", ") }
        return """
            SELECT \(selected) FROM \(raw: Self.source(schema.table, candidates))\(raw: joinClauses)
            WHERE \(raw: scope) AND \(condition) ORDER BY \(SQLText(order, joinedBy: ", "))
            LIMIT \(bound: .int(Int64(request.limit ?? -1)))
            OFFSET \(bound: .int(Int64(request.offset)))
            """
    }

    private var joinClauses: String { joins.map(\.sql).joined() }

    /// The table of the records, or those of its rows that an index of texts offers; CROSS JOIN keeps SQLite from
    /// turning that around.
    private static func source(_ table: String, _ candidates: SearchIndex.Candidates?) -> String {
        guard let tables = candidates?.tables else { return "\(table) AS t" }
        return """
            \(tables.words) AS w LEFT JOIN \(tables.moved) AS m ON m.number = w.rowid
            CROSS JOIN \(table) AS t ON t.sequence = ifnull(m.sequence, w.rowid)
            """
    }

    // MARK: Indexes

    /// A condition that leads to few records.
    private enum Narrowing: Comparable {
        /// Ids are named.
        case id
        /// A field has a certain value, and an index is of the records that have any.
        case value(FieldName)
        /// A field has a value in a range, and an index is of the records that have any.
        case range(FieldName)
        /// A field has a value, and an index is of the records that have any.
        case presence(FieldName)

        /// Whether it leads to a handful of records.
        var isOfFew: Bool {
            switch self {
            case .id, .value: true
            case .range, .presence: false
            }
        }

        /// The field; nil for the id.
        var field: FieldName? {
            switch self {
            case .id: nil
            case .value(let name), .range(let name), .presence(let name): name
            }
        }
    }

    /// The condition of a predicate that leads to few records; nil if there is none.
    ///
    /// SQLite takes each column of an index to lead to a tenth of the rows before it, whatever the column holds, so
    /// that it would rather look through all that are pending than through the parts of one record.
    private func narrowing(
        _ predicate: FetchPredicate, in scope: FetchRequest.Scope
    ) -> Narrowing? {
        switch predicate {
        case .oneOf: .id
        case .idPrefix(let digits): digits.isEmpty ? nil : .id
        case .compare(.id, .equal, _): .id
        case .compare(let path, .equal, _): sparseField(path, scope).map { .value($0) }
        case .compare(_, .notEqual, _): nil
        case .compare(let path, _, _): sparseField(path, scope).map { .range($0) }
        case .not(.absent(let path)): sparseField(path, scope).map { .presence($0) }
        case .and(let parts): parts.compactMap { narrowing($0, in: scope) }.min()
        default: nil
        }
    }

    /// The field of a path, if an index is of the records in that state which have a value there.
    private func sparseField(_ path: FieldPath, _ scope: FetchRequest.Scope) -> FieldName? {
        guard scope == .live || scope == .trash, path.references.isEmpty,
            case .field(let name) = path.target, sparseIndex(of: name) != nil
        else { return nil }
        return name
    }

    /// The columns of the index over the records in some state that have a value in a field; nil if there is none.
    private func sparseIndex(of name: FieldName) -> [String]? {
        guard let column = schema.field(name)?.column else { return nil }
        return schema.sparseIndexes.first { $0.first == "state" && $0.last == column }
    }

    /// A column in a condition, marked so that it chooses no index where another condition leads to few records.
    private mutating func term(_ path: FieldPath) -> SQLText {
        let column = column(path)
        guard let narrowing else { return column }
        let isMeant = narrowing.field.map { isOfIndex(path, of: $0) } ?? (path == .id)
        return isMeant ? column : "+\(column)"
    }

    /// Whether a path is a column of the index over the records that have a value in a field.
    private func isOfIndex(_ path: FieldPath, of name: FieldName) -> Bool {
        guard path.references.isEmpty, case .field(let other) = path.target,
            let column = schema.field(other)?.column
        else { return false }
        return sparseIndex(of: name)?.contains(column) ?? false
    }

    // MARK: Fields

    /// The column of a path; `NULL` if there is none of that name.
    private mutating func column(_ path: FieldPath) -> SQLText {
        guard let (table, fields) = follow(path.references) else { return "NULL" }
        switch path.target {
        case .field(let name):
            if let field = fields.field(name) { return "\(raw: table).\(raw: field.quoted)" }
            guard case .text(let text) = name else { return "NULL" }
            return Self.member(text, of: "\(table).custom")
        case .id: return "\(raw: table).id"
        case .sequence: return "\(raw: table).sequence"
        case .count(let related):
            return self.related(related, of: table, "count(*)") ?? "0"
        case .greatest(let name, let related):
            return extreme("max", name, related, of: table)
        case .least(let name, let related):
            return extreme("min", name, related, of: table)
        }
    }

    /// The table to which references lead.
    private mutating func follow(
        _ references: [FieldName]
    ) -> (table: String, fields: CollectionSchema)? {
        var (table, fields) = (alias, schema)
        for reference in references {
            guard let index = fields.fields.firstIndex(where: { $0.name == reference }),
                case .reference(let target) = fields.fields[index].kind,
                let other = collections.first(where: { $0.id == target })
            else { return nil }
            let joined = "\(table)_\(index)"
            if !joins.contains(where: { $0.alias == joined }) {
                // A reference to a missing or deleted record reads as absent.
                let sql =
                    " LEFT JOIN \(other.table) AS \(joined) ON \(joined).id = "
                    + "\(table).\(fields.fields[index].quoted) AND \(joined).state = 0"
                joins.append((joined, sql))
            }
            (table, fields) = (joined, other)
        }
        return (table, fields)
    }

    /// The member of a JSON object; the path of `json_extract` cannot name every member.
    private static func member(_ name: String, of column: String) -> SQLText {
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
        if isPlain {
            return "json_extract(\(raw: column), \(bound: .text("$.\"\(name)\"")))"
        }
        return
            "(SELECT atom FROM json_each(\(raw: column)) WHERE key = \(bound: .text(name)))"
    }

    // MARK: The other side of references

    /// Something about the records that refer to the one in `table`; nil if none can.
    private func related(_ related: Related, of table: String, _ what: String) -> SQLText? {
        self.related(related, of: table) { _ in "\(raw: what)" }
    }

    private func extreme(
        _ word: String, _ name: FieldName, _ related: Related, of table: String
    ) -> SQLText {
        let found = self.related(related, of: table) { inner in
            "\(raw: word)(\(inner.column(FieldPath(target: .field(name)))))"
        }
        return found ?? "NULL"
    }

    private func related(
        _ related: Related, of table: String, _ what: (inout FetchCompiler) -> SQLText
    ) -> SQLText? {
        guard let index = collections.firstIndex(where: { $0.id == related.collection }),
            let field = collections[index].field(related.reference)
        else { return nil }
        let name = "\(table)i"
        var inner = FetchCompiler(collections: collections, index: index, alias: name)
        let selected = what(&inner)
        let condition = inner.condition(related.predicate)
        return """
            (SELECT \(selected) FROM \(raw: collections[index].table) AS \(raw: name)\
            \(raw: inner.joinClauses)
            WHERE \(raw: name).\(raw: field.quoted) = \(raw: table).id
            AND \(raw: name).state = 0 AND \(condition))
            """
    }

    // MARK: Conditions

    private mutating func condition(_ predicate: FetchPredicate) -> SQLText {
        switch predicate {
        case .all: return "1"
        case .compare(let path, let comparison, let value):
            let operation = comparison == .notEqual ? "IS NOT" : comparison.rawValue
            return "\(term(path)) \(raw: operation) \(bound: cell(of: value, at: path))"
        case .absent(let path): return "\(term(path)) IS NULL"
        case .contains(let path, let text):
            let folded = text.foldedForSearch
            return "\(raw: SearchFunctions.contains)(\(column(path)), \(bound: .text(folded)))"
        case .hasPrefix(let path, let text):
            return """
                substr(\(column(path)), 1, length(\(bound: .text(text)))) = \(bound: .text(text))
                """
        case .hasElement(let path, let element): return hasElement(path, element)
        case .idPrefix(let digits):
            guard let range = Self.ids(beginningWith: digits) else { return "0" }
            let (first, last) = (range.lowerBound, range.upperBound)
            return """
                \(raw: alias).id BETWEEN \(bound: .bytes(RecordID(value: first).bytes))
                AND \(bound: .bytes(RecordID(value: last).bytes))
                """
        case .idSuffix(let digits):
            return """
                substr(lower(hex(\(raw: alias).id)), -length(\(bound: .text(digits)))) = \(bound: .text(digits))
                """
        case .oneOf(let ids): return Self.isOne(of: ids, in: alias)
        case .and(let parts): return list(parts, " AND ", empty: "1")
        case .or(let parts): return list(parts, " OR ", empty: "0")
        // In these words, so that SQLite sees which indexes fit.
        case .not(.absent(let path)): return "\(term(path)) IS NOT NULL"
        case .not(let part): return "NOT ifnull(\(condition(part)), 0)"
        case .any(let related):
            return self.related(related, of: alias, "1").map { "EXISTS \($0)" } ?? "0"
        }
    }

    /// The cell with which a column is compared; a reference to another collection than the column's is in none.
    private mutating func cell(of value: Value, at path: FieldPath) -> RowCodec.Cell {
        if case .reference(let name) = value, case .field(let field) = path.target,
            case .reference(let target)? = follow(path.references)?.fields.field(field)?.kind,
            target != name.collection
        {
            return .null
        }
        return value.cell
    }

    private mutating func hasElement(_ path: FieldPath, _ element: String) -> SQLText {
        guard case .field(let name) = path.target, let (table, fields) = follow(path.references),
            let field = fields.field(name), field.kind == .set
        else { return "0" }
        let column = "\(table).\(field.quoted)"
        // The first condition is quick; it alone would find the tag b" in the tag a"b".
        return """
            (ifnull(instr(\(raw: column), \(bound: .text(JSONText.string(element.inFormC)))), 0) > 0
            AND EXISTS (SELECT 1 FROM json_each(\(raw: column))
            WHERE atom = \(bound: .text(element.inFormC))))
            """
    }

    /// One parameter for all of them, as the number of parameters is limited.
    private static func isOne(of ids: [RecordID], in table: String = "t") -> SQLText {
        """
        \(raw: table).id IN (WITH RECURSIVE place(n) AS (
            SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < \(bound: .int(Int64(ids.count))))
        SELECT substr(\(bound: .bytes(ids.flatMap(\.bytes))), n * 16 + 1, 16) FROM place)
        """
    }

    /// The ids whose hexadecimal digits begin so, hyphens ignored; nil if these are no digits.
    private static func ids(beginningWith text: String) -> ClosedRange<UInt128>? {
        let digits = text.filter { $0 != "-" }
        if digits.isEmpty { return 0...UInt128.max }
        guard digits.utf8.count <= 32, digits.allSatisfy(\.isHexDigit),
            let value = UInt128(digits, radix: 16)
        else { return nil }
        let rest = UInt128(4 * (32 - digits.utf8.count))
        return (value << rest)...(value << rest | ((1 << rest) &- 1))
    }

    private mutating func list(_ parts: [FetchPredicate], _ word: String, empty: SQLText) -> SQLText
    {
        if parts.isEmpty { return empty }
        var conditions: [SQLText] = []
        for part in parts { conditions.append(condition(part)) }
        return "(\(SQLText(conditions, joinedBy: word)))"
    }
}

/// A piece of SQL and what is bound in it, in order.
struct SQLText: ExpressibleByStringInterpolation {
    private(set) var text: String
    private(set) var parameters: [RowCodec.Cell]

    init(stringLiteral text: String) {
        (self.text, parameters) = (text, [])
    }

    init(stringInterpolation: Interpolation) {
        (text, parameters) = (stringInterpolation.text, stringInterpolation.parameters)
    }

    /// Pieces one after the other.
    init(_ pieces: [SQLText], joinedBy separator: String) {
        text = pieces.map(\.text).joined(separator: separator)
        parameters = pieces.flatMap(\.parameters)
    }

    /// SQL with values in it, which are bound, and pieces, which bring what is bound in them.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var parameters: [RowCodec.Cell] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ piece: SQLText) {
            text += piece.text
            parameters += piece.parameters
        }

        /// A name or number that comes from the schema, never from a request.
        mutating func appendInterpolation(raw name: some CustomStringConvertible) {
            text += name.description
        }

        mutating func appendInterpolation(bound cell: RowCodec.Cell) {
            text += "?"
            parameters.append(cell)
        }
    }
}
