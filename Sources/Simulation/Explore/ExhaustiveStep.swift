/// An operation of a small world, and what lies before it.
struct ExhaustiveStep: Hashable {
    var gap: ExhaustiveGap
    var device: Int
    var deed: ExhaustiveDeed

    /// The same by other devices.
    func renamed(_ names: [Int]) -> ExhaustiveStep {
        ExhaustiveStep(gap: gap.renamed(names), device: names[device], deed: deed)
    }

    /// Stands for it where programs are put in order.
    var rank: [Int] { [gap.rank, device, deed.rawValue] }
}
