/// What came of a peer's statement.
package struct JoinAnswer: Hashable, Sendable {
    /// Whether a tally that had to agree did not, for the second time in a row: the peer withholds.
    package var isWithheld: Bool
    /// Whether contents differ although the histories are the same.
    package var isDiverged: Bool

    /// Whether such a tally calls for a full exchange.
    package var isRepairDue: Bool

    /// An answer.
    package init(isWithheld: Bool = false, isDiverged: Bool = false, isRepairDue: Bool = false) {
        self.isWithheld = isWithheld
        self.isRepairDue = isRepairDue
        self.isDiverged = isDiverged
    }
}
