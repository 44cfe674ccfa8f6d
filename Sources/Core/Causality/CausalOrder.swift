/// How two histories stand to each other.
package enum CausalOrder: Hashable, Sendable {
    /// Both include the same writes.
    case equal

    /// The right one includes all of the left one, and more.
    case before

    /// The left one includes all of the right one, and more.
    case after

    /// Each includes a write that the other lacks.
    case concurrent
}
