/// What lies between two operations of a small world.
package enum ExhaustiveGap: Hashable, Sendable {
    /// Nothing.
    case nothing
    /// A whole session.
    case sync(Int, Int)
    /// A session that the first begins, and that breaks when what the second had has arrived.
    case broken(Int, Int)

    /// The steps of it.
    func steps(_ names: [String]) -> [Step] {
        switch self {
        case .nothing: []
        case .sync(let one, let other): [Step(.sync(names[one], names[other]))]
        case .broken(let one, let other):
            [
                Step(.startSync(names[one], names[other])),
                // A message takes a millisecond: the greeting there, the answer and the changes back.
                Step(.wait(milliseconds: 2)), Step(.cut(names[one], names[other])),
            ]
        }
    }

    /// The same between other devices.
    func renamed(_ names: [Int]) -> ExhaustiveGap {
        switch self {
        case .nothing: .nothing
        case .sync(let one, let other):
            .sync(min(names[one], names[other]), max(names[one], names[other]))
        case .broken(let one, let other): .broken(names[one], names[other])
        }
    }

    /// Stands for it where programs are put in order.
    var rank: Int {
        switch self {
        case .nothing: 0
        case .sync(let one, let other): 1 + one * 16 + other
        case .broken(let one, let other): 1 + 256 + one * 16 + other
        }
    }
}
