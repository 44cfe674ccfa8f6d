/// The words of measured commands.
///
/// Some of them stand for others:
///
/// | word | stands for |
/// |---|---|
/// | `ID` | the id of a pending to-do |
/// | `OUT` | a path where nothing is yet |
/// | `CHANGE` | a file with a change of another program that was not made yet |
/// | `LINES` | the file of which the store was made |
/// | `THERE` | in front: on the second device |
/// | `SOCKET` | where the second device listens |
/// | `PORT` | where it does so over TLS |
struct CommandWords {
    let program: String
    /// The words in the place of each of these; the last three have some once there is a second device.
    var placeholders: [String: [String]]

    /// The words that are run for a line.
    func words(of line: String) -> [String] {
        [program] + line.split(separator: " ").flatMap { placeholders[String($0)] ?? [String($0)] }
    }
}
