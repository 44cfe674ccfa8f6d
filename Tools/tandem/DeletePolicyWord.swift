import Core
import Terminal

/// The delete policy as it is typed.
enum DeletePolicyWord {
    /// The default policy of a space.
    static let standard = DeletePolicy.deletesWin

    /// All policies.
    static let all = ["deletes-win", "edits-win"]

    /// The policy of that name.
    static func read(_ word: String) throws -> DeletePolicy {
        guard let policy = DeletePolicy(name: word) else {
            throw CommandFailure(.usage, "the policy is deletes-win or edits-win, not '\(word)'")
        }
        return policy
    }
}
