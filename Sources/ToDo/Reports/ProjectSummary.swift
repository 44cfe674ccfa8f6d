/// How far each project is.
package struct ProjectSummary: Sendable, Hashable {
    /// A project with all that is below it.
    package struct Row: Sendable, Hashable {
        /// Its name with those above it, parted by dots; empty for to-dos without a project.
        package let project: String
        /// How many projects are above it.
        package var depth = 0
        /// How many are pending.
        package var pending = 0
        /// How many of the pending ones are overdue.
        package var overdue = 0
        /// How many are completed; cancelled ones do not count.
        package var completed = 0
        /// The mean age of the pending ones whose beginning is known; milliseconds, nil if there are none.
        package var meanAge: Int64?

        /// The completed ones in 100 that are completed or pending; 0 to 100.
        package var percent: Int {
            pending + completed == 0 ? 0 : completed * 100 / (pending + completed)
        }
    }

    /// The most levels of projects; a to-do further down counts for the last of them.
    package static let depthMax = 16

    /// The projects in the order of their names, each behind the one above it; at the end what has none.
    package let rows: [Row]
    /// The same for all to-dos.
    package let total: Row

    /// Counts lives; projects with nothing but cancelled to-dos are left out.
    package init(_ lives: [ToDoLife], in context: CalendarContext) {
        var sums: [String: Sum] = [:]
        var total = Sum()
        for life in lives where life.status != .cancelled {
            total.add(life, in: context)
            for project in Self.chain(life.project) {
                sums[project, default: Sum()].add(life, in: context)
            }
        }
        rows = sums.sorted { Self.isBefore($0.key, $1.key) }.map { $1.row($0) }
        self.total = total.row("")
    }

    /// The names of the projects that a to-do counts for, the topmost first: `Home`, `Home.Garden`.
    private static func chain(_ project: String) -> [String] {
        var names: [String] = []
        let dot = UInt8(ascii: ".")
        var last = dot
        for (index, byte) in zip(project.utf8.indices, project.utf8) {
            if byte == dot, last != dot { names.append(String(project[..<index])) }
            if names.count == depthMax { return names }
            last = byte
        }
        return names + [project]
    }

    /// Orders as the parts of names do: nothing comes between a project and those below it.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        if left.isEmpty || right.isEmpty { return !left.isEmpty }
        func order(_ byte: UInt8) -> UInt8 { byte == UInt8(ascii: ".") ? 0 : byte }
        return left.utf8.lazy.map(order).lexicographicallyPrecedes(right.utf8.lazy.map(order))
    }

    private struct Sum {
        var pending = 0
        var overdue = 0
        var completed = 0
        var age = 0.0
        var agedCount = 0

        mutating func add(_ life: ToDoLife, in context: CalendarContext) {
            guard life.status == .pending else {
                completed += 1
                return
            }
            pending += 1
            if life.isOverdue(in: context) { overdue += 1 }
            if let start = life.start(in: context) {
                age += max(0, Double(context.now) - Double(start))
                agedCount += 1
            }
        }

        func row(_ project: String) -> Row {
            Row(
                project: project, depth: ProjectSummary.chain(project).count - 1, pending: pending,
                overdue: overdue, completed: completed,
                meanAge: agedCount == 0 ? nil : Int64(exactly: (age / Double(agedCount)).rounded()))
        }
    }
}
