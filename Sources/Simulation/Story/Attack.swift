/// What a stranger does who can reach a device.
package enum Attack: Hashable, Sendable {
    /// Sends bytes that are no message: `a stranger sends garbage to phone`.
    case garbage
    /// Greets properly and then never answers: `a stranger calls phone and falls silent`.
    case silence
    /// Greets with another device's replica id: `a stranger claims to be laptop to phone`.
    case impersonation(of: String)
    /// States to have everything that the victim has ever written, and sends nothing:
    /// `a stranger claims to know everything to phone`.
    case falseStatement
    /// Sends changes with bodies that nobody can read: `a stranger sends nonsense about milk to phone`.
    case nonsense(item: String)
    /// Greets as an empty replica of the same space: `an empty stranger calls phone`.
    case emptiness
}
