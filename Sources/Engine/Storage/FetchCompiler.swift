import Causality
import Records

/// A fetch request → SQL with parameters; names come from the schema alone, never from the request.
struct FetchCompiler {
    private let collections: [CollectionSchema]
    private let place: Int
    private(set) var parameters: [RowCodec.Cell] = []
    private var joins: [UInt32] = []

    init(collections: [CollectionSchema], place: Int) {
        self.collections = collections
        self.place = place
    }

    private var schema: CollectionSchema { collections[place] }

    /// The statement; `columns` is what it selects of the table, which it calls `t`.
    mutating func sql(_ request: FetchRequest, columns: String) -> String {
        let condition = condition(request.predicate)
        let conditionParameters = parameters
        parameters = []
        let order =
            (request.sort.map { sort in
                let column = column(sort.path)
                return "\(column) \(sort.isAscending ? "ASC" : "DESC") NULLS LAST"
            } + ["t.id"]).joined(separator: ", ")
        parameters = conditionParameters + parameters
        let scope =
            switch request.scope {
            case .live: "t.state = 0"
            case .trash: "t.state = 1"
            case .conflicted: "t.conflicts > 0"
            case .all: "1"
            }
        parameters.append(.int(Int64(request.limit ?? -1)))
        parameters.append(.int(Int64(request.offset)))
        return """
            SELECT \(columns) FROM \(schema.table) AS t\(joinClauses())
            WHERE \(scope) AND \(condition) ORDER BY \(order) LIMIT ? OFFSET ?
            """
    }

    private func joinClauses() -> String {
        joins.compactMap { number in
            guard let field = schema.field(number), case .reference(let target) = field.kind,
                let other = collections.first(where: { $0.id == target })
            else { return nil }
            // A reference to a missing or deleted record reads as absent.
            return " LEFT JOIN \(other.table) AS r\(number)"
                + " ON r\(number).id = t.\(field.column) AND r\(number).state = 0"
        }.joined()
    }

    /// The column of a path; `NULL` if there is none of that name.
    private mutating func column(_ path: FieldPath) -> String {
        var table = "t"
        var fields = schema
        if let reference = path.reference {
            guard let field = schema.field(reference), case .reference(let target) = field.kind,
                let other = collections.first(where: { $0.id == target })
            else { return "NULL" }
            if !joins.contains(reference) { joins.append(reference) }
            table = "r\(reference)"
            fields = other
        }
        switch path.target {
        case .field(let number):
            return fields.field(number).map { "\(table).\($0.column)" } ?? "NULL"
        case .custom(let name):
            return member(name, of: "\(table).custom")
        case .id: return "\(table).id"
        case .sequence: return "\(table).sequence"
        }
    }

    /// The member of a JSON object; the path of `json_extract` cannot name every member.
    private mutating func member(_ name: String, of column: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
        if isPlain {
            parameters.append(.text("$.\"\(name)\""))
            return "json_extract(\(column), ?)"
        }
        parameters.append(.text(name))
        return "(SELECT atom FROM json_each(\(column)) WHERE key = ?)"
    }

    private mutating func condition(_ predicate: Predicate) -> String {
        switch predicate {
        case .all: return "1"
        case .compare(let path, let comparison, let value):
            return compare(path, comparison, value)
        case .absent(let path): return "\(column(path)) IS NULL"
        case .contains(let path, let text):
            let column = column(path)
            parameters.append(.text(text.foldedForSearch))
            return "instr(tandem_folded(\(column)), ?) > 0"
        case .hasPrefix(let path, let text):
            let column = column(path)
            parameters.append(.text(text))
            parameters.append(.text(text))
            return "substr(\(column), 1, length(?)) = ?"
        case .has(let number, let element):
            guard let field = schema.field(number), field.kind == .set else { return "0" }
            // The first condition is quick; it alone would find the tag b" in the tag a"b".
            parameters.append(.text(JSONText.string(element.inFormC)))
            parameters.append(.text(element.inFormC))
            return """
                (ifnull(instr(t.\(field.column), ?), 0) > 0
                AND EXISTS (SELECT 1 FROM json_each(t.\(field.column)) WHERE atom = ?))
                """
        case .idPrefix(let digits):
            guard let range = Self.ids(beginningWith: digits) else { return "0" }
            parameters.append(.bytes(RecordID(value: range.lowerBound).bytes))
            parameters.append(.bytes(RecordID(value: range.upperBound).bytes))
            return "t.id BETWEEN ? AND ?"
        case .oneOf(let ids):
            // One parameter for all of them, as the number of parameters is limited.
            parameters.append(.int(Int64(ids.count)))
            parameters.append(.bytes(ids.flatMap(\.bytes)))
            return """
                t.id IN (WITH RECURSIVE place(n) AS (
                    SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?)
                SELECT substr(?, n * 16 + 1, 16) FROM place)
                """
        case .and(let parts): return list(parts, "AND", empty: "1")
        case .or(let parts): return list(parts, "OR", empty: "0")
        case .not(let part): return "NOT ifnull(\(condition(part)), 0)"
        }
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

    private mutating func list(_ parts: [Predicate], _ word: String, empty: String) -> String {
        if parts.isEmpty { return empty }
        var conditions: [String] = []
        for part in parts { conditions.append(condition(part)) }
        return "(" + conditions.joined(separator: " \(word) ") + ")"
    }

    private mutating func compare(
        _ path: FieldPath, _ comparison: Predicate.Comparison, _ value: Value
    ) -> String {
        let column = column(path)
        parameters.append(cell(value))
        let operation = comparison == .notEqual ? "IS NOT" : comparison.rawValue
        return "\(column) \(operation) ?"
    }

    private func cell(_ value: Value) -> RowCodec.Cell {
        switch value {
        case .text(let text): .text(text)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .bool(let flag): .int(flag ? 1 : 0)
        case .bytes(let bytes): .bytes(bytes)
        case .reference(let id): .bytes(id.bytes)
        case .instant(let instant): ColumnText.text(instant: instant).map { .text($0) } ?? .null
        case .day(let day): ColumnText.text(day: day).map { .text($0) } ?? .null
        default: .null
        }
    }
}
