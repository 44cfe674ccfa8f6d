import Core
import Storage

/// Why a filter takes nothing: names that no to-do has, and where to-dos that it takes are instead.
package struct EmptyResult: Sendable {
    /// The names that no to-do has; all that is told if there are any.
    package internal(set) var unknownNames: [UnknownName] = []
    /// How many finished to-dos the filter takes; 0 if they were looked at.
    package internal(set) var finishedCount = 0
    /// How many to-dos in the trash the filter takes.
    package internal(set) var trashedCount = 0

    /// The most to-dos that are counted.
    package static let countMax = 1_000
}

extension ToDoStore {
    /// Returns why a filter takes nothing.
    ///
    /// - Parameter isAll: whether finished to-dos were looked at, too.
    package func emptyResult(
        of filter: ToDoFilter, isAll: Bool
    ) throws(StoreFault) -> EmptyResult {
        var result = EmptyResult()
        for condition in filter.conditions {
            if let unknown = try unknownName(in: condition, .pending) {
                result.unknownNames.append(unknown)
            }
        }
        guard result.unknownNames.isEmpty else { return result }
        if !isAll {
            // Of those that are pending there is none.
            let (filter, predicate, isExact) = try question(filter, pendingOnly: false)
            result.finishedCount = try pages(
                .and([.not(Self.pending), predicate]), Self.order, limit: EmptyResult.countMax
            ) { page throws(StoreFault) in
                isExact ? page : try matching(page, filter)
            }.count
        }
        result.trashedCount = try trashedCount(filter, limit: EmptyResult.countMax)
        return result
    }
}
