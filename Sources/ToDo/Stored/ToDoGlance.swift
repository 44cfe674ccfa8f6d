import Core
import Storage

/// The candidates for a person who types: to-dos, projects, tags and names that a store has.
///
/// Read at a glance (`StoreGlance`): quick, without waiting, without writing, and empty where that cannot be.
package struct ToDoGlance {
    /// Which to-dos are meant.
    package enum Scope: Sendable {
        /// Neither finished nor deleted.
        case pending
        /// Finished, and not deleted.
        case finished
        /// Not deleted.
        case alive
        /// In the trash.
        case trash
        /// In conflict.
        case conflicted
        /// Deleted or not.
        case all

        fileprivate var condition: String {
            switch self {
            case .pending: "state = 0 AND status IS NULL"
            case .finished: "state = 0 AND status IS NOT NULL"
            case .alive: "state = 0"
            case .trash: "state = 1"
            case .conflicted: "conflicts > 0"
            case .all: "state < 2"
            }
        }
    }

    /// A to-do as it is offered.
    package struct Row: Sendable {
        /// Its id.
        package let id: RecordID
        /// Its title; any text.
        package let title: String
    }

    /// The most that is offered of one kind.
    package static let countMax = 100
    /// The most characters of a title that are read.
    private static let titleCharacterCountMax = 200

    private let glance: StoreGlance

    /// Nil if there is no store to look at.
    package init?(folder: String) {
        guard let glance = StoreGlance(folder: folder) else { return nil }
        self.glance = glance
    }

    /// The numbers that begin with these digits, with their to-dos.
    package static func numbers(
        in folder: String, beginningWith digits: String
    ) -> [(number: Int, id: RecordID)] {
        guard let glance = StoreGlance(database: ToDoNumbers.path(in: folder)) else { return [] }
        return glance.rows(
            """
            SELECT number, lower(hex(id)) FROM number WHERE number BETWEEN 1 AND \(ToDoNumbers.shownCountMax)
            AND substr(number, 1, length(?1)) = ?1 ORDER BY number LIMIT \(countMax)
            """, [digits], rowCountMax: countMax
        ).compactMap { cells in
            guard let number = Int(cells[0]), let id = RecordID(uuidText: cells[1]) else {
                return nil
            }
            return (number, id)
        }
    }

    private func todos(where condition: String, _ texts: [String] = []) -> [Row] {
        glance.rows(
            """
            SELECT lower(hex(id)), substr(coalesce(title, ''), 1, \(Self.titleCharacterCountMax))
            FROM todo_record WHERE \(condition) LIMIT \(Self.countMax)
            """, texts, rowCountMax: Self.countMax
        ).compactMap { cells in
            RecordID(uuidText: cells[0]).map { Row(id: $0, title: cells[1]) }
        }
    }

    /// The to-dos that a scope takes, in no order.
    package func todos(_ scope: Scope, among ids: [RecordID]) -> [Row] {
        if ids.isEmpty { return [] }
        let list = ids.prefix(Self.countMax).map { "x'\($0.hexadecimal)'" }.joined(separator: ",")
        return todos(where: "id IN (\(list)) AND \(scope.condition)")
    }

    /// The to-dos whose id begins with these hexadecimal digits, those due first in front.
    package func todos(_ scope: Scope, idPrefix digits: String) -> [Row] {
        guard digits.utf8.count <= 32, digits.allSatisfy({ $0.isHexDigit && $0.isASCII }) else {
            return []
        }
        let low = digits + String(repeating: "0", count: 32 - digits.count)
        let high = digits + String(repeating: "f", count: 32 - digits.count)
        return todos(
            where: """
                id BETWEEN x'\(low)' AND x'\(high)' AND \(scope.condition)
                ORDER BY due IS NULL, due, sequence
                """)
    }

    /// Texts of a kind that begin so, the most used first.
    private func texts(_ source: String, _ text: String, _ prefix: String) -> [String] {
        // Without a beginning each text is looked at once, and not each to-do that has it.
        let begins = prefix.isEmpty ? "" : "AND substr(\(text), 1, length(?1)) = ?1"
        return glance.rows(
            """
            SELECT \(text) FROM \(source) AND \(text) IS NOT NULL \(begins)
            GROUP BY \(text) HAVING length(\(text)) BETWEEN 1 AND \(Self.titleCharacterCountMax)
            ORDER BY count(*) DESC, \(text) LIMIT \(Self.countMax)
            """, prefix.isEmpty ? [] : [prefix], rowCountMax: Self.countMax
        ).map { $0[0] }
    }

    /// Views of the user's own.
    package func views(prefix: String) -> [String] {
        texts("views_record WHERE state = 0", "name", prefix)
    }

    /// Projects of to-dos.
    package func projects(prefix: String, _ scope: Scope = .pending) -> [String] {
        texts("todo_record WHERE \(scope.condition)", "project", prefix)
    }

    /// The most projects that are named together.
    package static let projectCountMax = 1_000

    /// All projects of pending to-dos, by name.
    ///
    /// - Complexity: a step of an index for each project, however many to-dos it has.
    package func projects() -> [String] {
        let pending = "todo_record WHERE \(Scope.pending.condition)"
        return glance.rows(
            """
            WITH RECURSIVE name(text) AS (
                SELECT min(project) FROM \(pending) AND project > ''
                UNION ALL SELECT (SELECT min(project) FROM \(pending) AND project > text)
                FROM name WHERE text IS NOT NULL)
            SELECT text FROM name WHERE text IS NOT NULL LIMIT \(Self.projectCountMax)
            """, rowCountMax: Self.projectCountMax
        ).map { $0[0] }
    }

    /// Places of pending to-dos.
    package func locations(prefix: String) -> [String] {
        texts("todo_record WHERE \(Scope.pending.condition)", "location", prefix)
    }

    /// Tags of to-dos.
    package func tags(prefix: String, _ scope: Scope = .pending) -> [String] {
        texts("todo_record, json_each(tags) WHERE \(scope.condition)", "value", prefix)
    }

    /// People of to-dos.
    package func people(prefix: String, _ scope: Scope = .pending) -> [String] {
        texts("todo_record, json_each(people) WHERE \(scope.condition)", "value", prefix)
    }

    /// Names of people's own fields, whatever has them.
    package func customNames(prefix: String) -> [String] {
        texts("todo_record, json_each(custom) WHERE \(Scope.alive.condition)", "key", prefix)
    }

    /// Names of the devices.
    package func devices(prefix: String) -> [String] {
        texts("device_record WHERE state = 0", "name", prefix)
    }
}
