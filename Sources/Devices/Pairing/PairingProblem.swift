/// Why a pairing code cannot be used.
package enum PairingProblem: Error, Equatable, Sendable {
    /// A character that no code has.
    case strayCharacter(Character)
    /// A line whose check does not fit.
    case mistyped(line: Int)
    /// The last line, which is shorter than the others, does not fit.
    case wrongEnd(line: Int)
    /// Something is missing at its end.
    case cutOff
    /// More than any code has.
    case tooLong
    /// Every line fits, but not the whole: lines are missing, doubled, or in another order.
    case wrongLines
    /// Made by a newer version.
    case newer(version: Int)
    /// The time for which it was made is over; seconds since then.
    case expired(seconds: Int64)
}

extension PairingProblem: CustomStringConvertible {
    /// The problem in words, then the next step.
    package var description: String {
        switch self {
        case .strayCharacter(let character):
            "a code has no '\(character)' in it; it has digits and letters, and hyphens between them"
        case .mistyped(let line):
            "line \(line) of the code is mistyped; compare it with the other device's screen"
        case .wrongEnd(let line):
            "line \(line) of the code, its last, is mistyped or cut off; compare it with the other "
                + "device's screen"
        case .cutOff: "the end of the code is missing; take all of its lines"
        case .tooLong: "that is longer than any code; take the code alone"
        case .wrongLines:
            "the lines of the code do not belong together; take each once, from top to bottom"
        case .newer(let version):
            "the code was made by a newer version of Tandem (form \(version)); update Tandem here"
        case .expired(let seconds):
            "the code ran out \(Self.span(seconds)) ago; make a new one on the other device, and if it is "
                + "new, check the clocks of both"
        }
    }

    private static func span(_ seconds: Int64) -> String {
        switch seconds {
        case 1: "1 second"
        case ..<120: "\(seconds) seconds"
        case ..<7200: "\(seconds / 60) minutes"
        case ..<172_800: "\(seconds / 3600) hours"
        default: "\(seconds / 86_400) days"
        }
    }
}
