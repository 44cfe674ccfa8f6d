import Devices
import Glibc
import Terminal

/// The program that serves HTTP, which stands beside this one: so this one needs none of its libraries.
enum WebProgram {
    /// The message that nothing of this installation serves HTTP.
    static let missing =
        "\(SiblingProgram.web) is missing, the program that serves HTTP; this is the static program or "
        + "a build without the trait Web. Install the Debian package, or build with the trait Web"

    /// Becomes `tandem-web` with these words; returns only by throwing.
    ///
    /// - Throws: `unavailable` if it is not installed, as with the static program.
    static func run(_ words: [String]) throws -> Never {
        guard let path = SiblingProgram.path(SiblingProgram.web) else {
            throw CommandFailure(.unavailable, missing)
        }
        Screen.flush()
        var arguments: [UnsafeMutablePointer<CChar>?] = ([SiblingProgram.web] + words).map {
            strdup($0)
        }
        arguments.append(nil)
        execv(path, arguments)
        let problem = String(cString: strerror(errno))
        throw CommandFailure(
            .unavailable, "\(path) cannot be run: \(problem). Install Tandem again")
    }
}
