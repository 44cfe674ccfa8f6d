/// The evidence that a behaviour is there, by its location in this tree.
enum SeedProof {
    /// A Swift test: its file below `Tests` without ending, and its function.
    case test(String, String)
    /// A test of the program: its file in `Tests/EndToEnd` without ending, and its function.
    case script(String, String)
    /// A story of the simulator: its path below `Tools/simulate/Scenarios` without ending.
    case scenario(String)

    /// The path of the file.
    var path: String {
        switch self {
        case .test(let file, _): "Tests/\(file).swift"
        case .script(let file, _): "Tests/EndToEnd/\(file).py"
        case .scenario(let path): "Tools/simulate/Scenarios/\(path).scenario"
        }
    }

    /// The function in it; empty for a story, which is a proof as a whole.
    var function: String {
        switch self {
        case .test(_, let function), .script(_, let function): function
        case .scenario: ""
        }
    }
}
