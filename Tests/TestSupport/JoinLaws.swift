/// The laws of a join: in any order and any number of times, the result is one.
package enum JoinLaws {
    /// Checks every pair and triple of `items`; gives what does not hold, at most a few of each.
    ///
    /// - Parameters:
    ///   - join: the operation.
    ///   - includes: whether the first item has all that the second has.
    package static func failures<T: Equatable>(
        _ items: [T], join: (T, T) -> T, includes: (T, T) -> Bool
    ) -> [String] {
        var failures: [String] = []
        func check(_ holds: Bool, _ law: String, _ parts: T...) {
            if !holds, failures.count < 8 { failures.append("\(law): \(parts)") }
        }
        var table: [[T]] = []
        for left in items {
            check(join(left, left) == left, "idempotent", left)
            table.append(items.map { join(left, $0) })
        }
        for (i, left) in items.enumerated() {
            for (j, right) in items.enumerated() {
                let both = table[i][j]
                check(both == table[j][i], "commutative", left, right)
                check(includes(both, left) && includes(both, right), "grows", left, right)
                check(join(both, right) == both, "absorbs", left, right)
                for (k, third) in items.enumerated() where j <= k {
                    check(
                        join(both, third) == join(left, table[j][k]), "associative", left, right,
                        third)
                }
            }
        }
        return failures
    }
}
