/// Finds what was probably meant by a misspelt word.
package enum Spelling {
    /// The candidate nearest to `word`, if it is near enough to be a slip of the fingers.
    ///
    /// One slip (a letter too many, too few, wrong, or two swapped) for words up to five
    /// letters, two for longer ones; the first of equally near candidates.
    package static func suggestion(for word: String, among candidates: [String]) -> String? {
        var best: (word: String, distance: Int)?
        for candidate in candidates where candidate != word {
            let distanceMax = candidate.utf8.count <= 5 ? 1 : 2
            let distance = distance(Array(word.utf8), Array(candidate.utf8))
            guard distance <= distanceMax, distance < candidate.utf8.count - 1 else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        return best?.word
    }

    /// How many slips turn one word into the other.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count <= 40, right.count <= 40 else { return .max }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
