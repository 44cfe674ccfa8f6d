import Devices
import Terminal

/// Asks for a pairing code, as it stands on the other device's screen.
///
/// A code that is typed here stays out of the shell's history and of the list of processes.
enum CodePrompt {
    /// The most bytes that are read.
    static let byteCountMax = 65_536

    /// Asks until the code is whole; one with a slip is asked for again.
    static func ask() throws -> PairingCode {
        Screen.error(
            "Type or paste the code that `tandem invite` shows on the other device; an empty line ends:\n"
        )
        var text = ""
        var problem: PairingProblem?
        while text.utf8.count < byteCountMax {
            guard let line = readLine(), line.contains(where: { !$0.isWhitespace }) else { break }
            text += line
            do throws(PairingProblem) {
                return try PairingCode(parsing: text)
            } catch {
                problem = error
                // The rest of a code that was broken into lines follows.
                if error == .cutOff { continue }
                text = ""
                Screen.error("\(error.words); type all of it again\n")
            }
        }
        throw problem ?? CommandFailure(.nothing, "no code was typed; nothing was done")
    }

    /// The code from the standard input, to its end: all of it, or one line among others.
    static func read() throws -> PairingCode {
        var lines: [String] = []
        var byteCount = 0
        while let line = readLine(), byteCount < byteCountMax {
            byteCount += line.utf8.count + 1
            if line.contains(where: { !$0.isWhitespace }) { lines.append(line) }
        }
        if lines.isEmpty {
            throw CommandFailure(
                .usage,
                "the standard input has no code; `tandem invite` on the other device makes one")
        }
        let whole: PairingProblem
        do throws(PairingProblem) {
            return try PairingCode(parsing: lines.joined(separator: "\n"))
        } catch {
            whole = error
        }
        let codes = lines.compactMap { try? PairingCode(parsing: $0) }
        if let code = codes.last, codes.allSatisfy({ $0.text == code.text }) { return code }
        if lines.count == 1 { throw whole }
        throw CommandFailure(
            .badData,
            "the standard input has \(lines.count) lines and "
                + (codes.isEmpty ? "none of them is a code" : "several codes")
                + "; give the code alone (there: tandem invite)")
    }
}
